"""Headings: which subject a title announces, and what it says of the rules under it.

The title decides, never the number: since 2016 plans number their articles freely.
"""

import re
from dataclasses import dataclass

from land.regulation.text import one_line, title_text

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

LABEL = r"\d{0,2}[A-Z]{1,4}\d{0,2}[a-zA-Z]{0,3}\d{0,2}(?:[-.](?:\d{1,2}|[a-z]{1,2}))?(?:\([a-z0-9]{1,3}\))?"

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

_ZONE = (
    r"\d{0,2}(?:AU|[UAN])[A-Za-z]{0,3}\d{0,2}[a-z]{0,3}(?:[-.](?:[a-z]{1,2}|"
    r"\d(?!\d)(?=[\s.]*[-–—]?\s*\d)))?(?:\([a-z0-9]{1,3}\))?"
)
"""The label of a zone where a number follows or stands before it."""
_ARTICLE = re.compile(
    rf"^\W{{0,4}}(?:ARTICLE|Article|ART\.|Art\.)\s*(?:[-–—]\s*)?(?:(?P<zone>{_ZONE})\s*)?"
    rf"(?:[-–—.]\s*)?(?:[Nn]°\s*)?(?P<number>\d{{1,2}}(?:\s?[.-]\s?\d{{1,2}})*)"
    rf"(?P<after>\s*[-–—]?\s*(?P<zone2>{_ZONE})(?=\s*(?:[-–—:]|$)))?\s*(?P<mark>[-–—:.)\s]*)(?P<title>.*)$"
)
_LABELLED = re.compile(
    rf"^\W{{0,3}}(?P<zone>{_ZONE})\s*[-–.]?\s*(?P<number>(?:\d{{1,2}}|"
    rf"[IVX]+(?=[.-]\d))(?:[.-]\d{{1,2}})*)[\s–—:.)-]*(?P<title>.*)$"
)
_NUMBERED = re.compile(
    r"^\W{0,3}(?P<number>(?:\d{1,2}|[IVX]{1,4}|[A-Z])(?:[.-]\d{1,2})+\.?|\d{1,2}\s?[.)°/-]|"
    r"[IVX]{1,4}\s?[.)/-]|[A-Z]\d{1,2}\s?[.)]|[A-Za-z]\s?[.)])\s*"
    r"[-–—:]?\s*(?P<title>[^\W\d_].*)$"
)
_PART = re.compile(
    rf"^\W{{0,3}}(?:{LABEL}\s*[-–—:]\s*)?(?:TITRE|Titre|CHAPITRE|Chapitre|SECTION|Section|(?:SOUS|"
    rf"Sous)-(?:SECTION|Section|section)|PARTIE|Partie|"
    rf"TH[EÈ]ME|Thème|PARAGRAPHE|Paragraphe)\s+(?:{LABEL}\s+(?=[IVX\d]))?(?P<number>[IVXLC]+|"
    rf"\d+(?:\.\d+)*|[A-Z]|PREMIER|premier)\b(?!['’])\s*[-–—:.]*\s*(?P<title>.*)$"
)
_BARE_END = re.compile(r"[.;,!]$")
_FIGURE = re.compile(
    r"(?:\d|\b(?:une?|deux|trois|quatre|cinq)) ?(?:m\b|m[²2]|%|metres?\b|places?\b)(?! (?:de profondeur|compte))"
)
_VERB = re.compile(
    r"\b(?:est|sont|doit|doivent|devra|devront|peut|peuvent|pourra|pourront|sera|seront|ne|n'|"
    r"respecte\w*|s'implant(?!er\b)\w*|comporte)\b"
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
_LAW_ARTICLE = re.compile(
    r"^\W{0,3}(?:ARTICLE|Article|Art\.)\s*(?P<number>[LRD])\.?\s*\*?(?P<digits>\d{3}-\d{1,3}(?:-\d)?)\W*$"
)


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
    if match := _LAW_ARTICLE.match(line):
        return Heading(f"{match['number']}{match['digits']}", "", 1)
    if match := _ARTICLE.match(line):
        title, mark = match["title"], match["mark"]
        if not title or mark or match["after"] or title[0].isupper():
            number = match["number"].replace(" ", "")
            zone = match["zone"] or match["zone2"] or ""
            return Heading(f"{zone} {number}".strip(), title.strip(), 1 if "." not in number else 2, zone)
    if match := _PART.match(line):
        return Heading(one_line(line[: match.start("title")]).strip(" -–—:."), match["title"].strip(), 0)
    if (match := _LABELLED.match(line)) and len(line) < 130:
        title = match["title"]
        if title[:1].isupper() and not _BARE_END.search(title):
            number = match["number"]
            return Heading(f"{match['zone']} {number}", title.strip(), 1 + number.count("."), match["zone"])
    if match := _NUMBERED.match(line):
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
        and not _FIGURE.search(folded)
        and not _BARE_END.search(folded)
        and not _VERB.search(folded)
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


_BARE_TITLES = re.compile(
    r"^(?:\W*)(?:par rapport (?:aux?|a la|a l')|implantations?\b|emprise(?: au sol|$)|gabarits?$|sur une? meme|"
    r"coefficient d'emprise|hauteurs?\b|stationnement|espaces? "
    r"(?:libres?|verts?|non batis|de pleine terre)|dessertes?$|pleine terre|"
    r"limites? (?:separatives?|laterales?|de fond|"
    r"posterieures?)|limites? de fond|clotures?|acces\b|"
    r"voirie|voies\b|(?:distances? )?entre (?:deux |les )?(?:batiments|constructions)|"
    r"distances? entre|coefficient de (?:pleine|biotope)|surfaces? (?:non )?"
    r"(?:impermeab|vegetal|permeab|eco)|facades?|toitures?|"
    r"volumes?\b|obligations? en matiere|plantations?)"
)


def is_bare_title(text: str) -> bool:
    """Returns whether a folded text without a number begins as the title of a subject does."""
    return bool(_BARE_TITLES.match(text)) or bool(kind_of(text))
