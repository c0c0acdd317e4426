import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes import wait_until
from prometheus_client import REGISTRY

from edge.metering import shipper as shipping
from edge.metering.refused import RefusedOutcomes
from edge.metering.shipper import Shipper
from edge.metering.spool import SEGMENT_BYTES, Spool

LIMIT = 4 * SEGMENT_BYTES
INTERVAL_S = 0.02


class Receiver:
    """Counts each payload once, like keys."""

    def __init__(self) -> None:
        self.counted: set[bytes] = set()
        self.sent = 0
        self.calls = 0
        self.delay_s = 0.0
        self.is_down = False
        self.refused: frozenset[bytes] = frozenset()
        self.lost_acknowledgements = 0
        self.refused_calls = 0
        """The number of calls from now on that refuse every payload."""

    async def __call__(self, payloads: Sequence[bytes]) -> Sequence[bytes]:
        if self.is_down:
            raise ConnectionError("down")
        self.sent += len(payloads)
        self.calls += 1
        await asyncio.sleep(self.delay_s)
        if self.refused_calls:
            self.refused_calls -= 1
            return payloads
        self.counted.update(payload for payload in payloads if payload not in self.refused)
        if self.lost_acknowledgements:
            self.lost_acknowledgements -= 1
            raise TimeoutError("the acknowledgement was lost")
        return [payload for payload in payloads if payload in self.refused]


def write(spool: Spool, shipper: Shipper, *payloads: bytes) -> None:
    for payload in payloads:
        spool.hold()
        spool.append(payload)
    shipper.notify()


async def test_outcomes_are_sent_and_deleted(tmp_path: Path) -> None:
    receiver, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    shipper = Shipper(spool, receiver, INTERVAL_S)
    shipper.start()
    write(spool, shipper, *(b"%d" % n for n in range(1200)))
    await wait_until(lambda: len(receiver.counted) == 1200)
    await shipper.stop()
    assert receiver.sent == 1200
    assert os.listdir(tmp_path) == []


async def test_outcomes_of_one_interval_are_one_call_even_if_others_arrive_meanwhile(tmp_path: Path) -> None:
    receiver, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    receiver.delay_s = 0.01
    shipper = Shipper(spool, receiver, interval_s=1.0)
    shipper.start()
    for number in range(100):
        write(spool, shipper, b"%d" % number)
        await asyncio.sleep(0.005)
    await wait_until(lambda: len(receiver.counted) == 100)
    await shipper.stop()
    assert receiver.sent == 100
    assert receiver.calls <= 10


async def test_the_metrics_tell_what_waits_and_for_how_long(tmp_path: Path) -> None:
    receiver, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    receiver.is_down = True
    shipper = Shipper(spool, receiver, INTERVAL_S)
    shipper.start()
    write(spool, shipper, b"1", b"2")

    def measured(name: str) -> float:
        shipper.sample()
        value = REGISTRY.get_sample_value(name)
        assert value is not None
        return value

    await wait_until(lambda: measured("edge_outcomes_delay_seconds") > 0)
    assert measured("edge_outcomes_waiting_bytes") > 2
    assert measured("edge_spool_bytes") == SEGMENT_BYTES
    assert measured("edge_spool_max_bytes") == LIMIT
    assert measured("edge_outcomes_set_aside_bytes") == 0
    receiver.is_down = False
    await wait_until(lambda: measured("edge_outcomes_delay_seconds") == 0)
    await wait_until(lambda: measured("edge_outcomes_waiting_bytes") == 0)
    await shipper.stop()


async def test_a_backlog_of_several_segments_is_sent(tmp_path: Path) -> None:
    receiver, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    shipper = Shipper(spool, receiver, INTERVAL_S)
    payloads = [b"%d" % number + b"x" * 900 for number in range(2500)]
    write(spool, shipper, *payloads)
    assert spool.segment_count() > 2
    shipper.start()
    await wait_until(lambda: len(receiver.counted) == len(payloads))
    await shipper.stop()
    assert receiver.sent == len(payloads)


async def test_outcomes_wait_while_keys_is_down(tmp_path: Path) -> None:
    receiver, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    shipper = Shipper(spool, receiver, INTERVAL_S)
    shipper.start()
    receiver.is_down = True
    write(spool, shipper, b"a", b"b")
    await asyncio.sleep(0.2)
    receiver.is_down = False
    await wait_until(lambda: receiver.counted == {b"a", b"b"})
    await shipper.stop()


async def test_a_lost_acknowledgement_causes_a_retry(tmp_path: Path) -> None:
    receiver, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    receiver.lost_acknowledgements = 1
    shipper = Shipper(spool, receiver, INTERVAL_S)
    shipper.start()
    write(spool, shipper, b"a")
    await wait_until(lambda: receiver.sent == 2)
    await shipper.stop()
    assert receiver.counted == {b"a"}


async def test_unsent_outcomes_are_adopted_by_the_next_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "FLUSH_TIMEOUT_S", 0.1)
    down, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    down.is_down = True
    first = Shipper(spool, down, INTERVAL_S)
    first.start()
    write(spool, first, b"a", b"b")
    await first.stop()
    receiver, heir = Receiver(), Spool.open(tmp_path, LIMIT)
    second = Shipper(heir, receiver, INTERVAL_S)
    second.start()
    await wait_until(lambda: receiver.counted == {b"a", b"b"})
    await wait_until(lambda: os.listdir(tmp_path) == [heir.folder.name])
    await second.stop()


async def test_an_outcome_that_is_always_refused_does_not_block_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipping, "FIRST_BACKOFF_S", 0.001)
    receiver, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    receiver.refused = frozenset({b"poison"})
    shipper = Shipper(spool, receiver, INTERVAL_S)
    shipper.start()
    write(spool, shipper, b"a", b"poison", b"b")
    await wait_until((tmp_path / "refused.frames").exists)
    write(spool, shipper, b"c")
    await wait_until(lambda: receiver.counted == {b"a", b"b", b"c"})
    await shipper.stop()


async def test_nothing_is_set_aside_while_keys_fails_on_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipping, "FIRST_BACKOFF_S", 0.001)
    monkeypatch.setattr(shipping, "LAST_BACKOFF_S", 0.001)
    receiver, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    receiver.refused_calls = 4 * shipping.MAX_REFUSALS
    shipper = Shipper(spool, receiver, INTERVAL_S)
    shipper.start()
    write(spool, shipper, b"a", b"b")
    await wait_until(lambda: receiver.counted == {b"a", b"b"})
    await shipper.stop()
    assert RefusedOutcomes(tmp_path).read() == []


async def test_a_single_refused_outcome_is_set_aside_after_max_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipping, "FIRST_BACKOFF_S", 0.001)
    monkeypatch.setattr(shipping, "LAST_BACKOFF_S", 0.001)
    receiver, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    receiver.refused = frozenset({b"poison"})
    shipper = Shipper(spool, receiver, INTERVAL_S)
    shipper.start()
    write(spool, shipper, b"poison")
    await wait_until(lambda: RefusedOutcomes(tmp_path).read() == [b"poison"])
    assert receiver.sent == shipping.MAX_FAILURES
    await shipper.stop()


async def test_outcomes_stay_in_the_spool_if_they_cannot_be_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipping, "FIRST_BACKOFF_S", 0.001)
    monkeypatch.setattr(shipping, "LAST_BACKOFF_S", 0.001)
    receiver, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    receiver.refused = frozenset({b"poison"})
    shipper = Shipper(spool, receiver, INTERVAL_S)
    shipper._refused = RefusedOutcomes(tmp_path, max_bytes=1)
    shipper.start()
    write(spool, shipper, b"a", b"poison")
    await wait_until(lambda: receiver.sent > 4 * shipping.MAX_REFUSALS)
    assert RefusedOutcomes(tmp_path).read() == []
    receiver.refused = frozenset()
    await wait_until(lambda: receiver.counted == {b"a", b"poison"})
    await shipper.stop()


async def test_shipping_continues_after_a_temporary_disk_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "LAST_BACKOFF_S", 0.05)
    receiver, spool = Receiver(), Spool.open(tmp_path, LIMIT)
    shipper = Shipper(spool, receiver, INTERVAL_S)
    shipper.start()
    read = os.pread

    def fail_once(*arguments: Any) -> bytes:
        monkeypatch.setattr(os, "pread", read)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "pread", fail_once)
    write(spool, shipper, b"a")
    await wait_until(lambda: os.pread is read)
    await asyncio.sleep(0.1)
    write(spool, shipper, b"b")
    await wait_until(lambda: receiver.counted == {b"a", b"b"})
    await shipper.stop()
