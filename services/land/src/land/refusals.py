"""The errors of requests whose land does not exist."""

from collections.abc import Sequence

from land.addresses.resolver import AddressMatch
from land.errors import ParcelNotFound, ParcelRetired
from land.messages import AnswerWarning, Language, text, warning
from land.units.assembly import Selected
from land.units.succession import RetiredParcel
from servicekit.errors import ServiceError

MAX_PARCEL_IDS = 100


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
