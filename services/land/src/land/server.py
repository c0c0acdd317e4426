"""Puts the server together: store, service, gRPC."""

from dataclasses import replace
from functools import partial

from sqlalchemy import Engine

from land.configured import MIGRATIONS, datasets_of, open_store
from land.loading.breaker import Breakers
from land.loading.geocoder import NationalGeocoder
from land.loading.known_communes import KnownCommunes
from land.loading.on_demand import ON_DEMAND_LIMITS, Bounds, OnDemand, connections_of
from land.loading.upkeep import Upkeep, UsageLog
from land.rpc.errors import STATUSES
from land.rpc.servicer import LandServicer
from land.service import LandService
from land.settings import LandSettings, StoreSettings
from land.store.snapshot import check_readable
from land.supply import SuppliedLand
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from servicekit.migrations import Accepted, is_accepted
from servicekit.rpc_server import Companion, Registration, RpcServer
from servicekit.workers import Workers

SCHEMA = Accepted(oldest="0019", newest="0019")
SPARE_CONNECTIONS = 4
"""For what runs beside answers and loads: the caches' refresh, the log of usage, health."""
_SERVICE = land_pb2.DESCRIPTOR.services_by_name["LandService"].full_name


class SchemaOutdated(Exception):
    pass


def connections_beside(settings: StoreSettings) -> int:
    """How many connections are needed beside those of threads that answer calls, one each."""
    return connections_of(settings.loads_at_once) + SPARE_CONNECTIONS


def on_demand_of(settings: StoreSettings, engine: Engine) -> OnDemand:
    """What fetches communes; it does nothing before it is started."""
    download = replace(ON_DEMAND_LIMITS, max_bytes=settings.fetch_max_bytes)
    bounds = Bounds(
        settings.loads_at_once,
        settings.loads_per_key,
        settings.on_demand_bytes,
        settings.disk_kept_free_bytes,
        download,
    )
    return OnDemand(engine, datasets_of(settings), settings.data_dir, bounds)


def create_server(settings: LandSettings) -> RpcServer:
    """A server that is ready to start. Raises SchemaOutdated where it does not work with the store's schema."""
    engine = open_store(settings, settings.workers + connections_beside(settings))
    if not is_accepted(engine, MIGRATIONS, SCHEMA):
        raise SchemaOutdated("This version does not work with the store's schema: run `land migrate` first.")
    communes = KnownCommunes(engine)
    land = LandService(engine, communes)
    service: LandService | SuppliedLand = land
    companions: list[Companion] = []
    if settings.on_demand == "on":
        on_demand = on_demand_of(settings, engine)
        usage = UsageLog(engine, on_demand)

        def prepare() -> None:
            communes.prepare()
            land.prepare()

        companions = [on_demand, Upkeep(engine, on_demand, usage, prepare, settings.refresh_days)]
        asked = settings.national_geocoder == "on"
        geocoder = NationalGeocoder(settings.geocoder_base, Breakers()) if asked else None
        waiting = max(1, settings.workers // 2)  # the other threads answer what is loaded
        service = SuppliedLand(land, on_demand, communes, usage, waiting, geocoder)
    workers = Workers(settings.workers, settings.max_queued_calls)
    servicer = LandServicer(service, workers)
    registration = Registration(
        _SERVICE, lambda server: land_pb2_grpc.add_LandServiceServicer_to_server(servicer, server)
    )
    return RpcServer(settings, [registration], STATUSES, companions, partial(check_readable, engine))
