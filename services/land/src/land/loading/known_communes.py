"""The register of communes as it is loaded now, and the gazetteer of all communes that follows from it."""

from threading import Lock

from sqlalchemy import Connection, Engine

from land.addresses.gazetteer import Gazetteer, make_commune
from land.addresses.meant import communes_meant
from land.addresses.model import AddressQuery
from land.communes import CommuneRegister
from land.store import communes
from land.store.snapshot import snapshot


class KnownCommunes:
    """Safe for threads. Read anew when one of the lists was loaded."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self._revision = -1
        self._register = CommuneRegister([], [], [])
        self._gazetteer: Gazetteer | None = None

    def current(self) -> CommuneRegister:
        """Raises StoreUnavailable."""
        with snapshot(self._engine) as connection:
            return self.seen_by(connection)

    def seen_by(self, connection: Connection) -> CommuneRegister:
        """The same over a connection that is open already; at least as new as what that sees."""
        revision = communes.revision(connection)
        with self._lock:
            if revision > self._revision:
                self._register = communes.register(connection)
                self._gazetteer = None
                self._revision = revision
            return self._register

    def meant(self, query: AddressQuery) -> tuple[str, ...]:
        """The present communes that a query speaks of."""
        register = self.current()
        return communes_meant(query, self._gazetteer_of(register), register.today)

    def prepare(self) -> None:
        """Makes what `meant` needs, about a second's work for the country, before somebody waits for it."""
        self._gazetteer_of(self.current())

    def _gazetteer_of(self, register: CommuneRegister) -> Gazetteer:
        with self._lock:
            if self._gazetteer is None or register is not self._register:
                self._gazetteer = _gazetteer_of(register)
            return self._gazetteer


def _gazetteer_of(register: CommuneRegister) -> Gazetteer:
    former = register.former_names()
    return Gazetteer(
        make_commune(code, name, register.postcodes(code), former.get(code, ()), *register.middle(code))
        for code, name in register.names.items()
        if code not in register.cities
    )
