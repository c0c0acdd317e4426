"""Figures of a sentence, with their unit, and whether each is a minimum, a maximum, or only a condition."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from land.regulation.patterns import patterns

_P = patterns("quantities")
_NEGATION = _P["negation"].pattern

MIN = "min"
MAX = "max"
RANGE = "range"
CONDITION = "condition"
"""The figure says when a rule applies: "annexes de moins de 20 m²"."""

_WORDS = {"un": 1, "une": 1, "une demi-": 0.5, "deux": 2}
_SHARES = {
    "moitie": 50,
    "tiers": 100 / 3,
    "quart": 25,
    "quarts": 25,
    "cinquieme": 20,
    "cinquiemes": 20,
    "dixieme": 10,
    "dixiemes": 10,
}
_UNITS = {
    "area": "m2",
    "metre": "m",
    "percent": "%",
    "place": "place",
    "storey": "storeys",
    "tree": "tree",
    "degree": "degrees",
}

_CUES: tuple[tuple[str, str], ...] = (
    (MIN, rf"{_NEGATION}\b(?:inferieure?s?|moindres?|moins|(?:au|en)[ -]?dessous)\b(?: d)?(?: ?a| que| de)?"),
    (MAX, rf"{_NEGATION}\b(?:superieure?s?|exced\w*|depass\w*|plus de|plus d'|au-?dessus de)(?: ?a)?"),
    (MIN, r"\b(?:au moins|au minimum|a minima|minimum|minima|minimale?s?|minimaux)\b"),
    (MAX, r"\b(?:au plus|au maximum|maximum|maxima|maximale?s?|maximaux)\b"),
    (
        MIN,
        r"\b(?:(?:doi(?:t|vent)|devra|devront|sera|seront|est|soit|reste\w*) (?:etre |toujours |"
        r"strictement )*superieure?s?(?: (?:ou|et) egale?s?)?|superieure?s? (?:ou|et) egale?s?|"
        r"egale?s? (?:ou|et) superieure?s?)\b",
    ),
    (
        MAX,
        r"\b(?:(?:doi(?:t|vent)|devra|devront|sera|seront|est|reste\w*) (?:etre |toujours |"
        r"strictement )*inferieure?s?(?: (?:ou|et) egale?s?)?|(?:demeure\w*|reste\w*|se tien\w*) "
        r"(?:en|au)-?dessous d(?:e|')|inferieure?s? (?:ou|et) egale?s?|"
        r"egale?s? (?:ou|et) inferieure?s?)\b",
    ),
    (
        MAX,
        r"(?<!\bla )\blimitee?s? a\b|\bplafonnee?s? (?:a|de)\b|\bdans (?:la|une) limite (?:maximale )?(?:de|d')|"
        r"\b(?:peu(?:t|vent)|pourra|pourront) atteindre\b|\bexceder\b",
    ),
    (MIN, r"\bil est interdit\b[^.;,]{0,60}? a moins d(?:e\b|')|\bpas moins d(?:e\b|')|≥|> ?=|> ou ="),
    (MAX, r"\bpas plus d(?:e\b|')|≤|< ?=|< ou ="),
    (
        CONDITION,
        r"\b(?:de |d'|a )?(?:moins|plus) (?:de|d')|\b(?:inferieure?s?|superieure?s?) a\b|"
        r"\b(?:excedant|depassant)\b|\bau-?\s?(?:dela|dessus|dessous) (?:de|d')|\ba partir (?:de|"
        r"d')|"
        r"\bpour chaque\b",
    ),
)
_CUE_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _CUES)


@dataclass(frozen=True)
class Quantity:
    """A figure with its unit. `direction` is MIN, MAX, CONDITION or "" if the sentence gives no cue.

    `low` is the lower end of "entre 3 et 8 m", of which the figure is the upper one.
    """

    value: float
    unit: str
    start: int
    end: int
    direction: str = ""
    low: float | None = None

    @property
    def ends(self) -> list[tuple[float, str]]:
        """The figure with its direction; both figures of a range."""
        return [(self.low, MIN), (self.value, MAX)] if self.low else [(self.value, self.direction)]


def number_of(text: str) -> float:
    """Returns the value of a figure or of a number in words."""
    return float(_WORDS.get(text) or text.replace(" ", "").replace(",", "."))


def quantities(text: str, intro: str = "") -> list[Quantity]:
    """Returns the figures of a folded sentence in order. The words that introduce it give cues too, the last ones."""
    spans: list[tuple[float, str, int, int]] = []
    for match in _P["quantity"].finditer(text):
        unit = next(name for name in _UNITS if match[name] is not None)
        if unit == "place" and not match[unit] and "place" not in text[: match.start()]:
            continue
        # "Deux étages" are three storeys, with the ground floor.
        value = number_of(match["number"]) + ("etage" in match[unit]) + 0.5 * bool(match["half"])
        if match["cents"] and unit == "metre":
            value += number_of(match["cents"]) / 100
        end = match.end() if match["cents"] and unit == "metre" else match.end(unit)
        spans.append((value, "m NGF" if match["ngf"] else _UNITS[unit], match.start(), end))
    spans += [
        (round(float(match[0].replace(",", ".")) * 100, 2), "%", match.start(), match.end())
        for match in _P["bare_ratio"].finditer(text)
    ]
    spans += [
        *(
            (round(number_of(match[1] or "un") * _SHARES[match[2]], 2), "%", match.start(), match.end(2))
            for match in _P["share"].finditer(text)
        ),
        *((number_of(match[1] or match[2] or "0") + 1, "R+", *match.span()) for match in _P["storeys"].finditer(text)),
    ]
    spans += [
        (number_of(match["number"]), before[-1][1], *match.span("number"))
        for match in _P["in_sector"].finditer(text)
        if (before := [span for span in sorted(spans, key=lambda span: span[2]) if span[3] <= match.start()])
    ]
    spans.sort(key=lambda span: span[2])
    spans = [
        span
        for before, span in pairwise([(0.0, "", 0, 0), *spans])
        if span[:2] != before[:2] or text[before[3] : span[2]].strip() != "("  # "6 m (six mètres)" is one figure
    ]
    found = [Quantity(*span, _direction(spans, index, text, intro)) for index, span in enumerate(spans)]
    lows = [_P["lower_bound"].search(text[: quantity.start]) for quantity in found]
    # The lower end of a range is no figure of its own.
    return [
        replace(quantity, low=round(number_of(low[1]) * _scale(text, quantity), 2) if low else None)
        for quantity, low, following in zip(found, lows, [*lows[1:], None], strict=False)
        if not (following and following.start(1) <= quantity.start)
    ]


def _scale(text: str, quantity: Quantity) -> int:
    """What the lower end of a range is multiplied by: a bare ratio is a share of 100."""
    return 100 if _P["bare_ratio"].fullmatch(text, quantity.start, quantity.end) else 1


def _direction(spans: Sequence[tuple[float, str, int, int]], index: int, text: str, intro: str) -> str:
    start, end = spans[index][2:]
    if right := _P["right"].match(text[end : (spans[index + 1][2] if index + 1 < len(spans) else len(text))]):
        word = right["word"]
        is_condition = word.endswith("plus") and word != "au plus" and not _P["distant"].search(text[:start])
        is_least = re.match(r"au mo|au min|a min|min|ou plus|et plus|suffi", word)
        return CONDITION if is_condition else MIN if is_least else MAX
    previous_end = spans[index - 1][3] if index else 0
    cues = _cues(text, start)
    # "n'excède pas 60 m² et deux places au-delà": the words before a figure of another unit are for it alone.
    chosen = [cue for cue in cues if cue[2] > previous_end - 1] or [
        cue for cue in cues if next(span[1] for span in spans if span[2] >= cue[2] - 1) == spans[index][1]
    ]
    if not chosen:
        # "… à condition que sa hauteur n'excède pas 3 m. À défaut, elle est à 4 m": the bound is of the height.
        chosen = [cue for cue in _cues(_P["bounded_case"].sub("", intro[-400:]), 400) if cue[0] != CONDITION]
    elif chosen[-1][0] == CONDITION and not re.fullmatch(
        r"\s*(?:a |de |d'|la |une? |environ )*", text[chosen[-1][2] : start]
    ):
        chosen = [cue for cue in chosen if cue[0] != CONDITION]
    return chosen[-1][0] if chosen else ""


def _cues(text: str, end: int) -> list[tuple[str, int, int]]:
    """Returns the cues before a position, in order; one inside a longer one does not count."""
    found: list[tuple[str, int, int]] = []
    for cue_kind, pattern in _CUE_PATTERNS:
        for match in pattern.finditer(text, 0, end):
            is_condition = (
                "erieur" in match[0]
                and not _P["negation"].match(match[0])
                and _P["clause_of_condition"].search(text[: match.start()])
            )
            span = (CONDITION if is_condition else cue_kind, *match.span())
            # "quatre logements au plus, et de huit mètres": the bound is of what stands before it.
            if _P["of_count"].match(text, match.end()) or (
                _P["aside"].match(match[0])
                and _P["counted"].search(text, 0, match.start())
                and not _P["next"].match(text, match.end())
            ):
                continue
            if not any(low <= span[1] and span[2] <= high + 3 for _, low, high in found):
                found.append(span)
    return sorted(found, key=lambda cue: cue[2])
