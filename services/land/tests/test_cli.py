"""Land's command line on a store: status and refresh."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from publishers import (
    COMMUNE,
    EPCI,
    OTHER,
    Publishers,
    ban_file,
    ban_path,
    cadastre_path,
    local_publishers,
)
from sqlalchemy import select

from land.cli import main
from land.loading.on_demand import OnDemand
from land.registry import HOSTS, at
from land.store import MIGRATIONS
from land.store.tables import address
from servicekit.database import open_engine
from servicekit.migrations import upgrade


@pytest.fixture
def publishers() -> Iterator[Publishers]:
    with local_publishers() as served:
        served.serve_communes()
        yield served


@pytest.fixture
def folder(tmp_path: Path, publishers: Publishers, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an empty store, with its settings in the environment."""
    url = f"sqlite:///{tmp_path}/land.sqlite"
    engine = open_engine(url)
    upgrade(engine, MIGRATIONS)
    engine.dispose()
    monkeypatch.setenv("LAND_DATABASE_URL", url)
    monkeypatch.setenv("LAND_DATA_DIR", str(tmp_path))
    for name in HOSTS:
        monkeypatch.setenv(f"LAND_{name.upper()}_BASE", f"{publishers.url}/{name}")
    return tmp_path


def land(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def numbers(folder: Path) -> list[int]:
    engine = open_engine(f"sqlite:///{folder}/land.sqlite")
    with engine.connect() as connection:
        found = sorted(connection.scalars(select(address.c.number).where(address.c.commune_code == COMMUNE)))
    engine.dispose()
    return found


def test_help_lists_every_command() -> None:
    shown = land("--help")
    assert shown.exit_code == 0
    for command in ("serve", "migrate", "import", "status", "refresh", "demo"):
        assert f"\n  {command} " in shown.output
        assert land(command, "--help").exit_code == 0
    assert land("harvest").exit_code == 2


def test_importing_a_file_needs_neither_grpc_nor_alembic() -> None:
    code = "import sys, land.cli.importing; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"grpc", "alembic", "landpartner", "prometheus_client"} & set(loaded)


def test_refresh_loads_again_what_is_loaded(folder: Path, publishers: Publishers) -> None:
    for path in (ban_path(), ban_path(OTHER)):
        assert land("import", "ban", publishers.url + path).exit_code == 0
    assert land("import", "cadastre-parcels", publishers.url + cadastre_path()).exit_code == 0
    publishers.files[ban_path()] = ban_file([77])
    publishers.asked.clear()
    done = land("refresh", "--commune", COMMUNE)
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, "2 of 2 refreshed")
    assert numbers(folder) == [77]
    assert set(publishers.asked) == {ban_path(), cadastre_path(), cadastre_path(edition="2026-06-01")}
    assert "complete" in land("status", "--partition", COMMUNE).output


def test_refresh_of_a_commune_includes_its_shared_plan(folder: Path, publishers: Publishers) -> None:
    assert land("import", "postcodes", f"{publishers.url}/postcodes/communes").exit_code == 0
    engine = open_engine(f"sqlite:///{folder}/land.sqlite")
    on_demand = OnDemand(engine, at(publishers.bases), folder)
    on_demand.start()
    [keys] = on_demand.shared_plan_keys([COMMUNE]).values()
    assert set(on_demand.load(keys, 15.0).values()) == {"loaded"}
    on_demand.end()
    engine.dispose()
    publishers.asked.clear()
    assert land("refresh", "--commune", OTHER).output.splitlines()[-1] == "3 of 3 refreshed"
    assert {path.partition("partition=")[2] for path in publishers.asked} == {f"DU_{EPCI}"}
    assert land("refresh", "--commune", "18001").output.splitlines()[-1] == "0 of 0 refreshed"


def test_refresh_skips_recent_loads(folder: Path, publishers: Publishers) -> None:
    land("import", "ban", publishers.url + ban_path())
    assert land("refresh", "--older-than", "1").output.splitlines()[-1] == "0 of 0 refreshed"


def test_a_refresh_that_fails_keeps_the_old_edition(folder: Path, publishers: Publishers) -> None:
    land("import", "ban", publishers.url + ban_path())
    before = numbers(folder)
    publishers.behave("/ban", "failing")
    done = land("refresh")
    assert (done.exit_code, done.output.splitlines()[-1]) == (1, "0 of 1 refreshed")
    assert "answered 503" in done.output
    assert numbers(folder) == before


def test_national_lists_are_refreshed_too(folder: Path, publishers: Publishers) -> None:
    land("import", "cog", f"{publishers.url}/cog/v_commune_2026.csv")
    assert land("refresh").output.splitlines()[-1] == "1 of 1 refreshed"
    assert publishers.counts()["/cog/v_mvt_commune_2026.csv"] == 1
