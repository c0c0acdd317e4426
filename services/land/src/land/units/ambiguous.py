"""The warning about a sale whose identical rows in DVF may be one thing or several."""

from collections.abc import Sequence

from land.messages import AnswerWarning, Language, text, warning

Reading = tuple[str, float | None, float | None]
"""A figure (`reading_…` in the messages), with identical rows counted once, and with each of them counted."""


def units_ambiguous(
    id_mutation: str, parcel_ids: Sequence[str], readings: Sequence[Reading], block: str, language: Language
) -> AnswerWarning | None:
    """The warning, with each figure that differs between the readings; None if none differs."""
    differing = [
        text(f"reading_{name}", language, once=once, each=each)
        for name, once, each in readings
        if once is not None and each is not None and once != each
    ]
    if not differing:
        return None
    return warning(
        "dvf_units_ambiguous",
        language,
        block,
        id_mutation=id_mutation,
        parcels=", ".join(parcel_ids),
        readings=", ".join(differing),
    )
