"""The place of a query: city codes of whole cities, municipalities, and queries that name no commune."""

import pytest
from land_builders import COMMUNE, address, load, resolution_of
from small_index import COMMUNES, INDEX
from sqlalchemy import Engine

from land.addresses.gazetteer import Gazetteer
from land.addresses.missing_place import Reason, missing_place
from land.addresses.model import AddressQuery
from land.addresses.resolver import resolve
from land.datasets.communes.records import CommuneRecord
from land.errors import AddressNotFound, CommuneNeeded, PlaceMissing
from land.pipeline import Pipeline

OTHER = "18998"
DEMO = "00001"


@pytest.mark.parametrize(
    ("code", "former", "codes"),
    [
        ("75056", "", {"75111", "75118"}),
        ("75118", "", {"75118"}),
        ("75999", "75056", {"75111", "75118"}),
        ("29001", "29232", {"29232"}),
        ("13055", "", set()),
        ("99999", "", set()),
        ("", "", set()),
    ],
)
def test_the_code_of_a_city_means_its_arrondissements(code: str, former: str, codes: set[str]) -> None:
    assert (
        Gazetteer(COMMUNES, lambda city_code: [former] if former and city_code == code else []).present_codes(code)
        == codes
    )


@pytest.mark.parametrize(
    ("query", "city_code", "label", "district"),
    [
        ({"label": "Paris"}, "75056", "Paris", None),
        ({"city": "paris"}, "75056", "Paris", None),
        ({"city_code": "75056"}, "75056", "Paris", None),
        ({"city": "Paris 18e"}, "75118", "75018 Paris", "Paris 18e Arrondissement"),
        ({"label": "75018 Paris"}, "75118", "75018 Paris", "Paris 18e Arrondissement"),
        ({"city_code": "75118"}, "75118", "75018 Paris", "Paris 18e Arrondissement"),
        ({"label": "Quimper"}, "29232", "29000 Quimper", None),
    ],
)
def test_a_municipality_has_the_name_of_mail(
    query: dict[str, str], city_code: str, label: str, district: str | None
) -> None:
    resolution = resolve(AddressQuery(**query), INDEX)
    assert resolution is not None
    answered = resolution.address
    assert (answered.type, answered.city_code, answered.label) == ("municipality", city_code, label)
    assert (answered.city, answered.district) == (label.rsplit(maxsplit=1)[-1], district)
    assert answered.score > 0.9


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"label": "10 rue Lepic"}, "place_missing"),
        ({"label": "10 rue de Paris"}, "place_missing"),
        ({"street": "rue Lepic", "number": "10"}, "place_missing"),
        ({"label": "?"}, "place_missing"),
        ({"label": "12 rue de la Corse"}, "place_missing"),
        ({"label": "Ain"}, "commune_needed"),
        ({"label": "10 rue Lepic, Finistère"}, "commune_needed"),
        ({"label": "Île-de-France"}, "commune_needed"),
        ({"street": "rue Lepic", "city": "La Réunion"}, "commune_needed"),
        ({"label": "10 rue Lepic", "city": "CORSE"}, "commune_needed"),
        ({"label": "10 rue Lepic Paris"}, None),
        ({"label": "Quimper 10 rue Lepic"}, None),
        ({"label": "10 rue Lepic 75018"}, None),
        ({"label": "10 rue Lepic", "city": "Nulle-Part"}, None),
        ({"label": "10 rue Lepic", "city_code": "99999"}, None),
    ],
)
def test_what_place_a_query_lacks(query: dict[str, str], reason: Reason | None) -> None:
    assert missing_place(AddressQuery(**query), [INDEX.gazetteer]) == reason


def test_a_department_with_the_name_of_a_commune_means_the_commune() -> None:
    assert missing_place(AddressQuery(city="Vienne"), [INDEX.gazetteer]) == "commune_needed"
    assert missing_place(AddressQuery(city="Paris"), [INDEX.gazetteer]) is None


def load_streets(store: Engine, commune: str, *streets: str) -> None:
    addresses = [address(1, name, (0, 0), street_id=f"{commune}_{at:04}") for at, name in enumerate(streets)]
    load(
        store,
        "ban",
        commune,
        [record._replace(commune_code=commune, commune_name=f"Ville {commune}") for record in addresses],
    )


def test_a_street_that_only_one_commune_has_needs_no_place(store: Engine) -> None:
    load_streets(store, COMMUNE, "Rue des Ormeaux", "Rue de la Gare")
    load_streets(store, OTHER, "Rue de la Gare", "Rue du Vieux Puits")
    load_streets(store, DEMO, "Rue des Ormeaux")
    land = Pipeline(store)
    unique, shared = AddressQuery(label="1 rue des ormeaux"), AddressQuery(street="rue de la gare", number="1")
    with pytest.raises(PlaceMissing) as error:
        resolution_of(land, unique)
    assert [violation.pointer for violation in error.value.violations] == ["/city"]
    assert "commune" in str(error.value.detail)

    listed = [CommuneRecord("COM", code, f"Ville {code}", "") for code in (COMMUNE, OTHER)]
    load(store, "cog", "FR", listed, part="communes")
    answer = resolution_of(land, unique)
    assert (answer.address.type, answer.address.city_code) == ("housenumber", COMMUNE)
    assert answer.address.matched.city_code is None
    assert "place_inferred" in {warning.code for warning in answer.warnings}
    assert resolution_of(land, unique, "demo").address.city_code == DEMO
    with pytest.raises(PlaceMissing):
        resolution_of(land, shared)

    load(store, "cog", "FR", [*listed, CommuneRecord("COM", "18997", "Ville", "")], part="communes", edition="e2")
    with pytest.raises(PlaceMissing):
        resolution_of(land, unique)


def test_a_query_that_names_only_a_region_needs_a_commune(store: Engine) -> None:
    load_streets(store, COMMUNE, "Rue des Ormeaux")
    with pytest.raises(CommuneNeeded):
        resolution_of(Pipeline(store), AddressQuery(label="1 rue des ormeaux Bretagne"))
    with pytest.raises(AddressNotFound) as error:
        resolution_of(Pipeline(store), AddressQuery(label="1 rue des ormeaux 75018"))
    assert (error.value.code, error.value.violations) == ("address_not_found", ())
