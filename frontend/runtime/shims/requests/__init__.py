"""ReactPy imports requests to fetch JavaScript modules from other hosts, which the tab never does."""

from typing import NoReturn


def get(*_arguments: object, **_options: object) -> NoReturn:
    """Say that the fetch port is the only way out of the tab."""
    raise RuntimeError("requests is not part of the tab's bundle: use the fetch port")
