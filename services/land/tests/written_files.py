"""Small files that tests of readers write."""

from collections.abc import Callable
from pathlib import Path

from land.datasets.partitions import PartitionKind, code_of
from land.errors import SourceUnavailable
from land.sources.base import PartitionRequest

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
