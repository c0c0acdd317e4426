"""Labels in the order and with the omissions of people: places anywhere, glued and spaced words, words in no part."""

import pytest
from small_index import Index, street

from land.addresses.gazetteer import Gazetteer, completes, make_commune
from land.addresses.model import AddressQuery
from land.addresses.parsing import interpretations
from land.addresses.resolver import AddressMatch, resolve
from land.addresses.rewriting import rewritten, unlisted
from land.addresses.spellings import SHORT, Spellings, city_similarity, short_names

COMMUNES = [
    make_commune("75118", "Paris 18e Arrondissement", ["75018"], [], 2.34, 48.89),
    make_commune("75106", "Paris 6e Arrondissement", ["75006"], [], 2.33, 48.85),
    make_commune("93005", "Aulnay-sous-Bois", ["93600"], [], 2.49, 48.93),
    make_commune("29220", "Pont-l'Abbé", ["29120"], [], -4.22, 47.87),
]
STREETS = {
    "75118": ["Rue Lepic", "Rue de la Goutte d'Or", "Rue des Poissonniers", "Rue Doudeauville"],
    "75106": ["Rue du Cherche-Midi", "Rue François Ier"],
    "93005": ["Rue Jacques Duclos", "Avenue de la République"],
    "29220": ["Rue de l'École", "Quai Saint-Laurent"],
}
INDEX = Index(
    COMMUNES,
    [street(commune, f"{i:04}", name, 40) for commune in COMMUNES for i, name in enumerate(STREETS[commune.code])],
)


def found(label: str = "", **fields: str) -> AddressMatch:
    answer = resolve(AddressQuery(label=label, **fields), INDEX)
    assert answer is not None
    return answer


@pytest.mark.parametrize(
    "label",
    [
        "Paris 75018 10 rue Doudeauville",
        "Paris, rue Doudeauville 10",
        "rue Doudeauville Paris 75018 n° 10",
        "75018 10 rue Doudeauville Paris",
        "10rue Doudeauville 75 018 Paris",
        "n°10 rue Doudeauville F-75018 Paris",
        "numéro 10, rue Doudeauville, 75018Paris",
        "10 rue Doudeauville Paris XVIIIe",
        "10 rue Doudeauville 18ème arrondissement",
        "10 rue Doudeauville, Paris dix-huitième",
        "10 rue Doudeauville 7518 Paris",
        "10 rue Doudeauville 750018 Paris",
        "10 rue Doudeauville Pariss",
        "10 rue Doudeauville 75018 Paris en face de l'école",
        "Cabinet médical du Nord 10 rue Doudeauville 75018 Paris",
        "10 rue Doudeauville 3e étage porte 4 75018 Paris",
        "10 rue vieille Doudeauville 75018 Paris",
        "10 rue Doudeauville Doudeauville 75018 Paris",
        "dix rue Doudeauville 75018 Paris",
        "10 rue Doudeauville à l'angle de la rue Lepic, 75018 Paris",
        "10 rue Doudeauville, accès par la rue des Poissonniers, Paris 18e",
        "num_voie=10|indice=|lib_voie=RUE DOUDEAUVILLE|cp=75018|commune=PARIS",
        "Réf. 4412 – Local 85 m² – 10 rue Doudeauville, 75018 Paris – bail 3/6/9",
        "10 Doudeauville Street, 75018 Paris",
        "10 Doudeauvillestraße, 75018 Paris",
        "bus 12, 10 rue Doudeauville, 75018 Paris",
        "Calle Doudeauville 10, 75018 Paris",
        "rue Doudeauville, numéro dix, 75018 Paris",
        "10RueDoudeauville75018Paris",
        "10.rue.Doudeauville.75018.Paris",
        "Tél. 06 12 34 56 78 - 10 rue Doudeauville 75018 Paris",
    ],
)
def test_any_order_and_spacing_finds_the_number(label: str) -> None:
    address = found(label).address
    assert (address.number, address.street, address.city_code) == ("10", "Rue Doudeauville", "75118")


@pytest.mark.parametrize(
    ("label", "street_name", "city_code"),
    [
        ("goutte or 75018 Paris", "Rue de la Goutte d'Or", "75118"),
        ("rue du Cherche Midi, 75006", "Rue du Cherche-Midi", "75106"),
        ("75006 Paris rue du cherche midi", "Rue du Cherche-Midi", "75106"),
        ("Paris 75006 cherche midi", "Rue du Cherche-Midi", "75106"),
        ("rue François 1er 75006 Paris", "Rue François Ier", "75106"),
        ("rue François premier 75006 Paris", "Rue François Ier", "75106"),
        ("rue Jacques Duclos aulnay", "Rue Jacques Duclos", "93005"),
        ("rue Jacques Duclos Aulnais sous Bois", "Rue Jacques Duclos", "93005"),
        ("rue de lEcole 29120 Pont l'Abbé", "Rue de l'École", "29220"),
    ],
)
def test_a_street_needs_no_number(label: str, street_name: str, city_code: str) -> None:
    address = found(label).address
    assert (address.street, address.city_code, address.number) == (street_name, city_code, None)


@pytest.mark.parametrize(
    "fields",
    [
        {"street": "10 rue Doudeauville 75018 Paris"},
        {"street": "rue Doudeauville", "number": "10", "city": "75018 Paris"},
        {"street": "rue Doudeauville", "number": "10", "postcode": "75018 Paris"},
        {"street": "rue Doudeauville Paris", "number": "10", "postcode": "75018"},
    ],
)
def test_a_field_may_have_the_text_of_another(fields: dict[str, str]) -> None:
    address = found(**fields).address
    assert (address.number, address.street, address.city_code) == ("10", "Rue Doudeauville", "75118")


@pytest.mark.parametrize(
    "label",
    [
        "99 rue Doudeauville 75018 Paris",
        "10 rue Doudeauville 75006 Paris",
        "10 rue vieille Doudeauville 75018 Paris",
        "10 rue Doudeauville 4242 75018 Paris",
    ],
)
def test_only_an_address_in_full_scores_above_0_99(label: str) -> None:
    answer = resolve(AddressQuery(label=label), INDEX)
    assert answer is None or answer.address.score <= 0.99
    assert found("10 rue Doudeauville 75018 Paris").address.score > 0.99


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("10 bis petite rue Lepic 75018 Paris", "10 bis"),
        ("10 b Lepicstraat, 75018 Paris", "10 bis"),
    ],
)
def test_a_number_is_read_with_its_suffix(label: str, number: str) -> None:
    assert found(label).address.number == number


@pytest.mark.parametrize("label", ["75006 rue du Cherche-Midi Paris", "Paris 75006 rue du Cherche-Midi 75006"])
def test_a_known_postcode_is_no_house_number(label: str) -> None:
    numbers = [
        interpretation.reading.number for interpretation in interpretations(AddressQuery(label=label), INDEX.gazetteer)
    ]
    assert numbers
    assert all(number is None or number.number != 75006 for number in numbers)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("n° 10 rue Lepic", "10 rue lepic"),
        ("10bisrue Lepic", "10 bis rue lepic"),
        ("quatre-vingt-dix-sept bis rue Lepic", "97 bis rue lepic"),
        ("cent vingt et un rue Lepic", "121 rue lepic"),
        ("rue Lepic, numéro deux cent quatre", "rue lepic 204"),
        ("rue des Quatre Vents", "rue des quatre vents"),
        ("Lepic10", "lepic 10"),
        ("8 mai 45", "8 mai 1945"),
        ("75 018 paris", "75018 paris"),
        ("75 999 paris", "75 999 paris"),
        ("Paris 1er", "paris 1er"),
        ("Lyon IIIe arr.", "lyon 3e"),
        ("vingtième arrondissement de Paris", "paris 20e"),
        ("Paris 21e arrondissement", "paris 21e arrondissement"),
        ("boulevard de la Porte d'Ivry", "boulevard de la porte d ivry"),
        ("Bât B rue Lepic BP 46 CEDEX 05", "rue lepic"),
        ("rue Lepic jean@exemple.fr", "rue lepic"),
    ],
)
def test_rewritten_labels(label: str, expected: str) -> None:
    assert rewritten(label, {"75018"}.__contains__) == expected


def test_the_apostrophe_of_an_article_may_come_a_letter_too_late() -> None:
    assert unlisted("10 quai dI'vry") == "10 quai d'Ivry"
    assert unlisted("10 rue de Kerc'hoat") == "10 rue de Kerc'hoat"


def test_spellings_of_cities() -> None:
    assert set(short_names("aulnay sous bois")) == {"aulnay"}
    assert set(short_names("le kremlin bicetre")) == {"kremlin", "kremlin bicetre", "le kremlin"}
    assert set(short_names("saint denis")) == set()
    names = Spellings(["aulnay sous bois", "saint denis", "ly"])
    assert names.shortened("aulnay") == ["aulnay sous bois"]
    assert names.misspelt("saintdenis") == ["saint denis"]
    assert names.misspelt("saimt denys") == ["saint denis"]
    assert names.misspelt("lx") == []
    assert city_similarity("aulnay", ["aulnay sous bois"]) == SHORT
    assert city_similarity("aulnay sous bois", ["aulnay sous bois"]) == 1.0


def test_a_name_that_changes_is_found_by_its_new_spelling() -> None:
    before = Gazetteer([make_commune("29220", "Pont-l'Abbé", ["29120"], [], None, None)])
    assert [commune.code for commune in before.similar_to("pont labe")] == ["29220"]
    after = before.replace(["29220"], [make_commune("29220", "Kerouan", ["29120"], [], None, None)])
    assert before.similar_to("kerouen") == []
    assert after.similar_to("pont labe") == []
    assert [commune.code for commune in after.similar_to("kerouen")] == ["29220"]


@pytest.mark.parametrize("figure", ["7518", "7501", "750018", "75", "750"])
def test_a_figure_completes_a_postcode(figure: str) -> None:
    assert completes(figure, "75018")


@pytest.mark.parametrize("figure", ["75017", "7", "13", "1234", "99"])
def test_another_figure_does_not(figure: str) -> None:
    assert not completes(figure, "75018")
