"""`edge replay-refused`."""

import asyncio
import sqlite3

import click
import grpc

from edge.metering.refused import replay
from edge.settings import EdgeSettings
from edge.upstreams import Upstreams
from servicekit import logs


@click.command("replay-refused")
def replay_refused() -> None:
    """Send the outcomes that keys refused again, and drop those that it has counted. Nothing is counted twice."""
    settings = EdgeSettings.load()
    logs.configure("edge", settings)
    try:
        counted, still_refused = asyncio.run(_replay(settings))
    except grpc.aio.AioRpcError as error:
        raise click.ClickException(f"keys is not available: {error.code().name}") from error
    except (sqlite3.Error, OSError) as error:
        raise click.ClickException(f"refused.sqlite cannot be opened: {error}") from error
    click.echo(f"{counted} outcomes counted, {still_refused} still refused.")


async def _replay(settings: EdgeSettings) -> tuple[int, int]:
    upstreams = Upstreams.open(settings)
    try:
        return await replay(settings.spool_dir, upstreams.keys.send_outcomes)
    finally:
        await upstreams.close()
