"""Letters that a plan writes for what it measures: "HF = hauteur au faîtage", then "HF ≤ 9 m"."""

import re
from bisect import bisect_left
from collections.abc import Mapping

from land.regulation.patterns import patterns
from land.regulation.text import Folded, fold, plain

_P = patterns("symbols")


def symbols_of(text: str) -> dict[str, str]:
    """Returns the folded words that a text defines for letters and then gives figures for, the first of each."""
    names = [
        (match["letter"] or match["letter2"], plain(match["name"] or match["name2"]).replace(",", ""))
        for match in _P["legend"].finditer(text)
    ]
    measures = {letter: name for letter, name in reversed(names) if _P["measure"].search(name)}
    used = {match[1] for match in _P["used"].finditer(text)} & {*measures}
    # "La distance entre tout point de la façade et la limite": what is measured comes first.
    return {letter: _P["ends"].split(name)[0] for letter, name in measures.items() if letter in used or len(used) > 1}


def spelled_out(raw: str, symbols: Mapping[str, str]) -> Folded:
    """Returns the folded text with the words of its letters. Heights inside a formula stay letters: "L ≥ H/2"."""
    folded, letters = fold(raw), "|".join(sorted(map(re.escape, symbols), key=len, reverse=True)) or "$."
    pattern = rf"(?<![\w.'’/+-])(?<![≥=>] )(?:{letters})(?![\w.'’]| ?[/+]| ?[-–] ?\d| ?[=:] ?[a-zà-ÿ])"
    return folded.with_words(
        [
            (
                bisect_left(folded.positions, match.start()),
                bisect_left(folded.positions, match.end()),
                symbols[match[0]],
            )
            for match in re.finditer(pattern, raw)
        ]
    )
