"""switchboard migrate"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from switchboard.settings import Settings, read_settings
from switchboard.store.database import Database, DatabaseSettings
from switchboard.store.migrations import migrate as apply

from .app import app
from .database import database_url
from .failures import readable


@app.command()
def migrate(
    post: Annotated[bool, typer.Option(help="Also what must wait until no older server runs.")] = False,
    data: Annotated[Path | None, typer.Option(help="Folder of the embedded database.")] = None,
) -> None:
    """Apply missing migrations; any number may run at once."""

    async def run(url: str, settings: Settings) -> None:
        database = Database(DatabaseSettings(url, claim_connections=1, read_connections=1, pooled=settings.pooled))
        await database.open()
        try:
            done = await apply(database, post=post)
        finally:
            await database.close()
        for migration in done:
            typer.echo(f"Applied {migration.number:04d} {migration.phase} {migration.name}.")
        if not done:
            typer.echo("Nothing to apply.")

    with readable():
        settings = read_settings(os.environ, data=data)
        with database_url(settings) as url:
            asyncio.run(run(url, settings))
