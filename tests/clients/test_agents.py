"""An agent, with the client of the protocol's own package, on its way from an address to lots of the demo."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import stacks
from documents import blocks_of, commands_of, run_shell


def connection_of(program: str, url: str, key: str, folder: Path) -> tuple[str, dict[str, str]]:
    """The address and the headers that docs/agents.md sets for a program: `claude`, or the member of its JSON file."""
    if program == "claude":
        stand_in = folder / program
        stand_in.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
        stand_in.chmod(0o755)
        [command] = commands_of("agents.md")
        words = run_shell(f'PATH="$PWD:$PATH"\n{command.replace("https://HOST", url)}', folder, key).splitlines()
        name, value = words[words.index("--header") + 1].split(": ")
        return words[words.index("landpartner") + 1], {name: value}
    documents = [json.loads(block.replace("https://HOST", url)) for block in blocks_of("agents.md", "json")]
    [server] = [document[program]["landpartner"] for document in documents if program in document]
    [(name, value)] = server["headers"].items()
    assert value in {"${input:key}", "${env:LANDPARTNER_KEY}"}
    return server["url"], {name: key}


@pytest.mark.parametrize(
    ("program", "mode"), [("claude", "2026-07-28"), ("servers", "legacy"), ("mcpServers", "legacy")]
)
async def test_the_way_from_the_page_and_an_address_to_lots(
    embedded: stacks.Embedded, program: str, mode: str, tmp_path: Path
) -> None:
    key = await asyncio.to_thread(stacks.create_key, embedded, f"agent {program}")
    url, headers = await asyncio.to_thread(connection_of, program, embedded.url, key["secret"], tmp_path)
    charged = 0

    async def call(name: str, **arguments: Any) -> Any:
        nonlocal charged
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result.structured_content
        charged += result.structured_content["units_charged"]
        return result.structured_content["answer"]

    async with (
        httpx2.AsyncClient(headers={**headers, "accept-language": "en"}, timeout=stacks.PATIENCE_S) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
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
