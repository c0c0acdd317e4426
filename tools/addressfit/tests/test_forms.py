"""The suite of address forms: the same options give the same cases, and each case keeps its right answer."""

from collections import Counter

import pytest

from addressfit.directory import Directory, canonical, cost, plain
from addressfit.forms import forms, judge, suite
from addressfit.words import EDITS

STREETS = (
    "Rue de la Grange aux Belles", "Avenue du Général Leclerc", "Rue François Ier", "Boulevard de l'Hôpital",
    "Rue du Huit Mai 1945", "Place Victorien Sardou", "Impasse des Quatre Vents", "Rue J. Pouchet", "Villa Montmorency",
    "Rue du Faubourg Saint-Antoine", "Allée Marguerite Yourcenar", "Square d'Aquitaine",
)  # fmt: skip
PLACES = (
    ("75105", "75005", "Paris 5e Arrondissement", "PARIS 05", ""),
    ("00O04", "00114", "Saint-Chimère-les-Bains", "SAINT CHIMERE", "Vieux-Mirage"),
)
ELSEWHERE = ("Cours Gambetta", "Montée de la Grande Côte", "Rue Esquermoise")


def rows() -> list[dict[str, str]]:
    return [
        {
            "id": f"{code}_{i:04d}_{number}{suffix}", "numero": str(number), "rep": suffix, "nom_voie": street,
            "code_postal": postcode, "code_insee": code, "nom_commune": name, "nom_ancienne_commune": former,
            "nom_ld": f"Les Granges {street.split()[-1]}", "libelle_acheminement": postal,
        }
        for code, postcode, name, postal, former in PLACES
        for i, street in enumerate(STREETS)
        for number, suffix in ((2, ""), (4, ""), (4, "b"), (6, ""), (6, "t"), (8, "q"), (10, "a"), (61 + i % 2, ""))
    ]  # fmt: skip


@pytest.fixture(scope="module")
def directory() -> Directory:
    return Directory(rows())


def test_same_options_give_same_cases(directory: Directory) -> None:
    first, second = (list(suite(Directory(rows()), 3, 1, elsewhere=ELSEWHERE)) for _ in range(2))
    other = list(suite(directory, 4, 1, elsewhere=ELSEWHERE))
    assert first == second
    assert first != other


def test_each_form_yields_cases(directory: Directory) -> None:
    counts = Counter(case["kind"].split("/")[0] for case in suite(directory, 1, 2, elsewhere=ELSEWHERE))
    assert set(counts) == set(forms(ELSEWHERE))


def test_expected_answer_exists(directory: Directory) -> None:
    for case in suite(directory, 5, 2, elsewhere=ELSEWHERE):
        expected = case["expected"]
        for code in expected["city_codes"]:
            street = directory.streets[code, plain(expected["street"])]
            assert "" in expected["numbers"] or expected["number"] + expected["suffix"] in street.numbers
        assert bool(expected["street"]) == bool(expected["city_codes"]), case


@pytest.mark.parametrize("name", EDITS)
def test_edit_leaves_the_street_the_nearest(directory: Directory, name: str) -> None:
    """Compares all streets by their cost, without the index of words that the suite uses."""
    for case in suite(directory, 6, 3, only=[f"{name}/street"]):
        typed = case["input"]["label"].split(" 75005")[0].split(" 00114")[0].strip(" ,-")
        costs = {street: cost(*canonical(typed), *canonical(street)) for street in STREETS}
        assert min(costs, key=lambda street: costs[street]) == case["expected"]["street"], (typed, costs)


def test_leaves_out_queries_that_fit_two_streets() -> None:
    twins = [{**row, "nom_voie": kind + " Dauphine"} for row in rows() for kind in ("Rue", "Place")]
    directory = Directory(twins)
    assert not list(suite(directory, 1, 2, only=["type_omitted", "type_and_article_omitted", "type_wrong"]))
    assert list(suite(directory, 1, 2, only=["one_slip"]))


def test_judges_street_and_number() -> None:
    case = {"expected": {"street": "Rue Érard", "city_codes": ["75112"], "numbers": ["4b"]}}
    right = {"type": "housenumber", "street": "rue erard", "city_code": "75112", "number": "4 bis"}
    assert judge(case, 200, {"address": right}) == (True, True)
    assert judge(case, 200, {"address": {**right, "number": "4"}}) == (True, False)
    assert judge(case, 200, {"address": {**right, "city_code": "75111"}}) == (False, False)
    assert judge(case, 404, {}) == (False, False)
    nothing = {"expected": {"street": "", "city_codes": [], "numbers": [""]}}
    assert judge(nothing, 404, {}) == (True, True)
    assert judge(nothing, 200, {"address": right}) == (False, False)
    assert judge(nothing, 200, {"address": {"type": "municipality", "street": None}}) == (True, True)
