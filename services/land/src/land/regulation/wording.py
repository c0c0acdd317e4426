"""What the words of a sentence say of its rules: main or exception, for which buildings, on the map, not regulated."""

import re

from land.regulation.patterns import patterns
from land.regulation.rule import ALTERNATIVE, EXCEPTION, MAIN, MAY_BE_IMPOSED

_P = patterns("wording")

_USES: tuple[tuple[str, str], ...] = (
    ("social housing", r"logements? (?:locatifs? )?(?:soci|finances|aides?\b|conventionnes?)|pret aide"),
    (
        "other than dwelling",
        r"autres? (?:constructions?|batiments?|destinations?|usages?)\b(?! (?:destinee?s?|"
        r"a usage) (?:a |d')?(?:l')?habitation)|autres? (?:que (?:l'|d')?habitation|"
        r"que celles destinees a l'habitation)|autres qu'a usage d'habitation",
    ),
    ("leisure", r"(?:habitations?|residences?) (?:legeres?|mobiles?|demontables?|de (?:loisirs?|tourisme))"),
    ("farm", r"agricoles?|batiments? d'exploitation|exploitation agricole|silos?"),
    ("hotel", r"hotel|hebergement hotelier|chambres?"),
    ("restaurant", r"restaura(?:nt|tion)"),
    ("office", r"bureaux?|tertiaire"),
    ("shop", r"commerc|surface de vente|magasin"),
    ("industry", r"industri|entrepots?|logisti"),
    ("craft", r"artisan"),
    ("activities", r"activites?"),
    ("public equipment", r"equipements?|services? publics?|enseignement|scolaire|salles?(?! de restaurant)|spectacle"),
    ("health and care", r"foyers?|personnes agees|residences?|clinique|hopita|sante|lits?"),
    ("dwelling", r"habitations?|logements?|logts?\b|habitat\b|maisons?|collectifs?\b|individuel"),
)


def kind_at(text: str, position: int, intro: str = "", *, use_matters: bool = False) -> str:
    """Returns the kind of rule that a folded sentence states at a position."""
    window = re.sub(r"^\W*\d+(?:\.\d+)*[\s.)-]+", "", text[:position])
    end = re.search(r"[;.]|, |\bet\b", text[position:])
    after = text[position : position + (end.start() if end else len(text))]
    whole = f"{intro} {window}" if intro else window
    clause = re.split(r"[;:]", window)[-1] + re.split(r"[;.]|\bdont\b|, (?:et|mais)\b", text[position:])[0]
    if _P["imposed"].search(text):
        return MAY_BE_IMPOSED
    if _P["discretion"].search(text) or _P["relaxed"].search(whole) or _P["relaxed"].search(after):
        return ALTERNATIVE
    neutral = without_neutral(whole)
    last = f"{intro[-200:].rsplit('. ', maxsplit=1)[-1].replace('nonobstant', '')} {window}" if intro else window
    is_exception = (
        any(_P["exception_start"].search(without_neutral(part)) for part in (last, window))
        or is_special(neutral)
        or _P["case_after"].search(without_neutral(after))
        or (is_special(after) and re.search(r"\bpour (?:les|l'|des|une?)\b|\bdes (?:annexes|extensions)", after))
        or any(not (use_of(one) or _P["for_all"].search(one)) for one in _P["for_some"].findall(after))
        or not (use_matters or not _P["for_use"].match(neutral) or use_of(neutral))
        or is_particular(clause)
    )
    return EXCEPTION if is_exception else MAIN


def without_neutral(text: str) -> str:
    """Returns a folded text without conditions that make no exception: "si elle n'est pas en limite, …"."""
    return _P["neutral"].sub(" ", text).strip()


def is_special(window: str) -> bool:
    """Returns whether the words before a figure are about annexes, extensions or other special works."""
    return bool(_P["special"].search(_P["left_out"].sub(" ", window)))


def is_particular(text: str) -> bool:
    """Returns whether a clause is about a place, a work or an operation of some, and no size of land says which."""
    return bool(_P["particular"].search(text)) and not stated("size", text)


def use_of(text: str) -> str:
    """Returns the use of buildings that a folded text names first, "" if none."""
    hits = [
        (match.start() if rank > 1 else -1, rank, use)  # the first two are special cases of others
        for rank, (use, pattern) in enumerate(_USES)
        if (match := re.search(rf"\b(?:{pattern})", text))
    ]
    return min(hits)[2] if hits else ""


def stated(name: str, text: str) -> str:
    """Returns the words of a folded text that name a flat roof, the size of the land, other land or a denial, or ""."""
    return (_P[name].search(text) or [""])[0]


def is_plain_denial(text: str) -> bool:
    """Returns whether a folded sentence says only that: without a use, a special work or a condition."""
    is_limited = len(text) > 140 or _P["limited"].search(text) or is_special(text) or use_of(text)
    return bool(stated("not_regulated", text)) and not is_limited


def is_on_map(text: str) -> bool:
    """Returns whether a folded sentence sends to a graphic document for the rule itself."""
    match = _P["map"].search(text)
    return match is not None and not _P["map_other"].search(text[max(0, match.start() - 120) : match.end() + 60])
