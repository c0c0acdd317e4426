"""The urbanism block, from records in the store to the assembled answer, on both kinds of store."""

from collections.abc import Sequence

import pytest
import shapely
from land_builders import COMMUNE, DOCUMENT, PARTITION, load, parcel, prescription, service, square, zone
from shapely.geometry import LineString, Point, Polygon
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.pipeline import Selection
from land.records.planning import DocumentRecord, PlanningCommuneRecord, PrescriptionRecord, ZoneRecord
from land.store.planning import MAX_ROWS
from land.units.model import LandUnit
from land.units.overlap import ZoneOverlap
from land.units.urbanism import MAX_ITEMS, UrbanismBlock

on_sqlite = pytest.mark.parametrize("store", ["sqlite"], indirect=True)
"""For what the store has no part in."""

A, B, C = (f"{COMMUNE}000AB{number:04}" for number in (1, 2, 3))


@pytest.fixture
def lots(store: Engine) -> Engine:
    """Three lots of 20 m by 20 m in a row."""
    load(store, "cadastre-parcels", COMMUNE, [parcel(n + 1, square(20 * n, 0)) for n in range(3)])
    return store


def plan(store: Engine, *zones: ZoneRecord, partition: str = PARTITION, edition: str = "e1") -> None:
    load(store, "gpu-zones", partition, zones, edition=edition)


def prescribe(store: Engine, *items: PrescriptionRecord) -> None:
    for part in ("surface", "line", "point"):
        load(store, "gpu-prescriptions", PARTITION, [i for i in items if i.geometry_kind == part], part=part)


def unit_of(store: Engine, *parcel_ids: str, blocks: tuple[str, ...] = ("urbanism",)) -> LandUnit:
    return service(store).land_unit(Selection(AddressQuery(), parcel_ids), blocks, "all", "en")  # type: ignore[arg-type]


def block_of(store: Engine, *parcel_ids: str) -> UrbanismBlock:
    block = unit_of(store, *parcel_ids).urbanism
    assert block is not None
    return block


def ratios(zones: Sequence[ZoneOverlap]) -> list[tuple[str, object]]:
    return [(z.zone.label, z.ratio) for z in zones]


def coverage(unit: LandUnit) -> dict[str, tuple[str, str | None]]:
    return {c.dataset: (c.status, c.reason) for c in unit.coverage if c.dataset.startswith("gpu")}


def said(unit: LandUnit) -> list[str]:
    return [w.code for w in unit.warnings if w.block == "urbanism"]


def test_a_parcel_inside_one_zone_has_all_of_it(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    prescribe(lots)
    unit = unit_of(lots, A)
    assert unit.urbanism is not None
    (only,) = unit.urbanism.zones
    assert (only.zone.zone_type, only.zone.long_label, only.zone.document_id) == ("U", "Zone UB", DOCUMENT)
    assert only.area_m2 == pytest.approx(400, abs=0.2)
    assert only.ratio == 1
    (document,) = unit.urbanism.documents
    assert (document.document_id, document.document_type, document.approved_on) == (DOCUMENT, "PLU", "2024-01-31")
    assert coverage(unit) == {"gpu-zones": ("covered", None), "gpu-prescriptions": ("covered", None)}
    assert said(unit) == []
    assert {source.id for source in unit.sources} == {"cadastre-parcels", "gpu-zones", "gpu-prescriptions"}


@on_sqlite
def test_a_parcel_cut_by_two_zones_has_its_share_of_each_the_larger_first(lots: Engine) -> None:
    plan(lots, zone("A", square(-100, -100, 105, 300), "A"), zone("UB", square(5, -100, 200, 300)))
    zones = block_of(lots, A).zones
    assert ratios(zones) == [("UB", pytest.approx(0.75, abs=1e-3)), ("A", pytest.approx(0.25, abs=1e-3))]
    assert [zone.area_m2 for zone in zones] == pytest.approx([300, 100], abs=0.3)


def test_a_hole_of_a_zone_is_not_of_the_zone(lots: Engine) -> None:
    around = Polygon(square(-100, -100, 300, 300).exterior, [square(20, 0).exterior])
    plan(lots, zone("UB", around), zone("N", square(20, 0), "N"))
    assert [z.zone.label for z in block_of(lots, B).zones] == ["N"]
    assert [z.zone.label for z in block_of(lots, A).zones] == ["UB"]
    plan(lots, zone("UB", around), edition="e2")
    assert unit_of(lots, B).urbanism is None
    assert coverage(unit_of(lots, B))["gpu-zones"] == ("not_loaded", "not_loaded")


def test_a_unit_that_touches_the_plans_of_three_communes_shows_all_three(store: Engine) -> None:
    for place, commune in enumerate((COMMUNE, "18998", "18997")):
        load(store, "cadastre-parcels", commune, [parcel(1, square(20 * place, 0), commune=commune)])
        own = zone("U", square(20 * place, -50, 20, 100), partition=f"DU_{commune}", document_id=f"{commune}_PLU")
        plan(store, own, partition=f"DU_{commune}")
    ids = [f"{commune}000AB0001" for commune in (COMMUNE, "18998", "18997")]
    block = block_of(store, *ids)
    assert [d.document_id for d in block.documents] == ["18997_PLU", "18998_PLU", f"{COMMUNE}_PLU"]
    assert [z.zone.document_id for z in block.zones] == ["18997_PLU", "18998_PLU", f"{COMMUNE}_PLU"]
    assert [z.ratio for z in block.zones] == pytest.approx([1 / 3] * 3, abs=1e-3)
    editions = [s.edition for s in unit_of(store, *ids).sources if s.id == "gpu-zones"]
    assert editions == ["e1"]


@on_sqlite
def test_parts_of_one_zone_count_together_and_those_of_another_document_apart(lots: Engine) -> None:
    halves = [square(-100, -100, 110, 300), square(10, -100, 200, 300)]
    plan(lots, *(zone("UB", half) for half in halves))
    assert [z.ratio for z in block_of(lots, A).zones] == [1]
    elsewhere = zone("UB", halves[1], partition="DU_200011781", document_id="200011781_PLUi_20180101")
    plan(lots, zone("UB", halves[0]), edition="e2")
    plan(lots, elsewhere, partition="DU_200011781")
    assert [z.ratio for z in block_of(lots, A).zones] == pytest.approx([0.5, 0.5], abs=1e-3)


@on_sqlite
def test_slivers_are_left_out_and_large_ones_are_named(lots: Engine) -> None:
    whole = zone("UB", square(-100, -100, 300, 300))
    under_a_percent = zone("N", square(0, 0, 0.15, 20), "N")
    under_a_metre = zone("A", square(0, 0, 0.045, 20), "A")
    plan(lots, whole, under_a_percent, under_a_metre)
    unit = unit_of(lots, A)
    assert unit.urbanism is not None
    assert [z.zone.label for z in unit.urbanism.zones] == ["UB"]
    assert "planning_sliver" not in said(unit)
    load(lots, "cadastre-parcels", "18998", [parcel(1, square(0, 200, 60, 60), commune="18998")])
    plan(lots, zone("UB", square(-100, -100, 500, 500)), zone("N", square(0, 200, 0.5, 60), "N"), edition="e2")
    unit = unit_of(lots, "18998000AB0001")
    assert [w.detail for w in unit.warnings if w.code == "planning_sliver"] == [
        "“N” reaches in by 30 m² only, less than 1 % of the land unit: this overlap is left out."
    ]


@on_sqlite
def test_a_parcel_hardly_larger_than_a_sliver_has_its_zone(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0, 0.9, 0.9))])
    plan(store, zone("UB", square(-5, -5, 10, 10)))
    assert [z.zone.label for z in block_of(store, A).zones] == ["UB"]


@on_sqlite
def test_a_plan_that_covers_a_part_is_partial(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 115, 300)))
    unit = unit_of(lots, A)
    assert coverage(unit)["gpu-zones"] == ("partial", "not_loaded")
    assert [w.detail for w in unit.warnings if w.code == "zoning_partial"] == [
        "The known zones cover 75 % of the land unit; the rules of the rest are not known."
    ]


@on_sqlite
def test_zones_that_lie_over_each_other_are_said_to(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)), zone("N", square(0, 0, 10, 20), "N"))
    assert "zones_overlap" in said(unit_of(lots, A))


def test_without_a_plan_the_block_is_unknown_and_never_empty(lots: Engine) -> None:
    load(lots, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, False)])
    unit = unit_of(lots, A)
    assert unit.urbanism is None
    assert set(coverage(unit).values()) == {("not_loaded", "not_loaded")}
    assert said(unit) == ["zoning_not_covered"]
    assert [source.id for source in unit.sources] == ["cadastre-parcels"]


def test_a_commune_under_the_national_rules_is_covered_without_a_zone(lots: Engine) -> None:
    load(lots, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, True)])
    unit = unit_of(lots, A)
    assert unit.urbanism == UrbanismBlock((), (), (), True)
    assert set(coverage(unit).values()) == {("covered", None)}
    assert [source.id for source in unit.sources] == ["cadastre-parcels", "gpu-communes"]


@on_sqlite
def test_the_national_rules_are_unknown_where_the_publisher_was_not_asked(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    assert block_of(lots, A).is_rnu is None
    load(lots, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, False)])
    assert block_of(lots, A).is_rnu is False


def test_prescriptions_have_their_official_label_and_their_extent(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    prescribe(
        lots,
        prescription("ER 11", square(-10, 15, 40, 20), "05", subtype_code="01"),
        prescription("Haie", LineString([(-10, 5), (50, 5)]), "07", subtype_code="04"),
        prescription("Puits", Point(3, 3), "07", subtype_code="01"),
        prescription("Puits voisin", Point(23, 3), "07"),
        prescription("Code d'ailleurs", square(0, 0, 20, 20), "73"),
    )
    unit = unit_of(lots, A)
    assert unit.urbanism is not None
    found = [
        (
            p.prescription.label,
            p.prescription.type_code,
            p.type_label,
            p.prescription.geometry_kind,
            p.area_m2,
            p.length_m,
        )
        for p in unit.urbanism.prescriptions
    ]
    heritage = (
        "Patrimoine bâti, paysager ou éléments de paysages à protéger pour des motifs d'ordre culturel, historique, "
        "architectural ou écologique"
    )
    assert found == [
        ("ER 11", "05", "Emplacement réservé", "surface", pytest.approx(100, abs=0.2), None),
        ("Puits", "07", heritage, "point", None, None),
        ("Haie", "07", heritage, "line", None, pytest.approx(20.4, abs=0.1)),
        ("Code d'ailleurs", "73", None, "surface", pytest.approx(400, abs=0.5), None),
    ]
    assert coverage(unit)["gpu-prescriptions"] == ("covered", None)


@on_sqlite
def test_prescriptions_that_are_loaded_in_part_or_not_at_all_are_said_to_be(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    unit = unit_of(lots, A)
    assert coverage(unit)["gpu-prescriptions"] == ("not_loaded", "not_loaded")
    assert said(unit) == ["prescriptions_not_covered"]
    load(lots, "gpu-prescriptions", PARTITION, [prescription("ER 1", square(0, 0))], part="surface")
    unit = unit_of(lots, A)
    assert coverage(unit)["gpu-prescriptions"] == ("partial", "not_loaded")
    assert said(unit) == ["prescriptions_partial"]


@on_sqlite
def test_a_line_along_the_boundary_counts_and_one_that_touches_does_not(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    along = prescription("Alignement", LineString([(-10, -0.1), (50, -0.1)]), "15")
    touching = prescription("Voisin", LineString([(20, -10), (20.5, 30)]).parallel_offset(1.0, "right"), "15")
    prescribe(lots, along, touching)
    (found,) = block_of(lots, A).prescriptions
    assert found.prescription.label == "Alignement"
    assert found.length_m == pytest.approx(20.3, abs=0.2)


@on_sqlite
def test_an_answer_holds_so_many_prescriptions_and_says_when_there_are_more(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    prescribe(lots, *(prescription(f"{n:04}", Point(3, 3), "07") for n in range(MAX_ITEMS + 1)))
    unit = unit_of(lots, A)
    assert unit.urbanism is not None
    assert [p.prescription.label for p in unit.urbanism.prescriptions] == [f"{n:04}" for n in range(MAX_ITEMS)]
    assert said(unit) == ["planning_truncated"]
    prescribe(lots, *(prescription(f"{n:04}", Point(3, 3), "07") for n in range(MAX_ROWS)))
    unit = unit_of(lots, A)
    assert unit.urbanism is None
    assert set(coverage(unit).values()) == {("not_covered", "too_many")}


@on_sqlite
def test_a_multipart_parcel_adds_up_over_its_parts(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0), square(100, 0, 20, 60))])
    plan(store, zone("UB", square(-50, -50, 100, 200)), zone("N", square(50, -50, 200, 200), "N"))
    assert ratios(block_of(store, A).zones) == [
        ("N", pytest.approx(0.75, abs=1e-3)),
        ("UB", pytest.approx(0.25, abs=1e-3)),
    ]


@on_sqlite
def test_a_parcel_without_an_outline_has_no_known_zone(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1)])
    plan(store, zone("UB", square(-100, -100, 300, 300)))
    unit = unit_of(store, A)
    assert unit.urbanism is None
    assert set(coverage(unit).values()) == {("not_covered", "not_drawn")}


@on_sqlite
def test_a_unit_that_is_drawn_in_part_is_covered_in_part(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2)])
    plan(store, zone("UB", square(-100, -100, 300, 300)))
    prescribe(store)
    unit = unit_of(store, A, B)
    assert unit.urbanism is not None
    assert [z.zone.label for z in unit.urbanism.zones] == ["UB"]
    assert set(coverage(unit).values()) == {("partial", "not_drawn")}


@on_sqlite
def test_an_invalid_ring_that_was_repaired_counts_by_what_is_left_of_it(store: Engine) -> None:
    """Two triangles of 100 m², which a bow tie of 20 m by 20 m encloses."""
    bow_tie = shapely.make_valid(Polygon([(0, 0), (20, 20), (20, 0), (0, 20)]))
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, *shapely.get_parts(bow_tie), is_repaired=True)])
    plan(store, zone("UB", square(-100, -100, 110, 300)), zone("N", square(10, -100, 110, 300), "N"))
    assert [z.area_m2 for z in block_of(store, A).zones] == pytest.approx([100, 100], abs=0.2)


@on_sqlite
def test_a_zone_with_a_repaired_outline_is_named(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300), is_repaired=True))
    assert "planning_outline_repaired" in said(unit_of(lots, A))


def test_a_new_document_takes_the_place_of_the_old_one_whole(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)), zone("N", square(-100, 300, 300, 300), "N"))
    plan(lots, zone("AUc", square(-100, -100, 300, 300), "AUc", document_id="new"), edition="e2")
    assert [z.zone.label for z in block_of(lots, A).zones] == ["AUc"]


def test_a_plan_takes_the_place_of_a_carte_communale(lots: Engine) -> None:
    sector = zone("ZC", square(-100, -100, 300, 300), None, document_type="CC")
    load(lots, "gpu-zones", PARTITION, [sector], part="cc")
    assert [(z.zone.label, z.zone.zone_type) for z in block_of(lots, A).zones] == [("ZC", None)]
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    assert [z.zone.label for z in block_of(lots, A).zones] == ["UB"]
    load(lots, "gpu-zones", PARTITION, [], part="cc", edition="e2")  # what the publisher answers when asked again
    assert [z.zone.label for z in block_of(lots, A).zones] == ["UB"]


def test_what_the_publisher_says_of_a_document_goes_before_what_its_zones_say(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300), document_id="18999_PLUI_20240131", document_type=None))
    about = DocumentRecord(PARTITION, "18999_PLUi_20240131", "PLUi", None, "https://example.invalid/plan")
    load(lots, "gpu-documents", PARTITION, [about, about._replace(document_id="18999_POS_19990101")])
    (document,) = block_of(lots, A).documents
    assert (document.document_id, document.document_type, document.approved_on, document.url) == (
        "18999_PLUI_20240131",
        "PLUi",
        "2024-01-31",
        "https://example.invalid/plan",
    )
    assert "gpu-documents" in {source.id for source in unit_of(lots, A).sources}


def test_planning_feeds_no_answer_that_did_not_ask_for_it(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    load(lots, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, False)])
    unit = unit_of(lots, A, blocks=("land",))
    assert [source.id for source in unit.sources] == ["cadastre-parcels"]
    assert coverage(unit) == {}
