"""Resolving typed addresses over a small index: spelling, order, ambiguity, and no answer for unknown addresses."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from land_builders import address
from small_index import COMMUNES, INDEX, Index, street

from land.addresses.gazetteer import make_commune
from land.addresses.model import AddressQuery, Agreement
from land.addresses.resolver import AddressMatch, resolve
from land.addresses.rewriting import rewritten
from land.addresses.text_repair import repaired
from land.datasets.addresses.records import NamedStreet
from land.datasets.addresses.rows import address_rows


def found(label: str = "", **fields: str) -> AddressMatch:
    answer = resolve(repaired(AddressQuery(label=label, **fields)), INDEX)
    assert answer is not None
    return answer


@pytest.mark.parametrize(
    ("label", "number", "street", "city_code"),
    [
        ("10 rue Doudeauville 75018 Paris", "10", "Rue Doudeauville", "75118"),
        ("10 RUE DOUDEAUVILLE, 75018 PARIS", "10", "Rue Doudeauville", "75118"),
        ("10 bis rue Doudeauville 75018 Paris", "10 bis", "Rue Doudeauville", "75118"),
        ("10bis rue Doudeauville 75018 Paris", "10 bis", "Rue Doudeauville", "75118"),
        ("10 b rue Doudeauville 75018 Paris", "10 bis", "Rue Doudeauville", "75118"),
        ("SARL Dupont et Fils 10 rue Lepic 75018 Paris", "10", "Rue Lepic", "75118"),
        ("SARL Dupont et Fils 33 bis Bahnhofstrasse 67300 Schiltigheim", "33 bis", "Bahnhofstrasse", "67447"),
        ("Résidence Les Mimosas 12 Am Rebgarten 67300 Schiltigheim", "12", "Am Rebgarten", "67447"),
        ("10 école 29120 Pont-l'Abbé", "10", "Rue de l'École", "29220"),
        ("33 b rue du 8 mai 1945 29000 Quimper", "33 bis", "Rue du 8 Mai 1945", "29232"),
        ("162 p21 rue des poissonniers 75018 paris", "162 p21", "Rue des Poissonniers", "75118"),
        ("12 r Doudeauville Paris 18e", "12", "Rue Doudeauville", "75118"),
        ("12 av de St Ouen 75018", "12", "Avenue de Saint-Ouen", "75118"),
        ("12 av Gal de Gaulle 75011 Paris", "12", "Avenue du Général de Gaulle", "75111"),
        ("1 rue du 8 mai 1945, Quimper", "1", "Rue du 8 Mai 1945", "29232"),
        ("75018 Paris 10 rue Doudeauville", "10", "Rue Doudeauville", "75118"),
        ("rue Doudeauville 10 75018 Paris", "10", "Rue Doudeauville", "75118"),
        ("12-14 rue Doudeauville 75018 Paris", "12", "Rue Doudeauville", "75118"),
        ("10 rue Doudauville 75018 Paris", "10", "Rue Doudeauville", "75118"),
        ("10 rue de l ile d oessant Quimper", "10", "Rue de l'Île d'Œssant", "29232"),
        ("10 rue Saint Denis 97400 St-Denis", "10", "Rue Saint-Denis", "97411"),
        ("10 rue Doudeauville 75018 Paris cedex 18", "10", "Rue Doudeauville", "75118"),
        ("1 kerlagadec ergue armel", "1", "Kerlagadec", "29232"),
        ("10 rue Doudeauville 75012 Paris", "10", "Rue Doudeauville", "75118"),
        ("12 à 14 rue Doudeauville 75018 Paris", "12", "Rue Doudeauville", "75118"),
        ("10 bis-12 ter rue Doudeauville 75018 Paris", "10 bis", "Rue Doudeauville", "75118"),
        ("12 8 mai 1945 29000 Quimper", "12", "Rue du 8 Mai 1945", "29232"),
        ("1) 10 rue Doudeauville 75018 Paris", "10", "Rue Doudeauville", "75118"),
        ("2. 10 rue Doudeauville 75018 Paris", "10", "Rue Doudeauville", "75118"),
        ("n° 1 : 12 a rue Doudeauville 75018 Paris", "12 a", "Rue Doudeauville", "75118"),
        ("Lot 1 : 10 rue Doudeauville 75018 Paris", "10", "Rue Doudeauville", "75118"),
        ("1 - 10 rue Doudeauville 75018 Paris", "10", "Rue Doudeauville", "75118"),
        ("10 - 12 rue Doudeauville 75018 Paris", "10", "Rue Doudeauville", "75118"),
        ("12 a-14 rue Doudeauville 75018 Paris", "12 a", "Rue Doudeauville", "75118"),
        ("10 a-14 rue Doudeauville 75018 Paris", "10", "Rue Doudeauville", "75118"),
        ("12 a 14 rue Doudeauville 75018 Paris", "12", "Rue Doudeauville", "75118"),
        ("10 bisRue Doudeauville 75018 Paris", "10 bis", "Rue Doudeauville", "75118"),
        ("10 Re Doudeauville 75018 Paris", "10", "Rue Doudeauville", "75118"),
        ("À Paris 18e arrondissement (75018), 12 a, rue Lepic.", "12 a", "Rue Lepic", "75118"),
        ("Vu le 12 a rue Lepic 75018 Paris", "12 a", "Rue Lepic", "75118"),
        ("1-3-5-7-9 rue Lepic 75018 Paris", "1", "Rue Lepic", "75118"),
        ("12 rue du 8 mai 1945 Qimper", "12", "Rue du 8 Mai 1945", "29232"),
        ("12 rue du 8 mai 1945 Egrué-Armel", "12", "Rue du 8 Mai 1945", "29232"),
    ],
)
def test_a_label_finds_its_number(label: str, number: str, street: str, city_code: str) -> None:
    address = found(label).address
    assert (address.number, address.street, address.city_code) == (number, street, city_code)
    assert address.type == "housenumber"


@pytest.mark.parametrize("suffix", ["b", "bis"])
def test_of_two_published_suffixes_the_one_in_the_text_wins(suffix: str) -> None:
    assert found(f"34 {suffix} rue Lepic 75018 Paris").address.id.endswith(f"_00034_{suffix}")


@pytest.mark.parametrize("number", ["42 a bis", "42 A BIS", "42a bis", "42bis A", "42 bis a", "42 a ter", "42 bis ter"])
def test_a_suffix_of_two_words_finds_its_number_or_the_street(number: str) -> None:
    address = found(f"{number} rue Lepic 75018 Paris").address
    is_published = number.lower().replace(" ", "").startswith("42abis")
    assert (address.street, address.city_code) == ("Rue Lepic", "75118")
    assert address.id == ("75118_0004_00042_a bis" if is_published else "75118_0004")


@pytest.mark.parametrize(("former", "street_id"), [("Lomme", "59350_5021"), ("Hellemmes", "59350_6021")])
def test_the_former_commune_decides_between_streets_of_one_name(former: str, street_id: str) -> None:
    lille = make_commune("59350", "Lille", ["59000"], ["Lomme", "Hellemmes"], 3.06, 50.63)
    names = {"5021": "Lomme", "6021": "Hellemmes", "4021": ""}
    streets = [street(lille, key, "Rue Jules Guesde", 9, name) for key, name in names.items()]
    index = Index([lille], streets)
    match = resolve(repaired(AddressQuery(label=f"10 rue Jules Guesde {former}")), index)
    assert match is not None
    assert match.address.id.startswith(street_id)


@pytest.mark.parametrize(
    ("label", "number", "other"),
    [
        ("1\t12 rue Lepic\t75018\tParis", "12", "1"),
        ("1;12 rue Lepic;75018;Paris", "12", "1"),
        ("ligne 1\t12 rue Lepic, 75018 Paris", "12", "1"),
        ("1, 12 rue Lepic, 75018 Paris", "12", "1"),
        ("n° 1 - 12 rue Lepic 75018 Paris", "12", "1"),
        ("n° 10 - 162 P21 rue Lepic 75018 Paris", "162 p21", "10"),
        ("Arrêté 2024-1 - 10 bis rue Lepic 75018 Paris", "10 bis", "1"),
        ("nouveau n° 12, ancien n° 1, rue Lepic 75018 Paris", "12", "1"),
        ("12 rue Lepic (ex 1), 75018 Paris", "12", "1"),
        ("10, 12 et 14 rue Lepic 75018 Paris", "10", "12"),
        ("10 au 12 rue Lepic 75018 Paris", "10", "12"),
        ("entre le 10 et le 12 rue Lepic 75018 Paris", "10", "12"),
        ("10/12 rue Lepic 75018 Paris", "10", "12"),
    ],
)
def test_another_number_of_the_text_on_the_street_is_an_alternative(label: str, number: str, other: str) -> None:
    match = found(label)
    assert match.address.number == number
    assert other in [alternative.number for alternative in match.alternatives]
    assert match.address.score < 0.9


@pytest.mark.parametrize("between", [" ", ", ", ", la ", ", rue de la "])
def test_a_street_before_the_name_of_another_one_is_the_address(between: str) -> None:
    names = {"1": "Rue de Patay", "2": "Rue de la Butte aux Cailles"}
    index = Index(COMMUNES, [street(COMMUNES[0], key, name, 20) for key, name in names.items()])
    match = resolve(AddressQuery(label=f"10 rue de Patay{between}Butte aux Cailles 75018 Paris"), index)
    assert match is not None
    assert (match.address.number, match.address.street) == ("10", "Rue de Patay")
    assert match.address.score < 0.9
    assert "Rue de la Butte aux Cailles" in [alternative.street for alternative in match.alternatives]


@pytest.mark.parametrize("typed", ["rue Louis Pasteur", "rue Docteur Pasteur"])
def test_a_name_that_was_added_is_no_other_street(typed: str) -> None:
    names = {"1": "Rue Saint-Louis", "2": "Rue Pasteur", "3": "Rue du Docteur Roux"}
    index = Index(COMMUNES, [street(COMMUNES[0], key, name, 20) for key, name in names.items()])
    match = resolve(AddressQuery(label=f"10 {typed} 75018 Paris"), index)
    assert match is not None
    assert match.address.street == "Rue Pasteur"


@pytest.mark.parametrize(
    "label",
    [
        "65m² - 33 bis rue Lepic 75018 Paris", "Dossier 2024-118 - 33 bis rue Lepic 75018 Paris",
        "Le 10/12/2024 à 12h10 : 33 bis rue Lepic 75018 Paris",
        "1) 33 bis rue Lepic 75018 Paris", "Appt 12, 33 bis rue Lepic 75018 Paris",
    ],
)  # fmt: skip
def test_a_number_that_is_no_house_of_the_street_leaves_the_answer_certain(label: str) -> None:
    match = found(label)
    assert match.address.number == "33 bis"
    assert match.address.score > 0.9


@pytest.mark.parametrize(
    "label",
    [
        "12.0 rue Lepic 75018.0 Paris", "12 rue Lepic 7|5|0|1|8 Paris", "12 rue Lepic 7 5 0 1 8 Paris",
        "12 rue Lepic 75O18 Paris", "12 rue Lepic 750l8 Paris", "１２ ｒｕｅ Ｌｅｐｉｃ ７５０１８ Ｐａｒｉｓ",
        "𝟏𝟐 𝐫𝐮𝐞 𝐋𝐞𝐩𝐢𝐜 𝟕𝟓𝟎𝟏𝟖 𝐏𝐚𝐫𝐢𝐬", "appartement 12 rue Lepic 75018 Paris", "c'est le douze euh rue Lepic 75018 Paris",
        "12 rue Lepic |7|5|0|1|8| Paris", "12 rue Lepic [7][5][0][1][8] Paris", "12 rue Lepic 7-5-0-1-8 Paris",
        "T3 65m2 - 12 rue Lepic 75018 Paris", "12 rue Lepic M° Doudeauville 75018 Paris",
        "12 rue Lepic RER B Doudeauville 75018 Paris", "rue Lepic, 12 (18e arrdt)", "12 rue Lepic P18",
        "12 rue Lepic, quartier Doudeauville, 75018 Paris", "12 rues Lepic 75018 Paris",
    ],
)  # fmt: skip
def test_numbers_are_read_as_programs_scanners_and_people_write_them(label: str) -> None:
    answer = found(label).address
    assert (answer.number, answer.street, answer.city_code) == ("12", "Rue Lepic", "75118")


@pytest.mark.parametrize(
    ("published", "typed"),
    [
        ("Allées Jean Moulin", "allée Jean Moulin"), ("Allée Jean Moulin", "allées Jean Moulin"),
        ("Terrasses du Port", "terrasse du Port"), ("Rue des 36 Ponts", "rue des trente-six ponts"),
        ("Rue du Dix-Neuf Mars 1962", "rue du 19 mars mille neuf cent soixante-deux"),
        ("Rue Jean XXIII", "rue Jean vingt-trois"), ("Rue François Ier", "rue François I"),
        ("Avenue George V", "avenue George 5e"), ("Square Alexandre Ie", "square Alexandre 1er"),
        ("Route Départementale 12", "RD 12"), ("D 12", "route départementale 12"),
        ("Route de Dieppe (Bracquemont)", "route de Dieppe"), ("Rue Haute / Mont", "rue Haute"),
        ("La Noë Marion", "LD La Noë Marion"),
    ],
)  # fmt: skip
def test_names_that_differ_in_how_they_are_written_are_the_same(published: str, typed: str) -> None:
    [row] = address_rows([address(12, published, (0, 0))])[1]
    commune = make_commune("29232", "Quimper", ["29000"], [], -4.1, 48.0)
    named = NamedStreet(street(commune, "s", published, 9).street, tuple(row.search_names.split("|")))
    match = resolve(AddressQuery(label=f"12 {typed} 29000 Quimper"), Index([commune], [named]))
    assert match is not None
    assert (match.address.street, match.address.number) == (published, "12")


@pytest.mark.parametrize("floor", ["3e ét. gauche", "2ème étage droite", "1er étage", "4e etg face"])
def test_floors_and_their_sides_are_no_words_of_the_street(floor: str) -> None:
    """With them every name is compared: such a text took forty times as long."""
    assert rewritten(f"12 rue Lepic bât. A {floor}", lambda figure: False) == "12 rue lepic"


def test_fields_and_labels_find_the_same_address() -> None:
    by_fields = found(number="10 bis", street="rue Doudeauville", postcode="75018", city="Paris").address
    by_label = found("10 bis rue Doudeauville 75018 Paris").address
    assert by_fields.matched == Agreement(number=1.0, street=1.0, city=1.0, postcode=1.0)
    assert by_label == replace(by_fields, matched=replace(by_fields.matched, label=1.0))


@pytest.mark.parametrize(
    "fields",
    [
        {"street": "10 rue Doudeauville", "city_code": "75118"},
        {"street": "rue Doudeauville", "number": "10", "postcode": "75018"},
        {"street": "rue Doudeauville", "number": "10", "city": "paris"},
        {"street": "rue Doudeauville", "number": "10", "postcode": "99999", "city": "Paris 18e Arrondissement"},
        {"label": "10 rue Doudeauville", "city_code": "75118"},
        {"label": "rue Doudeauville", "number": "10", "postcode": "75018"},
    ],
)
def test_one_wrong_field_does_not_exclude_the_address(fields: dict[str, str]) -> None:
    address = found(**fields).address
    assert (address.number, address.street, address.city_code) == ("10", "Rue Doudeauville", "75118")


def test_an_address_as_a_query_finds_itself() -> None:
    address = found("10 bis rue Doudeauville 75018 Paris").address
    again = found(
        address.label,
        street=address.street or "",
        number=address.number or "",
        postcode=address.postcode or "",
        city=address.city or "",
        city_code=address.city_code or "",
    )
    assert again.address.id == address.id
    assert again.address.score > 0.99


def test_an_unknown_number_finds_the_street() -> None:
    result = found("999 rue Doudeauville 75018 Paris")
    assert (result.address.type, result.address.number) == ("street", None)
    assert str(result.missing_number) == "999"
    assert result.point is None


def test_a_house_number_of_four_digits_is_no_postcode() -> None:
    communes = [*COMMUNES, make_commune("26001", "Albon", ["26140"], [], 5.0, 45.0)]
    index = Index(communes, [street(COMMUNES[2], "0001", "Route de Kerlagadec")])
    match = resolve(AddressQuery(label="2614 route de Kerlagadec 29000 Quimper"), index)
    assert match is not None
    assert str(match.missing_number) == "2614"


def test_an_unknown_suffix_finds_the_street() -> None:
    result = found("12 ter rue Doudeauville 75018 Paris")
    assert (result.address.type, result.address.number) == ("street", None)


@pytest.mark.parametrize("label", ["75018", "75018 Paris", "Paris 18e"])
def test_a_place_without_street_finds_the_municipality(label: str) -> None:
    address = found(label).address
    assert (address.type, address.city_code, address.street) == ("municipality", "75118", None)


@pytest.mark.parametrize(
    "label",
    [
        "10 rue Inexistante 75018 Paris",
        "10 boulevard Ornithorynque 75018 Paris",
        "10 rue Doudeauville 13001 Marseille",
        "rien de tout cela",
        "10",
        "?",
    ],
)
def test_an_unknown_address_is_not_found(label: str) -> None:
    assert resolve(AddressQuery(label=label), INDEX) is None


@pytest.mark.parametrize(
    "label",
    [
        "12 rue Lepic dans le 11e",
        "12 rue Lepic, 11ème",
        "12 rue Lepic (11 e)",
        "12 rue Lepic dans le onzième",
        "12 rue Lepic XIe",
        "le 11e, 12 rue Lepic",
        "12 rue Lepic 11e arrondissement",
    ],
)
def test_an_arrondissement_without_its_city_is_found_with_a_modest_score(label: str) -> None:
    answer = found(label)
    assert (answer.address.number, answer.address.street, answer.address.city_code) == ("12", "Rue Lepic", "75111")
    assert 0.65 <= answer.address.score < 0.9


def test_an_arrondissement_without_its_city_may_be_of_several_cities() -> None:
    lyon = make_commune("69382", "Lyon 2e Arrondissement", ["69002"], [], 4.8, 45.7)
    paris = make_commune("75102", "Paris 2e Arrondissement", ["75002"], [], 2.3, 48.8)
    of_lyon, of_paris = street(lyon, "1", "Rue Sala"), street(paris, "1", "Rue de la Lune")
    both = [street(commune, "2", "Rue Mercière") for commune in (lyon, paris)]
    index = Index([lyon, paris], [of_lyon, of_paris, *both])
    for label, code in (("12 rue Sala dans le 2e", "69382"), ("12 rue de la Lune, 2e", "75102")):
        answer = resolve(AddressQuery(label=label), index)
        assert answer is not None
        assert (answer.address.city_code, answer.alternatives) == (code, ())
    answer = resolve(AddressQuery(label="12 rue Mercière, 2e"), index)
    assert answer is not None
    assert answer.address.score < 0.5
    assert {answer.address.city_code, answer.alternatives[0].city_code} == {"69382", "75102"}


@pytest.mark.parametrize(
    ("label", "others"),
    [
        ("12 rue Lepic Montmartre 75018 Paris", ["Rue Montmartre"]),
        ("12 rue Lepic Montmartre Paris 18", []),
        ("12 rue Lepic Butte aux Cailles 75018", ["Rue de la Butte aux Cailles"]),
        ("12 rue Lepic quartier Montmartre Paris 18e", ["Boulevard Montmartre"]),
    ],
)
def test_the_name_of_a_quarter_after_the_street_costs_little(label: str, others: Sequence[str]) -> None:
    paris = COMMUNES[0]
    names = ["Rue Lepic", "Rue Doudeauville", *others]
    streets = [street(paris, f"{key:04}", name) for key, name in enumerate(names)]
    answer = resolve(AddressQuery(label=label), Index(COMMUNES, streets))
    assert answer is not None
    assert answer.address.label == "12 Rue Lepic, 75018 Paris"
    assert 0.8 <= answer.address.score <= 0.99


def test_a_street_type_without_its_space_is_read() -> None:
    assert found("12 ruepoissonniers 75018 Paris").address.label == "12 Rue des Poissonniers, 75018 Paris"
    assert found("le 18e, 12 rue Lepic").address.city_code == "75118"


def test_a_similar_name_with_all_words_comes_before_a_whole_name_with_some() -> None:
    streets = [street(COMMUNES[0], "1", "Rue Albert"), street(COMMUNES[0], "2", "Rue Albert Malet")]
    answer = resolve(AddressQuery(label="12 rue Albert Malret Paris"), Index(COMMUNES, streets))
    assert answer is not None
    assert answer.address.street == "Rue Albert Malet"


def test_a_postcode_in_words_is_read() -> None:
    assert found("douze rue Lepic soixante-quinze zéro dix-huit").address.label == "12 Rue Lepic, 75018 Paris"


@pytest.mark.parametrize(
    ("label", "streets", "is_found"),
    [
        ("12 rue Pouchet Paris", ["Rue Poulet", "Rue Bouchut", "Rue Mouchez", "Rue Truchet"], False),
        ("12 rue Leqpik Paris", ["Rue Lepic"], True),
        ("12 rue Poulbot 75018 Paris", ["Chemin Poulbot", "Route Poulbot", "Avenue Poulbot"], False),
        ("12 rue du Puits aux Loups 75018 Paris", ["Rue du Puits", "Rue Lepic"], False),
        ("12 rue du Puits Martin 75018 Paris", ["Rue du Puits", "Rue du Four Martin"], False),
        ("rue du Puits Martin 75018 Paris", ["Rue du Puits", "Rue du Four Martin"], False),
        ("12 Poulbt Paris", ["Chemin Poulbot", "Allée Poulbot", "Avenue Poulbot"], True),
        ("Paris, rue Vauvenargues", ["Villa Vauvenargues"], False),
    ],
)
def test_other_names_do_not_add_up_but_one_name_in_two_communes_does(
    label: str, streets: list[str], *, is_found: bool
) -> None:
    communes = COMMUNES[:2] if is_found else COMMUNES[:1]
    index = Index(
        COMMUNES, [street(commune, f"{i:04}", name, 20) for commune in communes for i, name in enumerate(streets)]
    )
    assert (resolve(AddressQuery(label=label), index) is not None) is is_found


@pytest.mark.parametrize(
    ("label", "name", "is_found"),
    [
        ("avenue de Choisy 75018 Paris", "Avenue de la Porte de Choisy", False),
        ("10 rue Gromaire 75018 Paris", "Rue Marcel Gromaire", True),
    ],
)
def test_a_given_name_may_be_left_out_and_a_qualifier_may_not(label: str, name: str, *, is_found: bool) -> None:
    index = Index(COMMUNES, [street(COMMUNES[0], "0001", name, 20), street(COMMUNES[0], "0002", "Rue Lepic", 20)])
    assert (resolve(AddressQuery(label=label), index) is not None) is is_found


def test_a_word_that_another_street_has_is_seldom_a_typing_error() -> None:
    near, other = street(COMMUNES[0], "0001", "Rue Jean Delval"), street(COMMUNES[2], "0001", "Place Delvel")
    scores = [
        match.address.score
        for streets in ([near], [near, other])
        if (match := resolve(AddressQuery(label="10 rue Jean Delvel 75018 Paris"), Index(COMMUNES, streets)))
    ]
    assert scores[0] > 0.95 > scores[1]


def test_an_unknown_lot_number_does_not_find_the_street() -> None:
    assert resolve(AddressQuery(label="3 14P2 Rue Doudeauville 75018 Paris"), INDEX) is None


def test_a_former_code_finds_the_present_commune() -> None:
    address = found(street="rue du 8 mai 1945", number="10", city_code="29001").address
    assert (address.street, address.city_code) == ("Rue du 8 Mai 1945", "29232")


@pytest.mark.parametrize(("city", "street_id"), [("Vieux-Bourg", "29232_old"), ("Le Moustoir", "29232_new")])
def test_the_name_of_a_merged_commune_selects_its_street(city: str, street_id: str) -> None:
    commune = make_commune("29232", "Neuville", ["29000"], ["Vieux-Bourg", "Le Moustoir"], -4.1, 48.0)
    merged = (("old", "Vieux-Bourg"), ("new", "Le Moustoir"))
    index = Index([commune], [street(commune, key, "Rue de l'Église", 9, former) for key, former in merged])
    result = resolve(AddressQuery(label=f"10 rue de l'église 29000 {city}"), index)
    assert result is not None
    assert result.address.id.startswith(street_id)
    assert result.address.score > 0.9


def test_two_equal_candidates_share_the_probability_and_the_larger_is_first() -> None:
    paris = COMMUNES[0]
    index = Index([paris], [street(paris, "1", "Place Dauphine", 20), street(paris, "2", "Rue Dauphine", 60)])
    result = resolve(AddressQuery(label="10 dauphine 75018 Paris"), index)
    assert result is not None
    assert [candidate.street for candidate in (result.address, *result.alternatives)] == [
        "Rue Dauphine",
        "Place Dauphine",
    ]
    assert result.alternatives[0].score < result.address.score < 0.7


def test_the_same_street_in_several_arrondissements_is_an_alternative() -> None:
    result = found("10 rue Lepic Paris")
    assert {result.address.city_code, *(a.city_code for a in result.alternatives)} == {"75111", "75118"}


def texts(values: Iterable[str]) -> st.SearchStrategy[str]:
    return st.text(max_size=600) | st.lists(st.sampled_from(list(values)), max_size=60).map(" ".join)


@given(texts(["rue", "10", "75018", "paris", "bis", "de", "Doudeauville", "12-14", "cedex", "kerlagadec"]))
def test_any_text_finds_an_address_or_none(text: str) -> None:
    answer = resolve(AddressQuery(label=text), INDEX)
    assert answer is None or 0 <= answer.address.score <= 1
