"""A failure at the terminal is one readable sentence on stderr, and exit status 1."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from switchboard.settings import SettingsError
from switchboard.store.embedded import EmbeddedPostgresError
from switchboard.store.errors import DatabaseUnavailable
from switchboard.store.migrations import MigrationFailed, SchemaTooNew
from switchboard_wire.errors import SwitchboardError


@contextmanager
def readable() -> Iterator[None]:
    try:
        yield
    except SwitchboardError as error:
        sentence = f"{error.field}: {error.message}" if error.field else error.message
    except (SettingsError, EmbeddedPostgresError) as error:
        sentence = str(error)
    except DatabaseUnavailable as error:
        sentence = f"The database does not answer: {error}"
    except subprocess.CalledProcessError as error:
        sentence = f"{error.cmd} ended with status {error.returncode}; its messages stand above."
    except MigrationFailed as error:
        sentence = f"The database could not be migrated: {error}"
    except SchemaTooNew as error:
        sentence = f"The database was migrated by a newer release (it has {error}); upgrade this one."
    else:
        return
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
