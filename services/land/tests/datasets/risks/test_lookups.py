"""The risks of a request, asked of a stand-in of Géorisques: what it gets, what is kept, and what a failure costs."""

import logging
from collections.abc import Iterator, Sequence
from datetime import timedelta

import pytest
from georisques_service import TOKEN, GeorisquesService, Mode, content, data, plan
from land_builders import COMMUNE, coverage, land_unit, load, lon_lat, parcel, square, unit_of, warning_codes
from sqlalchemy import Engine, update

from land.addresses.model import AddressQuery
from land.datasets.risks import lookups
from land.datasets.risks import queries as risks
from land.datasets.risks.client import Georisques
from land.datasets.risks.lookups import RiskLookups
from land.datasets.risks.queries import AnswerAge, risk_answer
from land.datasets.risks.questions import QUESTIONS
from land.loading.publisher_calls import Breakers, Turns
from land.pipeline import Pipeline
from land.selection import Selection
from land.units.model import LandUnit
from land.units.risks import Risk
from servicekit.context import deadline

ONE, TWO = f"{COMMUNE}000AB0001", f"{COMMUNE}000AB0002"
OLD = "2020-01-01T00:00:00Z"


class Asking:
    """A pipeline that asks the stand-in."""

    def __init__(self, store: Engine, service: GeorisquesService, token: str | None = None) -> None:
        self.service = service
        client = Georisques("https://risks.invalid/api", token, Breakers(), Turns(100_000), transport=service)
        self.lookups = RiskLookups(store, client, timedelta(days=30), max_waiting=4)
        self._pipeline = Pipeline(store, risks=self.lookups)

    def unit(self, *parcel_ids: str, deadline_s: float = 60.0) -> LandUnit:
        with deadline(deadline_s):
            return unit_of(self._pipeline, Selection(AddressQuery(), parcel_ids), ["land", "risks"], "all")


@pytest.fixture
def service() -> Iterator[GeorisquesService]:
    served = GeorisquesService(COMMUNE)
    yield served
    served.released.set()


@pytest.fixture
def lots(store: Engine) -> Engine:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0, 40, 40)), parcel(2, square(40, 0, 40, 40))])
    return store


@pytest.fixture
def lot(engine: Engine) -> Engine:
    load(engine, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0, 40, 40))])
    return engine


def items(unit: LandUnit) -> dict[str, Risk]:
    assert unit.risks is not None
    return {risk.subject: risk for risk in unit.risks.items}


def age(store: Engine) -> None:
    with store.begin() as connection:
        connection.execute(update(risk_answer).values(retrieved_at=OLD))


def test_each_subject_is_asked_once_and_kept(lots: Engine, service: GeorisquesService) -> None:
    asking = Asking(lots, service)
    unit = asking.unit(ONE, TWO)
    risks = items(unit)
    assert {subject: risk.status for subject, risk in risks.items() if risk.status != "none"} == {
        "clay": "present",
        "polluted_soil": "present",
        "radon": "present",
        "seismic": "present",
        "natural_risk_plan": "present",
    }  # the cavity is far from the land, the polluted soil has no place, and a shop is no classified installation
    assert (risks["clay"].level, risks["clay"].grain) == ("2", "point")
    assert (risks["radon"].level, risks["seismic"].label) == ("3", "2 - FAIBLE")
    assert (risks["natural_risk_plan"].level, risks["natural_risk_plan"].grain) == (None, "commune")
    assert unit.risks is not None
    assert [finding.name for finding in unit.risks.recorded_risks.findings] == ["Inondation"]
    assert unit.risks.natural_disasters.findings[0].date == "2016-05-28"
    assert coverage(unit)["georisques"] == ("covered", None)
    assert warning_codes(unit, "risks") == []
    assert [source.publisher for source in unit.sources if source.id == "georisques"] != []
    count = len(service.requests)
    assert asking.unit(TWO, ONE).risks is not None
    assert land_unit(lots, ONE, TWO, blocks=("risks",)).risks is not None  # also if it is off
    assert len(service.requests) == count
    assert set(service.tokens.values()) == {""}


def test_points_are_longitude_then_latitude_and_next_is_not_followed(lot: Engine, service: GeorisquesService) -> None:
    Asking(lot, service).unit(ONE)
    lon, lat = lon_lat(20, 20)
    for path in ("/v1/rga", "/v1/mvt"):
        west, south = map(float, service.asked(path)["latlon"].split(","))
        assert [west, south] == pytest.approx([lon, lat], abs=1e-4)
    assert service.asked("/v1/mvt")["rayon"] == "600"  # 500 m from the farthest corner
    assert service.asked("/v1/radon") == {"code_insee": COMMUNE, "page": "1", "page_size": "100"}
    assert service.asked("/v1/gaspar/pprn") == {"codeInsee": COMMUNE, "pageNumber": "0", "pageSize": "100"}


def test_all_pages_are_read_and_more_rows_are_counted(lot: Engine, service: GeorisquesService) -> None:
    row = {"code_insee": COMMUNE, "libelle_risque_jo": "Sécheresse"}
    rows = [{**row, "code_national_catnat": f"INTE{number}"} for number in range(100)]
    service.answers["/v1/gaspar/catnat"] = data(*rows, results=700)
    unit = Asking(lot, service).unit(ONE)
    assert unit.risks is not None
    assert [query["page"] for path, query in service.requests if path == "/v1/gaspar/catnat"] == list("12345")
    assert unit.risks.natural_disasters.total == 700


def test_with_a_token_plans_and_clay_are_asked_about_parcels(
    lots: Engine, service: GeorisquesService, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    risks = items(Asking(lots, service, TOKEN).unit(ONE))
    assert service.asked("/v2/gaspar/pprn")["codesParcelle"] == f"{COMMUNE}-000-AB-0001"
    plans = risks["natural_risk_plan"]
    assert (plans.level, plans.grain, plans.findings[0].zones) == ("zone", "parcel", ("R1",))
    assert plans.findings[0].zone_labels == ("Interdiction",)
    assert (risks["clay"].level, risks["clay"].grain) == ("3", "parcel")
    assert "/v1/rga" not in service.tokens
    assert {path: token for path, token in service.tokens.items() if token} == {
        path: f"Bearer {TOKEN}" for path in service.tokens if path.startswith("/v2/")
    }
    assert TOKEN not in caplog.text


def test_a_plan_without_a_zone_on_the_parcel_is_still_given(lot: Engine, service: GeorisquesService) -> None:
    service.answers["/v2/gaspar/pprn"] = content(plan())
    risk = items(Asking(lot, service, TOKEN).unit(ONE))["natural_risk_plan"]
    assert (risk.status, risk.level, risk.findings[0].zones) == ("present", "no_zone", ())


def test_a_refused_token_is_replaced_by_questions_without_one(lot: Engine, service: GeorisquesService) -> None:
    asking = Asking(lot, service, "expired")
    risks = items(asking.unit(ONE))
    assert (risks["clay"].status, risks["clay"].reason) == ("unavailable", "token_refused")
    assert risks["radon"].status == "present"
    risks = items(asking.unit(ONE))
    assert (risks["clay"].level, risks["clay"].grain, risks["clay"].reason) == ("2", "point", None)


def test_cities_have_one_code_for_plans_and_one_of_the_arrondissement_for_zones(engine: Engine) -> None:
    load(engine, "cadastre-parcels", "75113", [parcel(1, square(0, 0, 40, 40), commune="75113")])
    service = GeorisquesService("75113", "75056")
    service.answers["/v1/rga"] = None
    risks = items(Asking(engine, service).unit("75113000AB0001"))
    assert service.asked("/v1/radon")["code_insee"] == service.asked("/v1/zonage_sismique")["code_insee"] == "75113"
    for path in ("/v1/gaspar/catnat", "/v1/gaspar/risques"):
        assert service.asked(path)["code_insee"] == "75056"
    assert service.asked("/v1/gaspar/pprt")["codeInsee"] == "75056"
    assert risks["natural_risk_plan"].status == "present"
    assert risks["clay"].status == "not_covered"  # the map leaves Paris out


def test_no_bytes_mean_no_clay(lot: Engine, service: GeorisquesService) -> None:
    service.answers["/v1/rga"] = None
    unit = Asking(lot, service).unit(ONE)
    assert items(unit)["clay"].status == "none"
    assert coverage(unit)["georisques"] == ("covered", None)


@pytest.mark.parametrize("mode", ["failing", "silent", "html", "empty", "garbage", "other envelope"])
def test_a_failing_publisher_costs_no_other_block(lot: Engine, service: GeorisquesService, mode: Mode) -> None:
    expected = land_unit(lot, ONE)
    asking = Asking(lot, service)
    service.modes[""] = mode
    unit = asking.unit(ONE)
    assert unit.land == expected.land
    of_risks = {"georisques": ("partial", "source_unavailable")} | dict.fromkeys(
        ("pprn-zones", "pprt-zones"), ("not_loaded", "not_loaded")
    )
    assert coverage(unit) == coverage(expected) | of_risks
    assert warning_codes(unit, "risks") in (["risks_not_covered"], ["risks_partial"])  # no clay is an empty answer
    assert (
        {subject: item.status for subject, item in items(unit).items()}
        == {subject: "none" if (subject, mode) == ("clay", "empty") else "unavailable" for subject in items(unit)}
        if unit.risks
        else True
    )
    count = len(service.requests)
    asking.unit(ONE)
    assert len(service.requests) == count  # the breaker is open, and a failed question waits for a minute


def test_one_failing_subject_leaves_the_others(lot: Engine, service: GeorisquesService) -> None:
    service.modes["/v1/radon"] = "failing"
    unit = Asking(lot, service).unit(ONE)
    risks = items(unit)
    assert [subject for subject, risk in risks.items() if risk.status == "unavailable"] == ["radon"]
    assert risks["radon"].reason == "source_unavailable"
    assert coverage(unit)["georisques"] == ("partial", "source_unavailable")
    [warning] = [warning for warning in unit.warnings if warning.block == "risks"]
    assert (warning.code, "radon" in str(warning.detail)) == ("risks_partial", True)


def test_a_list_of_the_whole_country_is_no_answer(lot: Engine, service: GeorisquesService) -> None:
    service.answers["/v1/gaspar/pprn"] = content(*[plan()] * 100, totalElements=6_580)
    service.answers["/v1/radon"] = data({"code_insee": "99999", "classe_potentiel": "1"})
    risks = items(Asking(lot, service).unit(ONE))
    assert (risks["natural_risk_plan"].status, risks["radon"].status) == ("unavailable", "unavailable")


def test_old_answers_are_renewed_and_given_if_that_fails(lots: Engine, service: GeorisquesService) -> None:
    asking = Asking(lots, service)
    asking.unit(ONE)
    age(lots)
    service.modes[""] = "failing"
    unit = asking.unit(ONE)
    clay = items(unit)["clay"]
    assert (clay.status, clay.level, clay.retrieved_at, clay.reason) == ("present", "2", OLD, "source_unavailable")
    assert coverage(unit)["georisques"] == ("partial", "source_unavailable")
    assert warning_codes(unit, "risks") == ["risks_outdated"]
    service.modes[""] = "ok"
    renewed = Asking(lots, service).unit(ONE)
    assert items(renewed)["clay"].retrieved_at not in (None, OLD)
    assert warning_codes(renewed, "risks") == []


def test_a_slow_publisher_is_not_awaited_and_answers_a_later_request(
    lot: Engine, service: GeorisquesService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "WAIT_S", 0.01)
    service.modes[""] = "hanging"
    asking = Asking(lot, service)
    unit = asking.unit(ONE)
    assert unit.land is not None
    assert coverage(unit)["georisques"] == ("loading", "loading")
    assert asking.unit(ONE, deadline_s=0.1).risks is None
    assert len(service.requests) <= lookups.THREADS  # the same questions are not asked twice
    service.modes[""] = "ok"
    service.released.set()
    monkeypatch.setattr(lookups, "WAIT_S", 30.0)
    assert coverage(asking.unit(ONE))["georisques"] == ("covered", None)
    assert {path for path, _ in service.requests} == {
        f"/{question.path}" for question in QUESTIONS.values() if not question.needs_token
    }


def test_questions_are_bounded(engine: Engine, service: GeorisquesService, monkeypatch: pytest.MonkeyPatch) -> None:
    parcels = [parcel(number, square(40 * number, 0, 40, 40)) for number in range(1, 4)]
    load(engine, "cadastre-parcels", COMMUNE, [*parcels, parcel(4)])
    ids = [parcel.parcel_id for parcel in parcels]
    monkeypatch.setattr(lookups, "MAX_PARCELS", 2)
    asking = Asking(engine, service)
    assert (items(asking.unit(*ids))["clay"].status, items(asking.unit(*ids))["clay"].reason) == (
        "present",
        "too_many_parcels",
    )
    assert items(asking.unit(f"{COMMUNE}000AB0004"))["clay"].reason == "not_drawn"
    monkeypatch.setattr(lookups, "MAX_WAITING", 0)
    assert items(asking.unit(ids[2]))["clay"].reason == "busy"


def test_the_demo_is_never_asked_about(engine: Engine, service: GeorisquesService) -> None:
    load(engine, "cadastre-parcels", "00001", [parcel(1, square(0, 0, 40, 40), commune="00001")])
    unit = Asking(engine, service).unit("00001000AB0001")
    assert (unit.risks, coverage(unit)["georisques"]) == (None, ("not_loaded", "not_loaded"))
    assert service.requests == []


def test_stored_answers_are_renewed_by_command_and_forgotten_when_too_old(
    lots: Engine, service: GeorisquesService
) -> None:
    asking = Asking(lots, service)
    asking.unit(ONE)
    age(lots)

    def stored() -> Sequence[AnswerAge]:
        with lots.connect() as connection:
            return risks.retrieved_before(connection, "2021", COMMUNE, COMMUNE[:2], AnswerAge("", "", ""), 100)

    count = len(stored())
    assert count == len(service.requests)
    service.modes["/v1/old"] = "failing"
    assert asking.lookups.renew(stored()) == (count - 1, count)
    assert [answer.question for answer in stored()] == ["brush_clearing"]
    asking.lookups.forget_old()
    assert stored() == []
    with lots.connect() as connection:
        assert len(risks.ages(connection, [ONE, COMMUNE])) == count - 1
