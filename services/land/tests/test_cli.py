"""The command line: help, status and refresh."""

import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner, Result
from georisques_service import data
from published_files import (
    COMMUNE,
    EPCI,
    LEGAL_PERSONS,
    MERGED,
    OTHER,
    RNIC,
    SITADEL,
    ban_file,
    ban_path,
    cadastre_path,
)
from publishers import Mode, Publishers
from sqlalchemy import Engine, select

from land.cli import main
from land.datasets.addresses.street_queries import address
from land.datasets.risks.queries import risk_answer
from land.loading.load_queue import LoadKey
from land.loading.on_demand import OnDemand
from land.registry import HOSTS, at


@pytest.fixture(autouse=True)
def settings(engine: Engine, tmp_path: Path, publishers: Publishers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets the environment of the command line: an empty store and the local publishers."""
    monkeypatch.setenv("LAND_DATABASE_URL", engine.url.render_as_string(hide_password=False))
    monkeypatch.setenv("LAND_DATA_DIR", str(tmp_path))
    for name in HOSTS:
        monkeypatch.setenv(f"LAND_{name.upper()}_BASE", f"{publishers.url}/{name}")


def land(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def numbers(engine: Engine) -> list[int]:
    """The house numbers of the commune."""
    with engine.connect() as connection:
        return sorted(connection.scalars(select(address.c.number).where(address.c.commune_code == COMMUNE)))


def test_help_lists_every_command() -> None:
    shown = land("--help")
    assert shown.exit_code == 0
    for command in ("serve", "migrate", "import", "status", "refresh", "demo"):
        assert f"\n  {command} " in shown.output
        assert land(command, "--help").exit_code == 0
    assert land("harvest").exit_code == 2


def test_the_import_command_loads_neither_grpc_nor_alembic() -> None:
    code = "import sys, land.cli.importing; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"grpc", "alembic", "landpartner", "prometheus_client"} & set(loaded)


def test_an_import_says_in_words_that_a_file_states_no_edition(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "addresses.csv").write_bytes(ban_file(range(1, 3)))
    imported = land("import", "ban", str(tmp_path / "addresses.csv"))
    assert imported.exit_code == 0
    assert imported.output.startswith("ban without a stated edition: 2 rows")
    listed = land("status").output
    assert "not stated" in listed
    assert "unknown" not in listed


def test_refresh_reloads_loaded_partitions(engine: Engine, publishers: Publishers) -> None:
    for path in (ban_path(), ban_path(OTHER)):
        assert land("import", "ban", publishers.url + path).exit_code == 0
    assert land("import", "cadastre-parcels", publishers.url + cadastre_path()).exit_code == 0
    publishers.files[ban_path()] = ban_file(range(1, 78))
    publishers.requests.clear()
    result = land("refresh", "--commune", COMMUNE)
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "2 of 2 refreshed")
    assert numbers(engine) == [*range(1, 78)]
    assert set(publishers.requests) == {ban_path(), cadastre_path(), cadastre_path(edition="2026-06-01")}
    assert "complete" in land("status", "--partition", COMMUNE).output


def test_refresh_of_a_commune_includes_shared_plans_and_merged_communes(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    for path in ("postcodes/communes", "cog/v_commune_2026.csv", "cog/v_mvt_commune_2026.csv"):
        assert land("import", path.partition("/")[0], f"{publishers.url}/{path}").exit_code == 0
    on_demand = OnDemand(engine, at(publishers.bases), tmp_path)
    on_demand.start()
    keys = [key for key in on_demand.later_keys([COMMUNE])[COMMUNE] if key.partition in (f"DU_{EPCI}", MERGED)]
    states = on_demand.load(keys, 60.0)
    on_demand.end()
    assert set(states.values()) == {"loaded"}
    publishers.requests.clear()
    assert land("refresh", "--commune", OTHER).output.splitlines()[-1] == "4 of 4 refreshed"
    assert {path.partition("partition=")[2] for path in publishers.requests} == {f"DU_{EPCI}"}
    assert land("refresh", "--commune", "18001").output.splitlines()[-1] == "0 of 0 refreshed"
    assert land("refresh", "--commune", COMMUNE).output.splitlines()[-1] == "8 of 8 refreshed"
    assert sum(path.endswith(f"COMM=eq:{MERGED}") for path in publishers.requests) == len(SITADEL)


def test_the_zones_that_name_a_regulation_are_loaded_before_it(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    on_demand = OnDemand(engine, at(publishers.bases), tmp_path)
    on_demand.start()
    key = LoadKey("gpu-regulations", f"DU_{EPCI}", COMMUNE)
    states = on_demand.load([key], 60.0)
    on_demand.end()
    assert states == {key: "loaded"}


def test_refresh_asks_again_for_imported_answers_about_risks(
    engine: Engine, publishers: Publishers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = {"question": "radon", "places": [COMMUNE], "retrieved_at": "2020-01-01T00:00:00Z"}
    recorded = tmp_path / "answers.jsonl"
    recorded.write_text(json.dumps({**line, "body": data({"classe_potentiel": "1"})}), "utf-8")
    assert land("import", "georisques", str(recorded)).exit_code == 0
    monkeypatch.setenv("LAND_GEORISQUES", "off")
    assert "answers" not in land("refresh").output
    monkeypatch.setenv("LAND_GEORISQUES", "on")
    refused = land("refresh", "--commune", COMMUNE)
    assert (refused.exit_code, "0 of 1 answers renewed" in refused.output) == (1, True)
    publishers.files["/georisques/v1/radon"] = json.dumps(data({"classe_potentiel": "3"})).encode()
    renewed = land("refresh", "--department", COMMUNE[:2], "--older-than", "30")
    assert (renewed.exit_code, "1 of 1 answers renewed" in renewed.output) == (0, True)
    with engine.connect() as connection:
        assert connection.scalars(select(risk_answer.c.level)).all() == ["3"]


def test_refresh_of_a_department_reads_its_catalogue_again(engine: Engine, publishers: Publishers) -> None:
    [path] = [path for path in publishers.files if path.startswith(f"{LEGAL_PERSONS}/")]
    assert land("import", "personnes-morales", publishers.url + path, "--department", "18").exit_code == 0
    assert land("import", "rnic", publishers.url + RNIC).exit_code == 0
    publishers.requests.clear()
    assert land("refresh", "--department", "64").output.splitlines()[-1] == "0 of 0 refreshed"
    assert land("refresh", "--department", "18").output.splitlines()[-1] == "2 of 2 refreshed"
    assert set(publishers.requests) == {LEGAL_PERSONS, path, RNIC}


def test_refresh_skips_recent_loads(publishers: Publishers) -> None:
    land("import", "ban", publishers.url + ban_path())
    assert land("refresh", "--older-than", "1").output.splitlines()[-1] == "0 of 0 refreshed"


def test_a_refresh_that_fails_keeps_the_old_edition(engine: Engine, publishers: Publishers) -> None:
    land("import", "ban", publishers.url + ban_path())
    before = numbers(engine)
    publishers.set_mode("/ban", "failing")
    result = land("refresh")
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, "0 of 1 refreshed")
    assert "answered 503" in result.output
    assert numbers(engine) == before


def test_status_says_in_words_why_a_load_failed(engine: Engine, publishers: Publishers, tmp_path: Path) -> None:
    land("import", "ban", publishers.url + ban_path())
    for mode, reason in (
        ("failing", "answered 503"),
        ("missing", "no such file, answered 404"),
        ("closed", "the connection ended without a whole answer"),
        ("header only", f"{COMMUNE}: no rows, which cannot be"),
    ):
        publishers.set_mode("/ban", cast(Mode, mode))
        land("refresh")
        assert reason in land("status").output.partition("not loaded: ban 18033: ")[2]
    publishers.set_mode("/ban", "ok")
    land("refresh")
    assert "not loaded" not in land("status").output


def test_national_lists_are_refreshed_too(publishers: Publishers) -> None:
    land("import", "cog", f"{publishers.url}/cog/v_commune_2026.csv")
    assert land("refresh").output.splitlines()[-1] == "1 of 1 refreshed"
    assert publishers.counts()["/cog/v_mvt_commune_2026.csv"] == 1
