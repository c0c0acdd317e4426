import gzip
import hashlib
import json
from pathlib import Path

import pytest

import demoland
from demoland.vocabularies import Region

DEFAULT_DEMO = "98b7166020542121c441129894829990d3891c9c7e899bc0332a9ea984151243"
"""SHA-256 of the default demo's file names and uncompressed contents. Tests, examples and docs quote these data."""


def content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def digests(demo: demoland.Demo) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for _, path in demo.files}


def test_the_default_demo_does_not_change(tmp_path: Path) -> None:
    digest = hashlib.sha256()
    for _, path in demoland.write(tmp_path).files:
        digest.update(path.name.encode() + b"\n" + content(path))
    assert digest.hexdigest() == DEFAULT_DEMO


def test_the_same_arguments_give_the_same_bytes(tmp_path: Path) -> None:
    first = digests(demoland.write(tmp_path / "a", communes=2, addresses=700))
    assert digests(demoland.write(tmp_path / "b", communes=2, addresses=700)) == first
    other = digests(demoland.write(tmp_path / "c", communes=2, addresses=700, seed=2))
    assert other["adresses-00.csv.gz"] != first["adresses-00.csv.gz"]


def test_the_parcels_file_is_a_feature_collection_without_a_crs(tmp_path: Path) -> None:
    [path] = [path for dataset, path in demoland.write(tmp_path).files if dataset == "cadastre-parcels"]
    document = json.loads(content(path))
    assert sorted(document) == ["features", "type"]
    assert {feature["properties"]["section"] for feature in document["features"]} >= {"A", "AA", "ZA", "ZB"}


@pytest.mark.parametrize(
    ("communes", "region"), [(0, "mainland"), (-1, "corsica"), (36_001, "mainland"), (1_297, "brittany")]
)
def test_more_communes_than_codes_are_refused(tmp_path: Path, communes: int, region: Region) -> None:
    with pytest.raises(ValueError, match="communes"):
        demoland.write(tmp_path, communes=communes, region=region)


def test_a_region_has_addresses_only(tmp_path: Path) -> None:
    demo = demoland.write(tmp_path, communes=2, addresses=200, region="brittany")
    assert [dataset for dataset, _ in demo.files] == ["ban"]
    assert (demo.address_count, demo.parcel_count) == (200, 0)
