"""GDAL and QGIS read the collections of OGC API Features, page through the demo commune, and filter."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import httpx
import pytest

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


@pytest.mark.programs
@pytest.mark.parametrize("collection", COLLECTIONS)
def test_gdal_reads_a_collection(
    embedded: stacks.Embedded, key: str, ids: dict[str, list[str]], collection: str, tmp_path: Path
) -> None:
    def read(*options: str) -> list[dict[str, str]]:
        file = tmp_path / f"{len(options)}.geojson"
        run(
            *(required("ogr2ogr", "gdal-bin"), str(file), f"OAPIF:{embedded.url}/api/v1/ogc", collection),
            *("-oo", "PAGE_SIZE=50", *options),
            variables={"GDAL_HTTP_HEADERS": f"x-api-key: {key}"},
        )
        return [feature["properties"] for feature in json.loads(file.read_text(encoding="utf-8"))["features"]]

    properties = read()
    assert [feature["id"] for feature in properties] == ids[collection]
    in_box = read("-spat", *BOX)
    assert len(in_box) < len(properties)
    for member in COLLECTIONS[collection].queryables:
        value = properties[-1][member]
        expected = [feature["id"] for feature in properties if feature[member] == value]
        assert [feature["id"] for feature in read("-where", f"{member} = '{value}'", "-unsetFid")] == expected
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
