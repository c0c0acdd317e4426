"""The keys that a partner sees and rotates itself, on both stores."""

from datetime import timedelta

import pytest
from keys_world import World

from contract.endpoints import COVERAGE, KEYS, RESOLVE
from contract.key_access import access_denial
from keys.api_keys import changes as key_changes
from keys.store.change import Transaction
from keys.values.errors import Conflict, NotFound
from keys.values.records import IssuedKey
from keys.values.secret import KeyMode


def seen(world: World, key_id: str) -> list[str]:
    with world.database.reading() as connection:
        return [key.id for key in key_changes.partner_keys(Transaction(connection, world.clock()), key_id)]


def rotate(world: World, asking: IssuedKey, api_key: str, rotated: IssuedKey) -> IssuedKey:
    with world.change() as change:
        ids = (asking.record.id, api_key, rotated.record.id)
        return key_changes.rotate_partner_key(change, world.peppers, *ids, timedelta(days=1))


def test_a_secret_in_grace_rotates_nothing(world: World) -> None:
    asking, sibling = world.key(), world.key()
    renewed = rotate(world, asking, asking.secret.text, asking)
    assert world.lease(asking.secret.text).code == "granted"
    for rotated in (asking, sibling):
        with pytest.raises(Conflict):
            rotate(world, asking, asking.secret.text, rotated)
    assert world.lease(renewed.secret.text).code == "granted"
    rotate(world, asking, renewed.secret.text, sibling)


def test_a_key_sees_and_rotates_those_of_its_partner_and_mode(world: World) -> None:
    asking, sibling = world.key(), world.key()
    test_key, stranger = world.key(mode=KeyMode.TEST), world.key(partner="Another")
    assert set(seen(world, asking.record.id)) == {asking.record.id, sibling.record.id}
    assert seen(world, test_key.record.id) == [test_key.record.id]
    rotated = rotate(world, asking, asking.secret.text, sibling)
    for hidden in (test_key, stranger):
        with pytest.raises(NotFound):
            rotate(world, asking, asking.secret.text, hidden)
    assert world.lease(sibling.secret.text).code == "granted"
    world.clock.advance(seconds=86_401)
    assert world.lease(sibling.secret.text).code == "invalid_key"
    assert world.lease(rotated.secret.text).code == "granted"


@pytest.mark.parametrize(
    ("endpoint", "scopes", "is_denied"),
    [
        (KEYS, (), True),
        (KEYS, (RESOLVE,), True),
        (KEYS, (KEYS,), False),
        (COVERAGE, (), False),
        (COVERAGE, (KEYS,), True),
    ],
)
def test_only_a_scope_that_names_keys_allows_them(endpoint: str, scopes: tuple[str, ...], is_denied: bool) -> None:
    denial = access_denial(endpoint, "192.0.2.1", scopes=scopes, networks=(), is_assistant_disabled=False)
    assert (denial is not None) is is_denied
