"""Locks between processes of one store."""

import threading
from pathlib import Path

from sqlalchemy import Engine, create_engine

from land.store import locks


def never() -> bool:
    return False


def test_who_waits_for_a_lock_keeps_no_connection_and_gets_it_when_it_is_free(store: Engine, tmp_path: Path) -> None:
    small = create_engine(store.url, pool_size=2, max_overflow=0, pool_timeout=60)
    is_entered = threading.Event()

    def wait_for_it() -> None:
        with locks.held(small, "a name", tmp_path, never) as is_held:
            assert is_held
            is_entered.set()

    waiting = [threading.Thread(target=wait_for_it) for _ in range(3)]
    with locks.held(small, "a name", tmp_path, never) as is_held:
        assert is_held
        for thread in waiting:
            thread.start()
        for _ in range(20):
            with small.connect(), locks.held(store, "another name", tmp_path, never) as is_other_held:
                assert is_other_held
        assert not is_entered.is_set()
    for thread in waiting:
        thread.join(timeout=60)
    assert is_entered.is_set()
    small.dispose()


def test_a_lock_is_given_up_where_that_is_asked_and_let_go_when_its_block_fails(store: Engine, tmp_path: Path) -> None:
    with locks.held(store, "a name", tmp_path, never), locks.held(store, "a name", tmp_path, lambda: True) as is_held:
        assert not is_held
    try:
        with locks.held(store, "a name", tmp_path, never):
            raise LookupError
    except LookupError:
        pass
    with locks.held(store, "a name", tmp_path, lambda: True) as is_held:
        assert is_held
