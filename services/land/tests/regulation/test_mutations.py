"""A text that changes: the reading follows it, and never keeps what the text no longer says."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from land.regulation.opening import open_document
from land.regulation.reading import read_zone

ZONES = Path(__file__).parent / "zones"
EXPECTED = json.loads((ZONES / "expected.json").read_text())
FIGURE = re.compile(r"(?<![\w.,/+(-])\d+(?:[.,]\d+)?(?=\s?(?:m\b(?! ?[²2])|mètres?\b|%))")
"""A figure of metres or percent, but for one in brackets after its words."""
TEXT = (ZONES / "valbrune.txt").read_text()


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str, str], dict[str, object]]:
    """Reads a zone of a text."""

    def from_text(text: str, zone: str) -> dict[str, object]:
        path = tmp_path / "plan.txt"
        path.write_text(text)
        return read_zone(open_document(path), zone)

    return from_text


def values(answer: dict[str, object], subject: str) -> list[tuple[object, object]]:
    """Returns operator and value of the main rules of a subject."""
    rules: list[dict[str, object]] = answer["rules"]  # type: ignore[assignment]
    return [
        (rule["operator"], rule.get("value")) for rule in rules if rule["subject"] == subject and rule["kind"] == "main"
    ]


def denied(answer: dict[str, object]) -> set[object]:
    """Returns the subjects that are said not to be regulated."""
    entries: list[dict[str, object]] = answer["not_regulated"]  # type: ignore[assignment]
    return {entry["subject"] for entry in entries}


def changed(old: str, new: str) -> str:
    """Returns the text with one part replaced."""
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


Reading = Callable[[str, str], dict[str, object]]


@pytest.mark.parametrize(
    ("old", "new", "subject", "expected"),
    [
        ("recul minimum de six mètres", "recul minimum de sept mètres", "setback_road", ("min", 7)),
        ("ne peut excéder 30 %", "ne peut excéder 25 %", "footprint_ratio", ("max", 25)),
        ("9,50 mètres au faîtage", "10,50 mètres au faîtage", "height_ridge", ("max", 10.5)),
        ("au faîtage.\n", "au point le plus haut.\n", "height_ridge", ("max", 9.5)),
        ("distantes d'au moins 5 mètres", "distantes d'au moins 3 mètres", "between_buildings", ("min", 3)),
    ],
)
def test_a_changed_figure_is_read(read: Reading, old: str, new: str, subject: str, expected: tuple[str, float]) -> None:
    assert values(read(changed(old, new), "UBb"), subject) == [expected]


@pytest.mark.parametrize(
    ("old", "new", "subject", "expected"),
    [
        ("un recul minimum de six", "un recul maximum de six", "setback_road", ("max", 6)),
        ("distantes d'au moins 5", "distantes d'au plus 5", "between_buildings", ("max", 5)),
        ("ne peut être inférieure\nà trois", "ne peut être supérieure\nà trois", "access_width", ("max", 3.5)),
        ("largeur de chaussée inférieure à 5", "largeur de chaussée supérieure à 5", "road_width", ("max", 5)),
    ],
)
def test_minimum_and_maximum_turn_with_the_text(
    read: Reading, old: str, new: str, subject: str, expected: tuple[str, float]
) -> None:
    assert values(read(changed(old, new), "UBb"), subject) == [expected]


def raised(figure: re.Match[str]) -> str:
    """Returns a figure with one more metre or percent."""
    whole, *decimals = re.split("([.,])", figure[0], maxsplit=1)
    return "".join([str(int(whole) + 1), *decimals])


@pytest.mark.parametrize("name", [name for name in EXPECTED if EXPECTED[name]["file"].endswith(".txt")])
def test_every_figure_follows_its_text(tmp_path: Path, name: str) -> None:
    """One more metre or percent in every figure of a text is one more in every value that stands in figures."""
    text, zone = (ZONES / EXPECTED[name]["file"]).read_text(), EXPECTED[name]["zone"]

    def figures(source: str) -> set[tuple[object, ...]]:
        path = tmp_path / EXPECTED[name]["file"]
        path.write_text(source)
        rules: list[dict[str, object]] = read_zone(open_document(path), zone)["rules"]  # type: ignore[assignment]
        return {
            (rule["subject"], rule["operator"], rule["value"])
            for rule in rules
            if rule.get("value")
            and rule["unit"] in ("m", "%")
            and rule["operator"] in ("min", "max")
            and f"{rule['value']:g}".replace(".", ",")
            in FIGURE.findall(re.sub(r",(\d)0\b", r",\1", str(rule["quote"])))
        }

    before, after = figures(text), figures(FIGURE.sub(raised, text))
    assert before
    assert after == {(subject, operator, round(float(str(value)) + 1, 2)) for subject, operator, value in before}


def test_swapped_sectors_swap_their_values(read: Reading) -> None:
    swapped = TEXT.replace("UBa", "UB#").replace("UBb", "UBa").replace("UB#", "UBb")
    for subject in ("setback_road", "height_eave", "height_ridge", "footprint_ratio"):
        assert values(read(swapped, "UBa"), subject) == values(read(TEXT, "UBb"), subject)
        assert values(read(swapped, "UBb"), subject) == values(read(TEXT, "UBa"), subject)


def test_an_emptied_article_is_said_not_to_be_regulated(read: Reading) -> None:
    rule = "Deux constructions non contiguës doivent être distantes d'au moins 5 mètres."
    answer = read(changed(rule, "Non réglementé."), "UBb")
    assert "between_buildings" in denied(answer)
    assert not values(answer, "between_buildings")


def test_an_article_without_words_is_not_found_rather_than_not_regulated(read: Reading) -> None:
    rule = "Deux constructions non contiguës doivent être distantes d'au moins 5 mètres."
    answer = read(changed(rule, ""), "UBb")
    assert "between_buildings" not in denied(answer)
    assert "between_buildings" in answer["not_found"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("heading", "subject"),
    [
        ("ARTICLE UB 10 - HAUTEUR MAXIMALE DES CONSTRUCTIONS\n", "height_ridge"),
        ("ARTICLE UB 9 - EMPRISE AU SOL\n", "footprint_ratio"),
        ("ARTICLE UB 13 - ESPACES LIBRES ET PLANTATIONS\n", "full_ground_ratio"),
    ],
)
def test_a_removed_heading_gives_no_value_to_another_subject(read: Reading, heading: str, subject: str) -> None:
    before, after = read(TEXT, "UBb"), read(changed(heading, ""), "UBb")
    assert subject not in denied(after)
    others = {"setback_road", "setback_side", "between_buildings", "footprint_ratio", "height_eave", "parking"} - {
        subject
    }
    for other in others:
        assert set(values(after, other)) <= set(values(before, other))


def test_a_text_without_the_zone_says_so(read: Reading) -> None:
    answer = read(TEXT, "UDa")
    assert answer["state"] == "chapter_not_found"
    assert not answer["rules"]
    assert {entry["subject"] for entry in answer["not_read"]} >= {"setback_road", "height_ridge"}  # type: ignore[attr-defined]


def test_a_zone_to_be_urbanised_is_not_read_in_the_farm_zone(read: Reading) -> None:
    text = TEXT.replace("ZONE UC", "ZONE A").replace("UC ", "A ")
    assert read(text, "1AUa")["state"] == "chapter_not_found"


def test_a_reference_is_followed_or_named(read: Reading) -> None:
    chapter = (
        "\f\nDISPOSITIONS APPLICABLES A LA ZONE 1AU\nLe règlement applicable à la zone 1AU est celui de la zone {}.\n"
    )
    padding = (
        "Les constructions ne peuvent être autorisées qu'après la réalisation des équipements publics de la zone.\n" * 3
    )
    followed = read(TEXT + chapter.format("UC") + padding, "1AU")
    assert values(followed, "setback_road") == [("min", 10)]
    missing = read(TEXT + chapter.format("UX") + padding, "1AU")
    assert missing["state"] == "reference_not_followed"
    assert [entry["zone"] for entry in missing["references"]] == ["UX"]  # type: ignore[attr-defined]
    assert not missing["rules"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "les règles\nédictées par le présent règlement s'apprécient à l'ensemble du projet et non à chaque lot",
            "whole_site",
        ),
        (
            "l'ensemble du projet est\napprécié au regard de la totalité des règles, sauf si le règlement s'y oppose",
            "whole_site",
        ),
        ("le règlement s'oppose à l'application de l'article R.151-21", "per_lot"),
        ("les règles\nsont appréciées au regard de chaque lot", "per_lot"),
    ],
)
def test_the_rule_on_divided_land_turns_with_the_text(read: Reading, sentence: str, expected: str) -> None:
    start = TEXT.index("les règles\nédictées")
    end = TEXT.index("Article 3 - Rappels")
    answer = read(f"{TEXT[:start]}{sentence}.\n{TEXT[end:]}", "UBb")
    assert values(answer, "division_lots") == [(expected, None)]


@pytest.mark.parametrize(("zone", "expected"), [("UBa", (6, 9)), ("UBb", (8, 12))])
@pytest.mark.parametrize(
    "table",
    [
        "Secteur | Égout | Faîtage\nUBa | 6 m | 9 m\nUBb | 8 m | 12 m\n",
        "SECTEUR\nEGOUT\nFAITAGE\nUBa\n6 m\n9 m\nUBb\n8 m\n12 m\n",
        "Règle UBa UBb\nHauteur à l'égout 6 m 8 m\nHauteur au faîtage 9 m 12 m\n",
    ],
)
def test_tables_give_each_sector_its_own_figures(
    read: Reading, table: str, zone: str, expected: tuple[int, int]
) -> None:
    start = TEXT.index("La hauteur des constructions ne doit pas dépasser :")
    end = TEXT.index("La hauteur des annexes est limitée")
    answer = read(TEXT[:start] + table + TEXT[end:], zone)
    assert (values(answer, "height_eave"), values(answer, "height_ridge")) == (
        [("max", expected[0])],
        [("max", expected[1])],
    )
