"""Refusals of a request: malformed or contradictory input, an address without an answer or without a parcel."""

from collections.abc import Mapping, Sequence

from land.addresses.missing_place import Reason
from land.addresses.resolver import AddressMatch
from land.answers.texts import fill, join, quote
from land.answers.warnings import AnswerWarning, warning
from land.datasets.parcels import ids as parcels
from land.errors import AddressNotFound, CommuneNeeded, PlaceMissing
from servicekit.errors import InvalidPayload, Violation
from servicekit.languages import Text

MAX_PARCEL_IDS = 100
EMPTY_ADDRESS = Text(
    "L’adresse est vide : donnez label, ou certains des champs.",
    "The address is empty: give a label, or some of the fields.",
)
NOTHING_SELECTED = Text(
    "Rien ne désigne de terrain : donnez parcel_ids ou une adresse.",
    "Nothing selects land: give parcel_ids or an address.",
)
NO_ADDRESS_NEAR = Text(
    "Aucun numéro connu n’est à moins de {limit_m} m de ce point.",
    "No known house number is within {limit_m} m of this point.",
)
_ADDRESS_NOT_FOUND = Text(
    "Aucune adresse ne correspond.",
    "No address matches.",
)
_MISSING_PLACES: Mapping[Reason, tuple[type[AddressNotFound], Text]] = {
    "place_missing": (
        PlaceMissing,
        Text(
            "Aucune commune n’est reconnue dans la demande : ajoutez le code postal, le nom de la "
            "commune ou son code INSEE.",
            "No commune is recognized in the request: add the postcode, the name of the commune or its INSEE code.",
        ),
    ),
    "commune_needed": (
        CommuneNeeded,
        Text(
            "La demande ne nomme qu’un département ou une région : ajoutez la commune, son code postal ou "
            "son code INSEE.",
            "The request names only a département or a region: add the commune, its postcode or its INSEE code.",
        ),
    ),
}
_NO_PARCEL = Text(
    "L’adresse ne mène à aucune parcelle.",
    "The address leads to no parcel.",
)
_TOO_MANY_PARCELS = Text(
    "Une demande désigne au plus {limit} parcelles.",
    "A request names at most {limit} parcels.",
)
MALFORMED_PARCEL_ID = Text(
    "Un identifiant de parcelle compte 14 caractères, comme 75118000AB0012.",
    "A parcel id has 14 characters, like 75118000AB0012.",
)


def not_found(missing_place: Reason | None, warnings: Sequence[AnswerWarning], pointer: str) -> AddressNotFound:
    """The error for a query without an answer. It says which place the query does not name, else what was not searched.
    `pointer` is the JSON pointer of the query.
    """
    if missing_place is None:
        return AddressNotFound(join([_ADDRESS_NOT_FOUND, *(warning.detail for warning in warnings)]))
    error, detail = _MISSING_PLACES[missing_place]
    return error(detail, violations=[Violation(f"{pointer}/city", "required", detail)])


def contradictions(match: AddressMatch) -> list[AnswerWarning]:
    """The warning that names the fields of the query that contradict each other."""
    return [warning("contradictory_fields", fields=quote(match.contradictory))] if match.contradictory else []


def no_parcel(match: AddressMatch, warnings: Sequence[AnswerWarning]) -> Text:
    """Why an address has no parcel."""
    if match.point is None and match.parcels is None:
        warnings = [*warnings, warning("house_number_needed")]
    return join(dict.fromkeys(warning.detail for warning in warnings)) if warnings else _NO_PARCEL


def parse_ids(texts: Sequence[str]) -> list[str]:
    """Returns the parcel ids in upper case, each once. Raises InvalidPayload with a pointer to each malformed one."""
    if len(texts) > MAX_PARCEL_IDS:
        raise invalid("/parcel_ids", "too_many", fill(_TOO_MANY_PARCELS, limit=MAX_PARCEL_IDS))
    parcel_ids = [parcels.parse(text) for text in texts]
    violations = [
        Violation(f"/parcel_ids/{index}", "malformed_parcel_id", MALFORMED_PARCEL_ID)
        for index, parcel_id in enumerate(parcel_ids)
        if parcel_id is None
    ]
    if violations:
        raise InvalidPayload(MALFORMED_PARCEL_ID, violations=violations)
    return list(dict.fromkeys(map(str, parcel_ids)))


def invalid(pointer: str, code: str, detail: Text) -> InvalidPayload:
    return InvalidPayload(detail, violations=[Violation(pointer, code, detail)])
