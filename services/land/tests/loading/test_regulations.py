"""Written regulations from the live service: the file that a zone names, its rules in the answer, and what fails."""

import json
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from land_builders import COMMUNE, PARTITION, coverage, land_unit, load, on_sqlite, parcel, square, zone
from publishers import Publishers, local_publishers
from regulation.pdf_files import PdfPage, column, pdf
from sqlalchemy import Engine

from contract.messages.land import feature_collection
from land.datasets.planning.attributes import FILES
from land.datasets.planning.records import PlanningCommuneRecord
from land.datasets.regulations import reader
from land.datasets.regulations.registration import GPU_REGULATIONS
from land.loading.load_queue import LoadKey, LoadState
from land.loading.on_demand import LoadLimits, OnDemand
from land.loading.second_reader import SecondReader
from land.registry import at
from land.rpc import messages
from land.units.model import LandUnit
from land.units.regulation import Regulation
from landpartner.land.v1 import land_pb2 as pb
from servicekit.languages import in_language

pytestmark = on_sqlite
DEPOSIT = "694a3c44118890856aa96c8b01b8961b"
FILE = "18999_reglement_20240131.pdf"
DOCUMENT = f"{COMMUNE}_PLU_20240131"
URL = f"{FILES}/{PARTITION}/{DEPOSIT}/{FILE}"
PATH = f"/gpu_files/{PARTITION}/{DEPOSIT}/{FILE}"
DETAILS = f"/gpu_documents/document/{DEPOSIT}/details"
API_PATH = f"/gpu_documents/document/{DEPOSIT}/files/{FILE}"
CHAPTER = """ZONE UB
ARTICLE UB 6 : IMPLANTATION DES CONSTRUCTIONS PAR RAPPORT AUX VOIES
Les constructions doivent être implantées avec un recul minimum de 6 mètres par rapport à l'alignement.
ARTICLE UB 7 : IMPLANTATION DES CONSTRUCTIONS PAR RAPPORT AUX LIMITES SÉPARATIVES
Les constructions doivent être implantées à une distance minimale de 3 mètres des limites séparatives.
ARTICLE UB 9 : EMPRISE AU SOL
L'emprise au sol des constructions ne peut excéder 30 % de la superficie du terrain.
ARTICLE UB 10 : HAUTEUR MAXIMALE DES CONSTRUCTIONS
La hauteur des constructions ne peut excéder 9 mètres au faîtage.
ARTICLE UB 13 : ESPACES LIBRES ET PLANTATIONS
Non réglementé."""


HIDDEN = column(CHAPTER.splitlines(), is_hidden=True)
WITH_PASSWORD = pdf([PdfPage(column(["ZONE UB"]))]).replace(
    b"trailer << ",
    b"trailer << /Encrypt << /Filter /Standard "
    b"/V 1 /R 2 /P -4 /O (" + b"o" * 32 + b") /U (" + b"u" * 32 + b") >> /ID [(i) (i)] ",
)


def document(text: str = CHAPTER) -> bytes:
    """A regulation of two pages: the first one is another zone's."""
    other = ["ZONE UA", "ARTICLE UA 9 : EMPRISE AU SOL", "L'emprise au sol ne peut excéder 90 % du terrain."]
    return pdf([PdfPage(column(other)), PdfPage(column(text.splitlines()))])


@pytest.fixture
def publishers() -> Iterator[Publishers]:
    with local_publishers() as served:
        served.files[PATH] = document()
        served.files[DETAILS] = json.dumps({"id": DEPOSIT, "protected": False, "files": [{"name": FILE}]}).encode()
        yield served


@pytest.fixture
def lots(store: Engine) -> Engine:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    load_zones(store, f"{URL}#page=2")
    return store


def load_zones(store: Engine, url: str | None, label: str = "UB") -> None:
    record = zone(label, square(-50, -50, 200, 200), regulation_url=url)
    load(store, "gpu-zones", PARTITION, [record])


@pytest.fixture
def fetch(lots: Engine, publishers: Publishers, tmp_path: Path) -> Iterator[Callable[..., LoadState]]:
    """Loads the regulations of the document again. Returns the state of the load."""
    running: list[OnDemand] = []

    def fetched(second: SecondReader | None = None) -> LoadState:
        running.append(OnDemand(lots, at(publishers.bases), tmp_path, LoadLimits(), second_reader=second))
        running[-1].start()
        key = LoadKey(GPU_REGULATIONS.id, PARTITION, COMMUNE)
        future = running[-1].refresh(key, "9999")
        assert future is not None
        return "loaded" if future.exception(60) is None else running[-1].load([key], 0.0)[key]

    yield fetched
    for on_demand in running:
        on_demand.end()


def answer(store: Engine) -> LandUnit:
    return land_unit(store, f"{COMMUNE}000AB0001", blocks=["urbanism"])


def stated(store: Engine) -> Regulation:
    block = answer(store).regulation
    assert block is not None
    return block.regulation


def rules(store: Engine, subject: str) -> list[pb.RegulationRule]:
    return [rule for rule in messages.land_unit(answer(store)).urbanism.rules if rule.subject == subject]


def test_the_rules_of_the_zone_are_in_the_answer_with_page_quote_and_source(
    lots: Engine, publishers: Publishers, fetch: Callable[..., LoadState]
) -> None:
    assert stated(lots).why == "not_loaded"
    assert coverage(answer(lots))["gpu-regulations"] == ("not_loaded", "not_loaded")
    assert fetch() == "loaded"
    regulation = stated(lots)
    assert (regulation.state, regulation.why, regulation.zone, regulation.file) == ("read", None, "UB", FILE)
    assert (regulation.idurba, regulation.approved_on, regulation.pages) == (DOCUMENT, "2024-01-31", [2, 2])
    assert regulation.size_bytes == len(publishers.files[PATH])
    [road] = rules(lots, "setback_road")
    assert (road.operator, road.value, road.unit, road.kind, road.page) == ("min", 6, "m", "main", 2)
    assert "recul minimum de 6 mètres" in road.quote
    assert road.url == f"{URL}#page=2"
    assert [(rule.value, [*rule.also]) for rule in rules(lots, "setback_side")] == [(3, ["setback_rear"])]
    assert [rule.state for rule in rules(lots, "green_ratio")] == ["not_regulated"]
    assert [rule.state for rule in rules(lots, "parking")] == ["not_found"]
    unit = answer(lots)
    assert coverage(unit)["gpu-regulations"] == ("covered", None)
    assert [source.edition for source in unit.sources if source.id == "gpu-regulations"] == ["2024-01-31"]
    with in_language("fr"):
        [road] = rules(lots, "setback_road")
        assert road.text == "Recul de la voie\N{NO-BREAK SPACE}: au moins 6\N{NO-BREAK SPACE}m"


def test_the_json_has_one_row_for_each_rule(lots: Engine, fetch: Callable[..., LoadState]) -> None:
    fetch()
    collection = feature_collection(messages.land_unit(answer(lots)), pb.GetLandUnitRequest(blocks=[pb.BLOCK_URBANISM]))
    urbanism: dict[str, Any] = collection["features"][0]["properties"]["urbanism"]
    assert urbanism["regulation"]["state"] == "read"
    [road] = [rule for rule in urbanism["rules"] if rule["subject"] == "setback_road"]
    assert (road["value"], road["scope"], road["formula"]) == (6, {"reference": "alignment"}, None)
    assert len({rule["id"] for rule in urbanism["rules"]}) == len(urbanism["rules"])


class _Model(SecondReader):
    """A second reader without a server, that gives an answer and counts its calls."""

    calls: ClassVar[list[str]] = []
    answer: ClassVar[str | None]

    def read(self, zone: str, chapter: str) -> str | None:
        self.calls.append(zone)
        return self.answer


def test_a_figure_of_both_readers_is_marked_and_one_of_the_model_alone_is_uncertain(
    lots: Engine, fetch: Callable[..., LoadState]
) -> None:
    lines = CHAPTER.splitlines()
    given = [("setback_road", "min", 6, lines[2]), ("height_eave", "max", 9, lines[8])]
    stated = [dict(zip(("subject", "operator", "value", "quote"), rule, strict=True)) for rule in given]
    _Model.answer = json.dumps({"rules": stated})
    assert fetch(_Model("http://localhost", "tiny")) == "loaded"
    [road], [eave] = rules(lots, "setback_road"), rules(lots, "height_eave")
    assert (road.value, road.is_read_twice, road.is_ambiguous) == (6, True, False)
    assert (eave.value, eave.is_read_twice, eave.is_ambiguous) == (9, False, True)
    assert "read twice" in road.text
    regulation = messages.land_unit(answer(lots)).urbanism.regulation
    assert regulation.reader == "rules-1+tiny"


def test_a_second_reader_that_fails_is_asked_once_for_a_file(
    lots: Engine, publishers: Publishers, fetch: Callable[..., LoadState]
) -> None:
    chapters = [CHAPTER, CHAPTER.replace("UB", "UC")]
    publishers.files[PATH] = pdf([PdfPage(column(text.splitlines())) for text in chapters])
    second = zone("UC", square(-50, -50, 200, 200), regulation_url=f"{URL}#page=2")
    load(lots, "gpu-zones", PARTITION, [zone("UB", square(-50, -50, 200, 200), regulation_url=URL), second])
    _Model.answer = None
    _Model.calls.clear()
    assert fetch(_Model("http://localhost", "tiny")) == "loaded"
    assert len(_Model.calls) == 1
    assert [rule.value for rule in rules(lots, "setback_road")] == [6, 6]
    assert not any(rule.is_read_twice for rule in rules(lots, "setback_road"))


@pytest.mark.parametrize(
    ("old", "new", "subject", "expected"),
    [
        ("de 6 mètres", "de 8 mètres", "setback_road", ("min", 8)),
        ("excéder 30 %", "excéder 45 %", "footprint_ratio", ("max", 45)),
        ("distance minimale de 3", "distance minimale de 4", "setback_side", ("min", 4)),
    ],
)
def test_a_changed_figure_of_the_file_is_the_answer(
    lots: Engine,
    publishers: Publishers,
    fetch: Callable[..., LoadState],
    old: str,
    new: str,
    subject: str,
    expected: Any,
) -> None:
    fetch()
    assert CHAPTER.count(old) == 1
    publishers.files[PATH] = document(CHAPTER.replace(old, new))
    fetch()
    assert [(rule.operator, rule.value) for rule in rules(lots, subject)] == [expected]


def test_the_same_content_is_read_once(
    lots: Engine, fetch: Callable[..., LoadState], monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch()
    before = answer(lots).regulation
    monkeypatch.setattr(reader, "COMMAND", ("false",))
    assert fetch() == "loaded"
    after = answer(lots).regulation
    assert before is not None
    assert after is not None
    assert after.rules == before.rules


@pytest.mark.parametrize(
    ("change", "state", "why"),
    [
        (lambda at: at.set_mode(PATH, "html"), "loaded", "unreadable"),
        (lambda at: at.set_mode(PATH, "huge"), "loaded", "too_large"),
        (lambda at: at.set_mode(PATH, "missing"), "missing", "missing"),
        (lambda at: at.set_mode(PATH, "failing"), "failed", "not_loaded"),
        (lambda at: at.files.update({DETAILS: b'{"protected": true}'}), "loaded", "protected"),
        (lambda at: at.files.update({PATH: b"%PDF-1.4 damaged"}), "loaded", "unreadable"),
        (lambda at: at.files.update({PATH: WITH_PASSWORD}), "loaded", "unreadable"),
        (lambda at: at.files.update({PATH: pdf([PdfPage(has_picture=True)] * 2)}), "loaded", "unreadable"),
        (lambda at: at.files.update({PATH: pdf([PdfPage(HIDDEN, has_picture=True)])}), "loaded", "unreadable"),
        (lambda at: at.files.update({PATH: document(CHAPTER.replace("UB", "UC"))}), "loaded", "chapter_not_found"),
    ],
)
def test_a_file_that_is_not_read_says_why(
    lots: Engine, publishers: Publishers, fetch: Callable[..., LoadState], change: Any, state: LoadState, why: str
) -> None:
    change(publishers)
    assert fetch() == state
    assert (stated(lots).state, stated(lots).why) == ("not_read", why)
    assert rules(lots, "setback_road") == []
    assert answer(lots).urbanism is not None


def test_a_scan_between_pages_is_named_and_hidden_text_gives_no_figure(
    lots: Engine, publishers: Publishers, fetch: Callable[..., LoadState]
) -> None:
    lines = CHAPTER.splitlines()
    pages = [column(lines[:3]), column(lines[3:5]), column(lines[5:9], is_hidden=True), column(lines[9:])]
    publishers.files[PATH] = pdf([PdfPage(texts, has_picture=index in (1, 2)) for index, texts in enumerate(pages)])
    load_zones(lots, URL)
    assert fetch() == "loaded"
    assert (stated(lots).state, stated(lots).unreadable_pages) == ("read", [3])
    assert [(rule.value, rule.is_ambiguous) for rule in rules(lots, "setback_road")] == [(6, False)]
    assert [(rule.HasField("value"), rule.is_ambiguous) for rule in rules(lots, "footprint_ratio")] == [(False, True)]


def test_two_columns_give_the_same_answer_as_one(
    lots: Engine, publishers: Publishers, fetch: Callable[..., LoadState]
) -> None:
    fetch()
    one = [(rule.subject, rule.value) for rule in messages.land_unit(answer(lots)).urbanism.rules if rule.value]
    lines = [part for line in CHAPTER.splitlines() for part in (textwrap.wrap(line, 44) or [""])]
    lines += ["La continuité du bâti est recherchée partout."] * (60 - len(lines))
    halves = zip(column(lines[:30], 30), column(lines[30:], 310), strict=True)
    publishers.files[PATH] = pdf([PdfPage([text for pair in halves for text in pair])])
    load_zones(lots, URL)
    fetch()
    two = [(rule.subject, rule.value) for rule in messages.land_unit(answer(lots)).urbanism.rules if rule.value]
    assert len(one) >= 4
    assert two == one


def test_a_reading_that_takes_too_long_leaves_the_rest_of_the_answer(
    lots: Engine, fetch: Callable[..., LoadState], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "COMMAND", ("sleep", "60"))
    monkeypatch.setattr(reader, "READ_S", 0.2)
    assert fetch() == "loaded"
    assert stated(lots).why == "too_slow"
    assert answer(lots).urbanism is not None


@pytest.mark.parametrize("mode", ["html", "missing", "failing"])
def test_what_was_read_stays_if_the_publisher_fails(
    lots: Engine, publishers: Publishers, fetch: Callable[..., LoadState], mode: Any
) -> None:
    fetch()
    publishers.set_mode(PATH, mode)
    fetch()
    assert [rule.value for rule in rules(lots, "setback_road")] == [6]


def test_the_file_is_also_asked_for_in_the_second_place(
    lots: Engine, publishers: Publishers, fetch: Callable[..., LoadState]
) -> None:
    publishers.files[API_PATH] = publishers.files.pop(PATH)
    del publishers.files[DETAILS]
    assert fetch() == "loaded"
    assert stated(lots).state == "read"


def test_a_structured_regulation_beside_the_file_is_read_first(
    lots: Engine, publishers: Publishers, fetch: Callable[..., LoadState]
) -> None:
    name = FILE.replace(".pdf", ".json")
    texts = {
        "Emprise au sol": "L'emprise au sol des constructions ne peut excéder 20 % de la superficie du terrain.",
        "Hauteur des constructions": "La hauteur des constructions ne peut excéder 9 mètres au faîtage.",
        "Implantation par rapport aux voies": "Les constructions sont implantées à 5 mètres au moins de l'alignement.",
    }
    parts = [
        {"intitule": title, "idZone": ["UB"], "contenu": [{"idZone": ["UB"], "html": [{"tag": "p", "text": text}]}]}
        for title, text in texts.items()
    ]
    publishers.files[PATH.replace(FILE, name)] = json.dumps(
        {"intitule": "Zone UB", "idZone": ["UB"], "titres": parts}
    ).encode()
    publishers.files[DETAILS] = json.dumps({"writingMaterials": {name: f"https://elsewhere.example/{name}"}}).encode()
    assert fetch() == "loaded"
    assert stated(lots).file == name
    assert [(rule.value, rule.url) for rule in rules(lots, "footprint_ratio")] == [(20, "")]


def test_no_address_elsewhere_is_requested(
    lots: Engine, publishers: Publishers, fetch: Callable[..., LoadState]
) -> None:
    load_zones(lots, f"{publishers.url}/gpu_files/town.pdf")
    assert fetch() == "loaded"
    assert publishers.requests == []
    assert stated(lots).why == "elsewhere"


def test_a_new_file_of_the_zone_replaces_the_rules_of_the_old_one(
    lots: Engine, publishers: Publishers, fetch: Callable[..., LoadState]
) -> None:
    fetch()
    name = "18999_reglement_20250228.pdf"
    publishers.files[PATH.replace(FILE, name)] = document(CHAPTER.replace("30 %", "60 %"))
    load_zones(lots, URL.replace(FILE, name))
    assert (stated(lots).why, rules(lots, "footprint_ratio")) == ("not_loaded", [])
    assert fetch() == "loaded"
    assert [rule.value for rule in rules(lots, "footprint_ratio")] == [60]


def test_zones_that_are_not_loaded_are_waited_for(store: Engine, publishers: Publishers, tmp_path: Path) -> None:
    on_demand = OnDemand(store, at(publishers.bases), tmp_path, LoadLimits())
    on_demand.start()
    key = LoadKey(GPU_REGULATIONS.id, PARTITION, COMMUNE)
    assert on_demand.load([key], 60.0) == {key: "failed"}
    on_demand.end()


def test_the_national_rules_apply_without_a_plan(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    load(store, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, is_rnu=True)])
    assert stated(store).state == "national_rules"
    [side] = rules(store, "setback_side")
    assert (side.article, side.value, side.formula, side.kind) == ("R111-17", 3, "L >= max(H/2, 3)", "main")
    assert [rule.kind for rule in rules(store, "between_buildings")] == ["may_be_imposed"]
