"""Lists of keys: filters, orders, and pages without gaps or repetitions."""

from datetime import timedelta

import pytest
from keys_world import World

from keys.store import key_pages
from keys.store.key_pages import KeyFilter, KeySort
from keys.store.paging import Order, PageRequest
from keys.values.records import KeyStatus

NEWEST, ALL = Order(KeySort.CREATED_AT), KeyFilter()


def labels(world: World, order: Order[KeySort] = NEWEST, key_filter: KeyFilter = ALL, page: int = 100) -> list[str]:
    """Returns the labels of all pages."""
    labels: list[str] = []
    after = None
    while True:
        with world.database.reading() as connection:
            records, after, total = key_pages.page(
                connection, key_filter, PageRequest(order, after, page), world.clock()
            )
        labels += [record.label for record in records]
        if after is None:
            assert total == len(labels)
            return labels


def test_keys_are_listed_newest_first(world: World) -> None:
    for label in ("first", "second", "third"):
        world.key(label=label)
        world.clock.advance(seconds=1)
    assert labels(world) == ["third", "second", "first"]
    assert labels(world, Order(KeySort.CREATED_AT, is_descending=False)) == ["first", "second", "third"]


@pytest.mark.parametrize("by", list(KeySort))
@pytest.mark.parametrize("is_descending", [False, True])
def test_pages_of_every_order_contain_each_key_once(world: World, by: KeySort, is_descending: bool) -> None:
    for number in range(7):
        issued = world.key(label=f"key {number % 3}", partner=f"Partner {number % 2}")
        world.clock.advance(seconds=number % 2)
        if number % 3:
            world.record([world.outcome(world.ask(issued.secret.text))])
    order = Order(by, is_descending)
    assert labels(world, order, page=2) == labels(world, order)
    assert len(labels(world, order)) == 7


def test_keys_are_sorted_by_the_requested_column(world: World) -> None:
    used = world.key(label="beta", partner="Zénith")
    world.clock.advance(seconds=1)
    world.key(label="Alpha", partner="cadastra")
    world.clock.advance(seconds=1)
    world.key(label="gamma", partner="Bornage")
    world.record([world.outcome(world.ask(used.secret.text))])
    assert labels(world, Order(KeySort.LABEL, False)) == ["Alpha", "beta", "gamma"]
    assert labels(world, Order(KeySort.PARTNER, False)) == ["gamma", "Alpha", "beta"]
    for by in (KeySort.LAST_USED_AT, KeySort.MONTH_UNITS):
        assert labels(world, Order(by))[0] == "beta"
        assert labels(world, Order(by, False))[-1] == "beta"


def test_keys_are_filtered(world: World) -> None:
    alpha = world.key(label="Alpha 100%", partner="Cadastra")
    beta = world.key(label="Beta", partner="Bornage & fils", expires_at=world.clock() + timedelta(days=1))
    gamma = world.key(label="Gamma", partner="Cadastra")
    world.revoke(gamma.record.id)
    world.clock.advance(days=1)
    assert labels(world, key_filter=KeyFilter(status=KeyStatus.ACTIVE)) == ["Alpha 100%"]
    assert labels(world, key_filter=KeyFilter(status=KeyStatus.EXPIRED)) == ["Beta"]
    assert labels(world, key_filter=KeyFilter(status=KeyStatus.REVOKED)) == ["Gamma"]
    assert sorted(labels(world, key_filter=KeyFilter(partner_id=alpha.record.partner.id))) == ["Alpha 100%", "Gamma"]
    assert labels(world, key_filter=KeyFilter(search="bornage")) == ["Beta"]
    assert labels(world, key_filter=KeyFilter(search="0%")) == ["Alpha 100%"]
    assert labels(world, key_filter=KeyFilter(search="%")) == ["Alpha 100%"]
    assert labels(world, key_filter=KeyFilter(search=beta.record.id)) == ["Beta"]
    assert labels(world, key_filter=KeyFilter(search="nothing")) == []
