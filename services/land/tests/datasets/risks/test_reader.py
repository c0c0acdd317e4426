"""Answers of Géorisques as records: the envelopes, the rows of each subject, and files of recorded answers."""

import json
from pathlib import Path
from typing import Any

import pytest
from georisques_service import answers_of, content, data, plan

from land.datasets.partitions import Partition
from land.datasets.risks.questions import QUESTIONS, Page, answer_of, parameters, read_page
from land.datasets.risks.reader import RecordedAnswers
from land.datasets.risks.records import RiskAnswer
from land.errors import UnreadableFile
from land.sources.base import CommuneFilter, ReadReport

PARCEL, COMMUNE, NOW = "621600000A0307", "62160", "2026-11-02T08:00:00Z"


def answer(name: str, body: Any, place: str = "") -> RiskAnswer:
    question = QUESTIONS[name]
    return answer_of(question, place or (COMMUNE if question.is_of_commune else PARCEL), read_page(question, body), NOW)


def findings(name: str, body: Any) -> list[dict[str, Any]]:
    all_findings: list[dict[str, Any]] = json.loads(answer(name, body).findings)
    return all_findings


def test_every_question_reads_its_documented_answer() -> None:
    documented = answers_of(COMMUNE)
    assert {question.path for question in QUESTIONS.values()} == {path.removeprefix("/") for path in documented}
    for question in QUESTIONS.values():
        risk_answer = answer(question.name, documented[f"/{question.path}"])
        assert (risk_answer.commune_code, risk_answer.question, risk_answer.retrieved_at) == (
            COMMUNE,
            question.name,
            NOW,
        )
        assert risk_answer.status in ("present", "none")


@pytest.mark.parametrize(
    ("name", "body", "level", "label"),
    [
        ("clay", {"codeExposition": "2", "exposition": "Exposition moyenne"}, "2", "Exposition moyenne"),
        (
            "clay_of_parcel",
            content({"codeExposition": "1"}, {"codeExposition": "3", "exposition": "Forte"}),
            "3",
            "Forte",
        ),
        ("seismic", data({"code_zone": "4", "zone_sismicite": "4 - MOYENNE"}), "4", "4 - MOYENNE"),
        (
            "floods",
            data(
                {"scenario": {"code": "04Fai", "libelle": "faible"}},
                {"scenario": {"code": "01For", "libelle": "forte"}},
            ),
            "01For",
            "forte",
        ),
        ("pprn_of_parcel", content(plan(), plan("R1", "B2"), plan()), "zone", None),
        ("pprn_of_parcel", content(plan()), "no_zone", None),
        ("pprn", content(plan("R1")), None, None),
    ],
)
def test_the_level_is_the_worst_of_all_rows(name: str, body: Any, level: str | None, label: str | None) -> None:
    risk_answer = answer(name, body)
    assert (risk_answer.status, risk_answer.level, risk_answer.label) == ("present", level, label)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("clay", []),
        ("clay", {"codeExposition": "4"}),
        ("clay", {"unexpected": 1}),
        ("radon", None),
        ("radon", {"data": {}}),
        ("radon", data({"classe_potentiel": "1"}, response_code=500)),
        ("radon", data("text")),
        ("radon", data({"code_insee": "75056", "classe_potentiel": "1"})),
        ("seismic", data({"code_zone": None})),
        ("cavities", data({"nom": "without an id"})),
        ("pprn", data()),
        ("pprn", content(plan(), totalElements=6_580)),
        ("pprn_of_parcel", content({"idGaspar": "1"})),
        ("pprn_of_parcel", content({"idGaspar": "1", "zonageReglementaire": {"zoneRegExists": "yes"}})),
        ("brush_clearing", data()),
        ("brush_clearing", [{"commune": {}}]),
        ("natural_disasters", data({"code_insee": COMMUNE})),
        ("recorded_risks", data({"code_insee": COMMUNE, "risques_detail": None})),
        ("floods", data({"scenario": "02Moy"})),
    ],
)
def test_an_answer_that_is_not_as_documented_is_refused(name: str, body: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        answer(name, body)


@pytest.mark.parametrize(
    ("place", "status"), [(PARCEL, "none"), ("751130000A0001", "not_covered"), ("974150000A0001", "not_covered")]
)
def test_no_clay_is_unknown_where_the_map_has_nothing(place: str, status: str) -> None:
    assert answer("clay", None, place).status == status
    assert answer("cavities", data(), place).status == "none"


def test_sites_have_dates_places_and_links_if_they_are_valid() -> None:
    row = {"identifiant_ssp": " SSP1 ", "nom_etablissement": "Usine\n à gaz", "statut": "", "date_maj": "2014-12-04"}
    point = {"type": "Point", "coordinates": [1.5, 47.0]}
    [finding] = findings("casias", data({**row, "geom": point, "fiche_risque": "https://fiches.invalid/1"}))
    assert finding == {
        "name": "Usine à gaz",
        "id": "SSP1",
        "date": "2014-12-04",
        "url": "https://fiches.invalid/1",
        "geometry": point,
    }
    for geometry in (None, {"type": "Point"}, {"type": "Point", "coordinates": [655_000, 6_665_000]}, "POINT (1 2)"):
        [finding] = findings(
            "casias", data({**row, "date_maj": "4 décembre", "geom": geometry, "fiche_risque": "javascript:1"})
        )
        assert finding == {"name": "Usine à gaz", "id": "SSP1"}


def test_installations_without_nuisance_are_left_out() -> None:
    row = {"raisonSociale": "Usine", "etatActivite": "En exploitation", "date_maj": "2026-07-23/12-02-27"}
    rows = [
        {**row, "codeAIOT": "1", "regime": "Non ICPE"},
        {**row, "codeAIOT": "2", "regime": "Autres régimes"},
        {**row, "codeAIOT": "3", "regime": "Autorisation", "statutSeveso": "Seveso seuil haut"},
        {
            **row,
            "codeAIOT": "4",
            "regime": "Enregistrement",
            "statutSeveso": "Non Seveso",
            "longitude": 2.4,
            "latitude": 48.8,
        },
    ]
    installations = findings("installations", data(*rows))
    assert [installation["type"] for installation in installations] == [
        "Autorisation, Seveso seuil haut",
        "Enregistrement",
    ]
    assert installations[0]["date"] == "2026-07-23"
    assert installations[1]["geometry"]["coordinates"] == [2.4, 48.8]


def test_rows_that_were_not_read_are_counted() -> None:
    risk_answer = answer_of(QUESTIONS["cavities"], PARCEL, Page([{"identifiant": "1"}], 700), NOW)
    assert risk_answer.total == 700


def test_a_parcel_is_asked_with_dashes_and_a_point_as_longitude_and_latitude() -> None:
    assert parameters(QUESTIONS["pprn_of_parcel"], PARCEL, (1.0, 2.0), 0, 3) == {
        "codesParcelle": "62160-000-0A-0307",
        "pageNumber": "3",
        "pageSize": "100",
    }
    assert parameters(QUESTIONS["clay"], PARCEL, (2.5, 47.25), 0) == {"latlon": "2.500000,47.250000"}


def read(
    folder: Path, *lines: Any, commune: str | None = None
) -> tuple[list[tuple[Partition, RiskAnswer]], ReadReport]:
    path = folder / "answers.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    report = ReadReport(path.name)
    return list(RecordedAnswers().read(path, report, CommuneFilter(commune))), report


def line(question: str, *places: Any, body: Any = None, retrieved_at: str = NOW) -> dict[str, Any]:
    return {"question": question, "places": places, "retrieved_at": retrieved_at, "body": body}


def test_recorded_answers_are_read_by_commune(tmp_path: Path) -> None:
    lines = [line("clay", PARCEL, "180330000A0001"), line("radon", "18033", body=data({"classe_potentiel": "1"}))]
    answers, report = read(tmp_path, *lines)
    assert [(partition.code, risk_answer.place, risk_answer.status) for partition, risk_answer in answers] == [
        (COMMUNE, PARCEL, "none"),
        ("18033", "180330000A0001", "none"),
        ("18033", "18033", "present"),
    ]
    assert (report.row_count, report.rejected_count) == (2, 0)
    assert [risk_answer.place for _, risk_answer in read(tmp_path, *lines, commune=COMMUNE)[0]] == [PARCEL]


def test_lines_that_cannot_be_read_are_rejected(tmp_path: Path) -> None:
    answers, report = read(
        tmp_path,
        line("weather", PARCEL),
        line("clay", COMMUNE),
        line("radon", PARCEL, body=data()),
        line("clay", 7),
        line("clay", PARCEL, retrieved_at="2026-02-30T08:00:00Z"),
        line("clay", PARCEL, body="<html>"),
        {"question": "clay"},
        line("clay", PARCEL),
    )
    assert len(answers) == 1
    assert report.rejected_count == 7
    assert report.rejections[0] == "answers.jsonl:1: question: 'weather' is unknown"
    (tmp_path / "cut.jsonl").write_text('{"question": "cl', "utf-8")
    with pytest.raises(UnreadableFile):
        list(RecordedAnswers().read(tmp_path / "cut.jsonl", ReadReport("cut.jsonl")))


def test_real_answers(samples: Path) -> None:
    folder = samples / "georisques"
    radon = json.loads((folder / "radon-75113.json").read_text("utf-8"))
    assert answer("radon", radon, "75113").level == "1"
    icpe = json.loads((folder / "icpe-75013-rayon1000-page1-3rows.json").read_text("utf-8"))
    risk_answer = answer("installations", icpe, "751130000A0001")
    [first, *_] = json.loads(risk_answer.findings)
    assert (first["name"], first["type"], first["date"]) == ("GNVERT", "Autorisation", "2026-07-23")
    assert risk_answer.total == len(json.loads(risk_answer.findings)) + 27  # the others of 30 are on further pages


DOCUMENTED = {
    "rga_inside": "clay",
    "zonage_sismique": "seismic",
    "gaspar_risques": "recorded_risks",
    "gaspar_pprn_list": "pprn",
    "tri_zonage": "floods",
    "ssp_casias": "casias",
    "ssp_instructions": "instructions",
    "ssp_conclusions_sis": "information_sectors",
    "cavites": "cavities",
    "mvt": "landslides",
    "old": "brush_clearing",
}


def test_documented_answers(samples: Path) -> None:
    documented = json.loads((samples / "georisques" / "DOCUMENTED-examples.json").read_text("utf-8"))
    for example, name in DOCUMENTED.items():
        body = documented[example]["body"]
        rows = body.get("data") if isinstance(body, dict) else None
        commune = rows[0].get("code_insee", COMMUNE) if rows else COMMUNE
        risk_answer = answer(name, body, commune if QUESTIONS[name].is_of_commune else "")
        assert risk_answer.status == "present", example
