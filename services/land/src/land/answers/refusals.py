"""Refusals of a request: malformed or contradictory input, an address without an answer or without a parcel."""

from collections.abc import Mapping, Sequence

from land.addresses.missing_place import Reason
from land.addresses.model import Scope
from land.addresses.resolver import AddressMatch
from land.answers.texts import REFUSALS, AnswerWarning, fill, join, quote, warning
from land.datasets.parcels import ids as parcels
from land.errors import AddressNotFound, CommuneNeeded, PlaceMissing
from servicekit.errors import InvalidPayload, Violation
from servicekit.languages import Text

MAX_PARCEL_IDS = 100
_MISSING_PLACES: Mapping[Reason, type[AddressNotFound]] = {
    "place_missing": PlaceMissing,
    "commune_needed": CommuneNeeded,
}


def not_found(
    missing_place: Reason | None, warnings: Sequence[AnswerWarning], pointer: str, scope: Scope
) -> AddressNotFound:
    """The error for a query without an answer. It says which place the query does not name, else what was not searched.
    `pointer` is the JSON pointer of the query. A test key does not know the communes that have a département's name.
    """
    if missing_place is None or (scope == "demo" and missing_place == "commune_needed"):
        known = [REFUSALS["demo_only"]] if scope == "demo" else []
        return AddressNotFound(join([REFUSALS["address_not_found"], *known, *(warning.detail for warning in warnings)]))
    detail = REFUSALS[missing_place]
    return _MISSING_PLACES[missing_place](detail, violations=[Violation(f"{pointer}/city", "required", detail)])


def contradictions(match: AddressMatch) -> list[AnswerWarning]:
    """The warning that names the fields of the query that contradict each other."""
    return [warning("contradictory_fields", fields=quote(match.contradictory))] if match.contradictory else []


def no_parcel(match: AddressMatch, warnings: Sequence[AnswerWarning]) -> Text:
    """Why an address has no parcel."""
    if match.point is None and match.parcels is None:
        warnings = [*warnings, warning("house_number_needed")]
    return join(dict.fromkeys(warning.detail for warning in warnings)) if warnings else REFUSALS["no_parcel"]


def parse_ids(texts: Sequence[str]) -> list[str]:
    """Returns the parcel ids in upper case, each once. Raises InvalidPayload with a pointer to each malformed one."""
    if len(texts) > MAX_PARCEL_IDS:
        raise invalid("/parcel_ids", "too_many", fill(REFUSALS["too_many_parcels"], limit=MAX_PARCEL_IDS))
    parcel_ids = [parcels.parse(text) for text in texts]
    violations = [
        Violation(f"/parcel_ids/{index}", "malformed_parcel_id", REFUSALS["malformed_parcel_id"])
        for index, parcel_id in enumerate(parcel_ids)
        if parcel_id is None
    ]
    if violations:
        raise InvalidPayload(REFUSALS["malformed_parcel_id"], violations=violations)
    return list(dict.fromkeys(map(str, parcel_ids)))


def invalid(pointer: str, code: str, detail: Text) -> InvalidPayload:
    return InvalidPayload(detail, violations=[Violation(pointer, code, detail)])
