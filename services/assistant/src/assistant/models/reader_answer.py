"""Checks what a language model has read. What the text does not bear is dropped, item by item."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Literal, get_args, get_origin

from assistant.law.cards import SUBJECTS
from assistant.models.base import json_object
from assistant.models.reader_messages import members
from assistant.project import DENIABLE, LARGEST, MOST_LETTERS, MOST_LISTED, FactKind, Project, ToldFact
from assistant.questions.reading import ReadQuestion, quote
from assistant.questions.words import FUNCTION_WORDS, plain_text
from assistant.reading.patterns import POSITIONS
from assistant.reading.project import Reading
from assistant.reading.spans import Span, is_in, unread_runs
from assistant.reading.tokens import figures, read_tokens
from assistant.text import read_table

_NEAR = 0.01
"""A figure may be rounded by this share of it."""
_NO_NAMES = FUNCTION_WORDS | {"ours"}
_EDGE = " \t\n.…,;:"
_OR = re.compile(
    r"\b(\d{1,2}|[a-z]+) ?(?:a|ou|or|to|-) ?(\d{1,2}|[a-z]+)\b(?! ?(?:m|ares?|ha|%|metres?|pieds?|feet|ft)\b)"
)
"""Two numbers, one of which counts."""
_PACES = re.compile(r"\b(\w+) (?:pas|paces|steps)\b")
"""A distance that no unit tells."""
_SIDES = re.compile(r"\d ?m? ?(?:x|×|by|par|sur) ?\d")
_OF_GARDEN = re.compile(r"\b(?:garden|jardin|lawn|pelouse|yard|cour|tuin|garten)\b")
"""A share of these is none of the land."""
_RIGHT_OF_WAY = re.compile(r"\b(?:droit de passage|right of way)\b(?!.*(?:commun|partag|share))")
"""A way that stays somebody's own, which others may use."""
_EACH = re.compile(r"\b(?:chacune?|each|ieder)\b")
_BEYOND = {"KEPTOUT", "OUTHOUSE", "WAY", "PASSAGE", "MIDDLE", "ALONG", "BESIDE", "BEHIND", "LANDMARK", "MONEY"}
"""Tags of words that the members of a lot do not hold."""
_SIZES = {"area_m2", "least_m2", "most_m2", "share_ratio"}
_LISTS = ("lots", "keep_outs", "owners")
_LARGEST_SUM = 1e9
"""The largest sum of money."""


def read_answer(answer: str, text: str, by_rules: Reading) -> Reading:
    """Returns what a model has read. A wrong answer gives an empty reading. The words with a meaning, the approximate
    areas and the sides of houses are those that the rules have found.
    """
    return _Checker(text).read(json_object(answer) or {}, by_rules)


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


@dataclass
class _Checker:
    text: str
    words: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    told: list[Span] = field(default_factory=list)
    quoted: dict[Span, ToldFact] = field(default_factory=dict)
    """What the words of a member tell that it does not hold."""
    count_range: tuple[int, int] | None = None
    adds_up: bool = False
    """Whether the counts of the lots add up to their number."""

    def read(self, parsed: Mapping[str, Any], by_rules: Reading) -> Reading:
        self.count_range = by_rules.count_range
        project = self._project(told := _object(parsed.get("project")))
        facts = [*self._facts([_object(part) for part in _list(told.get("facts"))])]
        spans = [span for _, span in facts]
        facts = sorted(
            [*facts, *((fact, span) for span, fact in self.quoted.items() if not is_in(span, spans))], key=itemgetter(1)
        )
        project = project.filling(next((fact.area_m2 for fact, _ in facts if fact.kind == "land"), None))
        questions, asked = self._questions(_list(parsed.get("asks")))
        wishes = self._excerpts(parsed.get("wishes"))
        described = self._excerpts(parsed.get("described"))
        covered = (*self.told, *asked, *wishes, *described)
        hiding = [span for span in described if figures(self.text[slice(*span)])]
        unread = unread_runs(self.text, by_rules.content, covered)
        return Reading(
            project, self.words, covered, unread, by_rules.content,
            is_by_model=True, questions=questions, asked=asked, notes=wishes,
            facts=tuple(facts),
            counted=tuple(span for span in covered if span not in hiding),
            count_range=by_rules.count_range, approximate=by_rules.approximate, sides_m=by_rules.sides_m,
        )  # fmt: skip

    def _project(self, told: Mapping[str, Any]) -> Project:
        values: dict[str, Any] = {}
        for name, kind in members(Project).items():
            if name in _LISTS:
                element = get_args(kind)[0]
                parts = [_object(part) for part in _list(told.get(name))][:MOST_LISTED]
                counts = [part.get("count") or 1 for part in parts]
                self.adds_up = all(type(count) is int for count in counts) and sum(counts) == values.get("lot_count")
                values[name] = tuple(self._elements(name, element, parts))
            elif spans := self._places(_object(told.get(name)).get("words")):
                value = self._value(name, kind, told[name].get("value"), spans)
                if value and name == "has_shared_way" and _RIGHT_OF_WAY.search(plain_text(self._words_at(spans))):
                    self._quote("access", spans)
                elif value is not None:
                    values[name] = value
                    self._add(f"/{name}", spans)
        return Project(**values).consistent()

    def _elements(self, name: str, declaration: type, parts: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
        index = 0
        for part in parts:
            if not (spans := self._places(part.get("words"))):
                continue
            values = {key: self._value(key, kind, part.get(key), spans) for key, kind in members(declaration).items()}
            values = {key: value for key, value in values.items() if value is not None}
            plain = plain_text(self._words_at(spans))
            if name == "lots":
                values |= self._implied(plain, values)
                has_lost = any(value and key not in values for key, value in part.items() if key != "words")
                self._quote("note", [span for span in spans if has_lost or self._tells_more(span, values)])
                if "count" not in values and (part.get("count") or 1) != 1:
                    continue  # one lot would be wrong
            if name == "keep_outs" and "distance_m" not in values and any(map(figures, _PACES.findall(plain))):
                self._quote("distance", spans)
                continue
            if name == "owners" and not values:  # a number of people, which names nobody
                values = {"name": self.text[slice(*spans[0])][:MOST_LETTERS]}
            if (name == "keep_outs" and "thing" not in values) or not values:
                continue
            self._add(f"/{name}" if name == "owners" else f"/{name}/{index}", spans)
            index += 1
            yield declaration(**values)

    def _implied(self, plain: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """What a model adds up or works out in no case: the least number of a range, and the area of told sides."""
        implied: dict[str, Any] = {}
        if self.count_range and values and {*self.count_range} <= figures(plain):
            implied["count"] = self.count_range[0]
        if _SIDES.search(plain) and values.keys().isdisjoint(_SIZES):
            areas = [token.value for token in read_tokens(plain) if token.tag == "AREA"]
            implied |= {"area_m2": areas[0]} if len(areas) == 1 else {}
        return implied

    def _tells_more(self, span: Span, values: Mapping[str, Any]) -> bool:
        """Whether the words tell a thing, a place or something unknown that the values do not hold."""
        held = {*plain_text(" ".join(map(str, values.values()))).split(), *FUNCTION_WORDS}
        beyond = _BEYOND if "position" in values else _BEYOND.union(POSITIONS)
        tags = {token.tag for token in read_tokens(self.text[slice(*span)])}
        return bool(tags & beyond) or any(tag.islower() and tag not in held for tag in tags)

    def _quote(self, kind: FactKind, spans: Sequence[Span]) -> None:
        self.told += spans
        self.quoted |= {span: ToldFact(kind, self.text[slice(*span)][:MOST_LETTERS]) for span in spans}

    def _facts(self, parts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[ToldFact, Span]]:
        for part in parts[:MOST_LISTED]:
            if spans := self._places(part.get("words")):
                self.told += spans
                values = {key: self._value(key, kind, part.get(key), spans) for key, kind in members(ToldFact).items()}
                span = min(spans)[0], max(end for _, end in spans)
                words = self.text[slice(*span)][:MOST_LETTERS]
                values["kind"] = values["kind"] or "wish"
                yield ToldFact(**values, words=words), span

    def _add(self, pointer: str, spans: Sequence[Span]) -> None:
        self.words[pointer] = (*self.words.get(pointer, ()), *spans)
        self.told += spans

    def _questions(self, asks: Sequence[Any]) -> tuple[tuple[ReadQuestion, ...], tuple[Span, ...]]:
        table = read_table("models/reader.toml")
        questions: dict[tuple[str, str], ReadQuestion] = {}
        asked: list[Span] = []
        for ask in map(_object, asks):
            spans = self._places(ask.get("words"))
            if spans and ask.get("intent") in table["intents"]:
                quoted = quote(" ".join(self.text[slice(*span)] for span in spans))
                subjects = tuple(subject for subject in SUBJECTS if subject in _list(ask.get("subjects")))
                question = ReadQuestion(ask["intent"], quoted, subjects=subjects)
                questions.setdefault((question.intent, quoted), question)
                asked += spans
        return tuple(questions.values()), tuple(asked)

    def _excerpts(self, value: object) -> tuple[Span, ...]:
        return tuple(span for excerpt in _list(value) for span in self._places(excerpt))

    def _places(self, words: object) -> list[Span]:
        """The places of the excerpts; none if the text lacks one of them."""
        places: list[Span] = []
        for excerpt in [words] if isinstance(words, str) else _list(words):
            place = self._place(excerpt, places[-1][1] if places else 0)
            if place is None:
                return []
            places.append(place)
        return places

    def _place(self, excerpt: object, start: int = 0) -> Span | None:
        """Where the excerpt stands, behind `start` if it does. Case, accents and white space may differ."""
        words = plain_text(excerpt).strip(_EDGE).split() if isinstance(excerpt, str) else []
        pattern = r"\s+".join(map(re.escape, words))
        plain = plain_text(self.text)
        places = (re.compile(form).search(plain, at) for form in (rf"\b{pattern}\b", pattern) for at in (start, 0))
        match = next(filter(None, places), None) if words else None
        return None if match is None else match.span()

    def _value(self, name: str, kind: Any, value: object, spans: Sequence[Span]) -> Any:
        """The value, or None if it has another type, breaks the bounds, or is not in the words."""
        if kind is bool:
            return value if value is True or (value is False and name in DENIABLE) else None
        if get_origin(kind) is Literal:
            return value if value in get_args(kind) else None
        if kind is str:
            place = self._place(value)
            words = [] if place is None else self.text[slice(*place)].split()
            is_named = any(plain_text(word) not in _NO_NAMES and not word.isdecimal() for word in words)
            return " ".join(words)[:MOST_LETTERS] if is_named else None
        if kind not in (int, float) or isinstance(value, bool) or not isinstance(value, int | float):
            return None
        unit = name.rpartition("_")[2]
        figure = round(value) if kind is int else float(value)
        spans = (*spans, *self.words.get("/lot_count", ())) if name == "count" else spans  # "in two, each for a house"
        is_bounded = 0 < figure <= LARGEST.get(unit, _LARGEST_SUM) and figure == value
        if unit == "count" and self._is_open(spans):
            return None
        is_told = self._has(figure, unit, spans) or (name == "count" and self._is_count(figure, spans))
        if name == "share_ratio" and _OF_GARDEN.search(plain_text(self._words_at(spans))):
            return None
        return figure if is_bounded and is_told else None

    def _words_at(self, spans: Sequence[Span]) -> str:
        return " ; ".join(self.text[slice(*span)] for span in spans)

    def _is_open(self, spans: Sequence[Span]) -> bool:
        """Whether the words leave the number open: "9 à 10 lots", "one or two"."""
        pairs = _OR.findall(plain_text(self._words_at(spans)))
        return any(more - less == 1 for first, last in pairs for less in figures(first) for more in figures(last))

    def _is_count(self, count: float, spans: Sequence[Span]) -> bool:
        """Whether a count follows from words without that figure: it is 1, a figure stands that often ("500 / 500"),
        all counts add up to the number of lots, or each of that many people gets one.
        """
        words = Counter(re.findall(r"\d+", self._words_at(spans)))
        is_of_people = _EACH.search(plain_text(self._words_at(spans))) and count in figures(self.text)
        return count == 1 or count in words.values() or self.adds_up or bool(is_of_people)

    def _has(self, figure: float, unit: str, spans: Sequence[Span]) -> bool:
        quoted_words = self._words_at(spans)
        told = figures(quoted_words)
        told |= {value / 100 for value in told} if unit == "ratio" else set()
        words = plain_text(quoted_words)
        numbers = read_table("models/reader.toml")["numbers"].items()
        told |= {value for phrase, value in numbers if re.search(rf"\b{phrase}\b", words)}
        return any(abs(value - figure) <= _NEAR * figure for value in told)
