"""Sends ended leases and the numbers of refused requests to keys.

Both are in memory. If the process is killed, its leases end with its spool, and the latest refused requests are not
counted.
"""

import asyncio
import logging
from collections.abc import Iterable
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
        self._ends: dict[bytes, keys_pb2.LeaseEnd] = {}
        self._refused: dict[tuple[str, str, str], keys_pb2.RefusedRequests] = {}

    def end(self, ends: Iterable[keys_pb2.LeaseEnd]) -> None:
        self._ends.update((end.lease_id, end) for end in ends)
        while len(self._ends) > MAX_WAITING:
            del self._ends[next(iter(self._ends))]

    def refuse(self, key_id: str, endpoint: str, code: str) -> None:
        """Counts a refused request."""
        occurred_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._add(
            keys_pb2.RefusedRequests(key_id=key_id, endpoint=endpoint, code=code, requests=1, occurred_at=occurred_at)
        )

    async def send(self) -> None:
        """Sends what waits. What keys does not acknowledge waits on. Waits shortly if keys is not available."""
        while self._ends or self._refused:
            ends = list(islice(self._ends.values(), BATCH))
            refused = [self._refused.pop(subject) for subject in list(islice(self._refused, BATCH))]
            try:
                response = await self._keys.settle(keys_pb2.SettleRequest(ended=ends, refused=refused))
            except BaseException as error:
                self._add(*refused)
                if not isinstance(error, grpc.aio.AioRpcError):
                    raise
                log.warning("ended leases wait: keys is not available", extra={"count": len(self._ends)})
                await asyncio.sleep(RETRY_S)
                return
            self._add(*(requests for requests in refused if requests.key_id in response.locked_keys))
            for end in ends:
                if end.lease_id not in response.postponed:
                    self._ends.pop(end.lease_id, None)
            if response.postponed or response.locked_keys:
                return

    def _add(self, *refused: keys_pb2.RefusedRequests) -> None:
        for requests in refused:
            subject = requests.key_id, requests.endpoint, requests.code
            waiting = self._refused.get(subject)
            if waiting is not None:
                waiting.requests += requests.requests
                waiting.occurred_at = max(waiting.occurred_at, requests.occurred_at)
            elif len(self._refused) < MAX_WAITING:
                self._refused[subject] = requests
