"""Cards of law chosen by a language model, over a real connection to a server with correct and incorrect responses."""

from __future__ import annotations  # the async stub is a type only

import json
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest

from assistant.law.cards import load_cards
from assistant.models.choice import RESPONSE_FORMAT, read_choice
from assistant.questions.answers import OpenAsk
from assistant.study import study
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.land.v1 import land_pb2
from servicekit.rpc_client import Outgoing

MakeUnit = Callable[..., land_pb2.LandUnit]
RunModel = Callable[..., Any]
OUTGOING = Outgoing("right")
MODEL = pb.AssistantPolicy(mode=pb.ASSISTANT_MODE_MODEL)
QUESTION = "L'acheteur peut-il revendre le lot avant d'avoir construit ?"
ASK = OpenAsk("Qui doit signer ?", "Qui doit signer ?", "Nous sommes trois frères en indivision.", ())
WRITTEN = (json.dumps({"sentences": []}),)


def choosing(*card_ids: object, ask: object = 1, left: object = "") -> str:
    return json.dumps({"choices": [{"ask": ask, "cards": list(card_ids), "left": left}]})


def asking(unit: land_pb2.LandUnit, question: str = QUESTION) -> pb.DivideLandRequest:
    return pb.DivideLandRequest(land_unit=unit, question=question, policy=MODEL)


def offered(chat: Any) -> list[str]:
    content = chat.choice_requests[0]["messages"][-1]["content"]
    data = json.loads(content.removeprefix("<asks>").removesuffix("</asks>"))
    assert data["text"] == QUESTION
    (ask,) = data["asks"]
    return [card["id"] for card in ask["cards"]]


async def test_the_model_chooses_among_twelve_cards_what_the_rules_leave_open(
    sqlite_url: str, run_model: RunModel, land_unit: MakeUnit, serve_chat: Any, turn: Any
) -> None:
    async with serve_chat(turn(WRITTEN)) as chat, run_model(sqlite_url, chat.url) as (_, stub):
        by_rules = await stub.DivideLand(asking(land_unit()), **OUTGOING(60.0))
        ids = offered(chat)
        chat.choice_requests.clear()
        chat.choices = [turn((choosing(ids[3]),))]
        response = await stub.DivideLand(asking(land_unit()), **OUTGOING(60.0))
    assert len(ids) == 12
    assert chat.choice_requests[0]["response_format"] == RESPONSE_FORMAT
    assert not chat.choice_requests[0].get("stream")
    says = load_cards()[ids[3]].says.en.split(".")[0]
    assert says in response.answer.text
    assert says not in by_rules.answer.text
    spent = response.prompt.usage.input_tokens - by_rules.prompt.usage.input_tokens
    assert spent == 321


async def test_what_the_chosen_cards_leave_open_is_named(
    sqlite_url: str, run_model: RunModel, land_unit: MakeUnit, serve_chat: Any, turn: Any
) -> None:
    async with serve_chat(turn(WRITTEN)) as chat, run_model(sqlite_url, chat.url) as (_, stub):
        await stub.DivideLand(asking(land_unit()), **OUTGOING(60.0))
        card_id = offered(chat)[3]
        chat.choices = [turn((choosing(card_id, left="avant d'avoir construit"),))]
        response = await stub.DivideLand(asking(land_unit()), **OUTGOING(60.0))
    assert load_cards()[card_id].says.en.split(".")[0] in response.answer.text
    assert [gap.question for gap in response.answer.unanswered] == ["avant d'avoir construit"]


async def test_a_choice_does_not_study_the_land_again(
    sqlite_url: str, run_model: RunModel, land_unit: MakeUnit, serve_chat: Any, turn: Any, monkeypatch: Any
) -> None:
    studies = Mock(side_effect=study)
    monkeypatch.setattr("assistant.rpc.service.study", studies)
    async with serve_chat(turn(WRITTEN)) as chat, run_model(sqlite_url, chat.url) as (_, stub):
        chat.choices = [turn((choosing(),))]
        await stub.DivideLand(asking(land_unit()), **OUTGOING(60.0))
    assert len(chat.choice_requests) == 1
    assert studies.call_count == 1


@pytest.mark.parametrize(
    "options",
    [
        {"pieces": (choosing("no_such_card"),)},
        {"pieces": (choosing("certificate_valid", "certificate_old", "permit_posting"),)},
        {"pieces": (choosing(ask=2),)},
        {"pieces": (choosing(),)},
        {"pieces": ("none",)},
        {"pieces": ('{"choices": 5}',)},
        {"status": 500},
        {"delay_s": 60.0},
    ],
)
async def test_the_rules_stand_where_the_model_chooses_none_or_wrongly(
    sqlite_url: str, run_model: RunModel, land_unit: MakeUnit, serve_chat: Any, turn: Any, options: dict[str, Any]
) -> None:
    settings = {"openai_reader_timeout_s": 0.5}
    async with serve_chat(turn(WRITTEN)) as chat, run_model(sqlite_url, chat.url, **settings) as (_, stub):
        expected = await stub.DivideLand(asking(land_unit()), **OUTGOING(60.0))
        chat.choice_requests.clear()
        chat.choices = [turn(**options)]
        response = await stub.DivideLand(asking(land_unit()), **OUTGOING(60.0))
    assert len(chat.choice_requests) == 1
    assert response.answer == expected.answer
    assert "revendre le lot" in response.answer.text


async def test_what_facts_of_the_land_answer_is_not_offered(
    sqlite_url: str, run_model: RunModel, land_unit: MakeUnit, serve_chat: Any, turn: Any
) -> None:
    question = "Quelle est la superficie du terrain ?"
    async with serve_chat(turn(WRITTEN)) as chat, run_model(sqlite_url, chat.url) as (_, stub):
        await stub.DivideLand(asking(land_unit(), question), **OUTGOING(60.0))
    assert chat.choice_requests == []


async def test_facts_that_answer_beside_a_story_are_offered_with_cards_and_stand_after_the_chosen_one(
    sqlite_url: str, run_model: RunModel, land_unit: MakeUnit, serve_chat: Any, turn: Any
) -> None:
    question = "My uncle lives in Lyon. What can be built on the land?"
    async with serve_chat(turn(WRITTEN)) as chat, run_model(sqlite_url, chat.url) as (_, stub):
        by_rules = await stub.DivideLand(asking(land_unit(), question), **OUTGOING(60.0))
        content = chat.choice_requests[0]["messages"][-1]["content"]
        (ask,) = json.loads(content.removeprefix("<asks>").removesuffix("</asks>"))["asks"]
        chat.choices = [turn((choosing(ask["cards"][0]["id"]),))]
        chosen = await stub.DivideLand(asking(land_unit(), question), **OUTGOING(60.0))
    assert ask["facts"] == "What may be built"
    says, zone = load_cards()[ask["cards"][0]["id"]].says.en.split(". ")[0], "The land is in urban zone UB"
    assert says not in by_rules.answer.text
    assert zone in by_rules.answer.text
    assert chosen.answer.text.index(says) < chosen.answer.text.index(zone)


def test_a_choice_counts_only_among_the_cards_that_were_offered() -> None:
    assert read_choice(choosing("indivision_all_sign"), [ASK]) == {ASK.words: (load_cards()["indivision_all_sign"],)}
    assert read_choice(choosing(), [ASK]) == {ASK.words: ()}
    both = {ASK.words: (load_cards()["indivision_all_sign"],), "doit signer": ()}
    assert read_choice(choosing("indivision_all_sign", left="doit signer"), [ASK]) == both
    for no_part in ("signer", "à vendre", "", 5):
        assert len(read_choice(choosing("indivision_all_sign", left=no_part), [ASK])) == 1
    for wrong in (choosing("pool_formality"), choosing(5), choosing("indivision_all_sign", ask=True), "[]", "{}", ""):
        assert read_choice(wrong, [ASK]) == {}
