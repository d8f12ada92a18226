"""How property tests run here: as long as a busy machine needs (a test asserts what is true, never how fast)."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

PROFILE = "switchboard"

settings.register_profile(PROFILE, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def use_profile() -> None:
    settings.load_profile(PROFILE)
