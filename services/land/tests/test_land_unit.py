"""Land units, from records in the store to the answer: outline, history, addresses and selection."""

import json

import pytest
import shapely
from land_builders import (
    COMMUNE,
    address,
    coverage,
    dvf_row,
    land_unit,
    load,
    parcel,
    permit,
    reference,
    resolution_of,
    square,
    unit_of,
    warning_codes,
    wkb,
)
from shapely import affinity
from shapely.geometry import Polygon, box
from shapely.geometry.base import BaseGeometry
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.answers.refusals import MAX_PARCEL_IDS
from land.datasets.communes.records import CommuneRecord
from land.errors import AddressNotFound, ParcelNotFound
from land.pipeline import Pipeline
from land.rpc import messages
from land.selection import Selection
from servicekit.errors import InvalidPayload

OTHER = "18998"
A, B, C, D = (f"{COMMUNE}000AB{number:04}" for number in (1, 2, 3, 4))


def polygon_of(geojson: bytes) -> Polygon:
    outline = shapely.from_geojson(geojson)
    assert isinstance(outline, Polygon)
    return outline


@pytest.fixture
def street(store: Engine) -> Engine:
    """Three lots of 20 m by 20 m in a row, with a street to the south and a field to the north."""
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


def test_adjacent_parcels_are_one_polygon_valid_in_rfc_7946(street: Engine) -> None:
    unit = land_unit(street, A, B)
    geometry = json.loads(unit.geometry)
    outline = polygon_of(unit.geometry)
    assert outline.is_valid
    assert outline.exterior.is_ccw
    assert unit.bbox == pytest.approx(outline.bounds, abs=1e-7)
    digits = [str(value).partition(".")[2] for pair in geometry["coordinates"][0] for value in pair]
    assert max(map(len, digits)) <= 7
    assert unit.land is not None
    assert unit.land.geometric_area_m2 == pytest.approx(800, abs=1)
    assert unit.land.cadastral_area_m2 == 800
    assert unit.land.perimeter_m == pytest.approx(120, abs=0.1)
    assert unit.land.is_contiguous is True
    assert (unit.land.sections, unit.land.numbers) == (("AB",), ("0001", "0002"))


def test_frontage_is_the_boundary_on_the_street(street: Engine) -> None:
    unit = land_unit(street, B)
    assert unit.land is not None
    assert unit.land.frontage_m == pytest.approx(20, abs=0.5)
    assert json.loads(unit.land.frontage)["type"] == "MultiLineString"
    assert "frontage_estimated" in warning_codes(unit)


def test_separate_parcels_are_one_multipolygon_that_is_not_contiguous(street: Engine) -> None:
    unit = land_unit(street, A, C)
    assert json.loads(unit.geometry)["type"] == "MultiPolygon"
    assert unit.land is not None
    assert unit.land.is_contiguous is False
    outlines = [shapely.from_geojson(parcel.outline) for parcel in messages.land_unit(unit).parcels]
    assert shapely.union_all(outlines).equals_exact(shapely.from_geojson(unit.geometry), 1e-7, normalize=True)
    assert {parcel.outline for parcel in messages.without_outlines(messages.land_unit(unit)).parcels} == {b""}


@pytest.mark.parametrize("turn_deg", [0, 33])
def test_land_that_is_narrower_than_the_grid_of_the_plan_is_measured(store: Engine, turn_deg: int) -> None:
    """Two parcels a millimetre wide, beside each other."""
    strips = [affinity.rotate(box(x, 0.004, x + 0.001, 20), turn_deg, (0, 0)) for x in (0.004, 0.005)]
    load(store, "cadastre-parcels", COMMUNE, [parcel(number, strip) for number, strip in enumerate(strips, 1)])
    unit = land_unit(store, A, B, blocks=("land", "buildings", "real_estate", "urbanism", "risks"))
    assert unit.land is not None
    assert unit.land.perimeter_m == pytest.approx(40, abs=0.1)
    assert "part_failed" not in warning_codes(unit)


ODD_SHAPES = {
    "sliver": box(0, 0, 60, 0.02),
    "one metre": box(0, 0, 1, 1),
    "one square millimetre": box(0, 0, 0.001, 0.001),
    "flat": Polygon([(0, 0), (50, 0), (25, 0)]),
    "hole": Polygon(box(0, 0, 40, 40).exterior, [box(12, 12, 28, 28).exterior]),
    "200 corners": shapely.Point(0, 0).buffer(25, quad_segs=50),
    "apart": shapely.MultiPolygon([box(0, 0, 0.001, 20), box(5, 0, 20, 20)]),
}


@pytest.mark.parametrize("shape", ODD_SHAPES.values(), ids=ODD_SHAPES)
def test_no_block_fails_on_an_odd_shape(store: Engine, shape: BaseGeometry) -> None:
    record = parcel(1, square(0, 0))._replace(geometry=wkb(shape))
    around = [parcel(2, square(60, 0)), parcel(3, square(-60, 0))]
    load(store, "cadastre-parcels", COMMUNE, [record, *around])
    for ids in ([A], [A, B]):
        unit = land_unit(store, *ids, blocks=("land", "buildings", "real_estate", "urbanism", "risks"))
        assert messages.land_unit(unit).geometry
        assert "part_failed" not in warning_codes(unit)


def test_the_declared_area_is_unknown_when_one_parcel_has_none(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0), area=None), parcel(2, square(20, 0))])
    unit = land_unit(store, A, B)
    assert unit.land is not None
    assert unit.land.cadastral_area_m2 is None
    assert unit.land.geometric_area_m2 == pytest.approx(800, abs=1)
    assert warning_codes(unit).count("cadastral_area_missing") == 1


def test_a_parcel_without_outline_has_a_declared_area_and_no_geometry(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1)])
    unit = land_unit(store, A)
    assert unit.geometry == b""
    assert unit.bbox == ()
    assert unit.parcels[0].cadastral_area_m2 == 400
    assert unit.parcels[0].geometric_area_m2 is None
    assert "geometry_missing" in warning_codes(unit)


def test_a_repaired_outline_has_a_warning(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0), is_repaired=True)])
    assert "geometry_repaired" in warning_codes(land_unit(store, A))


def test_holes_are_kept_and_wound_clockwise(store: Engine) -> None:
    with_hole = Polygon(square(0, 0, 60, 60).exterior, [square(20, 20).exterior])
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, with_hole)])
    unit = land_unit(store, A)
    outline = polygon_of(unit.geometry)
    assert len(outline.interiors) == 1
    assert not outline.interiors[0].is_ccw
    assert unit.land is not None
    assert unit.land.geometric_area_m2 == pytest.approx(3200, abs=2)


def test_unknown_parcels_among_known_ones_have_a_warning(street: Engine) -> None:
    unit = land_unit(street, A, f"{COMMUNE}000ZZ9999")
    assert [p.parcel_id for p in unit.parcels] == [A]
    assert any(w.code == "parcel_not_found" and "ZZ9999" in str(w.detail) for w in unit.warnings)


def test_a_request_for_unknown_parcels_only_is_not_found(street: Engine) -> None:
    with pytest.raises(ParcelNotFound):
        land_unit(street, f"{COMMUNE}000ZZ9999")


def test_ids_are_normalised_and_deduplicated_in_order(street: Engine) -> None:
    unit = land_unit(street, B.lower(), A, B)
    assert [p.parcel_id for p in unit.parcels] == [B, A]


def test_violations_point_at_malformed_ids(street: Engine) -> None:
    with pytest.raises(InvalidPayload) as caught:
        land_unit(street, A, "75118AB12", "2C004000AB0012")
    assert [v.pointer for v in caught.value.violations] == ["/parcel_ids/1", "/parcel_ids/2"]


def test_too_many_ids_are_refused(street: Engine) -> None:
    with pytest.raises(InvalidPayload):
        land_unit(street, *[A] * (MAX_PARCEL_IDS + 1))


def test_a_test_key_sees_the_demo_commune_only(street: Engine) -> None:
    with pytest.raises(ParcelNotFound):
        land_unit(street, A, scope="demo")


def test_datasets_not_loaded_have_a_status_and_a_warning(street: Engine) -> None:
    unit = land_unit(street, A)
    assert coverage(unit)["cadastre-parcels"] == ("covered", None)
    assert coverage(unit)["dvf"] == ("not_loaded", "not_loaded")
    assert [w for w in unit.warnings if w.code == "dataset_not_covered" and "dvf" in str(w.detail)]
    assert [source.id for source in unit.sources] == ["cadastre-parcels"]
    assert unit.sources[0].edition == "e1"
    assert unit.sources[0].attribution


def test_dvf_is_not_published_in_alsace(store: Engine) -> None:
    load(store, "cadastre-parcels", "67482", [parcel(1, square(0, 0), commune="67482")])
    unit = land_unit(store, "67482000AB0001")
    assert coverage(unit)["dvf"] == ("not_published", "not_published")


def test_sales_are_newest_first_with_a_warning_for_prices_of_several_parcels(street: Engine) -> None:
    load(
        street,
        "dvf",
        COMMUNE,
        [
            dvf_row(A, "2021-1", date_mutation="2021-02-01"),
            dvf_row(A, "2021-2", date_mutation="2021-09-01"),
            dvf_row(B, "2021-2", date_mutation="2021-09-01"),
        ],
        part="2021",
    )
    unit = land_unit(street, A)
    assert [(s.id_mutation, s.parcel_count) for s in unit.history.sales] == [("2021-2", 2), ("2021-1", 1)]
    assert [w.code for w in unit.warnings if "2021-2" in str(w.detail)] == ["sale_multiple_parcels"]


def test_sales_of_several_years_are_merged(street: Engine) -> None:
    load(street, "dvf", COMMUNE, [dvf_row(A, "2021-1")], part="2021")
    load(street, "dvf", COMMUNE, [dvf_row(A, "2022-1", date_mutation="2022-01-01")], part="2022")
    assert [s.id_mutation for s in land_unit(street, A).history.sales] == ["2022-1", "2021-1"]
    sources = [s for s in land_unit(street, A).sources if s.id == "dvf"]
    assert len(sources) == 1


def test_a_sale_under_a_former_id_is_found_with_a_warning(street: Engine) -> None:
    row = dvf_row(f"{COMMUNE}000AC0009", ancien_id_parcelle=A)
    load(street, "dvf", COMMUNE, [row], part="2021")
    unit = land_unit(street, A)
    assert [s.id_mutation for s in unit.history.sales] == ["2021-1"]
    assert "sale_former_parcel" in warning_codes(unit)


def test_a_permit_is_placed_on_its_parcel_in_either_load_order(store: Engine) -> None:
    load(store, "sitadel-housing", COMMUNE, [permit("0189992400001", reference("0001"))])
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    assert [p.number for _, p in land_unit(store, A).history.authorizations] == ["0189992400001"]
    assert land_unit(store, B).history.authorizations == ()
    load(store, "sitadel-housing", COMMUNE, [permit("0189992400001", reference("0002"))], edition="e2")
    assert land_unit(store, A).history.authorizations == ()
    assert [p.number for _, p in land_unit(store, B).history.authorizations] == ["0189992400001"]


def test_a_permit_of_a_merged_commune_is_placed_by_the_prefix_of_its_parcels(store: Engine) -> None:
    """Ruffieu (01330) is a part of Haut Valromey (01187) since 2025: its permits keep the former code."""
    communes = [CommuneRecord("COM", "01187", "Haut Valromey", ""), CommuneRecord("COMD", "01330", "Ruffieu", "01187")]
    load(store, "cog", "FR", communes, part="communes")
    load(store, "cadastre-parcels", "01187", [parcel(1, square(0, 0), commune="01187", prefix="330")])
    filed = [reference(number, commune="01330") for number in ("0001", "0002")]
    permits = [permit("0013302300001", *filed, filing_commune="01330")]
    load(store, "sitadel-housing", "01330", permits)
    unit = land_unit(store, "01187330AB0001")
    assert [item.number for _, item in unit.history.authorizations] == ["0013302300001"]
    assert "authorization_retired" in warning_codes(unit, "history")
    assert unit.land is not None
    assert (unit.land.commune_name, "cog" in {source.id for source in unit.sources}) == ("Haut Valromey", True)
    load(store, "cadastre-parcels", "01330", [parcel(1, square(0, 0), commune="01330")])
    own = land_unit(store, "01330000AB0001").history.authorizations
    assert [item.number for _, item in own] == ["0013302300001"], "the former commune still has a plan of its own"


def test_an_ambiguous_reference_is_counted_and_not_placed(store: Engine) -> None:
    twice = [parcel(1, square(0, 0)), parcel(1, square(20, 0), prefix="042")]
    load(store, "cadastre-parcels", COMMUNE, twice)
    load(
        store,
        "sitadel-housing",
        COMMUNE,
        [permit("0189992400001", reference("0001")), permit("0189992400002", reference("0001", prefix="042"))],
    )
    unit = land_unit(store, A)
    assert unit.history.authorizations == ()
    ambiguous = [str(w.detail) for w in unit.warnings if w.code == "authorization_ambiguous"]
    assert [detail.rpartition(" ")[2] for detail in ambiguous] == ["1."]
    named = land_unit(store, f"{COMMUNE}042AB0001")
    assert [p.number for _, p in named.history.authorizations] == ["0189992400002"]


def test_a_retired_reference_is_counted_and_not_placed(street: Engine) -> None:
    load(street, "sitadel-housing", COMMUNE, [permit("0189992400001", reference("0777"))])
    unit = land_unit(street, A)
    assert unit.history.authorizations == ()
    assert [w.code for w in unit.warnings if w.code.startswith("authorization")] == ["authorization_retired"]


def test_a_mixed_project_in_both_files_is_one_permit(street: Engine) -> None:
    housing = permit("0189992400001", reference("0001"), destination_principale="logements", superficie_terrain=None)
    premises = permit("0189992400001", reference("0001"), destination_principale="commerce", superficie_terrain="812")
    other_series = permit("0189992400001", reference("0001"), series="pd", type_dau="PD")
    load(street, "sitadel-housing", COMMUNE, [housing])
    load(street, "sitadel-premises", COMMUNE, [premises])
    load(street, "sitadel-demolition", COMMUNE, [other_series])
    authorizations = land_unit(street, A).history.authorizations
    assert [(p.type_dau, p.destination_principale, p.superficie_terrain) for _, p in authorizations] == [
        ("PC", "logements", "812"),
        ("PD", "logements", "400"),
    ]


def test_addresses_of_a_land_unit_lie_inside_or_declare_it(street: Engine) -> None:
    load(
        street,
        "ban",
        COMMUNE,
        [
            address(1, "Rue des Lilas", (10, 10)),
            address(2, "Rue des Lilas", (30, 10)),
            address(3, "Rue des Lilas", (10, -3), parcel_ids=A),
            address(4, "Rue des Lilas", (30, -3)),
        ],
    )
    unit = land_unit(street, A)
    assert unit.land is not None
    assert [a.number for a in unit.land.addresses] == ["1", "3"]
    assert unit.land.commune_name == "Trifouillis-sur-Cher"


def test_blocks_not_requested_are_absent(street: Engine) -> None:
    assert land_unit(street, A, blocks=()).land is None


def test_an_address_selects_its_parcel_with_match_kind_and_distance(street: Engine) -> None:
    load(street, "ban", COMMUNE, [address(12, "Rue des Lilas", (30, -3))])
    selection = Selection(AddressQuery(label="12 rue des lilas 18900 trifouillis sur cher"), [])
    unit = unit_of(Pipeline(street), selection, [], "all")
    assert [p.parcel_id for p in unit.parcels] == [B]
    [match] = unit.matches
    assert (match.kind, match.distance_m) == ("nearest", 3.0)
    assert unit.address is not None
    assert unit.address.number == "12"


def test_distances_are_rounded_after_the_nearest_parcel_is_chosen(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(3.04, 0)), parcel(2, square(-23.01, 0))])
    load(store, "ban", COMMUNE, [address(12, "Rue des Lilas", (0, 10))])
    resolution = resolution_of(Pipeline(store), AddressQuery(label="12 rue des lilas 18900"))
    assert [(match.parcel_id, match.distance_m) for match in resolution.parcels] == [(B, 3.0)]


def test_without_a_plan_an_address_has_declared_parcels_only(store: Engine) -> None:
    declared = f"{OTHER}000AB0002"
    neighbouring_plan = [parcel(1, square(0, 0), commune=OTHER), parcel(2, square(40, 0), commune=OTHER)]
    load(store, "cadastre-parcels", OTHER, neighbouring_plan)
    addresses = [address(12, "Rue des Lilas", (10, 10)), address(14, "Rue des Lilas", (10, 10), parcel_ids=declared)]
    load(store, "ban", COMMUNE, addresses)
    land = Pipeline(store)
    resolution = resolution_of(land, AddressQuery(label="12 rue des lilas 18900"))
    assert [warning.code for warning in resolution.warnings] == ["cadastre_not_covered"]
    assert not resolution.parcels
    resolution = resolution_of(land, AddressQuery(label="14 rue des lilas 18900"))
    assert [(match.parcel_id, match.kind) for match in resolution.parcels] == [(declared, "declared")]


def test_parcel_ids_take_precedence_over_the_address(street: Engine) -> None:
    load(street, "ban", COMMUNE, [address(12, "Rue des Lilas", (30, 3))])
    query = AddressQuery(label="12 rue des lilas 18900 trifouillis sur cher")
    unit = unit_of(Pipeline(street), Selection(query, [A]), [], "all")
    assert [p.parcel_id for p in unit.parcels] == [A]
    assert unit.address is not None
    unknown = AddressQuery(label="rue qui n'existe pas 18900 trifouillis sur cher")
    assert unit_of(Pipeline(street), Selection(unknown, [A]), [], "all").address is None


@pytest.mark.parametrize("label", ["Rue des Lilas 18900", "99 rue des Lilas 18900", "18900 Trifouillis-sur-Cher"])
def test_an_address_without_a_house_number_selects_no_land(street: Engine, label: str) -> None:
    load(street, "ban", COMMUNE, [address(12, "Rue des Lilas", (30, 3))])
    with pytest.raises(ParcelNotFound, match="house number"):
        unit_of(Pipeline(street), Selection(AddressQuery(label=label), []), [], "all")


def test_an_unknown_address_is_not_found(street: Engine) -> None:
    with pytest.raises(AddressNotFound):
        unit_of(Pipeline(street), Selection(AddressQuery(label="1 rue X"), []), [], "all")


def test_an_empty_selection_is_invalid(street: Engine) -> None:
    with pytest.raises(InvalidPayload):
        unit_of(Pipeline(street), Selection(AddressQuery(label="  "), []), [], "all")


def test_overlapping_outlines_have_a_valid_union(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(19.98, 0.01))])
    unit = land_unit(store, A, B)
    assert shapely.from_geojson(unit.geometry).is_valid


def test_a_permit_in_separate_rows_is_one(street: Engine) -> None:
    rows = [
        permit("0189992400001", reference("0001")),
        permit("0189992400002", reference("0002")),
        permit("0189992400001", reference("0003")),
    ]
    load(street, "sitadel-housing", COMMUNE, rows)
    unit = land_unit(street, A, C)
    assert {(parcel_id, permit.number) for parcel_id, permit in unit.history.authorizations} == {
        (A, "0189992400001"),
        (C, "0189992400001"),
    }
