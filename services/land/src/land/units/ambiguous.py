"""The warning about a sale whose identical rows in DVF may be one thing or several."""

from collections.abc import Mapping, Sequence
from typing import Literal

from land.answers.texts import fill, join
from land.answers.warnings import AnswerWarning, warning
from servicekit.languages import Text

Reading = tuple[Literal["units", "built", "rooms", "land"], float | None, float | None]
"""A figure with identical rows counted once, and with each of them counted."""
_READINGS: Mapping[str, Text] = {
    "units": Text("{once} ou {each} locaux", "{once} or {each} units"),
    "built": Text("{once} ou {each} m² bâtis", "{once} or {each} m² built"),
    "rooms": Text("{once} ou {each} pièces principales", "{once} or {each} main rooms"),
    "land": Text("{once} ou {each} m² de terrain", "{once} or {each} m² of land"),
}


def units_ambiguous(
    id_mutation: str, parcel_ids: Sequence[str], readings: Sequence[Reading], block: str
) -> AnswerWarning | None:
    """The warning, with each figure that differs between the readings; None if none differs."""
    differing = [
        fill(_READINGS[name], once=once, each=each_counted)
        for name, once, each_counted in readings
        if once is not None and each_counted is not None and once != each_counted
    ]
    if not differing:
        return None
    return warning(
        "dvf_units_ambiguous",
        block,
        id_mutation=id_mutation,
        parcels=", ".join(parcel_ids),
        readings=join(differing, ", "),
    )
