"""The store of answers by idempotency key, on both databases."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assistant.store.answers import LIFETIME, AnswerStore, Claim, Refused, StoredAnswer
from assistant.store.runs import RunStore

NOW = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC)
LEASE = timedelta(seconds=30)
REQUEST, OTHER_REQUEST = b"r" * 32, b"o" * 32
CLAIM = Claim("key-1", b"i" * 32, b"c" * 16)
RETRY = replace(CLAIM, claim_id=b"d" * 16)
ANSWER = StoredAnswer(b"\x00content", b"outcome")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.docker)])
def open_store(request: pytest.FixtureRequest) -> Iterator[Callable[..., AnswerStore]]:
    """Opens stores of one database, as several replicas do."""
    opened: list[RunStore] = []

    def open_one(**options: int) -> AnswerStore:
        opened.append(RunStore(request.getfixturevalue(f"{request.param}_url")))
        opened[-1].migrate()
        return AnswerStore(opened[-1].engine, **options)

    open_one().purge(datetime.max.replace(tzinfo=UTC))
    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[..., AnswerStore]) -> AnswerStore:
    return open_store()


def test_the_first_run_claims_the_key_and_later_ones_get_its_answer(store: AnswerStore) -> None:
    assert store.claim(CLAIM, REQUEST, LEASE, NOW) is None
    assert store.claim(RETRY, REQUEST, LEASE, NOW) is Refused.RUNNING
    assert store.store(CLAIM, ANSWER, NOW)
    assert store.claim(RETRY, REQUEST, LEASE, NOW) == ANSWER
    assert store.claim(RETRY, REQUEST, LEASE, NOW + LIFETIME - timedelta(seconds=1)) == ANSWER


def test_a_repeated_call_gets_the_same_result(store: AnswerStore) -> None:
    assert store.claim(CLAIM, REQUEST, LEASE, NOW) is None
    assert store.claim(CLAIM, REQUEST, LEASE, NOW) is None
    assert store.store(CLAIM, ANSWER, NOW)
    assert store.store(CLAIM, ANSWER, NOW)
    store.release(RETRY)
    store.release(RETRY)
    assert store.claim(CLAIM, REQUEST, LEASE, NOW) == ANSWER


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_key_is_valid_for_one_request(store: AnswerStore, is_answered: bool) -> None:
    store.claim(CLAIM, REQUEST, LEASE, NOW)
    if is_answered:
        store.store(CLAIM, ANSWER, NOW)
    assert store.claim(RETRY, OTHER_REQUEST, LEASE, NOW) is Refused.MISMATCH


@pytest.mark.parametrize("other", [replace(RETRY, key_id="key-2"), replace(RETRY, idempotency_digest=b"j" * 32)])
def test_other_keys_do_not_share_answers(store: AnswerStore, other: Claim) -> None:
    store.claim(CLAIM, REQUEST, LEASE, NOW)
    store.store(CLAIM, ANSWER, NOW)
    assert store.claim(other, OTHER_REQUEST, LEASE, NOW) is None


def test_a_released_key_can_be_claimed_again(store: AnswerStore) -> None:
    store.claim(CLAIM, REQUEST, LEASE, NOW)
    store.release(CLAIM)
    assert store.claim(RETRY, OTHER_REQUEST, LEASE, NOW) is None


def test_a_release_deletes_the_answer_of_its_run_only(store: AnswerStore) -> None:
    store.claim(CLAIM, REQUEST, LEASE, NOW)
    store.store(CLAIM, ANSWER, NOW)
    store.release(RETRY)
    assert store.claim(RETRY, REQUEST, LEASE, NOW) == ANSWER
    store.release(CLAIM)
    assert not store.store(CLAIM, ANSWER, NOW)
    assert store.claim(RETRY, REQUEST, LEASE, NOW) is None


def test_a_crashed_run_loses_the_key_at_the_end_of_its_lease(store: AnswerStore) -> None:
    store.claim(CLAIM, REQUEST, LEASE, NOW)
    assert store.claim(RETRY, REQUEST, LEASE, NOW + LEASE - timedelta(milliseconds=1)) is Refused.RUNNING
    assert store.claim(RETRY, REQUEST, LEASE, NOW + LEASE) is None
    store.release(CLAIM)
    assert not store.store(CLAIM, StoredAnswer(b"late", b"late"), NOW + LEASE)
    assert store.store(RETRY, ANSWER, NOW + LEASE)
    assert store.claim(CLAIM, REQUEST, LEASE, NOW + LEASE) == ANSWER


def test_a_run_without_a_claim_stores_nothing(store: AnswerStore) -> None:
    assert not store.store(CLAIM, ANSWER, NOW)
    assert store.claim(RETRY, REQUEST, LEASE, NOW) is None


def test_an_expired_answer_is_replaced(store: AnswerStore) -> None:
    store.claim(CLAIM, REQUEST, LEASE, NOW)
    store.store(CLAIM, ANSWER, NOW)
    assert store.claim(RETRY, OTHER_REQUEST, LEASE, NOW + LIFETIME) is None
    assert store.claim(CLAIM, OTHER_REQUEST, LEASE, NOW + LIFETIME) is Refused.RUNNING


def test_the_answers_of_an_api_key_are_limited_in_size(open_store: Callable[..., AnswerStore]) -> None:
    store = open_store(max_bytes_per_key=20)
    claims = [replace(CLAIM, idempotency_digest=bytes([number]) * 32) for number in range(4)]
    for claim in claims:
        assert store.claim(claim, REQUEST, LEASE, NOW) is None
    answer = StoredAnswer(b"0123456789", b"outcome")
    assert [store.store(claim, answer, NOW) for claim in claims] == [True, True, False, False]
    assert store.store(claims[1], answer, NOW)
    other = replace(CLAIM, key_id="key-2")
    assert store.claim(other, REQUEST, LEASE, NOW) is None
    assert store.store(other, answer, NOW)
    later = NOW + LIFETIME
    assert store.claim(replace(claims[2], claim_id=b"e" * 16), REQUEST, LEASE, later) is None
    assert store.store(replace(claims[2], claim_id=b"e" * 16), answer, later)


def test_a_purge_deletes_expired_answers_and_claims(store: AnswerStore) -> None:
    answered, running = (replace(CLAIM, idempotency_digest=bytes([number]) * 32) for number in range(2))
    store.claim(answered, REQUEST, LEASE, NOW)
    store.store(answered, ANSWER, NOW)
    store.claim(running, REQUEST, LEASE, NOW)
    assert store.purge(NOW) == 0
    assert store.purge(NOW + LEASE) == 1
    assert store.purge(NOW + LIFETIME) == 1
    assert store.purge(NOW + LIFETIME) == 0


def test_erasing_api_keys_deletes_their_answers_and_claims(store: AnswerStore) -> None:
    for key_id in ("key-1", "key-2", "key-3"):
        store.claim(replace(CLAIM, key_id=key_id), REQUEST, LEASE, NOW)
    store.store(CLAIM, ANSWER, NOW)
    assert store.erase(["key-1", "key-2", "unknown"]) == 2
    assert store.claim(RETRY, OTHER_REQUEST, LEASE, NOW) is None
    assert store.claim(replace(RETRY, key_id="key-3"), REQUEST, LEASE, NOW) is Refused.RUNNING


@pytest.mark.parametrize("is_expired", [False, True], ids=["new key", "expired key"])
def test_of_concurrent_runs_on_several_replicas_one_gets_the_claim(
    open_store: Callable[..., AnswerStore], is_expired: bool
) -> None:
    replicas = [open_store() for _ in range(3)]
    rounds, clients = 10, 6
    claims = [[Claim("key-1", bytes([r]) * 32, bytes([r, c]) * 8) for c in range(clients)] for r in range(rounds)]
    if is_expired:
        for in_round in claims:
            replicas[0].claim(replace(in_round[0], claim_id=b"x" * 16), REQUEST, LEASE, NOW - LEASE)
    together = threading.Barrier(clients)

    def run(number: int) -> list[object]:
        results: list[object] = []
        for in_round in claims:
            together.wait()
            results.append(replicas[number % 3].claim(in_round[number], REQUEST, LEASE, NOW))
        return results

    with ThreadPoolExecutor(clients) as pool:
        results = list(pool.map(run, range(clients)))
    for of_round in zip(*results, strict=True):
        assert sorted(map(str, of_round)) == ["None"] + [str(Refused.RUNNING)] * (clients - 1)
