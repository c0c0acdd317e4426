"""An agent, with the client of the protocol's own package, on its way from an address to lots of the demo."""

import asyncio
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import stacks


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
async def test_the_way_from_an_address_to_lots(embedded: stacks.Embedded, mode: str) -> None:
    key = await asyncio.to_thread(stacks.create_key, embedded, f"agent {mode}")
    headers = {"x-api-key": key["secret"], "accept-language": "en"}
    charged = 0

    async def call(name: str, **arguments: Any) -> Any:
        nonlocal charged
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result.structured_content
        charged += result.structured_content["units_charged"]
        return result.structured_content["answer"]

    async with (
        httpx2.AsyncClient(headers=headers, timeout=stacks.PATIENCE_S) as http,
        Client(streamable_http_client(f"{embedded.url}/api/v1/mcp", http_client=http), mode=mode) as client,
    ):
        tools = {tool.name for tool in (await client.list_tools()).tools}
        [suggestion] = (await call("suggest", q="1 rue du 8 mai 1945 Exempleville", limit=1))["suggestions"]
        resolved = await call("resolve_address", label=suggestion["label"])
        [feature] = (await call("land_unit", parcel_ids=resolved["parcel_ids"], include=["land"]))["features"]
        assert {"history", "sources", "coverage"} <= feature["properties"].keys()
        division = await call("divide_land", parcel_ids=resolved["parcel_ids"], question="Two lots?")
        assert division["quick_assessment"]["proposals"][0]["lots"]
        retry = await client.call_tool("land_unit", {"parcel_ids": ["00001000AA9999"]})
        assert retry.structured_content["problem"]["code"] == "parcel_not_found"
        assert {"suggest", "resolve_address", "land_unit", "divide_land"} <= tools
        for _ in range(100):
            usage = await call("usage")
            if usage["units"] == charged:
                break
            await asyncio.sleep(0.1)
    assert (usage["units"], charged) == (13, 13)
