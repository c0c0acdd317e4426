"""Real sample files, and small files that tests write."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from land.datasets.partitions import PartitionKind, code_of
from land.errors import SourceUnavailable
from land.sources.base import PartitionRequest, ReadReport

REPOSITORY = Path(__file__).parents[4]
Writer = Callable[[str, str | bytes], Path]


def partition_request(commune_code: str, kind: PartitionKind = "commune") -> PartitionRequest:
    """A request for the partition of a commune whose centre is unknown, from a publisher without a list of files."""

    def locate() -> tuple[float, float]:
        raise SourceUnavailable(commune_code)

    def read_list(url: str) -> bytes:
        raise SourceUnavailable(url)

    def box(metres: float) -> tuple[float, ...]:
        raise SourceUnavailable(commune_code)

    return PartitionRequest(commune_code, code_of(kind, commune_code), locate, read_list, box)


@pytest.fixture
def sample() -> Callable[[str], Path]:
    """Finds a real sample file below LAND_TEST_DATA. A missing file skips the test, or fails it with REQUIRE_ALL=1."""
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
    """Writes a file, gzipped if its name ends in .gz."""

    def to_file(name: str, content: str | bytes) -> Path:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return to_file


@pytest.fixture
def report() -> ReadReport:
    return ReadReport("a file")
