"""GDAL and QGIS read the collections of OGC API Features, page through the demo commune, and filter."""

import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import httpx
import pytest
from pyogrio import raw  # type: ignore[import-untyped]

import stacks
from contract.collections import COLLECTIONS
from documents import DOCS, commands_of, run_shell
from programs import required, run, run_qgis

BOX = ("1.9990", "47.0003", "2.0008", "47.0012")
Counts = Mapping[str, Mapping[str, int]]


@pytest.fixture(scope="module")
def key(embedded: stacks.Embedded) -> str:
    return stacks.create_key(embedded, "gis", "--mode", "test")["secret"]


@pytest.fixture(scope="module")
def ids(embedded: stacks.Embedded, key: str) -> dict[str, list[str]]:
    """The ids of each collection, page by page."""
    collections = {}
    with httpx.Client(headers={"x-api-key": key}) as client:
        for collection in COLLECTIONS:
            address = f"{embedded.url}/api/v1/ogc/collections/{collection}/items?limit=7"
            pages = []
            while address:
                pages.append(client.get(address).raise_for_status().json())
                address = next((link["href"] for link in pages[-1]["links"] if link["rel"] == "next"), "")
            assert all(page["numberReturned"] == 7 for page in pages[:-1])
            collections[collection] = [feature["id"] for page in pages for feature in page["features"]]
    return collections


def test_pages_follow_each_other_without_a_repetition(ids: dict[str, list[str]]) -> None:
    assert all(len(features) == len(set(features)) > 1 for features in ids.values())
    assert len(ids["addresses"]) > 500


class Read(Protocol):
    """The properties of the features of a collection, in a box or with values of a member."""

    def __call__(self, collection: str, box: Sequence[str] = (), where: str = "") -> list[dict[str, Any]]: ...


@pytest.fixture(params=[pytest.param("debian", marks=pytest.mark.programs), "wheel"])
def read(
    request: pytest.FixtureRequest, embedded: stacks.Embedded, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Read:
    """Reads by Debian's GDAL, or by the current one of a wheel."""
    headers, address = tmp_path / "headers", f"OAPIF:{embedded.url}/api/v1/ogc"
    headers.write_text(f"x-api-key: {key}\n")
    monkeypatch.setenv("GDAL_HTTP_HEADER_FILE", str(headers))

    def by_program(collection: str, box: Sequence[str] = (), where: str = "") -> list[dict[str, Any]]:
        (file := tmp_path / "read.geojson").unlink(missing_ok=True)
        options = [*(("-spat", *box) if box else ()), *(("-where", where, "-unsetFid") if where else ())]
        run(
            *(required("ogr2ogr", "gdal-bin"), str(file), address, collection),
            *("-oo", "PAGE_SIZE=50", *options),
        )
        return [feature["properties"] for feature in json.loads(file.read_text(encoding="utf-8"))["features"]]

    def by_wheel(collection: str, box: Sequence[str] = (), where: str = "") -> list[dict[str, Any]]:
        bbox = tuple(map(float, box)) or None
        meta, _, _, columns = raw.read(address, layer=collection, bbox=bbox, where=where or None, PAGE_SIZE="50")
        return [dict(zip(meta["fields"], row, strict=True)) for row in zip(*columns, strict=True)]

    return by_program if request.param == "debian" else by_wheel


@pytest.mark.programs
def test_looking_with_ogrinfo_is_free_and_a_described_layer_costs_a_unit(
    embedded: stacks.Embedded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking = stacks.create_key(embedded, "looking", "--mode", "test")["secret"]
    (tmp_path / "headers").write_text(f"x-api-key: {looking}\n")
    monkeypatch.setenv("GDAL_HTTP_HEADER_FILE", str(tmp_path / "headers"))
    ogrinfo, address = required("ogrinfo", "gdal-bin"), f"OAPIF:{embedded.url}/api/v1/ogc"

    def units() -> int:
        time.sleep(1)  # outcomes are counted after EDGE_OUTCOME_INTERVAL_S
        usage = httpx.get(f"{embedded.url}/api/v1/usage", headers={"x-api-key": looking}).raise_for_status().json()
        assert usage["requests"]
        return int(usage["units"])

    run(ogrinfo, "-so", address)
    assert units() == 0
    run(ogrinfo, "-so", address, "addresses")
    assert units() == 1


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_gdal_reads_a_collection(
    read: Read, embedded: stacks.Embedded, key: str, ids: dict[str, list[str]], collection: str
) -> None:
    properties = read(collection)
    assert [feature["id"] for feature in properties] == ids[collection]
    in_box = read(collection, BOX)
    assert len(in_box) < len(properties)
    for member in COLLECTIONS[collection].queryables:
        value = properties[-1][member]
        expected = [feature["id"] for feature in properties if feature[member] == value]
        assert [feature["id"] for feature in read(collection, where=f"{member} = '{value}'")] == expected
        page = httpx.get(
            f"{embedded.url}/api/v1/ogc/collections/{collection}/items",
            params={"filter": f"{member} = '{value}'", "limit": 200},
            headers={"x-api-key": key},
        ).json()
        assert [feature["id"] for feature in page["features"]] == expected[:200]


@pytest.mark.programs
def test_qgis_reads_every_collection(
    embedded: stacks.Embedded, key: str, ids: dict[str, list[str]], tmp_path: Path
) -> None:
    counts: Counts = json.loads(run_qgis(tmp_path, "qgis_reads.py", f"{embedded.url}/api/v1/ogc", key, *COLLECTIONS))
    assert {name: count["all"] for name, count in counts.items()} == {
        name: len(features) for name, features in ids.items()
    }
    assert counts["parcels"]["in box"] == 17
    assert counts["parcels"]["in section"] == sum(feature[8:10] == "AB" for feature in ids["parcels"])


@pytest.mark.programs
def test_the_page_leads_to_a_file_of_gdal_and_to_a_project_of_qgis(
    embedded: stacks.Embedded, key: str, ids: dict[str, list[str]], tmp_path: Path
) -> None:
    required("ogr2ogr", "gdal-bin")
    [gdal] = commands_of("gis.md")
    run_shell(gdal.replace("https://HOST", embedded.url), tmp_path, key)
    with closing(sqlite3.connect(tmp_path / "parcels.gpkg")) as file:
        assert file.execute("SELECT count(*) FROM parcels").fetchone() == (17,)
    project = httpx.get(f"{embedded.url}/api/docs/landpartner.qgs").raise_for_status().content
    (tmp_path / "landpartner.qgs").write_bytes(project)
    counts = run_qgis(tmp_path, "qgis_project.py", str(tmp_path / "landpartner.qgs"), key, str(tmp_path))
    assert json.loads(counts) == {name: len(features) for name, features in ids.items()}
    assert {file.name for file in tmp_path.glob("*.png")} == {file.name for file in DOCS.glob("gis-*.png")}
