"""An edge with fakes of the other services, for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from running_edge import Edge, StartEdge, running_edge


@pytest.fixture
async def edge(tmp_path: Path) -> AsyncIterator[Edge]:
    async with running_edge(tmp_path) as running:
        yield running


@pytest.fixture
def start_edge(tmp_path: Path) -> StartEdge:
    return lambda **settings: running_edge(tmp_path, **settings)
