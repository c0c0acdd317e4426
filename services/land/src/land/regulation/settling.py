"""Rules of a zone that meet: doubles, rules of a sector and of the whole zone, and figures that differ."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from land.regulation.quantities import MAX, MIN, RANGE
from land.regulation.rule import ALTERNATIVE, AS_EAVE, EXCEPTION, MAIN, Rule
from land.regulation.scopes import is_of_any_band
from land.regulation.sentence import QUALITATIVE, words
from land.regulation.states import HEIGHTS
from land.regulation.text import plain

_FLAT = ("height_flat_roof",)
_ALONE = (("setback_side",), ("setback_rear",), _FLAT)
_BESIDE = {MIN: (MAX, "on_limit_allowed", "on_limit_forbidden"), "on_limit_allowed": (MAX,)}
"""What a sector may add to a distance of the whole zone, which then still holds."""
_INSTEAD_OF_LIMIT = re.compile(r"en cas d|défaut|sinon|\bsoit\b|\bou\b|lorsqu|\bsi\b", re.IGNORECASE)


def settled(rules: Iterable[Rule], freed: set[str]) -> list[Rule]:
    """Returns the rules without doubles. A sector's own rule replaces the zone's; figures that differ become words.

    `freed` are the subjects of which the text says that they are not regulated in the sector.
    """
    unique: dict[tuple[object, ...], Rule] = {}
    for rule in rules:
        key = (
            rule.subjects,
            *_bounds(rule),
            rule.unit,
            rule.kind,
            tuple(rule.scope.get(name) for name in ("use", "road", "map", "band")),
            rule.condition,
            (rule.quote if rule.value is None else ""),
        )
        unique.setdefault(key, rule)
    kept = _of_sector(_narrowed(list(unique.values())), freed)
    eaves = {
        rule.value_max or rule.value
        for rule in kept
        if rule.subject == "height_eave" and rule.kind == MAIN and rule.value
    }
    kept = [
        replace(rule, value=min(eaves) + float(rule.formula.partition(" + ")[2] or 0), unit="m")
        if rule.formula.startswith(AS_EAVE) and len(eaves) == 1
        else rule
        for rule in kept
    ]
    figures = {figure for rule in kept for figure in _conflict_keys(rule)}
    several = {key for key, count in Counter(key for key, _ in figures).items() if count > 1}
    return [
        words(rule, note="the text gives several figures for it")
        if several & {key for key, _ in _conflict_keys(rule)}
        else rule
        for rule in kept
    ]


def _of_sector(rules: Sequence[Rule], freed: set[str]) -> list[Rule]:
    """Returns the rules without those of the whole zone that the sector replaces by a figure, or by saying "none".

    Where the sector's words were not read, the zone's figure becomes words too.
    """
    own = [rule for rule in rules if _is_of_sector(rule)]
    roads, kept = {rule.scope.get("road", "") for rule in own if rule.subject == "setback_road"}, list[Rule]()
    for rule in rules:
        # What the sector says of the land beyond a band leaves the rule in the band, and the other way round.
        near = [
            one
            for one in own
            if "band" not in rule.scope
            or _is_beyond(one) == _is_beyond(rule)
            or ("band" not in one.scope and is_of_any_band(plain(one.quote)))
        ]
        read = [one for one in near if one.value is not None or one.operator == "on_limit_forbidden"]
        figures = {key for one in read for key in _keys(one)}
        # A rule along a named road stands beside the sector's.
        road = rule.scope.get("road", "")
        is_of_road = (
            road and road not in roads and not ("" in roads and re.match(r"autres|voies?\b(?! (?:dep|nat))", road))
        )
        is_zone = rule.kind == MAIN and "sector" not in rule.scope and not is_of_road
        # A sector may have its own distance to the rear boundary alone.
        is_parted = is_zone and rule.also in _ALONE
        parts = [replace(rule, subject=subject, also=()) for subject in rule.subjects] if is_parted else [rule]
        left = [
            one
            for one in parts
            if not (is_zone and (freed & {*one.subjects} or (one.value is not None and _keys(one) <= figures)))
        ]
        unread = [is_zone and one.value is not None and _is_in_doubt(one, near) for one in left]
        whole = [rule] if len(left) == len(parts) and len({*unread}) == 1 else left
        kept += [
            words(one, note="the sector has words of its own for it") if is_unread else one
            for one, is_unread in zip(whole, unread, strict=False)
        ]
    return kept


def _is_beyond(rule: Rule) -> bool:
    return rule.scope.get("band", "").startswith("beyond")


def _is_of_sector(rule: Rule) -> bool:
    """Whether it is a rule of the sector, or words on higher buildings in the whole sector."""
    is_height = rule.kind == EXCEPTION and rule.operator == QUALITATIVE and not {*HEIGHTS}.isdisjoint(rule.subjects)
    is_whole = {*rule.scope} <= {"sector", "point"} and not rule.condition
    return "sector" in rule.scope and (rule.kind in (MAIN, ALTERNATIVE) or (is_height and is_whole))


def _is_in_doubt(rule: Rule, own: Sequence[Rule]) -> bool:
    """Returns whether a rule of the zone may not hold in the sector, whose rules say something else of its subject.

    A distance of the sector may stand instead of the zone's or beside it, where the operators differ. "Ces valeurs sont
    respectivement de 4 m et de 8 m" is about all heights.
    """
    subjects, beside = {*rule.subjects}, _BESIDE.get(rule.operator, ())
    is_over_ridge = subjects & {"height_eave", "height_flat_roof"} and any(
        one.subject == "height_ridge" and one.value and one.value < (rule.value or 0) for one in own
    )
    return is_over_ridge or any(
        (subjects | ({*HEIGHTS} if one.operator == QUALITATIVE and subjects & {*HEIGHTS} else set())) & {*one.subjects}
        and not (one.operator in beside and (one.operator != MAX or (one.value or 0) > (rule.value or 0)))
        and (one.value is None or rule.subject.startswith("setback"))
        for one in own
    )


def _keys(rule: Rule) -> set[tuple[str, ...]]:
    operators = ["on_limit"] if rule.operator.startswith("on_limit") else [operator for operator, _ in _bounds(rule)]
    return {(subject, operator, rule.scope.get("use", "")) for subject in rule.subjects for operator in operators}


def _bounds(rule: Rule) -> list[tuple[str, float | None]]:
    """Returns the operator with its figure: of a range, its least and its most."""
    return [(MIN, rule.value), (MAX, rule.value_max)] if rule.operator == RANGE else [(rule.operator, rule.value)]


def _narrowed(rules: Sequence[Rule]) -> list[Rule]:
    """Returns the rules; one for side and rear boundaries loses the side that a later rule regulates alone.

    "Le retrait est de 3 m. Par rapport à la limite de fond, il est de 6 m."
    """
    narrowed: list[Rule] = []
    for index, rule in enumerate(rules):
        alone = {
            later.subject
            for later in rules[index + 1 :]
            if later.kind == rule.kind == MAIN
            and later.subjects in _ALONE
            and (later.operator == MIN or later.subjects == _FLAT)
            and _qualifiers(later) in (_qualifiers(rule), ("", _qualifiers(rule)[1]))
            and not (rule.operator.startswith("on_limit") and _INSTEAD_OF_LIMIT.search(later.quote))
        }
        left = [subject for subject in rule.subjects if subject not in alone]
        narrowed.append(
            replace(rule, subject=left[0], also=tuple(left[1:])) if (left and rule.also in _ALONE) else rule
        )
    return narrowed


def _qualifiers(rule: Rule) -> tuple[object, ...]:
    return (
        rule.condition,
        tuple(sorted(item for item in rule.scope.items() if item[0] not in ("point", "base", "sector"))),
    )


def _conflict_keys(rule: Rule) -> list[tuple[tuple[object, ...], float | None]]:
    """Returns the figures that no other rule of the zone may differ from, by what they are of."""
    is_alone = rule.operator.startswith("on_limit") or rule.subject in ("trees", "fence_height")
    unit = rule.unit if rule.subject.startswith("parking") else ""
    subjects = () if rule.kind != MAIN or rule.value is None or is_alone else rule.subjects
    return [
        ((subject, operator, unit, _qualifiers(rule)), value)
        for subject in subjects
        for operator, value in _bounds(rule)
    ]
