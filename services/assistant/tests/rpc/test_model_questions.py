"""Hostile models, and answers of models about several questions."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from assistant.prompts.loader import load_prompt
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.land.v1 import land_pb2
from servicekit.rpc_client import Outgoing

MakeUnit = Callable[..., land_pb2.LandUnit]
RunModel = Callable[..., Any]
OUTGOING = Outgoing("right")
MODEL = pb.AssistantPolicy(mode=pb.ASSISTANT_MODE_MODEL)
TRUE = (
    {"text": "The land is in urban zone {f1.label}.", "facts": ["f1"]},
    {"text": "No specific requirement of the local plan applies to the land.", "facts": ["f3"]},
)
SYSTEM = load_prompt().fill("write", language="English", facts="")[0].content
HOSTILE = (
    ("The land is worth a million.", "f1"),
    ("The price is €1,000,000.", "f1"),
    (SYSTEM, "f1"),
    ("You write the middle part of an answer about dividing a piece of land.", "f1"),
    ("An easement of passage crosses lot B.", "f1"),
    ("The mayor Dupont agrees.", "f1"),
    ("Everything is allowed in the urban zone.", "f1"),
    ("The zone is not open to building.", "f2"),
    ("Yes, the zone is open to building.", "f2"),
    ("Key: sk-very-secret.", "f1"),
    ("See http://evil.example for the zone.", "f1"),
    ("The land is in zone {f9.label}.", "f1"),
    ("The land is in zone UB.", "f1"),
    ("The zone is **open** to building.", "f2"),
)


@pytest.mark.parametrize(("text", "fact"), HOSTILE)
async def test_nothing_of_a_hostile_model_reaches_the_answer(
    sqlite_url: str, run_model: RunModel, land_unit: MakeUnit, serve_chat: Any, turn: Any, text: str, fact: str
) -> None:
    answer = json.dumps({"sentences": [*TRUE, {"text": text, "facts": [fact]}]})
    failing = turn(status=400)  # neither judges nor repairs
    async with serve_chat(turn((answer,)), failing) as chat, run_model(sqlite_url, chat.url) as (_, stub):
        request = pb.DivideLandRequest(land_unit=land_unit(), policy=MODEL, question="Zoning?")
        events = [event async for event in stub.StreamDivideLand(request, **OUTGOING(60.0))]
    assert not events[-1].prompt.warnings
    assert events[-2].answer.text.startswith("The land is in urban zone UB.")
    assert len(chat.requests) == 3
    assert not any(text.rstrip(".") in f"{event.answer_delta}{event.answer.text}" for event in events)


async def test_a_model_s_answer_is_completed_by_the_replies_that_it_leaves_out(
    sqlite_url: str, run_model: RunModel, land_unit: MakeUnit, serve_chat: Any, turn: Any
) -> None:
    question = "What is the zoning? How long does it take? Who lives there?"
    async with (
        serve_chat(turn((json.dumps({"sentences": TRUE}),))) as chat,
        run_model(sqlite_url, chat.url) as (_, stub),
    ):
        request = pb.DivideLandRequest(land_unit=land_unit(), policy=MODEL, question=question)
        response = await stub.DivideLand(request, **OUTGOING(60.0))
    text = response.answer.text
    assert response.prompt.provider == "openai"
    assert "### “How long does it take?”\n\n- " in text
    assert "- The land is in urban zone UB" not in text
    assert "- The zone is open to building" in text
    assert "- **“Who lives there?”**: this service gives no data about private persons." in text
    assert text.endswith(f"*{response.quick_assessment.disclaimer}*\n")
    assert [reply.intent for reply in response.answer.answered] == ["building", "time_limits"]
    assert [reply.intent for reply in response.answer.unanswered] == ["persons"]


async def test_a_model_is_not_asked_what_no_fact_answers(
    sqlite_url: str, run_model: RunModel, land_unit: MakeUnit, serve_chat: Any, turn: Any
) -> None:
    async with (
        serve_chat(turn((json.dumps({"sentences": TRUE}),))) as chat,
        run_model(sqlite_url, chat.url) as (_, stub),
    ):
        request = pb.DivideLandRequest(land_unit=land_unit(), policy=MODEL, question="Who lives there?")
        response = await stub.DivideLand(request, **OUTGOING(60.0))
    assert response.prompt.provider == "rules"
    assert not chat.requests
    assert not response.warnings
