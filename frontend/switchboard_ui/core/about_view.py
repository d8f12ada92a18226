"""What serves this page and what serves it data: versions, zone data, and the limits in force on both sides."""

from __future__ import annotations

from dataclasses import dataclass

from switchboard_ui.core.scheduler_settings import SchedulerSettings
from switchboard_wire.reads import Capabilities


@dataclass(frozen=True, slots=True)
class AboutView:
    """Named figures of the server and of this tab."""

    server: tuple[tuple[str, str], ...]
    limits: tuple[tuple[str, str], ...]
    zones: str


def about_view(capabilities: Capabilities, zone_data: str) -> AboutView:
    """`zone_data`: the release of the zone database in this tab."""
    limits, backend = capabilities.limits, capabilities.backend
    protocols = ", ".join(
        f"{one.path} (version {' and '.join(str(version) for version in one.versions)})"
        for one in capabilities.job_filter_protocols.values()
    )
    return AboutView(
        server=(
            ("Release", capabilities.release),
            ("Zone data", capabilities.zone_database),
            ("Changes", "none: it is read-only" if capabilities.read_only else "allowed"),
            ("Filters", protocols or "none"),
            ("Database", backend.database),
            ("Process", backend.process),
        ),
        limits=(
            ("A read in all", _seconds(limits.whole_read_deadline_ms / 1000)),
            ("Between reads it shares", _seconds(limits.cached_refresh_floor_ms / 1000)),
            ("Between other reads", _seconds(limits.uncached_refresh_floor_ms / 1000)),
            ("A body", f"{limits.max_body_bytes // 1024:,} KiB"),
            ("A page of a listing", f"{limits.max_page:,} todos"),
        ),
        zones=(
            f"Server and tab know the same zone data, {zone_data}."
            if capabilities.zone_database == zone_data
            else f"The server's zone data is {capabilities.zone_database}, this tab's {zone_data}: near a change of "
            "the clocks their times may differ. Reload the page."
        ),
    )


def tab_limits(settings: SchedulerSettings) -> tuple[tuple[str, str], ...]:
    """The bounds of this tab's scheduler."""
    return (
        ("Unannounced changes show after at most", _seconds(settings.watchdog_max)),
        ("Views that are read", f"{settings.max_keys} at most"),
        ("Reads at a time", f"{settings.max_in_flight} at most"),
        ("A read is given up after", _seconds(settings.client_deadline)),
        ("Failed reads wait at most", _seconds(settings.backoff_max)),
        ("A missing read is tried again after", _seconds(settings.reprobe)),
    )


def _seconds(seconds: float) -> str:
    return f"{seconds:g} s"
