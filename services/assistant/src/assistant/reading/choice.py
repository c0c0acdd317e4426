"""Chooses between the reading of the rules and that of a language model, and tells where they differ."""

from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from typing import Any

from assistant.project import Project, WishedLot
from assistant.reading.project import Reading
from assistant.reading.spans import Span, is_in

_TEXTS = ("keep_outs", "owners", "town_said", "shared_way_with")
"""Members whose words two readings may choose differently."""

_COMPLETED = (
    "has_separate_plots", "setback_m", "footprint_ratio", "height_m", "footprint_m2", "storey_count", "dwelling_count",
    "lot_width_m", "shared_way_m", "town_said",
)  # fmt: skip
"""Members that the rules add to what a model has read: each stands by itself in a text."""


def chosen(by_rules: Reading, asked: Sequence[Span], by_model: Reading) -> tuple[Reading, Reading]:
    """The reading that accounts for more words with a meaning, and the other one.

    If both account for as many, the model's counts. `asked` are the words of the questions that the rules have read.
    A model that reads no project leaves it to the rules: "do I need a permit to cut it in three?".
    """
    words = by_rules.content
    by_rules_count = sum(is_in(word, (*by_rules.counted, *asked)) for word in words)
    by_model_count = sum(is_in(word, by_model.counted) for word in words)
    has_none = by_model.project == Project() and not (by_model.questions or by_model.notes)
    if has_none or by_model_count < by_rules_count:
        return by_rules, by_model
    if by_model.project == Project():
        return replace(by_model, project=by_rules.project, words=by_rules.words), by_rules
    return _completed(by_model, by_rules), by_rules


def _completed(reading: Reading, other: Reading) -> Reading:
    """The reading with the members that only the other one tells."""
    names = [name for name in _COMPLETED if getattr(reading.project, name) is None and f"/{name}" in other.words]
    words = {f"/{name}": other.words[f"/{name}"] for name in names}
    spans = [span for places in words.values() for span in places]
    return replace(
        reading,
        project=replace(reading.project, **{name: getattr(other.project, name) for name in names}).consistent(),
        words={**words, **reading.words},
        unread=tuple(span for span in reading.unread if not is_in(span, spans)),
    )


def differences(kept: Project, other: Project, fixed: Collection[str] = ()) -> Project:
    """What the other reading tells otherwise than the one that is kept, in members that are not `fixed`."""
    lots = [_shape(lot) for lot in kept.lots]
    told = tuple(lot for lot in other.lots if _shape(lot) not in lots and (lot.size_m2 or lot.share_ratio))
    differing: dict[str, Any] = {"lots": told}
    for member in fields(Project):
        name, value, known = member.name, getattr(other, member.name), getattr(kept, member.name)
        is_same = value == known or (name in _TEXTS and known)
        if name == "lot_count":
            is_same = _lot_count(other) == _lot_count(kept)
        elif name == "keeps_house":
            is_same = is_same or any(lot.use == "house" for lot in kept.lots)
        if name not in ("lots", "facts") and value not in (None, ()) and not is_same:
            differing[name] = value
    return Project(**{name: value for name, value in differing.items() if name not in fixed})


def _shape(lot: WishedLot) -> WishedLot:
    """The lot without what a reading may leave to the rest of the text."""
    return replace(lot, use="house" if lot.use == "house" else None, position=None, holder=None)


def _lot_count(project: Project) -> int:
    has_plot = any(lot.use == "house" for lot in project.lots)
    return project.lot_count or sum(lot.count for lot in project.lots) + bool(project.keeps_house and not has_plot)
