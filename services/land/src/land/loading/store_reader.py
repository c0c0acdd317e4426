"""Reads the store for one request."""

from contextlib import ExitStack

from land.addresses.cache import AddressCache, AddressSnapshot
from land.store.cached_reads import ReadCache, Reads
from land.store.snapshot import Snapshot, Store, snapshot


class StoreReader(ExitStack):
    """A snapshot of the store, opened when something is read, and released before something is waited for. An error of
    the database becomes StoreUnavailable at the end.
    """

    def __init__(self, engine: Store, addresses: AddressCache, reads: ReadCache, *, may_wait: bool) -> None:
        super().__init__()
        self.may_wait = may_wait
        """Whether the request waits for loads. If not, DataNotLoaded is raised instead."""
        self._engine = engine
        self._addresses = addresses
        self._reads = reads
        self._view: AddressSnapshot | None = None

    @property
    def view(self) -> AddressSnapshot:
        if self._view is None:
            self._view = self._addresses.at(self.enter_context(snapshot(self._engine)))
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
        self.close()
