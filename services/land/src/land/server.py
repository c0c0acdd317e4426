"""Creates the server: store, service, background tasks, gRPC."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import numpy as np
import pyproj
import shapely
from sqlalchemy import Engine

import contract
import land
import landpartner.land.v1
import servicekit
from contract.enums import DEFAULT_BLOCKS
from land.addresses.cache import AddressCache
from land.addresses.commune_lookup import CommuneLookup
from land.addresses.model import AddressQuery
from land.datasets.relief.client import AltimetryService
from land.datasets.risks.client import Georisques
from land.datasets.risks.lookups import RiskLookups
from land.datasets.risks.registration import GEORISQUES
from land.events import matching
from land.events.matching import match_changes
from land.events.watches import Watches
from land.loading.geocoder import NationalGeocoder
from land.loading.loaded_data import sample_ages
from land.loading.maintenance import Maintenance, UsageLog
from land.loading.on_demand import DOWNLOAD_LIMITS, LoadLimits, OnDemand
from land.loading.prefetch import Prefetch
from land.loading.publisher_calls import Breakers, Turns
from land.loading.second_reader import SecondReader
from land.loading.warming import Warming
from land.pipeline import Pipeline
from land.rpc import messages
from land.rpc.servicer import CALLERS, STATUSES, LandServicer
from land.rpc.watches import owner_of_webhooks
from land.selection import Selection
from land.settings import LandSettings, LoadingSettings
from land.store import MIGRATIONS, open_standbys, open_store
from land.store.events import delete_owner, owners_after, webhooks
from land.store.snapshot import check_readable, snapshot
from land.store.standbys import Servers
from land.store.unit_file import UnitFile
from land.units.model import Block
from land.units.stored import RequestedUnits, StoredUnits
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from servicekit.background import Repeated
from servicekit.database import for_writing
from servicekit.pool_metrics import sample_pool
from servicekit.postgres import check_database
from servicekit.rpc_server import BackgroundTask, Registration, RpcServer
from servicekit.sampling import Reading, disk, every
from servicekit.schema import Accepted
from servicekit.webhooks.servicer import WebhookServicer
from servicekit.workers import Workers

SCHEMA = Accepted(oldest="0001", newest="0001")
SPARE_CONNECTIONS = 6
"""Database connections for cache updates, the usage log, health checks, and the lock and the work of matching."""
AGE_INTERVAL_S = 300.0
_SERVICE = land_pb2.DESCRIPTOR.services_by_name["LandService"].full_name


def background_connections(settings: LoadingSettings) -> int:
    """How many database connections are needed in addition to one for each thread that answers calls.

    Each load holds one for its lock and one to write. One load at a time holds another for the lock of the eviction.
    """
    return 2 * settings.loads_at_once + 1 + SPARE_CONNECTIONS


def code_version() -> str:
    """A short text that changes with the code that makes the parts of land units."""
    versions = (np.__version__, pyproj.__version__, pyproj.__proj_version__, shapely.__version__, shapely.geos_version)
    digest = hashlib.blake2b(repr(versions).encode(), digest_size=8)
    for package in (land, landpartner.land.v1, contract, servicekit):
        for folder in map(Path, package.__path__):
            for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.toml")]):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def make_on_demand(
    settings: LoadingSettings, engine: Engine, servers: Servers | None = None, units: UnitFile | None = None
) -> OnDemand:
    """On-demand loading with the limits of the settings, not started."""
    limits = LoadLimits(
        settings.loads_at_once,
        settings.loads_per_key,
        settings.on_demand_bytes,
        settings.disk_kept_free_bytes,
        replace(DOWNLOAD_LIMITS, max_bytes=settings.fetch_max_bytes),
    )
    model, key = settings.openai_model, settings.openai_api_key.get_secret_value()
    second = SecondReader(settings.openai_base_url, model, key) if model else None
    return OnDemand(
        engine, settings.datasets(), settings.data_dir, limits, servers=servers, units=units, second_reader=second
    )


def make_risk_lookups(settings: LoadingSettings, engine: Engine, max_waiting: int = 1) -> RiskLookups:
    """Questions to Géorisques with the limits of the settings."""
    token = settings.georisques_token.get_secret_value() if settings.georisques_token else None
    turns = Turns(settings.georisques_per_min / 60)
    base = settings.datasets()[GEORISQUES.id].bases[0]
    georisques = Georisques(base, token, Breakers(), turns)
    return RiskLookups(engine, georisques, timedelta(days=settings.georisques_days), max_waiting)


def make_warming(
    engine: Engine,
    servers: Servers,
    addresses: AddressCache,
    units: UnitFile,
    requested: RequestedUnits,
    workers: Workers,
    blocks: Sequence[Block],
) -> Warming:
    """Computes land units in advance, from loaded data alone."""
    pipeline = Pipeline(engine, addresses, servers=servers, stored=StoredUnits(units))

    def compute(parcel_id: str) -> None:
        selection = Selection(AddressQuery(), [parcel_id])
        pipeline.written_land_unit(selection, blocks, "all", messages.write_land_unit)

    return Warming(requested, pipeline.parcels_of, compute, lambda: workers.is_idle)


def create_server(settings: LandSettings) -> RpcServer:
    """A server that is ready to start. Raises DatabaseUnfit if the store does not suit it."""
    engine = open_store(settings.database_url, settings.workers + background_connections(settings))
    check_database(engine, MIGRATIONS, SCHEMA, settings)
    standbys = (
        open_standbys(settings.standby_url, settings.database_url, settings.workers + SPARE_CONNECTIONS)
        if settings.standby_url
        else []
    )
    servers = Servers(engine, standbys, settings.standby_lag_s)
    communes = CommuneLookup(engine, servers)
    addresses = AddressCache(communes)
    altimetry = None
    if settings.altimetry == "on":
        altimetry = AltimetryService(settings.altimetry_base, engine, Breakers(), Turns(settings.altimetry_per_s))
    units = stored = None
    if settings.stored_units_mb:
        version = f"{code_version()}-altimetry-{settings.altimetry}"  # its altitudes stay in the store when it is off
        units = UnitFile(settings.data_dir, version, settings.stored_units_mb * 1024**2)
        stored = RequestedUnits(units)
    prefetch = risk_lookups = None
    background_tasks: list[BackgroundTask] = [servers, *([units] if units else [])]
    if settings.on_demand == "on":
        on_demand = make_on_demand(settings, engine, servers, units)
        usage = UsageLog(engine, on_demand)

        def warm_caches() -> None:
            communes.warm_up()
            pipeline.prepare()

        waiting = max(1, settings.workers // 2)  # the other threads answer from loaded data
        lookups = make_risk_lookups(settings, engine, waiting)
        maintenance = Maintenance(engine, on_demand, usage, warm_caches, settings.refresh_days, lookups.forget_old)
        background_tasks += [on_demand, lookups, maintenance]
        geocoder = None
        if settings.national_geocoder == "on":
            geocoder = NationalGeocoder(settings.geocoder_base, Breakers())
        prefetch = Prefetch(on_demand, communes, addresses.has_addresses_in, usage, waiting, geocoder)
        risk_lookups = lookups if settings.georisques == "on" else None
    max_age = timedelta(days=settings.refresh_days if prefetch else 0)
    pipeline = Pipeline(engine, addresses, prefetch, servers, altimetry, risk_lookups, max_age, stored)
    workers = Workers(settings.workers, settings.max_queued_calls)
    watches = Watches(engine, settings.watches_per_partner, settings.watched_positions_per_partner)
    servicer = LandServicer(pipeline, workers, watches)
    match = partial(match_changes, engine, settings.events_per_partner)
    background_tasks.append(Repeated("matching", matching.INTERVAL_S, match))
    if units and stored:
        # The relief is asked for with the request.
        blocks = [block for block in DEFAULT_BLOCKS if altimetry is None or block != "land"]
        background_tasks.append(make_warming(engine, servers, addresses, units, stored, workers, blocks))
    registration = Registration(
        _SERVICE, lambda server: land_pb2_grpc.add_LandServiceServicer_to_server(servicer, server), CALLERS
    )
    endpoints = WebhookServicer(
        webhooks,
        settings.webhook_secret,
        settings.webhook_loopback,
        owner_of_webhooks,
        partial(snapshot, engine),
        for_writing(engine).begin,
        workers,
        owners_after,
        delete_owner,
    )
    readings: list[Reading] = [
        workers.sample,
        partial(sample_pool, engine),
        addresses.sample,
        disk("data", settings.data_dir),
        every(AGE_INTERVAL_S, partial(sample_ages, engine)),
        *([stored.sample] if stored else []),
    ]
    is_readable = partial(servers.read, check_readable)
    services = [registration, endpoints.registration]
    return RpcServer(settings, services, STATUSES, background_tasks, is_readable, readings)
