import gzip
import hashlib
import json
from pathlib import Path

import demoland

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


def test_the_same_number_of_addresses_gives_the_same_bytes(tmp_path: Path) -> None:
    first = digests(demoland.write(tmp_path / "a", 700))
    assert digests(demoland.write(tmp_path / "b", 700)) == first
    assert digests(demoland.write(tmp_path / "c", 701)) != first


def test_the_parcels_file_is_a_feature_collection_without_a_crs(tmp_path: Path) -> None:
    [path] = [path for dataset, path in demoland.write(tmp_path).files if dataset == "cadastre-parcels"]
    document = json.loads(content(path))
    assert sorted(document) == ["features", "type"]
    assert {feature["properties"]["section"] for feature in document["features"]} >= {"A", "AA", "ZA", "ZB"}
