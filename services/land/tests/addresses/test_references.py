"""Parcels, buildings and addresses that a text names by a reference, on both stores."""

from dataclasses import replace

import pytest
from land_builders import COMMUNE, address, building, load, parcel, square, unit_of
from sqlalchemy import Engine

from land.addresses.model import AddressQuery, Resolution
from land.addresses.references import read_ban_id, read_parcel, read_rnb_id
from land.addresses.suggesting import Typed
from land.datasets.communes.records import CommuneRecord
from land.errors import AddressNotFound, ParcelNotFound
from land.parcel_search.model import ParcelSearch
from land.pipeline import Pipeline
from land.selection import AddressRequest, Selection
from servicekit.errors import ServiceError

PARCEL, MERGED = f"{COMMUNE}000AN0221", f"{COMMUNE}123AB0007"
OTHER = "18998"


@pytest.fixture
def loaded(store: Engine) -> Engine:
    numbers = [address(12, "Rue A", (5, 5), street_id=f"{COMMUNE}_0001", suffix="bis"), address(1, "D 12", (90, 0))]
    load(store, "ban", COMMUNE, numbers)
    load(store, "ban", OTHER, [address(9, "Rue B", (990, 0), commune=OTHER, city="Ailleurs")])
    plan = [parcel(221, square(0, 0), section="AN"), parcel(12, square(40, 0), section="0D")]
    twins = [parcel(7, square(20, 0)), parcel(7, square(60, 0), prefix="123")]
    load(store, "cadastre-parcels", COMMUNE, [*plan, *twins])
    load(store, "cadastre-parcels", OTHER, [parcel(221, square(990, 0), section="AN", commune=OTHER)])
    houses = [
        building("AAAABBBB0001", square(0, 0), partition="18", plots=f"{MERGED}:0.2|{PARCEL}:0.8"),
        building("AAAABBBB0002", square(65, 5, 5, 5), partition="18"),
    ]
    load(store, "rnb", "18", houses)
    return store


def outcome(store: Engine, label: str, **fields: str) -> Resolution | ServiceError | None:
    request = AddressRequest(AddressQuery(label, **fields), "all")
    return Pipeline(store).resolve_addresses([request])[0]


def resolved(store: Engine, label: str, **fields: str) -> Resolution:
    answer = outcome(store, label, **fields)
    assert isinstance(answer, Resolution), answer
    return answer


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("AN 221 Ustaritz", ("", "AN", "0221", "ustaritz")),
        ("section AN n° 221 à 64547", ("", "AN", "0221", "64547")),
        ("000 AN 221", ("000", "AN", "0221", "")),
        ("64480 Ustaritz, parcelle an0221", ("", "AN", "0221", "64480 ustaritz")),
        ("Section N n°7 commune de La Rochelle", ("", "0N", "0007", "la rochelle")),
        ("section 12 n° 5 Colmar", ("", "12", "0005", "colmar")),
        ("64547 000 AN 0221", ("000", "AN", "0221", "64547")),
        ("2a004000ab0012", ("000", "AB", "0012", "2a004")),
    ],
)
def test_a_parcel_as_people_write_it(text: str, parts: tuple[str, ...]) -> None:
    reference = read_parcel(AddressQuery(text))
    assert reference is not None
    assert reference[:4] == parts


@pytest.mark.parametrize("text", ["12 rue A 64480 Ustaritz", "8 mai 1945", "Ustaritz", "12 bis Ustaritz", "AN 22100"])
def test_an_address_is_no_reference(text: str) -> None:
    assert read_parcel(AddressQuery(text)) is None


@pytest.mark.parametrize("text", ["AN 221 Trifouillis-sur-Cher", f"section AN n° 221 à {COMMUNE}", PARCEL.lower()])
def test_a_reference_resolves_to_its_parcel(loaded: Engine, text: str) -> None:
    answer = resolved(loaded, text)
    assert (answer.address.type, answer.address.id) == ("parcel", PARCEL)
    assert answer.address.label == "AN 221, 18900 Trifouillis-sur-Cher"
    assert [(match.parcel_id, match.kind) for match in answer.parcels] == [(PARCEL, "named")]
    assert not answer.alternatives
    assert not answer.warnings


def test_fields_name_the_commune(loaded: Engine) -> None:
    assert resolved(loaded, "AN 221", city_code=COMMUNE).address.id == PARCEL
    assert resolved(loaded, "AN 221", city="Ailleurs").address.id == f"{OTHER}000AN0221"


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("AN 221 18900", {PARCEL, f"{OTHER}000AN0221"}),
        (f"section AB 7 {COMMUNE}", {f"{COMMUNE}000AB0007", MERGED}),
        ("D 12 Trifouillis-sur-Cher", {f"{COMMUNE}0000D0012", "D 12"}),
    ],
)
def test_what_is_ambiguous_has_candidates(loaded: Engine, text: str, candidates: set[str]) -> None:
    answer = resolved(loaded, text)
    assert {item.street or item.id for item in (answer.address, *answer.alternatives)} == candidates
    assert not answer.parcels
    assert [item.code for item in answer.warnings] == ["reference_ambiguous"]
    with pytest.raises(ParcelNotFound) as refused:
        unit_of(Pipeline(loaded), Selection(AddressQuery(text), []), [], "all")
    assert answer.address.id in str(refused.value.detail)


def test_a_prefix_or_a_kind_decides(loaded: Engine) -> None:
    assert resolved(loaded, f"123 AB 7 {COMMUNE}").address.label.startswith("123 AB 7")
    assert resolved(loaded, f"section D n° 12 {COMMUNE}").address.id == f"{COMMUNE}0000D0012"


def test_an_unknown_parcel_is_refused(loaded: Engine) -> None:
    assert isinstance(outcome(loaded, f"AN 999 {COMMUNE}"), ParcelNotFound)
    assert isinstance(outcome(loaded, "section AN n° 221"), AddressNotFound)


def test_the_id_of_an_address(loaded: Engine) -> None:
    answer = resolved(loaded, f"{COMMUNE}_0001_00012_BIS")
    assert answer.address.label == "12 bis Rue A, 18900 Trifouillis-sur-Cher"
    assert [match.parcel_id for match in answer.parcels] == [PARCEL]
    assert read_ban_id(f"{COMMUNE}_0001") == ""
    assert isinstance(outcome(loaded, f"{COMMUNE}_0001_00013"), AddressNotFound)


def test_a_building_leads_to_its_parcels(loaded: Engine) -> None:
    answer = resolved(loaded, "aaaa-bbbb-0001")
    assert (answer.address.type, answer.address.label) == (
        "building",
        "RNB AAAA-BBBB-0001, 18900 Trifouillis-sur-Cher",
    )
    assert [match.parcel_id for match in answer.parcels] == [PARCEL, MERGED]
    assert "rnb" in {source.id for source in answer.sources}
    assert [match.parcel_id for match in resolved(loaded, "AAAABBBB0002").parcels] == [MERGED]
    assert isinstance(outcome(loaded, "AAAABBBB0003"), AddressNotFound)
    assert read_rnb_id("Trifouillisx") == ""


def test_land_search_and_suggestions_take_a_reference(loaded: Engine) -> None:
    pipeline, query = Pipeline(loaded), AddressQuery("AN 221 Trifouillis-sur-Cher")
    unit = unit_of(pipeline, Selection(query, []), [], "all")
    assert [record.parcel_id for record in unit.parcels] == [PARCEL]
    page = pipeline.search_parcels(ParcelSearch(address=query, reach_m=1.0), "all")
    assert [item.record.parcel_id for item in page.parcels] == [f"{COMMUNE}000AB0007", PARCEL]
    suggestions = pipeline.suggest_addresses(Typed(query.label, 5, None, ""), "all")
    assert suggestions[0] == replace(unit.address, matched=suggestions[0].matched) if unit.address else False


def test_the_demo_hides_other_communes(loaded: Engine) -> None:
    for label in (PARCEL, f"{COMMUNE}_0001_00012_bis", "AAAA-BBBB-0001"):
        answer = Pipeline(loaded).resolve_addresses([AddressRequest(AddressQuery(label), "demo")])[0]
        assert isinstance(answer, AddressNotFound), label


@pytest.mark.parametrize(
    "label", [f"{COMMUNE}000AN0221", f"section AN n° 221 à {COMMUNE}", "AN 221 Trifouillis-sur-Cher (Cher)"]
)
def test_a_parcel_is_found_without_the_addresses_of_its_commune(store: Engine, label: str) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(221, square(0, 0), section="AN")])
    if "Cher" in label:
        load(store, "cog", "FR", [CommuneRecord("COM", COMMUNE, "Trifouillis-sur-Cher", "")], part="communes")
    answer = resolved(store, label)
    assert [match.parcel_id for match in answer.parcels] == [PARCEL]
    assert answer.address.city_code == COMMUNE


@pytest.mark.parametrize("label", ["n° 10 rue Lepic", "no 10 rue Lepic Paris", "du 10 au 14 rue Lepic", "au 12, rue A"])
def test_a_house_number_is_no_parcel(label: str) -> None:
    assert read_parcel(AddressQuery(label)) is None
