"""Which partners have a usable key: the watches and endpoints of all others end."""

from datetime import timedelta

import pytest
from keys_world import World
from sqlalchemy import update

from keys.store.key_records import with_usable_keys
from keys.store.tables import partners
from keys.upkeep import erasure
from keys.values.secret import KeyMode


def usable_modes(world: World, partner_id: str) -> set[str]:
    with world.database.reading() as connection:
        modes = with_usable_keys(connection, [partner_id, "unknown"], world.clock())
    return {mode for _, mode in modes}


@pytest.mark.parametrize("cause", ["revoked", "expired", "disabled", "erased"])
def test_a_partner_has_no_usable_key_once_its_last_one_ends(world: World, cause: str) -> None:
    world.key(partner="Other")
    first, last = world.key(), world.key(expires_at=world.clock() + timedelta(days=10))
    partner_id = first.record.partner.id
    world.revoke(first.record.id)
    assert usable_modes(world, partner_id) == {KeyMode.LIVE}  # another one is usable
    with world.change() as change:
        if cause == "disabled":
            is_partner = partners.c.id == partner_id
            change.connection.execute(update(partners).where(is_partner).values(is_active=False))
        elif cause == "erased":
            erasure.erase_partner(change, partner_id)
    if cause == "revoked":
        world.revoke(last.record.id)
    elif cause == "expired":
        world.clock.advance(days=11)
    assert usable_modes(world, partner_id) == set()


def test_a_test_key_keeps_nothing_of_live_keys(world: World) -> None:
    live, _ = world.key(), world.key(mode=KeyMode.TEST)
    world.revoke(live.record.id)
    assert usable_modes(world, live.record.partner.id) == {KeyMode.TEST}
