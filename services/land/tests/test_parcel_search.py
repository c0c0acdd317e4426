"""Parcels by place, on both stores."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from land_builders import (
    COMMUNE,
    building,
    dvf_row,
    load,
    lon_lat,
    on_sqlite,
    parcel,
    permit,
    reference,
    square,
    territory_of,
    zone,
)
from sqlalchemy import Engine

from land.datasets.planning.records import PlanningCommuneRecord
from land.errors import ParcelNotFound
from land.parcel_search import search
from land.pipeline import Pipeline
from land.rpc import parcel_search
from landpartner.land.v1 import land_pb2 as pb
from servicekit.errors import InvalidPayload

OTHER = "18998"
A, B, C, D, E = (f"{COMMUNE}000AB{number:04}" for number in range(1, 6))
FAR = f"{COMMUNE}000AB0009"


@pytest.fixture
def rows(store: Engine) -> Engine:
    """Five parcels of 20 m by 20 m in a row, and one 300 m away."""
    records = [parcel(n + 1, square(20 * n, 0), area=100 * (n + 1)) for n in range(5)]
    load(store, "cadastre-parcels", COMMUNE, [*records, parcel(9, square(400, 0), area=None)], edition="2026-01-01")
    load(store, "cadastre-communes", COMMUNE, [territory_of(COMMUNE, square(-100, -100, 900, 300))])
    return store


def ask(store: Engine, request: pb.SearchParcelsRequest) -> pb.SearchParcelsResponse:
    page = Pipeline(store).search_parcels(
        parcel_search.search_of(request), "demo" if request.scope == pb.SCOPE_DEMO else "all"
    )
    return parcel_search.response(request, page)


def ids(answer: pb.SearchParcelsResponse) -> list[str]:
    return [parcel.parcel.parcel_id for parcel in answer.parcels]


def codes(answer: pb.SearchParcelsResponse) -> list[str]:
    return [warning.code for warning in answer.warnings]


def at(x: float, y: float) -> pb.Position:
    lon, lat = lon_lat(x, y)
    return pb.Position(longitude=lon, latitude=lat)


def over(*corners: tuple[float, float]) -> bytes:
    """A polygon whose corners are in metres from the origin."""
    return json.dumps(
        {"type": "Polygon", "coordinates": [[lon_lat(*corner) for corner in (*corners, corners[0])]]}
    ).encode()


ALL = over((-5, -5), (110, -5), (110, 25), (-5, 25))


def filtered(store: Engine, **filters: Any) -> pb.SearchParcelsResponse:
    return ask(store, pb.SearchParcelsRequest(geometry=ALL, filters=pb.ParcelFilters(**filters)))


def test_a_point_finds_the_parcel_that_contains_it(rows: Engine) -> None:
    answer = ask(rows, pb.SearchParcelsRequest(place=at(30, 10)))
    assert ids(answer) == [B]
    [match] = answer.parcels
    assert (match.edition, match.parcel.cadastral_area_m2) == ("2026-01-01", 200)
    assert json.loads(match.geometry)["type"] == "Polygon"
    assert [(entry.dataset, entry.status) for entry in answer.coverage] == [
        ("cadastre-parcels", pb.COVERAGE_STATUS_COVERED)
    ]
    assert [source.id for source in answer.sources] == ["cadastre-parcels"]
    assert not answer.warnings


@on_sqlite
@pytest.mark.parametrize(("place", "expected"), [((30, 50), []), ((2_000, 0), ["area_not_covered"])])
def test_no_parcel_in_a_loaded_commune_differs_from_land_that_is_not_loaded(
    rows: Engine, place: tuple[float, float], expected: list[str]
) -> None:
    answer = ask(rows, pb.SearchParcelsRequest(place=at(*place)))
    assert ids(answer) == []
    assert codes(answer) == expected


def test_a_bounding_box_finds_what_it_intersects(rows: Engine) -> None:
    (west, south), (east, north) = lon_lat(25, 5), lon_lat(45, 8)
    answer = ask(rows, pb.SearchParcelsRequest(bbox=pb.BoundingBox(west=west, south=south, east=east, north=north)))
    assert ids(answer) == [B, C]


def test_a_polygon_finds_what_it_intersects_but_not_what_its_hole_contains(rows: Engine) -> None:
    ring, hole = (json.loads(over(*corners))["coordinates"][0] for corners in (
        ((-5, -5), (110, -5), (110, 25), (-5, 25)), ((38, -2), (62, -2), (62, 22), (38, 22)),
    ))  # fmt: skip
    geojson = json.dumps({"type": "MultiPolygon", "coordinates": [[ring, hole]]}).encode()
    assert ids(ask(rows, pb.SearchParcelsRequest(geometry=geojson))) == [A, B, D, E]


@on_sqlite
@pytest.mark.parametrize(("distance_m", "expected"), [(0, [A]), (9, [A]), (10.5, [A, B]), (395, [A, B, C, D, E, FAR])])
def test_around_a_point_and_a_parcel_distances_are_in_metres(
    rows: Engine, distance_m: float, expected: list[str]
) -> None:
    around = pb.Surroundings(place=at(10, 10), distance_m=distance_m)
    assert ids(ask(rows, pb.SearchParcelsRequest(around=around))) == expected
    around = pb.Surroundings(parcel_id=A, distance_m=distance_m + 0.3)
    assert A in ids(ask(rows, pb.SearchParcelsRequest(around=around)))


def test_neighbours_touch_the_parcel_and_may_be_in_another_commune(rows: Engine) -> None:
    load(rows, "cadastre-parcels", OTHER, [parcel(1, square(20, 20.1), commune=OTHER)])
    answer = ask(rows, pb.SearchParcelsRequest(neighbours_of=B))
    assert ids(answer) == [f"{OTHER}000AB0001", A, C]
    with pytest.raises(ParcelNotFound):
        ask(rows, pb.SearchParcelsRequest(neighbours_of=f"{COMMUNE}000ZZ0001"))
    with pytest.raises(ParcelNotFound):
        ask(rows, pb.SearchParcelsRequest(neighbours_of=B, scope=pb.SCOPE_DEMO))


@on_sqlite
def test_a_test_key_finds_demo_parcels_only(rows: Engine) -> None:
    demo = "00001"
    load(rows, "cadastre-parcels", demo, [parcel(1, square(0, 0), commune=demo)])
    answer = ask(rows, pb.SearchParcelsRequest(geometry=ALL, scope=pb.SCOPE_DEMO))
    assert ids(answer) == [f"{demo}000AB0001"]
    assert len(ids(ask(rows, pb.SearchParcelsRequest(geometry=ALL)))) == 6


@on_sqlite
def test_areas_are_the_declared_ones_else_the_drawn_ones(rows: Engine) -> None:
    assert ids(filtered(rows, min_area_m2=200, max_area_m2=400)) == [B, C, D]
    around = pb.Surroundings(parcel_id=FAR, distance_m=0)
    search_ = pb.SearchParcelsRequest(around=around, filters=pb.ParcelFilters(min_area_m2=390, max_area_m2=410))
    assert ids(ask(rows, search_)) == [FAR]


def test_zones_count_by_overlap_and_unknown_zoning_is_stated(rows: Engine) -> None:
    load(
        rows,
        "gpu-zones",
        f"DU_{COMMUNE}",
        [zone("UA", square(0, 0, 49.9, 20)), zone("N", square(49.9, 0, 30, 20), "N")],
    )
    answer = filtered(rows, zone_types=["U"])
    assert ids(answer) == [A, B, C]
    assert codes(answer) == ["filter_not_covered"]  # E has no zone
    assert COMMUNE in str(answer.warnings[0].detail)
    assert [entry.status for entry in answer.coverage] == [pb.COVERAGE_STATUS_COVERED, pb.COVERAGE_STATUS_PARTIAL]
    assert [source.id for source in answer.sources] == ["cadastre-parcels", "gpu-zones"]
    assert ids(filtered(rows, zone_types=["N", "A"])) == [C, D]
    load(rows, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, True)])
    assert codes(filtered(rows, zone_types=["U"])) == []


def test_sales_and_permits_count_from_their_date(rows: Engine) -> None:
    for filters in ({"sold_since": "2020-01-01"}, {"permit_since": "2020-01-01"}):
        answer = filtered(rows, **filters)
        assert (ids(answer), codes(answer)) == ([], ["filter_not_covered"])
    sales = [dvf_row(B), dvf_row(C, "2021-2", date_mutation="2019-12-31"), dvf_row(FAR, "2021-3", ancien_id_parcelle=D)]
    load(rows, "dvf", COMMUNE, sales, part="2021")
    load(rows, "sitadel-housing", COMMUNE, [permit("1", reference("0002")), permit("2", reference("0003"))])
    answer = filtered(rows, sold_since="2020-01-01")
    assert ids(answer) == [B, D]
    assert codes(answer) == []
    assert ids(filtered(rows, sold_since="2021-05-07")) == []
    assert ids(filtered(rows, permit_since="2024-02-03")) == [B, C]
    assert ids(filtered(rows, permit_since="2024-02-04")) == []
    assert ids(filtered(rows, permit_since="2020-01-01", sold_since="2020-01-01")) == [B]


def test_unbuilt_parcels_are_those_on_which_nothing_stands(rows: Engine) -> None:
    assert codes(filtered(rows, unbuilt=True)) == ["filter_not_covered"]
    load(
        rows, "cadastre-buildings", COMMUNE, [building("1", square(5, 5, 5, 5)), building("2", square(38, 5, 2.01, 5))]
    )
    answer = filtered(rows, unbuilt=True)
    assert (ids(answer), codes(answer)) == ([C, D, E], [])  # 1 cm of a wall are on C


def pages(store: Engine, request: pb.SearchParcelsRequest) -> Iterator[pb.SearchParcelsResponse]:
    while True:
        answer = ask(store, request)
        yield answer
        if not answer.next_page_token:
            return
        request.page_token = answer.next_page_token


@pytest.mark.parametrize(("size", "expected"), [(2, [2, 2, 1]), (5, [5])])
def test_pages_follow_each_other_without_gap(rows: Engine, size: int, expected: list[int]) -> None:
    pages_found = list(pages(rows, pb.SearchParcelsRequest(geometry=ALL, page_size=size)))
    assert [len(page.parcels) for page in pages_found] == expected
    assert [parcel_id for page in pages_found for parcel_id in ids(page)] == [A, B, C, D, E]


@on_sqlite
def test_a_page_ends_after_its_share_of_candidates(rows: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MAX_EXAMINED", 2)
    monkeypatch.setattr(search, "BATCH", 2)
    request = pb.SearchParcelsRequest(geometry=ALL, filters=pb.ParcelFilters(min_area_m2=500))
    answers = list(pages(rows, request))
    assert [ids(page) for page in answers] == [[], [], [E]]
    assert [codes(page) for page in answers] == [["search_continues"], ["search_continues"], []]
    assert all(one.next_page_token != other.next_page_token for one, other in pairwise(answers))


@on_sqlite
def test_a_cursor_is_valid_for_its_own_search_only(rows: Engine) -> None:
    first = ask(rows, pb.SearchParcelsRequest(geometry=ALL, page_size=2))
    for request in (
        pb.SearchParcelsRequest(geometry=ALL, page_token=first.next_page_token, filters=pb.ParcelFilters(unbuilt=True)),
        pb.SearchParcelsRequest(geometry=ALL, page_token=first.next_page_token[:-1]),
        pb.SearchParcelsRequest(geometry=ALL, page_token="x"),
    ):
        with pytest.raises(InvalidPayload) as error:
            ask(rows, request)
        assert [(violation.pointer, violation.code) for violation in error.value.violations] == [
            ("/cursor", "malformed_cursor")
        ]
    next_page = pb.SearchParcelsRequest(geometry=ALL, page_token=first.next_page_token)
    assert ids(ask(rows, next_page)) == [C, D, E]
