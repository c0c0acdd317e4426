"""Heights with the point that they are measured to, and storeys."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import compress

from land.regulation import headings as topics
from land.regulation import wording
from land.regulation.distances import bands, formula_of
from land.regulation.patterns import patterns
from land.regulation.quantities import MAX, MIN, Quantity, number_of, quantities
from land.regulation.rule import ALTERNATIVE, AS_EAVE, EXCEPTION, MAIN, Rule
from land.regulation.sentence import QUALITATIVE, Sentence, figure_rule, make_rule, measured, use_at, words

_P = patterns("heights")
_SUBJECTS = {"eave": "height_eave", "eave or parapet": "height_eave", "flat": "height_flat_roof"}
_POINTS = ("eave or parapet", "eave", "flat", "ridge", "any point")


def heights(sentence: Sentence) -> Iterator[Rule]:
    """Yields heights with the point that they are measured to, and storeys."""
    text, intro = sentence.text, sentence.intro
    whole = f"{intro} {text}"
    yield from bands(sentence, sentence.figures(("m",)))
    found = sentence.figures(("m", "m NGF", "storeys", "R+"))
    if _P["no_height"].search(text) or (sentence.is_foreign and not found):
        return
    relative = _P["relative"].search(f"{sentence.heading} {whole} {sentence.heading}")
    if relative and (formula := formula_of(text, "height")):
        is_of_road = _P["road"].search(sentence.heading + text) and not re.search(r"limites? separatives?", text)
        subject = "height_vs_road" if is_of_road else "height_vs_boundary"
        yield make_rule(
            sentence, subject, MAX, 0, len(text), kind=wording.kind_at(text, len(text), intro), formula=formula
        )
        return
    if as_eave := _P["flat_as_eave"].search(text):
        more = f" + {number_of(as_eave['more']):g}" if as_eave["more"] else ""
        yield make_rule(sentence, "height_flat_roof", MAX, *as_eave.span(), formula=f"{AS_EAVE}{more}")
    for subject, operator, name, formula in (
        ("height_annex", MAX, "of_main_building", "<= height of the main building"),
        ("height_ridge", QUALITATIVE, "over_eave", ""),
    ):
        if match := _P[name].search(text):
            yield make_rule(sentence, subject, operator, *match.span(), formula=formula, ambiguous=not formula)
    points = [(match.start(), _point(match[0])) for match in _P["point"].finditer(text)]
    metres = [
        quantity
        for quantity in found
        if quantity.unit in ("m", "m NGF") and measured(text, quantity, intro, found) in ("height", "", "distance")
    ]
    # Figures without a point of their own have the only one that the words above name.
    above = [] if points else [*_P["point"].finditer(intro)] or [*_P["point"].finditer(sentence.heading)]
    named = list(dict.fromkeys(_point(match[0]) for match in above))
    # "9 m à l'égout et 12 m au faîtage. En UBa, ces hauteurs sont de 6 m et 9 m."
    inherited = named if len(named) == len(metres) else named * len(metres) if len(named) == 1 else [""] * len(metres)
    is_unsure = len(named) > 1 and len(named) != len(metres)
    # Figures of other sectors have points of their own.
    ends = [(one.start, one.end) for one in quantities(text) if one.unit in ("m", "m NGF")]
    is_led = bool(points and metres) and points[0][0] < ends[0][0]
    # "Hauteur à l'égout / au faîtage : 6 m / 10 m"
    is_parallel = len(points) == len(metres) > 1 and points[-1][0] < metres[0].start
    for index, quantity in enumerate(metres):
        if _P["other_before"].search(text[max(0, quantity.start - 40) : quantity.start]) or _P["other_after"].match(
            text[quantity.end :]
        ):
            continue
        low = max((end for _, end in ends if end <= quantity.start), default=0)
        high = min((start for start, _ in ends if start >= quantity.end), default=len(text))
        # "6 m à l'égout et 9 m au total": the first point is of the first figure.
        before = [point for position, point in points if low <= position < quantity.start][low > 0 and not is_led :]
        after = [point for position, point in points if quantity.end <= position < high]
        # "À l'égout, 6 m", or "6 m à l'égout".
        # "À l'égout, 9 m (6 m en UBb)"
        before = before or [point for position, point in points if is_led and position < quantity.start][-1:]
        chosen = [points[index][1]] if is_parallel else (before or after) if is_led else (after or before)
        # "3 m à l'égout pour les uns et 6 m pour les autres"
        is_same = is_led and len({point for _, point in points}) == 1 and "hauteur" not in text[low : quantity.start]
        subject, point = _height_subject(
            chosen[-1 if chosen is before else 0] if chosen else points[0][1] if is_same else inherited[index],
            chosen,
            f"{sentence.heading} {whole[: len(intro) + 1 + quantity.start]}",
            sentence.zone.height_point,
        )
        own_text, own_intro = _annex_free(text, subject), _annex_free(intro, subject)
        position = max(0, quantity.start - (len(text) - len(own_text)))
        kind = wording.kind_at(own_text, position, own_intro, use_matters=True)
        if _P["relative"].search(whole) and sentence.stated_topic == topics.HEIGHT:
            kind, subject = ALTERNATIVE if kind == MAIN else kind, "height_on_boundary"
        kind = EXCEPTION if kind == MAIN and quantity.direction == MIN else kind
        subject = "height_ngf" if quantity.unit == "m NGF" else subject
        scope = use_at(sentence, quantity, high) | ({"point": point} if point else {})
        also = ("height_flat_roof",) if (subject, point) == ("height_eave", "eave or parapet") else ()
        rule = replace(figure_rule(sentence, subject, quantity, quantity.direction or MAX, scope), kind=kind, also=also)
        yield words(rule, note="several points that it may be measured to") if is_unsure and not chosen else rule
    storeys = [
        quantity
        for quantity in found
        if quantity.unit in ("storeys", "R+")
        and quantity.direction != MIN
        and not re.match(r" ?(?:de |en )(?:sous-sol|comble|stationnement)", text[quantity.end :])
    ]
    # "Limité à deux (R+1 ou R+combles)": the number in words is that of both.
    storeys = [quantity for quantity in storeys if quantity.unit == "R+"] or storeys
    stated = None if len({quantity.value for quantity in storeys}) == 1 else _P["storey_count"].search(text)
    storeys = [] if stated else storeys
    counts = [*_P["count"].finditer(text, stated.start(1))][: None if sentence.groups else 1] if stated else []
    storeys += [
        Quantity(number_of(count[0]) + ("etages" in text[: count.start()]), "storeys", *count.span(), MAX)
        for count in compress(counts, sentence.owned([count.start() for count in counts]))
    ]
    for quantity in storeys[:1]:
        formula = text[quantity.start : quantity.end].replace(" ", "").upper() if text[quantity.start] == "r" else ""
        rule = figure_rule(
            sentence,
            "storeys",
            quantity,
            MAX,
            use_at(sentence, quantity) | ({"roof": "flat"} if wording.stated("flat", whole) else {}),
            use_matters=True,
        )
        rule = replace(rule, unit="storeys", formula=formula)
        yield (
            rule
            if (len({quantity.value for quantity in storeys}) == 1)
            else words(rule, note="several numbers of storeys")
        )


def _point(text: str) -> str:
    return next(point for point in _POINTS if _P[point.replace(" ", "_")].search(text))


def height_point(texts: Iterable[str]) -> str:
    """Returns the point up to which definitions measure heights: eave, ridge, any point, "" if unsaid."""
    definitions = [
        text
        for text in texts
        if re.search(r"\bhauteurs?\b", text) and _P["defines"].search(text) and not _P["rules"].search(text)
    ]
    found = {_point(match[0]) for text in definitions for match in _P["point"].finditer(text)}
    highest = next((point for point in ("ridge", "any point") if point in found and "eave" not in found), "")
    # "À l'égout ou, pour les toitures-terrasses, à l'acrotère" is both.
    return highest or ("eave" if found == {"eave"} else "eave or parapet" if found == {"eave", "flat"} else "")


def _height_subject(point: str, chosen: list[str], before: str, default: str) -> tuple[str, str]:
    if _P["annex"].search(before) and not _P["with_annexes"].search(before):
        return "height_annex", point
    is_flat = wording.stated("flat", _P["others"].split(before)[-1]) and "fait" not in before[-60:]
    if ("flat" in chosen and point == "any point") or (is_flat and point not in ("eave", "ridge")):
        return "height_flat_roof", point
    point = point or default
    return _SUBJECTS.get(point, "height_ridge"), point


def _annex_free(text: str, subject: str) -> str:
    """Returns the text without the word that makes a height that of annexes, which is a subject of its own."""
    return _P["annex"].sub("constructions", text) if subject == "height_annex" else text
