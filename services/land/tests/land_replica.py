"""The land service as one process runs it. It fetches from the local `publishers`."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from land_builders import resolution_of, unit_of
from published_files import COMMUNE
from publishers import Publishers
from pydantic import SecretStr
from sqlalchemy import Engine

from land.addresses.cache import AddressCache
from land.addresses.commune_lookup import CommuneLookup
from land.addresses.model import AddressQuery
from land.datasets.relief.client import AltimetryService
from land.loading.geocoder import NationalGeocoder
from land.loading.maintenance import UsageLog
from land.loading.on_demand import DOWNLOAD_LIMITS, LoadLimits, OnDemand
from land.loading.prefetch import Prefetch
from land.loading.publisher_calls import Breakers
from land.pipeline import Pipeline
from land.registry import at
from land.selection import Selection
from land.store import open_store
from land.store.standbys import Servers
from land.units.model import LandUnit
from land.units.stored import StoredUnits
from servicekit.context import deadline

ADDRESS = AddressQuery(label="12 rue des lilas 18000 Bourges")
POOL_SIZE = 24
"""Connections of one store, enough for the loads and answers of two replicas."""
LIMITS = replace(DOWNLOAD_LIMITS, connect_s=30.0, read_s=60.0, total_s=60.0)
"""A busy machine must not end a download. Tests release the silent ones."""


RUNNING: list["Replica"] = []
"""Started replicas. The fixtures of the stores end them after the test."""


class Replica:
    def __init__(
        self,
        engine: Engine,
        publishers: Publishers,
        folder: Path,
        *,
        max_store_bytes: int = 0,
        geocoder: NationalGeocoder | None = None,
        max_waiting: int = 8,
        limits: LoadLimits | None = None,
        servers: Servers | None = None,
        altimetry: AltimetryService | None = None,
        stored: StoredUnits | None = None,
    ) -> None:
        sources = at(publishers.bases)
        self.engine = engine
        breakers = Breakers(publisher_of=lambda url: url.split("/")[3])  # all publishers are on one host here
        limits = limits or LoadLimits(max_store_bytes=max_store_bytes, download=LIMITS)
        self.on_demand = OnDemand(engine, sources, folder, limits, breakers=breakers, servers=servers)
        self.usage = UsageLog(engine, self.on_demand)
        self.communes = CommuneLookup(engine, servers)
        addresses = AddressCache(self.communes)
        prefetch = Prefetch(
            self.on_demand, self.communes, addresses.has_addresses_in, self.usage, max_waiting, geocoder
        )
        self.pipeline = Pipeline(engine, addresses, prefetch, servers, altimetry, stored=stored)
        self.on_demand.start()
        RUNNING.append(self)

    def land_unit(self, *parcel_ids: str, address: AddressQuery | None = None, deadline_s: float = 60.0) -> LandUnit:
        with deadline(deadline_s):
            return unit_of(self.pipeline, Selection(address or AddressQuery(), parcel_ids), ["land"], "all")

    def finish_loads(self, commune: str = COMMUNE) -> None:
        """Waits until all files of the commune are loaded, also those that no request waits for."""
        keys = self.on_demand.keys(commune)
        assert set(self.on_demand.load(keys, 60.0).values()) == {"loaded"}
        self.on_demand.load(self.on_demand.later_keys([commune])[commune], 60.0)

    def resolve(self, query: AddressQuery = ADDRESS, deadline_s: float = 60.0) -> list[str]:
        """The parcel ids of the address."""
        with deadline(deadline_s):
            return [match.parcel_id for match in resolution_of(self.pipeline, query).parcels]


def end_replicas() -> None:
    """Waits for running loads, such as those in the background: they hold connections of the store."""
    while RUNNING:
        RUNNING.pop().on_demand.end()
    for thread in threading.enumerate():
        if thread.name.startswith("on-demand-"):
            thread.join(LIMITS.total_s)


@contextmanager
def two_replicas(store: Engine, publishers: Publishers, folder: Path) -> Iterator[list[Replica]]:
    """Replicas with separate connections to one store."""
    url = store.url.render_as_string(hide_password=False)
    engines = [open_store(SecretStr(url), POOL_SIZE) for _ in range(2)]
    replicas = [Replica(engine, publishers, folder) for engine in engines]
    yield replicas
    end_replicas()
    for engine in engines:
        engine.dispose()
