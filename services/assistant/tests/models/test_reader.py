"""Calls of the reader that never reach a server."""

from collections.abc import AsyncIterator

import pytest

from assistant.models.base import Meter, Usage
from assistant.models.openai_chat import OpenAIChat
from assistant.models.reader import ModelReader


@pytest.fixture
async def reader(unused_tcp_port: int) -> AsyncIterator[ModelReader]:
    """A reader with a server that cannot be reached."""
    chat = OpenAIChat("reader-1", "x", f"http://127.0.0.1:{unused_tcp_port}/v1")
    yield ModelReader(chat, 3.0)
    await chat.close()


async def test_without_time_left_nothing_is_sent_or_counted(
    monkeypatch: pytest.MonkeyPatch, reader: ModelReader
) -> None:
    monkeypatch.setattr("assistant.models.reader.remaining_s", lambda: 0.5)
    meter = Meter()
    assert await reader.read("3 lots", meter) == ""
    assert meter.usage == Usage()


async def test_a_server_that_cannot_be_reached_costs_nothing(reader: ModelReader) -> None:
    meter = Meter()
    assert await reader.read("3 lots", meter) == ""
    assert meter.usage == Usage()
