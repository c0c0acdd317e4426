"""What is loaded, for people: every dataset in numbers, and the communes on a small map."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import numpy as np
import shapely
from prometheus_client import Gauge
from shapely.geometry.base import BaseGeometry

from land.addresses.model import Scope
from land.datasets.addresses.queries import commune_names
from land.datasets.communes import queries as communes
from land.datasets.dataset import Dataset
from land.datasets.parcels.queries import territories_of
from land.datasets.partitions import DEMO_DEPARTMENT, codes_of
from land.datasets.planning import queries as planning
from land.registry import DATASETS
from land.store import fetches, loads
from land.store.loads import DatasetLoads
from land.store.snapshot import Snapshot, Store, snapshot

TOLERANCE_DEG = 0.0005
"""About 50 m: an outline has some twenty positions instead of a thousand."""
_DECIMALS = 4
_OF_COMMUNES = frozenset(dataset.id for dataset in DATASETS.values() if dataset.kind in ("commune", "filing_commune"))

Way = Literal["on_demand", "import", "lookup"]


@dataclass(frozen=True)
class DatasetState:
    """What is loaded of a dataset. Instants are RFC 3339 UTC."""

    dataset: Dataset
    loads: DatasetLoads | None = None
    """None if nothing is loaded."""
    refresh_at: str | None = None
    """When the oldest partition is due for a refresh. None if nothing is refreshed by itself."""

    @property
    def way(self) -> Way:
        return "lookup" if self.dataset.is_asked else "on_demand" if self.dataset.hosts else "import"


@dataclass(frozen=True)
class LoadedCommune:
    code: str
    name: str | None
    datasets: Sequence[str]
    geometry: BaseGeometry | None
    """The simplified outline, or the middle of the commune."""


def dataset_states(snapshot: Snapshot, max_age: timedelta) -> list[DatasetState]:
    """Every dataset, without the demo. Partitions that were loaded on demand are refreshed after `max_age`; zero turns
    that off.
    """
    loaded = loads.by_dataset(snapshot)
    fetched = fetches.oldest_by_dataset(snapshot) if max_age else {}
    return [
        DatasetState(dataset, loaded.get(dataset.id), _later(fetched.get(dataset.id), max_age))
        for dataset in DATASETS.values()
    ]


def loaded_communes(snapshot: Snapshot, scope: Scope, after: str, limit: int) -> list[LoadedCommune]:
    """The communes after a code with a partition of their own, in order of code."""
    department = DEMO_DEPARTMENT if scope == "demo" else ""
    codes = loads.communes_after(snapshot, _OF_COMMUNES, department, after, limit)
    documents = planning.partitions_of(snapshot, codes)
    present = fetches.present(snapshot, {part for code in codes for part in (*codes_of(code), *documents[code])})
    named = {**communes.names(snapshot, codes), **commune_names(snapshot, codes)}
    places = _places(snapshot, codes)
    return [
        LoadedCommune(
            code,
            named.get(code),
            [dataset.id for dataset in DATASETS.values() if _is_loaded(dataset, code, documents[code], present)],
            places.get(code),
        )
        for code in codes
    ]


def _later(instant: str | None, by: timedelta) -> str | None:
    return None if instant is None else (datetime.fromisoformat(instant) + by).strftime("%Y-%m-%dT%H:%M:%SZ")


def _is_loaded(dataset: Dataset, code: str, documents: Sequence[str], present: set[tuple[str, str]]) -> bool:
    partitions = documents if dataset.kind == "document" else (dataset.code_of(code),)
    return any((dataset.id, partition) in present for partition in partitions)


def _places(snapshot: Snapshot, codes: Sequence[str]) -> dict[str, BaseGeometry]:
    """The outline of each commune, else its middle, if one of them is loaded."""
    middles = communes.centres(snapshot, codes)
    outlines = territories_of(snapshot, codes)
    outlines_or_points: Any = shapely.simplify(
        shapely.from_wkb(np.array(list(outlines.values()), dtype=object)), TOLERANCE_DEG
    )
    rounded = shapely.transform(outlines_or_points, lambda positions: positions.round(_DECIMALS))
    return {code: shapely.Point(middle) for code, middle in middles.items()} | dict(zip(outlines, rounded, strict=True))


_partitions = Gauge("land_data_partitions", "Loaded partitions.", ["dataset"])
_oldest = Gauge("land_data_oldest_timestamp_seconds", "Retrieval of the oldest partition.", ["dataset"])
_newest = Gauge("land_data_newest_timestamp_seconds", "Retrieval of the newest partition.", ["dataset"])
_late = Gauge(
    "land_data_edition_late_days", "Days for which a newer edition has been due, 0 or less before.", ["dataset"]
)


def sample_ages(store: Store) -> None:
    """Sets the metrics. Raises StoreUnavailable."""
    with snapshot(store) as connection:
        loaded = loads.by_dataset(connection)
    for of_dataset in loaded.values():
        _partitions.labels(of_dataset.dataset).set(of_dataset.partition_count)
        _oldest.labels(of_dataset.dataset).set(datetime.fromisoformat(of_dataset.oldest_retrieved_at).timestamp())
        _newest.labels(of_dataset.dataset).set(datetime.fromisoformat(of_dataset.newest_retrieved_at).timestamp())
        dataset = DATASETS.get(of_dataset.dataset)  # an older program may have loaded others
        if dataset and (days := dataset.days_late(of_dataset.newest_edition)) is not None:
            _late.labels(dataset.id).set(days)
