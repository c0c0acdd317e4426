"""Judges whether a sentence of a model says what its facts say.

Figures and names stand in slots only, and each slot stands with what it describes. Words that change what a sentence
states (`concepts.toml`) stand where the facts have them. The other words are mostly those of the facts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from itertools import groupby, takewhile
from typing import NamedTuple

from assistant.text import read_table
from assistant.writing.facts import NUMBER_WORDS, SLOT, UNITS, Fact, own_words
from servicekit.languages import Language

_TOKEN = re.compile(r"\{[a-z]\d+\.[a-z]+\d*\}|[^\W\d_]+|[,;:.()]")
_WORD = re.compile(r"[^\W\d_]+")
_FIGURE = re.compile(rf"\d|\b(?:une?|one) (?:more )?(?:{UNITS})|\b(?:{NUMBER_WORDS})\b", re.IGNORECASE)
_PART = re.compile(r"[,;:()]|\.(?![a-z])|(?:^|\s)(?:et|and|mais|but)\s")
_UNIT_AFTER = re.compile(rf"\}}[\u202f\u00a0 ]?(?:{UNITS}|par m|per m|/)", re.IGNORECASE)
_FOREIGN = re.compile(r"[<>\[\]|`#*_=\\@]|https?:|www\.|[{}]")
_ALL = 1_000
_STOPS = ",;:.()"
_REACH = 6
"""Words on each side of a word that belong to its context."""
_USED = 0.5
"""A sentence uses a part of a fact if it has this share of its content words."""
_TOUCHED = 0.2
"""A sentence that has this share of a fact's content words keeps its condition."""
_LEAST_SUPPORT = 0.5
"""Share of the content words of each part of a sentence that its facts have."""
_SHORT = 3
"""Words up to this length are no content."""


class Refused(Exception):
    """The facts do not state the sentence. The argument tells why, in words for the model."""


class _Mark(NamedTuple):
    """A word that changes what a sentence states, with the stems around it."""

    concept: str
    word: str
    context: frozenset[str]


class _Reading:
    """A text with its stems and marks."""

    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self._language = language
        self.tokens = [(match.start(), match[0]) for match in _TOKEN.finditer(text)]
        self.stems = frozenset(self._content(self.tokens))

    def _content(self, tokens: Iterable[tuple[int, str]]) -> Iterable[str]:
        for _, token in tokens:
            if token.startswith("{"):
                yield token
            elif len(token) > _SHORT and (stem := stem_of(token)) not in _GRAMMAR:
                yield stem

    def context(self, place: int, reach: int = _REACH, stops: str = "") -> frozenset[str]:
        """The stems around a place, as far as the next stops."""
        index = sum(start < place for start, _ in self.tokens)
        around = (self.tokens[max(0, index - reach) : index][::-1], self.tokens[index : index + reach + 1])
        within = (token for side in around for token in takewhile(lambda token: token[1] not in stops, side))
        return frozenset(self._content(within))

    @cached_property
    def marks(self) -> list[_Mark]:
        """The marks in order. Negations between two commas are one, such as `aucun … ne`."""
        text = self.text.lower().replace("'", "’")
        marks: dict[tuple[str, int], _Mark] = {}
        for concept, pattern in _CONCEPTS[self._language].items():
            for match in pattern.finditer(text):
                place = len(_PART.findall(text[: match.start()])) if concept == "negation" else match.start()
                own = {stem_of(word) for word in match[0].split()}
                near = self.context(match.start(), _ALL, _STOPS) - own
                context = near or self.context(match.start()) - own
                earlier = marks[concept, place].context if (concept, place) in marks else frozenset[str]()
                kind = "negation" if concept == "refusal" else concept
                marks[concept, place] = _Mark(kind, match[0], context | earlier)
        return list(marks.values())

    @property
    def parts(self) -> Iterable[frozenset[str]]:
        """The stems of each part between commas and stops."""
        for part in _PART.split(self.text):
            yield frozenset(self._content((0, token) for token in _TOKEN.findall(part)))


class Judge:
    """Judges sentences about the facts of one answer."""

    def __init__(self, facts: Sequence[Fact], language: Language) -> None:
        self._language = language
        self._readings = {fact.id: _Reading(fact.text, language) for fact in facts}
        self._kinds = {key: re.sub(r".*\.|\d+$", "", key) for fact in facts for key in fact.slots}
        self._shapes = {fact.id: SLOT.sub("{}", fact.text) for fact in facts}

    def check(self, text: str, facts: Sequence[Fact]) -> None:
        """Raises Refused."""
        if not facts:
            raise Refused("it names no fact")
        self._check_form(text, facts)
        sentence = _Reading(text, self._language)
        readings = [self._readings[fact.id] for fact in facts]
        self._check_slots(sentence, facts)
        self._check_marks(sentence, readings)
        self._check_words(sentence, facts, readings)

    def tells(self, fact: Fact, text: str) -> bool:
        """Whether sentences that rest on the fact have all its slots and most of its words."""
        stems, own = _Reading(text, self._language).stems, self._readings[fact.id].stems
        return {f"{{{key}}}" for key in fact.slots} <= stems and len(stems & own) >= _USED * len(own)

    def _check_form(self, text: str, facts: Sequence[Fact]) -> None:
        """Figures, names and markup."""
        slots = {key for fact in facts for key in fact.slots}
        for key in SLOT.findall(text):
            if key not in slots:
                raise Refused(f"the slot {{{key}}} is not in the facts that it lists")
        plain = SLOT.sub(" ", text)
        if match := _FOREIGN.search(plain):
            raise Refused(f"it contains {match[0]}")
        fact_words = {word.lower() for fact in facts for word in re.findall(r"\w+", fact.text)}
        for match in _FIGURE.finditer(plain):
            if match[0].isdigit() or " " in match[0] or match[0].lower() not in fact_words:
                raise Refused(f"a figure stands outside of a slot: {match[0]}")
        if (match := _UNIT_AFTER.search(text)) and not any(match[0] in fact.text for fact in facts):
            raise Refused(f"a unit stands beside a slot: {match[0][1:].strip()}")
        cased_words = {word for fact in facts for word in re.findall(r"\w+", f"{fact.text} {fact.subject}")}
        for match in re.finditer(r"[^\W\d_]+", plain):
            word = match[0]
            is_first = not plain[: match.start()].strip(' «"')
            if word[0].isupper() and word not in cased_words and not (is_first and stem_of(word) in _own_stems()):
                raise Refused(f"a name stands outside of a slot: {word}")

    def _check_slots(self, sentence: _Reading, facts: Sequence[Fact]) -> None:
        """Each slot stands with what it describes in its fact, not with what a slot of the same kind describes."""
        keys = [(match[1], match.start()) for match in SLOT.finditer(sentence.text)]
        for key, place in keys:
            around = (sentence.context(place), sentence.context(place, _ALL, ";."))
            own = self._fit(key, around)
            others = [other for other in self._kinds if self._kinds[other] == self._kinds[key]]
            fits = [self._fit(other, around) for other in others if _fact_of(other) != _fact_of(key)]
            if any(near >= own[0] and share >= own[1] and (near, share) != own for near, share in fits):
                raise Refused(f"{{{key}}} does not stand with what it describes")
        for fact in facts:
            for kind in {self._kinds[key] for key in fact.slots}:
                order = [key for key, _ in keys if key in fact.slots and self._kinds[key] == kind]
                if list(dict.fromkeys(order)) != [key for key in fact.slots if key in order]:
                    raise Refused("slots of a fact stand in another order")
        self._check_pairs([key for key, _ in keys])

    def _fit(self, key: str, around: tuple[frozenset[str], frozenset[str]]) -> tuple[int, float]:
        """How many words near the slot in its fact stand near it in a sentence, and the share of the others that do."""
        reading, slot = self._readings[_fact_of(key)], frozenset({f"{{{key}}}"})
        near, whole = reading.context(reading.text.index(f"{{{key}}}")) - slot, reading.stems - slot
        return len(near & around[0]), len(whole & around[1]) / max(1, len(whole))

    def _check_pairs(self, keys: Sequence[str]) -> None:
        """Of facts that differ in their slots only, such as those of lots, each slot stands with its own label."""
        shapes = list(self._shapes.values())
        twins = [key for key in keys if shapes.count(self._shapes[_fact_of(key)]) > 1]
        labels = [_fact_of(key) for key in twins if self._kinds[key] == "label"]
        runs = [list(run) for _, run in groupby(twins, _fact_of)]
        if not labels or all(any(self._kinds[key] == "label" for key in run) for run in runs):
            return
        for kind in {self._kinds[key] for key in twins}:
            if [_fact_of(key) for key in twins if self._kinds[key] == kind] != labels:
                raise Refused("a slot stands with the label of another fact")

    def _check_marks(self, sentence: _Reading, readings: Sequence[_Reading]) -> None:
        fact_marks = [mark for reading in readings for mark in reading.marks]
        counts = Counter(mark.concept for mark in fact_marks)
        counts["cause"] += sum(len(re.findall("[:;]", reading.text)) for reading in readings)  # what follows explains
        shares = any(".share" in reading.text for reading in readings)
        for mark in sentence.marks:
            if mark.concept in ("condition", *(["part"] if shares else []), *(["cause"] if len(readings) == 1 else [])):
                continue
            counts[mark.concept] -= 1
            if counts[mark.concept] < 0 or (mark.concept != "cause" and not _has(fact_marks, mark)):
                raise Refused(f"its facts do not say {mark.word!r} of this")
        present = Counter(mark.concept for mark in sentence.marks)
        for reading in readings:
            is_used = len(reading.stems & sentence.stems) >= _TOUCHED * len(reading.stems)
            conditions = [mark for mark in reading.marks if mark.concept == "condition" and is_used][:1]
            used = [mark for mark in reading.marks if len(mark.context & sentence.stems) >= _USED * len(mark.context)]
            for mark in [*conditions, *(mark for mark in used if mark.concept in _KEPT)]:
                present[mark.concept] -= 1
                if present[mark.concept] < 0 or not (mark in conditions or _has(sentence.marks, mark)):
                    raise Refused(f"it leaves out {mark.word!r}")

    def _check_words(self, sentence: _Reading, facts: Sequence[Fact], readings: Sequence[_Reading]) -> None:
        """The other words are mostly those of the facts, and each fact is used."""
        text = " ".join(fact.text.lower() for fact in facts)
        stated = {stem_of(word) for word in _WORD.findall(text)}
        for match in _TERMS[self._language].finditer(sentence.text.lower()):
            if (" " in match[0] and match[0].rstrip("s") not in text) or stem_of(
                _WORD.findall(match[0])[0]
            ) not in stated:
                raise Refused(f"its facts do not have the word {match[0]!r}")
        others = [*(fact.subject for fact in facts), *(mark.word for mark in sentence.marks)]
        stated |= {stem_of(word) for text in others for word in _WORD.findall(text)}
        for part in sentence.parts:
            foreign = {stem for stem in part if not stem.startswith("{")} - stated
            if len(foreign) > (1 - _LEAST_SUPPORT) * len(part):
                raise Refused(f"its facts do not have the words {', '.join(sorted(foreign))}")
        if not all(reading.stems & sentence.stems for reading in readings):
            raise Refused("it lists a fact that it does not use")


def _has(marks: Iterable[_Mark], mark: _Mark) -> bool:
    alike = [other for other in marks if other.concept == mark.concept]
    is_same = mark.concept not in _KEPT and any(stem_of(other.word) == stem_of(mark.word) for other in alike)
    return is_same or any(other.context & mark.context for other in alike) or (bool(alike) and not mark.context)


def _fact_of(key: str) -> str:
    return key.partition(".")[0]


def stem_of(word: str) -> str:
    """The beginning of a word, without accents, which its forms share."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))
    return plain[:5]


@cache
def _own_stems() -> frozenset[str]:
    return _GRAMMAR | {stem_of(word) for word in own_words()}


_TABLE = read_table("writing/concepts.toml")
_KEPT = frozenset(_TABLE["kept"]) - {"refusal"}
_LANGUAGES: tuple[Language, ...] = ("fr", "en")
_CONCEPTS = {
    language: {
        name: re.compile(patterns[language])
        for name, patterns in {**_TABLE["kept"], **_TABLE["added"], "condition": _TABLE["condition"]}.items()
    }
    for language in _LANGUAGES
}
_TERMS = {language: re.compile(_TABLE["term"][language]) for language in _LANGUAGES}
_GRAMMAR = frozenset(stem_of(word) for words in _TABLE["grammar"].values() for word in words.split())
