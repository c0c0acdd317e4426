"""Answers which house number is nearest to a point."""

from typing import Protocol

from land import registry
from land.addresses.cache import AddressSnapshot
from land.addresses.labels import numbered_address
from land.addresses.model import Scope
from land.addresses.place_index import Point
from land.addresses.reverse import LIMIT_M, ReversedAddress, nearest_address, parcels_containing
from land.answer_warnings import AnswerWarning, warning
from land.errors import AddressNotFound
from land.loading.prefetch import Caller, Prefetch
from land.partitions import DEMO_DEPARTMENT
from land.provenance import sources_of
from land.store.snapshot import Snapshot
from land.texts import fill
from servicekit.languages import Text

_NO_ADDRESS_NEAR = Text(
    "Aucun numéro connu n’est à moins de {limit_m} m de ce point.",
    "No known house number is within {limit_m} m of this point.",
)


class Session(Caller, Protocol):
    @property
    def view(self) -> AddressSnapshot: ...

    @property
    def snapshot(self) -> Snapshot: ...


def reverse(point: Point, scope: Scope, session: Session, prefetch: Prefetch | None) -> ReversedAddress:
    """The nearest house number, and the parcels that contain the point. Loads missing data with `prefetch`. Raises
    AddressNotFound, CommuneLoading and SourceUnavailable.
    """

    def may_answer(commune: str) -> bool:
        return scope == "all" or commune.startswith(DEMO_DEPARTMENT)

    found = nearest_address(session.snapshot, point, may_answer)
    if found is None and prefetch is not None and prefetch.addresses_near(point, session):
        found = nearest_address(session.snapshot, point, may_answer)
    if found is None:
        raise AddressNotFound(fill(_NO_ADDRESS_NEAR, limit_m=LIMIT_M))
    near, distance_m = found
    address = numbered_address(near)
    warnings: list[AnswerWarning] = [] if prefetch is None else prefetch.plan(address, session)
    loaded = session.view.loads_of(near.commune_code)
    parcels = parcels_containing(session.snapshot, point, may_answer)
    if not (parcels or warnings or any(load.dataset == registry.PARCELS.id for load in loaded)):
        warnings = [warning("cadastre_not_covered", commune=near.commune_code)]
    return ReversedAddress(address, distance_m, parcels, tuple(sources_of(loaded)), tuple(warnings))
