"""The edition of a load, the retrieval of its file, and the parcels that a newer plan retires."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from land_builders import COMMUNE, land_unit, resolution_of
from land_replica import Replica
from published_files import COMMUNE as BOURGES
from published_files import (
    ban_file,
    ban_path,
    cog_file,
    dvf_file,
    localities_file,
    permits_file,
    permits_path,
    territory_file,
)
from publishers import Publishers
from sqlalchemy import Engine, select, update

from land.addresses.model import AddressQuery
from land.cli import main
from land.errors import ParcelNotFound
from land.loading.loader import load_file
from land.pipeline import Pipeline
from land.registry import DATASETS, at
from land.store.tables import dataset_load

LONG_AGO = 1_000_000_000
"""2001: when the files of these tests claim to be written."""
WHOLE, LEFT, RIGHT, BESIDE = (f"{COMMUNE}000AB{number:04}" for number in (1, 2, 3, 9))
PARENT = {1: (0, 4), 9: (4, 6)}
"""West and east, in thousandths of a degree, of a parcel and of its neighbour."""
CHILDREN = {2: (0, 1), 3: (1, 4), 9: (4, 6)}


def now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def write(path: Path, content: bytes) -> str:
    """A file that claims to be written long ago."""
    path.write_bytes(content)
    os.utime(path, (LONG_AGO, LONG_AGO))
    return str(path)


def stated(store: Engine) -> dict[str, tuple[str, str]]:
    """The edition and the retrieval of the load of each dataset."""
    with store.connect() as connection:
        rows = connection.execute(select(dataset_load.c.dataset, dataset_load.c.edition, dataset_load.c.retrieved_at))
        return {dataset: (edition, retrieved_at) for dataset, edition, retrieved_at in rows}


def plan_file(plots: dict[int, tuple[int, int]]) -> bytes:
    features = []
    for number, (old_ids, right) in plots.items():
        west, east = 2.4 + old_ids / 1000, 2.4 + right / 1000
        ring = [[west, 47.08], [east, 47.08], [east, 47.081], [west, 47.081], [west, 47.08]]
        properties = {"id": f"{COMMUNE}000AB{number:04}", "commune": COMMUNE, "prefixe": "000", "section": "AB"}
        properties |= {"numero": str(number), "created": "2010-01-01", "updated": "2020-01-01"}
        geometry = {"type": "Polygon", "coordinates": [ring]}
        features.append({"type": "Feature", "properties": properties, "geometry": geometry})
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def land(store: Engine, folder: Path, *arguments: str) -> Result:
    """Runs a land command on this store."""
    url = store.url.render_as_string(hide_password=False)
    return CliRunner().invoke(main, arguments, env={"LAND_DATABASE_URL": url, "LAND_DATA_DIR": str(folder)})


def import_plan(store: Engine, folder: Path, plots: dict[int, tuple[int, int]], *options: str) -> Result:
    """Imports a plan from a file that says nothing of its edition."""
    path = write(folder / "parcelles.json", plan_file(plots))
    done = land(store, folder, "import", "cadastre-parcels", path, *options)
    assert done.exit_code == 0, done.output
    return done


def refusal(store: Engine, parcel_id: str) -> tuple[str, str]:
    """The error code and the successors with which a parcel is refused."""
    with pytest.raises(ParcelNotFound) as caught:
        land_unit(store, parcel_id)
    return caught.value.code, caught.value.metadata.get("successors", "")


@pytest.mark.parametrize(
    ("dataset", "name", "content"),
    [
        ("ban", "adresses-18.csv", ban_file([1])),
        ("ban-localities", "lieux-dits-18-beta.csv", localities_file()),
        ("cadastre-parcels", "cadastre-18999-parcelles.json", plan_file(PARENT)),
        ("cadastre-communes", "cadastre-18033-communes.json.gz", territory_file()),
        ("cog", "v_commune.csv", cog_file({COMMUNE: "Trifouillis"})),
        ("postcodes", "communes.json", json.dumps([{"code": COMMUNE, "nom": "A", "codesPostaux": []}]).encode()),
        ("sitadel-housing", "permits.csv", permits_file("sitadel-housing")),
    ],
)
def test_the_time_of_a_file_is_neither_its_edition_nor_its_retrieval(
    engine: Engine, tmp_path: Path, dataset: str, name: str, content: bytes
) -> None:
    started = now()
    summary = load_file(engine, DATASETS[dataset], write(tmp_path / name, content), tmp_path)
    edition, retrieved_at = stated(engine)[dataset]
    assert (summary.edition, edition) == ("unknown", "unknown")
    assert started <= retrieved_at <= now()


@pytest.mark.parametrize("dataset", DATASETS)
def test_no_source_takes_the_time_of_a_file_for_its_edition(tmp_path: Path, dataset: str) -> None:
    path = Path(write(tmp_path / "file", b'{"type": "FeatureCollection", "features": []}'))
    assert DATASETS[dataset].reader.edition(path, path.name) is None


def test_a_date_of_a_publishers_server_is_no_edition(engine: Engine, publishers: Publishers, tmp_path: Path) -> None:
    """The servers of these tests say Last-Modified: 1 June 2026."""
    started = now()
    load_file(engine, at(publishers.bases)["ban"], publishers.url + ban_path(), tmp_path)
    edition, retrieved_at = stated(engine)["ban"]
    assert edition == "unknown"
    assert started <= retrieved_at <= now()


@pytest.mark.parametrize(
    ("dataset", "name", "content", "edition"),
    [
        ("ban", "adresses-18-2026-05-04.csv", ban_file([1]), "2026-05-04"),
        ("cadastre-parcels", "2026-06-01-cadastre-18999-parcelles.json", plan_file(PARENT), "2026-06-01"),
        ("cog", "v_commune_2026.csv", cog_file({COMMUNE: "Trifouillis"}), "2026"),
        ("sitadel-housing", "Liste.2026-01.csv", permits_file("sitadel-housing"), "2026-01"),
        ("dvf", "18033.csv", dvf_file(year=2024), "2024"),
    ],
)
def test_what_a_file_states_is_its_edition(
    engine: Engine, tmp_path: Path, dataset: str, name: str, content: bytes, edition: str
) -> None:
    load_file(engine, DATASETS[dataset], write(tmp_path / name, content), tmp_path)
    assert stated(engine)[dataset][0] == edition


def test_the_address_of_a_kept_edition_of_ban_states_it(engine: Engine, publishers: Publishers, tmp_path: Path) -> None:
    path = "/ban/data/ban/adresses/2026-05-04/csv/adresses-18.csv.gz"
    publishers.files[path] = ban_file([1])
    load_file(engine, DATASETS["ban"], publishers.url + path, tmp_path)
    assert stated(engine)["ban"][0] == "2026-05-04"


@pytest.mark.parametrize("edition", ["2026", "2026-05", "2026-05-04"])
def test_an_import_may_name_the_edition(engine: Engine, tmp_path: Path, edition: str) -> None:
    path = write(tmp_path / "adresses-2025-01-01.csv", ban_file([1]))
    done = land(engine, tmp_path, "import", "ban", path, "--edition", edition)
    assert done.exit_code == 0
    assert done.output.startswith(f"ban {edition}: 1 rows")
    assert stated(engine)["ban"][0] == edition


@pytest.mark.parametrize("edition", ["", "new", "26", "2026-13", "2026-02-30", "2026-5-4", "2026-", "x" * 41])
def test_an_edition_that_cannot_be_compared_is_refused(engine: Engine, tmp_path: Path, edition: str) -> None:
    path = write(tmp_path / "adresses.csv", ban_file([1]))
    done = land(engine, tmp_path, "import", "ban", path, "--edition", edition)
    assert done.exit_code == 2
    assert "2026, 2026-01 or 2026-01-31" in done.output
    assert stated(engine) == {}


def test_the_same_rows_without_an_edition_keep_the_one_that_is_known(engine: Engine, tmp_path: Path) -> None:
    source = DATASETS["ban"]
    load_file(engine, source, write(tmp_path / "adresses-2026-05-04.csv", ban_file([1])), tmp_path)
    before = stated(engine)
    again = load_file(engine, source, write(tmp_path / "adresses.csv", ban_file([1])), tmp_path)
    assert again.changed == []
    assert stated(engine) == before
    load_file(engine, source, write(tmp_path / "adresses.csv", ban_file([2])), tmp_path)
    assert stated(engine)["ban"][0] == "unknown"


def test_an_edition_that_becomes_known_is_noted(engine: Engine, tmp_path: Path) -> None:
    for name in ("adresses.csv", "adresses-2026-05-04.csv"):
        load_file(engine, DATASETS["ban"], write(tmp_path / name, ban_file([1])), tmp_path)
    assert stated(engine)["ban"][0] == "2026-05-04"


def test_a_download_of_the_same_rows_is_a_later_retrieval(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    """The date is also in the answers of a service that has read the loads before."""
    load_file(engine, DATASETS["ban"], publishers.url + ban_path(), tmp_path)
    with engine.begin() as connection:
        connection.execute(update(dataset_load).values(retrieved_at="2026-01-02T03:04:05Z"))
    land, query = Pipeline(engine), AddressQuery(label="12 rue des lilas 18000 Bourges")
    assert {source.retrieved_at for source in resolution_of(land, query).sources} == {"2026-01-02T03:04:05Z"}
    started = now()
    assert load_file(engine, DATASETS["ban"], publishers.url + ban_path(), tmp_path).changed == []
    [source] = resolution_of(land, query).sources
    assert started <= source.retrieved_at <= now()


def test_an_empty_answer_has_no_edition(replica: Replica, engine: Engine, publishers: Publishers) -> None:
    path = permits_path("sitadel-premises")
    publishers.files[path] = publishers.files[path].splitlines(keepends=True)[0]
    [key] = replica.on_demand.keys(BOURGES, ["sitadel-premises"])
    assert replica.on_demand.load([key], 60.0) == {key: "loaded"}
    assert stated(engine)["sitadel-premises"][0] == "unknown"


def test_an_older_edition_that_is_imported_after_a_newer_one_retires_no_parcel(store: Engine, tmp_path: Path) -> None:
    """The file of the older edition is the later one."""
    import_plan(store, tmp_path, CHILDREN, "--edition", "2026-01-01")
    done = import_plan(store, tmp_path, PARENT, "--edition", "2025-01-01")
    assert "1 partitions had a newer edition, which this one has replaced" in done.output
    assert refusal(store, LEFT) == refusal(store, RIGHT) == ("parcel_not_found", "")
    assert [parcel.parcel_id for parcel in land_unit(store, WHOLE, BESIDE).parcels] == [WHOLE, BESIDE]
    done = import_plan(store, tmp_path, CHILDREN, "--edition", "2026-01-01")
    assert "newer" not in done.output
    assert refusal(store, WHOLE) == ("parcel_retired", f"{RIGHT},{LEFT}")
    assert [parcel.parcel_id for parcel in land_unit(store, LEFT, RIGHT).parcels] == [LEFT, RIGHT]


@pytest.mark.parametrize(
    ("first", "second"),
    [((), ()), (("--edition", "2026-01-01"), ()), ((), ("--edition", "2026-01-01"))],
)
def test_a_plan_of_an_unknown_edition_retires_no_parcel(
    engine: Engine, tmp_path: Path, first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    """The second file was written after the first, and may be the older edition for all that."""
    import_plan(engine, tmp_path, CHILDREN, *first)
    import_plan(engine, tmp_path, PARENT, *second)
    assert refusal(engine, LEFT) == ("parcel_not_found", "")
    assert [parcel.parcel_id for parcel in land_unit(engine, WHOLE).parcels] == [WHOLE]


@pytest.mark.parametrize(
    ("first", "second"), [("2026-01-01", "2026-01-01"), ("2026", "2026-01-01"), ("2026-02", "2026")]
)
def test_a_plan_that_is_not_known_to_be_newer_retires_no_parcel(
    engine: Engine, tmp_path: Path, first: str, second: str
) -> None:
    import_plan(engine, tmp_path, PARENT, "--edition", first)
    import_plan(engine, tmp_path, CHILDREN, "--edition", second)
    assert refusal(engine, WHOLE) == ("parcel_not_found", "")


def test_a_retired_parcel_stays_retired_when_a_plan_of_an_unknown_edition_comes_between(
    engine: Engine, tmp_path: Path
) -> None:
    import_plan(engine, tmp_path, PARENT, "--edition", "2025-01-01")
    import_plan(engine, tmp_path, CHILDREN, "--edition", "2026-01-01")
    import_plan(engine, tmp_path, PARENT)
    assert [parcel.parcel_id for parcel in land_unit(engine, WHOLE).parcels] == [WHOLE]
    import_plan(engine, tmp_path, CHILDREN, "--edition", "2026-01-01")
    assert refusal(engine, WHOLE) == ("parcel_retired", f"{RIGHT},{LEFT}")
