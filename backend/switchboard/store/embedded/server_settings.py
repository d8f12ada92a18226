"""How the server is set up. All of it goes on its command line: the cluster's own files stay as initdb wrote them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from .errors import EmbeddedPostgresError

Setting = str | int | float | bool
_MIB = 1024 * 1024

# What makes the server ours, and reachable from this machine only. A caller may change everything else.
_OURS = frozenset(
    {
        "listen_addresses",
        "port",
        "unix_socket_directories",
        "data_directory",
        "hba_file",
        "external_pid_file",
        "logging_collector",
    }
)


def server_settings(extra: Mapping[str, Setting], port: int) -> dict[str, str]:
    """The settings of a server on `port`, by name; those in `extra` win over the defaults.

    Raises EmbeddedPostgresError for a name that is none, or one that is not the caller's to set.
    """
    for name in extra:
        if not re.fullmatch(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?", name) or name in _OURS:
            raise EmbeddedPostgresError(f"{name!r} is no setting of the embedded PostgreSQL that can be chosen.")
    return {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": "",
        "cluster_name": "switchboard",
        "max_connections": "200",
        "shared_buffers": f"{_shared_buffers() // _MIB}MB",
        # Claims live on tables that churn: clean up and re-plan long before a fifth of the rows has changed.
        "autovacuum_vacuum_scale_factor": "0.01",
        "autovacuum_analyze_scale_factor": "0.02",
        # A forgotten open transaction holds a snapshot, and a held snapshot makes claims slow.
        "idle_in_transaction_session_timeout": "60s",
        "checkpoint_timeout": "10min",
        "max_wal_size": "1GB",
        "log_min_messages": "warning",
        "log_checkpoints": "off",
        "log_timezone": "UTC",
        "timezone": "UTC",
        # Compiling takes longer than any statement of ours runs.
        "jit": "off",
    } | {name: _written(value) for name, value in extra.items()}


def _written(value: Setting) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _shared_buffers() -> int:
    """256 MiB, or an eighth of the memory that there is, on this machine or in this container."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            memory = min(memory, int(Path(limit).read_text()))
        except (OSError, ValueError):  # no such cgroup version, or "max"
            continue
    return max(16 * _MIB, min(256 * _MIB, memory // 8))
