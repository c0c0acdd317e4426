"""Slots and a queue that several owners share."""

from land.loading.fair_queue import FairQueue, FairSlots


def started(queue: FairQueue[str]) -> list[str]:
    """The items that may start now."""
    items = []
    while taken := queue.take():
        items.append(taken[1])
    return items


def test_one_owner_takes_all_slots_but_the_last() -> None:
    slots = FairSlots(3)
    assert [slots.take("a") for _ in range(3)] == [True, True, False]
    assert [slots.take("b") for _ in range(2)] == [True, False]
    slots.release("a")
    assert not slots.take("a"), "the last slot is reserved for an owner that holds none"
    assert slots.take("c")


def test_a_single_slot_serves_each_owner() -> None:
    slots = FairSlots(1)
    assert slots.take("a")
    assert not slots.take("b")
    slots.release("a")
    assert slots.take("b")


def test_without_slots_no_owner_takes_one() -> None:
    assert not FairSlots(0).take("a")


def test_owners_take_turns_even_if_one_has_more_items() -> None:
    queue: FairQueue[str] = FairQueue(slots=8, max_per_owner=100, max_waiting=100)
    for number in range(4):
        assert queue.add("a", f"a{number}")
    assert queue.add("b", "b0")
    assert queue.add("c", "c0")
    assert started(queue) == ["a0", "b0", "c0", "a1", "a2", "a3"]


def test_the_last_slot_is_free_for_another_owners_first_item() -> None:
    queue: FairQueue[str] = FairQueue(slots=3, max_per_owner=100, max_waiting=100)
    for number in range(9):
        queue.add("a", f"a{number}")
    assert started(queue) == ["a0", "a1"]
    queue.add("b", "b0")
    assert started(queue) == ["b0"]
    queue.release("b")
    assert started(queue) == []
    queue.release("a")
    assert started(queue) == ["a2"]


def test_an_item_of_two_owners_starts_in_the_turn_of_the_first() -> None:
    queue: FairQueue[str] = FairQueue(slots=8, max_per_owner=100, max_waiting=100)
    for item in ("a0", "a1", "a2", "shared"):
        queue.add("a", item)
    queue.add("b", "shared")
    assert started(queue) == ["a0", "shared", "a1", "a2"]


def test_waiting_and_running_items_of_an_owner_are_limited() -> None:
    queue: FairQueue[str] = FairQueue(slots=3, max_per_owner=2, max_waiting=100, unlimited={"own"})
    assert [queue.add("a", item) for item in ("a0", "a0", "a1", "a2")] == [True, True, True, False]
    assert queue.add("b", "b0")
    assert all(queue.add("own", f"own{number}") for number in range(5))
    queue.take()
    assert not queue.add("a", "a2"), "one runs and one waits"
    queue.release("a")
    assert queue.add("a", "a2")


def test_all_waiting_items_are_limited_together() -> None:
    queue: FairQueue[str] = FairQueue(slots=1, max_per_owner=100, max_waiting=2, unlimited={"own"})
    assert [queue.add(owner, owner) for owner in ("a", "b", "c", "own")] == [True, True, False, False]
