"""Calls of the reader that never reach a server."""

import openai
import pytest

from assistant.models.base import Meter, Usage
from assistant.models.openai_chat import ChatOptions
from assistant.models.reader import ModelReader


async def test_without_time_left_nothing_is_sent_or_counted(
    monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
) -> None:
    monkeypatch.setattr("assistant.models.reader.remaining_s", lambda: 0.5)
    meter = Meter()
    async with openai.AsyncOpenAI(api_key="x", base_url=f"http://127.0.0.1:{unused_tcp_port}/v1") as client:
        reader = ModelReader(client, "reader-1", ChatOptions(), 3.0)
        assert await reader.read("3 lots", meter) == ""
    assert meter.usage == Usage()


async def test_a_server_that_cannot_be_reached_costs_nothing(unused_tcp_port: int) -> None:
    meter = Meter()
    async with openai.AsyncOpenAI(
        api_key="x", base_url=f"http://127.0.0.1:{unused_tcp_port}/v1", max_retries=0
    ) as client:
        reader = ModelReader(client, "reader-1", ChatOptions(), 3.0)
        assert await reader.read("3 lots", meter) == ""
    assert meter.usage == Usage()
