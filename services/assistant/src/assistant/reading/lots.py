"""Reads the lots of a project and their number from what the rules of `project.toml` match."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import itemgetter
from typing import Any

from assistant.project import LARGEST, LEAST_LOT_COUNT, Position, Project, ToldFact, Use, WishedLot
from assistant.questions.words import plain_text
from assistant.reading.clauses import clauses
from assistant.reading.spans import Span, is_in
from assistant.reading.tokens import read_tokens
from assistant.text import read_table

SETS = {name: frozenset(tags) for name, tags in read_table("reading/project.toml")["sets"].items()}
ENDS = (".", ",", "AND", ":")
"""The end of a clause."""
_USES: Mapping[str, Use] = {
    "BUILDABLE": "building", "TAB": "building", "NEIGHBOUR": "neighbour", "FARM": "farming", "ASGARDEN": "garden",
    "FORSALE": "sale", "SELL": "sale", "BUILD": "building", "IBUILD": "building",
}  # fmt: skip
"""What a lot is for, by the tag of a word of its clause; the first of these counts."""
_POSITIONS: Mapping[str, Position] = {
    "FRONT": "front", "BACK": "back", "NORTH": "north", "EAST": "east", "SOUTH": "south", "WEST": "west",
    "LEFT": "left", "RIGHT": "right", "FLAG": "back",
}  # fmt: skip
_LABELS = {"ONE": 1, "A": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}
_LETTERS = _LABELS.keys() - {"ONE", "A"}
_MOST_COUNTED = 60
"""A text tells the areas of no more lots. A larger number before an area names something."""
LARGEST_FIGURES = {"LENGTH": 100.0, "PERCENT": 100.0, "AREA": 1e7, "SIDES": 1e3, "STOREYS": 20.0, "DWELLINGS": 999.0}
"""A larger figure is no rule of a plan and no wish."""
_LIST = re.compile(r"(?: (?:,|AND|/) AREA)*")
"""The areas that follow the one of a first lot."""
NEAR, _FAR = 3, 16
"""So many words are near; so far from a lot stands what a text without commas tells of it."""
_SOON = 5
"""So many words behind a number of lots name what is beside them: "2 lots et je garde la maison"."""
_LISTED = 2
"""Figures of a list have one token between them."""
_MOST_NAMED = 12
"""Nobody names a larger number of lots to contradict another."""
_LEAST_BARE_M2, _MOST_BARE_M2 = 100.0, 10_000.0
"""Only between these, a number without a unit may be an area."""
_ASIDE = ("access", "building", "distance", "land", "lease", "ownership", "parcel", "people", "price", "received")
"""Kinds of facts whose areas and shares are those of no lot."""
_OF_PEOPLE = ("given", "ownership", "people")
"""Kinds of facts that may tell how many lots are wished."""
_CHOICE = re.compile(
    r"\bsoit\b.*\bsoit\b|\b(?:option|hypothese|scenario|variante|solution|plan) [b2]\b|\beither\b|\bhesit\w+|"
    r"\b(?:undecided|haven t decided|ou alors|ou bien)\b"
)
"""Words of a choice between several projects."""


class LotReader:
    """The lots that a text tells. `values` are the other members of the project, `covered` the words that are read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = read_tokens(text)
        self.tags = [token.tag for token in self.tokens]
        self.clauses = [*clauses(text, self.tokens, self.tags)]
        self.values: dict[str, Any] = {}
        self.words: dict[str, Span] = {}
        self.covered: list[Span] = []
        self.lots: list[tuple[int, int, WishedLot, Span]] = []
        """The place of the figure of each lot, the first place of its words, the lot and its words."""
        self.holders: list[tuple[int, Span, list[Span]]] = []
        self.one_of_group = 0
        """The number of lots of a group that are described one by one as well."""
        self.counts: list[tuple[int, int, int, list[Span]]] = []
        self.count_range: tuple[int, int] | None = None

    def _add_lot(self, options: Mapping[str, Any], places: dict[str, int], span: Span) -> bool:
        """Adds the lots of a match. Returns whether its words are read."""
        figures = {name: int(self.tokens[places[name]].value) for name in "nij" if name in places}
        count = (
            figures["j"] - figures["i"] + 1
            if options.get("is_range")
            else figures.get("n", len(figures) + ("k" in places))
        )
        place = next(places[name] for name in "arh" if name in places)
        token = self.tokens[place]
        following = _LIST.match("".join(f" {tag}" for tag in self.tags[place + 1 :]))
        if following and token.tag == "AREA" and following[0].count("AREA") == count - 1:
            count = 1  # it is the first of the lots told one by one
        lot = WishedLot(
            count=min(max(count, 1), int(LARGEST["count"])),
            area_m2=token.value if token.tag == "AREA" and token.least is token.most is None else None,
            least_m2=token.least,
            most_m2=token.most,
            share_ratio={"SHARE": token.value, "PERCENT": token.value / 100}.get(token.tag if "a" in places else ""),
            is_rest=True if "r" in places else None,
            use=options.get("use"),
            position=_POSITIONS.get(self.tags[places["p"]]) if "p" in places else None,
        )
        if options.get("is_beside"):
            if any(other.count > 1 for *_, other, _ in self.lots):
                return False  # these are some of a group
            places["start"], span = places["n"], (self.tokens[places["n"]].start, span[1])
        if "h" in places and any(
            place < other <= place + NEAR or (options.get("is_one") and other in self._clause(place))
            for other, *_ in self.lots
        ):
            return True  # it is told where the lot is that has an area: "500 m² pour Luc au fond"
        before, after = self.tags[self._sentence(place) : place], self.tags[place + 1 : place + NEAR]
        is_each = lot.count == 1 and re.search(r"KIN (?:WANT|GETS) EACH (?!.*LOT)", " ".join(before))
        people = {  # "the nephews want one each", and the text tells how many they are
            int(one.value)
            for one, kin in pairwise(self.tokens)
            if is_each and (one.tag == "PEOPLE" or (one.tag, kin.tag) == ("NUM", "KIN"))
        }
        if (is_each and len(people) != 1) or (lot.count == 1 and not lot.is_rest and "EACH" in after):
            return False  # so much each, and how many there are is not told
        lot = replace(lot, count=max(people, default=lot.count))
        if lot.is_rest and any(other.is_rest for *_, other, _ in self.lots):
            return True  # told again: "le surplus reste en commun, chemin commun au surplus"
        self.one_of_group += bool(options.get("is_one"))
        if count <= _MOST_COUNTED and (
            not lot.is_sized or lot.is_rest or 0 < token.value <= LARGEST_FIGURES.get(token.tag, 1.0)
        ):
            start = next(i for i in range(places["start"], place + 1) if self.tags[i] not in ("TAKEN", "USED"))
            self.lots.append((place, start, lot, span))
            self.counts += [(lot.count, start, places["end"], [])] if options.get("is_all") else []
        return True

    def _sentence(self, place: int) -> int:
        """The place of the end of the sentence before that of a token."""
        return next((i for i in range(place, -1, -1) if self.tags[i] == "."), 0)

    def _clause(self, place: int) -> range:
        """The tokens of the clause of a token."""
        start = next((i + 1 for i in range(place, -1, -1) if self.tokens[i].tag in ENDS), 0)
        end = next((i for i in range(place, len(self.tokens)) if self.tokens[i].tag in ENDS), len(self.tokens))
        while {*self.tags[end : end + 1]} & {",", ":", "AND"}:
            stop = next((i for i in range(end + 1, len(self.tags)) if self.tags[i] in ENDS), len(self.tags))
            is_whole = (SETS["telling"] | SETS["beside_telling"]).issuperset(told := self.tags[end + 1 : stop])
            is_first = {*told[:1]} <= SETS["trailing"] and {*told[1:2]} <= {"FILLER", "BUT", "SUBJ", "MUST"}
            is_first &= SETS["deals"].isdisjoint(told[2:3])  # "devant je garde"
            if not told or not (is_whole or is_first):
                break
            end = stop if is_whole else end + 2
        return range(start, end)

    def _described(self, index: int) -> WishedLot:
        """The lot with the use, position and holder of its clause. Words next to another lot are that lot's."""
        place, _, lot, _ = self.lots[index]
        places = [place for place, *_ in self.lots]
        # lots that are listed side by side share what is told before and behind their list
        breaks = (i for i in range(1, len(places)) if places[i] - places[i - 1] != _LISTED or self.lots[i][2].is_rest)
        head, tail = next((i, j) for i, j in pairwise([0, *breaks, len(places)]) if i <= index < j)
        start, last = self.lots[head][1], places[tail - 1]
        after = self.lots[tail][1] if tail < len(places) else len(self.tokens)
        first = self._clause(start).start
        first = max(first, start - _FAR) if not head or places[head - 1] < first else start
        way = next((i for i in range(last, len(self.tags)) if self.tags[i] in ("WAY", "PASSAGE")), len(self.tags))
        clause = range(first, min(self._clause(last).stop, max(after, last + 1), last + _FAR, way))
        found = {self.tokens[i].tag: i for i in clause if "NOT" not in self.tags[max(0, i - 1) : i]}  # "pas bâtir"
        uses = [tag for tag in _USES if tag in found]
        if lot.is_rest:
            uses.sort(key=lambda tag: (tag in ("SELL", "BUILD", "IBUILD"), abs(found[tag] - place)))
        # who stands behind "acheter à" sells
        is_bought = any(
            self.tags[i] == "RECEIVE" or self.tags[i : i + 2] in (["BUY", "A"], ["BUY", "PREP"]) for i in clause
        )
        use = _USES[uses[0]] if uses else "building" if self.values.get("has_one_builder") and not lot.is_rest else None
        positions = [value for tag, value in _POSITIONS.items() if tag in found]
        is_clear = len(positions) == 1 or {*positions[:2]} & {"front", "back"} == {*positions[:1]}  # "au fond à gauche"
        position = positions[0] if positions and is_clear else None
        is_held = index == tail - 1 and not is_bought
        holder, parts = next(((span, parts) for i, span, parts in self.holders if is_held and i in clause), (None, []))
        self.covered += [
            *parts,
            *(self._span(found[tag]) for tag in (*_USES, *(_POSITIONS if position else ())) if tag in found),
        ]
        return replace(
            lot,
            use=None if is_bought and use == "neighbour" else lot.use or use,
            position=lot.position or position,
            holder=self.text[slice(*holder)] if holder else None,
        )

    def _span(self, place: int) -> Span:
        return self.tokens[place].start, self.tokens[place].end

    def _told_lots(self) -> tuple[list[WishedLot], int | None]:
        """The lots in the order of the text, with what is told of each, and their number."""
        self.lots.sort(key=lambda entry: entry[0])
        lots = self._told_once(self._of_rest([self._described(index) for index in range(len(self.lots))]))
        sized = [lot for lot in lots if lot.is_sized]
        if len({*sized}) == 1 < len(sized) < len(lots):  # equal lots, told one by one, then described
            kept = [i for i, lot in enumerate(lots) if not lot.is_sized or i == lots.index(sized[0])]
            self.lots = [self.lots[i] for i in kept]
            return [replace(lots[i], count=len(sized)) if lots[i].is_sized else lots[i] for i in kept], len(sized)
        return lots, self._lot_count(lots)

    def _of_rest(self, lots: list[WishedLot]) -> list[WishedLot]:
        """The lots with shares of what is left as such: "le surplus, moitié à Luc, moitié à vendre"."""
        rest = next((i for i, lot in enumerate(lots) if lot.is_rest), len(lots))
        shares = [i for i in range(rest + 1, len(lots)) if lots[i].share_ratio]
        if not shares or "." in self.tags[self.lots[rest][0] : self.lots[shares[-1]][0]]:
            return lots
        del self.lots[rest]
        told = [replace(lot, share_ratio=None, is_rest=True) if i in shares else lot for i, lot in enumerate(lots)]
        return told[:rest] + told[rest + 1 :]

    def _told_once(self, lots: list[WishedLot]) -> list[WishedLot]:
        """The lots without a group whose lots follow one by one: "deux lots au fond, 500 m² l'un, 600 m² l'autre"."""
        for i, group in enumerate(lots):
            ends = (end for end in range(i + 2, len(lots) + 1) if _count(lots[i + 1 : end]) == group.count)
            members = lots[i + 1 : next(ends, i + 1)]
            if group.count > 1 and not group.is_sized and members and all(lot.area_m2 for lot in members):
                del self.lots[i]
                members = [
                    replace(lot, use=lot.use or group.use, position=lot.position or group.position) for lot in members
                ]
                return [*lots[:i], *members, *lots[i + 1 + len(members) :]]
        return lots

    def _lot_count(self, lots: Sequence[WishedLot]) -> int | None:
        """The told number of lots, with the plot of a kept house; None if it is a range."""
        if self.count_range:
            return None
        beside = [lot for lot in lots if lot.use != "house"]
        is_apart = len(beside) == len(lots) and bool(
            self.values.get("keeps_house")
            or (
                lots
                and not any(lot.is_rest for lot in lots)
                and not SETS["beside"].isdisjoint(self.tags)
                and self._keeps_building("TAKEN")
            )
        )
        listed = _count([lot for lot in lots if (lot.is_sized or lot.count > 1) and (not lot.is_rest or lot.count > 1)])
        counts = [
            count
            for count in self.counts
            if not (is_apart or lots)  # "the two plots" are then some of those
            or self.tags[count[1] - 1 : count[1]] not in (["DET"], ["A"])
            or self.tags[count[1]] == "DIVIDE"
        ]
        counts = sorted([count for count in counts if count[0] == listed > 1] or counts, key=itemgetter(1))
        last = max((token.value for token in self.tokens if token.tag == "ORD"), default=0)  # "le quatrième"
        if counts and (
            # two numbers of lots, and the second is not a part of the first
            counts[0][0] < max(last, max(counts)[0]) or self._has_rival(counts[0][0])
        ):
            return None
        if counts and counts[0][0] >= listed:  # a smaller number is one of something else
            count, start, end, parts = counts[0]
            self.words["/lot_count"] = self.tokens[start].start, self.tokens[end - 1].end
            self.covered += parts
            # "and there I would make 6" is beside the lots before it
            first = self._sentence(start)
            is_added = self.tags[first + 1] == "AND" and all(place < first for place, *_ in self.lots)
            others = self._leaves_another(count, start, end, beside) + is_added * listed
            return min(count + others, int(LARGEST["count"]))
        total = _count(lots) - self.one_of_group + is_apart
        labels = {
            _LABELS.get(name.tag, int(name.value))
            for before, name, after in zip(self.tokens, self.tokens[1:], (*self.tags[2:], "."), strict=False)
            if before.tag == "LOT"
            or name.tag == "number"
            or (
                before.tag in (",", "AND") and name.tag in _LETTERS and after != "FILLER"
            )  # "lots B, C et D", no "c'est"
        } - {0}
        if max(total, 1) < len(labels) == max(labels, default=0):
            return len(labels)  # "lot 1, lot 2 … I keep lot 3"
        return (
            total
            if total >= last and any(lot.count > 1 for lot in [lot for lot in lots if lot.is_rest] or beside)
            else None
        )

    def _leaves_another(self, count: int, start: int, end: int, beside: Sequence[WishedLot]) -> bool:
        """Whether the count leaves out the plot of the kept house, or the lot of what is left."""
        first = self._sentence(start)
        sentence, clause = ({*self.tags[i : end + 1]} for i in (first, next(i for i, j in self.clauses if start < j)))
        kept = self.words.get("/keeps_house", (-1, 0))[0]
        if kept >= 0 and "GROUND" in clause and "KEEP" not in clause and clause & {"DIVIDE", ":"}:
            return True  # the garden is divided, and not the plot of the house
        if self.tags[start] == "DIVIDE":
            return False  # the lots of all the land
        is_beside = not SETS["beside"].isdisjoint(sentence)
        is_before = self.tokens[first].start <= kept < self.tokens[start].start
        adds_house = "HOUSE" in self.tags[end : end + _SOON] and (
            self.tags[end] == "AND" or (self.tags[end] == "," and sentence & {"CREATE", "WANT"})
        )
        others = [lot for lot in beside if not lot.is_rest]
        return (
            (len(others) < len(beside) and _count(others) in (0, count))
            or (is_beside and self._keeps_building())
            or bool(kept >= 0 and (is_beside or is_before or adds_house))
        )

    def _keeps_building(self, *taken: str) -> bool:
        """Whether a clause that has none of the `taken` tags keeps another building than the house."""
        parts = ({*self.tags[first:last]} for first, last in self.clauses)
        return any(part >= {"KEEP", "OUTHOUSE"} and part.isdisjoint(("LOT", "NOT", *taken)) for part in parts)

    def _is_count_sure(self, project: Project, facts: Sequence[tuple[ToldFact, Span]]) -> bool:
        """Whether the number of lots needs no confirmation: the text states it, or each lot, and leaves no choice. Also
        true for a text without a project.
        """
        if not project.tells_lots or _CHOICE.search(plain_text(self.text)):
            return project == Project() and not (
                self.counts or "hidden" in self.tags or any(fact.kind in _OF_PEOPLE for fact, _ in facts)
            )
        is_told = "/lot_count" in self.words and not any("HOUSES" in self.tags[i:j] for _, i, j, _ in self.counts)
        pieces = {"LAND"} if is_told else SETS["ground" if project.lot_count else "pieces"]
        has_rest = any(lot.is_rest for lot in project.lots) or (not project.lot_count and _count(project.lots) == 1)
        deals = SETS["kept"] if is_told else SETS["given" if has_rest else "deals"]  # what is kept is then the rest
        is_loose = any(
            part & deals and part & pieces and part.isdisjoint(("TAKEN", "USED"))
            for part in ({*self.tags[start:end]} for start, end in self.clauses)
        )
        aside = [span for fact, span in facts if fact.kind in _ASIDE]
        is_whole = bool(project.lot_count) or all(
            is_in(token[:2], aside)
            for token, tag in zip(self.tokens, self.tags, strict=True)
            if tag in ("AREA", "SHARE", "PERCENT") or (tag == "NUM" and _LEAST_BARE_M2 <= token.value < _MOST_BARE_M2)
        )
        return is_whole and not is_loose

    def _has_rival(self, count: int) -> bool:
        """Whether somebody names another number: "I thought of three lots, my wife says two"."""
        return any(
            tag == "NUM"
            and LEAST_LOT_COUNT <= self.tokens[i].value <= _MOST_NAMED
            and self.tokens[i].value != count
            and not SETS["rivals"].isdisjoint(self.tags[max(0, i - NEAR) : i])
            for i, tag in enumerate(self.tags)
        )


def _count(lots: Sequence[WishedLot]) -> int:
    return sum(lot.count for lot in lots)
