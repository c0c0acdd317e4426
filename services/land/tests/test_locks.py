"""Locks between processes of one store."""

import threading

from sqlalchemy import Engine, create_engine

from servicekit import locks


def never() -> bool:
    return False


def test_who_waits_for_a_lock_keeps_no_connection_and_gets_it_when_it_is_free(store: Engine) -> None:
    small = create_engine(store.url, pool_size=2, max_overflow=0, pool_timeout=60)
    is_entered = threading.Event()

    def wait_for_it() -> None:
        with locks.held(small, "a name", never) as is_held:
            assert is_held
            is_entered.set()

    waiting = [threading.Thread(target=wait_for_it) for _ in range(3)]
    with locks.held(small, "a name", never) as is_held:
        assert is_held
        for thread in waiting:
            thread.start()
        for _ in range(20):
            with small.connect(), locks.held(store, "another name", never) as is_other_held:
                assert is_other_held
        assert not is_entered.is_set()
    for thread in waiting:
        thread.join(timeout=60)
    assert is_entered.is_set()
    small.dispose()


def test_a_lock_is_given_up_where_that_is_asked_and_let_go_when_its_block_fails(store: Engine) -> None:
    with locks.held(store, "a name", never), locks.held(store, "a name", lambda: True) as is_held:
        assert not is_held
    try:
        with locks.held(store, "a name", never):
            raise LookupError
    except LookupError:
        pass
    with locks.held(store, "a name", lambda: True) as is_held:
        assert is_held
