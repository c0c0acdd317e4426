import json
from typing import Any

import pytest
import shapely

from land.errors import UnreadableFile
from land.partitions import Partition
from land.sources.base import Account
from land.sources.cadastre_communes import Communes

from .conftest import Writer

CADASTRE = Communes("https://mirror.example/etalab-cadastre")
SQUARE = [[2.0, 47.0], [2.1, 47.0], [2.1, 47.1], [2.0, 47.1], [2.0, 47.0]]
BOW_TIE = [[2.0, 47.0], [2.1, 47.1], [2.1, 47.0], [2.0, 47.1], [2.0, 47.0]]


def feature(code: Any = "18033", ring: Any = SQUARE) -> dict[str, Any]:
    geometry = None if ring is None else {"type": "MultiPolygon", "coordinates": [[ring]]}
    return {"type": "Feature", "geometry": geometry, "properties": {"id": code, "nom": "Bourges"}}


def collection(*features: Any) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features})


def test_a_feature_is_the_territory_of_a_commune(write: Writer, account: Account) -> None:
    path = write("c.json.gz", collection(feature(), feature("18050", BOW_TIE)))
    [(unit, plain), (_, repaired)] = CADASTRE.read(path, account)
    assert unit == Partition("18033")
    assert shapely.from_wkb(plain.geometry).equals(shapely.Polygon(SQUARE))
    assert (plain.is_repaired, repaired.is_repaired, account.repaired_count) == (False, True, 1)
    assert [unit.code for unit, _ in CADASTRE.read(path, account, commune="18050")] == ["18050"]


def test_what_is_no_commune_with_an_outline_is_rejected(write: Writer, account: Account) -> None:
    bad = [feature("Bourges"), feature(18033), feature(ring=None), feature(ring=[["x"]]), 3]
    assert list(CADASTRE.read(write("c.json", collection(*bad)), account)) == []
    assert (account.row_count, account.rejected_count) == (5, 5)


def test_a_file_that_is_cut_short_is_refused(write: Writer, account: Account) -> None:
    with pytest.raises(UnreadableFile):
        list(CADASTRE.read(write("c.json", collection(feature())[:-20]), account))


def test_where_it_is_published() -> None:
    [url] = CADASTRE.urls("97105")
    assert url.endswith("/latest/geojson/communes/971/97105/cadastre-97105-communes.json.gz")
