"""The schema that the migrations make, and the revisions that this version accepts."""

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Engine
from sqlalchemy.dialects.postgresql.base import ischema_names

from land.server import SCHEMA
from land.store import MIGRATIONS
from land.store.tables import Geometry, metadata
from servicekit.migrations import differences
from servicekit.schema import is_accepted

OTHERS = [
    *(
        f"{table}_box{part}"
        for table in (
            "risk_zone",
            "way",
            "farmed_field",
            "monument",
            "parcel",
            "building",
            "planning",
            "easement",
            "address_commune",
            "load",
            "watch",
        )
        for part in ("", "_node", "_parent", "_rowid")
    ),
    *(
        f"{table}_geometry"
        for table in (
            "parcel",
            "building",
            "planning_zone",
            "planning_prescription",
            "planning_information",
            "easement",
            "address_commune",
            "way",
            "risk_zone",
            "farmed_field",
            "monument",
        )
    ),
    "dataset_load_box",
    "spatial_ref_sys",
]
"""SQLite's trees of boxes, which are virtual tables; PostGIS's indexes of geometry, and its own table."""


class ReflectedGeometry(Geometry):
    """A column of PostGIS as SQLAlchemy reads it: with the kind and the SRID as arguments."""

    def __init__(self, *_: str) -> None:
        super().__init__()


def test_the_migrations_make_what_the_tables_say(store: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ischema_names, "geometry", ReflectedGeometry)
    with store.connect() as connection:
        assert differences(connection, metadata, OTHERS) == []


def test_the_newest_schema_is_accepted(store: Engine) -> None:
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    assert ScriptDirectory.from_config(config).get_current_head() == SCHEMA.newest
    assert is_accepted(store, MIGRATIONS, SCHEMA)
