"""A server whose answers tell of a fixed time: `python -m e2e.screenshots.still_server INSTANT serve ...`."""

from __future__ import annotations

import sys
from datetime import datetime

from switchboard.service import wall_clock


def main() -> None:
    instant = datetime.fromisoformat(sys.argv.pop(1))
    wall_clock.utc_now = lambda: instant
    # Imported only now: whoever imports the clock from here on gets the one that stands.
    from switchboard.main import run

    run()


if __name__ == "__main__":
    main()
