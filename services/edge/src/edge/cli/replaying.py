"""`edge replay-refused`."""

import asyncio

import click
import grpc

from edge.clients import keys
from edge.metering.refused import RefusedOutcomes, Replayed, replay
from edge.settings import EdgeSettings
from servicekit import logs
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.tls import Certificates


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
    tls_dir = settings.upstream_tls_dir
    certificates = None if tls_dir is None else Certificates(tls_dir)
    channel = open_channel(settings.keys_target, idempotent=keys.IDEMPOTENT, service="keys", certificates=certificates)
    try:
        outgoing = Outgoing(settings.keys_token.get_secret_value())
        client = keys.KeysClient(channel, outgoing, settings.keys_deadline_s)
        return await replay(RefusedOutcomes(settings.spool_dir), client.record)
    finally:
        await channel.close()
