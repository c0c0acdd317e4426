"""Judges whether a sentence of a model says what its facts say.

Figures and names stand in slots only, and each slot stands with what it describes. Words that change what a sentence
states (`concepts.toml`) stand where the facts have them. The other words are mostly those of the facts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import chain, groupby, product, takewhile
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
"""A sentence that lists a fact has this share of its content words, and keeps its condition."""
_LEAST_SUPPORT = 0.5
"""Share of the content words of each part of a sentence that its facts have."""
_SHORT = 3
"""Words up to this length are no content."""


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

    def _content(self, tokens: Iterable[tuple[int, str]]) -> Iterator[str]:
        stems = (token if token.startswith("{") else stem_of(token) for _, token in tokens if len(token) > _SHORT)
        return (stem for stem in stems if stem not in _GRAMMAR)

    def context(self, place: int, reach: int = _REACH, stops: str = "") -> frozenset[str]:
        """The stems around a place, as far as the next stops."""
        index = sum(start < place for start, _ in self.tokens)
        around = (self.tokens[max(0, index - reach) : index][::-1], self.tokens[index : index + reach + 1])
        within = (token for side in around for token in takewhile(lambda token: token[1] not in stops, side))
        return frozenset(self._content(within))

    @cached_property
    def marks(self) -> list[_Mark]:
        """The marks in order. Those of a condition or a French negation (`aucun … ne`) are one between two commas."""
        text = self.text.lower().replace("'", "’")
        marks: dict[tuple[str, int], _Mark] = {}
        for concept, pattern in _CONCEPTS[self._language].items():
            for match in pattern.finditer(text):
                is_joined = concept == "condition" or (concept == "negation" and self._language == "fr")
                place = len(_PART.findall(text[: match.start()])) if is_joined else match.start()
                own = _stems(match[0])
                near = self.context(match.start(), _ALL, _STOPS) - own
                context = near or self.context(match.start()) - own
                earlier = marks[concept, place].context if (concept, place) in marks else frozenset[str]()
                kind = "negation" if concept == "refusal" else concept
                marks[concept, place] = _Mark(kind, match[0], context | earlier)
        return list(marks.values())

    @cached_property
    def words(self) -> set[str]:
        """The stems without slots, and those of the marks."""
        own = {stem for stem in self.stems if not stem.startswith("{")}
        return own | _stems(" ".join(mark.word for mark in self.marks))

    @cached_property
    def parts(self) -> list["_Reading"]:
        """The parts between commas and stops."""
        return [_Reading(part, self._language) for part in _PART.split(self.text)]


class Judge:
    """Judges sentences about the facts of one answer."""

    def __init__(self, facts: Sequence[Fact], language: Language) -> None:
        self._language = language
        self._readings = {fact.id: _Reading(fact.text, language) for fact in facts}
        self._kinds = {key: re.sub(r".*\.|\d+$", "", key) for fact in facts for key in fact.slots}
        self._around = {key: self._around_slot(key) for key in self._kinds}
        """The words near each slot in its fact, and all others of the fact."""
        self._openings = {fact.id: fact.text.partition("{")[0] for fact in facts}

    def _around_slot(self, key: str) -> tuple[frozenset[str], frozenset[str]]:
        reading, slot = self._readings[_fact_of(key)], f"{{{key}}}"
        return reading.context(reading.text.index(slot)) - {slot}, reading.stems - {slot}

    def refusal(self, text: str, facts: Sequence[Fact]) -> str:
        """Why the facts do not state the sentence, in words for the model; empty if they do."""
        if not facts:
            return "it names no fact"
        sentence, readings = _Reading(text, self._language), [self._readings[fact.id] for fact in facts]
        reasons = (
            _in_form(text, facts),
            self._in_slots(sentence, facts),
            _in_marks(sentence, readings),
            self._in_words(sentence, facts, readings),
        )
        return next(chain.from_iterable(reasons), "")

    def needs_confirmation(self, text: str, facts: Sequence[Fact]) -> bool:
        """Whether the sentence may say another thing: it replaces a word of the parts that it uses, or loses two."""
        words, readings = _Reading(text, self._language).words, [self._readings[fact.id] for fact in facts]
        parts = [part.words for reading in readings for part in reading.parts]
        lost = set().union(*(part - words for part in parts if len(part - words) <= (1 - _USED) * len(part)))
        added = words.difference(*(reading.words for reading in readings), *(_stems(fact.subject) for fact in facts))
        return bool(lost) and len(lost) + len(added) > 1

    def tells(self, fact: Fact, text: str) -> bool:
        """Whether sentences that rest on the fact have all its slots and most of its words."""
        stems, own = _Reading(text, self._language).stems, self._readings[fact.id].stems
        return {f"{{{key}}}" for key in fact.slots} <= stems and len(stems & own) >= _USED * len(own)

    def _in_slots(self, sentence: _Reading, facts: Sequence[Fact]) -> Iterator[str]:
        """Each slot stands with what it describes in its fact, not with what a slot of the same kind describes."""
        keys = [match[1] for match in SLOT.finditer(sentence.text)]
        for key in keys:
            place = sentence.text.index(f"{{{key}}}")
            around = (sentence.context(place), sentence.context(place, _ALL, ";."))
            own = self._fit(key, around)
            others = [other for other in self._kinds if self._kinds[other] == self._kinds[key]]
            fits = [self._fit(other, around) for other in others if _fact_of(other) != _fact_of(key)]
            if any(near >= own[0] and share >= own[1] and (near, share) != own for near, share in fits):
                yield f"{{{key}}} does not stand with what it describes"
        for fact, kind in product(facts, set(self._kinds.values())):
            order = [key for key in keys if key in fact.slots and self._kinds[key] == kind]
            if list(dict.fromkeys(order)) != [key for key in fact.slots if key in order]:
                yield "slots of a fact stand in another order"
        # of facts that open alike, such as those of lots, each slot stands with its own label
        openings = Counter(self._openings.values())
        twins = [key for key in keys if openings[self._openings[_fact_of(key)]] > 1]
        kinds = {kind: [_fact_of(key) for key in twins if self._kinds[key] == kind] for kind in self._kinds.values()}
        runs = ({self._kinds[key] for key in run} for _, run in groupby(twins, _fact_of))
        labels = kinds.get("label")
        if (
            labels
            and any("label" not in run for run in runs)
            and any(order not in ([], labels) for order in kinds.values())
        ):
            yield "a slot stands with the label of another fact"

    def _fit(self, key: str, around: tuple[frozenset[str], frozenset[str]]) -> tuple[int, float]:
        """How many words near the slot in its fact stand near it in a sentence, and the share of the others that do."""
        near, whole = self._around[key]
        return len(near & around[0]), len(whole & around[1]) / max(1, len(whole))

    def _in_words(self, sentence: _Reading, facts: Sequence[Fact], readings: Sequence[_Reading]) -> Iterator[str]:
        """The other words are mostly those of the facts, and each fact is used."""
        text = " ".join(fact.text.lower() for fact in facts)
        stated = _stems(text)
        for match in _TERMS[self._language].finditer(sentence.text.lower()):
            phrase = match[0]
            if (phrase.rstrip("s") not in text) if " " in phrase else (stem_of(phrase.partition("-")[0]) not in stated):
                yield f"its facts do not have the word {match[0]!r}"
        stated |= _stems(" ".join([*(fact.subject for fact in facts), *(mark.word for mark in sentence.marks)]))
        for part in sentence.parts:
            foreign = {stem for stem in part.stems if not stem.startswith("{")} - stated
            if len(foreign) > (1 - _LEAST_SUPPORT) * len(part.stems):
                yield f"its facts do not have the words {', '.join(sorted(foreign))}"
        words = [{stem for stem in reading.stems if not stem.startswith("{")} for reading in readings]
        if any(len(stems & sentence.stems) < _TOUCHED * len(stems) for stems in words):
            yield "it lists a fact that it does not use"


def _in_form(text: str, facts: Sequence[Fact]) -> Iterator[str]:
    """Figures, names and markup stand in slots only."""
    slots = {key for fact in facts for key in fact.slots}
    plain, stated = SLOT.sub(" ", text), " ".join(f"{fact.text} {fact.subject}" for fact in facts)
    yield from (
        f"the slot {{{key}}} is not in the facts that it lists" for key in SLOT.findall(text) if key not in slots
    )
    yield from (f"it contains {match[0]}" for match in _FOREIGN.finditer(plain))
    figures = [match[0] for match in _FIGURE.finditer(plain)]
    known_words = _WORD.findall(" ".join(fact.text for fact in facts).lower())  # a subject may have the user's figures
    yield from (f"a figure stands outside of a slot: {word}" for word in figures if word.lower() not in known_words)
    units = [match[0] for match in _UNIT_AFTER.finditer(text)]
    yield from (f"a unit stands beside a slot: {unit[1:]}" for unit in units if unit not in stated)
    first, *other_words = _WORD.findall(plain) or [""]
    names = [word for word in other_words if word[0].isupper()]
    names += [] if stem_of(first) in _own_stems() else [first]
    yield from (f"a name stands outside of a slot: {name}" for name in names if name not in _WORD.findall(stated))


def _in_marks(sentence: _Reading, readings: Sequence[_Reading]) -> Iterator[str]:
    """Words that change what is stated stand where the facts have them, and not more often, and some are kept."""
    fact_marks = [mark for reading in readings for mark in reading.marks]
    counts, present = (Counter(mark.concept for mark in marks) for marks in (fact_marks, sentence.marks))
    counts["cause"] += sum(len(re.findall("[:;]", reading.text)) for reading in readings)  # what follows explains
    free = {"condition"}
    free |= {"part"} if any(".share" in reading.text for reading in readings) else set()
    free |= {"cause"} if len(readings) == 1 else set()
    for mark in sentence.marks:
        counts[mark.concept] -= 1
        is_stated = counts[mark.concept] >= 0 and (mark.concept == "cause" or _has(fact_marks, mark))
        if mark.concept not in free and not is_stated:
            yield f"its facts do not say {mark.word!r} of this"
    for reading in readings:
        is_used = len(reading.stems & sentence.stems) >= _TOUCHED * len(reading.stems)
        conditions = [mark for mark in reading.marks if mark.concept == "condition" and is_used]
        used = [mark for mark in reading.marks if len(mark.context & sentence.stems) >= _USED * len(mark.context)]
        for mark in [*conditions, *(mark for mark in used if mark.concept in _KEPT)]:
            present[mark.concept] -= 1
            if present[mark.concept] < 0 or not (mark in conditions or _has(sentence.marks, mark)):
                yield f"it leaves out {mark.word!r}"


def _has(marks: Iterable[_Mark], mark: _Mark) -> bool:
    alike = [other for other in marks if other.concept == mark.concept]
    is_same = mark.concept not in _KEPT and any(stem_of(other.word) == stem_of(mark.word) for other in alike)
    return is_same or any(other.context & mark.context for other in alike) or (bool(alike) and not mark.context)


def _fact_of(key: str) -> str:
    return key.partition(".")[0]


def _stems(text: str) -> set[str]:
    return {stem_of(word) for word in _WORD.findall(text)}


def stem_of(word: str) -> str:
    """The beginning of a word, without accents, which its forms share."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))
    return plain.rstrip("s")[:5]


@cache
def _own_stems() -> frozenset[str]:
    return _GRAMMAR | _stems(" ".join(own_words()))


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
_GRAMMAR = frozenset(_stems(" ".join(_TABLE["grammar"].values())))
