"""Reads the project that a text tells. The patterns are in `project.toml`."""

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter

from assistant.project import (
    LARGEST,
    LEAST_LOT_COUNT,
    MOST_LETTERS,
    MOST_LISTED,
    FactKind,
    KeepOut,
    Owner,
    Project,
    ToldFact,
)
from assistant.questions.reading import ReadQuestion
from assistant.questions.words import FUNCTION_WORDS, plain_text
from assistant.reading.clauses import quotable, told_facts
from assistant.reading.lots import ENDS, LARGEST_FIGURES, NEAR, SETS, LotReader
from assistant.reading.patterns import Alphabet, Pattern, Token
from assistant.reading.spans import Span, are_in, is_in, joined, unread_runs
from assistant.reading.tokens import approximate_areas
from assistant.text import read_table

_MOST = {"a": math.inf, "n": LARGEST["count"], "v": math.inf}
"""The largest figure of a rule by its name in the pattern."""
_FIGURES = frozenset("narvxzhp")
"""Names of tokens that are read once."""
_OPENING_WORDS, _SHORT_CLAUSE = 25, 120
_ROUNDING = 0.1
"""A number of people is that near to a whole one."""


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
    approximate: tuple[Span, ...] = ()
    """The places of areas that the text tells as approximate ones."""
    count_range: tuple[int, int] | None = None
    """The least and the most lots, where the text tells their number as a range."""
    sides_m: tuple[tuple[float, float], ...] = ()
    """The sides of each house that the text tells by them, the shorter one first."""

    def ratio(self, unread: Sequence[Span] | None = None) -> float:
        """The share of the words with a meaning that were read: all but those in the unread words."""
        left = are_in(self.content, self.unread if unread is None else unread)
        return 1 - left.count(True) / (len(self.content) or 1)


@cache
def _rules() -> tuple[Alphabet, Sequence[Pattern]]:
    """The patterns for members of a project, with their alphabet."""
    entries = [
        {"stops": ".", **rule, **pattern}
        for rule in read_table("reading/project.toml")["rules"]
        for pattern in rule["patterns"]
    ]
    alphabet = Alphabet(entry.get(name, "") for entry in entries for name in ("tags", "stops", "needs", "without"))
    return alphabet, [alphabet.compiled(entry) for entry in entries]


class _Reader(LotReader):
    """Applies the rules to the tokens of one text. A quantity is read once."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.alphabet, self.rules = _rules()
        self.row, self.present = self.alphabet.row(self.tags), self.alphabet.bits({*self.tags})
        self.owners: list[tuple[int, Owner]] = []
        self.keep_outs: dict[str, tuple[KeepOut, Span]] = {}
        self.facts: list[tuple[ToldFact, Span]] = []

    def read(self) -> Reading:
        for rule in self.rules:
            if rule.needed[0] & self.present and rule.may_match(self.present):
                for _ in range(rule.options.get("repeats", 1)):
                    for match in list(self._matches(rule)) if rule.regex.search(self.row) else ():
                        self._take(rule, match)
        project = self._project()
        counted, content = tuple(self.covered), tuple(token[:2] for token in self.tokens if _has_meaning(token))
        are_read = enumerate(are_in([token[:2] for token in self.tokens], counted))
        unread = {i for i, is_read in are_read if not is_read and _has_meaning(self.tokens[i])}
        # a distance that the drawing does not follow is one, whichever rule has read it
        tags = [
            token.tag if token.tag == "LENGTH" and "setback_m" not in self.values else tag
            for token, tag in zip(self.tokens, self.tags, strict=True)
        ]
        told = [*told_facts(self.text, self.tokens, tags, self.clauses, unread)]
        clauses_of = {
            kind: [span for fact, span in told if kind in (fact.kind, "kept")]
            for kind in {f.kind for f, _ in self.facts}
        }
        self.facts = [*told, *(entry for entry in self.facts if not is_in(entry[1], clauses_of[entry[0].kind]))]
        self.covered += [span for _, span in told]
        self._tell_land()
        covered = tuple(self.covered)
        project = project.filling(next((fact.area_m2 for fact, _ in self.facts if fact.kind == "land"), None))
        return Reading(
            project,
            {pointer: (span,) for pointer, span in self.words.items()},
            covered,
            self._phrases(unread_runs(self.text, content, covered), content, covered),
            content,
            facts=tuple(sorted(self.facts, key=itemgetter(1))),
            counted=counted,
            is_count_sure=self._is_count_sure(project, self.facts),
            count_range=self.count_range,
            approximate=approximate_areas(self.text, self.tokens),
            sides_m=tuple((token.least or 0.0, token.most or 0.0) for token in self.tokens if token.tag == "SIDES"),
        )

    def _tell_land(self) -> None:
        """Takes the first area of a text for that of the land, unless a rule has read it. The lots must fit into it,
        and a later area must be less than half of it.
        """
        place = next((i for i, token in enumerate(self.tokens) if token.tag == "AREA"), -1)
        first, *later = [i for i, tag in enumerate(self.tags) if tag == "AREA"] or [-2]
        if (
            place != first
            or "RECEIVE" in self.tags
            or self.tokens[place][5:] != (None, None)
            or is_in(self._span(place), self.covered)
            or any(2 * self.tokens[i].value >= self.tokens[place].value for i in later)
        ):
            return
        total_m2 = sum((lot.size_m2 or 0.0) * lot.count for _, _, lot, _ in self.lots)
        clause = self._clause(place)
        if (
            (self.tokens[place].value > total_m2 > 0 or (not total_m2 and place < _OPENING_WORDS))
            and SETS["outgoing"].isdisjoint(token.tag for token in self.tokens[clause.start : clause.stop])
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
        firsts, is_read = [first for first, _ in words], are_in(words, covered)
        figures, phrases = {token.start for token in self.tokens if token.value}, [*runs]
        for first, last in self.clauses:
            start, end = self.tokens[first].start, self.tokens[last - 1].end
            part = range(bisect_left(firsts, start), bisect_left(firsts, end))
            read_words = [firsts[i] for i in part if is_read[i]]
            if 2 * len(read_words) < len(part) and figures.isdisjoint(read_words):
                phrases.append((start, end))
        return tuple(joined(phrases))

    def _matches(self, rule: Pattern) -> Iterator[dict[str, int]]:
        """The places of the named tokens of each match, with its start and end."""
        for places in rule.matches(self.row):
            start, end = places["start"], places["end"]
            is_from_a_thing = rule.options.get("from_limits") and self._is_from_a_thing(start, end)
            near = next(
                (i + 1 for i in range(start - 1, start - NEAR - 1, -1) if i < 0 or self.tags[i] == "."), start - NEAR
            )
            if not is_from_a_thing and rule.unless.isdisjoint(self.tags[near:end]):
                yield places

    def _is_from_a_thing(self, start: int, end: int) -> bool:
        """Whether a distance is to something else than the limits of the land: "15 m de recul sur la RD"."""
        after = next((i for i in range(end, len(self.tags)) if self.tags[i] in ENDS), len(self.tags))
        following = [tag for tag in self.tags[end:after] if tag not in SETS["structure"] and tag not in FUNCTION_WORDS]
        return any(
            tag in {"WAY", "FRONT", "KEPTOUT", "REF"} or (tag.islower() and tag not in FUNCTION_WORDS)
            for tag in (*self.tags[start:end], *following[:1])
        )

    def _fits(self, rule: Pattern, places: Mapping[str, int]) -> bool:
        """Whether the figures of a match are those that its rule reads."""
        options, figure = rule.options, self.tokens[places["v"]] if "v" in places else None
        most = {name: options.get("most", limit) for name, limit in _MOST.items() if name in places}
        return (
            all(options.get("least", 0) <= self.tokens[places[name]].value <= limit for name, limit in most.items())
            and ("number" not in options or self.tokens[places["x"]].value == options["number"])
            and ("is_bounded" not in options or self.tokens[places["a"]][5:].count(None) == 1)
            and (figure is None or 0 < figure.value <= LARGEST_FIGURES.get(figure.tag, 1.0))
            and not any(
                token.tag == figure.tag and token.value != figure.value
                for token in self.tokens
                if figure and "is_single" in options
            )
        )

    def _take(self, rule: Pattern, places: dict[str, int]) -> None:
        name, start, end = rule.options["name"], places["start"], places["end"]
        figure = self.tokens[places["v"]] if "v" in places else None
        span = (self.tokens[start].start, self.tokens[end - 1].end)
        if not self._fits(rule, places):
            return
        is_new = True  # it does not contradict what stands before it
        match name:
            case "lots" | "more_lots" | "house_plot" | "house_rest" | "shares" | "rest":
                is_new = self._add_lot(rule.options, places, span)
            case "lot_range":
                least, most = sorted(int(self.tokens[places[end]].value) for end in "xz")
                if not LEAST_LOT_COUNT <= least < most <= LARGEST["count"]:
                    return
                self.count_range = self.count_range or (least, most)
                self.words.setdefault("/lot_count", span)
                is_new = "a" not in places or self._add_lot({}, places | {"n": places["x"]}, span)
            case "lot_count" if "n" in places and self.tokens[places["n"]].value >= 1:
                self.counts.append((int(self.tokens[places["n"]].value), start, end, self._parts(rule, places)))
                if self.tokens[places["n"]].tag == "PEOPLE":
                    self.facts.append((ToldFact("people", self.text[slice(*span)]), span))
            case "keep_outs":
                for thing in (self.tokens[places[name]] for name in "tu" if name in places):
                    words = self.text[thing.start : thing.end]
                    if words not in self.keep_outs or self.keep_outs[words][0].distance_m is None:
                        self.keep_outs[words] = (KeepOut(words, figure and figure.value), span)
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
                span = self.tokens[first].start, self._name(places.get("y", places["x"]))[1]
                self.holders.append((first, span, self._parts(rule, places)))
                return  # its words are read if it is that of a lot
            case "description" if kind := rule.options.get("kind"):
                first = places.get("s", places.get("a", start))
                span = quotable(self.text, self._span(first)[0], span[1])
                if "a" in places and "s" not in places:
                    self._tell_area(kind, first)
                else:
                    self.facts.append((ToldFact(kind, self.text[slice(*span)][:MOST_LETTERS]), span))
            case "town_said" | "shared_way_with" as member:
                words = self.text[self.tokens[places.get("x", start)].start : span[1]]
                self._set(member, words[:MOST_LETTERS], span)
        if figure is not None and "field" in rule.options:
            member, value = rule.options["field"], figure.value / 100 if figure.tag == "PERCENT" else figure.value
            is_new = self._set(member, int(value) if member.endswith("_count") else value, span)
        is_new &= False not in {self._set(name, value, span) for name, value in rule.options.get("sets", {}).items()}
        if is_new and name != "unread" and (name != "lot_count" or "n" not in places):
            self.covered += self._parts(rule, places)
        for key, place in places.items():
            if key in _FIGURES:
                self.tags[place] = "TAKEN" if key in "ar" and name in ("lots", "more_lots") else "USED"
                self.present |= self.alphabet.bits((self.tags[place],))
                self.row = self.row[:place] + self.alphabet.row(self.tags[place : place + 1]) + self.row[place + 1 :]

    def _name(self, place: int) -> Span:
        """The words of a name from its first one: "Vve Dupouy", "frère Jean-Marc"."""
        ends = (i for i in range(place, len(self.tags) + 1) if self.tags[i + 1 : i + 2] != ["PERSON"])
        return self.tokens[place].start, self.tokens[next(ends)].end

    def _parts(self, rule: Pattern, places: Mapping[str, int]) -> list[Span]:
        """The words that a rule has read: those that a gap has passed are not."""
        is_whole = rule.options["name"] in ("town_said", "shared_way_with")
        gaps = [range(places[n], places[f"end_{n}"]) for n in places if n.startswith("gap") and not is_whole]
        return [self._span(i) for i in range(places["start"], places["end"]) if not any(i in gap for gap in gaps)]

    def _set(self, name: str, value: object, span: Span) -> bool:
        """Sets a member that is not told yet. Returns whether it has this value now."""
        if name not in self.values:
            self.values[name] = value
            self.words[f"/{name}"] = span
        return bool(self.values[name] == value)

    def _project(self) -> Project:
        lots, count = self._told_lots()
        if len(lots) > 1 and "ENLARGE" not in self.tags:
            self.values.pop("is_for_neighbour", None)
        self.words |= {f"/lots/{i}": span for i, (*_, span) in enumerate(self.lots)}
        told = list(self.keep_outs.values())[:MOST_LISTED]
        self.words |= {f"/keep_outs/{i}": span for i, (_, span) in enumerate(told)}
        return Project(
            lot_count=count,
            lots=tuple(lots[:MOST_LISTED]),
            keep_outs=tuple(keep_out for keep_out, _ in told),
            owners=tuple(owner for _, owner in sorted(self.owners, key=itemgetter(0))[:MOST_LISTED]),
            **self.values,
        ).consistent()


def _has_meaning(token: Token) -> bool:
    return token.tag not in SETS["structure"] and token.tag not in FUNCTION_WORDS and token.tag[0].isalnum()


def read(text: str) -> Reading:
    """Reads a text of at most MAX_QUESTION_LENGTH characters. Deterministic."""
    return _Reader(text).read()


def read_project(text: str) -> Project:
    return read(text).project
