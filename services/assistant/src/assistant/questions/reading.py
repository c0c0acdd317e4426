"""Reads which questions a text contains, in French or English, with several in one and with typing errors.

A text is split into parts: at sentences, and at commas and conjunctions. A part asks if it has the words of an intent.
A part that asks without any known word is the intent `other`. Statements such as "J'ai un terrain" ask nothing.
"""

import unicodedata
from dataclasses import dataclass

from assistant.project import MAX_QUESTION_LENGTH
from assistant.questions.vocabulary import IGNORED, NUMBER, Phrase, Vocabulary, load_vocabulary
from assistant.questions.words import (
    BEFORE_OPENING,
    COMMAND,
    CONDITION,
    COURTESY,
    EDGE,
    FUNCTION_WORDS,
    KNOWN,
    OPENING,
    ORDERING,
    PART,
    SENTENCE,
    STATEMENT,
    WORD,
)

OTHER = "other"
MAX_QUOTE = 160
"""Length of the quoted part of a question."""
MAX_OTHERS = 3
"""More parts that are not understood are not listed."""

_MAX_CORRECTED = 40
"""Words that are looked up with a typing error, so that reading a long text stays fast."""
_MAX_GAP = 4
"""Other words between the words of a phrase."""


@dataclass(frozen=True)
class ReadQuestion:
    """One question in the text: its intent, and the part of the text that asks it."""

    intent: str
    text: str


def read_question(question: str) -> tuple[ReadQuestion, ...]:
    """Returns the questions of the text in order, each intent once; `other` for each part that is not understood."""
    reader = _Reader(load_vocabulary())
    questions: dict[str, ReadQuestion] = {}
    unknown_questions: list[ReadQuestion] = []
    for sentence in SENTENCE.findall(question[:MAX_QUESTION_LENGTH]):
        for part in reader.read_sentence(sentence):
            if part.intent == OTHER:
                unknown_questions.append(part)
            else:
                questions.setdefault(part.intent, part)
    if not questions and not unknown_questions and WORD.search(question):
        unknown_questions.append(ReadQuestion(OTHER, _quote(question)))
    return (*questions.values(), *unknown_questions[:MAX_OTHERS])


class _Reader:
    """Reads the sentences of one text. It corrects a limited number of words."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._corrections_left = _MAX_CORRECTED
        self._known_keys: dict[str, tuple[str, ...]] = {}

    def read_sentence(self, sentence: str) -> list[ReadQuestion]:
        plain = COURTESY.sub(lambda match: " " * len(match[0]), _plain(sentence))
        is_question = sentence.rstrip().endswith("?")
        if not is_question and COMMAND.match(plain.lstrip(EDGE)):
            return [ReadQuestion(OTHER, _quote(sentence))]
        questions: list[ReadQuestion] = []
        unknown: list[ReadQuestion] = []
        context: list[ReadQuestion] = []  # from parts that describe: it counts if no part asks anything known
        for start, part in _parts(plain):
            text, words = part.strip(EDGE), WORD.findall(part)
            if not _has_content(words):
                continue
            quoted = _quote(sentence[start : start + len(part)])
            intents = [] if COMMAND.match(text) else self._intents(words)
            questions_of_sentence = [ReadQuestion(intent, quoted) for intent in intents]
            if _opens(words):
                (questions if questions_of_sentence else unknown).extend(
                    questions_of_sentence or [ReadQuestion(OTHER, quoted)]
                )
            elif not STATEMENT.match(text):
                (context if CONDITION.match(text) else questions).extend(questions_of_sentence)
            elif is_question:
                context.extend(questions_of_sentence)
        if not questions and context:
            return context
        if is_question and not questions and not unknown and _has_content(WORD.findall(plain)):
            return [ReadQuestion(OTHER, _quote(sentence))]
        return [*questions, *unknown]

    def _intents(self, words: list[str]) -> list[str]:
        """The intents that the words show, in order. Longer phrases take their words first."""
        keys = [self._keys(word) for word in words]
        present = {key for fitting in keys for key in fitting}
        matches: list[tuple[int, Phrase]] = []
        taken: set[int] = set()
        candidates = sorted(
            (
                (-len(phrase.words), index, phrase)
                for index, fitting in enumerate(keys)
                for key in fitting
                for phrase in self._vocabulary.phrases.get(key, ())
                if present.issuperset(phrase.words)
            ),
            key=lambda span: span[:2],
        )
        for _, index, phrase in candidates:
            places = _places(phrase, keys, index)
            if places and taken.isdisjoint(places):
                taken.update(places)
                matches.append((index, phrase))
        matches.sort(key=lambda match: match[0])
        shown = [phrase for _, phrase in matches if phrase.intent != IGNORED]
        strong = [phrase.intent for phrase in shown if not phrase.is_weak]
        return list(dict.fromkeys(strong or [phrase.intent for phrase in shown]))

    def _keys(self, word: str) -> tuple[str, ...]:
        """The keys that fit the word, or else those that differ by a typing error."""
        if (stored_keys := self._known_keys.get(word)) is not None:
            return stored_keys
        keys = (NUMBER,) if word.isdigit() else self._vocabulary.keys(word)
        if not keys and word not in KNOWN and self._corrections_left:
            self._corrections_left -= 1
            keys = self._vocabulary.similar(word)
        self._known_keys[word] = keys
        return keys


def _places(phrase: Phrase, keys: list[tuple[str, ...]], start: int) -> tuple[int, ...] | None:
    """The places of the words of the phrase from `start` on; None if one is missing."""
    places = [start]
    for word in phrase.words[1:]:
        window = range(places[-1] + 1, min(places[-1] + 2 + _MAX_GAP, len(keys)))
        place = next((index for index in window if word in keys[index]), None)
        if place is None:
            return None
        places.append(place)
    return tuple(places)


def _has_content(words: list[str]) -> bool:
    return any(word not in FUNCTION_WORDS and word not in OPENING for word in words)


def _opens(words: list[str]) -> bool:
    """Whether the part begins like a question or an order."""
    first = next((word for word in words if word not in BEFORE_OPENING), words[0])
    return first in OPENING or first in ORDERING or words[0] in OPENING


def _parts(sentence: str) -> list[tuple[int, str]]:
    """The parts of a sentence, each with its start."""
    parts, start = [], 0
    for match in PART.finditer(sentence):
        parts.append((start, sentence[start : match.start()]))
        start = match.end()
    parts.append((start, sentence[start:]))
    return parts


def _plain(text: str) -> str:
    """Lower case without accents, with as many characters as the text."""
    return text.translate(_PLAIN)


_PLAIN = (
    {
        code: unicodedata.normalize("NFKD", chr(code).lower())[0]
        for code in (*range(0x41, 0x5B), *range(0xC0, 0x180), 0x202F, 0xA0)
    }
    | {ord("²"): "2", ord("œ"): "o", ord("Œ"): "o", ord("æ"): "a", ord("Æ"): "a"}
    | dict.fromkeys(map(ord, "’ʼ‘`´"), "'")
)


def _quote(text: str) -> str:
    """The text on one line without control characters, cut at a word."""
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    line = " ".join(text.split()).strip(" ,;:.-–—")
    if len(line) <= MAX_QUOTE:
        return line
    return f"{line[:MAX_QUOTE].rsplit(' ', 1)[0]}…"
