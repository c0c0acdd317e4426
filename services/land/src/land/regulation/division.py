"""The rule on land that is divided: whether rules are judged lot by lot or for the whole (R151-21)."""

import re

from land.regulation.patterns import patterns
from land.regulation.rule import Rule
from land.regulation.sentence import QUALITATIVE, Sentence, make_rule, words

_P = patterns("division")


def division(sentence: Sentence) -> Rule | None:
    """Returns the rule on land that is divided: judged lot by lot, or as a whole (R151-21)."""
    text = sentence.text
    whole = f"{sentence.intro} {text}"
    if not _P["division"].search(f"{whole} {sentence.heading}") and not re.search(
        r"(?:regles?|dispositions?)[^.;]{0,60}(?:s'apprecient|sont appreciee?s|s'appliquent|applicables?)", text
    ):
        return None
    # "à l'ensemble du projet et non à chaque lot": what is denied does not count.
    affirmed = re.sub(
        r"\b(?:non|pas) (?:a|par|pour|au regard de|sur) (?:chaque|chacun\w*|l'ensemble|la totalite)", "", text
    )
    lot, site = _P["per_lot"].search(affirmed), _P["whole"].search(affirmed)
    if re.search(r"ne s'oppose (?:pas|point)", text):
        lot, site = None, site or re.search("oppose", text)
    if lot and _P["recital"].search(text) and lot.start() >= (_P["recital"].search(text) or lot).start():
        lot = None
    if (
        lot
        and site
        and not re.search(r"et non|non a |non pas|au lieu|plutot", text)
        and not re.search(r"s'oppose|derog", text)
    ):
        return words(
            make_rule(sentence, "division_lots", QUALITATIVE, lot.start(), lot.end()), note="both readings are named"
        )
    if lot and (re.search(r"regles?|dispositions?|prescriptions?|s'oppose|r\.? ?\*? ?151-21|apprecie", text)):
        return make_rule(sentence, "division_lots", "per_lot", lot.start(), lot.end(), unit="")
    if site and re.search(r"regles?|dispositions?|apprecie|reglement", text):
        return make_rule(sentence, "division_lots", "whole_site", site.start(), site.end(), unit="")
    return None
