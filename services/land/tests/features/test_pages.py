"""Features of every collection, on both stores: pages by key, the box, the date, the conditions, test keys."""

import json
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
import shapely
from land_builders import (
    COMMUNE,
    PARTITION,
    address,
    building,
    dvf_row,
    load,
    lon_lat,
    on_sqlite,
    parcel,
    permit,
    prescription,
    reference,
    square,
    territory_of,
    zone,
)
from sqlalchemy import Engine

from contract.collections import COLLECTIONS, PROJECTIONS
from contract.enums import enum_numbers
from contract.messages.land import MAP_FEATURE
from land.datasets import territory
from land.features import pages
from land.features.pages import is_met
from land.pipeline import Pipeline
from land.rpc import features
from landpartner.land.v1 import land_pb2 as pb
from servicekit.errors import InvalidPayload

DEMO, OTHER = "00001", "18998"
NUMBERS = enum_numbers(pb.FeatureCollection.DESCRIPTOR)


@pytest.fixture
def rows(store: Engine) -> Engine:
    """Five features of each collection at 0 m, 100 m, … 400 m to the east, and a parcel in each of two communes."""
    squares = [square(100 * at, 0) for at in range(5)]
    load(store, "cadastre-parcels", COMMUNE, [parcel(at + 1, outline) for at, outline in enumerate(squares)])
    load(store, "cadastre-communes", COMMUNE, [territory_of(COMMUNE, square(-100, -100, 900, 300))])
    load(store, "cadastre-buildings", COMMUNE, [building(f"b{at}", outline) for at, outline in enumerate(squares)])
    load(store, "gpu-zones", PARTITION, [zone(f"Z{at}", outline) for at, outline in enumerate(squares)])
    load(store, "gpu-prescriptions", PARTITION, [prescription("P", outline) for outline in squares], part="surface")
    load(store, "dvf", COMMUNE, [_sale(at) for at in range(5)], part="2021")
    permits = [
        permit(f"P{at}", reference(f"{at + 1:04}"), date_reelle_autorisation=f"202{at}-02-03") for at in range(5)
    ]
    load(store, "sitadel-housing", COMMUNE, permits)
    load(
        store,
        "ban",
        COMMUNE,
        [address(at + 1, "Rue des Lilas", (100 * at + 5, 5), street_id=f"{COMMUNE}_0001") for at in range(5)],
    )
    for commune in (DEMO, OTHER):
        load(store, "cadastre-parcels", commune, [parcel(1, square(50, 0), commune=commune)])
    return store


def _sale(at: int) -> Any:
    lon, lat = lon_lat(100 * at + 10, 10)
    return dvf_row(f"{COMMUNE}000AB{at + 1:04}", f"2021-{at}", lon=lon, lat=lat, date_mutation=f"2021-0{at + 1}-06")


def ask(store: Engine, collection: str, **request: Any) -> pb.ListFeaturesResponse:
    message = pb.ListFeaturesRequest(collection=NUMBERS[collection], **request)
    search = features.search_of(message)
    return features.response(
        search, Pipeline(store).features(search, "demo" if message.scope == pb.SCOPE_DEMO else "all")
    )


def around(west: float, east: float) -> pb.BoundingBox:
    (left, bottom), (right, top) = lon_lat(west, -50), lon_lat(east, 50)
    return pb.BoundingBox(west=left, south=bottom, east=right, north=top)


def having(member: str, *values: str) -> list[pb.FeatureCondition]:
    return [pb.FeatureCondition(member=member, values=values)]


def of_commune(collection: str) -> dict[str, Any]:
    values = {"commune_code": COMMUNE, "partition": COMMUNE if collection == "buildings" else PARTITION}
    member = next(name for name in COLLECTIONS[collection].queryables if name in values)
    return {"conditions": having(member, values[member])}


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_pages_have_each_feature_once_and_each_feature_has_an_address(rows: Engine, collection: str) -> None:
    for box in ({}, {"bbox": around(-20, 450)}):
        page = ask(rows, collection, page_size=2, **of_commune(collection), **box)
        ids = [feature.id for feature in page.features]
        while page.next_page_token:
            token = page.next_page_token
            page = ask(rows, collection, page_size=2, page_token=token, **of_commune(collection), **box)
            ids += [feature.id for feature in page.features]
        assert len(ids) == len(set(ids)) == 5
    (feature,) = ask(rows, collection, feature_id=ids[0]).features
    assert (feature.id, feature.WhichOneof("properties")) == (ids[0], collection)
    assert json.loads(feature.geometry)["type"] in ("Point", "Polygon", "MultiPolygon")
    assert [source.edition for source in page.sources] == ["e1"]


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_a_box_has_the_features_that_intersect_it(rows: Engine, collection: str) -> None:
    page = ask(rows, collection, bbox=around(95, 225), **of_commune(collection))
    assert page.number_returned == len(page.features) == 2


@pytest.mark.parametrize("collection", ["parcels", "permits", "addresses"])  # no row of the others lacks a place
def test_a_feature_without_a_place_is_on_its_page_with_a_null_geometry(rows: Engine, collection: str) -> None:
    load(rows, "cadastre-parcels", COMMUNE, [parcel(1), parcel(2, square(100, 0))], edition="e2")
    placed, missing = (address(at, "Rue des Lilas", (5, 5), street_id=f"{COMMUNE}_0001") for at in (1, 2))
    load(rows, "ban", COMMUNE, [placed, missing._replace(lon=None, lat=None)], edition="e2")
    for projection in (0, 2154):
        page = ask(rows, collection, projection=projection, **of_commune(collection))
        assert sorted(bool(feature.geometry) for feature in page.features) == [False, True], page
        (without,) = [feature for feature in page.features if not feature.geometry]
        assert json.loads(orjson.dumps(MAP_FEATURE.write(without)))["geometry"] is None
        one = ask(rows, collection, feature_id=without.id, projection=projection)
        assert [feature.id for feature in one.features] == [without.id]
    (west, south), (east, north) = lon_lat(-20_000, -20_000), lon_lat(20_000, 20_000)
    for box in (around(-20, 450), pb.BoundingBox(west=west, south=south, east=east, north=north)):
        in_box = ask(rows, collection, bbox=box, **of_commune(collection)).features
        assert without.id not in [feature.id for feature in in_box]


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_a_test_key_sees_the_demo_only(rows: Engine, collection: str) -> None:
    assert ask(rows, collection, scope=pb.SCOPE_ALL).features
    demo = ask(rows, collection, scope=pb.SCOPE_DEMO)
    assert [feature.id[:5] for feature in demo.features] == [DEMO] * (collection == "parcels")
    feature_id = ask(rows, collection, **of_commune(collection)).features[0].id
    assert not ask(rows, collection, feature_id=feature_id, scope=pb.SCOPE_DEMO).features


def test_several_conditions_of_one_member_all_apply(rows: Engine) -> None:
    one, other = having("commune_code", COMMUNE, DEMO), having("commune_code", DEMO, OTHER)
    assert [feature.id[:5] for feature in ask(rows, "parcels", conditions=one + other).features] == [DEMO]
    page = ask(rows, "parcels", conditions=having("commune_code", COMMUNE) + having("commune_code", OTHER))
    assert (list(page.features), list(page.coverage)) == ([], [])


@on_sqlite
def test_the_coverage_of_a_test_key_is_that_of_demo_communes_only(rows: Engine) -> None:
    loaded, not_loaded = having("commune_code", COMMUNE), having("commune_code", "18997")
    for box in ({}, {"bbox": around(-20, 450)}):
        of_loaded, of_not_loaded = (
            ask(rows, "sales", conditions=conditions, scope=pb.SCOPE_DEMO, **box).coverage
            for conditions in (loaded, not_loaded)
        )
        assert list(of_loaded) == list(of_not_loaded)
    (coverage,) = ask(rows, "parcels", conditions=having("commune_code", OTHER, DEMO), scope=pb.SCOPE_DEMO).coverage
    assert coverage.status == pb.COVERAGE_STATUS_COVERED


@on_sqlite
def test_a_period_has_the_features_with_a_date_in_it(rows: Engine) -> None:
    sales = ask(rows, "sales", since="2021-02-01", until="2021-04-06").features
    assert [sale.sales.date_mutation for sale in sales] == ["2021-02-06", "2021-03-06", "2021-04-06"]
    assert len(ask(rows, "permits", since="2023-01-01").features) == 2
    dates = (None, "2023-12-31", "2024-01-31")
    load(rows, "gpu-zones", PARTITION, [zone(f"Z{date}", square(0, 0), approved_on=date) for date in dates])
    zones = ask(rows, "zones", since="2024-01-01").features
    assert [zone.zones.approved_on for zone in zones] == ["", "2024-01-31"], "no date is in every period"
    assert ask(rows, "parcels", since="2023-01-01").number_returned == ask(rows, "parcels").number_returned


def _compared(op: str, member: str, value: str) -> Any:
    return {"op": op, "args": [{"property": member}, value]}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (_compared("<>", "commune_code", COMMUNE), {DEMO, OTHER}),
        (_compared(">=", "commune_code", OTHER), {other for other in (COMMUNE, OTHER) if other >= OTHER}),
        ({"op": "or", "args": [_compared("=", "commune_code", DEMO), False]}, {DEMO}),
        ({"op": "not", "args": [{"op": "in", "args": [{"property": "commune_code"}, [DEMO, OTHER]]}]}, {COMMUNE}),
        ({"op": "and", "args": [True, {"op": "isNull", "args": [{"property": "commune_code"}]}]}, set()),
        ({"op": "=", "args": [DEMO, {"property": "commune_code"}]}, {DEMO}),
    ],
)
def test_an_expression_is_compared_with_each_row(rows: Engine, expression: Any, expected: set[str]) -> None:
    found = {feature.id[:5] for feature in ask(rows, "parcels", filter=json.dumps(expression)).features}
    assert found == expected


@pytest.mark.parametrize("op", ["=", "<>", "<", ">", "<=", ">="])
def test_neither_a_comparison_with_nothing_nor_its_opposite_is_met(op: str) -> None:
    row = SimpleNamespace(parcel_id=None)
    comparison = _compared(op, "parcel_id", "x")
    assert is_met({"op": "in", "args": [{"property": "parcel_id"}, ["x"]]}, row) is None
    assert is_met(comparison, row) is is_met({"op": "not", "args": [comparison]}, row) is None
    assert is_met({"op": "or", "args": [comparison, True]}, row) is True
    assert is_met({"op": "and", "args": [comparison, False]}, row) is False
    assert is_met({"op": "and", "args": [comparison, True]}, row) is None


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_a_wide_box_has_its_features_page_by_page(
    rows: Engine, collection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "BATCH", 2)
    monkeypatch.setattr(pages, "MAX_EXAMINED", 2)
    (west, south), (east, north) = lon_lat(-20_000, -20_000), lon_lat(45, 20_000)
    narrow = {feature.id for feature in ask(rows, collection, bbox=around(-20, 45)).features}
    for left, right in ((west, east), (170.0, east)):  # the second one crosses 180°
        box = pb.BoundingBox(west=left, south=south, east=right, north=north)
        page = ask(rows, collection, bbox=box)
        found = {feature.id for feature in page.features}
        while page.next_page_token:
            page = ask(rows, collection, bbox=box, page_token=page.next_page_token)
            found |= {feature.id for feature in page.features}
        assert narrow
        assert found == narrow
        assert [warning.code for warning in page.warnings] == ["area_not_covered"]


@on_sqlite
def test_a_page_without_features_continues(rows: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "BATCH", 2)
    monkeypatch.setattr(pages, "MAX_EXAMINED", 2)
    page = ask(rows, "sales", since="2021-05-01")
    assert (len(page.features), page.next_page_token) == (0, f"{COMMUNE}.2021.2021-1")
    for _ in range(2):
        page = ask(rows, "sales", since="2021-05-01", page_token=page.next_page_token)
    assert [sale.sales.date_mutation for sale in page.features] == ["2021-05-06"]


@on_sqlite
def test_a_projection_has_its_coordinates_in_metres(rows: Engine) -> None:
    parcels = having("parcel_id", f"{COMMUNE}000AB0001")
    (feature,) = ask(rows, "parcels", conditions=parcels, projection=2154).features
    outline = shapely.from_geojson(feature.geometry)
    assert outline.bounds == pytest.approx((655_000, 6_665_000, 655_020, 6_665_020), abs=1)
    west, south, east, north = outline.bounds
    box = pb.BoundingBox(west=west, south=south, east=east, north=north)
    assert len(ask(rows, "parcels", bbox=box, bbox_projection=2154).features) == 1


def test_the_projections_are_those_of_the_territories() -> None:
    assert {territory.legal_projection(code) for code in ("75", "971", "972", "973", "974", "975", "976")} == {
        *PROJECTIONS
    }


@on_sqlite
def test_what_is_not_loaded_is_said(rows: Engine) -> None:
    here, elsewhere = around(-20, 30), around(5_000, 5_050)
    page = ask(rows, "sales", bbox=here)
    assert ([item.dataset for item in page.coverage], list(page.warnings)) == (["dvf"], [])
    assert [warning.code for warning in ask(rows, "sales", bbox=elsewhere).warnings] == ["area_not_covered"]


@on_sqlite
@pytest.mark.parametrize("token", ["x", "1.2", "99999999999999999999", "٣", "a.b\0"])
def test_a_cursor_of_another_collection_is_refused(rows: Engine, token: str) -> None:
    with pytest.raises(InvalidPayload):
        ask(rows, "buildings", page_token=token)
    assert not ask(rows, "buildings", feature_id=token).features
