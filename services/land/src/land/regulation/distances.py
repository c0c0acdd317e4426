"""Distances: setbacks from roads and boundaries, between buildings, and bands of land."""

import re
from collections.abc import Iterator
from dataclasses import replace

from land.regulation import headings as topics
from land.regulation import wording
from land.regulation.patterns import patterns
from land.regulation.quantities import MAX, MIN, RANGE, Quantity, number_of
from land.regulation.rule import EXCEPTION, MAIN, Rule
from land.regulation.sentence import ROAD_CLASS, Sentence, make_rule, use_scope
from land.regulation.sentence import measured as measured_by

_P = patterns("distances")


def distances(sentence: Sentence) -> Iterator[Rule]:
    """Yields setbacks from roads and boundaries, distances between buildings, and bands."""
    text, intro = sentence.text, sentence.intro
    topic = sentence.stated_topic
    whole = f"{intro} {text}" if text.startswith(("elle", "cette", "celle")) else text
    formula = "" if sentence.is_foreign else formula_of(whole, topic)
    found = sentence.figures(("m",))
    # "La hauteur diminuée de 3 m": the figure is of the formula.
    measured = [
        quantity
        for quantity in found
        if measured_by(text, quantity, intro, found) in ("distance", "")
        and not (topic == topics.BETWEEN and _P["of_road"].match(text[quantity.end :]))
        and not (_P["less"].search(text) and _P["subtracted"].search(text[: quantity.start]))
    ]
    yield from bands(sentence, found)
    on_limit = None if sentence.is_foreign else _on_limit(sentence, topic, bool(measured or formula))
    yield from [on_limit] if on_limit else []
    # "de 0 à 6 m", "compris entre 3 et 8 m"
    ranges = [one for one in found if one.low is not None]
    for high in [one for one in ranges if measured_by(text, one, intro, found) in ("distance", "band", "")][:1]:
        value, most = (high.low, high.value) if high.low else (high.value, None)
        rule = _distance(sentence, topic, high.start, high.end, RANGE if high.low else MAX, value)
        yield replace(rule, value_max=most) if rule.value else rule
        if not high.low and topic == topics.ROAD and not on_limit:
            yield _distance(sentence, topic, high.start, high.end, "on_limit_allowed", 0)
        return
    operator = ""
    for index, quantity in enumerate(measured):
        inherited = operator if index and _P["same_bound"].search(text[: quantity.start]) else ""
        # A figure in a table of setbacks is a minimum, unless it says what it is.
        operator = (
            quantity.direction or (MIN if sentence.row else _default_direction(text, quantity, intro)) or inherited
        )
        if not quantity.value:
            operator = "on_limit_required" if "obligatoire" in text else "on_limit_allowed"
        if _P["zero_or"].search(text[: quantity.start]):  # "0 ou 3 m"
            operator = operator or MIN
            yield _distance(sentence, topic, quantity.start, quantity.end, "on_limit_allowed", 0)
        by_height = formula if operator == MIN and "," not in formula else ""
        if by_height not in ("", "?"):
            by_height = f"L >= max({by_height.removeprefix('L >= ')}, {quantity.value:g})"
        yield _distance(sentence, topic, quantity.start, quantity.end, operator, quantity.value, by_height)
    if formula and not (measured and all(quantity.direction == MIN for quantity in measured)):
        matches = (_P[name].search(text) for name in ("half", "full", "less", "parts"))
        start = next((match.start() for match in matches if match), 0)
        yield _distance(sentence, topic, start, start + 1, "formula", None, formula)
    if topic == topics.BETWEEN and (angle := _P["angle"].search(text)):
        start, degrees = angle.start(), angle[1] or angle[2]
        yield replace(
            _distance(sentence, topic, start, start + 1, "formula", None, f"angle <= {degrees} degrees"),
            scope={"use": "openings"},
        )


def _distance(
    sentence: Sentence,
    topic: str,
    start: int,
    end: int,
    operator: str,
    value: float | None = None,
    formula: str = "",
) -> Rule:
    text = sentence.text
    subject, also, scope = _reference(sentence, topic, start, end)
    kind = wording.kind_at(text, start, sentence.intro)
    clause = re.split(r"(?<=\d m)[,;]|(?<=moins)[,;]", text[:end])[-1] + re.split(r"[,;.]", text[end:])[0]
    is_special = topic == topics.BETWEEN and value is not None and wording.is_special(clause)
    kind = EXCEPTION if kind == MAIN and (is_special or scope.get("boundary")) else kind
    use = re.match(r"(?! de l)[^,;.]{0,25}?\bpour les ([^,;.]{0,60})", text[end:]) or _P["of_use"].search(text[:start])
    scope |= use_scope(use[use.lastindex or 0]) if use else {}
    return make_rule(
        sentence,
        subject,
        operator,
        start,
        end,
        kind=kind,
        value=value,
        unit="" if value is None else "m",
        formula=formula,
        also=also,
        scope=scope,
    )


def _reference(sentence: Sentence, topic: str, start: int, end: int) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """Returns the subject of a distance, what else it is for, and from where it is measured."""
    text = sentence.text
    clause_start = max(text.rfind(";", 0, start), text.rfind(":", 0, start), 0)
    around, before = text[clause_start : end + 110], f"{sentence.intro} {text[clause_start:start]}"
    is_at_water = _P["water"].search(before) and not re.search(r"alignement|\bvoies?\b|limites?", around)
    if topic == topics.BETWEEN:
        return "between_buildings", (), {}
    if _P["rail"].search(around):
        return "setback_rail", (), {"reference": "railway land"}
    if is_at_water or _P["water"].search(text[start : end + 80]):
        return "setback_water", (), {"reference": "bank"}
    if topic == topics.ROAD:
        near = re.search(r"\baxe\b|alignement|limite", text[end : end + 90])
        is_axis = near[0] == "axe" if near else re.search(r"\baxe\b", before)
        opposite = "opposite_alignment" if _P["opposite"].search(text) else "alignment"
        named_before = _P["other_road"].sub("", text[text.rfind(";", 0, start) + 1 : start])
        road = ROAD_CLASS.search(text[end : end + 110].split(";")[0]) or ROAD_CLASS.search(named_before)
        # "5 m de l'alignement des voies publiques et 4 m des voies privées"
        is_any = not (re.search(r"voies? publi", text) and "privee" in text and _P["two_figures"].search(text))
        name = road[0] if road and not (is_any and re.search(r"voies? (?:publiques?|privees?)", road[0])) else ""
        return "setback_road", (), {"reference": "axis" if is_axis else opposite, "road": name}
    side = _side(sentence, start, end)
    is_border = re.search(r"\blimites?\b[^.;]{0,40}zones?\b|espaces? boise|lisiere", around)
    natural = _P["natural"].search(around) if is_border else None
    return f"setback_{side or 'side'}", () if side else ("setback_rear",), {"boundary": natural[0] if natural else ""}


def _default_direction(text: str, quantity: Quantity, intro: str) -> str:
    """Returns the direction of "un recul de 5 m" (at least), "" for a figure that only touches "à"."""
    before = text[: quantity.start]
    is_distance = _P["at_least"].search(f"{intro} {before}" if len(before) < 4 else before)
    is_of_noun = _P["pronoun_is"].search(before) and _P["distance_noun"].search(intro)
    is_from = re.search(r"\ba (?:une distance de )?$", before) and _P["from"].search(text[quantity.end :])
    return MIN if is_distance or is_from or is_of_noun else ""


def _on_limit(sentence: Sentence, topic: str, has_distance: bool) -> Rule | None:
    """Returns what a sentence says of standing on the road line or on a boundary."""
    text, whole = sentence.text, f"{sentence.intro} {sentence.text}"
    matches = () if _P["no_limit"].search(text) else _P.get(f"on_limit_{topic}", _P["never"]).finditer(text)
    match = next((one for one in matches if _states_limit(text, one, topic) and sentence.owned([one.start()])[0]), None)
    banned = _P["banned_on_limit"].search(text)
    back = None if match or _P["no_limit"].search(text) or _P["choice"].search(text) else _P["set_back"].search(text)
    is_head, is_item = (_P["limit_in_cases"].search(words) for words in (text, sentence.intro))
    if topic == topics.BOUNDARY and not has_distance and (is_head or is_item):
        case = _distance(sentence, topic, len(text) - 1, len(text), "on_limit_allowed", 0)
        is_special = text.startswith(("pour", "aux", "les")) and wording.is_special(text.split(",")[0])
        kind = case.kind if is_head else EXCEPTION if is_special else wording.kind_at("", 0, sentence.intro)
        return replace(case, kind=kind, condition=text.strip(" ;."))
    if topic == topics.BOUNDARY and (ban := banned or back):
        rule = _distance(sentence, topic, ban.start(), ban.start() + 1, "on_limit_forbidden")
        excepted = _P["excepted"].search(text) if banned else None
        return rule if rule.kind == MAIN and not (excepted and not wording.is_special(text[excepted.end() :])) else None
    if match and (_P["may"].search(whole) or has_distance or sentence.is_choice):
        rule = _distance(sentence, topic, match.start(), match.end(), "on_limit_allowed", 0)
        after = text[match.end() :]
        if by_height := _P["by_height"].match(after):
            return replace(rule, condition=by_height[0].strip(" ,"))
        is_bound = _P["bound"].search(after) or "auquel cas" in text[: match.start()]
        return replace(rule, kind=EXCEPTION) if is_bound and rule.kind == MAIN else rule
    is_required = match and (_P["must"].search(whole) or "a l'autre" in match[0])
    return _distance(sentence, topic, *match.span(), "on_limit_required", 0) if match and is_required else None


def _states_limit(text: str, match: re.Match[str], topic: str) -> bool:
    """Returns whether "à l'alignement" or "en limite" says where a building stands, not from where one measures."""
    before, after = text[: match.start()], text[match.end() :]
    is_measured_from = _P["measured_from"].search(before[-60:].rsplit(",", 1)[-1]) and not _P["stands"].search(
        before[-12:]
    )
    is_measured_after = (
        _P["limit_word"].match(match[0])
        and not re.search(r"\bsoit\b|implant|edifi|construi|etabli|\bou\b", before)
        and _P["measure_after"].match(after)
    )
    return not (
        is_measured_from
        or is_measured_after
        or _P["height_on_limit"].match(after)
        or _P["denied"].search(after.split(",")[0][:60])
        or (topic == topics.BOUNDARY and _P["part"].search(before) and not _P["may"].search(before))
    )


def bands(sentence: Sentence, found: list[Quantity]) -> Iterator[Rule]:
    """Yields bands of land, and bans along the axis of great roads."""
    text = sentence.text
    for quantity in found:
        after = text[quantity.end :]
        if measured_by(text, quantity, sentence.intro, found) != "band" or quantity.low is not None:
            continue
        if re.match(r" ?de part et d'autre de l'axe", after) and re.search(r"interdit|inconstructible", text):
            road = (ROAD_CLASS.search(after) or [""])[0]
            subject, operator, scope = "setback_road", MIN, {"reference": "axis", "road": road}
        elif re.match(r"[^.;,]{0,60}\baxe\b", after) or not _P["road"].search(after + text[: quantity.start]):
            continue
        else:
            is_limit = (_P["beyond"].search(text) and _P["only_within"].search(text)) or _P["stands_within"].search(
                text
            )
            subject, operator, scope = "depth_band", MAX if is_limit else "exact", {"reference": "alignment"}
        yield make_rule(
            sentence,
            subject,
            operator,
            quantity.start,
            quantity.end,
            kind=wording.kind_at(text, quantity.start, sentence.intro),
            value=quantity.value,
            unit="m",
            scope=scope,
        )


def formula_of(text: str, topic: str) -> str:
    """Returns the formula of a distance or a height in L and H, "?" for one that a person must read, "" for none."""
    if not _P["prescribes"].search(text):
        return ""
    half, less, full, parts = map(bool, (_P[name].search(text) for name in ("half", "less", "full", "parts")))
    multiple = re.search(r"(\d|deux|trois) fois la distance|h ?(?:≤|<=) ?(\d) ?l", text)
    if topic == "height" and multiple:
        return f"H <= {number_of(multiple[2] or multiple[1]):g}L"
    has_height = re.search(r"hauteur|\bh\b", text)
    if not (half or full or (less and has_height)):
        return "?" if parts and has_height else ""
    if (half and less) or parts or (less and topic == "height"):
        return "?"
    if topic == "height":
        return "H <= 2L" if half else "H <= L"
    number = re.search(r"(?:h ?- ?|(?:diminue|reduit)\w* de |moins )(\d+(?:[.,]\d+)?)", text)
    if less:
        return f"L >= H - {number[1].replace(',', '.')}" if number else "?"
    opposite = ", L measured to the opposite alignment" if topic == topics.ROAD and _P["opposite"].search(text) else ""
    return "L >= H/2" if half else f"L >= H{opposite}"


def _side(sentence: Sentence, start: int, end: int) -> str:
    """Returns "side" or "rear" where the words next to a figure name one of them alone, else ""."""
    text = sentence.text
    low = max(text.rfind(sign, 0, start) for sign in ".;:") + 1
    own = text[max(low, text.rfind(", ou ", 0, start)) : start]
    if re.search(r"limites separatives", own) and not _P["side"].search(own):
        return ""
    stop = re.search(r"[.;,]|\bet\b|\d", text[end:])
    high = end + stop.start() if stop else len(text)
    near = re.split(r"\d ?m(?:etres?)?\b", own)[-1]
    elsewhere = "" if re.search(r"limites? separatives?(?! lateral)", text) else text
    for window in (text[start:high], near, text[low:start], elsewhere, sentence.intro, sentence.heading):
        sides = {
            "side" if match[0] in ("lateral", "aboutissant", "l'autre") else "rear"
            for match in _P["side"].finditer(window)
        }
        if sides:
            return sides.pop() if len(sides) == 1 and not _P["both_sides"].search(text[low:]) else ""
    return ""
