"""Puts the service together, and runs what goes on beside its calls."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from keys.clock import Clock, system_clock
from keys.errors import STATUSES, Unavailable
from keys.issuing.hashing import Peppers
from keys.rpc.keys_service import KeysServicer
from keys.settings import KeysSettings
from keys.store.authorizing import Authorizer
from keys.store.database import Database
from keys.store.settling import Settler
from landpartner.keys.v1 import keys_pb2_grpc
from servicekit.rpc_server import Registration, RpcServer, Workers

log = logging.getLogger(__name__)

KEYS_SERVICE = "landpartner.keys.v1.KeysService"


class KeysServer:
    """The service of one process: its database, its threads and its gRPC server."""

    def __init__(self, settings: KeysSettings, clock: Clock) -> None:
        self._settings = settings
        self._workers = Workers(settings.workers)
        self.database = Database(settings.database_url.get_secret_value(), pool_size=settings.workers)
        peppers = Peppers.parse(settings.peppers.get_secret_value())
        self._settler = Settler(self.database, settings.rules, clock)
        authorizer = Authorizer(self.database, peppers, settings.rules, clock)
        servicer = KeysServicer(authorizer, self._settler, self.database, clock, self._workers)
        registration = Registration(
            KEYS_SERVICE, lambda server: keys_pb2_grpc.add_KeysServiceServicer_to_server(servicer, server)
        )
        self.rpc = RpcServer(settings, [registration], STATUSES)

    async def serve(self) -> None:
        """Serves until SIGTERM or SIGINT, then lets go of everything."""
        try:
            async with self.upkeep():
                await self.rpc.serve_until_signalled()
        finally:
            self.close()

    @contextlib.asynccontextmanager
    async def upkeep(self) -> AsyncIterator[None]:
        """Lets overdue reservations lapse, for as long as the block runs. Any number of replicas may do it."""
        task = asyncio.create_task(self._lapse_in_turn())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def close(self) -> None:
        self._workers.close()
        self.database.close()

    async def _lapse_in_turn(self) -> None:
        while True:
            try:
                lapsed = await self._workers.run(self._settler.lapse)
            except Unavailable:
                log.warning("the database does not answer")
                lapsed = 0
            if lapsed:
                log.warning("reservations without an outcome", extra={"count": lapsed})
            else:
                await asyncio.sleep(self._settings.lapse_interval_s)


def create_server(settings: KeysSettings, clock: Clock = system_clock) -> KeysServer:
    """The service, not yet listening; to be called in a running event loop. Connects to its database at the first
    call.
    """
    return KeysServer(settings, clock)
