"""Replays recorded answers of a language model through a server with its protocol."""

from typing import Any

from recorded_answers import recordings

from assistant.models.base import Meter, ModelFailed
from assistant.models.openai_chat import OpenAIChat
from assistant.prompts.loader import load_prompt
from assistant.writing.writer import Writer

LEAST_DELIVERED = 0.95


async def test_the_recorded_answers_are_delivered(serve_chat: Any, turn: Any) -> None:
    delivered = []
    for recording in recordings():
        async with serve_chat(turn((recording.answer,)), turn(('{"false": []}',)), turn(status=400)) as chat:
            model, meter = OpenAIChat("writer-1", "none", chat.url), Meter()
            try:
                written = await Writer(model, load_prompt(), recording.facts, recording.language).write(meter)
            except ModelFailed:
                delivered.append(False)
            else:
                delivered.append(True)
                assert not any("{" in passage.text for passage in written.passages)
            await model.close()
        assert [message["content"] for message in chat.requests[0]["messages"]] == [
            m.content for m in recording.messages
        ]
        assert meter.usage.input_tokens > 0
    print(f"{sum(delivered)} of {len(delivered)} answers are delivered")  # noqa: T201
    assert sum(delivered) >= LEAST_DELIVERED * len(delivered)
