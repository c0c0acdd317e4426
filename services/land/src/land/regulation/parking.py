"""Numbers of parking places by use."""

import re
from collections.abc import Iterator
from dataclasses import replace

from land.regulation import wording
from land.regulation.patterns import patterns
from land.regulation.quantities import MAX, MIN, Quantity, number_of
from land.regulation.rule import EXCEPTION, MAIN, MAY_BE_IMPOSED, Rule
from land.regulation.sentence import Sentence, figure_rule, make_rule, use_scope, words

_P = patterns("parking")
_DWELLING = {"use": "dwelling"}


def parkings(sentence: Sentence) -> Iterator[Rule]:
    """Yields numbers of parking places by use."""
    text, intro, end = sentence.text, sentence.intro, len(sentence.text)
    whole = f"{intro} {text}"
    found = sentence.figures(("place",))
    if _P["other"].search(text) or (sentence.is_foreign and not found):
        return
    unit, use = "place per dwelling", use_scope(whole)
    for name, operators in (("bounds", (MIN, MAX)), ("count", (MIN,)), ("most", (MAX,))):
        match = _P[name].search(text)
        for operator, stated in zip(operators, match.groups() if match else (), strict=False):
            yield make_rule(
                sentence, "parking", operator, 0, end, value=number_of(stated), unit=unit, scope=use or _DWELLING
            )
    is_of_use = use and not _P["work"].search(whole)
    none = _P["none"].search(text) or (_P["none_in_row"].search(text) if is_of_use else None)
    if none:
        # "Commerces de moins de 150 m² : aucune place" is the rule of such shops.
        size = _P["sizes"].search(text)
        yield make_rule(
            sentence,
            "parking",
            "none",
            0,
            end,
            kind=EXCEPTION if _P["of_none"].search(whole) and not (is_of_use and size) else MAIN,
            value=0,
            unit="place",
            condition=size[0].strip() if size else "",
            scope=use_scope(text) or use,
        )
        found = [quantity for quantity in found if quantity.start > none.end()]
        yield from _numbers(sentence, found) if found else ()
    elif found and _P["law"].search(whole):
        yield words(make_rule(sentence, "parking", MAX, found[0].start, found[0].end, kind=EXCEPTION))
    elif found:
        yield from _numbers(sentence, found)
    elif _P["may_be_imposed"].search(text):
        yield make_rule(sentence, "parking", MAY_BE_IMPOSED, 0, end)


def _numbers(sentence: Sentence, found: list[Quantity]) -> Iterator[Rule]:
    text, intro = sentence.text, sentence.intro
    near = text[: found[0].end] + re.split(r"\bdont\b|\bet\b|,", text[found[0].end : found[0].end + 40])[0]
    cycles = _P["cycle"].search(f"{text[: found[-1].end + 40]}{sentence.heading} {intro[-60:]}")
    kinds = [name for name in ("visitor", "covered", "special") if _P[name].search(near)]
    subject = "parking_cycle" if cycles else "_".join(["parking", *kinds[:1]]).removesuffix("_special")
    is_other = _P["work"].search(f"{intro} {text[: found[0].end]} {_P['clause_end'].split(text[found[-1].end :])[0]}")
    own_text, own_intro = (_P["social"].sub("logements", part) for part in (text, intro))
    kind = wording.kind_at(own_text, min(found[0].start, len(own_text)), own_intro, use_matters=True)
    kind = EXCEPTION if is_other or (kinds and subject == "parking") else kind
    scope = use_scope(text) or use_scope(intro[-160:]) or use_scope(intro)
    found = [quantity for quantity in found if subject != "parking" or not _P["aside"].match(text[quantity.end :])]
    places = sorted(quantity.start for quantity in sentence.figures(("place",)))
    stops = [next((place for place in places if place > quantity.start), len(text)) for quantity in found]
    rates = [(one, _rate(text[one.end : stop])) for one, stop in zip(found, stops, strict=True)]
    floors = [quantity for quantity, rate in rates if quantity.direction == MIN and "dwelling" in rate][-1:]
    slices = [(quantity, rate) for quantity, rate in rates if "m²" in rate and quantity.direction != MAX][:1]
    for (quantity, rate), floor in zip(slices, floors, strict=False):
        rule = figure_rule(sentence, subject, replace(floor, start=quantity.start), MIN, scope)
        formula = f"max({quantity.value:g} {rate}, {floor.value:g} per dwelling)"
        yield replace(rule, kind=kind, unit="place per dwelling", formula=formula)
        rates = [one for one in rates if one[0] not in (quantity, floor)]
    for quantity, stated_rate in rates:
        is_first_of_dwelling, beyond = (
            "dwelling" in _rate(text[found[0].end : stops[0]]),
            _P["beyond"].match(text[quantity.end :]),
        )
        is_cap = is_first_of_dwelling and (quantity.direction == MAX or beyond)
        is_of_each = (
            _P["of_each"].search(text[: quantity.start])
            or _P["of_sized"].match(text[quantity.end :])
            or (scope == _DWELLING and _P["sized"].match(text))
        )
        # "Par tranche de 40 m² : 1 place", "Il est exigé par logement : …"
        lead = _rate(text[: quantity.start] if text.startswith("par ") else intro[-40:] if intro.endswith(":") else "")
        rate = stated_rate or ("per dwelling" if is_cap or is_of_each else lead)
        later = [other.start for other in found if other.start > quantity.start]
        own = text[quantity.end : later[0] if later else len(text)]
        scope = (use_scope(own) if len(found) > 1 else {}) or scope
        operator = quantity.direction or (MAX if _P["cap"].search(own) else MIN) if quantity.value else "none"
        rule = replace(figure_rule(sentence, subject, quantity, operator, scope), kind=kind)
        # The words before a later figure are of the one before it, up to a comma.
        low = max(text.rfind(sign, 0, quantity.start) for sign in (";," if quantity is not rates[0][0] else ";"))
        clause = text[low + 1 : quantity.end] + own
        names = ((_P["size"], own), (_P["sizes"], own), (_P["sizes"], clause), (_P["size"], f"{intro[-80:]} {clause}"))
        stated_size = beyond or next(filter(None, (pattern.search(part) for pattern, part in names)), None)
        yield (
            replace(rule, unit=f"place {rate}", condition=stated_size[0].strip() if stated_size else rule.condition)
            if (rate or operator == "none") and (rule.scope or "dwelling" in rate or use_scope(sentence.heading))
            else words(rule)
        )


def _rate(after: str) -> str:
    """Returns what a number of places is counted by: "per dwelling", "per 60 m²", "per 3 rooms"."""
    after = _P["end"].split(after[:130])[0]
    if match := _P["per_area"].search(after):
        return f"per {match[1].strip()} m²"
    match = _P["per_unit"].search(after)
    is_dwelling = match and not match[1] and match[2].startswith(("log", "habitation"))
    return "per dwelling" if is_dwelling else f"per {(match[1] or '').replace('deux', '2')}{match[2]}" if match else ""
