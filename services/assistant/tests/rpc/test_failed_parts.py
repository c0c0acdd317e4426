"""A defect costs the part in which it is: the answer is complete without it, and names it."""

from __future__ import annotations  # the async stub is a type only

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import pytest
from shapely import box

from assistant.answering import NOTICES
from assistant.assessment.procedure import lotissement_procedure
from assistant.assessment.rules import RULES
from assistant.questions.answers import TOPICS
from assistant.server import AssistantServer
from assistant.settings import AssistantSettings
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.assistant.v1 import assistant_pb2_grpc
from landpartner.land.v1 import land_pb2
from servicekit.callers import entry
from servicekit.languages import in_language
from servicekit.rpc_client import Outgoing, open_channel

QUESTION = "Diviser en 2 lots ? Quels sont les risques ?"
BY_RULES = pb.AssistantPolicy(mode=pb.ASSISTANT_MODE_RULES)
MakeUnit = Callable[..., land_pb2.LandUnit]


@contextlib.asynccontextmanager
async def running(url: str) -> AsyncIterator[assistant_pb2_grpc.AssistantServiceAsyncStub]:
    server = AssistantServer(AssistantSettings(callers=entry("edge", "right"), database_url=url, drain_s=0.5))
    server.runs.migrate()
    port = await server.rpc.start()
    try:
        async with open_channel(f"127.0.0.1:{port}") as channel:
            yield assistant_pb2_grpc.AssistantServiceStub(channel)
    finally:
        await server.rpc.stop()
        await server.close()


def fail(*_: object, **__: object) -> Any:
    raise ZeroDivisionError


def slope(*_: object) -> Any:
    raise ZeroDivisionError


async def answer_to(url: str, unit: land_pb2.LandUnit) -> pb.DivideLandResponse:
    request = pb.DivideLandRequest(land_unit=unit, question=QUESTION, policy=BY_RULES)
    async with running(url) as stub:
        with in_language("en"):
            return await stub.DivideLand(request, **Outgoing("right")(60.0))


@pytest.mark.parametrize(
    ("function", "part"),
    [
        ("assistant.study.read", "the reading of the project"),
        ("assistant.study.read_question", "the reading of the questions"),
        ("assistant.study.site_of", "the drawing of the lots"),
        ("assistant.study.draw", "the drawing of the lots"),
        ("assistant.study.changes_of", "what would lift an obstacle"),
        ("assistant.study.assumptions_of", "the assumptions"),
        ("assistant.division.layouts.strips", "one of the divisions"),
        ("assistant.division.candidates.misses_plot", "the division that detaches the house"),
        ("assistant.questions.answers.estimate", "the costs"),
        ("assistant.models.rules._points", "a part of the written answer"),
        ("assistant.models.rules.overview", "a part of the written answer"),
        ("assistant.rpc.messages._proposal", "one of the divisions"),
    ],
)
async def test_a_part_that_fails_is_left_out_and_named(
    monkeypatch: pytest.MonkeyPatch, sqlite_url: str, land_unit: MakeUnit, function: str, part: str
) -> None:
    monkeypatch.setattr(function, fail)
    response = await answer_to(sqlite_url, land_unit(60, 70, buildings=[box(20, 8, 32, 16)]))
    warning = NOTICES["part_failed"].format(part=part).en
    assert [(item.code, item.block, item.detail) for item in response.warnings] == [
        ("part_failed", "assistant", warning)
    ]
    assert response.quick_assessment.verdict
    assert response.quick_assessment.disclaimer in response.answer.text


async def test_a_check_that_fails_is_unknown(
    monkeypatch: pytest.MonkeyPatch, sqlite_url: str, land_unit: MakeUnit
) -> None:
    rules = [replace(rule, test=slope) if rule.code == "slope" else rule for rule in RULES]
    monkeypatch.setattr("assistant.assessment.assess.RULES", rules)
    response = await answer_to(sqlite_url, land_unit())
    [check] = [check for check in response.quick_assessment.checks if check.code == "slope"]
    assert (check.status, check.detail) == (
        pb.CHECK_STATUS_UNKNOWN,
        "This point could not be checked: the service had a fault.",
    )
    assert [item.code for item in response.warnings] == ["part_failed"]


async def test_a_procedure_that_fails_costs_no_answer(
    monkeypatch: pytest.MonkeyPatch, sqlite_url: str, land_unit: MakeUnit
) -> None:
    failing = replace(lotissement_procedure, test=wraps(lotissement_procedure.test)(lambda *_: fail()))
    monkeypatch.setattr("assistant.assessment.assess.lotissement_procedure", failing)
    response = await answer_to(sqlite_url, land_unit(60, 70))
    assert len(response.quick_assessment.proposals) > 1
    assert {item.code for item in response.warnings} == {"part_failed"}
    assert response.quick_assessment.disclaimer in response.answer.text


async def test_a_question_whose_answer_fails_is_not_answered(
    monkeypatch: pytest.MonkeyPatch, sqlite_url: str, land_unit: MakeUnit
) -> None:
    monkeypatch.setitem(TOPICS, "risks", TOPICS["risks"]._replace(answer=fail))
    response = await answer_to(sqlite_url, land_unit())
    assert [(item.intent, item.reason) for item in response.answer.unanswered] == [
        ("risks", "The service met a defect.")
    ]
    assert [item.intent for item in response.answer.answered] == ["division"]
    assert [item.code for item in response.warnings] == ["part_failed"]


async def test_a_call_does_not_name_the_failures_of_another(
    monkeypatch: pytest.MonkeyPatch, sqlite_url: str, land_unit: MakeUnit
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("assistant.division.candidates._layouts", fail)
        assert (await answer_to(sqlite_url, land_unit())).warnings
    assert not (await answer_to(sqlite_url, land_unit())).warnings
