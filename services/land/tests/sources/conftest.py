"""Real sample files, and small files made on the spot."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from land.sources.base import Account

REPOSITORY = Path(__file__).parents[4]
Writer = Callable[[str, str | bytes], Path]


@pytest.fixture
def sample() -> Callable[[str], Path]:
    """A real sample file by its name below LAND_TEST_DATA; skips where it is absent, fails with REQUIRE_ALL=1."""
    folder = Path(os.environ.get("LAND_TEST_DATA", "../shared/data"))
    folder = folder if folder.is_absolute() else REPOSITORY / folder

    def find(name: str) -> Path:
        path = folder / name
        if not path.is_file():
            reason = f"no sample {name} below LAND_TEST_DATA"
            if os.environ.get("REQUIRE_ALL") == "1":
                pytest.fail(reason)
            pytest.skip(reason)
        return path

    return find


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """Writes a file, gzipped where its name ends in .gz."""

    def to_file(name: str, content: str | bytes) -> Path:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return to_file


@pytest.fixture
def account() -> Account:
    return Account("a file")
