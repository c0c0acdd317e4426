"""Puts the service together, and runs what goes on beside its calls."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable

from keys.access import administrators
from keys.access.entrance import Entrance
from keys.access.gate import Gate
from keys.access.passwords import Passwords
from keys.clock import Clock, system_clock
from keys.errors import STATUSES, Unavailable
from keys.issuing.hashing import Peppers
from keys.rpc.admin_access import AccessParts
from keys.rpc.admin_keys import KeyParts
from keys.rpc.admin_service import AdminServicer
from keys.rpc.admin_usage import UsageParts
from keys.rpc.keys_service import KeysServicer
from keys.settings import KeysSettings
from keys.store.audit import Actor
from keys.store.authorizing import Authorizer
from keys.store.billing import Closer
from keys.store.change import changing
from keys.store.database import Database
from keys.store.retention import Retention
from keys.store.settling import Settler
from landpartner.keys.v1 import admin_pb2_grpc, keys_pb2_grpc
from servicekit.rpc_server import Registration, RpcServer, Workers

log = logging.getLogger(__name__)

KEYS_SERVICE = "landpartner.keys.v1.KeysService"
ADMIN_SERVICE = "landpartner.keys.v1.AdminService"


class KeysServer:
    """The service of one process: its database, its threads and its gRPC server."""

    def __init__(self, settings: KeysSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._workers = Workers(settings.workers)
        self.database = Database(
            settings.database_url.get_secret_value(), pool_size=settings.workers + settings.password_workers
        )
        peppers = Peppers.parse(settings.peppers.get_secret_value())
        self._settler = Settler(self.database, settings.rules, clock)
        self._closer = Closer(self.database, clock)
        self._retention = Retention(
            self.database, clock, raw_days=settings.raw_days, address_days=settings.address_days
        )
        authorizer = Authorizer(self.database, peppers, settings.rules, clock)
        gate, passwords = Gate(self.database, clock), Passwords()
        self._password_workers = Workers(settings.password_workers)
        admin_servicer = AdminServicer(
            AccessParts(
                gate,
                Entrance(self.database, gate, passwords, clock),
                passwords,
                self._workers,
                self._password_workers,
            ),
            KeyParts(gate, peppers, self._workers, settings.default_quota, settings.default_assistant_mode),
            UsageParts(gate, self._workers),
        )
        servicer = KeysServicer(authorizer, self._settler, self.database, clock, self._workers)
        services = [
            Registration(
                KEYS_SERVICE, lambda server: keys_pb2_grpc.add_KeysServiceServicer_to_server(servicer, server)
            ),
            Registration(
                ADMIN_SERVICE, lambda server: admin_pb2_grpc.add_AdminServiceServicer_to_server(admin_servicer, server)
            ),
        ]
        self.rpc = RpcServer(settings, services, STATUSES)

    async def serve(self) -> None:
        """Serves until SIGTERM or SIGINT, then lets go of everything."""
        try:
            async with self.upkeep():
                await self.rpc.serve_until_signalled()
        finally:
            self.close()

    @contextlib.asynccontextmanager
    async def upkeep(self) -> AsyncIterator[None]:
        """Lets overdue reservations lapse, closes months and deletes what is old, for as long as the block runs. Any
        number of replicas may do it.
        """
        tasks = [
            asyncio.create_task(self._repeat(self._lapse, self._settings.lapse_interval_s)),
            asyncio.create_task(self._repeat(self._keep_house, self._settings.housekeeping_interval_s)),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def announce_setup(self) -> None:
        """Makes the setup token at the very first start and logs it. `keys setup-token` makes later ones."""
        with changing(self.database, self._clock, Actor("first start")) as change:
            made = administrators.first_setup_token(change)
        if made is not None:
            token, lifetime = made
            minutes = int(lifetime.total_seconds() // 60)
            log.warning("make the first owner on the admin page with the setup token %s (%d minutes)", token, minutes)

    def close(self) -> None:
        self._workers.close()
        self._password_workers.close()
        self.database.close()

    async def _repeat(self, work: Callable[[], None], interval_s: float) -> None:
        while True:
            try:
                await self._workers.run(work)
            except Unavailable:
                log.warning("the database does not answer")
            except Exception:
                log.exception("upkeep failed")
            await asyncio.sleep(interval_s)

    def _lapse(self) -> None:
        while count := self._settler.lapse():
            log.warning("reservations without an outcome", extra={"count": count})

    def _keep_house(self) -> None:
        for month in self._closer.close_due():
            log.info("month closed", extra={"month": month})
        if deleted := self._retention.apply():
            log.info("old rows deleted", extra={"count": deleted})


def create_server(settings: KeysSettings, clock: Clock = system_clock) -> KeysServer:
    """The service, not yet listening; to be called in a running event loop. Connects to its database at the first
    call.
    """
    return KeysServer(settings, clock)
