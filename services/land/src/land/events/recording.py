"""Writes what a load changes in its own transaction: a load and its changes are stored together or not at all. Events
are made of them later, by `land.events.matching`.
"""

import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial

import orjson
import shapely

from land.datasets.dataset import Dataset
from land.datasets.facts import Fact
from land.datasets.parcels.queries import outlines_in_boxes
from land.datasets.partitions import Partition, arrondissements_of
from land.events.changes import Grouped, changes_of
from land.sources.values import is_commune_code
from land.store import events, loads
from land.store.boxes import Box
from land.store.events import Origin
from land.store.loads import Load
from land.store.repository import Transaction
from servicekit.clock import utc_now

NEW_PART_AGE = timedelta(days=1)
"""A new part of a partition, such as a year of sales, is news if another part has been loaded for longer. The parts of
a first load come one after the other.
"""
_INSET_DEGREES = 5e-6
"""Half a metre: a surface that reaches less far into a parcel does not count, since outlines are imprecise."""


@contextmanager
def load_events(connection: Transaction, dataset: Dataset, previous: Load | None, load: Load) -> Iterator[None]:
    """Writes what the load changes in the block. A first load gives none, and neither does a load of the
    same records by another version of the code. After an eviction, a load is compared with the evicted facts.
    """
    evicted = None if previous else events.take_evicted_facts(connection, dataset.id, load.partition)
    is_news = _has_older_part(connection, load) if previous is None else _records_of(previous) != _records_of(load)
    if dataset.facts is None or not (is_news or evicted):
        yield
        return
    read = partial(dataset.facts, connection, dataset.id, load.partition)
    if evicted:
        edition, document = evicted
        before = [Fact._make([*fact[:-1], bytes.fromhex(fact[-1])]) for fact in orjson.loads(zlib.decompress(document))]
        with _compared(connection, before, read, Origin(dataset.id, load.edition, edition)):
            yield
        return
    origin = Origin(dataset.id, load.edition, previous.edition if previous else None)
    with fact_events(connection, load.partition, read, origin):
        yield


def keep_evicted_facts(connection: Transaction, dataset: Dataset, partition: Partition) -> None:
    """Keeps the facts of a part whose rows will be deleted, if they are watched. So no change is missed until it is
    loaded again.
    """
    load = loads.find(connection, dataset.id, partition)
    if dataset.facts and load and _is_watched(connection, partition):
        facts = [[*fact[:-1], fact.geometry.hex()] for fact in dataset.facts(connection, dataset.id, partition)]
        events.put_evicted_facts(connection, dataset.id, partition, load.edition, zlib.compress(orjson.dumps(facts)))


@contextmanager
def fact_events(
    connection: Transaction, partition: Partition, read: Callable[[], Iterable[Fact]], origin: Origin
) -> Iterator[None]:
    """Writes the facts that differ before and after the block. Reads none if nobody watches their place."""
    if not _is_watched(connection, partition):
        yield
        return
    with _compared(connection, read(), read, origin):
        yield


def _is_watched(connection: Transaction, partition: Partition) -> bool:
    communes = [partition.code, *arrondissements_of(partition.code)] if is_commune_code(partition.code) else []
    return events.is_watched(connection, partition, communes)


@contextmanager
def _compared(
    connection: Transaction, before: Iterable[Fact], read: Callable[[], Iterable[Fact]], origin: Origin
) -> Iterator[None]:
    old = Grouped.of(before)
    yield
    if changes := changes_of(old, Grouped.of(read()), partial(_parcels_on, connection)):
        events.put_changes(connection, changes, origin)


def _has_older_part(connection: Transaction, load: Load) -> bool:
    since = utc_now(minus=NEW_PART_AGE)
    parts = loads.of_partitions(connection, [load.partition.code])
    return any(part.dataset == load.dataset and part.loaded_at < since for part in parts)


def _records_of(load: Load) -> str:
    """The digest of the records, without the version of the code with which digests end."""
    return load.digest.rpartition("-")[0] or load.digest


def _parcels_on(connection: Transaction, geometries: Collection[bytes]) -> set[str]:
    """The parcels that a surface covers by more than the imprecision of outlines, or that a line or point meets."""
    shapes = shapely.from_wkb(list(geometries))
    outlines = outlines_in_boxes(connection, [Box(*bounds) for bounds in shapely.bounds(shapes).tolist()])
    if not outlines:
        return set()
    drawn = shapely.from_wkb([outline.geometry for outline in outlines])
    is_surface = shapely.get_dimensions(shapes) == 2  # noqa: PLR2004 (dimensions)
    ids = set()
    for parcels, some_shapes in (
        (shapely.buffer(drawn, -_INSET_DEGREES), shapes[is_surface]),
        (drawn, shapes[~is_surface]),
    ):
        _, positions = shapely.STRtree(parcels).query(some_shapes, predicate="intersects")
        ids |= {outlines[position].parcel_id for position in positions.tolist()}
    return ids
