"""The rule on land that is divided: whether rules are judged lot by lot or for the whole (R151-21)."""

import re

from land.regulation.passages import Passage
from land.regulation.rule import Rule
from land.regulation.sentence import QUALITATIVE, make_rule, words

_DIVISION = re.compile(
    r"lotissements?|division|r\.? ?\*? ?151-21|r\.? ?\*? ?123-10-1|en propriete ou en jouissance|divise"
)
_PER_LOT = re.compile(
    r"(?:a|par|pour|sur|au regard de|de|dans) chacun(?:e)? des (?:lots|terrains|parcelles|"
    r"constructions|unites)|(?:a|par|pour|au regard de|a l'echelle de|au niveau de) chaque (?:lot|"
    r"terrain|parcelle|construction|unite|propriete|batiment)|"
    r"chaque (?:lot|terrain|parcelle) (?:\w+ )?issue? d|151-21[^.;]{0,60}?(?:ne s'appliqu\w* pas|n'est pas applicable)|"
    r"lot par lot|terrain par terrain|batiment par batiment|par lots? issus?|(?:reglement|plan|"
    r"plu)\b[^.;]{0,60}\bs'oppose\b|s'oppose[^.;]{0,60}(?:151-21|123-10)|non a l'ensemble|"
    r"et non (?:pas )?(?:au regard|a l'echelle|a l'ensemble|sur l'ensemble)"
)
_WHOLE = re.compile(
    r"(?:l'ensemble|la totalite|l'integralite) (?:du projet|de l'operation|du terrain|de l'unite|"
    r"du lotissement|du perimetre|des lots)|globalement|apprecie\w* (?:globalement|dans (?:son|"
    r"leur) ensemble)|(?:a l'echelle|au niveau) (?:de l'(?:operation|ensemble)|du projet)"
)
_RECITAL = re.compile(r"sauf (?:si|lorsque)[^.;]{0,80}s'y oppose")


def division(passage: Passage) -> Rule | None:
    """Returns the rule on land that is divided: judged lot by lot, or as a whole (R151-21)."""
    text = passage.text
    whole = f"{passage.intro} {text}"
    if not _DIVISION.search(f"{whole} {passage.heading}") and not re.search(
        r"(?:regles?|dispositions?)[^.;]{0,60}(?:s'apprecient|sont appreciee?s|s'appliquent|applicables?)", text
    ):
        return None
    # "à l'ensemble du projet et non à chaque lot": what is denied does not count.
    affirmed = re.sub(
        r"\b(?:non|pas) (?:a|par|pour|au regard de|sur) (?:chaque|chacun\w*|l'ensemble|la totalite)", "", text
    )
    lot, site = _PER_LOT.search(affirmed), _WHOLE.search(affirmed)
    if re.search(r"ne s'oppose (?:pas|point)", text):
        lot, site = None, site or re.search("oppose", text)
    if lot and _RECITAL.search(text) and lot.start() >= (_RECITAL.search(text) or lot).start():
        lot = None
    if (
        lot
        and site
        and not re.search(r"et non|non a |non pas|au lieu|plutot", text)
        and not re.search(r"s'oppose|derog", text)
    ):
        return words(
            make_rule(passage, "division_lots", QUALITATIVE, lot.start(), lot.end()), note="both readings are named"
        )
    if lot and (re.search(r"regles?|dispositions?|prescriptions?|s'oppose|r\.? ?\*? ?151-21|apprecie", text)):
        return make_rule(passage, "division_lots", "per_lot", lot.start(), lot.end(), unit="")
    if site and re.search(r"regles?|dispositions?|apprecie|reglement", text):
        return make_rule(passage, "division_lots", "whole_site", site.start(), site.end(), unit="")
    return None
