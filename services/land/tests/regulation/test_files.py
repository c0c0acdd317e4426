"""Files of regulations: PDFs with columns, pictures and hidden text, structured files, texts, and others."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from regulation.pdf_files import PdfPage, column, pdf

from land.cli import main
from land.regulation.documents import UnreadableDocument
from land.regulation.opening import open_document
from land.regulation.reading import read_zone

CHAPTER = [
    "ZONE UB",
    "Article 6 : Implantation par rapport aux voies",
    "Les constructions doivent respecter un recul d'au moins 5 m par rapport à",
    "l'alignement.",
    "Article 9 : Emprise au sol",
    "L'emprise au sol ne peut excéder 40 % de la superficie du terrain.",
    "Article 10 : Hauteur",
    "La hauteur est limitée à 9 m au faîtage.",
]
OTHER = ["ZONE UC", "Article 9 : Emprise au sol", "L'emprise au sol ne peut excéder 20 % de la superficie du terrain."]


def read(path: Path, content: bytes | str, zone: str = "UB", anchor: str = "") -> dict[str, Any]:
    """Writes a file and reads a zone of it."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_zone(open_document(path), zone, anchor)


def values(answer: dict[str, Any]) -> set[tuple[object, ...]]:
    """Returns subject, value and page of the rules with a value."""
    return {(rule["subject"], rule["value"], rule["page"]) for rule in answer["rules"] if rule.get("value") is not None}


def test_a_pdf_is_read_by_page(tmp_path: Path) -> None:
    answer = read(tmp_path / "plan.pdf", pdf([PdfPage(column(CHAPTER)), PdfPage(column(OTHER))]))
    assert values(answer) == {("setback_road", 5, 1), ("footprint_ratio", 40, 1), ("height_ridge", 9, 1)}
    assert answer["pages"] == [1, 1]


def test_columns_that_the_file_mixes_are_read_one_after_the_other(tmp_path: Path) -> None:
    left = [*CHAPTER[:2], "Les constructions doivent respecter un recul", "d'au moins 5 m par rapport à l'alignement."]
    right = [CHAPTER[4], "L'emprise au sol ne peut excéder 40 % de la", "superficie du terrain.", *CHAPTER[6:]]
    left += ["Les saillies ne sont pas prises en compte.", "La continuité du bâti est recherchée."] * 6
    right += ["Les toitures ont deux pans de même pente.", "Les cheminées ne sont pas comptées ici."] * 6
    pairs = [text for lines in zip(column(left, 30), column(right, 310), strict=False) for text in lines]
    answer = read(tmp_path / "plan.pdf", pdf([PdfPage(pairs)]))
    assert values(answer) == {("setback_road", 5, 1), ("footprint_ratio", 40, 1), ("height_ridge", 9, 1)}


def test_a_page_that_is_a_picture_is_named(tmp_path: Path) -> None:
    pages = [
        PdfPage(column(CHAPTER)),
        PdfPage(has_picture=True),
        PdfPage(column(["Article 12 : Stationnement", "Une place par logement."])),
    ]
    answer = read(tmp_path / "plan.pdf", pdf(pages))
    assert [(entry["page"], entry["why"]) for entry in answer["unreadable"]] == [(2, "no_text")]


def test_a_scan_gives_no_rule_and_no_statement_that_nothing_is_fixed(tmp_path: Path) -> None:
    answer = read(tmp_path / "scan.pdf", pdf([PdfPage(has_picture=True)] * 3))
    assert answer["state"] == "unreadable"
    assert [entry["page"] for entry in answer["unreadable"]] == [1, 2, 3]
    assert [answer[key] for key in ("rules", "not_regulated", "not_found")] == [[], [], []]


def test_text_that_nobody_sees_gives_words_and_no_values(tmp_path: Path) -> None:
    hidden = PdfPage(column(CHAPTER[4:], is_hidden=True), has_picture=True)
    answer = read(tmp_path / "plan.pdf", pdf([PdfPage(column(CHAPTER[:4])), hidden]))
    assert values(answer) == {("setback_road", 5, 1)}
    assert [(entry["page"], entry["why"]) for entry in answer["unreadable"]] == [(2, "hidden_text")]
    assert {rule["subject"] for rule in answer["rules"] if rule.get("ambiguous")} == {"footprint_ratio", "height_ridge"}


@pytest.mark.parametrize("anchor", ["2", "#page=2", "UB", "#UB"])
def test_a_chapter_begins_at_its_anchor(tmp_path: Path, anchor: str) -> None:
    pages = [PdfPage(column(OTHER)), PdfPage(column(CHAPTER[1:])), PdfPage(column(OTHER))]
    answer = read(tmp_path / "plan.pdf", pdf(pages, {"UB": 1}), anchor=anchor)
    assert values(answer) == {("setback_road", 5, 2), ("footprint_ratio", 40, 2), ("height_ridge", 9, 2)}


def test_an_anchor_on_the_chapter_of_another_zone_gives_none_of_its_values(tmp_path: Path) -> None:
    answer = read(tmp_path / "plan.pdf", pdf([PdfPage(column(OTHER)), PdfPage(column(CHAPTER))]), anchor="1")
    assert values(answer) == {("setback_road", 5, 2), ("footprint_ratio", 40, 2), ("height_ridge", 9, 2)}


def test_the_printed_page_is_given_beside_that_of_the_file(tmp_path: Path) -> None:
    pages = [[*CHAPTER, "41"], [*OTHER, "42"]]
    answer = read(tmp_path / "plan.txt", "\f".join("\n".join(page) for page in pages))
    assert {(rule["page"], rule["printed_page"]) for rule in answer["rules"]} == {(1, 41)}


@pytest.mark.parametrize("foot", ["PLU approuvé le 3 mai 2016     - {} -", "Règlement | Zone UB | {}", "p. {} sur 90"])
def test_the_printed_page_stands_in_a_line_that_comes_again(tmp_path: Path, foot: str) -> None:
    pages = [[line.format(number) for line in (*text, foot)] for number, text in ((14, CHAPTER), (31, OTHER))]
    document = open_document(_written(tmp_path, "\f".join("\n".join(page) for page in pages)))
    assert [page.printed for page in document.pages] == [14, 31]


def _written(folder: Path, text: str) -> Path:
    path = folder / "plan.txt"
    path.write_text(text)
    return path


STRUCTURED_XML = """<?xml version="1.0"?>
<plu:ReglementDU xmlns="http://www.w3.org/1999/xhtml" xmlns:plu="https://cnig.gouv.fr/reglementDU">
<plu:Titre intitule="Zone UB" niveau="1" idZone="UB"><plu:Titre intitule="Emprise au sol" niveau="2" idZone="UB">
<plu:Contenu idZone="UB"><p>L'emprise au sol ne peut excéder 40 % de la superficie du terrain.</p>
<p>{}</p></plu:Contenu></plu:Titre>
<plu:Titre intitule="Emprise au sol" niveau="2" idZone="UBa"><plu:Contenu idZone="UBa">
<p>L'emprise au sol ne peut excéder 60 % de la superficie du terrain.</p></plu:Contenu></plu:Titre></plu:Titre>
</plu:ReglementDU>""".format("Les autres règles de la zone restent applicables aux constructions existantes. " * 4)


def test_structured_regulations_are_read_by_their_titles(tmp_path: Path) -> None:
    assert values(read(tmp_path / "plan.xml", STRUCTURED_XML)) == {("footprint_ratio", 40, None)}
    html = [
        {"tag": "p", "text": "L'emprise au sol ne peut excéder 40 % de la superficie du terrain."},
        {"tag": "p", "text": "Texte. " * 40},
    ]
    title = {
        "intitule": "Emprise au sol",
        "idZone": '["UB"]',
        "contenu": [{"html": json.dumps(html), "idZone": ["UB"]}],
    }
    tree = {"nom": "Règlement", "titre": [{"intitule": "Zone UB", "idZone": ["UB"], "titre": [title]}]}
    assert values(read(tmp_path / "plan.json", json.dumps(tree))) == {("footprint_ratio", 40, None)}


@pytest.mark.parametrize(
    "content",
    [
        b"<!DOCTYPE html><html><body>Document introuvable</body></html>",
        b"",
        b"%PDF-1.4 cut",
        b'{"a": 1}',
        b"<?xml version='1.0'?><a/>",
        b"\0\0\0",
    ],
)
def test_a_file_that_is_no_regulation_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UnreadableDocument):
        read(tmp_path / "file", content)


def test_the_command_prints_the_zone_and_needs_no_store(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    path.write_text("\n".join(CHAPTER))
    result = CliRunner().invoke(main, ["read-regulation", str(path), "--zone", "UB"])
    assert result.exit_code == 0
    answer = json.loads(result.output)
    assert {"zone", "rules", "not_regulated", "needs_map", "not_found", "unreadable"} <= set(answer)
    assert values(answer) == {("setback_road", 5, None), ("footprint_ratio", 40, None), ("height_ridge", 9, None)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Recul des voies\nLe recul est compris entre 3 m et 8,50 m de l'alignement.", ([3, 8.5], "m")),
        ("Emprise au sol\nLe coefficient d'emprise au sol est compris entre 0,3 et 0,5.", ([30, 50], "%")),
        ("Biotope\nLe coefficient de biotope est compris entre 0,3 et 0,5.", ([0.3, 0.5], "coefficient")),
    ],
)
def test_the_command_prints_both_figures_of_a_range(tmp_path: Path, text: str, told: tuple[list[float], str]) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(f"ZONE UB\nArticle UB 6 : {text}")
    answer = json.loads(CliRunner().invoke(main, ["read-regulation", str(path), "--zone", "UB"]).output)
    [rule] = answer["rules"]
    assert (rule["operator"], rule["value"], rule["unit"]) == ("range", *told)


def test_a_running_head_is_a_cell_of_a_table_elsewhere_on_its_page(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    rows = ("Secteur Égout Faîtage Niveaux", "UD 6_m 10_m R+1+C", "UDa 4_m 7_m R+C", "UDb 3_m 5_m R")
    table = [cell.replace("_", " ") for row in rows for cell in row.split(" ")]
    above = "UD\nArticle UD 10 : Hauteur\n10.1. Mode de calcul\nElle va du terrain à l'égout ou au faîtage.\n"
    below = (
        "\nLes toits sont de tuiles.\nLes murs sont enduits.\nLes clôtures sont de haies.\nRèglement\nPage 2 sur 74\n"
    )
    first = "UD\nArticle UD 1 : Interdits\nLes mines.\nRèglement\nPage 1 sur 74\n"
    path.write_text(f"{first}\f\n{above}10.2. Hauteurs autorisées\n" + "\n".join(table) + below)
    answer = json.loads(CliRunner().invoke(main, ["read-regulation", str(path), "--zone", "UD"]).output)
    given = {(rule["subject"], rule.get("value")) for rule in answer["rules"] if rule["kind"] == "main"}
    assert {("height_eave", 6), ("height_ridge", 10)} <= given


def test_the_command_says_why_a_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "page.pdf"
    path.write_text("<html>refresh</html>")
    result = CliRunner().invoke(main, ["read-regulation", str(path), "--zone", "UB"])
    assert result.exit_code == 1
    assert "HTML" in result.output


def test_an_anchor_at_the_chapter_of_another_zone_gives_no_rules(tmp_path: Path) -> None:
    pages = [PdfPage(column(OTHER)), PdfPage(column([line.replace("UB", "UC") for line in CHAPTER]))]
    answer = read(tmp_path / "plan.pdf", pdf(pages), anchor="2")
    assert (answer["state"], values(answer)) == ("chapter_not_found", set())
