"""Layouts: headings of any numbering, tables of any shape, letters and lines of sectors do not change what is read."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from regulation.test_zones import EXPECTED, ZONES, main_values

from land.regulation.opening import open_document
from land.regulation.reading import read_zone

HEADING = re.compile(
    r"^(?:ARTICLE|Article)\s+(?:\d?[A-Z]{1,2}[a-z]?\b)?\s*[-–.]?\s*(?P<number>\d{1,2})\s*[-–:.]*\s*(?=[^\W\d_])"
)
NUMBERINGS: dict[str, Callable[[str, int], str]] = {
    "word and roman": lambda zone, number: f"Article {zone} – II.{number}. ",
    "zone and roman": lambda zone, number: f"{zone}-II-{number} ",
    "paragraph": lambda zone, number: f"§ {number}. ",
    "letters": lambda zone, number: f"{chr(64 + number)}. ",
    "digits and slash": lambda zone, number: f"{number}/ ",
    "other word": lambda zone, number: f"Règle n° {number} — ",
    "letters and digits": lambda zone, number: f"II.B.{number} ",
}


@pytest.mark.parametrize("numbering", NUMBERINGS)
@pytest.mark.parametrize("name", ["valbrune UBb", "perignac UPc", "corvelle UCp", "cormery 1AU", "montrevel UD"])
def test_headings_of_any_numbering_open_the_same_subjects(name: str, numbering: str, tmp_path: Path) -> None:
    zone = EXPECTED[name]
    label = re.match(r"\d?[A-Z]+", zone["zone"])
    lines = (ZONES / zone["file"]).read_text().split("\n")
    matches = [HEADING.match(line) for line in lines]
    assert len([match for match in matches if match]) >= 5
    path = tmp_path / "plan.txt"
    path.write_text(
        "\n".join(
            NUMBERINGS[numbering](label[0] if label else "", int(match["number"])) + line[match.end() :]
            if match
            else line
            for line, match in zip(lines, matches, strict=True)
        )
    )
    values = {rule[:3] for rule in main_values(read_zone(open_document(path), zone["zone"]))}  # type: ignore[arg-type]
    assert {tuple(rule[:3]) for rule in zone["main"]} <= values


FILLER = "Article 11 : Aspect extérieur\n" + "Les constructions présentent une unité de matériaux.\n" * 6
CELLS = ("Secteur", "Égout", "Faîtage", "UBa", "6 m", "9,50 m", "UBb", "8 m", "12 m")
LAYOUTS = {
    "one cell a line": "\n".join(CELLS),
    "one cell a line, apart": "\n\n".join(CELLS),
    "without a head of the rows": "\n".join(CELLS[1:]),
    "bars": "\n".join(" | ".join(CELLS[start : start + 3]) for start in (0, 3, 6)),
    "gaps": "\n".join("     ".join(CELLS[start : start + 3]) for start in (0, 3, 6)),
    "sectors in columns": "Règle UBa UBb\nHauteur à l'égout 6 m 8 m\nHauteur au faîtage 9,50 m 12 m",
    "sectors in columns, above a row of words": "Règle UBa UBb\nToitures (UB 11) en pente en pente\n"
    "Hauteur à l'égout (UB 10) 6 m 8 m\nHauteur au faîtage (UB 10) 9,50 m 12 m",
    "sectors in columns, one cell a line, rows of words and two labels among them": "Thème\nUBa\nUBb\n"
    "Toitures\nen pente\nHauteur\nÀ l'égout\n6 m\n8 m\nAspect\nsans objet\nHauteur au faîtage\n9,50 m\n12 m\n"
    "Autres ouvrages\nselon les besoins",
    "both heights in a cell": "Règle\nUBa\nUBb\nHauteur à l'égout / au faîtage\n6 m / 9,50 m\n8 m / 12 m",
    "a head that goes on in the middle of its column": "               Égout           Faîtage\n"
    "            (ou sablière)\nUBa             6 m             9,50 m\nUBb             8 m             12 m",
    "a head over several lines": "Secteur\nÉgout du toit ou\nacrotère\nFaîtage\nUBa 6 m 9,50 m\nUBb 8 m 12 m",
    "a cell that bans": "Secteur\nÉgout\nFaîtage\nUBa\n6 m\n9,50 m\nUBb\n8 m\n12 m\nUBj\n3 m\ninterdit",
    "a head before each figure": "UBa\nÉgout\n6 m\nFaîtage\n9,50 m\nUBb\nÉgout\n8 m\nFaîtage\n12 m",
    "a line of each sector": "UBa : 6 m à l'égout, 9,50 m au faîtage\nUBb : 8 m à l'égout, 12 m au faîtage",
    "letters": "HE = hauteur à l'égout ; HF = hauteur au faîtage\n"
    "UBa : HE ≤ 6 m et HF ≤ 9,50 m\nUBb : HE ≤ 8 m et HF ≤ 12 m",
    "points before and after other sectors' figures": "La hauteur est de 6 m à l'égout et 9,50 m au faîtage en UBa, et "
    "de 8 m à l'égout et 12 m au faîtage en UBb.",
    "figures in brackets": "La hauteur à l'égout est de 6 m en UBa (8 m en UBb), celle au faîtage de 9,50 m en UBa "
    "(12 m en UBb).",
    "lines of sectors": "a) En UBa\nLa hauteur est limitée à 6 m à l'égout et 9,50 m au faîtage.\n"
    "b) En UBb\nLa hauteur est limitée à 8 m à l'égout et 12 m au faîtage.",
    "the zone outside its sectors": "En UB, hors secteurs : 20 m à l'égout et 30 m au faîtage.\n"
    "Toutefois, dans le secteur UBa, la hauteur est limitée à 6 m à l'égout et 9,50 m au faîtage.\n"
    "Dans le secteur UBb, la hauteur est limitée à 8 m à l'égout et 12 m au faîtage.",
}


def heights(path: Path, zone: str) -> list[tuple[object, object]]:
    """Returns subject and value of the main heights."""
    answer: dict[str, Any] = read_zone(open_document(path), zone)
    return sorted(
        (rule["subject"], rule.get("value"))
        for rule in answer["rules"]
        if rule["kind"] == "main" and rule["subject"].startswith("height")
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_sector_gets_its_own_figures_and_those_of_no_other(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    for first, second in (("UBa", "UBb"), ("UBb", "UBa")):
        table = LAYOUTS[layout].replace("UBa", "*").replace("UBb", second).replace("*", first)
        path.write_text(
            f"ZONE UB\nLa zone UB comprend les secteurs UBa et UBb.\nArticle 10 : Hauteur\n{table}\n\n{FILLER}"
        )
        assert heights(path, first) == [("height_eave", 6), ("height_ridge", 9.5)]
        assert heights(path, second) == [("height_eave", 8), ("height_ridge", 12)]


def test_a_table_whose_columns_are_not_known_gives_words(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(
        f"ZONE UB\nArticle 10 : Hauteur\nLe tableau fixe les hauteurs.\nUBa\n6 m\n9 m\nUBb\n8 m\n12 m\n\n{FILLER}"
    )
    assert {value for _, value in heights(path, "UBa")} <= {None}
    assert read_zone(open_document(path), "UBa")["rules"]


def test_shares_stand_under_the_size_of_the_land(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    heads = f"{'':18}{'Terrain':24}{'Terrain':24}\n{'':18}{'jusqu’à 300 m²':24}{'de plus de 300 m²':24}\n"
    rows = f"{'UBa':18}{'45 %':24}{'35 %':24}\n{'UBb':18}{'25 %':24}{'15 %':24}\n"
    path.write_text(f"ZONE UB\nSecteurs UBa et UBb.\nArticle 9 : Emprise au sol\n{heads}{rows}\n{FILLER}")
    answer: dict[str, Any] = read_zone(open_document(path), "UBb")
    shares = {rule["condition"]: rule["value"] for rule in answer["rules"] if rule["subject"] == "footprint_ratio"}
    assert shares == {"terrain jusqu'a 300 m²": 25, "terrain de plus de 300 m²": 15}


PLACES_IN_COLUMNS = {
    "gaps": f"{'Destination':26}{'Périmètre P1':26}{'Périmètre P2':26}\n{'Logement':26}{'1 place':26}{'2 places':26}\n"
    f"{'':26}{'par logement':26}{'par logement':26}\n{'Bureau':26}{'1 place pour 70 m²':26}{'1 place pour 40 m²':26}",
    "one cell a line": "Destination\nP1\nP2\nLogement\n1 place par\nlogement\n2 places par logement\n"
    "Bureau (plus de\n20 m²)\n1 place pour 70 m²\n1 place pour 40 m²",
}


@pytest.mark.parametrize("layout", PLACES_IN_COLUMNS)
def test_a_sector_has_the_places_of_the_column_that_it_stands_in(layout: str, tmp_path: Path) -> None:
    path, common = tmp_path / "plan.txt", tmp_path / "common.txt"
    path.write_text(
        "ZONE UB\nElle comprend les secteurs UBa et UBb.\nArticle 12 : Stationnement\nVoir les dispositions communes. "
        f"Le secteur UBa relève du périmètre P1, le secteur UBb du périmètre P2.\n{FILLER}"
    )
    common.write_text(
        f"Chapitre 2 - Lexique\nAnnexe\nBâtiment.\nChapitre 3 - Stationnement\n{PLACES_IN_COLUMNS[layout]}\n"
    )
    for zone, places, unit in (("UBa", 1, "place per 70 m²"), ("UBb", 2, "place per 40 m²")):
        answer: dict[str, Any] = read_zone(open_document(path), zone, "", open_document(common))
        rules = [rule for rule in answer["rules"] if rule["subject"] == "parking" and rule["kind"] == "main"]
        assert [(rule["value"], rule["unit"]) for rule in rules] == [(places, "place per dwelling"), (1, unit)]


def test_distances_of_roads_stay_with_their_roads(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    rows = "RD 118\n25 mètres de l'axe\nAutres voies\n6 mètres de l'alignement\n"
    path.write_text(
        f"ZONE UB\nArticle 6 : Implantation par rapport aux voies\nUn recul minimal est respecté :\n{rows}\n{FILLER}"
    )
    answer: dict[str, Any] = read_zone(open_document(path), "UB")
    roads = {rule["scope"]["road"]: rule["value"] for rule in answer["rules"] if rule["subject"] == "setback_road"}
    assert roads == {"RD 118": 25, "Autres voies": 6}


@pytest.mark.parametrize(
    "of_sector",
    [
        "En UBa, ces valeurs sont respectivement de 4 mètres et de 8 mètres.",
        "Les halles étant plus hautes, le constructeur pourra, en UBa, porter le faîtage à quinze mètres.",
    ],
)
def test_heights_of_a_sector_in_words_stop_all_heights_of_the_zone(of_sector: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    text = f"La hauteur ne dépasse pas 7 m à l'égout et 11 m au faîtage.\n{of_sector}"
    path.write_text(f"ZONE UB\nLa zone UB comprend les secteurs UBa et UBb.\nUB-3 : hauteur\n{text}\n\n{FILLER}")
    assert {value for _, value in heights(path, "UBa")} == {None}
    assert heights(path, "UBb") == [("height_eave", 7), ("height_ridge", 11)]


@pytest.mark.parametrize(
    ("sentence", "zones", "others"),
    [
        ("En zone UB et dans le secteur UBa, la hauteur est limitée à 9 m au faîtage.", ("UB", "UBa"), ("UBb",)),
        ("En zone UB, la hauteur est limitée à 9 m au faîtage.", ("UB", "UBa", "UBb"), ()),
        ("Dans les secteurs UBa et UBb, la hauteur est limitée à 9 m au faîtage.", ("UBa", "UBb"), ()),
    ],
)
def test_a_zone_named_beside_a_sector_is_the_zone_outside_its_sectors(
    sentence: str, zones: tuple[str, ...], others: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(f"ZONE UB\nLa zone UB comprend les secteurs UBa et UBb.\nUB-3 : hauteur\n{sentence}\n\n{FILLER}")
    for zone in zones:
        assert heights(path, zone) == [("height_ridge", 9)], zone
    for zone in others:
        assert heights(path, zone) == [], zone


def test_a_rule_of_the_only_sector_is_not_one_of_the_zone(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    text = "La hauteur est limitée à 9 m au faîtage dans le secteur UBa."
    path.write_text(f"ZONE UB\nLa zone UB comprend un secteur UBa.\nUB-3 : hauteur\n{text}\n\n{FILLER}")
    assert (heights(path, "UB"), heights(path, "UBa")) == ([], [("height_ridge", 9)])


PLACES = ("1 place pour 40 m² de surface de plancher", "Aucune place jusqu'à 80 m² de surface de vente")
COLUMNS = ("Destination", "Bureau", "Commerce", "Hôtel", "Nombre de places exigées", *PLACES, "1 place par chambre")


def places_of(text: str, tmp_path: Path, zone: str = "UB") -> list[tuple[object, ...]]:
    """Returns use, perimeter, operator and value of the main rules on parking of a text."""
    path = tmp_path / "plan.txt"
    path.write_text(f"ZONE UB\nArticle 12 : Stationnement\n{text}\n\n{FILLER}")
    rules: Any = read_zone(open_document(path), zone)["rules"]
    main = [rule for rule in rules if rule["kind"] == "main" and "value" in rule]
    scopes = [(rule.get("scope", {}), rule["operator"], rule["value"]) for rule in main]
    return [(scope.get("use"), scope.get("map"), operator, value) for scope, operator, value in scopes]


def test_what_is_for_other_buildings_or_elsewhere_is_said_so(tmp_path: Path) -> None:
    others = (
        "1. Pour les habitations\n3 places par logement.\n2. Pour les autres constructions\nAucune place n'est exigée."
    )
    assert places_of(others, tmp_path) == [("dwelling", None, "min", 3), ("other than dwelling", None, "none", 0)]
    text = "Bureaux : 1 place pour 90 m² dans le périmètre de gare ; au moins 2 places pour 90 m² ailleurs."
    place = "dans le perimetre de gare"
    assert places_of(text, tmp_path) == [("office", place, "min", 1), ("office", None, "min", 2)]
    text = "Il est exigé 2 places pour toutes les autres constructions destinées à l'habitation, par logement."
    assert [use for use, *_ in places_of(text, tmp_path)] == ["dwelling"]


def test_a_table_whose_head_stands_again_on_the_next_page_goes_on(tmp_path: Path) -> None:
    head = "Destination\nNombre de places\n"
    rows = "Logement\n1 place par tranche de 90 m² de\nsurface de plancher\n\f"
    text = f"{head}{rows}{head}Bureau\n1 place pour 45 m²\nHôtel\n3 places par chambre"
    assert [(use, value) for use, _, _, value in places_of(text, tmp_path)] == [
        ("dwelling", 1),
        ("office", 1),
        ("hotel", 3),
    ]


def test_the_cells_of_a_row_go_on_over_several_lines(tmp_path: Path) -> None:
    table = """
                                    UBa               UBb
   Recul par rapport à la voie      4 m               7 m
   (minimum)

   Retrait par rapport aux          0 ou              L ≥ H
   limites latérales (minimum)      L ≥ H/2           min. 6 m
                                    min. 4 m

   Emprise au sol (maximum)         45 %              25 %

   Hauteur à l'égout (maximum)      8 m               5 m
"""
    text = f"Article UB 2.1 - Volumétrie et implantation\n{table}\nL désigne la distance de la façade à la limite.\n"
    of_both = {("footprint_ratio", "max", 45), ("height_eave", "max", 8), ("setback_road", "min", 4)}
    assert values_of(text, "UBa", tmp_path) == of_both | {
        ("setback_side", "on_limit_allowed", 0),
        ("setback_side", "min", 4),
    }
    assert values_of(text, "UBb", tmp_path) == {
        ("footprint_ratio", "max", 25),
        ("height_eave", "max", 5),
        ("setback_road", "min", 7),
        ("setback_side", "min", 6),
    }


def test_a_list_of_sectors_with_dot_leaders_has_a_figure_for_each(tmp_path: Path) -> None:
    items = "\n".join(f"   en secteur {name} {'.' * 30} {share} %" for name, share in (("UBa", 50), ("UBb", 35)))
    text = f"Article UB 9 : Emprise au sol\nL'emprise ne peut excéder, au regard du terrain :\n\n{items}\n"
    assert values_of(text, "UBb", tmp_path) == {("footprint_ratio", "max", 35)}


def test_a_rule_for_both_sectors_is_one_of_each(tmp_path: Path) -> None:
    rule = "Dans les deux secteurs :\nLes constructions ont un recul d'au moins 4 m de l'alignement."
    text = f"Secteurs UBa et UBb\nArticle UB 6 : Recul des voies\n{rule}"
    assert values_of(text, "UBb", tmp_path) == {("setback_road", "min", 4)}


def test_an_article_at_the_top_of_a_page_is_no_running_head(tmp_path: Path) -> None:
    path, foot = tmp_path / "plan.txt", "Commune d'Arvel - Règlement"
    subjects = {6: "RECUL DES VOIES\nLe recul est d'au moins 4 m.", 9: "EMPRISE AU SOL\nElle ne dépasse pas 40 %."}
    path.write_text("\f".join(f"ARTICLE UB.{number}\n{text}\n{FILLER}\n{foot}" for number, text in subjects.items()))
    rules: Any = read_zone(open_document(path), "UB")["rules"]
    assert [rule["article"] for rule in rules if "value" in rule] == ["UB 6", "UB 9"]


def test_a_cell_with_a_choice_belongs_to_its_column(tmp_path: Path) -> None:
    first = "UBa\nSur une limite au plus ;\nsinon R ≥ H/2 avec un\nminimum de 4,50 m\nR ≥ 7 m"
    table = f"Secteur\nLimites latérales\nLimite de fond\n{first}\nUBb\nR ≥ 5 m\nR ≥ 9 m"
    legend = "R désigne la distance entre la façade et la limite."
    text = f"Article 7 : Implantation par rapport aux limites séparatives\n{legend}\n\n{table}\n"
    assert values_of(text, "UBa", tmp_path) == {
        ("setback_side", "on_limit_allowed", 0),
        ("setback_side", "min", 4.5),
        ("setback_rear", "min", 7),
    }


@pytest.mark.parametrize("separator", ["\n", "\n\n"])
def test_places_of_a_table_torn_by_columns_stay_with_their_uses(separator: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(f"ZONE UB\nArticle 12 : Stationnement\n{separator.join(COLUMNS)}\n\n{FILLER}")
    rules: Any = read_zone(open_document(path), "UB")["rules"]
    assert {(rule["scope"]["use"], rule["operator"], rule["value"], rule["quote"]) for rule in rules} == {
        ("office", "min", 1, PLACES[0]),
        ("shop", "none", 0, PLACES[1]),
        ("hotel", "min", 1, COLUMNS[-1]),
    }


def test_heads_of_columns_may_be_letters_of_ratios(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    table = "Zone CES maximum CPT minimum\nUBa 60 % 15 %\nUBb 35 % 40 %"
    path.write_text(
        f"ZONE UB\nLa zone UB comprend les secteurs UBa et UBb.\nArticle 9 : Emprise au sol\n{table}\n\n{FILLER}"
    )
    rules: Any = read_zone(open_document(path), "UBb")["rules"]
    assert {(rule["subject"], rule["value"]) for rule in rules} == {("footprint_ratio", 35), ("full_ground_ratio", 40)}


def values_of(text: str, zone: str, tmp_path: Path, general: str = "") -> set[tuple[object, ...]]:
    """Returns subject, operator and value of the main rules that a text has for a zone."""
    path, common = tmp_path / "plan.txt", tmp_path / "common.txt"
    path.write_text(f"ZONE UB\nLa zone comprend les secteurs UBa et UBb.\n{text}\n{FILLER}")
    common.write_text(general)
    answer = read_zone(open_document(path), zone, "", open_document(common) if general else None)
    return {rule[:3] for rule in main_values(answer)}  # type: ignore[arg-type]


def test_a_sector_that_bans_the_limit_has_nothing_of_the_zone_on_it(tmp_path: Path) -> None:
    text = (
        "Article 7 : Implantation par rapport aux limites séparatives\n"
        "Les constructions peuvent être implantées sur une limite latérale.\n"
        "Par exception à ce qui précède, le secteur UBa ne connaît pas l'implantation en limite.\n"
    )
    assert values_of(text, "UBb", tmp_path) == {("setback_side", "on_limit_allowed", 0)}
    assert {operator for _, operator, _ in values_of(text, "UBa", tmp_path)} == {"on_limit_forbidden"}


def test_the_title_of_a_part_may_stand_before_a_sector(tmp_path: Path) -> None:
    text = "2.c  Emprise. Elle est limitée à 45 %.\n2.d  Hauteur. UBa : 7 m à l'égout. UBb : 9 m à l'égout.\n"
    assert values_of(text, "UBa", tmp_path) == {("footprint_ratio", "max", 45), ("height_eave", "max", 7)}


def test_a_paragraph_about_the_rest_of_the_zone_is_not_for_the_sector_before_it(tmp_path: Path) -> None:
    text = (
        "Article 7 : Implantation par rapport aux limites séparatives\n"
        "7.1 Dans une bande de 16 m de profondeur, comptée depuis l'alignement ou la\nlimite de fait\n\n"
        "En UBa, les constructions sont à 3 m au moins des limites latérales.\n\n"
        "Dans le reste de la zone, elles peuvent joindre une limite. La distance aux autres limites est de 5 m au "
        "moins.\n"
    )
    assert values_of(text, "UBa", tmp_path) == {("setback_side", "min", 3)}


@pytest.mark.parametrize(("zone", "places", "coefficient"), [("UBa", 1, 0.25), ("UBb", 2, 0.4)])
def test_cells_of_single_spaces_are_of_the_sectors_over_them(
    zone: str, places: int, coefficient: float, tmp_path: Path
) -> None:
    text = (
        "Article 12 : Stationnement\nDestination Secteur UBa Secteur UBb\n"
        "Logement 1 place par logement 2 places par logement\nHôtel néant 2 places par chambre\n"
        "Article 13 : Espaces verts\nSecteurs UBa UBb\nCoefficient de biotope 0,25 0,4"
    )
    values = values_of(text, zone, tmp_path) - {("parking", "none", 0)}
    assert values == {("parking", "min", places), ("green_ratio", "min", coefficient)}


@pytest.mark.parametrize(("zone", "places"), [("UBa", 1), ("UBb", 2)])
def test_a_column_may_be_of_several_sectors(zone: str, places: int, tmp_path: Path) -> None:
    text = (
        "Article 12 : Stationnement\nDestination UBa UBb et UBc\nLogement 1 place par logement 2 places par logement\n"
        "Hôtel 1 place par chambre 2 places par chambre"
    )
    expected = {("parking", "min", places)}
    assert values_of(f"{text}\nLe secteur UBc est inondable.", zone, tmp_path) == expected


def test_a_sector_s_own_height_replaces_that_of_the_whole_zone(tmp_path: Path) -> None:
    text = (
        "Article 10 : Hauteur\nDans l'ensemble de la zone, la hauteur ne dépasse pas 11 m au faîtage.\n"
        "Toutefois, en UBa, elle est limitée à 8 m."
    )
    assert values_of(text, "UBa", tmp_path) == {("height_ridge", "max", 8)}
    assert values_of(text, "UBb", tmp_path) == {("height_ridge", "max", 11)}


def test_an_eave_of_the_zone_is_no_height_of_a_sector_whose_ridge_is_lower(tmp_path: Path) -> None:
    text = (
        "Article 10 : Hauteur\nLa hauteur est limitée à 7 m à l'égout et 11 m au faîtage.\n"
        "En UBa, la hauteur au faîtage est limitée à 5 m."
    )
    assert values_of(text, "UBa", tmp_path) == {("height_ridge", "max", 5)}


def test_a_pronoun_after_a_sector_takes_the_boundary_before_it(tmp_path: Path) -> None:
    text = (
        "Article 7 : Implantation par rapport aux limites séparatives\n"
        "Un recul de 6 m au moins est exigé par rapport au fond de parcelle. En secteur UBa, il est réduit à 4 m."
    )
    assert values_of(text, "UBa", tmp_path) == {("setback_rear", "min", 4)}


def test_a_sector_s_distance_leaves_that_of_the_departmental_roads(tmp_path: Path) -> None:
    text = (
        "Article 6 : Implantation par rapport aux voies\nLes constructions sont :\n"
        "- pour les voies départementales, à 18 m au moins de l'axe ;\n"
        "- pour les autres voies, à 6 m au moins de l'alignement ; en UBa, cette distance est ramenée à 2 m."
    )
    assert values_of(text, "UBa", tmp_path) == {("setback_road", "min", 18), ("setback_road", "min", 2)}


@pytest.mark.parametrize("column", ["Périmètre T1", "Hors périmètre"])
def test_places_of_a_perimeter_are_words(column: str, tmp_path: Path) -> None:
    text = (
        f"Article 12 : Stationnement\nDestination     {column}\n"
        "Logement        1 place par logement\nBureau         néant"
    )
    assert values_of(text, "UB", tmp_path) == set()


def test_common_rules_hold_where_the_zone_sends_to_them(tmp_path: Path) -> None:
    general = (
        "Dispositions communes\nArticle 5 : Stationnement\nDestination     Zones UA et UC     Autres zones\n"
        "Logement        1 place par logement     2 places par logement\nCommerce      néant      1 place pour 60 m²\n"
    )
    text = (
        "Article 12 : Stationnement\nLes places sont celles qui figurent à l'article 5 des dispositions communes.\n"
        "Une place couverte est précédée d'une aire de 5 m."
    )
    assert values_of(text, "UB", tmp_path, general) == {("parking", "min", 2), ("parking", "min", 1)}


SECTORS = (
    "Volumétrie et implantation des constructions\nThème\nUBa\nUBb\nEB emprise bâtie\nEB ≤ 60 %\nEB ≤ 35 %1\n"
    "R recul\nR = 0\nR ≥ 5 m\nL1 retrait latéral\nL1 = 0\nou L1 ≥ 2 m\nL1 ≥ 4 m\nHF\nHF ≤ 9 m\nHF ≤ 6 m\n"
)
LETTERS = "Lexique\nRecul (R)\nRetrait latéral (L1)\nHauteur à l'égout (HF)\nEmprise bâtie (EB)\n"


@pytest.mark.parametrize(
    ("zone", "values"),
    [
        (
            "UBa",
            {
                ("footprint_ratio", "max", 60),
                ("setback_side", "on_limit_allowed", 0),
                ("setback_side", "min", 2),
                ("height_eave", "max", 9),
            },
        ),
        (
            "UBb",
            {
                ("footprint_ratio", "max", 35),
                ("setback_road", "min", 5),
                ("setback_side", "min", 4),
                ("height_eave", "max", 6),
            },
        ),
    ],
)
def test_letters_that_the_common_rules_define_stand_in_a_table_of_sectors(
    zone: str, values: set[tuple[object, ...]], tmp_path: Path
) -> None:
    assert values_of(SECTORS, zone, tmp_path, LETTERS) == values


def test_a_row_that_has_not_a_cell_for_each_sector_gives_no_figure(tmp_path: Path) -> None:
    text = (
        "Caractéristiques\nThème\nUBa\nUBb\nUBc\nEmprise au sol\n60 %\n40 %\n20 %\nPleine terre\n15 %\n55 %\n"
        "Hauteur au faîtage\n12 m\n9 m\n7 m\n"
    )
    assert values_of(text, "UBb", tmp_path) == {("footprint_ratio", "max", 40), ("height_ridge", "max", 9)}


@pytest.mark.parametrize(("zone", "places"), [("UBa", 1), ("UBb", 3)])
def test_a_title_below_an_article_may_name_the_sectors_of_its_rules(zone: str, places: int, tmp_path: Path) -> None:
    text = (
        "Article UB 12 : Stationnement\n12.1. Habitations, dans le secteur UBa\nIl est exigé une place par logement.\n"
        "12.2. Habitations, dans le secteur UBb\nIl est exigé 3 places par logement.\n"
        "12.3. Bureaux\nIl est exigé pour les bureaux une place pour 20 m²."
    )
    assert values_of(text, zone, tmp_path) == {("parking", "min", places), ("parking", "min", 1)}


def test_a_sector_stands_over_lettered_paragraphs(tmp_path: Path) -> None:
    text = (
        "Article UB 7 : Implantation par rapport aux limites séparatives\nSecteur UBa\n"
        "Le retrait est de 2 m au moins.\n\nSecteur UBb\na) Limites latérales. Le retrait est de 4 m au moins.\n"
        "b) Limites de fond. Le retrait est de 7 m au moins.\n"
    )
    assert values_of(text, "UBb", tmp_path) == {("setback_side", "min", 4), ("setback_rear", "min", 7)}


def test_common_rules_complete_those_of_the_zone_for_other_uses(tmp_path: Path) -> None:
    general = (
        "Dispositions communes\nArticle 5 : Stationnement\nLogement : 1 place par logement.\n"
        "Bureaux : 4 places pour 100 m² de surface de plancher.\n"
    )
    text = (
        "Article 12 : Stationnement\nEn complément de l'article 5 des dispositions communes, il est exigé 2 places par "
        "logement."
    )
    assert values_of(text, "UB", tmp_path, general) == {("parking", "min", 2), ("parking", "min", 4)}


@pytest.mark.parametrize(("zone", "distance"), [("UBa", ("on_limit_required", 0)), ("UBb", ("min", 3))])
def test_the_road_line_of_a_sector_leaves_the_figure_to_the_next_one(
    zone: str, distance: tuple[str, float], tmp_path: Path
) -> None:
    text = (
        "Article UB 6 : Implantation par rapport aux voies\nLes constructions sont implantées à l'alignement en UBa, "
        "à 3 m au moins en UBb, à 9 m au moins en UBc."
    )
    assert values_of(f"{text}\nLe secteur UBc est inondable.", zone, tmp_path) == {("setback_road", *distance)}


def test_a_title_after_a_row_of_places_is_not_of_its_use(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(
        f"ZONE UB\nArticle 12 : Stationnement\nBureaux ........ 1 place pour 20 m²\nCommerces\n- au-delà de 90 m² "
        f"........ 1 place pour 45 m²\n{FILLER}"
    )
    answer: dict[str, Any] = read_zone(open_document(path), "UB")
    uses = {rule["unit"]: rule["scope"]["use"] for rule in answer["rules"] if rule["subject"] == "parking"}
    assert uses == {"place per 20 m²": "office", "place per 45 m²": "shop"}


def test_the_size_of_land_is_that_of_its_own_sentence(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(
        "ZONE UB\nArticle 7 : Implantation par rapport aux limites séparatives\nSur les terrains de moins de 13 m de "
        "largeur, les constructions peuvent être en limite. Sur les autres terrains, elles ont un retrait de 4 m au "
        "moins."
    )
    answer: dict[str, Any] = read_zone(open_document(path), "UB")
    conditions = {rule["operator"]: rule["condition"] for rule in answer["rules"]}
    assert conditions == {"on_limit_allowed": "terrains de moins de 13 m de largeur", "min": "les autres terrains"}


@pytest.mark.parametrize("head", ["Secteur     Hauteur maximale     Niveaux\n         Égout     Faîtage     Acrotère"])
def test_heads_of_two_levels_give_no_column_a_wrong_name(head: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    rows = "UBa     9 m     13 m     10 m     R+2\nUBb     6 m     10 m     7 m     R+1\n"
    path.write_text(
        f"ZONE UB\nLa zone comprend les secteurs UBa et UBb.\nArticle 10 : Hauteur\n{head}\n{rows}\n{FILLER}"
    )
    assert {value for _, value in heights(path, "UBb")} <= {None}


def test_a_cell_of_words_among_rows_of_sectors_leaves_their_columns(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    cells = (
        "Secteur",
        "Égout",
        "Faîtage",
        "Acrotère",
        "UBa",
        "6 m",
        "9,50 m",
        "7 m",
        "UBb",
        "8 m",
        "12 m",
        "non admis",
    )
    path.write_text(
        "ZONE UB\nLa zone comprend les secteurs UBa et UBb.\nArticle 10 : Hauteur\n"
        + "\n".join(cells)
        + f"\n\n{FILLER}"
    )
    assert heights(path, "UBa") == [("height_eave", 6), ("height_flat_roof", 7), ("height_ridge", 9.5)]
    assert heights(path, "UBb") == [("height_eave", 8), ("height_ridge", 12)]
