import json
from typing import Any

import pytest
import shapely
from written_files import Writer, partition_request

from land.datasets.parcels.reader import CadastreCommunes
from land.datasets.partitions import Partition
from land.errors import UnreadableFile
from land.sources.base import CommuneFilter, ReadReport

CADASTRE = CadastreCommunes("https://mirror.example/etalab-cadastre")
SQUARE = [[2.0, 47.0], [2.1, 47.0], [2.1, 47.1], [2.0, 47.1], [2.0, 47.0]]
BOW_TIE = [[2.0, 47.0], [2.1, 47.1], [2.1, 47.0], [2.0, 47.1], [2.0, 47.0]]


def feature(code: Any = "18033", ring: Any = SQUARE) -> dict[str, Any]:
    geometry = None if ring is None else {"type": "MultiPolygon", "coordinates": [[ring]]}
    return {"type": "Feature", "geometry": geometry, "properties": {"id": code, "nom": "Bourges"}}


def collection(*features: Any) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features})


def test_a_feature_is_the_territory_of_a_commune(write: Writer, report: ReadReport) -> None:
    path = write("c.json.gz", collection(feature(), feature("18050", BOW_TIE)))
    [(partition, plain), (_, repaired)] = CADASTRE.read(path, report)
    assert partition == Partition("18033")
    assert shapely.from_wkb(plain.geometry).equals(shapely.Polygon(SQUARE))
    assert (plain.is_repaired, repaired.is_repaired, report.repaired_count) == (False, True, 1)
    assert [partition.code for partition, _ in CADASTRE.read(path, report, CommuneFilter(commune="18050"))] == ["18050"]


def test_a_feature_without_a_commune_or_an_outline_is_rejected(write: Writer, report: ReadReport) -> None:
    bad = [feature("Bourges"), feature(18033), feature(ring=None), feature(ring=[["x"]]), 3]
    assert list(CADASTRE.read(write("c.json", collection(*bad)), report)) == []
    assert (report.row_count, report.rejected_count) == (5, 5)


def test_a_truncated_file_is_refused(write: Writer, report: ReadReport) -> None:
    with pytest.raises(UnreadableFile):
        list(CADASTRE.read(write("c.json", collection(feature())[:-20]), report))


def test_its_urls() -> None:
    [url] = CADASTRE.urls(partition_request("97105"))
    assert url.endswith("/latest/geojson/communes/971/97105/cadastre-97105-communes.json.gz")
