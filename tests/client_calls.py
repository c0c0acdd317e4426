"""Calls of both clients of the Python package in the same form."""

import asyncio
from collections.abc import AsyncIterator, Callable
from inspect import isasyncgen, iscoroutine, isgenerator
from typing import Any

from landpartner_client import AsyncClient, Client

KEY = "lp_test_abcd1234" + "s" * 43 + "000000"

Call = Callable[..., Any]
"""Calls a method of a client for a URL, with options of the client as `options`. An iterator becomes a list."""


def call_threaded(url: str, method: str, /, *arguments: Any, options: dict[str, Any] | None = None, **body: Any) -> Any:
    with Client(**{"api_key": KEY, "base_url": url, **(options or {})}) as client:
        result = getattr(client, method)(*arguments, **body)
        return list(result) if isgenerator(result) else result


def call_async(url: str, method: str, /, *arguments: Any, options: dict[str, Any] | None = None, **body: Any) -> Any:
    async def run() -> Any:
        async with AsyncClient(**{"api_key": KEY, "base_url": url, **(options or {})}) as client:
            result = getattr(client, method)(*arguments, **body)
            if isasyncgen(result):
                return await _collect(result)
            return await result if iscoroutine(result) else result

    return asyncio.run(run())


async def _collect(items: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in items]
