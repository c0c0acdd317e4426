"""`edge replay-refused`."""

import asyncio

import click
import grpc

from edge.metering.refused import RefusedOutcomes, Replayed, replay
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
    click.echo(f"{counted} outcomes counted, {still_refused} still refused.")


async def _replay(settings: EdgeSettings) -> Replayed:
    upstreams = Upstreams.open(settings)
    try:
        return await replay(RefusedOutcomes(settings.spool_dir), upstreams.keys.record)
    finally:
        await upstreams.close()
