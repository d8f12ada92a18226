"""The server's log: one JSON line an event on stderr, for people a plain line when it is a terminal."""

from __future__ import annotations

import logging
import sys

import structlog


def set_up_logging() -> None:
    """Also takes what libraries log, from warning on."""
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[*shared, renderer],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=shared))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    # Its warnings tell of connections that it could not make anew yet; the sweeps and the answers say so better.
    logging.getLogger("asyncpg").setLevel(logging.ERROR)
