"""Builds the service from its parts, and runs its background tasks."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from functools import partial

from prometheus_client import Counter, Gauge

from keys.admins import changes as administrators
from keys.admins import inviting
from keys.admins.access_control import AccessControl
from keys.admins.hashing_queue import HashingQueue
from keys.admins.passwords import Passwords
from keys.admins.provider import Provider
from keys.rpc.event_messages import owner_of_webhooks
from keys.rpc.keys_service import KeysServicer
from keys.rpc.services import ADMIN_CALLERS, KEYS_CALLERS, STATUSES, AdminServicer
from keys.settings import KeysSettings
from keys.store import event_tables, pepper_checks, recording, retention, setup
from keys.store.audit_log import Actor
from keys.store.billing import MonthCloser
from keys.store.change import changing
from keys.store.database import Database
from keys.store.leasing import Leasing
from keys.store.refused_access import RefusedAccess
from keys.store.settling import Settler
from keys.upkeep.checked_clock import CheckedClock
from keys.values.clock import Clock, system_clock
from keys.values.errors import Unavailable
from keys.values.hashing import Peppers
from landpartner.keys.v1 import admin_pb2_grpc, keys_pb2_grpc
from servicekit.errors import Overloaded
from servicekit.health import SELLER
from servicekit.pool_metrics import sample_pool
from servicekit.rpc_server import Registration, RpcServer
from servicekit.sampling import Reading, every
from servicekit.webhooks.servicer import WebhookServicer
from servicekit.workers import Workers

log = logging.getLogger(__name__)

KEYS_SERVICE = "landpartner.keys.v1.KeysService"
ADMIN_SERVICE = "landpartner.keys.v1.AdminService"
_PROBE_CONNECTIONS = 1
REFUSED_ACCESS_INTERVAL_S = 60.0
BACKLOG_INTERVAL_S = 30.0

_overdue = Gauge("keys_months_overdue", "Months that should be closed and are not.")
_lapsed = Counter("keys_leases_lapsed", "Leases that no edge ended, and files of lines that none renewed.")


class KeysServer:
    """The service: its database, its threads and its gRPC server, in a running event loop.

    It connects to its database at the first call.
    """

    def __init__(self, settings: KeysSettings, clock: Clock = system_clock) -> None:
        self._settings = settings
        self._system_clock = clock
        self._checked_clock = CheckedClock(clock, timedelta(seconds=settings.clock_difference_s))
        workers = settings.workers
        self._workers = Workers(workers, settings.max_queued_calls)
        self.database = Database(
            settings.database_url.get_secret_value(),
            pool_size=workers + settings.password_workers + _PROBE_CONNECTIONS,
        )
        self._peppers = peppers = Peppers.parse(settings.peppers.get_secret_value())
        clock = self._checked_clock
        self._leasing = Leasing(self.database, peppers, settings.rules, clock, timedelta(seconds=settings.lease_s))
        if settings.seller is None:
            log.warning("no bill is issued when a month closes: KEYS_SELLER is not set")
        self._closer = MonthCloser(self.database, clock, settings.seller)
        self._refused_access = RefusedAccess(self.database, clock)
        self._hashing = HashingQueue(settings.password_workers)
        admin_servicer = AdminServicer(
            AccessControl(self.database, clock, peppers, self._refused_access),
            Passwords(),
            self._workers,
            self._hashing,
            settings.default_quota,
            settings.default_assistant_mode,
            settings.seller,
            Provider(settings, peppers, clock) if settings.oidc_issuer else None,
            has_webhook_key=bool(settings.webhook_secret),
        )
        servicer = KeysServicer(
            self._leasing,
            Settler(self.database, settings.rules, clock, raw_days=settings.raw_days),
            self.database,
            settings.rules,
            clock,
            self._workers,
            peppers,
        )
        webhooks = WebhookServicer(
            event_tables.webhooks,
            settings.webhook_secret,
            settings.webhook_loopback,
            owner_of_webhooks,
            self.database.reading,
            self.database.writing,
            self._workers,
            event_tables.webhooks.owners_after,
            lambda connection, owner: event_tables.webhooks.delete_all(connection, [owner]),
        )
        services = [
            Registration(
                KEYS_SERVICE,
                lambda server: keys_pb2_grpc.add_KeysServiceServicer_to_server(servicer, server),
                KEYS_CALLERS,
            ),
            Registration(
                ADMIN_SERVICE,
                lambda server: admin_pb2_grpc.add_AdminServiceServicer_to_server(admin_servicer, server),
                ADMIN_CALLERS,
            ),
            webhooks.registration,
        ]
        readings: list[Reading] = [self._workers.sample, partial(sample_pool, self.database.engine)]
        readings.append(every(BACKLOG_INTERVAL_S, lambda: _overdue.set(self._closer.overdue_count())))
        missing = [SELLER] if settings.seller is None else []
        self.rpc = RpcServer(settings, services, STATUSES, probe=self._probe, readings=readings, missing=missing)

    async def serve(self) -> None:
        """Serves until SIGTERM or SIGINT, then closes the database and the threads.

        Raises DatabaseUnfit, WrongPeppers if the database was used with other peppers, and Unavailable.
        """
        try:
            self.database.check(self._settings)
            with self.database.writing() as connection:
                pepper_checks.check(connection, self._peppers)
            self._announce_setup()
            async with self.background_tasks():
                await self.rpc.serve_until_signalled()
        finally:
            self.close()

    @contextlib.asynccontextmanager
    async def background_tasks(self) -> AsyncIterator[None]:
        """Runs the background tasks until the block ends: lapses overdue leases, closes months and deletes old rows.
        Any number of replicas may do so.
        """
        with contextlib.suppress(Unavailable):
            await asyncio.to_thread(self._probe)  # CheckedClock refuses until its first comparison
        tasks = [
            asyncio.create_task(self._run_periodically(self._refused_access.flush, REFUSED_ACCESS_INTERVAL_S)),
            asyncio.create_task(self._run_periodically(self._lapse, self._settings.lapse_interval_s)),
            asyncio.create_task(self._run_periodically(self._housekeep, self._settings.housekeeping_interval_s)),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.to_thread(self._flush_last)

    def _flush_last(self) -> None:
        with contextlib.suppress(Unavailable):
            self._refused_access.flush()

    def _announce_setup(self) -> None:
        """Creates the setup token at the first start and logs it. `keys setup-token` creates later ones."""
        with changing(self.database, self._system_clock, Actor("first start")) as change:
            created = administrators.setup_token(change, setup.put_first_token)
        if created is not None:
            token, lifetime = created
            minutes = int(lifetime.total_seconds() // 60)
            log.warning("create the first owner on the admin page with the setup token %s (%d minutes)", token, minutes)

    def close(self) -> None:
        self._workers.close()
        self._hashing.close()
        self.database.close()

    async def _run_periodically(self, work: Callable[[], None], interval_s: float) -> None:
        while True:
            try:
                await self._workers.run(work)
            except (Unavailable, Overloaded) as error:
                log.warning("background task postponed", extra={"reason": str(error.detail)})
            except Exception:
                log.exception("background task failed")
            await asyncio.sleep(interval_s)

    def _probe(self) -> None:
        self.database.check_writable()
        self._checked_clock.compare(self.database.now)

    def _lapse(self) -> None:
        while count := self._leasing.lapse():
            _lapsed.inc(count)
            log.warning("leases without an end", extra={"count": count})

    def _housekeep(self) -> None:
        month = self._closer.close_next()
        if month is not None:
            log.info("month closed", extra={"month": month})
        self._closer.issue_held()
        with changing(self.database, self._checked_clock, Actor("housekeeping")) as change:
            inviting.expire(change)
            recording.record_expiries(change.connection, change.now)
        days = {"raw_days": self._settings.raw_days, "address_days": self._settings.address_days}
        if deleted := retention.apply(self.database, self._checked_clock, **days):
            log.info("old rows deleted", extra={"count": deleted})
