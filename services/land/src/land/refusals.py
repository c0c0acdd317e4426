"""What is wrong with a request: malformed or contradictory input, an address without an answer or a parcel."""

from collections.abc import Sequence

from land import parcels
from land.addresses.missing_place import Reason
from land.addresses.resolver import AddressMatch
from land.errors import AddressNotFound, CommuneNeeded, PlaceMissing
from land.messages import AnswerWarning, Language, quoted, text, warning
from servicekit.errors import InvalidPayload, Violation

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


def parsed_ids(given: Sequence[str], language: Language) -> list[str]:
    """In upper case, each once. Raises InvalidPayload with a pointer to each malformed one."""
    if len(given) > MAX_PARCEL_IDS:
        raise invalid("/parcel_ids", "too_many", "too_many_parcels", language, limit=MAX_PARCEL_IDS)
    parsed = [parcels.parse(each) for each in given]
    detail = text("parcel_id_malformed", language)
    violations = [
        Violation(f"/parcel_ids/{index}", "malformed_parcel_id", detail)
        for index, parcel_id in enumerate(parsed)
        if parcel_id is None
    ]
    if violations:
        raise InvalidPayload(detail, violations=violations)
    return list(dict.fromkeys(str(parcel_id) for parcel_id in parsed))


def invalid(pointer: str, code: str, text_code: str, language: Language, **values: object) -> InvalidPayload:
    detail = text(text_code, language, **values)
    return InvalidPayload(detail, violations=[Violation(pointer, code, detail)])
