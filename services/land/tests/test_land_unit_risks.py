"""The block of risks, from stored answers."""

from typing import Any

import pytest
from georisques_service import content, data, plan
from land_builders import COMMUNE, coverage, land_unit, load, lon_lat, parcel, square, warning_codes
from sqlalchemy import Engine

from land.datasets.risks.questions import QUESTIONS, answer_of, read_page
from land.datasets.risks.records import RiskAnswer
from land.rpc import messages
from land.units.model import LandUnit
from land.units.risks import SUBJECTS, Risk

_RING = [(30, 30), (90, 30), (90, 90), (30, 90), (30, 30)]
ONE, TWO = f"{COMMUNE}000AB0001", f"{COMMUNE}000AB0002"


def answer(question: str, place: str, body: Any, retrieved_at: str = "2026-11-02T08:00:00Z") -> RiskAnswer:
    question_asked = QUESTIONS[question]
    return answer_of(question_asked, place, read_page(question_asked, body), retrieved_at)


@pytest.fixture
def lots(engine: Engine) -> Engine:
    load(engine, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0, 40, 40)), parcel(2, square(40, 0, 40, 40))])
    return engine


def unit_of(store: Engine, *answers: RiskAnswer, parcel_ids: tuple[str, ...] = (ONE, TWO)) -> LandUnit:
    load(store, "georisques", COMMUNE, answers)
    return land_unit(store, *parcel_ids, blocks=("risks",))


def item(unit: LandUnit, subject: str) -> Risk:
    assert unit.risks is not None
    [risk] = [risk for risk in unit.risks.items if risk.subject == subject]
    return risk


def site(identifier: str, x: float, y: float) -> dict[str, Any]:
    lon, lat = lon_lat(x, y)
    return {"identifiant": identifier, "type": "cave", "longitude": lon, "latitude": lat}


def test_nothing_is_known_without_answers(lots: Engine) -> None:
    unit = land_unit(lots, ONE, blocks=("risks",))
    assert unit.risks is None
    assert coverage(unit)["georisques"] == ("not_loaded", "not_loaded")
    assert warning_codes(unit, "risks") == ["risks_not_covered"]
    assert "georisques" not in coverage(land_unit(lots, ONE, blocks=("land",)))


def test_parcels_have_the_worst_level_and_the_zones_of_all(lots: Engine) -> None:
    unit = unit_of(
        lots,
        answer("clay_of_parcel", ONE, content({"codeExposition": "1"})),
        answer("clay_of_parcel", TWO, content({"codeExposition": "3"}), "2026-10-01T08:00:00Z"),
        answer("pprn_of_parcel", ONE, content(plan("B2"))),
        answer("pprn_of_parcel", TWO, content(plan("R1"))),
    )
    clay, plans = item(unit, "clay"), item(unit, "natural_risk_plan")
    assert (clay.level, clay.retrieved_at, clay.reason) == ("3", "2026-10-01T08:00:00Z", None)
    assert [(finding.name, finding.zones) for finding in plans.findings] == [("PPRI du Cher", ("B2", "R1"))]
    [source] = [source for source in unit.sources if source.id == "georisques"]
    assert (source.edition, source.retrieved_at) == ("2026-10-01", "2026-11-02T08:00:00Z")


def test_sites_are_those_near_the_outline(lots: Engine) -> None:
    near = [site("far", 590, 20), site("inside", 20, 20), site("near", 100, 20)]
    sector = {"id_sis": "1", "geom": {"type": "Polygon", "coordinates": [[lon_lat(*corner) for corner in _RING]]}}
    unplaced = {"identifiant_ssp": "SSP1", "geom": None}
    unit = unit_of(
        lots,
        answer("cavities", ONE, data(*near)),
        answer("cavities", TWO, data(*near[:2])),
        answer("landslides", ONE, data(site("far", 0, 700))),
        answer("landslides", TWO, data()),
        answer("information_sectors", ONE, data(sector)),
        answer("information_sectors", TWO, data()),
        answer("casias", ONE, data(unplaced)),
    )
    distances = [(finding.id, finding.distance_m) for finding in item(unit, "cavity").findings]
    assert distances == [("inside", 0.0), ("near", pytest.approx(20, abs=0.2))]
    assert item(unit, "landslide").status == "none"
    assert [finding.distance_m for finding in item(unit, "soil_information_sector").findings] == [0.0]
    polluted = item(unit, "polluted_soil")
    assert (polluted.status, polluted.reason, polluted.findings[0].distance_m) == ("present", "not_loaded", None)


def test_a_part_of_the_answers_is_never_none(lots: Engine) -> None:
    unit = unit_of(lots, answer("brush_clearing", ONE, []), answer("radon", COMMUNE, data({"classe_potentiel": "1"})))
    assert (item(unit, "brush_clearing").status, item(unit, "brush_clearing").reason) == ("unavailable", "not_loaded")
    assert item(unit, "radon").status == "present"
    assert coverage(unit)["georisques"] == ("partial", "not_loaded")
    assert item(unit_of(lots, answer("brush_clearing", ONE, []), parcel_ids=(ONE,)), "brush_clearing").status == "none"


def test_answers_about_parcels_come_before_those_of_the_commune(lots: Engine) -> None:
    of_commune = answer("pprt", COMMUNE, content(plan(idGaspar="2")))
    assert item(unit_of(lots, of_commune), "technological_risk_plan").grain == "commune"
    of_parcels = [answer("pprt_of_parcel", place, content()) for place in (ONE, TWO)]
    risk = item(unit_of(lots, of_commune, *of_parcels), "technological_risk_plan")
    assert (risk.status, risk.grain) == ("none", "parcel")


def test_the_lists_of_an_answer_are_bounded(lots: Engine) -> None:
    disaster = {"code_insee": COMMUNE, "libelle_risque_jo": "Sécheresse"}
    rows = [{**disaster, "code_national_catnat": f"I{number}"} for number in range(60)]
    unit = unit_of(
        lots,
        answer("natural_disasters", COMMUNE, data(*rows)),
        *(answer("cavities", place, data(*[site(f"{n:02}", n, 0) for n in range(30)])) for place in (ONE, TWO)),
    )
    block = messages.land_unit(unit).risks
    assert [risk.subject for risk in block.items] == list(SUBJECTS)
    assert len(item(unit, "cavity").findings) == 20
    assert (len(block.commune.natural_disasters), block.commune.natural_disaster_count) == (50, 60)
    assert (block.commune.recorded_risks_status, block.commune.natural_disasters_status) == ("unavailable", "present")
    assert block.commune.reason == "not_loaded"
