"""Distances: setbacks from roads and boundaries, between buildings, and bands of land."""

import re
from collections.abc import Iterator
from dataclasses import replace

from land.regulation import headings as topics
from land.regulation import wording
from land.regulation.patterns import patterns
from land.regulation.quantities import MAX, MIN, Quantity, lower_bound
from land.regulation.rule import EXCEPTION, MAIN, Rule
from land.regulation.scopes import mentions
from land.regulation.sentence import ROAD_CLASS, Sentence, make_rule, use_scope, words
from land.regulation.sentence import measured as measured_by

_P = patterns("distances")

_ON_LIMIT = {
    topics.ROAD: r"(?:a|sur|en limite d'|jusqu'a) ?l'alignement|en (?:bordure|limite) (?:de |d'|du )(?:la |l')?"
    r"(?:voie|emprise|domaine|rue)|en limite d'emprise|alignement (?:est )?obligatoire",
    topics.BOUNDARY: r"(?:en|sur|jusqu'en|jusqu'aux?|aux?|d'une|l'une|une) (?:(?:la|les|des|ou|plusieurs|deux|"
    r"des deux|au moins une|seule) )*limites? ?(?:separatives?|laterales?|de propriete|de fond|"
    r"parcellaires?|au plus)?|"
    r"ordre continu|d'une limite[^.;]{0,30}a l'autre|jouxt\w+|contigu\w*|accol\w+ a (?:la|une|cette) limite",
}


def distances(sentence: Sentence) -> Iterator[Rule]:
    """Yields setbacks from roads and boundaries, distances between buildings, and bands."""
    text, intro = sentence.text, sentence.intro
    topic = sentence.stated_topic
    if (
        topic == topics.ROAD
        and re.search(r"limites? separatives?", text)
        and not re.search(r"alignement|\bvoies?\b|emprise", text)
    ):
        topic = topics.BOUNDARY
    formula = formula_of(f"{intro} {text}" if text.startswith(("elle", "cette", "celle")) else text, topic)
    found = sentence.figures(("m",))
    measured = [quantity for quantity in found if measured_by(text, quantity, intro, found) in ("distance", "")]
    if _P["less"].search(text):
        measured = [
            quantity
            for quantity in measured
            if not re.search(r"(?:diminue|reduit|minor|augment)\w* de $|h ?- ?$|moins $", text[: quantity.start])
        ]
    yield from bands(sentence, found)
    groups = mentions(sentence.raw, sentence.zone.known)
    on_limit = (
        None
        if groups and not any(sentence.names_zone(group) for group in groups)
        else _on_limit(sentence, topic, bool(measured or formula))
    )
    if on_limit:
        yield on_limit
    ranges = [
        (low, other)
        for other in found
        if measured_by(text, other, intro, found) in ("distance", "band", "")
        and (low := lower_bound(text, other)) is not None
    ]
    if ranges:  # "de 0 à 6 m", "compris entre 3 et 8 m"
        low, high = ranges[0]
        operator, value, words_ = (
            (MAX, high.value, "") if low == 0 else ("range", low, f"{low:g} <= R <= {high.value:g}")
        )
        yield _distance(sentence, topic, high, operator, value, words_, high.start)
        if low == 0 and topic == topics.ROAD and not on_limit:
            yield _distance(sentence, topic, high, "on_limit_allowed", 0, "", high.start)
        return
    operator = ""
    for index, quantity in enumerate(measured):
        inherited = operator if index and re.search(r"\bet (?:de |a )?$", text[: quantity.start]) else ""
        operator = quantity.direction or _default_direction(text, quantity, intro) or inherited
        stated = formula if operator == MIN else ""
        rule = _distance(
            sentence,
            topic,
            quantity,
            operator,
            quantity.value,
            f"L >= max({stated.removeprefix('L >= ')}, {quantity.value:g})" if stated and "," not in stated else "",
            quantity.start,
        )
        if stated == "?":
            yield words(rule, note="a formula to be read by a person")
        else:
            yield rule if operator else words(rule, note="the sentence gives no minimum and no maximum")
    if formula and not (measured and all(quantity.direction == MIN for quantity in measured)):
        match = (
            _P["half"].search(text) or _P["full"].search(text) or _P["less"].search(text) or _P["parts"].search(text)
        )
        start = match.start() if match else 0
        rule = _distance(sentence, topic, None, "formula", None, formula if formula != "?" else "", start)
        yield words(rule, note="a formula to be read by a person") if formula == "?" else rule
    if topic == topics.BETWEEN and (angle := _P["angle"].search(text)):
        degrees = angle[1] or angle[2]
        yield replace(
            _distance(sentence, topic, None, "formula", None, f"angle <= {degrees} degrees", angle.start()),
            scope={"use": "openings"},
        )


def _distance(
    sentence: Sentence,
    topic: str,
    quantity: Quantity | None,
    operator: str,
    value: float | None,
    formula: str,
    position: int,
) -> Rule:
    end = quantity.end if quantity else min(position + 1, len(sentence.text))
    subject, also, scope = _reference(sentence, topic, position, end)
    kind = wording.kind_at(sentence.text, position, sentence.intro)
    clause = (
        re.split(r"(?<=\d m)[,;]|(?<=moins)[,;]", sentence.text[:end])[-1] + re.split(r"[,;.]", sentence.text[end:])[0]
    )
    if topic == topics.BETWEEN and quantity and kind == MAIN and wording.is_special(clause):
        kind = EXCEPTION
    if use := re.match(r"(?! de l)[^,;.]{0,25}?\bpour les ([^,;.]{0,60})", sentence.text[end:]):
        scope |= use_scope(use[1])
    return make_rule(
        sentence,
        subject,
        operator,
        position,
        end,
        kind=kind,
        value=value,
        unit="m" if value is not None else "",
        formula=formula,
        also=also,
        scope=scope,
    )


def _reference(sentence: Sentence, topic: str, start: int, end: int) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """Returns the subject of a distance, what else it is for, and from where it is measured."""
    text = sentence.text
    clause_start = max(text.rfind(";", 0, start), text.rfind(":", 0, start), 0)
    around = text[clause_start : end + 110]
    before = f"{sentence.intro} {text[clause_start:start]}"
    if topic == topics.BETWEEN:
        return "between_buildings", (), {}
    if _P["rail"].search(around):
        return "setback_rail", (), {"reference": "railway land"}
    if _P["water"].search(text[start : end + 80]) or (
        _P["water"].search(before) and not re.search(r"alignement|\bvoies?\b|limites?", around)
    ):
        return "setback_water", (), {"reference": "bank"}
    if topic == topics.ROAD:
        scope = {}
        near = re.search(r"\baxe\b|alignement|limite", text[end : end + 90])
        if (near and near[0] == "axe") or (not near and re.search(r"\baxe\b", before)):
            scope["reference"] = "axis"
        elif _P["opposite"].search(text):
            scope["reference"] = "opposite_alignment"
        else:
            scope["reference"] = "alignment"
        road = ROAD_CLASS.search(text[end : end + 110].split(";")[0]) or ROAD_CLASS.search(text[clause_start:start])
        if road and not re.search(r"voies? (?:publiques?|privees?)", road[0]):
            scope["road"] = road[0]
        return "setback_road", (), scope
    side = _side(sentence, start, end)
    natural = (
        _P["natural"].search(around)
        if re.search(r"\blimites?\b[^.;]{0,40}zones?\b|espaces? boise|lisiere", around)
        else None
    )
    scope = {"boundary": natural[0]} if natural else {}
    return (
        ("setback_rear", (), scope)
        if side == "rear"
        else ("setback_side", () if side == "side" else ("setback_rear",), scope)
    )


def _default_direction(text: str, quantity: Quantity, intro: str) -> str:
    """Returns the direction of "un recul de 5 m" (at least), "" for a figure that only touches "à"."""
    before = text[: quantity.start]
    if re.search(
        r"(?:recul|retrait|marge|distance)s?(?: \w+){0,4}? (?:de|d'|egale? a|est fixee? a|:|est de)\s*$",
        f"{intro} {before}" if len(before) < 4 else before,
    ):
        return MIN
    if re.search(r"\ba (?:une distance de )?$", before) and re.search(
        r"^ ?(?:de|par rapport a|a partir de) ?l(?:'|es? |a )?(?:axe|alignement|limite)", text[quantity.end :]
    ):
        return MIN
    return ""


def _on_limit(sentence: Sentence, topic: str, has_distance: bool) -> Rule | None:
    if topic not in _ON_LIMIT:
        return None
    text = sentence.text
    if topic == topics.BOUNDARY and (banned := _P["banned_on_limit"].search(text)):
        rule = _distance(sentence, topic, None, "on_limit_forbidden", None, "", banned.start())
        return rule if rule.kind == MAIN and not _P["excepted"].search(text) else None
    if re.search(r"cloture|interdit|ne (?:peut|peuvent|doit|doivent|pourra)[^.;]{0,40}implant", text):
        return None
    whole = f"{sentence.intro} {text}"
    match = next((match for match in re.finditer(_ON_LIMIT[topic], text) if _states_limit(text, match, topic)), None)
    if match is None:
        back = re.search(
            r"(?:doi(?:t|vent)|sont|ser(?:a|ont))[^.;]{0,40}(?:implante|edifie|construite?|"
            r"etablie)\w* (?:obligatoirement )?en (?:retrait|recul)",
            text,
        )
        if topic != topics.BOUNDARY or back is None or re.search(r"\bsoit\b|peu(?:t|vent)|\bsi ", text):
            return None
        rule = _distance(sentence, topic, None, "on_limit_forbidden", None, "", back.start())
        return rule if rule.kind == MAIN else None
    if _P["may"].search(whole) or has_distance or sentence.is_choice:
        operator = "on_limit_allowed"
    elif _P["must"].search(whole) or "a l'autre" in match[0]:
        operator = "on_limit_required"
    else:
        return None
    subject, also, scope = _reference(sentence, topic, match.start(), match.end())
    kind = wording.kind_at(text, match.start(), sentence.intro)
    return make_rule(
        sentence, subject, operator, match.start(), match.end(), kind=kind, value=0, unit="m", also=also, scope=scope
    )


def _states_limit(text: str, match: re.Match[str], topic: str) -> bool:
    """Returns whether "à l'alignement" or "en limite" says where a building stands, not from where one measures."""
    before, after = text[: match.start()], text[match.end() :]
    if _P["measured_from"].search(before[-60:]) and not re.search(
        r"\bsoit\b|\bou\b|implante\w*\W*$|edifie\w*\W*$", before[-12:]
    ):
        return False
    if (
        re.match(r"(?:en|a|sur|aux?) ?(?:l'|les? |la )?(?:limites?|alignement|bordure)", match[0])
        and not re.search(r"\bsoit\b|implant|edifi|construi|etabli|\bou\b", before)
        and _P["measure_after"].match(after)
    ):
        return False
    if re.search(r"interdit|n'est (?:pas|admise que|autorisee que|possible que)|ne peu", after.split(",")[0][:60]):
        return False
    return not (
        topic == topics.BOUNDARY
        and re.search(r"saillies?|debords?|egout|pignon|hauteur", before)
        and not _P["may"].search(before)
    )


def bands(sentence: Sentence, found: list[Quantity]) -> Iterator[Rule]:
    """Yields bands of land, and bans along the axis of great roads."""
    text, intro = sentence.text, sentence.intro
    for quantity in found:
        if (
            measured_by(text, quantity, intro, found) != "band"
            or lower_bound(text, quantity) is not None
            or re.search(r"\b0 a $", text[: quantity.start])
        ):
            continue
        if re.match(r" ?de part et d'autre de l'axe", text[quantity.end :]) and re.search(
            r"interdit|inconstructible", text
        ):
            road = ROAD_CLASS.search(text[quantity.end :])
            yield make_rule(
                sentence,
                "setback_road",
                MIN,
                quantity.start,
                quantity.end,
                kind=wording.kind_at(text, quantity.start, intro),
                value=quantity.value,
                unit="m",
                scope={"reference": "axis", "road": road[0] if road else ""},
            )
            continue
        if re.match(r"[^.;,]{0,60}\baxe\b", text[quantity.end :]) or not re.search(
            r"alignement|voie|rue|domaine|limite de fait|emprise", text[quantity.end :] + text[: quantity.start]
        ):
            continue
        limit = re.search(
            r"au-?\s?dela|a l'interieur d'une|dans une bande (?:maximale|d'une profondeur maximale)", text
        ) and re.search(r"aucune|ne (?:peu|pourr|doi|sont)|interdit|doivent (?:etre|s')|sont implantee?s", text)
        kind = wording.kind_at(text, quantity.start, intro)
        yield make_rule(
            sentence,
            "depth_band",
            MAX if limit and re.search("aucune|interdit|ne (?:peu|pourr|doi)", text) else "exact",
            quantity.start,
            quantity.end,
            kind=kind,
            value=quantity.value,
            unit="m",
            scope={"reference": "alignment"},
        )


def formula_of(text: str, topic: str) -> str:
    """Returns the formula of a distance or a height in L and H, "?" for one that a person must read, "" for none."""
    if not _P["prescribes"].search(text):
        return ""
    half, less, full, parts = (
        _P["half"].search(text),
        _P["less"].search(text),
        _P["full"].search(text),
        _P["parts"].search(text),
    )
    if topic == "height" and (multiple := re.search(r"(\d|deux|trois) fois la distance|h ?(?:≤|<=) ?(\d) ?l", text)):
        factor = multiple[2] or {"deux": "2", "trois": "3"}.get(multiple[1], multiple[1])
        return f"H <= {factor}L"
    has_height = bool(re.search(r"hauteur|\bh\b", text))
    if not (half or full or (less and has_height)):
        return "?" if parts and has_height else ""
    if (half and less) or parts or (less and topic == "height"):
        return "?"
    if topic == "height":
        return "H <= 2L" if half else "H <= L"
    if less:
        number = re.search(r"(?:h ?- ?|(?:diminue|reduit)\w* de |moins )(\d+(?:[.,]\d+)?)", text)
        return f"L >= H - {number[1].replace(',', '.')}" if number else "?"
    opposite = ", L measured to the opposite alignment" if topic == topics.ROAD and _P["opposite"].search(text) else ""
    return "L >= H/2" if half else f"L >= H{opposite}"


def _side(sentence: Sentence, start: int, end: int) -> str:
    """Returns "side" or "rear" where the words next to a figure name one of them alone, else ""."""
    text = sentence.text
    low = max(text.rfind(sign, 0, start) for sign in ".;:") + 1
    stop = re.search(r"[.;,]|\bet\b|\d", text[end:])
    high = end + stop.start() if stop else len(text)
    elsewhere = "" if re.search(r"limites? separatives?(?! lateral)", text) else text
    for window in (text[start:high], text[low:start], elsewhere, sentence.intro, sentence.heading):
        sides = {"side" if match[0] == "lateral" else "rear" for match in _P["side"].finditer(window)}
        if sides:
            return sides.pop() if len(sides) == 1 and not _P["both_sides"].search(text[low:]) else ""
    return ""
