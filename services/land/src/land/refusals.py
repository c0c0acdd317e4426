"""The errors of requests whose address or land does not exist, and the warning of contradictory requests."""

from collections.abc import Sequence

from land.addresses.missing_place import Reason
from land.addresses.resolver import AddressMatch
from land.errors import AddressNotFound, CommuneNeeded, ParcelNotFound, ParcelRetired, PlaceMissing
from land.messages import AnswerWarning, Language, quoted, text, warning
from land.units.assembly import Selected
from land.units.succession import RetiredParcel
from servicekit.errors import ServiceError, Violation

MAX_PARCEL_IDS = 100


def not_found(
    lacks: Reason | None, warnings: Sequence[AnswerWarning], within: str, language: Language
) -> AddressNotFound:
    """The error for a query without an answer. It says which place the query lacks, else what was not searched.
    `within` is the JSON pointer of the query.
    """
    if lacks is None:
        details = (text("address_not_found", language), *(each.detail for each in warnings))
        return AddressNotFound(" ".join(details))
    error = PlaceMissing if lacks == "place_missing" else CommuneNeeded
    detail = text(lacks, language)
    return error(detail, violations=[Violation(f"{within}/city", "required", detail)])


def contradictions(found: AddressMatch, language: Language) -> list[AnswerWarning]:
    """The warning that names the fields of the query that contradict each other."""
    if not found.contradictory:
        return []
    return [warning("contradictory_fields", language, fields=quoted(found.contradictory, language))]


def no_parcel(found: AddressMatch, warnings: Sequence[AnswerWarning], language: Language) -> str:
    """Why an address has no parcel."""
    if found.point is None:
        warnings = [*warnings, warning("house_number_needed", language)]
    return " ".join(dict.fromkeys(each.detail for each in warnings)) or text("no_parcel_at_address", language)


def none_exists(
    unknown: Sequence[str], retired: dict[str, RetiredParcel], selected: Selected, language: Language
) -> ServiceError:
    """The error if none of the selected parcels exists. It names those that did, with their successors."""
    if selected.unavailable is not None:
        return selected.unavailable
    if not retired:
        return ParcelNotFound(text("no_parcel_known", language))
    gone = [retired[parcel_id] for parcel_id in unknown if parcel_id in retired]
    detail = text("no_parcel_but_retired", language, parcels=", ".join(parcel.parcel_id for parcel in gone))
    following = list(dict.fromkeys(parcel_id for parcel in gone for parcel_id in parcel.successors))
    return ParcelRetired(detail, metadata={"successors": ",".join(following[:MAX_PARCEL_IDS])})
