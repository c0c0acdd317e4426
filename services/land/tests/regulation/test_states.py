"""What a text says of a subject without a figure: the sector's own words, uses that are banned, heads not known."""

from pathlib import Path
from typing import Any

import pytest

from land.regulation.opening import open_document
from land.regulation.reading import read_zone

ASPECT = "Article 11 : Aspect extérieur\n" + "Les constructions présentent une unité de matériaux.\n" * 6


def read(path: Path, text: str, zone: str = "UBa") -> dict[str, Any]:
    """Reads a zone of a chapter with a text."""
    file = path / "plan.txt"
    file.write_text(f"ZONE UB\n{text}\n{ASPECT}")
    return read_zone(open_document(file), zone)


def values(answer: dict[str, Any], subject: str) -> list[object]:
    """Returns the values of the main rules of a subject."""
    return [rule.get("value") for rule in answer["rules"] if rule["subject"] == subject and rule["kind"] == "main"]


def named(answer: dict[str, Any], state: str) -> set[str]:
    """Returns the subjects of a state."""
    return {entry["subject"] for entry in answer[state]}


FOOTPRINT = "Article 9 : Emprise au sol\n"


@pytest.mark.parametrize(
    "text",
    [
        "L'emprise au sol ne peut excéder 35 % du terrain.\nDans le secteur UBa : non réglementé.",
        "L'emprise au sol ne peut excéder 35 % du terrain.\nUBa : sans objet\nUBb : 40 %",
        "Règle UBa UBb\nEmprise au sol néant 35 %",
        "Secteur | Emprise au sol\nUBa | néant\nUBb | 35 %",
    ],
)
def test_a_sector_without_a_rule_does_not_get_the_figure_of_the_zone(tmp_path: Path, text: str) -> None:
    answer = read(tmp_path, FOOTPRINT + text)
    assert values(answer, "footprint_ratio") == []
    assert named(answer, "not_regulated") == {"footprint_ratio"}
    assert set(values(read(tmp_path, FOOTPRINT + text, "UBb"), "footprint_ratio")) <= {35, 40}


def test_a_row_of_a_table_keeps_the_figures_beside_an_empty_cell(tmp_path: Path) -> None:
    table = "Règle UBa UBb UBc\nEmprise au sol 60 % 45 % 20 %\nPleine terre néant 30 % 50 %"
    assert values(read(tmp_path, FOOTPRINT + table, "UBb"), "full_ground_ratio") == [30]
    assert "full_ground_ratio" in named(read(tmp_path, FOOTPRINT + table), "not_regulated")


def test_words_of_the_sector_that_are_not_read_stop_the_figure_of_the_zone(tmp_path: Path) -> None:
    text = "Les constructions respectent un recul d'au moins 5 m.\nDans le secteur UBa :\nConstructions nouvelles 35 m"
    heading = "Article 6 : Implantation par rapport aux voies\n"
    assert set(values(read(tmp_path, heading + text), "setback_road")) == {None}
    assert values(read(tmp_path, heading + text, "UBb"), "setback_road") == [5]


def test_other_sectors_may_be_without_a_rule(tmp_path: Path) -> None:
    text = (
        "Article 8 : Implantation sur une même propriété\n"
        "La distance est de 8 m au minimum dans le secteur UBa. Dans les autres secteurs, il n'est pas fixé de règle."
    )
    assert values(read(tmp_path, text), "between_buildings") == [8]
    assert named(read(tmp_path, text, "UBb"), "not_regulated") == {"between_buildings"}


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("Sont interdites toutes les constructions à l'exception de celles destinées à l'habitation.", None),
        ("Les constructions à usage industriel, sauf celles liées à l'artisanat.", "industry"),
        ("Les habitations légères de loisirs, les terrains de camping.", "leisure"),
        ("Les résidences mobiles de loisirs et les caravanes.", "leisure"),
        ("Les constructions à usage d'habitation.", "dwelling"),
    ],
)
def test_a_ban_names_the_use_that_it_bans(tmp_path: Path, text: str, use: str | None) -> None:
    answer = read(tmp_path, f"Article 1 : Occupations et utilisations du sol interdites\n{text}")
    bans = [rule for rule in answer["rules"] if rule["subject"] == "forbidden_use"]
    assert [rule.get("scope", {}).get("use") for rule in bans] == [use]


@pytest.mark.parametrize(
    ("heading", "text", "expected"),
    [
        ("Article 4 : Cadre de vie", "Tout recul par rapport à l'alignement est d'au moins 5 m.", ("setback_road", 5)),
        ("Article 4 : Cadre de vie", "L'emprise au sol est limitée à 40 %.", ("footprint_ratio", 40)),
        ("Article 4 : Cadre de vie", "La hauteur moyenne des constructions est de 9 m.", ("height_ridge", None)),
        ("Article 4 : Cadre de vie", "La hauteur des clôtures est limitée à 1,80 m.", ("height_ridge", None)),
    ],
)
def test_a_sentence_that_names_its_subject_is_read_under_any_head(
    tmp_path: Path, heading: str, text: str, expected: tuple[str, float | None]
) -> None:
    subject, value = expected
    assert values(read(tmp_path, f"{heading}\n{text}"), subject) == ([] if value is None else [value])


@pytest.mark.parametrize(
    ("heading", "text", "subjects"),
    [("Article 4 : Implantation", "On s'éloigne de 4 m.", {"setback_side", "setback_rear", "between_buildings"})],
)
def test_a_sentence_that_names_no_subject_is_not_read(
    tmp_path: Path, heading: str, text: str, subjects: set[str]
) -> None:
    answer = read(tmp_path, f"{heading}\n{text}\nArticle 10 : Hauteur\nLa hauteur est limitée à 9 m au faîtage.")
    assert subjects <= named(answer, "not_read")
    assert not subjects & set(answer["not_found"])
    assert "parking" in answer["not_found"]


def test_a_subject_with_words_is_not_missing(tmp_path: Path) -> None:
    text = (
        "Article 8 : Implantation sur une même propriété\nUne distance d'au moins 6 m peut être imposée."
        "\nArticle 10 : Hauteur\nLa hauteur est limitée à 9 m au faîtage."
    )
    assert "between_buildings" not in read(tmp_path, text)["not_found"]


def test_a_share_for_large_operations_keeps_its_condition(tmp_path: Path) -> None:
    text = "Les opérations de plus de dix lots comportent au moins 10 % d'espaces verts."
    answer = read(tmp_path, f"Article 13 : Espaces libres et plantations\n{text}")
    [rule] = [rule for rule in answer["rules"] if rule["subject"] == "green_ratio"]
    assert (rule["value"], rule["condition"]) == (10, "operations de plus de 10 lots")


def test_a_chapter_may_name_its_sectors_in_its_title(tmp_path: Path) -> None:
    file = tmp_path / "plan.txt"
    text = "L'emprise au sol ne dépassera pas 45 % du terrain."
    title = "CHAPITRE III - ZONE UC : SECTEURS UCa ET UCb\n\n" + "Le secteur UCa borde la place et le mail.\n" * 6
    file.write_text(f"{title}Article UC 1 - Emprise au sol\n{text}\nArticle UC 2 - Hauteur\nNon réglementé.\n{ASPECT}")
    assert values(read_zone(open_document(file), "UCb"), "footprint_ratio") == [45]


def test_the_title_of_the_chapter_is_no_sector(tmp_path: Path) -> None:
    text = "Article UB 9 : Emprise au sol\nL'emprise au sol ne peut excéder 35 % du terrain."
    file = tmp_path / "plan.txt"
    file.write_text(f"DISPOSITIONS APPLICABLES A LA ZONE UB\n{text}\n{ASPECT}")
    rules: Any = read_zone(open_document(file), "UB")["rules"]
    assert [rule["value"] for rule in rules if rule["subject"] == "footprint_ratio"] == [35]
    assert not any("sector" in rule.get("scope", {}) for rule in rules)


PARKING = "ARTICLE UC 12 – STATIONNEMENT\nHabitation : 2 places par logement.\nBureaux : 1 place pour 45 m².\n"


@pytest.mark.parametrize(
    ("other", "state"), [("UC", {"followed": True}), ("UX", {"followed": False})], ids=["followed", "not in the file"]
)
def test_the_article_of_another_zone_is_read_or_named(tmp_path: Path, other: str, state: dict[str, bool]) -> None:
    sentence = f"ARTICLE UB 12 – STATIONNEMENT\nLes dispositions de l'article {other} 12 sont applicables."
    file = tmp_path / "plan.txt"
    file.write_text(f"ZONE UB\n{sentence}\n{ASPECT}\f{'ZONE UC'}\n{PARKING}{ASPECT}")
    answer: Any = read_zone(open_document(file), "UB")
    [reference] = answer["references"]
    assert (reference["zone"], reference["followed"]) == (other, state["followed"])
    assert values(answer, "parking") == ([2, 1] if state["followed"] else [])
    assert ("parking" in named(answer, "not_read")) != state["followed"]
    assert "parking" not in answer["not_found"]


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        (
            "L'ensemble du projet est apprécié au regard des règles, sauf si le règlement de ce plan s'y oppose.\n"
            "Le présent règlement s'y oppose : les règles s'appliquent à chaque lot.",
            "per_lot",
        ),
        ("Dans les zones UA, UB et UC, les règles sont appréciées lot par lot.", "per_lot"),
        ("Dans les zones UA et UC, les règles sont appréciées lot par lot.", None),
        (
            "Dispositions propres à certaines zones\nÀ l'intérieur de la zone UA sont délimités des secteurs.\n"
            "Dans les lotissements, les règles sont appréciées lot par lot.",
            "per_lot",
        ),
    ],
)
def test_the_common_rule_on_divided_land_is_that_of_the_zone(text: str, operator: str | None, tmp_path: Path) -> None:
    path, common = tmp_path / "plan.txt", tmp_path / "common.txt"
    chapter = "ZONE UB\nSecteurs UBa et UBb.\nArticle 9 : Emprise au sol\nElle est limitée à 40 % du terrain.\n"
    path.write_text(chapter + "Les constructions présentent une unité de matériaux.\n" * 6)
    common.write_text(f"DISPOSITIONS COMMUNES\nArticle 4 : Division de terrains\n{text}\n")
    rules: Any = read_zone(open_document(path), "UBa", "", open_document(common))["rules"]
    assert next((rule["operator"] for rule in rules if rule["subject"] == "division_lots"), None) == operator


def test_what_stands_before_the_first_chapter_is_common(tmp_path: Path) -> None:
    file = tmp_path / "plan.txt"
    lots = "Article 5 – Divisions\nLe présent règlement s'oppose à l'application de l'article R. 151-21.\n"
    file.write_text(f"{lots}{ASPECT}\fZONE UB\n{FOOTPRINT}L'emprise au sol est limitée à 40 %.\n{ASPECT}")
    answer: Any = read_zone(open_document(file), "UB")
    assert [rule["operator"] for rule in answer["rules"] if rule["subject"] == "division_lots"] == ["per_lot"]


def test_rules_of_an_annex_are_not_missing(tmp_path: Path) -> None:
    answer = read(tmp_path, "Article 12 : Stationnement\nLe nombre de places est fixé à l'annexe 2 du règlement.")
    assert "parking" in named(answer, "not_read")
    assert "parking" not in answer["not_found"]


ROAD = "Article 6 : Implantation par rapport aux voies\nLe recul est d'au moins 5 m.\n"
BOUNDARY = "Article 7 : Limites séparatives\nLe retrait est d'au moins 4 m.\n"


@pytest.mark.parametrize(
    ("text", "subject", "expected"),
    [
        (f"{ROAD}Dans le secteur UBa, il n'excède pas 12 m.", "setback_road", {5, 12}),
        (f"{ROAD}Dans le secteur UBa, il n'excède pas 3 m.", "setback_road", {None, 3}),
        (
            f"{BOUNDARY}Dans le secteur UBa, il est de 9 m au moins par rapport à la limite de fond.",
            "setback_side",
            {4},
        ),
        (
            f"{BOUNDARY}Dans le secteur UBa, il est de 9 m au moins par rapport à la limite de fond.",
            "setback_rear",
            {9},
        ),
        (
            "Article 10 : Hauteur\nEn toiture-terrasse : 7 m à l'acrotère en UB, 9 m en UBb ; interdite en UBa.",
            "height_flat_roof",
            set(),
        ),
        (
            "Article 10 : Hauteur\nLe nombre de niveaux est limité à deux en UB et à trois en UBa.",
            "storeys",
            {3},
        ),
        (
            "Article 13 : Espaces libres\n30 % du terrain est en pleine terre. En UBa, cette obligation est de 8 %.",
            "full_ground_ratio",
            {8},
        ),
        (
            "Article 13 : Espaces libres\n25 % du terrain est en pleine terre ; 45 % en UBa.",
            "full_ground_ratio",
            {45},
        ),
        (
            "Article 7 : Limites séparatives\nDans le secteur UBa, il est de 3 m au moins dans la bande de 15 m.\n"
            "Au-delà de la bande de 15 m, le retrait est de 5 m au moins.",
            "setback_side",
            {3, 5},
        ),
        (
            "Article 10 : Hauteur\nLa hauteur est limitée à 6 m à l'égout. Elle est limitée à 9 m au faîtage. "
            "Dans le secteur UBa, ces hauteurs sont ramenées à 4 m et à 7 m. Les toits plats sont limités à 5 m.",
            "height_eave",
            {4},
        ),
    ],
)
def test_a_sector_adds_to_a_rule_of_the_zone_or_replaces_it(
    tmp_path: Path, text: str, subject: str, expected: set[float | None]
) -> None:
    assert set(values(read(tmp_path, text), subject)) == expected


def test_a_sector_in_the_middle_of_a_paragraph_is_of_its_sentence(tmp_path: Path) -> None:
    text = (
        "Article 10 : Hauteur\nLa hauteur est limitée à 9 m au faîtage. Dans le secteur UBa, elle est limitée à 7 m. "
        "Les toitures-terrasses sont limitées à 6 m à l'acrotère."
    )
    answer = read(tmp_path, text, "UB")
    assert (values(answer, "height_ridge"), values(answer, "height_flat_roof")) == ([9], [6])


def test_a_band_that_opens_a_paragraph_lasts_to_its_end(tmp_path: Path) -> None:
    text = (
        "Sur une profondeur de 16 m, les constructions sont implantées sur une limite latérale. "
        "La marge sur l'autre limite est de 3 m au moins.\n"
        "Au-delà de 16 m, les constructions sont en retrait. La marge est de 6 m au moins."
    )
    answer = read(tmp_path, f"Article 7 : Limites séparatives\n{text}", "UB")
    bands = {rule["value"]: rule["scope"]["band"] for rule in answer["rules"] if rule.get("value")}
    assert bands == {3: "0 to 16 m", 6: "beyond 16 m"}


def test_a_ridge_above_the_eave_is_not_missing(tmp_path: Path) -> None:
    text = "La hauteur est de 6 m à l'égout. Le faîtage ne dépasse pas de plus de 4 m la hauteur de l'égout."
    answer = read(tmp_path, f"Article 10 : Hauteur\n{text}", "UB")
    assert (values(answer, "height_eave"), values(answer, "height_ridge")) == ([6], [None])
    assert "height_ridge" not in answer["not_found"]


def test_a_condition_after_a_figure_is_kept_with_it(tmp_path: Path) -> None:
    text = (
        "Article 6 : Implantation par rapport aux voies\nLe recul est de 5 m au moins si la voie est plantée d'arbres."
    )
    [rule] = [rule for rule in read(tmp_path, text, "UB")["rules"] if rule["subject"] == "setback_road"]
    assert (rule["value"], rule["condition"]) == (5, "si la voie est plantee d'arbres")


def test_the_width_of_an_access_keeps_its_use(tmp_path: Path) -> None:
    text = "Article 3 : Accès\nLes accès ont 6 m de large au moins pour les activités."
    [rule] = [rule for rule in read(tmp_path, text, "UB")["rules"] if rule["subject"] == "access_width"]
    assert (rule["value"], rule["scope"]) == (6, {"use": "activities"})


def test_a_sector_under_a_letter_has_the_rules_of_the_zone_that_its_sentence_names(tmp_path: Path) -> None:
    file = tmp_path / "plan.txt"
    sectors = (
        "A. Dans les secteurs 1AUa\nLe règlement applicable aux opérations est celui de la zone UC.\n"
        "B. Dans les secteurs 1AUb\nLe règlement applicable aux opérations est celui de la zone UX.\n"
    )
    file.write_text(
        f"ZONE 1AU\nArticle 1AU 2 : Conditions\n{sectors}{ASPECT}\fZONE UC\n{FOOTPRINT}40 % au plus.\n{ASPECT}"
    )
    followed, missing = (read_zone(open_document(file), zone) for zone in ("1AUa", "1AUb"))
    assert values(followed, "footprint_ratio") == [40]
    assert missing["state"] == "reference_not_followed"


def test_an_article_that_does_not_apply_is_not_followed(tmp_path: Path) -> None:
    text = "Article 12 : Stationnement\nLes règles de l'article UC 12 ne sont pas applicables."
    assert read(tmp_path, text)["references"] == []


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        (
            "Les constructions peuvent être implantées en limite séparative :\n- si leur hauteur est de 3 m au plus ;\n"
            "- ou si le mur est aveugle.",
            {"si leur hauteur est de 3 m au plus"},
        ),
        (
            "Les constructions peuvent être édifiées le long des limites séparatives dans les cas suivants :\n"
            "- la toiture est plate ;\n- pour les annexes, si elles sont basses.",
            {"la toiture est plate"},
        ),
        (
            "Les retraits sont les suivants :\n- si la façade a des baies, 8 m au moins ;\n"
            "- si la façade est aveugle, 4 m au moins.",
            {"si la facade a des baies", "si la facade est aveugle"},
        ),
    ],
)
def test_conditions_of_a_list_stay_with_their_rules(text: str, conditions: set[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(f"ZONE UB\nArticle 7 : Implantation par rapport aux limites séparatives\n{text}\n")
    answer: dict[str, Any] = read_zone(open_document(path), "UB")
    stated = {rule.get("condition") for rule in answer["rules"] if rule["kind"] == "main" and "value" in rule}
    assert None not in stated
    assert conditions <= stated


@pytest.mark.parametrize(("zone", "height"), [("1AUa", 12), ("1AUb", 8), ("1AUc", None)])
def test_a_sector_follows_the_sector_that_its_own_words_name(zone: str, height: float | None, tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(
        "ZONE UB\nLa zone comprend les secteurs UBa et UBp.\nARTICLE UB 10 – HAUTEUR\nEn UBa, la hauteur est limitée à "
        f"12 m au faîtage. En UBp, elle est limitée à 8 m.\n{ASPECT}\fZONE 1AU\n"
        "Elle comprend les secteurs 1AUa, 1AUb et 1AUc.\nDispositions applicables\n"
        "Le secteur 1AUa suit les dispositions applicables au secteur UBa (article UB 10), "
        f"le secteur 1AUb celles applicables au secteur UBp.\n{ASPECT}"
    )
    answer: Any = read_zone(open_document(path), zone)
    stated = {rule.get("value") for rule in answer["rules"] if rule["subject"] == "height_ridge"}
    assert stated == ({height} if height else set())


@pytest.mark.parametrize(
    ("text", "mapped"),
    [
        (
            "Article 10 : Hauteur\nÀ défaut de cote à la planche C, la hauteur ne dépasse pas 9 m à l'égout.",
            "height_eave",
        ),
        (
            "Article 8 : Entre bâtiments\n8 m.\nd) Emprise, hauteur\nLe plan des hauteurs peut en fixer une.",
            "height_ridge",
        ),
        (
            "Portée\nLes marges de recul du règlement graphique prévalent sur celles des zones.\n"
            "Article 6 : Recul des voies\nLe recul est d'au moins 5 m.",
            "setback_road",
        ),
        (
            "Portée\nLorsqu'une disposition figure au règlement graphique, elle prévaut.\n"
            "Article 9 : Emprise au sol\nL'emprise au sol ne peut excéder 40 % du terrain.",
            "footprint_ratio",
        ),
    ],
)
def test_what_a_map_says_first_is_named(tmp_path: Path, text: str, mapped: str) -> None:
    assert mapped in named(read(tmp_path, text, "UB"), "needs_map")
    assert all(rule["needs_map"] for rule in read(tmp_path, text, "UB")["rules"] if rule["subject"] == mapped)


def test_rules_that_a_map_only_draws_are_no_map_first_rules(tmp_path: Path) -> None:
    text = "Le règlement comprend des documents graphiques.\nArticle 6 : Recul des voies\nLe recul est d'au moins 5 m."
    assert named(read(tmp_path, text, "UB"), "needs_map") == set()
