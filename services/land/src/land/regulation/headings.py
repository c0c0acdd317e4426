"""Headings: which subject a title announces, and what it says of the rules under it.

The title decides, never the number: since 2016 plans number their articles freely.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from land.regulation.patterns import patterns
from land.regulation.text import one_line, title_text

_P = patterns("headings")
LABEL = _P["label"].pattern

ROAD, BOUNDARY, BETWEEN, FOOTPRINT, HEIGHT, GREEN = "road", "boundary", "between", "footprint", "height", "green"
PARKING, ACCESS, FENCE, MIN_PLOT, DENSITY, OTHER = "parking", "access", "fence", "min_plot", "density", "other"
FORBIDDEN, CONDITIONAL, SITING = "forbidden", "conditional", "siting"
"""Topics. SITING is a heading over several of the first five; each sentence says which one it means."""

CORE_TOPICS = (ROAD, BOUNDARY, BETWEEN, FOOTPRINT, HEIGHT, GREEN, PARKING, ACCESS, SITING)

MAIN, EXCEPTION, DEFINITION, PARTICULAR, RECALL = "main", "exception", "definition", "particular", "recall"
"""Kinds. PARTICULAR is called "particulières": an exception after a general rule with a figure, else the rule itself.
RECALL is law that the document repeats.
"""
_WORDS = patterns("titles")
_TOPICS = tuple(
    (frozenset(needed.split()), frozenset(excluded.split()), topic)
    for needed, excluded, topic in (
        # words of a title, words that it has not, its topic; the first row that fits
        ("fence", "implanting", FENCE),
        ("volumes", "", SITING),
        ("siting footprint", "road boundary", SITING),
        ("siting height", "road boundary", SITING),
        ("begins_with_height", "", HEIGHT),
        ("footprint height", "siting", SITING),
        ("footprint", "siting", FOOTPRINT),
        ("siting road", "boundary between", ROAD),
        ("siting boundary", "road between", BOUNDARY),
        ("siting between", "road boundary", BETWEEN),
        ("siting road", "", SITING),
        ("siting boundary", "", SITING),
        ("implanting", "", SITING),
        ("road road_edge", "access_word boundary between", ROAD),
        ("road road_edge", "access_word", SITING),
        ("fence", "", FENCE),
        ("parking", "", PARKING),
        ("of_height", "", HEIGHT),
        ("between", "", BETWEEN),
        ("min_plot", "", MIN_PLOT),
        ("density", "", DENSITY),
        ("forbidden", "", FORBIDDEN),
        ("conditional", "", CONDITIONAL),
        ("green", "", GREEN),
        ("access", "", ACCESS),
        ("boundary", "height", BOUNDARY),
        ("siting", "other", SITING),
        ("other", "", OTHER),
    )
)

_KINDS: tuple[tuple[str, str], ...] = (
    (
        DEFINITION,
        r"^(?:definitions?|modalites?|modes? de (?:calcul|mesure)|lexique|principes? de (?:calcul|mesure)|"
        r"champs? d.application)\b",
    ),
    (RECALL, r"^rappels?\b"),
    (PARTICULAR, r"^(?:regles?|dispositions?|normes?) (?:particulieres?|specifiques?)"),
    (
        EXCEPTION,
        r"^(?:cas particuliers?|exceptions?|(?:regles?|dispositions?|implantations?) (?:alternatives?|"
        r"derogatoires?|differentes?|"
        r"autres)|autres (?:dispositions|implantations)|derogations?|adaptations?|"
        r"limites? d.application|"
        r"constructions existantes|dispositions? (?:propres|relatives) aux constructions existantes|exemptions?)",
    ),
    (
        MAIN,
        r"^(?:regles?|principes?|dispositions?|cas|normes?) (?:generales?|generaux|general|communes?|de base)"
        r"|^(?:la )?(?:regles?|principes?)$",
    ),
)


LAW_ARTICLES = {
    "R111-16": ROAD,
    "R111-17": BOUNDARY,
    "R111-25": PARKING,
    "L111-6": ROAD,
    "L111-3": CONDITIONAL,
    "R111-5": ACCESS,
    "R111-18": OTHER,
}
"""Articles of the national rules (Code de l'urbanisme), which have no titles."""


@dataclass(frozen=True)
class Heading:
    """A heading. `rank` orders numbering: a part is 0, an article 1, "4.1" 2, "4.1.1" 3, "1)" 5, "a)" 6, none 7."""

    number: str
    title: str
    rank: int
    zone: str = ""

    @property
    def text(self) -> str:
        """The title as patterns match it."""
        return title_text(self.title).lstrip("-•* ")


def parse_heading(raw: str) -> Heading | None:
    """Returns the heading that a line has by its numbering, None for a line without one."""
    line = raw.strip()
    if match := _P["law_article"].match(line):
        return Heading(f"{match['number']}{match['digits']}", "", 1)
    match = _P["article"].match(line)
    if match and (not match["title"] or match["mark"] or match["after"] or match["title"][0].isupper()):
        number, zone = match["number"].replace(" ", ""), match["zone"] or match["zone2"] or ""
        return Heading(
            f"{zone} {number}".strip(),
            match["title"].strip(),
            1 if re.fullmatch(r"\w+(?:[-–—]\d+)*", number) else 2,
            zone,
        )
    if match := _P["part"].match(line):
        return Heading(one_line(line[: match.start("title")]).strip(" -–—:."), match["title"].strip(), 0)
    match = _P["labelled"].match(line) if len(line) < 130 else None
    is_marked = (
        match
        and line[: match.start("title")].rstrip().endswith((":", "-", "–", "—"))
        and topic_of(title_text(match["title"]))
    )
    if match and (match["title"][:1].isupper() or is_marked) and not _P["bare_end"].search(match["title"]):
        depth = 1 + len(_P["separator"].findall(match["number"])) if re.search(r"\d", match["number"]) else 0
        return Heading(f"{match['zone']} {match['number']}", match["title"].strip(), depth, match["zone"])
    if match := _P["numbered"].match(line):
        number = match["number"].strip(" .)°/:-–—")
        dots = len(_P["separator"].findall(number))
        rank = 5 if number.isdigit() else 4 if number.isupper() else 6
        is_article = dots or match["word"] or (match["label"] and match["title"][0].isupper())
        return Heading(number, match["title"].strip(), 1 + dots if is_article else rank)
    return None


def looks_like_title(title: str) -> bool:
    """Returns whether a text is short and has neither the verb nor the end of a sentence."""
    folded = title_text(title)
    return (
        0 < len(folded) <= 160
        and not _P["figure"].search(folded)
        and not _P["bare_end"].search(folded)
        and (folded.endswith("?") or not _P["verb"].search(folded))
    )


def kind_of(text: str) -> str:
    """Returns the kind of the rules that a folded title announces, "" if it says nothing of it."""
    return next((kind for kind, pattern in _KINDS if re.search(pattern, text)), "")


@lru_cache(maxsize=4096)
def topic_of(text: str) -> str:
    """Returns the topic of a folded title, "" if it names none."""
    named = {name for name, pattern in _WORDS.items() if pattern.search(text)}
    return next((topic for needed, excluded, topic in _TOPICS if needed <= named and not excluded & named), "")


def is_bare_title(text: str) -> bool:
    """Returns whether a folded text without a number begins as the title of a subject does."""
    return bool(_P["bare_titles"].match(text)) or bool(kind_of(text))


def split_run_in(text: str) -> tuple[str, str]:
    """Returns title and text of "Emprise au sol : elle ne peut…" and "Par rapport aux voies Les implantations…"."""
    if match := _P["colon"].match(text):
        return match[1], match[2]
    match = _P["kind_run_in"].match(text)
    match = match if match and kind_of(title_text(match[1])) else _P["full_stop"].match(text)
    return (match[1], match[2]) if match else (text.rstrip(": "), "")


def is_named_title(title: str) -> bool:
    """Returns whether a folded title names a subject or a kind of rules."""
    return bool(topic_of(title) or kind_of(title))
