"""Scopes: the sectors, the part of the map and the band of land that a rule is for."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from land.regulation.headings import parse_heading, topic_of
from land.regulation.patterns import patterns
from land.regulation.text import plain

_P = patterns("scopes")
LEADING_SCOPE = _P["leading_scope"]
Columns = tuple[frozenset[str], frozenset[str]]


@dataclass(frozen=True)
class Scope:
    """Where a rule applies. No labels and no map is everywhere in the zone."""

    included: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    is_everywhere: bool = False
    map: str = ""
    band: str = ""

    def applies(self, zone: "Zone") -> bool:
        """Returns whether the rule is one of the zone, by its labels alone."""
        return (not self.included or zone.is_among(self.included)) and not zone.labels & self.excluded


@dataclass(frozen=True)
class Zone:
    """The zone that is read: its own label, the labels that it is a sector of, and its sectors."""

    own: frozenset[str]
    parents: frozenset[str]
    sectors: frozenset[str]
    known: frozenset[str]
    """All sectors that the chapter names, and the labels of the zone."""
    height_point: str = ""
    """The point up to which the document measures heights, "" if it does not say."""
    columns: Columns = (frozenset(), frozenset())
    """The columns of a table of places: the zone's own, and all."""

    @property
    def labels(self) -> frozenset[str]:
        """All labels whose rules are for the zone. "UB*" is the zone UB outside its sectors."""
        return self.own | self.parents | {f"{label}*" for label in self.own}

    @property
    def of_parking(self) -> "Zone":
        """The zone for rules on parking, for which its column of a table is a part of its name."""
        own, named = self.columns
        return replace(self, parents=self.parents | own, known=self.known | named)

    def is_among(self, labels: frozenset[str]) -> bool:
        """Whether these labels name the zone. "UB et UBa" is not the sector UBp of UB, which "UB" alone is; all sectors
        together are the zone.
        """
        named = tuple(labels & self.parents)
        has_sibling = any(label.startswith(named) for label in labels - self.labels)
        return bool(labels & (self.labels - self.parents if has_sibling else self.labels)) or (
            len(self.sectors) > 1 and self.sectors <= labels
        )


@dataclass(frozen=True)
class Mention:
    """Labels of sectors that stand together in a text, and where."""

    start: int
    end: int
    labels: frozenset[str]
    is_excluded: bool


def columns_of(texts: Sequence[str], zone: Zone) -> Columns:
    """Returns the columns of a table of places that are for the zone, and all columns that the texts name.

    "Le secteur UR1 relève de la colonne P1, les secteurs UR2 et UR3 de la colonne P2."
    """
    stated = [
        (match[1], [group for group in mentions(sentence, zone.known) if group.end <= match.start()])
        for sentence in _P["stop"].split("\n".join(texts))
        if _P["stands_in"].search(sentence)
        for match in _P["column"].finditer(sentence)
    ]
    own = frozenset(name for name, before in stated if before and zone.is_among(before[-1].labels))
    return own, frozenset(name for name, before in stated if before)


def sector_labels(texts: Iterable[str], stems: Iterable[str]) -> frozenset[str]:
    """Returns the labels in the texts that are sectors of one of the stems: UBa and UBb of UB."""
    pattern = re.compile(
        rf"(?<![\w.])((?:{'|'.join(map(re.escape, stems)) or '$.'})"
        r"(?:-?\d{1,2}(?!\d|[.,]\d)|[a-z]{1,3}\d{0,2})(?:\([a-z0-9]+\))?)(?![A-Za-z])"
    )
    matches = [(text, match) for text in texts for match in pattern.finditer(text)]
    # "UX1 – Destinations" is no sector if "UX2 – Recul sur les voies" is the number of a heading.
    is_numbered = any(_is_number(text, match) for text, match in matches)
    return frozenset(
        match[1]
        for text, match in matches
        if not re.search(r"[Aa]rticles?\s*$", text[: match.start()])
        and not (is_numbered and re.search(r"[A-Z]-?\d+$", match[1]))
    )


def _is_number(text: str, match: re.Match[str]) -> bool:
    """Returns whether a label is the number of a heading: "UC-4 – Implantation par rapport aux voies"."""
    heading = None if text[: match.start()].strip() else parse_heading(text)
    return heading is not None and heading.zone != "" and heading.zone != match[1] and topic_of(heading.text) != ""


def mentions(raw: str, known: frozenset[str]) -> list[Mention]:
    """Returns the groups of sector labels in a text. A word without "secteur" counts only if it is a known sector."""
    groups: list[Mention] = []
    # "5AU-1et 5AU-2", "A (cr)": a label may touch the next word, or be parted from its sign. Lengths stay.
    raw = re.sub(r"(?<=\d)et ", ",  ", raw)
    raw = re.sub(r"\b([A-Z]{1,3}[a-z]?) (\([a-z0-9]{1,3}\))", r"\1\2 ", raw)
    for match in _P["group"].finditer(raw):
        labels, has_word = frozenset(_P["label"].findall(match["labels"])), bool(match["word"])
        labels = labels if has_word else labels & known
        before = plain(raw[: match.start()])
        if not labels or re.search(r"\b(?:articles?|art\.)\s*$", before) or _P["border"].search(before):
            continue
        start = match.start() if has_word else match.start("labels")
        excluded = bool(_P["except"].search(re.split(r"[);]|\d ?(?:m\b|%)", before[-40:])[-1]))
        is_outside = _P["outside_sectors"].match(plain(raw[match.end() : match.end() + 40]))
        labels = frozenset(f"{label}*" for label in labels) if is_outside else labels
        if (
            groups
            and groups[-1].is_excluded == excluded
            and re.fullmatch(r"\W*(?:et|ou|,)?\W*(?:en|dans les?|le|les)?\W*", plain(raw[groups[-1].end : start]))
        ):
            previous = groups.pop()
            start, labels = previous.start, previous.labels | labels
        groups.append(Mention(start, match.end(), labels, excluded))
    return groups


def scope_of(raw: str, known: frozenset[str]) -> Scope:
    """Returns the scope that a line or the beginning of a sentence states."""
    text, groups = plain(raw), mentions(raw, known)
    included = frozenset(label for group in groups if not group.is_excluded for label in group.labels)
    excluded = frozenset(label for group in groups if group.is_excluded for label in group.labels)
    everywhere, of_perimeter = bool(_P["all"].search(text)), bool(re.search(r"perimetres?|\bindices?\b", text))
    is_on_map = of_perimeter if included or everywhere else _P["map"].search(text)
    included = frozenset() if everywhere and excluded else included
    return Scope(included, excluded, everywhere, text if is_on_map else "", band_of(text))


def band_of(text: str) -> str:
    """Returns the band of land that a folded text names: "0 to 18 m", "beyond 18 m", or no figure."""
    beyond, within = _P["beyond"].search(text), _P["within"].search(text)
    if match := None if is_of_any_band(text) else beyond or within:
        # Up to the comma: the next figure is a distance.
        metres = _P["metres"].search(_P["comma"].split(text[match.start() :])[0])
        figure = metres[1].replace(",", ".") if metres else ""
        return (f"beyond {figure} m" if figure else "beyond") if beyond else f"0 to {figure} m" if figure else "within"
    return ""


def is_of_any_band(text: str) -> bool:
    """Returns whether a folded text says that its rule is the same in and beyond the band."""
    return bool(_P["any_band"].search(text))


def is_scope_line(raw: str) -> bool:
    """Returns whether a line only says where the next rules apply."""
    text = plain(raw).rstrip(" :.")
    return (
        bool(_P["scope_line"].match(text))
        and not (len(text) > 60 and raw.rstrip().endswith("."))
        and not _P["of_table"].search(text)
        and not _P["no_scope"].search(text)
        and not re.search(
            r"(?<!\w)\d+\s?(?:m\b|%|metres?\b)(?! de profondeur| compte)",
            text.replace("profondeur de", "", 1) if "profondeur" not in text and "bande" not in text else "",
        )
    )
