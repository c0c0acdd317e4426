"""Reads the project that a text tells. The patterns are in `project.toml`."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate, groupby, pairwise
from operator import itemgetter
from typing import Any

from assistant.project import (
    LARGEST,
    LEAST_LOT_COUNT,
    MOST_LETTERS,
    MOST_LISTED,
    FactKind,
    KeepOut,
    Owner,
    Position,
    Project,
    ToldFact,
    Use,
    WishedLot,
)
from assistant.questions.reading import ReadQuestion
from assistant.questions.words import FUNCTION_WORDS, plain_text
from assistant.reading.clauses import clauses, quotable, told_facts
from assistant.reading.patterns import Alphabet, Pattern
from assistant.reading.tokens import read_tokens
from assistant.text import read_table

Span = tuple[int, int]

_ENDS = (".", ",", "AND", ":")
"""The end of a clause."""
_USES: Mapping[str, Use] = {
    "BUILDABLE": "building", "TAB": "building", "NEIGHBOUR": "neighbour", "FARM": "farming", "ASGARDEN": "garden",
    "FORSALE": "sale", "SELL": "sale", "BUILD": "building", "IBUILD": "building",
}  # fmt: skip
"""What a lot is for, by the tag of a word of its clause; the first of these counts."""
_POSITIONS: Mapping[str, Position] = {
    "FRONT": "front", "BACK": "back", "NORTH": "north", "EAST": "east", "SOUTH": "south", "WEST": "west",
    "LEFT": "left", "RIGHT": "right",
}  # fmt: skip
_LABELS = {"ONE": 1, "A": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}
_MOST_COUNTED = 60
"""A text tells the areas of no more lots. A larger number before an area names something."""
_MOST = {"a": math.inf, "n": LARGEST["count"], "v": math.inf}
"""The largest figure of a rule by its name in the pattern."""
_LARGEST = {"LENGTH": 100.0, "PERCENT": 100.0, "AREA": 1e7, "SIDES": 1e3, "STOREYS": 20.0, "DWELLINGS": 999.0}
"""A larger figure is no rule of a plan and no wish."""
_FIGURES = frozenset("narvxzhp")
"""Names of tokens that are read once."""
_BOUGHT = (["BUY", "A"], ["BUY", "PREP"])
"""Who stands behind these sells: "acheter à ma voisine"."""
_MADE = (["IN", "CREATE"], ["IN", "WANT"])
_LIST = re.compile(r"(?: (?:,|AND|/) AREA)*")
"""The areas that follow the one of a first lot."""
_NEAR, _FAR = 3, 16
"""So many words are near; so far from a lot stands what a text without commas tells of it."""
_OPENING_WORDS, _SHORT_CLAUSE = 25, 120
_LISTED, _ROUNDING = 2, 0.1
"""Figures of a list have one token between them; a number of people is that near to a whole one."""
_MOST_NAMED = 12
"""Nobody names a larger number of lots to contradict another."""
_ASIDE = ("access", "building", "distance", "land", "lease", "ownership", "parcel", "people", "price", "received")
"""Kinds of facts whose areas and shares are those of no lot."""
_LEAST_BARE_M2, _MOST_BARE_M2 = 100.0, 10_000.0
"""Only between these, a number without a unit may be an area."""
_CHOICE = re.compile(
    r"\bsoit\b.*\bsoit\b|\b(?:option|hypothese|scenario|variante|solution|plan) [b2]\b|\beither\b|\bhesit\w+|"
    r"\b(?:undecided|haven t decided|ou alors|ou bien)\b"
)
"""Words of a choice between several projects."""
_SETS = {name: frozenset(tags) for name, tags in read_table("reading/project.toml")["sets"].items()}


@dataclass(frozen=True)
class Reading:
    """The project that a text tells, the words of each of its members, and the words that no rule has read."""

    project: Project = field(default_factory=Project)
    words: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    """The places of the words by the pointer of the member, such as `/lots/0`."""
    covered: tuple[Span, ...] = ()
    """The words that a rule has read."""
    unread: tuple[Span, ...] = ()
    content: tuple[Span, ...] = ()
    """The words with a meaning."""
    is_by_model: bool = False
    """A language model has read this, not the rules. Only then are the following told."""
    questions: tuple[ReadQuestion, ...] = ()
    asked: tuple[Span, ...] = ()
    """The words of the questions."""
    facts: tuple[tuple[ToldFact, Span], ...] = ()
    """What is told that no other member of the project holds, in the order of the text."""
    notes: tuple[Span, ...] = ()
    """Wishes that no member of the project holds, if a language model has read them."""
    counted: tuple[Span, ...] = ()
    """The words that count in a comparison: a description with a figure may hide a project."""
    is_count_sure: bool = True
    """The number of lots is told, and no choice between several."""

    @property
    def is_empty(self) -> bool:
        return self.project == Project() and not self.questions and not self.notes

    def ratio(self, asked: Sequence[Span] = ()) -> float:
        """The share of the words with a meaning, outside of questions, that were read."""
        told = [word for word, is_asked in zip(self.content, _are_in(self.content, asked), strict=True) if not is_asked]
        return 1 - _are_in(told, self.covered).count(False) / (len(told) or 1)


@cache
def _rules() -> tuple[Alphabet, Sequence[Pattern]]:
    """The patterns for members of a project, with their alphabet."""
    rules = read_table("reading/project.toml")["rules"]
    entries = [{"stops": ".", **rule, **pattern} for rule in rules for pattern in rule["patterns"]]
    names = ("tags", "stops", "needs", "without")
    alphabet = Alphabet(entry[name] for entry in entries for name in names if name in entry)
    return alphabet, [alphabet.compiled(entry) for entry in entries]


class _Reader:
    """Applies the rules to the tokens of one text. A quantity is read once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = read_tokens(text)
        self.tags = [token.tag for token in self.tokens]
        self.alphabet, self.rules = _rules()
        self.row, self.present = self.alphabet.row(self.tags), self.alphabet.bits({*self.tags})
        self.clauses = [*clauses(text, self.tokens, self.tags)]
        self.values: dict[str, Any] = {}
        self.words: dict[str, Span] = {}
        self.covered: list[Span] = []
        self.lots: list[tuple[int, int, WishedLot, Span]] = []
        """The place of the figure of each lot, the first place of its words, the lot and its words."""
        self.holders: list[tuple[int, Span, list[Span]]] = []
        self.owners: list[tuple[int, Owner]] = []
        self.one_of_group = 0
        """So many lots are told beside the group that they belong to."""
        self.counts: list[tuple[int, int, int, list[Span]]] = []
        self.keep_outs: dict[str, tuple[KeepOut, Span]] = {}
        self.facts: list[tuple[ToldFact, Span]] = []

    def read(self) -> Reading:
        for rule in self.rules:
            if rule.needed[0] & self.present and rule.may_match(self.present):
                for _ in range(rule.options.get("repeats", 1)):
                    for match in list(self._matches(rule)) if rule.regex.search(self.row) else ():
                        self._take(rule, match)
        self._add_lots_of_clauses()
        project = self._project()
        counted, content = tuple(self.covered), self._content()
        is_read = _are_in([token[:2] for token in self.tokens], counted)
        starts = {start for start, _ in content}
        unread = {i for i, token in enumerate(self.tokens) if token.start in starts and not is_read[i]}
        tags = [token.tag if token.tag == "LENGTH" else tag for token, tag in zip(self.tokens, self.tags, strict=True)]
        told = [*told_facts(self.text, self.tokens, tags, self.clauses, unread)]
        kinds = {fact.kind for fact, _ in self.facts}
        clauses_of = {kind: [span for fact, span in told if kind in (fact.kind, "kept")] for kind in kinds}
        self.facts = [*told, *(entry for entry in self.facts if not is_in(entry[1], clauses_of[entry[0].kind]))]
        self.covered += [span for _, span in told]
        self._tell_land()
        covered = tuple(self.covered)
        rest = self._phrases(unread_runs(self.text, content, covered), content, covered)
        words = {pointer: (span,) for pointer, span in self.words.items()}
        facts = tuple(sorted(self.facts, key=itemgetter(1)))
        is_sure = self._is_count_sure(project)
        return Reading(project, words, covered, rest, content, facts=facts, counted=counted, is_count_sure=is_sure)

    def _is_count_sure(self, project: Project) -> bool:
        """Whether the text states the number of lots: it was read whole, and leaves no choice between projects."""
        aside = [span for fact, span in self.facts if fact.kind in _ASIDE]
        left = (
            token
            for token, tag in zip(self.tokens, self.tags, strict=True)
            if tag in ("AREA", "SHARE", "PERCENT") or (tag == "NUM" and _LEAST_BARE_M2 <= token.value < _MOST_BARE_M2)
        )
        is_whole = bool(project.lot_count or (project.lots and all(is_in(token[:2], aside) for token in left)))
        pieces = _SETS["ground" if project.lot_count else "pieces"]
        has_rest = any(lot.is_rest for lot in project.lots) or (not project.lot_count and _count(project.lots) == 1)
        deals = _SETS["deals"] - {"KEEP", "STAY"} if has_rest else _SETS["deals"]  # what is kept is then that
        parts = [part for start, end in self.clauses if not (part := {*self.tags[start:end]}) & {"TAKEN", "USED"}]
        is_loose = any(part & deals and (part & pieces or part >= {"KEEP", "ALL"}) for part in parts)
        return is_whole and not is_loose and not _CHOICE.search(plain_text(self.text))

    def _add_lots_of_clauses(self) -> None:
        """Adds a lot for each clause that gives, sells or wants one area and describes nothing else by it."""
        for start, end in self.clauses:
            tags = self.tags[start:end]
            gives = not _SETS["gives_lot"].isdisjoint(tags) or (tags[0] in _SETS["takers"] and "AREA" in tags[:_NEAR])
            if tags.count("AREA") == 1 and gives and _SETS["describes"].isdisjoint(tags):
                place = start + tags.index("AREA")
                use = None if {"SELL", "FORSALE"}.isdisjoint(tags) else "sale"
                span = self.tokens[start].start, self.tokens[end - 1].end
                self._add_lot({"use": use}, {"a": place, "start": start, "end": end}, span)
                self.covered.append(self._span(place))
                self.tags[place] = "TAKEN"

    def _tell_land(self) -> None:
        """Tells the first area of a text as that of the land, if no rule has read it and all told lots fit into it."""
        place = next((i for i, token in enumerate(self.tokens) if token.tag == "AREA"), -1)
        is_one = self.tags.count("AREA") == 1 and self.tags[place] == "AREA" and self.tokens[place][5:] == (None, None)
        if not is_one or "RECEIVE" in self.tags or is_in(self._span(place), self.covered):
            return
        total_m2 = sum((lot.size_m2 or 0.0) * lot.count for _, _, lot, _ in self.lots)
        clause = self._clause(place)
        if (
            (self.tokens[place].value > total_m2 > 0 or (not total_m2 and place < _OPENING_WORDS))
            and _SETS["outgoing"].isdisjoint(token.tag for token in self.tokens[clause.start : clause.stop])
            and self.tags[clause.start - 1] not in ("AND", ":")
        ):
            self._tell_area("land", place)
            self.covered.append(self._span(place))

    def _tell_area(self, kind: FactKind, place: int) -> None:
        """Tells an area in the words of its clause, if that is short."""
        first, last = next(clause for clause in self.clauses if clause[0] <= place < clause[1])
        span = self.tokens[first].start, self.tokens[last - 1].end
        start, end = quotable(self.text, *(span if span[1] - span[0] <= _SHORT_CLAUSE else self._span(place)))
        self.facts.append((ToldFact(kind, self.text[start:end], self.tokens[place].value), (start, end)))

    def _phrases(self, runs: Sequence[Span], words: Sequence[Span], covered: Sequence[Span]) -> tuple[Span, ...]:
        """The runs, each with the rest of its clauses if no rule has read most of their words."""
        firsts, is_read = [first for first, _ in words], _are_in(words, covered)
        figures, phrases = {token.start for token in self.tokens if token.value}, [*runs]
        for first, last in self.clauses:
            start, end = self.tokens[first].start, self.tokens[last - 1].end
            part = range(bisect_left(firsts, start), bisect_left(firsts, end))
            read_words = [firsts[i] for i in part if is_read[i]]
            if 2 * len(read_words) < len(part) and figures.isdisjoint(read_words):
                phrases.append((start, end))
        return tuple(_joined(phrases))

    def _matches(self, rule: Pattern) -> Iterator[dict[str, int]]:
        """The places of the named tokens of each match, with its start and end."""
        for places in rule.matches(self.row):
            start, end = places["start"], places["end"]
            is_from_a_thing = rule.options.get("from_limits") and self._is_from_a_thing(start, end)
            if not is_from_a_thing and rule.unless.isdisjoint(self.tags[max(0, start - _NEAR) : end]):
                yield places

    def _is_from_a_thing(self, start: int, end: int) -> bool:
        """Whether a distance is to something else than the limits of the land: "15 m de recul sur la RD"."""
        after = next((i for i in range(end, len(self.tags)) if self.tags[i] in _ENDS), len(self.tags))
        following = [tag for tag in self.tags[end:after] if tag not in _SETS["structure"] and tag not in FUNCTION_WORDS]
        told = [*self.tags[start:end], *following[:1]]
        return any(
            tag in {"WAY", "FRONT", "KEPTOUT", "REF"} or (tag.islower() and tag not in FUNCTION_WORDS) for tag in told
        )

    def _take(self, rule: Pattern, places: dict[str, int]) -> None:
        name, start, end = rule.options["name"], places["start"], places["end"]
        figure = self.tokens[places["v"]] if "v" in places else None
        span = (self.tokens[start].start, self.tokens[end - 1].end)
        most = {name: rule.options.get("most", limit) for name, limit in _MOST.items() if name in places}
        least = rule.options.get("least", 0)
        is_large = any(not least <= self.tokens[places[name]].value <= limit for name, limit in most.items())
        is_other = "number" in rule.options and self.tokens[places["x"]].value != rule.options["number"]
        is_other |= "is_single" in rule.options and any(
            token.tag == figure.tag and token.value != figure.value for token in self.tokens if figure
        )
        is_other |= "is_bounded" in rule.options and self.tokens[places["a"]][5:].count(None) != 1
        if is_large or is_other or (figure is not None and not 0 < figure.value <= _LARGEST.get(figure.tag, 1.0)):
            return
        is_new = True  # it does not contradict what stands before it
        match name:
            case "lots" | "more_lots" | "house_plot" | "house_rest" | "shares" | "rest":
                is_new = self._add_lot(rule.options, places, span)
            case "lot_count" if "n" in places and self.tokens[places["n"]].value >= 1:
                count = rule.options.get("count", int(self.tokens[places["n"]].value))
                self.counts.append((count, start, end, self._parts(rule, places)))
                if self.tokens[places["n"]].tag == "PEOPLE":
                    self.facts.append((ToldFact("people", self.text[slice(*span)]), span))
            case "keep_outs":
                distance_m = None if figure is None else figure.value
                for thing in (self.tokens[places[name]] for name in "tu" if name in places):
                    words = self.text[thing.start : thing.end]
                    if words not in self.keep_outs or self.keep_outs[words][0].distance_m is None:
                        self.keep_outs[words] = (KeepOut(words, distance_m), span)
            case "owners":
                people = self.tokens[places["n"]].value if "n" in places else 2.0
                ratio = 1 / people if figure is None else figure.value / (100 if figure.tag == "PERCENT" else 1)
                is_each = figure and re.search("chac|each", plain_text(self.text[span[0] : span[1]]))
                names = [self.text[slice(*self._name(places[name]))] for name in "ij" if name in places]
                if is_each and not names and "n" not in places:
                    people = (1 - sum(owner.share_ratio or 0 for _, owner in self.owners)) / ratio
                    if abs(people - round(people)) > _ROUNDING:
                        return  # somebody else has a share too
                count = len(names) or (1 if figure and not is_each else min(round(people), MOST_LISTED))
                self.owners += ((start, Owner(name, ratio)) for name in names or (None,) * count)
                self.words["/owners"] = span
            case "holder":
                first = places["x"] - (self.tags[places["x"] - 1] in ("MY", "DET", "ONE"))
                name_span = (self.tokens[first].start, self._name(places["x"])[1])
                self.holders.append((first, name_span, self._parts(rule, places)))
                return  # its words are read if it is that of a lot
            case "description" if kind := rule.options.get("kind"):
                first = places.get("s", places.get("a", start))
                span = quotable(self.text, self._span(first)[0], span[1])
                if "a" in places and "s" not in places:
                    self._tell_area(kind, first)
                else:
                    self.facts.append((ToldFact(kind, self.text[slice(*span)][:MOST_LETTERS]), span))
            case "town_said" | "shared_way_with" as member:
                start = self.tokens[places.get("x", start)].start
                self._set(member, self.text[start : span[1]][:MOST_LETTERS], span)
        if figure is not None and "field" in rule.options:
            member, value = rule.options["field"], figure.value / 100 if figure.tag == "PERCENT" else figure.value
            is_new = self._set(member, int(value) if member.endswith("_count") else value, span)
        for member, value in rule.options.get("sets", {}).items():
            is_new = self._set(member, value, span) and is_new
        if is_new and name != "unread" and (name != "lot_count" or "n" not in places):
            self.covered += self._parts(rule, places)
        for key, place in places.items():
            if key in _FIGURES:
                self.tags[place] = "TAKEN" if key in "ar" and name in ("lots", "more_lots") else "USED"
                self.present |= self.alphabet.bits((self.tags[place],))
                self.row = self.row[:place] + self.alphabet.row(self.tags[place : place + 1]) + self.row[place + 1 :]

    def _name(self, place: int) -> Span:
        """The words of a name from its first one: "Vve Dupouy", "frère Jean-Marc"."""
        last = next(i for i in range(place, len(self.tags) + 1) if self.tags[i + 1 : i + 2] != ["PERSON"])
        return self.tokens[place].start, self.tokens[last].end

    def _parts(self, rule: Pattern, places: Mapping[str, int]) -> list[Span]:
        """The words that a rule has read: those that a gap has passed are not."""
        passed: set[int] = set()
        if rule.options["name"] not in ("town_said", "shared_way_with"):
            passed.update(*(range(places[n], places[f"end_{n}"]) for n in places if n.startswith("gap")))
        return [self._span(i) for i in range(places["start"], places["end"]) if i not in passed]

    def _set(self, name: str, value: object, span: Span) -> bool:
        """Sets a member that is not told yet. Returns whether it has this value now."""
        if name not in self.values:
            self.values[name] = value
            self.words[f"/{name}"] = span
        return bool(self.values[name] == value)

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
            place < other <= place + _NEAR or (options.get("is_one") and other in self._clause(place))
            for other, *_ in self.lots
        ):
            return True  # it is told where the lot is that has an area: "500 m² pour Luc au fond"
        if lot.count == 1 and not lot.is_rest and "EACH" in self.tags[place + 1 : place + _NEAR]:
            return False  # so much each, and how many there are is not told
        if lot.is_rest and any(other.is_rest for *_, other, _ in self.lots):
            return True  # told again: "le surplus reste en commun, chemin commun au surplus"
        self.one_of_group += bool(options.get("is_one"))
        if count <= _MOST_COUNTED and (
            not lot.is_sized or lot.is_rest or 0 < token.value <= _LARGEST.get(token.tag, 1.0)
        ):
            start = next(i for i in range(places["start"], place + 1) if self.tags[i] not in ("TAKEN", "USED"))
            self.lots.append((place, start, lot, span))
            self.counts += [(lot.count, start, places["end"], [])] if options.get("is_all") else []
        return True

    def _clause(self, place: int) -> range:
        """The tokens of the clause of a token."""
        start = next((i + 1 for i in range(place, -1, -1) if self.tokens[i].tag in _ENDS), 0)
        end = next((i for i in range(place, len(self.tokens)) if self.tokens[i].tag in _ENDS), len(self.tokens))
        while {*self.tags[end : end + 1]} & {",", ":", "AND"}:
            stop = next((i for i in range(end + 1, len(self.tags)) if self.tags[i] in _ENDS), len(self.tags))
            is_whole = (_SETS["telling"] | _SETS["beside_telling"]).issuperset(told := self.tags[end + 1 : stop])
            is_first = {*told[:1]} <= _SETS["trailing"] and {*told[1:2]} <= {"FILLER", "BUT", "SUBJ", "MUST"}
            if not told or not (is_whole or is_first):
                break
            end = stop if is_whole else end + 2
        return range(start, end)

    def _described(self, index: int) -> WishedLot:
        """The lot with what its clause tells, as far as the words are not beside another lot."""
        place, _, lot, _ = self.lots[index]
        places = [place for place, *_ in self.lots]
        # lots that are listed side by side share what is told before and behind their list
        breaks = [i for i in range(1, len(places)) if places[i] - places[i - 1] != _LISTED or self.lots[i][2].is_rest]
        breaks = [0, *breaks, len(places)]
        head, tail = next((i, j) for i, j in pairwise(breaks) if i <= index < j)
        start, last = self.lots[head][1], places[tail - 1]
        before = places[head - 1] if head else -1
        after = self.lots[tail][1] if tail < len(places) else len(self.tokens)
        first = self._clause(start).start
        first = max(first, start - _FAR) if before < first else start
        way = next((i for i in range(last, len(self.tags)) if self.tags[i] in ("WAY", "PASSAGE")), len(self.tags))
        clause = range(first, min(self._clause(last).stop, max(after, last + 1), last + _FAR, way))
        found = {self.tokens[i].tag: i for i in clause if "NOT" not in self.tags[max(0, i - 1) : i]}  # "pas bâtir"
        uses = [tag for tag in _USES if tag in found]
        if lot.is_rest:
            uses.sort(key=lambda tag: (tag in ("SELL", "BUILD", "IBUILD"), abs(found[tag] - place)))
        is_bought = any(self.tags[i : i + 2] in _BOUGHT for i in clause)
        use = _USES[uses[0]] if uses else "building" if self.values.get("has_one_builder") and not lot.is_rest else None
        positions = [value for tag, value in _POSITIONS.items() if tag in found]
        is_clear = len(positions) == 1 or {*positions[:2]} & {"front", "back"} == {*positions[:1]}  # "au fond à gauche"
        position = positions[0] if positions and is_clear else None
        holders = [(span, parts) for i, span, parts in self.holders if i in clause and index == tail - 1]
        holder, parts = holders[0] if holders and not is_bought else (None, [])
        told = (*_USES, *(_POSITIONS if position else ()))
        self.covered += [self._span(found[tag]) for tag in told if tag in found]
        self.covered += parts
        name = self.text[slice(*holder)] if holder else None
        use = None if is_bought and use == "neighbour" else lot.use or use
        return replace(lot, use=use, position=lot.position or position, holder=name)

    def _span(self, place: int) -> Span:
        return self.tokens[place].start, self.tokens[place].end

    def _project(self) -> Project:
        values = self.values
        self.lots.sort(key=lambda entry: entry[0])
        lots = self._of_rest([self._described(index) for index in range(len(self.lots))])
        lots = self._told_once(lots)
        sized = [lot for lot in lots if lot.is_sized]
        is_group = len({*sized}) == 1 < len(sized) < len(lots)  # equal lots, told one by one, then described
        if is_group:
            kept = [i for i, lot in enumerate(lots) if not lot.is_sized or i == lots.index(sized[0])]
            self.lots = [self.lots[i] for i in kept]
            lots = [replace(lots[i], count=len(sized)) if lots[i].is_sized else lots[i] for i in kept]
        count = len(sized) if is_group else self._lot_count(lots)
        if len(lots) > 1 and "ENLARGE" not in self.tags:
            values.pop("is_for_neighbour", None)
        self.words |= {f"/lots/{i}": span for i, (*_, span) in enumerate(self.lots)}
        told = list(self.keep_outs.values())[:MOST_LISTED]
        self.words |= {f"/keep_outs/{i}": span for i, (_, span) in enumerate(told)}
        return Project(
            lot_count=count,
            lots=tuple(lots[:MOST_LISTED]),
            keep_outs=tuple(keep_out for keep_out, _ in told),
            owners=tuple(owner for _, owner in sorted(self.owners, key=itemgetter(0))[:MOST_LISTED]),
            **values,
        ).consistent()

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
        """The lots without a group whose areas are told behind it: "deux lots au fond, 500 m² l'un, 600 m² l'autre"."""
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
        """The told number of lots, with the plot of a kept house."""
        beside = [lot for lot in lots if lot.use != "house"]
        is_apart = bool(self.values.get("keeps_house") and len(beside) == len(lots))
        listed = _count([lot for lot in lots if lot.is_sized or lot.count > 1])
        is_named = is_apart or bool(lots)  # "the two plots" are then some of those
        counts = [
            count
            for count in self.counts
            if not is_named or self.tags[count[1] - 1 : count[1]] != ["DET"] or self.tags[count[1]] == "DIVIDE"
        ]
        counts = [count for count in counts if count[0] == listed > 1] or counts
        last = max((token.value for token in self.tokens if token.tag == "ORD"), default=0)  # "le quatrième"
        if counts and min(counts, key=itemgetter(1))[0] < max(last, max(counts)[0]):
            return None  # two numbers of lots, and the second is not a part of the first
        if counts and self._has_rival(counts[0][0]):
            return None
        if counts and counts[0][0] >= listed:  # a smaller number is one of something else
            count, start, end, parts = counts[0]
            span = (self.tokens[start].start, self.tokens[end - 1].end)
            self.words["/lot_count"] = span
            self.covered += parts
            stop = next((i for i in range(end, len(self.tags)) if self.tags[i] == "."), len(self.tags))
            sentence = self.tags[next((i for i in range(start, -1, -1) if self.tags[i] == "."), 0) : end + 1]
            others = _count([lot for lot in beside if not lot.is_rest])
            is_told_later = self.words.get("/keeps_house", span)[0] > self.tokens[stop - 1].end
            beside_house = _SETS["beside_house"] - {"WANT", "CREATE"} if is_told_later else _SETS["beside_house"]
            has_house = self.values.get("keeps_house") and not beside_house.isdisjoint(sentence)
            is_of_rest = any(lot.is_rest for lot in beside) and (others in (0, count) or "DETACH" in sentence)
            is_of_all = self.tags[start - 2 : start] in _MADE and _SETS["apart"].isdisjoint(self.tags[:start])
            opens_list = ":" in self.tags[end : end + _LISTED]  # "3 lots : 700, 750 et le reste"
            is_whole = opens_list or is_of_all or self.tags[start] == "DIVIDE"
            clause = self.tags[next(first for first, last in self.clauses if start < last) : end]
            is_ground = "GROUND" in clause and not opens_list and not {"DIVIDE", ":"}.isdisjoint(clause)
            is_garden = self.values.get("keeps_house") and is_ground and "KEEP" not in clause
            is_more = self._is_for_another(count) or is_garden or ((has_house or is_of_rest) and not is_whole)
            return min(count + bool(is_more), int(LARGEST["count"]))
        several = [lot for lot in lots if lot.is_rest] or beside
        total = _count(lots) - self.one_of_group + is_apart
        names = [name for lot, name in pairwise(self.tokens) if lot.tag == "LOT" or name.tag == "number"]
        labels = {_LABELS.get(name.tag, int(name.value)) for name in names} - {0}
        if max(total, 1) < len(labels) == max(labels, default=0):
            return len(labels)  # "lot 1, lot 2 … I keep lot 3"
        return total if total >= last and any(lot.count > 1 for lot in several) else None

    def _has_rival(self, count: int) -> bool:
        """Whether somebody names another number: "I thought of three lots, my wife says two"."""
        return any(
            tag == "NUM"
            and LEAST_LOT_COUNT <= self.tokens[i].value <= _MOST_NAMED
            and self.tokens[i].value != count
            and not _SETS["rivals"].isdisjoint(self.tags[max(0, i - _NEAR) : i])
            for i, tag in enumerate(self.tags)
        )

    def _is_for_another(self, count: int) -> bool:
        """Whether each of so many people gets a lot and somebody else the house."""
        return (
            any(token.tag == "PEOPLE" and token.value == count for token in self.tokens)
            and bool(self.values.get("keeps_house"))
            and any("KIN" in self.tags[i : i + 2 * _NEAR] for i, tag in enumerate(self.tags) if tag == "HOUSE")
        )

    def _content(self) -> tuple[Span, ...]:
        """The words with a meaning."""
        return tuple(
            (token.start, token.end)
            for token in self.tokens
            if token.tag not in _SETS["structure"] and token.tag not in FUNCTION_WORDS and token.tag[0].isalnum()
        )


def unread_runs(text: str, words: Sequence[Span], covered: Sequence[Span]) -> tuple[Span, ...]:
    """The runs of words that are not covered."""
    ends = [0, *(word[1] for word in words)]
    is_read = _are_in(words, covered)
    breaks = (is_read[i] or bool(re.search(r"[.;!?\n]", text[ends[i] : word[0]])) for i, word in enumerate(words))
    runs = groupby(zip(words, is_read, accumulate(breaks), strict=True), key=itemgetter(2))
    spans = ([word for word, is_known, _ in run if not is_known] for _, run in runs)
    return tuple((run[0][0], run[-1][1]) for run in spans if run)


def _joined(spans: Sequence[Span]) -> Iterator[Span]:
    """The spans in order; those that overlap as one."""
    ordered = sorted(spans)
    ends = [*accumulate((end for _, end in ordered), max)]
    starts = [i for i, (start, _) in enumerate(ordered) if not i or start >= ends[i - 1]]
    return ((ordered[i][0], ends[j - 1]) for i, j in pairwise([*starts, len(ordered)]))


def _count(lots: Sequence[WishedLot]) -> int:
    return sum(lot.count for lot in lots)


def _are_in(words: Sequence[Span], spans: Sequence[Span]) -> list[bool]:
    """Whether each word is in a span. The spans that start before a word reach as far as the one that ends last."""
    ordered = sorted(spans)
    ends = [-1, *accumulate((end for _, end in ordered), max)]
    return [ends[bisect_right(ordered, (start, math.inf))] >= end for start, end in words]


def is_in(word: Span, spans: Sequence[Span]) -> bool:
    return any(start <= word[0] and word[1] <= end for start, end in spans)


def read(text: str) -> Reading:
    """Reads a text of at most MAX_QUESTION_LENGTH characters. Deterministic."""
    return _Reader(text).read()


def read_project(text: str) -> Project:
    return read(text).project
