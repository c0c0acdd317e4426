"""What is loaded of each dataset, kept for a short time: the route that shows it needs no key."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from edge.clients.land import LandClient
from edge.problems import Problem
from landpartner.land.v1 import land_pb2

CACHE_S = 30.0
DEADLINE_S = 5.0


class DatasetStates:
    def __init__(self, land: LandClient) -> None:
        self._land = land
        self._asked_at = float("-inf")
        self._lock = asyncio.Lock()
        self.known: Sequence[land_pb2.DatasetState] = ()
        self.read_at: datetime | None = None
        """None before the first answer of land."""

    async def refresh(self) -> None:
        """Asks land if that was longer ago than CACHE_S. Keeps what is known if land does not answer. Never raises."""
        async with self._lock:
            if time.monotonic() - self._asked_at < CACHE_S:
                return
            try:
                answer = await self._land.dataset_states(deadline_s=DEADLINE_S)
                self.known, self.read_at = answer.datasets, datetime.now(UTC)
            except Problem:
                pass
            self._asked_at = time.monotonic()
