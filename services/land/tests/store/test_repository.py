"""The recipe by which loads replace the rows of a partition."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple

import pytest
import shapely
from land_builders import building, parcel, permit, reference, square, zone
from sqlalchemy import Connection, Engine, event, func, select, text
from sqlalchemy.exc import DBAPIError

from land.datasets.buildings.queries import BUILDINGS, replace_buildings
from land.datasets.communes.queries import COMMUNES, MOVEMENTS
from land.datasets.communes.records import CommuneRecord
from land.datasets.parcels.queries import PARCELS
from land.datasets.partitions import Partition
from land.datasets.permits.queries import PERMITS
from land.datasets.planning import queries as planning
from land.store.prepared import Prepared
from land.store.repository import Repository, replace_all

HERE, OTHER = Partition("18999"), Partition("18998")


def test_rows_of_a_partition_are_replaced_and_others_stay(store: Engine) -> None:
    with store.begin() as connection:
        PARCELS.replace(connection, "", HERE, [parcel(1, square(0, 0)), parcel(2)])
        PARCELS.replace(connection, "", OTHER, [parcel(1, square(20, 0), commune="18998")])
        PARCELS.replace(connection, "", HERE, [parcel(3, square(0, 0))])
        parcels = PARCELS.read(connection, Prepared(PARCELS.select().order_by(PARCELS.table.c.parcel_id)))
    assert [record.parcel_id for record in parcels] == ["18998000AB0001", "18999000AB0003"]
    assert parcels[1] == parcel(3, square(0, 0))._replace(geometry=parcels[1].geometry)


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_each_row_with_an_outline_has_one_box(store: Engine) -> None:
    document = Partition("DU_18999", "zone")
    count = {"parcel_box": 1, "building_box": 2, "planning_box": 1}
    with store.begin() as connection:
        for _ in range(2):
            PARCELS.replace(connection, "", HERE, [parcel(1, square(0, 0)), parcel(2)])
            replace_buildings(
                connection, "", HERE, [building(building_id, square(0, 0)) for building_id in "ab"], source=0
            )
            planning.replace_zones(connection, "gpu-zones", document, [zone("U", square(0, 0))])
            counts = {tree: connection.scalar(text(f"SELECT count(*) FROM {tree}")) for tree in count}
            assert counts == count
        PARCELS.replace(connection, "", HERE, [])
        replace_buildings(connection, "", HERE, [], source=0)
        planning.replace_zones(connection, "gpu-zones", document, [])
        assert {connection.scalar(text(f"SELECT count(*) FROM {tree}")) for tree in count} == {0}


@contextmanager
def written(connection: Connection, table: str) -> Iterator[Counter[str]]:
    """Counts the rows of the table that statements in the block insert and delete."""
    counts: Counter[str] = Counter()

    def count(_: object, cursor: Any, statement: str, *__: object) -> None:
        verb, _, target = statement.split(None, 3)[:3]
        if target.lower() == table:
            counts[verb.lower()] += cursor.rowcount

    event.listen(connection, "after_cursor_execute", count)
    yield counts
    event.remove(connection, "after_cursor_execute", count)


def test_only_rows_that_differ_are_written(store: Engine) -> None:
    unchanged, changed, gone, added = parcel(1, square(0, 0)), parcel(2, square(20, 0)), parcel(3), parcel(4)
    with store.begin() as connection:
        PARCELS.replace(connection, "", HERE, [unchanged, changed, gone])
        with written(connection, "parcel") as counts:
            PARCELS.replace(connection, "", HERE, [unchanged, changed._replace(is_surveyed=None), added])
            assert counts == {"delete": 2, "insert": 2}
        with written(connection, "parcel") as counts:
            PARCELS.replace(connection, "", HERE, [unchanged, changed._replace(is_surveyed=None), added])
            assert not counts.total()
        rows = PARCELS.read(connection, Prepared(PARCELS.select().order_by(PARCELS.table.c.parcel_id)))
    assert [(row.number, row.is_surveyed) for row in rows] == [("0001", True), ("0002", None), ("0004", True)]


def test_a_temporary_table_of_another_version_is_not_used(store: Engine) -> None:
    class FormerParcel(NamedTuple):
        """A row class of an earlier version, without most columns."""

        commune_code: str
        parcel_id: str
        geometry: bytes | None

    former = Repository(PARCELS.table, FormerParcel, PARCELS.partition, PARCELS.tree)
    with store.begin() as connection:  # the connection keeps its temporary tables
        PARCELS.replace(connection, "", HERE, [parcel(1)])
        former.replace(connection, "", HERE, [])
        for parcels in ([parcel(1)], [parcel(2)]):
            PARCELS.replace(connection, "", HERE, parcels)
        assert PARCELS.read(connection, Prepared(PARCELS.select())) == [parcel(2)]


@pytest.mark.parametrize("seed", range(5))
def test_a_partition_has_the_rows_of_its_last_load_whatever_it_had_before(store: Engine, seed: int) -> None:
    chance = Random(seed)  # noqa: S311 (a sample, no secret)
    with store.begin() as connection:
        for _ in range(6):
            outlines = [chance.choice([(), (square(chance.randrange(3) * 20, 0),)]) for _ in range(8)]
            parcels = [
                parcel(number, *outline, area=chance.choice([None, 1]))
                for number, outline in enumerate(outlines)
                if chance.random() < 0.7
            ]
            buildings = [building(str(chance.randrange(3)), square(0, 0)) for _ in range(chance.randrange(5))]
            PARCELS.replace(connection, "", HERE, parcels)
            replace_buildings(connection, "", HERE, buildings, source=0)
            stored = PARCELS.read(connection, Prepared(PARCELS.select().order_by(PARCELS.table.c.parcel_id)))
            assert [row._replace(geometry=None) for row in stored] == [row._replace(geometry=None) for row in parcels]
            assert [row.geometry and shapely.from_wkb(row.geometry) for row in stored] == [
                row.geometry and shapely.from_wkb(row.geometry) for row in parcels
            ]
            ids = connection.scalars(select(BUILDINGS.table.c.building_id).order_by(BUILDINGS.table.c.key)).all()
            assert ids == [row.building_id for row in buildings]
            if connection.dialect.name == "sqlite":
                trees = ("parcel_box", "building_box")
                boxes = [connection.scalar(text(f"SELECT count(*) FROM {tree}")) for tree in trees]
                assert boxes == [sum(row.geometry is not None for row in parcels), len(buildings)]


def test_every_key_consists_of_columns_that_a_load_writes() -> None:
    modules = [module for name, module in sys.modules.items() if name.startswith("land.datasets.")]
    repositories = [value for module in modules for value in vars(module).values() if isinstance(value, Repository)]
    assert {PARCELS.table, BUILDINGS.table, PERMITS.table} <= {repository.table for repository in repositories}
    incomplete = {
        repository.table.name
        for repository in repositories
        if {*repository.table.primary_key.columns.keys()} != {*repository._new.primary_key.columns.keys()}
    }
    assert incomplete == {"retired_parcel"}, "only its rows come from other rows of the store"


def test_buildings_of_another_source_stay(store: Engine) -> None:
    with store.begin() as connection:
        for source in (0, 2):
            replace_buildings(connection, "", HERE, [building(f"of {source}", square(0, 0))], source=source)
        replace_buildings(connection, "", HERE, [], source=0)
        assert [record.building_id for record in BUILDINGS.read(connection, Prepared(BUILDINGS.select()))] == ["of 2"]


def test_fields_without_a_column_are_not_stored(store: Engine) -> None:
    with store.begin() as connection:
        PERMITS.replace(connection, "sitadel-housing", HERE, [permit("1", reference("0001"))])
        assert connection.scalars(select(PERMITS.table.c.number)).all() == ["1"]


def test_a_table_of_one_part_ignores_the_others(store: Engine) -> None:
    lists = replace_all(COMMUNES, MOVEMENTS)
    with store.begin() as connection:
        lists(connection, "cog", Partition("FR", "communes"), [CommuneRecord("COM", "18999", "Trifouillis", "")], [])
        lists(connection, "cog", Partition("FR", "movements"), [], [])
        assert connection.scalar(select(func.count()).select_from(COMMUNES.table)) == 1


@pytest.mark.parametrize("store", [pytest.param("postgis", marks=pytest.mark.docker)], indirect=True)
@pytest.mark.parametrize("area", [1 << 31, -(1 << 31) - 1])
def test_an_integer_out_of_range_is_refused_and_not_cut_off(store: Engine, area: int) -> None:
    with pytest.raises(DBAPIError, match="out of range"), store.begin() as connection:
        PARCELS.replace(connection, "", HERE, [parcel(1)._replace(cadastral_area_m2=area)])
    with store.begin() as connection:
        PARCELS.replace(connection, "", HERE, [parcel(1)._replace(cadastral_area_m2=(1 << 31) - 1)])
        assert connection.scalars(select(PARCELS.table.c.cadastral_area_m2)).all() == [(1 << 31) - 1]


@pytest.mark.parametrize("store", [pytest.param("postgis", marks=pytest.mark.docker)], indirect=True)
def test_text_that_the_database_cannot_store_is_refused(store: Engine) -> None:
    with pytest.raises(DBAPIError), store.begin() as connection:
        PARCELS.replace(connection, "", HERE, [parcel(1)._replace(created_on="\0")])
