"""Settings of one server process, from the environment and the command line, checked before anything starts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit


class SettingsError(ValueError):
    """A setting that cannot be used; the message names it and says what to do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`database_url` None: embedded PostgreSQL under `data`. Connections are counts, the rest seconds."""

    database_url: str | None
    pooled: bool
    data: Path
    host: str
    port: int
    public_origins: tuple[str, ...]
    claim_connections: int
    read_connections: int
    whole_read_seconds: float
    statement_seconds: float
    lock_wait_seconds: float
    reads_at_once: int
    reads_waiting: int
    read_wait_seconds: float
    cache_seconds: float
    read_only: bool
    development: bool


def read_settings(
    environment: Mapping[str, str],
    *,
    host: str | None = None,
    port: int | None = None,
    data: Path | None = None,
    read_only: bool = False,
) -> Settings:
    """Raises SettingsError."""
    whole_read = _seconds(environment, "SWITCHBOARD_READ_SECONDS", 15.0)
    settings = Settings(
        database_url=environment.get("SWITCHBOARD_DATABASE_URL") or None,
        pooled=_flag(environment, "SWITCHBOARD_DATABASE_POOLED"),
        data=data or Path(environment.get("SWITCHBOARD_DATA") or ".switchboard"),
        host=host or environment.get("SWITCHBOARD_HOST") or "127.0.0.1",
        port=port if port is not None else _whole(environment, "SWITCHBOARD_PORT", 8080, 0, 65_535),
        public_origins=_origins(environment.get("SWITCHBOARD_PUBLIC_ORIGINS", "")),
        claim_connections=_whole(environment, "SWITCHBOARD_CLAIM_CONNECTIONS", 10, 1, 200),
        read_connections=_whole(environment, "SWITCHBOARD_READ_CONNECTIONS", 4, 1, 200),
        whole_read_seconds=whole_read,
        statement_seconds=_seconds(environment, "SWITCHBOARD_STATEMENT_SECONDS", min(5.0, whole_read)),
        lock_wait_seconds=_seconds(environment, "SWITCHBOARD_LOCK_WAIT_SECONDS", min(1.0, whole_read)),
        reads_at_once=_whole(environment, "SWITCHBOARD_READS_AT_ONCE", 4, 1, 200),
        reads_waiting=_whole(environment, "SWITCHBOARD_READS_WAITING", 16, 1, 1000),
        read_wait_seconds=_seconds(environment, "SWITCHBOARD_READ_WAIT_SECONDS", min(0.25, whole_read)),
        cache_seconds=_seconds(environment, "SWITCHBOARD_CACHE_SECONDS", 5.0),
        read_only=read_only or _flag(environment, "SWITCHBOARD_READ_ONLY"),
        development=_flag(environment, "SWITCHBOARD_DEVELOPMENT"),
    )
    for name, value in (
        ("SWITCHBOARD_STATEMENT_SECONDS", settings.statement_seconds),
        ("SWITCHBOARD_LOCK_WAIT_SECONDS", settings.lock_wait_seconds),
        ("SWITCHBOARD_READ_WAIT_SECONDS", settings.read_wait_seconds),
    ):
        if value > whole_read:
            raise SettingsError(f"{name} must not be above SWITCHBOARD_READ_SECONDS ({whole_read:g}).")
    return settings


def _whole(environment: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = environment.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
        raise SettingsError(f"{name} must be a whole number from {low} to {high}, not {text!r}.")
    return int(text)


def _flag(environment: Mapping[str, str], name: str) -> bool:
    text = environment.get(name, "")
    if text not in ("", "0", "1"):
        raise SettingsError(f"{name} must be 1 or 0, not {text!r}.")
    return text == "1"


def _seconds(environment: Mapping[str, str], name: str, default: float) -> float:
    text = environment.get(name, "")
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.01 <= value <= 3600:
        raise SettingsError(f"{name} must be a number of seconds from 0.01 to 3600, not {text!r}.")
    return value


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(part.strip() for part in text.split(",") if part.strip())
    for origin in origins:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or f"{parts.scheme}://{parts.netloc}" != origin:
            raise SettingsError(
                f"SWITCHBOARD_PUBLIC_ORIGINS must list origins such as https://board.example.org, not {origin!r}."
            )
    return origins
