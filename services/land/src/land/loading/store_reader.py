"""Reads the store for one request."""

from contextlib import ExitStack
from typing import Any, Self

from land.addresses.cache import AddressCache, AddressSnapshot
from land.store.cached_reads import ReadCache, Reads
from land.store.snapshot import Snapshot, Store, snapshot


class StoreReader:
    """A snapshot of the store, opened when something is read, and released before something is waited for."""

    def __init__(self, engine: Store, addresses: AddressCache, reads: ReadCache, *, may_wait: bool) -> None:
        self.may_wait = may_wait
        """Whether the request waits for loads. If not, DataNotLoaded is raised instead."""
        self._engine = engine
        self._addresses = addresses
        self._reads = reads
        self._stack = ExitStack()
        self._view: AddressSnapshot | None = None

    @property
    def view(self) -> AddressSnapshot:
        if self._view is None:
            self._view = self._addresses.at(self._stack.enter_context(snapshot(self._engine)))
        return self._view

    @property
    def snapshot(self) -> Snapshot:
        return self.view.snapshot

    @property
    def reads(self) -> Reads:
        return self._reads.at(self.snapshot, self.view.revisions)

    def release(self) -> None:
        """Gives the database connection back. Called before every wait."""
        self._view = None
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)  # an error of the database becomes StoreUnavailable
