"""What a migration does to what an older version has loaded."""

from importlib import import_module

import pytest
from alembic import command
from alembic.config import Config
from land_builders import parcel, square
from sqlalchemy import Connection, Engine, column, insert, select, table, update

from land import registry
from land.partitions import Partition
from land.store import MIGRATIONS
from land.store.parcels import parcels_by_id
from land.store.tables import dataset_load
from land.store.tables import parcel as parcel_table

RETRIEVED, LOADED = "2026-05-04T03:02:01Z", "2026-10-09T08:07:06Z"
BAN = "https://x.example/ban/communes/18033/download/csv-legacy/adresses"
PLAN = "https://x.example/2026-06-01/geojson/communes/18/18033/cadastre-18033-parcelles.json.gz"
LISTED = [
    # dataset, unit, part, edition, url; then the edition and the retrieval after the upgrade
    (("ban", "18033", "", "2026-05-04", BAN), ("unknown", RETRIEVED)),
    (("ban", "18050", "", "2001-09-09", "adresses-18.csv.gz"), ("unknown", LOADED)),
    (("cadastre-parcels", "18033", "", "2026-06-01", PLAN), ("2026-06-01", RETRIEVED)),
    (("cadastre-parcels", "18050", "", "2001-09-09", "cadastre-18-parcelles.json.gz"), ("unknown", LOADED)),
    (("cog", "FR", "communes", "2026", "v_commune_2026.csv"), ("2026", LOADED)),
    (("dvf", "18033", "2024", "2024", "sales.csv"), ("2024", LOADED)),
    (("dvf", "18050", "", "2026-05-04", "https://x.example/latest/csv/2021/communes/18/18050.csv"),
     ("unknown", RETRIEVED)),
    (("gpu-zones", "DU_18033", "zone", "2023-02-01", "zone_urba.geojson"), ("2023-02-01", LOADED)),
    (("gpu-zones", "DU_18050", "zone", "2026-05-04", "zone_urba.geojson"), ("unknown", LOADED)),
    (("sitadel-housing", "18033", "", "2026-01", "Liste.2026-01.csv"), ("2026-01", LOADED)),
    (("ban", "00001", "", "2026-01-01", "adresses-00.csv.gz"), ("2026-01-01", LOADED)),
    (("gpu-documents", "DU_00001", "", "2026-01-01", "document.geojson"), ("2026-01-01", LOADED)),
]  # fmt: skip


def config_of(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.attributes["connection"] = connection
    return config


def test_times_of_files_are_no_editions_any_more(store: Engine) -> None:
    names = ("dataset", "unit", "part", "edition", "url", "retrieved_at", "loaded_at")
    others = {"row_count": 1, "rejected_count": 0, "digest": "", "revision": 1}
    old = table("dataset_load", *map(column, (*names, *others)))
    rows = [dict(zip(names, (*key, RETRIEVED, LOADED), strict=True)) | others for key, _ in LISTED]
    with store.begin() as connection:
        config = config_of(connection)
        command.downgrade(config, "0015")
        connection.execute(insert(old), rows)
        command.upgrade(config, "head")
    columns = [dataset_load.c[name] for name in ("dataset", "partition", "edition", "retrieved_at")]
    with store.connect() as connection:
        found = {row[:2]: row[2:] for row in connection.execute(select(*columns))}
    assert found == {(key[0], key[1]): expected for key, expected in LISTED}


def test_parcels_get_their_area(store: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    communes = ("18998", "18999", "97411")
    with store.begin() as connection:
        for commune in communes:
            drawn = [parcel(number, square(0, 0, 20, 10 + number), commune=commune) for number in (1, 2, 3)]
            registry.PARCELS.replace(connection, Partition(commune), [*drawn, parcel(4, commune=commune)])
    ids = [f"{commune}000AB{number:04}" for commune in communes for number in (1, 2, 3, 4)]
    migration = import_module("land.store.migrations.versions.0019_partitions")
    with store.begin() as connection:
        loaded = parcels_by_id(connection, ids)
        config = config_of(connection)
        command.downgrade(config, "0018")
        command.upgrade(config, "head")
        assert parcels_by_id(connection, ids) == loaded
        connection.execute(update(parcel_table).values(geometric_area_m2=None))
        monkeypatch.setattr(migration, "BATCH", 2)
        migration._fill(connection)
        assert parcels_by_id(connection, ids) == loaded
    areas = [loaded[parcel_id].geometric_area_m2 for parcel_id in ids]
    assert areas[:8] == [220.0, 240.0, 260.0, None] * 2
    assert None not in areas[8:11]
