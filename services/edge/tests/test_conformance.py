"""schemathesis generates valid and invalid requests from the consumer description and sends them to a running edge."""

import asyncio
import sys
from pathlib import Path
from typing import Any


async def test_answers_match_the_description(edge: Any, edge_process: Any, tmp_path: Path) -> None:
    unlimited = {"EDGE_OPEN_ATTEMPTS_PER_MINUTE": "100000", "EDGE_UNKNOWN_CREDENTIALS_PER_MINUTE": "100000"}
    async with edge_process(edge, tmp_path / "spool", **unlimited) as (_, url):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "run",
            f"{url}/api/v1/openapi-public.json", "--header", f"x-api-key: {edge.key}",
            "--max-examples", "25", "--seed", "1", "--no-color",
            cwd=tmp_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
