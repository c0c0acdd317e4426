"""Land units, from records in the store to the assembled answer, on both kinds of store."""

import json

import pytest
import shapely
from land_builders import COMMUNE, address, dvf_row, load, parcel, permit, reference, service, square
from shapely.geometry import Polygon
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.errors import AddressNotFound, ParcelNotFound
from land.pipeline import MAX_PARCEL_IDS, Selection
from land.units.model import LandUnit
from servicekit.errors import InvalidPayload

OTHER = "18998"
A, B, C, D = (f"{COMMUNE}000AB{number:04}" for number in (1, 2, 3, 4))


def unit_of(store: Engine, *parcel_ids: str, blocks: tuple[str, ...] = ("land",), scope: str = "all") -> LandUnit:
    return service(store).land_unit(Selection(AddressQuery(), parcel_ids), blocks, scope, "en")  # type: ignore[arg-type]


def codes(unit: LandUnit) -> list[str]:
    return [warning.code for warning in unit.warnings]


def polygon_of(geojson: bytes) -> Polygon:
    drawn = shapely.from_geojson(geojson)
    assert isinstance(drawn, Polygon)
    return drawn


@pytest.fixture
def street_of_three(store: Engine) -> Engine:
    """Three lots in a row, 20 m by 20 m, along a street to the south with lots on its other side; fields behind."""
    load(
        store,
        "cadastre-parcels",
        COMMUNE,
        [
            parcel(1, square(0, 0)),
            parcel(2, square(20, 0)),
            parcel(3, square(40, 0)),
            parcel(4, square(-60, -30, 180, 20)),
            parcel(5, square(-60, 20, 180, 60)),
            parcel(6, square(-60, 0, 60, 20)),
            parcel(7, square(60, 0, 60, 20)),
        ],
    )
    return store


def test_adjacent_parcels_become_one_polygon_as_rfc_7946_wants_it(street_of_three: Engine) -> None:
    unit = unit_of(street_of_three, A, B)
    geometry = json.loads(unit.geometry)
    drawn = polygon_of(unit.geometry)
    assert drawn.is_valid
    assert drawn.exterior.is_ccw
    assert unit.bbox == pytest.approx(drawn.bounds, abs=1e-7)
    digits = [str(value).partition(".")[2] for pair in geometry["coordinates"][0] for value in pair]
    assert max(map(len, digits)) <= 7
    assert unit.land is not None
    assert unit.land.geometric_area_m2 == pytest.approx(800, abs=1)
    assert unit.land.cadastral_area_m2 == 800
    assert unit.land.perimeter_m == pytest.approx(120, abs=0.1)
    assert unit.land.is_contiguous is True
    assert (unit.land.sections, unit.land.numbers) == (("AB",), ("0001", "0002"))


def test_frontage_is_the_boundary_on_the_street(street_of_three: Engine) -> None:
    unit = unit_of(street_of_three, B)
    assert unit.land is not None
    assert unit.land.frontage_m == pytest.approx(20, abs=0.5)
    assert json.loads(unit.land.frontage)["type"] == "MultiLineString"
    assert "frontage_estimated" in codes(unit)


def test_a_parcel_enclosed_by_others_has_no_frontage(store: Engine) -> None:
    ring = Polygon(square(-20, -20, 60, 60).exterior, [square(0, 0).exterior])
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, ring)])
    unit = unit_of(store, A)
    assert unit.land is not None
    assert unit.land.frontage_m == 0


def test_frontage_is_unknown_where_the_plan_ends(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    unit = unit_of(store, A)
    assert unit.land is not None
    assert unit.land.frontage_m is None
    assert unit.land.frontage == b""
    assert "frontage_unknown" in codes(unit)


def test_separate_parcels_are_one_multipolygon_that_is_not_contiguous(street_of_three: Engine) -> None:
    unit = unit_of(street_of_three, A, C)
    assert json.loads(unit.geometry)["type"] == "MultiPolygon"
    assert unit.land is not None
    assert unit.land.is_contiguous is False


def test_a_parcel_without_area_leaves_the_sum_unknown(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0), area=None), parcel(2, square(20, 0))])
    unit = unit_of(store, A, B)
    assert unit.land is not None
    assert unit.land.cadastral_area_m2 is None
    assert unit.land.geometric_area_m2 == pytest.approx(800, abs=1)


def test_a_parcel_without_outline_has_facts_and_a_null_geometry(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1)])
    unit = unit_of(store, A)
    assert unit.geometry == b""
    assert unit.bbox == ()
    assert unit.parcels[0].cadastral_area_m2 == 400
    assert unit.parcels[0].geometric_area_m2 is None
    assert "geometry_missing" in codes(unit)


def test_a_repaired_outline_is_said_to_be_so(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0), is_repaired=True)])
    assert "geometry_repaired" in codes(unit_of(store, A))


def test_a_hole_stays_a_hole_wound_clockwise(store: Engine) -> None:
    with_hole = Polygon(square(0, 0, 60, 60).exterior, [square(20, 20).exterior])
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, with_hole)])
    unit = unit_of(store, A)
    drawn = polygon_of(unit.geometry)
    assert len(drawn.interiors) == 1
    assert not drawn.interiors[0].is_ccw
    assert unit.land is not None
    assert unit.land.geometric_area_m2 == pytest.approx(3200, abs=2)


def test_unknown_parcels_among_known_ones_are_named(street_of_three: Engine) -> None:
    unit = unit_of(street_of_three, A, f"{COMMUNE}000ZZ9999")
    assert [p.parcel_id for p in unit.parcels] == [A]
    assert any(w.code == "parcel_not_found" and "ZZ9999" in w.detail for w in unit.warnings)


def test_no_known_parcel_is_not_found(street_of_three: Engine) -> None:
    with pytest.raises(ParcelNotFound):
        unit_of(street_of_three, f"{COMMUNE}000ZZ9999")


def test_ids_are_normalised_and_folded_in_their_order(street_of_three: Engine) -> None:
    unit = unit_of(street_of_three, B.lower(), A, B)
    assert [p.parcel_id for p in unit.parcels] == [B, A]


def test_malformed_ids_are_pointed_at(street_of_three: Engine) -> None:
    with pytest.raises(InvalidPayload) as caught:
        unit_of(street_of_three, A, "75118AB12", "2C004000AB0012")
    assert [v.pointer for v in caught.value.violations] == ["/parcel_ids/1", "/parcel_ids/2"]


def test_too_many_ids_are_refused(street_of_three: Engine) -> None:
    with pytest.raises(InvalidPayload):
        unit_of(street_of_three, *[A] * (MAX_PARCEL_IDS + 1))


def test_a_test_key_sees_the_demo_commune_only(street_of_three: Engine) -> None:
    with pytest.raises(ParcelNotFound):
        unit_of(street_of_three, A, scope="demo")


def test_what_is_not_loaded_is_not_covered_and_said_so(street_of_three: Engine) -> None:
    unit = unit_of(street_of_three, A)
    status = {item.dataset: (item.status, item.reason) for item in unit.coverage}
    assert status["cadastre-parcels"] == ("covered", None)
    assert status["dvf"] == ("not_loaded", "not_loaded")
    assert [w for w in unit.warnings if w.code == "dataset_not_covered" and "dvf" in w.detail]
    assert [source.id for source in unit.sources] == ["cadastre-parcels"]
    assert unit.sources[0].edition == "e1"
    assert unit.sources[0].attribution


def test_dvf_is_not_published_in_alsace(store: Engine) -> None:
    load(store, "cadastre-parcels", "67482", [parcel(1, square(0, 0), commune="67482")])
    unit = unit_of(store, "67482000AB0001")
    assert ("not_published", "not_published") in [(c.status, c.reason) for c in unit.coverage if c.dataset == "dvf"]


def test_sales_come_newest_first_and_say_when_the_price_is_for_several_parcels(street_of_three: Engine) -> None:
    load(
        street_of_three,
        "dvf",
        COMMUNE,
        [
            dvf_row(A, "2021-1", date_mutation="2021-02-01"),
            dvf_row(A, "2021-2", date_mutation="2021-09-01"),
            dvf_row(B, "2021-2", date_mutation="2021-09-01"),
        ],
        part="2021",
    )
    unit = unit_of(street_of_three, A)
    assert [(s.id_mutation, s.parcel_count) for s in unit.history.sales] == [("2021-2", 2), ("2021-1", 1)]
    assert [w.code for w in unit.warnings if "2021-2" in w.detail] == ["sale_multiple_parcels"]


def test_years_of_sales_stand_beside_each_other(street_of_three: Engine) -> None:
    load(street_of_three, "dvf", COMMUNE, [dvf_row(A, "2021-1")], part="2021")
    load(street_of_three, "dvf", COMMUNE, [dvf_row(A, "2022-1", date_mutation="2022-01-01")], part="2022")
    assert [s.id_mutation for s in unit_of(street_of_three, A).history.sales] == ["2022-1", "2021-1"]
    sources = [s for s in unit_of(street_of_three, A).sources if s.id == "dvf"]
    assert len(sources) == 1


def test_a_sale_under_a_former_id_is_found_and_said_to_be(street_of_three: Engine) -> None:
    row = dvf_row(f"{COMMUNE}000AC0009", ancien_id_parcelle=A)
    load(street_of_three, "dvf", COMMUNE, [row], part="2021")
    unit = unit_of(street_of_three, A)
    assert [s.id_mutation for s in unit.history.sales] == ["2021-1"]
    assert "sale_former_parcel" in codes(unit)


def test_a_permit_lands_on_its_parcel_whichever_is_loaded_first(store: Engine) -> None:
    load(store, "sitadel-housing", COMMUNE, [permit("0189992400001", reference("0001"))])
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    assert [p.number for _, p in unit_of(store, A).history.authorizations] == ["0189992400001"]
    assert unit_of(store, B).history.authorizations == ()
    load(store, "sitadel-housing", COMMUNE, [permit("0189992400001", reference("0002"))], edition="e2")
    assert unit_of(store, A).history.authorizations == ()
    assert [p.number for _, p in unit_of(store, B).history.authorizations] == ["0189992400001"]


def test_an_ambiguous_reference_is_counted_and_never_attached(store: Engine) -> None:
    twice = [parcel(1, square(0, 0)), parcel(1, square(20, 0), prefix="042")]
    load(store, "cadastre-parcels", COMMUNE, twice)
    load(
        store,
        "sitadel-housing",
        COMMUNE,
        [permit("0189992400001", reference("0001")), permit("0189992400002", reference("0001", prefix="042"))],
    )
    unit = unit_of(store, A)
    assert unit.history.authorizations == ()
    assert [w.detail[0] for w in unit.warnings if w.code == "authorization_ambiguous"] == ["1"]
    named = unit_of(store, f"{COMMUNE}042AB0001")
    assert [p.number for _, p in named.history.authorizations] == ["0189992400002"]


def test_a_retired_reference_is_counted_and_not_attached(street_of_three: Engine) -> None:
    load(street_of_three, "sitadel-housing", COMMUNE, [permit("0189992400001", reference("0777"))])
    unit = unit_of(street_of_three, A)
    assert unit.history.authorizations == ()
    assert [w.code for w in unit.warnings if w.code.startswith("authorization")] == ["authorization_retired"]


def test_a_mixed_project_in_both_files_is_one_permit(street_of_three: Engine) -> None:
    housing = permit("0189992400001", reference("0001"), destination_principale="logements", superficie_terrain=None)
    premises = permit("0189992400001", reference("0001"), destination_principale="commerce", superficie_terrain="812")
    other_series = permit("0189992400001", reference("0001"), series="pd", type_dau="PD")
    load(street_of_three, "sitadel-housing", COMMUNE, [housing])
    load(street_of_three, "sitadel-premises", COMMUNE, [premises])
    load(street_of_three, "sitadel-demolition", COMMUNE, [other_series])
    found = unit_of(street_of_three, A).history.authorizations
    assert [(p.type_dau, p.destination_principale, p.superficie_terrain) for _, p in found] == [
        ("PC", "logements", "812"),
        ("PD", "logements", "400"),
    ]


def test_addresses_on_the_unit_are_those_inside_and_those_that_declare_it(street_of_three: Engine) -> None:
    load(
        street_of_three,
        "ban",
        COMMUNE,
        [
            address(1, "Rue des Lilas", (10, 10)),
            address(2, "Rue des Lilas", (30, 10)),
            address(3, "Rue des Lilas", (10, -3), parcel_ids=A),
            address(4, "Rue des Lilas", (30, -3)),
        ],
    )
    unit = unit_of(street_of_three, A)
    assert unit.land is not None
    assert [a.number for a in unit.land.addresses] == ["1", "3"]
    assert unit.land.commune_name == "Trifouillis-sur-Cher"


def test_blocks_that_are_not_asked_for_are_left_out(street_of_three: Engine) -> None:
    assert unit_of(street_of_three, A, blocks=()).land is None


def test_an_address_selects_its_parcel_and_says_how(street_of_three: Engine) -> None:
    load(street_of_three, "ban", COMMUNE, [address(12, "Rue des Lilas", (30, -3))])
    selection = Selection(AddressQuery(label="12 rue des lilas 18900 trifouillis sur cher"), [])
    unit = service(street_of_three).land_unit(selection, [], "all", "en")
    assert [p.parcel_id for p in unit.parcels] == [B]
    match = unit.matches[unit.parcels[0].parcel_id]
    assert (match.kind, match.distance_m) == ("nearest", 3.0)
    assert unit.address is not None
    assert unit.address.number == "12"


def test_without_its_communes_plan_an_address_has_no_parcel_but_those_it_declares(store: Engine) -> None:
    declared = f"{OTHER}000AB0002"
    plan_of_next_door = [parcel(1, square(0, 0), commune=OTHER), parcel(2, square(40, 0), commune=OTHER)]
    load(store, "cadastre-parcels", OTHER, plan_of_next_door)
    at = [address(12, "Rue des Lilas", (10, 10)), address(14, "Rue des Lilas", (10, 10), parcel_ids=declared)]
    load(store, "ban", COMMUNE, at)
    land = service(store)
    found = land.resolve_address(AddressQuery(label="12 rue des lilas 18900"), "all", "en")
    assert [warning.code for warning in found.warnings] == ["cadastre_not_covered"]
    assert not found.parcels
    found = land.resolve_address(AddressQuery(label="14 rue des lilas 18900"), "all", "en")
    assert [(match.parcel_id, match.kind) for match in found.parcels] == [(declared, "declared")]


def test_parcel_ids_select_and_the_address_is_echoed(street_of_three: Engine) -> None:
    load(street_of_three, "ban", COMMUNE, [address(12, "Rue des Lilas", (30, 3))])
    query = AddressQuery(label="12 rue des lilas 18900 trifouillis sur cher")
    unit = service(street_of_three).land_unit(Selection(query, [A]), [], "all", "en")
    assert [p.parcel_id for p in unit.parcels] == [A]
    assert unit.address is not None
    unknown = AddressQuery(label="rue qui n'existe pas 18900 trifouillis sur cher")
    assert service(street_of_three).land_unit(Selection(unknown, [A]), [], "all", "en").address is None


@pytest.mark.parametrize("label", ["Rue des Lilas 18900", "99 rue des Lilas 18900", "18900 Trifouillis-sur-Cher"])
def test_an_address_without_a_house_number_selects_no_land(street_of_three: Engine, label: str) -> None:
    load(street_of_three, "ban", COMMUNE, [address(12, "Rue des Lilas", (30, 3))])
    with pytest.raises(ParcelNotFound, match="house number"):
        service(street_of_three).land_unit(Selection(AddressQuery(label=label), []), [], "all", "en")


def test_an_unknown_address_is_not_found(street_of_three: Engine) -> None:
    with pytest.raises(AddressNotFound):
        service(street_of_three).land_unit(Selection(AddressQuery(label="1 rue X"), []), [], "all", "en")


def test_nothing_selected_is_invalid(street_of_three: Engine) -> None:
    with pytest.raises(InvalidPayload):
        service(street_of_three).land_unit(Selection(AddressQuery(label="  "), []), [], "all", "en")


def test_overlapping_outlines_of_old_plans_do_not_break_the_union(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(19.98, 0.01))])
    unit = unit_of(store, A, B)
    assert shapely.from_geojson(unit.geometry).is_valid


def test_a_permit_in_rows_far_apart_is_one(street_of_three: Engine) -> None:
    rows = [
        permit("0189992400001", reference("0001")),
        permit("0189992400002", reference("0002")),
        permit("0189992400001", reference("0003")),
    ]
    load(street_of_three, "sitadel-housing", COMMUNE, rows)
    unit = unit_of(street_of_three, A, C)
    assert {(parcel_id, permit.number) for parcel_id, permit in unit.history.authorizations} == {
        (A, "0189992400001"),
        (C, "0189992400001"),
    }
