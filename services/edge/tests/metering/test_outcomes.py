import asyncio
import os
import sqlite3
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fakes import wait_until
from prometheus_client import REGISTRY

from edge.metering import outcomes, refused
from edge.metering.outcomes import OutcomeLog
from edge.metering.refused import Unsettled, replay
from edge.metering.spool import EXTENT_BYTES, SpoolFile, SpoolFull, lock
from landpartner.keys.v1.keys_pb2 import Outcome

LIMIT = 64 * EXTENT_BYTES
INTERVAL_S = 0.02


def id_of(payload: bytes) -> bytes:
    return Outcome.FromString(payload).event_id


class Keys:
    """Counts each outcome once."""

    def __init__(self) -> None:
        self.counted: set[bytes] = set()
        self.sent: list[bytes] = []
        self.calls = 0
        self.delay_s = 0.0
        self.is_down = False
        self.refused: frozenset[bytes] = frozenset()
        self.locked: frozenset[bytes] = frozenset()
        self.lost_acknowledgements = 0
        self.refused_calls = 0
        """The number of calls from now on that refuse every outcome."""
        self.holders: list[bytes] = []
        self.locked_releases = 0
        """The number of releases from now on that find a lease of a locked key."""

    async def send(self, payloads: Sequence[bytes]) -> Unsettled:
        if self.is_down:
            raise ConnectionError("down")
        ids = {id_of(payload): payload for payload in payloads}
        self.sent += ids
        self.calls += 1
        await asyncio.sleep(self.delay_s)
        if self.refused_calls:
            self.refused_calls -= 1
            return Unsettled(refused=payloads)
        self.counted.update(ids.keys() - self.refused - self.locked)
        if self.lost_acknowledgements:
            self.lost_acknowledgements -= 1
            raise TimeoutError("the acknowledgement was lost")
        return Unsettled(
            [ids[id_] for id_ in ids.keys() & self.refused], [ids[id_] for id_ in ids.keys() & self.locked]
        )

    def has_counted(self, id_: bytes) -> bool:
        return id_ in self.counted

    async def release(self, holder: bytes) -> bool:
        if self.is_down:
            raise ConnectionError("down")
        if self.locked_releases:
            self.locked_releases -= 1
            return False
        self.holders.append(holder)
        return True


@pytest.fixture
def keys() -> Keys:
    return Keys()


Start = Callable[..., OutcomeLog]


@pytest.fixture
async def start(keys: Keys, tmp_path: Path) -> AsyncIterator[Start]:
    started: list[OutcomeLog] = []

    def start_log(interval_s: float = INTERVAL_S) -> OutcomeLog:
        started.append(OutcomeLog(tmp_path, LIMIT, keys.send, keys.release, interval_s))
        started[-1].start()
        return started[-1]

    yield start_log
    for outcome_log in started:
        if (tmp_path / outcome_log.holder.hex()).exists():
            await outcome_log.stop()


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "FIRST_BACKOFF_S", 0.001)
    monkeypatch.setattr(outcomes, "LAST_BACKOFF_S", 0.001)
    monkeypatch.setattr(outcomes, "LAST_POSTPONEMENT_S", 0.001)
    monkeypatch.setattr(outcomes, "CLEAN_INTERVAL_S", 0.01)


def write(outcome_log: OutcomeLog, *ids: bytes) -> None:
    for id_ in ids:
        outcome_log.hold()
        outcome_log.record(Outcome(event_id=id_))


def set_aside(root: Path) -> list[bytes]:
    """The refused payloads; none while the log writes them."""
    if not refused.path_of(root).exists():
        return []
    try:
        lock_fd = lock(root / "refused.lock")
    except OSError:
        return []
    try:
        with closing(SpoolFile(refused.path_of(root))) as file:
            return list(file.read_next(10_000).values())
    finally:
        os.close(lock_fd)


def encoded(id_: bytes) -> bytes:
    return Outcome(event_id=id_).SerializeToString()


async def test_outcomes_are_sent_once_and_deleted(keys: Keys, start: Start, tmp_path: Path) -> None:
    outcome_log = start()
    write(outcome_log, *(b"%d" % n for n in range(1200)))
    await wait_until(lambda: len(keys.counted) == 1200)
    await outcome_log.stop()
    assert len(keys.sent) == 1200
    assert keys.holders == [outcome_log.holder]
    assert os.listdir(tmp_path) == []


async def test_outcomes_of_one_interval_are_one_call_even_if_others_arrive_meanwhile(keys: Keys, start: Start) -> None:
    keys.delay_s = 0.01
    outcome_log = start(interval_s=1.0)
    for number in range(100):
        write(outcome_log, b"%d" % number)
        await asyncio.sleep(0.005)
    await wait_until(lambda: len(keys.counted) == 100)
    assert len(keys.sent) == 100
    assert keys.calls <= 10


async def test_the_metrics_show_what_waits_and_for_how_long(keys: Keys, start: Start) -> None:
    keys.is_down = True
    outcome_log = start()
    write(outcome_log, b"1", b"2")

    def measured(name: str) -> float:
        outcome_log.sample()
        value = REGISTRY.get_sample_value(name)
        assert value is not None
        return value

    await wait_until(lambda: measured("edge_outcomes_delay_seconds") > 0)
    assert measured("edge_outcomes_waiting_bytes") == 2 * len(encoded(b"1"))
    assert measured("edge_spool_bytes") == EXTENT_BYTES
    assert measured("edge_spool_max_bytes") == LIMIT
    assert measured("edge_outcomes_set_aside_bytes") == 0
    keys.is_down = False
    await wait_until(lambda: measured("edge_outcomes_delay_seconds") == 0)
    await wait_until(lambda: measured("edge_outcomes_waiting_bytes") == 0)


async def test_outcomes_are_counted_while_the_files_are_cleaned(
    keys: Keys, start: Start, tmp_path: Path, fast: None
) -> None:
    outcome_log = start()
    keys.is_down = True
    for number in range(3_000):
        write(outcome_log, b"%d" % number)
        keys.is_down = number % 1_000 < 500
        await asyncio.sleep(0)
    keys.is_down = False
    await wait_until(lambda: len(keys.counted) == 3_000)
    await wait_until(lambda: outcome_log._spool.size < 4 * EXTENT_BYTES)
    await outcome_log.stop()
    assert os.listdir(tmp_path) == []


async def test_outcomes_wait_while_keys_is_down(keys: Keys, start: Start) -> None:
    outcome_log = start()
    keys.is_down = True
    write(outcome_log, b"a", b"b")
    await asyncio.sleep(0.2)
    keys.is_down = False
    await wait_until(lambda: keys.counted == {b"a", b"b"})


async def test_a_lost_acknowledgement_causes_a_retry(keys: Keys, start: Start) -> None:
    keys.lost_acknowledgements = 1
    write(start(), b"a")
    await wait_until(lambda: keys.sent == [b"a", b"a"])
    assert keys.counted == {b"a"}


async def test_postponed_outcomes_delay_no_others_and_are_never_set_aside(
    keys: Keys, start: Start, tmp_path: Path, fast: None
) -> None:
    keys.locked = frozenset(b"locked %d" % number for number in range(600))
    outcome_log = start()
    write(outcome_log, *keys.locked)
    await wait_until(lambda: keys.sent.count(b"locked 1") > outcomes.MAX_FAILURES)
    for number in range(3):
        write(outcome_log, b"%d" % number)
        calls = keys.calls
        await wait_until(partial(keys.has_counted, b"%d" % number))
        assert keys.calls - calls < 10
    locked, keys.locked = keys.locked, frozenset()
    await wait_until(lambda: keys.counted >= locked)
    assert set_aside(tmp_path) == []


async def test_the_outcomes_of_a_dead_process_are_sent_before_its_holder_is_released(
    keys: Keys, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "ADOPTION_INTERVAL_S", 0.05)
    code = "; ".join(
        (
            "import os, pathlib",
            "from edge.metering.spool import Spool",
            f"spool = Spool(pathlib.Path({str(tmp_path)!r}), 1 << 24)",
            "[(spool.hold(), spool.append(b'\\n\\x01' + b'%d' % number)) for number in range(3)]",
            "os.kill(os.getpid(), 9)",
        )
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    await process.wait()
    [dead] = os.listdir(tmp_path)
    keys.locked = frozenset({b"1"})
    outcome_log = start()
    await wait_until(lambda: keys.counted == {b"0", b"2"})
    await asyncio.sleep(0.1)
    assert (keys.holders, len(os.listdir(tmp_path))) == ([], 2)
    keys.locked = frozenset()
    await wait_until(lambda: keys.counted == {b"0", b"1", b"2"})
    await wait_until(lambda: os.listdir(tmp_path) == [outcome_log.holder.hex()])
    assert keys.holders == [bytes.fromhex(dead)]


async def test_a_folder_stays_until_its_holder_is_released(
    keys: Keys, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "ADOPTION_INTERVAL_S", 0.05)
    first = start()
    write(first, b"a")
    await wait_until(lambda: keys.counted == {b"a"})
    keys.is_down = True
    await first.stop()
    assert os.listdir(tmp_path) == [first.holder.hex()]
    second = start()
    await asyncio.sleep(0.2)
    keys.is_down = False
    await wait_until(lambda: keys.holders == [first.holder])
    await wait_until(lambda: os.listdir(tmp_path) == [second.holder.hex()])
    assert keys.sent == [b"a"]


async def test_a_holder_with_a_lease_of_a_locked_key_is_released_again(
    keys: Keys, start: Start, tmp_path: Path
) -> None:
    outcome_log = start()
    write(outcome_log, b"a")
    keys.locked_releases = 2
    await outcome_log.stop()
    assert (keys.locked_releases, keys.holders, os.listdir(tmp_path)) == (0, [outcome_log.holder], [])


async def test_a_cleaning_that_waits_when_the_process_stops_delays_no_outcome(
    keys: Keys, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fast: None
) -> None:
    """The thread that cleans is held up, so the cleaning has not begun when its task is cancelled."""
    outcome_log = start()
    may_go_on = threading.Event()
    outcome_log._cleaner.submit(may_go_on.wait)
    keys.locked = frozenset({b"b"})
    write(outcome_log, b"a", b"b")
    await wait_until(lambda: any(queue.file.is_busy for queue in outcome_log._queues))
    keys.locked = frozenset()
    write(outcome_log, b"c")
    asyncio.get_running_loop().call_later(0.1, may_go_on.set)
    await outcome_log.stop()
    assert keys.counted == {b"a", b"b", b"c"}
    assert os.listdir(tmp_path) == []


async def test_unsent_outcomes_are_adopted_by_the_next_process(
    keys: Keys, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "FLUSH_TIMEOUT_S", 0.1)
    keys.is_down = True
    first = start()
    write(first, b"a", b"b")
    await first.stop()
    keys.is_down = False
    second = start()
    await wait_until(lambda: keys.counted == {b"a", b"b"})
    await wait_until(lambda: os.listdir(tmp_path) == [second.holder.hex()])


async def test_an_outcome_that_is_always_refused_delays_no_others(
    keys: Keys, start: Start, tmp_path: Path, fast: None
) -> None:
    keys.refused = frozenset({b"poison"})
    outcome_log = start()
    write(outcome_log, b"a", b"poison", b"b")
    await wait_until(lambda: keys.counted == {b"a", b"b"})
    await wait_until(lambda: set_aside(tmp_path) == [encoded(b"poison")])
    assert keys.sent.count(b"poison") == outcomes.MAX_REFUSALS
    write(outcome_log, b"c")
    await wait_until(lambda: keys.counted == {b"a", b"b", b"c"})
    outcome_log.sample()
    size = REGISTRY.get_sample_value("edge_outcomes_set_aside_bytes")
    assert size is not None
    assert size > 0
    await outcome_log.stop()
    assert sorted(os.listdir(tmp_path)) == ["refused.lock", "refused.sqlite"]


async def test_nothing_is_set_aside_while_keys_fails_on_everything(
    keys: Keys, start: Start, tmp_path: Path, fast: None
) -> None:
    outcome_log = start()
    write(outcome_log, b"counted")
    await wait_until(lambda: keys.counted == {b"counted"})
    keys.refused_calls = 4 * outcomes.MAX_REFUSALS
    write(outcome_log, b"a", b"b")
    await wait_until(lambda: keys.counted == {b"counted", b"a", b"b"})
    assert keys.refused_calls == 0
    assert set_aside(tmp_path) == []


async def test_a_single_refused_outcome_is_set_aside_after_max_failures(
    keys: Keys, start: Start, tmp_path: Path, fast: None
) -> None:
    keys.refused = frozenset({b"poison"})
    write(start(), b"poison")
    await wait_until(lambda: set_aside(tmp_path) == [encoded(b"poison")])
    assert keys.sent == [b"poison"] * outcomes.MAX_FAILURES


async def test_outcomes_stay_in_the_spool_if_they_cannot_be_set_aside(
    keys: Keys, start: Start, tmp_path: Path, fast: None
) -> None:
    refused.path_of(tmp_path).mkdir()
    keys.refused = frozenset({b"poison"})
    write(start(), b"a", b"poison")
    await wait_until(lambda: keys.sent.count(b"poison") > 2 * outcomes.MAX_REFUSALS)
    keys.refused = frozenset()
    await wait_until(lambda: keys.counted == {b"a", b"poison"})
    refused.path_of(tmp_path).rmdir()


async def test_shipping_continues_after_a_temporary_disk_error(
    keys: Keys, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "LAST_BACKOFF_S", 0.05)
    outcome_log = start()
    read = SpoolFile.read_next

    def fail_once(*_: Any) -> dict[int, bytes]:
        monkeypatch.setattr(SpoolFile, "read_next", read)
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(SpoolFile, "read_next", fail_once)
    write(outcome_log, b"a")
    await wait_until(lambda: keys.counted == {b"a"})


async def test_the_event_loop_never_waits_for_the_disk(
    keys: Keys, start: Start, monkeypatch: pytest.MonkeyPatch, fast: None
) -> None:
    """A sync and a cleaning end only after the loop has gone on."""
    sync: Callable[[int], None] = os.fdatasync
    clean = SpoolFile.clean
    turned = threading.Event()
    waits: list[tuple[str, bool]] = []
    """What waited, and whether the loop went on meanwhile."""

    def wait_for_the_loop(name: str) -> None:
        turned.clear()
        waits.append((name, turned.wait(30)))

    def slow_sync(fd: int) -> None:
        wait_for_the_loop("sync")
        sync(fd)

    def slow_clean(file: SpoolFile) -> None:
        wait_for_the_loop("clean")
        clean(file)

    outcome_log = start()
    monkeypatch.setattr(os, "fdatasync", slow_sync)
    monkeypatch.setattr(SpoolFile, "clean", slow_clean)

    async def turn() -> None:
        while True:
            turned.set()
            await asyncio.sleep(0.001)

    turning = asyncio.create_task(turn())
    for number in range(300):
        write(outcome_log, b"%d" % number)
        await asyncio.sleep(0.001)
    await wait_until(lambda: len(keys.counted) == 300)
    await wait_until(lambda: {*waits} >= {("sync", True), ("clean", True)})
    assert all(is_turning for _, is_turning in waits)
    monkeypatch.undo()
    await asyncio.sleep(0.01)  # a sync that waits is told
    turning.cancel()


async def test_a_replay_removes_counted_outcomes_and_keeps_the_others(keys: Keys, tmp_path: Path) -> None:
    assert await replay(tmp_path, keys.send) == (0, 0)
    payloads = [encoded(id_) for id_ in (b"a", b"poison", b"locked", b"b")]
    refused.set_aside(tmp_path, payloads)
    keys.refused, keys.locked = frozenset({b"poison"}), frozenset({b"locked"})
    assert await replay(tmp_path, keys.send) == (2, 2)
    assert keys.counted == {b"a", b"b"}
    assert set_aside(tmp_path) == [encoded(b"poison"), encoded(b"locked")]
    keys.refused = keys.locked = frozenset()
    assert await replay(tmp_path, keys.send) == (2, 0)
    assert not refused.path_of(tmp_path).exists()
    assert await replay(tmp_path, keys.send) == (0, 0)


async def test_a_replay_sends_outcomes_alone_if_keys_refuses_the_batch(tmp_path: Path) -> None:
    refused.set_aside(tmp_path, [b"a", b"poison", b"b"])

    async def send(payloads: Sequence[bytes]) -> Unsettled:
        return Unsettled(refused=payloads if b"poison" in payloads else ())

    assert await replay(tmp_path, send) == (2, 1)


async def test_an_interrupted_replay_keeps_unacknowledged_outcomes(tmp_path: Path) -> None:
    payloads = [b"%d" % number for number in range(1_200)]
    refused.set_aside(tmp_path, payloads)

    async def send(payloads: Sequence[bytes]) -> Unsettled:
        if b"700" in payloads:
            raise ConnectionError("down")
        return Unsettled()

    with pytest.raises(ConnectionError):
        await replay(tmp_path, send)
    assert set_aside(tmp_path) == payloads[500:]


async def test_the_file_of_refused_outcomes_has_a_maximum_size(tmp_path: Path) -> None:
    refused.set_aside(tmp_path, [b"x" * 900] * 10, max_bytes=5_000)
    with pytest.raises(SpoolFull):
        refused.set_aside(tmp_path, [b"y"], max_bytes=5_000)


async def test_the_file_of_refused_outcomes_is_used_by_one_process_at_a_time(tmp_path: Path) -> None:
    refused.set_aside(tmp_path, [b"a"])

    async def send(_: Sequence[bytes]) -> Unsettled:
        with pytest.raises(BlockingIOError):
            refused.set_aside(tmp_path, [b"b"])
        return Unsettled()

    assert await replay(tmp_path, send) == (1, 0)
