"""Statements that the driver executes directly."""

import pytest
from land_builders import load, on_postgis, parcel, square
from pydantic import SecretStr
from sqlalchemy import Engine, bindparam, select, text
from sqlalchemy.exc import DBAPIError

from land.datasets.parcels.queries import parcel as table
from land.errors import StoreUnavailable
from land.store import open_store
from land.store.prepared import Prepared, any_of
from land.store.snapshot import snapshot
from servicekit.database import for_writing

IDS = [f"18999000AB000{number}" for number in (1, 2, 3)]
_named = select(table.c.parcel_id).order_by(table.c.parcel_id)
ONE_OF = Prepared(_named.where(table.c.parcel_id.in_(any_of("ids"))))
NONE_OF = Prepared(_named.where(table.c.parcel_id.not_in(any_of("ids"))))


@pytest.fixture
def parcels(store: Engine) -> Engine:
    load(store, "cadastre-parcels", "18999", [parcel(number, square(0, 0)) for number in (1, 2, 3)])
    return store


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_list_has_any_length(parcels: Engine, count: int) -> None:
    with snapshot(parcels) as connection:
        assert ONE_OF.values(connection, {"ids": IDS[:count]}) == IDS[:count]
        assert NONE_OF.values(connection, {"ids": IDS[:count]}) == IDS[count:]


def test_values_are_those_of_sqlalchemy(parcels: Engine) -> None:
    every = select(table).where(table.c.number == bindparam("number"))
    with snapshot(parcels) as connection:
        expected = [tuple(row) for row in connection.execute(every, {"number": "0002"})]
        rows = Prepared(every).rows(connection, {"number": "0002"})
    assert rows == expected
    assert [[type(value) for value in row] for row in rows] == [[type(value) for value in row] for row in expected]


def test_statements_of_a_snapshot_see_one_state(parcels: Engine) -> None:
    with snapshot(parcels) as connection:
        before = ONE_OF.values(connection, {"ids": IDS})
        load(parcels, "cadastre-parcels", "18999", [parcel(1, square(0, 0))], edition="e2")
        assert ONE_OF.values(connection, {"ids": IDS}) == before == IDS
    with snapshot(parcels) as connection:
        assert ONE_OF.values(connection, {"ids": IDS}) == IDS[:1]


def test_an_error_of_the_database_is_one_of_sqlalchemy(store: Engine) -> None:
    wrong = Prepared(text("SELECT 1 FROM no_table"))
    with pytest.raises((DBAPIError, StoreUnavailable)), snapshot(store) as connection:
        wrong.rows(connection)
    with snapshot(store) as connection:
        assert ONE_OF.values(connection, {"ids": IDS}) == []


@on_postgis
def test_postgresql_keeps_statements_and_their_plans(store: Engine) -> None:
    statements = Prepared(text("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%parcel%'"))
    engine = open_store(SecretStr(store.url.render_as_string(hide_password=False)), 1)
    plans = text("SHOW plan_cache_mode")
    try:
        for _ in range(8):
            with snapshot(engine) as connection:
                ONE_OF.rows(connection, {"ids": IDS})
        with snapshot(engine) as connection:
            assert statements.values(connection) == [1]
            assert connection.scalar(plans) == "force_generic_plan"
            assert connection.scalar(text("SHOW transaction_read_only")) == "on"
        with for_writing(engine).begin() as connection:
            assert connection.scalar(plans) == "auto"
            assert connection.scalar(text("SHOW transaction_isolation")) == "read committed"
        with engine.connect() as connection:
            assert connection.scalar(text("SHOW transaction_read_only")) == "off"
    finally:
        engine.dispose()
