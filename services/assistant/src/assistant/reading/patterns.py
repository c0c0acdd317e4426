"""Patterns over rows of tags.

A row has one letter for each tag, so that a place in a row is the place of a token. The language of the patterns is
described in `project.toml`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

_STOPS = (
    ".", "AREA", "NUM", "LOT", "TAB", "LAND", "SELL", "DETACH", "DIVIDE", "REST", "RESTFOR", "SHARE", "DEMOLISH",
    "PARCEL", "TAKEN", "USED", "HEIGHT", "FOOTPRINT", "SETBACK", "b",
)  # fmt: skip
"""Tags of words that a gap `<n>` does not pass."""
POSITIONS = ("FRONT", "BACK", "NORTH", "EAST", "SOUTH", "WEST", "LEFT", "RIGHT")
_ALSO = {
    "LOT": ("LOT", "PARCEL", "TAB"), "DET": ("DET", "A"), "POS": POSITIONS, "BUILD": ("BUILD", "IBUILD"),
    "ADJ": ("ADJ", "SINGLE", "TENANT"), "CREATE": ("CREATE", "WANT"), "BUY": ("BUY", "BUYFROM"),
    "FILLER": ("FILLER", "PREP", "SUBJ", "BUT", "MUST", "ALREADY", "BETWEEN", "ME", "JUST"),
    "WITH": ("WITH", "ON"),
    "THING": ("KEPTOUT", "OUTHOUSE"), "GROUND": ("GROUND", "BIT"), "ROUND": ("CLEAR", "SERVE", "APART"),
    "NAME": ("NUM", "ONE", "A", "b", "c", "d", "e", "f"),
}  # fmt: skip
"""Tags that patterns mean with another one: a "TAB" is a lot to build on, "a" is an article in English."""
_FIRST_LETTER, _OTHER = 0xE000, "\N{REPLACEMENT CHARACTER}"


class Token(NamedTuple):
    """A word, a phrase or a quantity: its place in the text, its tag, and the value of a quantity (m², m, a ratio)."""

    start: int
    end: int
    tag: str
    value: float = 0.0
    unit: float = 1.0
    """The size of the unit of an area in m²."""
    least: float | None = None
    """The lower bound of a range, or the shorter one of two sides; None for a plain value."""
    most: float | None = None


class Pattern(NamedTuple):
    options: Mapping[str, Any]
    """The entry of the table that has the pattern."""
    regex: re.Pattern[str]
    needed: tuple[int, ...]
    """One tag of each of these sets is in every text that the pattern fits, the rarest set first. A set of tags is the
    number with their bits."""
    without: int
    """None of these is."""
    unless: frozenset[str]
    """Neither has what is just before a match."""

    def may_match(self, present: int) -> bool:
        """Whether a row with these tags may have a match."""
        if self.without & present:
            return False
        for tags in self.needed:  # noqa: SIM110 (a generator takes twice as long, for each of 400 patterns)
            if not tags & present:
                return False
        return True

    def matches(self, row: str) -> Iterator[dict[str, int]]:
        """The places of the named tokens of each match, with its `start` and `end`, and with those of its gaps."""
        names = self.regex.groupindex
        for match in self.regex.finditer(row):
            places = {name: place for name in names if (place := match.start(name)) >= 0}
            places |= {f"end_{name}": match.end(name) for name in places if name.startswith("gap")}
            yield places | {"start": match.start(), "end": match.end()}


class Alphabet:
    """The letters of the tags that some patterns name; all other tags share one."""

    def __init__(self, patterns: Iterable[str]) -> None:
        tags = {tag for pattern in patterns for tag in re.split(r"[ |=!^?*<>]+", pattern)} - {"", "OTHER"}
        tags = tags.union(_STOPS, *(_ALSO[tag] for tag in tags & _ALSO.keys()))
        self._letters: Mapping[str, str] = {tag: chr(_FIRST_LETTER + i) for i, tag in enumerate(sorted(tags))}
        self._bits = {tag: 1 << i for i, tag in enumerate(sorted(tags))}

    def row(self, tags: Iterable[str]) -> str:
        return "".join([self._letters.get(tag, _OTHER) for tag in tags])

    def bits(self, tags: Iterable[str]) -> int:
        """The set of these tags as a number."""
        return reduce(or_, [self._bits.get(tag, 0) for tag in tags], 0)

    def compiled(self, entry: Mapping[str, Any]) -> Pattern:
        """The pattern of an entry. Its gaps `<<n>>` pass none of the `stops`. A text has one of the tags that it
        `needs`, and none that it is `without`.
        """
        tags, stops, needs, without = (entry.get(name, "") for name in ("tags", "stops", "needs", "without"))
        parts = [r"\A"] if tags.startswith("START ") else []
        needed = [self.bits(needs.split("|"))] if needs else []
        for element in tags.removeprefix("START ").split(" "):
            if gap := re.fullmatch(r"(<+)(\d+)>+", element):
                letters = self.row(_STOPS if gap[1] == "<" else stops.split("|"))
                lazy = "" if tags.endswith(element) and gap[1] == "<<" else "?"
                parts.append(f"(?P<gap{len(parts)}>[^{letters}]{{0,{gap[2]}}}{lazy})")
                continue
            name, _, options = element.rpartition("=")
            is_denied, suffix = options[0] in "!^", options[-1] if options[-1] in "?*" else ""
            words = [w for tag in options.strip("!^?*").split("|") for w in _ALSO.get(tag, (tag,))]
            letters = f"[{self.row(words)}]"
            needed += [] if is_denied or suffix or "OTHER" in words else [self.bits(words)]
            before = {"!": "?!", "^": "?<!"}.get(options[0], f"?P<{name}>" if name else "?:")
            parts.append(f"({before}{letters}{'' if name or is_denied else suffix}){suffix if name else ''}")
        unless = frozenset(entry.get("unless", "").split("|")) - {""}
        return Pattern(
            entry,
            re.compile("".join(parts)),
            tuple(sorted(needed, key=int.bit_count)),
            self.bits(without.split("|")),
            unless,
        )
