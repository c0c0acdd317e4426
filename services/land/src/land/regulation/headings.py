"""Headings: which subject a title announces, and what it says of the rules under it.

The title decides, never the number: since 2016 plans number their articles freely.
"""

import re
from dataclasses import dataclass

from land.regulation.patterns import patterns
from land.regulation.text import one_line, title_text

_P = patterns("headings")
LABEL = _P["label"].pattern

ROAD = "road"
BOUNDARY = "boundary"
BETWEEN = "between"
FOOTPRINT = "footprint"
HEIGHT = "height"
GREEN = "green"
PARKING = "parking"
ACCESS = "access"
FENCE = "fence"
MIN_PLOT = "min_plot"
DENSITY = "density"
SITING = "siting"
"""A heading over several of the subjects above; each sentence says which one it means."""
FORBIDDEN = "forbidden"
CONDITIONAL = "conditional"
OTHER = "other"

CORE_TOPICS = (ROAD, BOUNDARY, BETWEEN, FOOTPRINT, HEIGHT, GREEN, PARKING, ACCESS, SITING)

MAIN = "main"
EXCEPTION = "exception"
PARTICULAR = "particular"
"""Rules called "particulières": exceptions after a general rule with a figure, else the rule itself."""
DEFINITION = "definition"
RECALL = "recall"
"""Law that the document repeats."""


_BETWEEN_WORDS = (
    r"unes par rapport|(?:une|des|aux) autres|meme (?:propriete|terrain|parcelle|unite|tenement)|entre (?:les |deux )?"
    r"(?:constructions|batiments)|autres constructions|entre (?:elles|eux)"
)
_TOPICS: tuple[tuple[str, str], ...] = (
    (FENCE, r"clotures?"),
    (PARKING, r"stationnement|nombre de places|\bgarer\b"),
    (
        HEIGHT,
        r"^\W*(?:la |les )?hauteurs?\b|\bquelles? hauteurs?\b|^\W*gabarits?\b|"
        r"hauteurs? (?:maxim|minim|des constr|absolue|relative|par rapport)",
    ),
    (BETWEEN, _BETWEEN_WORDS),
    (MIN_PLOT, r"(?:superficie|surface|caracteristiques?|taille)s? (?:minimales? )?des (?:terrains|parcelles|unites)"),
    (DENSITY, r"coefficient d'?\s?occupation|\bc\.?o\.?s\b|possibilites maximales|densite"),
    (FORBIDDEN, r"interdi(?:t|ct)"),
    (CONDITIONAL, r"soumis\w* a (?:des )?conditions?|admis\w*|autoris\w*|sous conditions?|conditions? particulieres"),
    (
        GREEN,
        r"espaces? (?:libres?|verts?|non batis?|plantes?|exterieurs?)|plantations?|pleine terre|vegetalis|permeab|"
        r"biotope|eco-?amenag|\bnature\b",
    ),
    (
        ACCESS,
        r"\bacce(?:s|der)\b|voirie|desserte par les voies|voies (?:nouvelles|publiques|privees) ?(?:et|ou|$)|^voies$|"
        r"^\W*(?:conditions? de )?dessertes?\b(?!.*(?:reseaux?|eaux?\b))",
    ),
)
_ASPECT = r"aspect|qualite|architectur|facades?|toitures?|materiaux|energ|performance|patrimoine"
_NETWORKS = r"reseaux?|eaux? |electric|assainissement|dechets|telecom|communications|ordures"

_KINDS: tuple[tuple[str, str], ...] = (
    (DEFINITION, r"^(?:definitions?|modalites?|modes? de (?:calcul|mesure)|lexique|principes? de (?:calcul|mesure))\b"),
    (RECALL, r"^rappels?\b"),
    (PARTICULAR, r"^(?:regles?|dispositions?|normes?) (?:particulieres?|specifiques?)"),
    (
        EXCEPTION,
        r"^(?:cas particuliers?|exceptions?|(?:regles?|dispositions?|implantations?) (?:alternatives?|"
        r"derogatoires?|differentes?|"
        r"autres)|autres (?:dispositions|implantations)|derogations?|adaptations?|"
        r"limites? d.application|champ d.application|"
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
    if match := _P["article"].match(line):
        title, mark = match["title"], match["mark"]
        if not title or mark or match["after"] or title[0].isupper():
            number = match["number"].replace(" ", "")
            zone = match["zone"] or match["zone2"] or ""
            return Heading(f"{zone} {number}".strip(), title.strip(), 1 if "." not in number else 2, zone)
    if match := _P["part"].match(line):
        return Heading(one_line(line[: match.start("title")]).strip(" -–—:."), match["title"].strip(), 0)
    if (match := _P["labelled"].match(line)) and len(line) < 130:
        title = match["title"]
        if title[:1].isupper() and not _P["bare_end"].search(title):
            number = match["number"]
            return Heading(f"{match['zone']} {number}", title.strip(), 1 + number.count("."), match["zone"])
    if match := _P["numbered"].match(line):
        number = match["number"].strip(" .)°/-")
        dots = len(re.findall(r"[.-]", number))
        rank = 1 + dots if dots else 5 if number.isdigit() else 4 if number.isupper() else 6
        return Heading(number, match["title"].strip(), rank)
    return None


def looks_like_title(title: str) -> bool:
    """Returns whether a text is short and has neither the verb nor the end of a sentence."""
    folded = title_text(title)
    return (
        0 < len(folded) <= 160
        and not _P["figure"].search(folded)
        and not _P["bare_end"].search(folded)
        and not _P["verb"].search(folded)
    )


def kind_of(text: str) -> str:
    """Returns the kind of the rules that a folded title announces, "" if it says nothing of it."""
    return next((kind for kind, pattern in _KINDS if re.search(pattern, text)), "")


def topic_of(text: str) -> str:
    """Returns the topic of a folded title, "" if it names none."""
    if re.search(r"cloture", text) and not re.search(r"implantation", text):
        return FENCE
    footprint = bool(re.search(r"emprise (?:au sol|batie)|\bces\b|^emprise$", text))
    height = bool(re.search(r"\bhauteurs?\b|gabarit", text))
    siting = bool(
        re.search(
            r"implantation|s'implanter|recul|retrait|marges?|prospect|par rapport (?:aux?|a la|a l)|distances?", text
        )
    )
    between = bool(re.search(_BETWEEN_WORDS, text))
    road = bool(re.search(r"\bvoies?\b|emprises? publiques?|alignement|domaine public|\brues?\b", text))
    boundary = bool(
        re.search(
            r"limites? (?:separatives?|laterales?|parcellaires?|de fond|de propriete|posterieures?)|fonds? de parcelle",
            text,
        )
    )
    if re.search(r"volumetrie|gabarits? et implantation", text) or (
        siting and (footprint or height) and not (road or boundary)
    ):
        return SITING
    if re.search(r"^\W*hauteurs?\b", text):
        return HEIGHT
    if footprint and not siting:
        return SITING if height else FOOTPRINT
    if road and re.search(r"emprises? publiques?|alignement", text) and not re.search(r"acces|dessert", text):
        siting = True
    if siting:
        named = [topic for topic, is_named in ((ROAD, road), (BOUNDARY, boundary), (BETWEEN, between)) if is_named]
        if len(named) == 1:
            return named[0]
        if named or re.search(r"implantation|s'implanter", text):
            return SITING
    for topic, pattern in _TOPICS:
        if re.search(pattern, text):
            return topic
    if boundary and not height:
        return BOUNDARY
    if re.search(_ASPECT, text) or re.search(_NETWORKS, text):
        return OTHER
    return ""


def is_bare_title(text: str) -> bool:
    """Returns whether a folded text without a number begins as the title of a subject does."""
    return bool(_P["bare_titles"].match(text)) or bool(kind_of(text))
