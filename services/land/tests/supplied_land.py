"""One process's land, which fetches from the local publishers of `publishers`."""

from dataclasses import replace
from pathlib import Path

from publishers import Publishers
from sqlalchemy import Engine

from land.addresses.cache import AddressCache
from land.addresses.commune_lookup import CommuneLookup
from land.addresses.model import AddressQuery
from land.loading.breaker import Breakers
from land.loading.geocoder import NationalGeocoder
from land.loading.maintenance import UsageLog
from land.loading.on_demand import DOWNLOAD_LIMITS, LoadLimits, OnDemand
from land.loading.prefetch import Prefetch
from land.pipeline import Pipeline, Selection
from land.registry import at
from land.units.model import LandUnit
from servicekit.context import deadline

ADDRESS = AddressQuery(label="12 rue des lilas 18000 Bourges")
POOL_SIZE = 24
"""Connections of a store: the loads and answers of two replicas that share it."""
LIMITS = replace(DOWNLOAD_LIMITS, connect_s=1.0, read_s=3.0, total_s=10.0)


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
    ) -> None:
        sources = at(publishers.bases)
        self.engine = engine
        breakers = Breakers(publisher_of=lambda url: url.split("/")[3])  # all publishers are on one host here
        limits = limits or LoadLimits(max_store_bytes=max_store_bytes, download=LIMITS)
        self.on_demand = OnDemand(engine, sources, folder, limits, breakers)
        self.usage = UsageLog(engine, self.on_demand)
        self.communes = CommuneLookup(engine)
        addresses = AddressCache(self.communes)
        prefetch = Prefetch(
            self.on_demand, self.communes, addresses.has_addresses_in, self.usage, max_waiting, geocoder
        )
        self.land = Pipeline(engine, addresses, prefetch)
        self.on_demand.start()

    def unit(self, *parcel_ids: str, address: AddressQuery | None = None, within_s: float = 30.0) -> LandUnit:
        with deadline(within_s):
            return self.land.land_unit(Selection(address or AddressQuery(), parcel_ids), ["land"], "all", "en")

    def resolve(self, query: AddressQuery = ADDRESS, within_s: float = 30.0) -> list[str]:
        """The parcels of the address."""
        with deadline(within_s):
            return [match.parcel_id for match in self.land.resolve_address(query, "all", "en").parcels]
