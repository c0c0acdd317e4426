"""Sends ended leases and the numbers of refused requests to keys.

Both are in memory. If the process is killed, its leases end with its spool, and the latest refused requests are not
counted.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice

import grpc

from edge.clients.keys import KeysClient
from landpartner.keys.v1 import keys_pb2

log = logging.getLogger(__name__)

BATCH = 500
MAX_WAITING = 10_000
"""The ends, and the kinds of refusals, that may wait for keys. Keys ends a lease without an end after 15 minutes."""
RETRY_S = 1.0


class Settling:
    def __init__(self, keys: KeysClient) -> None:
        self._keys = keys
        self._ends: dict[str, dict[bytes, keys_pb2.LeaseEnd]] = {}
        """By key and lease. None of a key is an empty dict."""
        self._waiting = 0
        self._refused: dict[tuple[str, str, str], keys_pb2.RefusedRequests] = {}

    def end(self, ends: Iterable[keys_pb2.LeaseEnd]) -> None:
        for end in ends:
            self._remove(end)
            self._ends.setdefault(end.key_id, {})[end.lease_id] = end
            self._waiting += 1
        while self._waiting > MAX_WAITING:
            self._remove(next(iter(next(iter(self._ends.values())).values())))

    def take(self, key_id: str) -> Sequence[keys_pb2.LeaseEnd]:
        """Removes ends of a key, which its next lease carries: keys may wait for what they return."""
        ends = list(islice(self._ends.get(key_id, {}).values(), BATCH))
        for end in ends:
            self._remove(end)
        return ends

    def refuse(self, key_id: str, endpoint: str, code: str) -> None:
        """Counts a refused request."""
        occurred_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._add(
            keys_pb2.RefusedRequests(key_id=key_id, endpoint=endpoint, code=code, requests=1, occurred_at=occurred_at)
        )

    async def send(self) -> None:
        """Sends what waits. What keys does not acknowledge waits on. Waits shortly if keys is not available."""
        while self._ends or self._refused:
            ends = list(islice((end for of_key in self._ends.values() for end in of_key.values()), BATCH))
            refused = [self._refused.pop(subject) for subject in list(islice(self._refused, BATCH))]
            try:
                response = await self._keys.settle(keys_pb2.SettleRequest(ended=ends, refused=refused))
            except BaseException as error:
                self._add(*refused)
                if not isinstance(error, grpc.aio.AioRpcError):
                    raise
                log.warning("ended leases wait: keys is not available", extra={"count": len(ends)})
                await asyncio.sleep(RETRY_S)
                return
            self._add(*(requests for requests in refused if requests.key_id in response.locked_keys))
            for end in ends:
                if end.lease_id not in response.postponed:
                    self._remove(end)
            if response.postponed or response.locked_keys:
                return

    def _remove(self, end: keys_pb2.LeaseEnd) -> None:
        of_key = self._ends.get(end.key_id, {})
        if of_key.pop(end.lease_id, None) is not None:
            self._waiting -= 1
            if not of_key:
                del self._ends[end.key_id]

    def _add(self, *refused: keys_pb2.RefusedRequests) -> None:
        for requests in refused:
            subject = requests.key_id, requests.endpoint, requests.code
            waiting = self._refused.get(subject)
            if waiting is not None:
                waiting.requests += requests.requests
                waiting.occurred_at = max(waiting.occurred_at, requests.occurred_at)
            elif len(self._refused) < MAX_WAITING:
                self._refused[subject] = requests
