"""What a migration does to what an older version has loaded."""

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, insert, select

from land.store import MIGRATIONS
from land.store.tables import dataset_load

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


def test_times_of_files_are_no_editions_any_more(store: Engine) -> None:
    rows = [
        {"dataset": dataset, "unit": unit, "part": part, "edition": edition, "url": url, "retrieved_at": RETRIEVED}
        | {"loaded_at": LOADED, "row_count": 1, "rejected_count": 0, "digest": "", "revision": 1}
        for (dataset, unit, part, edition, url), _ in LISTED
    ]
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    before = ScriptDirectory.from_config(config).get_revision("0017").down_revision
    with store.begin() as connection:
        connection.execute(insert(dataset_load), rows)
        config.attributes["connection"] = connection
        command.stamp(config, str(before))  # its tables are the same
        command.upgrade(config, "0017")
    columns = [dataset_load.c[name] for name in ("dataset", "unit", "edition", "retrieved_at")]
    with store.connect() as connection:
        found = {row[:2]: row[2:] for row in connection.execute(select(*columns))}
    assert found == {(key[0], key[1]): expected for key, expected in LISTED}
