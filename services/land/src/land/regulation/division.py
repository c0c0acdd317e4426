"""The rule on land that is divided: whether rules are judged lot by lot or for the whole (R151-21)."""

import re

from land.regulation.patterns import patterns
from land.regulation.rule import Rule
from land.regulation.sentence import QUALITATIVE, Sentence, make_rule, words

_P = patterns("division")


def division(sentence: Sentence) -> Rule | None:
    """Returns the rule on land that is divided: judged lot by lot, or as a whole (R151-21)."""
    text = sentence.text
    about = f"{sentence.intro} {text} {sentence.heading}"
    # "à l'ensemble du projet et non à chaque lot": what is denied does not count.
    lot, site, recital = (
        _P[name].search(_P["denied_reading"].sub("", text)) for name in ("per_lot", "whole", "recital")
    )
    if _P["not_opposed"].search(text):
        lot, site = None, site or re.search("oppose", text)
    lot = None if lot and recital and lot.start() >= recital.start() else lot
    is_both = lot and site and not _P["one_of_two"].search(text)
    is_rule, match = _P["rules" if lot else "rules_of_site"].search(f"{sentence.heading} {text}"), lot or site
    if (
        not match
        or not sentence.is_own
        or not (_P["division"].search(about) or _P["judged"].search(text))
        or not (is_both or is_rule)
    ):
        return None
    rule = make_rule(
        sentence,
        "division_lots",
        QUALITATIVE if is_both else "per_lot" if lot else "whole_site",
        match.start(),
        match.end(),
    )
    return words(rule, note="both readings are named") if is_both else rule


def is_beside_division(sentence: Sentence) -> bool:
    """Returns whether a sentence only leaves something out of the rule before it, or repeats the law."""
    return bool(_P["exception"].match(sentence.text) or _P["recital"].search(sentence.text))
