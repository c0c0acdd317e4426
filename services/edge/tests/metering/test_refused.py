"""The file of refused outcomes, and their replay."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from edge.metering import frames
from edge.metering.refused import RefusedFull, RefusedOutcomes, Replayed, replay


def test_payloads_are_read_in_order_without_duplicates(tmp_path: Path) -> None:
    assert RefusedOutcomes(tmp_path).read() == []
    RefusedOutcomes(tmp_path).add([b"a", b"b"])
    RefusedOutcomes(tmp_path).add([b"c", b"a"])
    assert RefusedOutcomes(tmp_path).read() == [b"a", b"b", b"c"]


def test_only_the_given_payloads_are_removed(tmp_path: Path) -> None:
    refused = RefusedOutcomes(tmp_path)
    refused.add([b"a", b"b", b"c"])
    refused.remove([b"b", b"unknown"])
    assert refused.read() == [b"a", b"c"]
    refused.remove([b"a", b"c"])
    assert not refused.path.exists()


def test_an_interrupted_write_loses_only_its_outcome(tmp_path: Path) -> None:
    refused = RefusedOutcomes(tmp_path)
    refused.add([b"a"])
    with refused.path.open("ab") as file:
        file.write(frames.encode(b"cut off")[:-2])
    refused.add([b"b"])
    assert refused.read() == [b"a", b"b"]


def test_the_file_has_a_maximum_size_and_writes_are_atomic(tmp_path: Path) -> None:
    refused = RefusedOutcomes(tmp_path, max_bytes=3 * len(frames.encode(b"a")))
    refused.add([b"a", b"b"])
    with pytest.raises(RefusedFull):
        refused.add([b"c", b"d"])
    refused.add([b"c"])
    assert refused.read() == [b"a", b"b", b"c"]


def test_payloads_added_during_a_removal_are_kept(tmp_path: Path) -> None:
    refused = RefusedOutcomes(tmp_path)
    old = [b"old %d" % number for number in range(50)]
    refused.add(old)

    def add() -> None:
        for number in range(50):
            RefusedOutcomes(tmp_path).add([b"new %d" % number])

    adding = threading.Thread(target=add)
    adding.start()
    for payload in old:
        refused.remove([payload])
    adding.join()
    assert refused.read() == [b"new %d" % number for number in range(50)]


class Keys:
    """Accepts payloads that it does not refuse. Fails on a batch that contains `failing`."""

    def __init__(self, refused: Sequence[bytes] = (), failing: bytes = b"") -> None:
        self.counted: set[bytes] = set()
        self.refused = frozenset(refused)
        self.failing = failing

    async def __call__(self, payloads: Sequence[bytes]) -> Sequence[bytes]:
        if self.failing in payloads:
            raise ConnectionError("down")
        if len(payloads) > 1 and self.refused.intersection(payloads):
            return payloads  # the batch was refused as a whole
        self.counted.update(set(payloads) - self.refused)
        return [payload for payload in payloads if payload in self.refused]


async def test_a_replay_removes_counted_outcomes_and_keeps_refused_ones(tmp_path: Path) -> None:
    refused = RefusedOutcomes(tmp_path)
    refused.add([b"a", b"poison", b"b"])
    keys = Keys([b"poison"])
    assert await replay(refused, keys) == Replayed(2, 1)
    assert keys.counted == {b"a", b"b"}
    assert refused.read() == [b"poison"]
    assert await replay(refused, Keys()) == Replayed(1, 0)
    assert await replay(refused, Keys()) == Replayed(0, 0)


async def test_an_interrupted_replay_keeps_unacknowledged_outcomes(tmp_path: Path) -> None:
    refused = RefusedOutcomes(tmp_path)
    payloads = [b"%d" % number for number in range(1_200)]
    refused.add(payloads)
    with pytest.raises(ConnectionError):
        await replay(refused, Keys(failing=b"700"))
    assert refused.read() == payloads[500:]
