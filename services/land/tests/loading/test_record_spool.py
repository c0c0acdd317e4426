"""The records of a spool, grouped by partition and class."""

from pathlib import Path
from typing import NamedTuple

import pytest

from land.datasets.partitions import Partition
from land.loading import record_spool
from land.loading.record_spool import RecordSpool


class Street(NamedTuple):
    name: str
    number: int


class Place(NamedTuple):
    """A record with as many values as a street."""

    name: str
    population: int


HERE, THERE = Partition("18033"), Partition("18050")
STREETS = [Street("Rue des Lilas", number) for number in range(5)]
PLACES = [Place("Bourges", 64_000), Place("Asnières", 3_000)]


@pytest.mark.parametrize("segment_size", [1, 2, 100])
def test_records_come_back_in_their_class_and_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, segment_size: int
) -> None:
    monkeypatch.setattr(record_spool, "SEGMENT_RECORDS", segment_size)
    records = RecordSpool(tmp_path)
    for record in (STREETS[0], PLACES[0], *STREETS[1:], PLACES[1]):
        records.add(HERE, record)
    records.add(THERE, STREETS[0])
    assert records.partitions() == [HERE, THERE]
    assert (records.count(HERE), records.count(THERE)) == (7, 1)
    read = list(records.records(HERE))
    assert read == [*PLACES, *STREETS]
    assert [type(record) for record in read] == [Place] * 2 + [Street] * 5
    records.close()


def test_equal_records_have_equal_digests_in_segments_of_any_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def digest(*records: Street | Place, segment_size: int = 100) -> str:
        monkeypatch.setattr(record_spool, "SEGMENT_RECORDS", segment_size)
        filled_spool = RecordSpool(tmp_path)
        for record in records:
            filled_spool.add(HERE, record)
        assert filled_spool.partitions() == [HERE]
        try:
            return filled_spool.digest(HERE)
        finally:
            filled_spool.close()

    whole = digest(*STREETS, *PLACES)
    assert digest(*PLACES, *STREETS, segment_size=1) == whole
    assert digest(*STREETS, PLACES[0]) != whole
    assert digest(*reversed(STREETS), *PLACES) != whole
