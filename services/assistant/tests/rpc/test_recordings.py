"""Texts of strangers, read by the recorded answers of a strong model to the very messages of the service.

The answers are replayed by a server that speaks the protocol. Readings of projects are by the people who wrote the
texts, or were made from their notes before the answers were graded.
"""

from __future__ import annotations  # the async stub is a type only

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from readings import compared, digest, entries, told_fields

from assistant.models.reader_messages import messages_for
from assistant.project import Project
from assistant.rpc.messages import told_in_fields
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.land.v1 import land_pb2
from servicekit.rpc_client import Outgoing

MakeUnit = Callable[..., land_pb2.LandUnit]
RunModel = Callable[..., Any]
OUTGOING = Outgoing("right")
MODEL = pb.AssistantPolicy(mode=pb.ASSISTANT_MODE_MODEL)
SETS = {"recordings": (0.95, 0.92), "unfitted_recordings": (0.95, 0.88)}
"""The least shares of members and of questions that are read rightly. The second set was written and recorded after the
first work; the rules and the check of a model's answer were fitted to it since.
"""


@pytest.mark.parametrize("name", SETS)
def test_the_answers_belong_to_the_messages_that_the_service_sends(name: str) -> None:
    stale = []
    for entry in entries(name):
        messages = [{"role": message.role, "content": message.content} for message in messages_for(entry["text"])]
        stale += [] if digest(messages) == entry["digest"] else [entry["id"]]
    assert not stale


@pytest.mark.parametrize("name", SETS)
async def test_recorded_answers_give_the_projects_and_the_questions_of_strangers(
    sqlite_url: str, run_model: RunModel, land_unit: MakeUnit, serve_chat: Any, turn: Any, name: str
) -> None:
    recordings, (least_right, least_intents) = entries(name), SETS[name]
    total: Counter[str] = Counter()
    differences, missed = {}, []
    async with serve_chat(turn(status=401)) as chat, run_model(sqlite_url, chat.url) as (_, stub):
        chat.recorded = {entry["digest"]: entry["answer"] for entry in recordings}
        for entry in recordings:
            request = pb.DivideLandRequest(land_unit=land_unit(60, 80), question=entry["text"], policy=MODEL)
            response = await stub.DivideLand(request, **OUTGOING(60.0))
            if "project" in entry:
                project = Project(**told_in_fields(response.quick_assessment.project))
                counts, found = compared(entry["project"], project, told_fields)
                total += counts
                if found:
                    differences[entry["id"]] = found
            asked = {reply.intent for reply in response.answer.answered}
            asked |= {reply.intent for reply in response.answer.unanswered}
            if "intents" in entry and not asked & {*entry["intents"]}:
                missed.append((entry["id"], entry["intents"], sorted(asked)))
    assert total["right"] >= least_right * (total["right"] + total["missing"]), differences
    assert len(missed) <= (1 - least_intents) * sum("intents" in entry for entry in recordings), missed
