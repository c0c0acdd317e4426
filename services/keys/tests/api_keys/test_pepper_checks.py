"""Wrong peppers stop the service, and new ones do not. On SQLite and PostgreSQL."""

import secrets

import pytest
from admin_access import AdminAccess
from keys_world import World

from keys.store import pepper_checks, second_factors
from keys.store.second_factors import SecondFactor
from keys.values.errors import WrongPeppers
from keys.values.hashing import Peppers

OLD, NEW = secrets.token_bytes(32), secrets.token_bytes(32)


def check(world: World, by_version: dict[int, bytes]) -> None:
    with world.database.writing() as connection:
        pepper_checks.check(connection, Peppers(by_version))


def test_an_empty_database_accepts_any_peppers_and_then_only_these(world: World) -> None:
    check(world, {1: OLD})
    check(world, {1: OLD})
    with pytest.raises(WrongPeppers, match="version 1 is not the one"):
        check(world, {1: NEW})
    check(world, {1: OLD, 2: NEW})
    with pytest.raises(WrongPeppers, match="version 2 is not the one"):
        check(world, {1: OLD, 2: OLD})


def test_a_pepper_version_of_issued_keys_must_be_present(world: World) -> None:
    world.peppers = Peppers({1: OLD})
    issued = world.key()
    with pytest.raises(WrongPeppers, match="version 1 are missing"):
        check(world, {2: NEW})
    check(world, {1: OLD, 2: NEW})
    world.revoke(issued.record.id)
    check(world, {2: NEW})


def test_a_pepper_version_of_a_second_factor_must_be_present(access: AdminAccess) -> None:
    owner = access.admin_of(access.owner())
    with access.world.database.writing() as connection:
        second_factors.begin(connection, SecondFactor(owner.id, 7, b"salt", is_confirmed=False))
    with pytest.raises(WrongPeppers, match="version 7 are missing"):
        check(access.world, {1: OLD})


def test_the_message_and_the_database_contain_no_pepper(world: World) -> None:
    check(world, {1: OLD})
    with pytest.raises(WrongPeppers) as caught:
        check(world, {1: NEW})
    for pepper in (OLD, NEW):
        assert pepper.hex() not in str(caught.value)
        assert pepper.decode("latin-1") not in world.dump()
