"""Reads which questions a text contains, in French or English, with several in one and with typing errors.

A text is split into parts: at sentences, and at commas and conjunctions. A part asks for an intent if the vocabulary
shows it and the learned model names it first or finds it likely, or if the model is clear. What either only suggests
is doubtful. A part that asks without any suggestion is the intent `other`. Statements such as "J'ai un terrain" ask
nothing.
"""

from dataclasses import dataclass

from assistant.project import MAX_QUESTION_LENGTH
from assistant.questions.intent_model import Guess, load_model
from assistant.questions.vocabulary import IGNORED, NUMBER, Phrase, Vocabulary, load_vocabulary
from assistant.questions.words import (
    BEFORE_OPENING,
    COMMAND,
    CONDITION,
    CONJUNCTION,
    COURTESY,
    EDGE,
    FUNCTION_WORDS,
    KNOWN,
    OPENING,
    ORDERING,
    PART,
    PRICE_OF_SALE,
    REFERRING,
    SENTENCE,
    STATEMENT,
    WISH,
    WORD,
    plain_text,
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

_CLOSE = 2.0
"""The vocabulary is believed if the model's score of the intent is at most this far below its best."""
_LIKELY = 2.5
"""The vocabulary is not believed below this score."""
_CLEAR = 4.0
"""Without the vocabulary, the model is believed if its best intent leads by this."""
_CLEAR_AGAINST = 6.0
"""Against the vocabulary, the model is believed if its best intent leads by this."""
_SHORT = 1
"""A part with so few words, such as "les risques", is a heading: the vocabulary alone reads it."""
_OF_ANYTHING = (OTHER, "documents", "time_limits", "procedure", "persons", "financing", "guarantee", "forecast")
"""Intents that a text about anything may have, such as the registration of a child for the canteen."""
_HEADING = 5
"""A part of a project with so few words, such as "prix du terrain", may ask without a verb."""
_SUGGESTED = 6.0
"""A lower score of the model suggests nothing."""


@dataclass(frozen=True)
class ReadQuestion:
    """One question in the text: its intent, and the part of the text that asks it."""

    intent: str
    text: str
    is_doubtful: bool = False
    """The intent is only what the part was taken for. It is not answered, except by the study of the division."""


def read_question(question: str) -> tuple[ReadQuestion, ...]:
    """Returns the questions of the text in order, each intent once; then those that are doubtful or not understood."""
    reader = _Reader(load_vocabulary())
    questions: dict[str, ReadQuestion] = {}
    doubtful: dict[str, ReadQuestion] = {}
    for sentence in SENTENCE.findall(question[:MAX_QUESTION_LENGTH]):
        for part in reader.read_sentence(sentence):
            if part.intent == OTHER:
                doubtful.setdefault(part.text, part)
            elif part.is_doubtful:
                doubtful.setdefault(part.intent, part)
            else:
                questions.setdefault(part.intent, part)
    if not questions and not doubtful and WORD.search(question):
        text = plain_text(question[:MAX_QUESTION_LENGTH])
        doubtful[OTHER] = reader.read_part(text, quote(question))[0]
    unanswered = [part for part in doubtful.values() if part.intent not in questions]
    return (*questions.values(), *unanswered[:MAX_OTHERS])


def is_about_land(question: str, questions: tuple[ReadQuestion, ...]) -> bool:
    """Whether the text has a known intent, or a word about land. `questions` are those read in it."""
    words, intents = WORD.findall(plain_text(question[:MAX_QUESTION_LENGTH])), {part.intent for part in questions}
    if intents.issubset(_OF_ANYTHING) and not load_vocabulary().elsewhere.isdisjoint(words):
        return False
    return bool(intents - {OTHER}) or any(map(_Reader(load_vocabulary()).is_land_word, words))


def is_asked(part: ReadQuestion) -> bool:
    """Whether the part opens like a question or an order, or is a heading. "Prix visé 90 000 €" asks nothing."""
    words = WORD.findall(plain_text(part.text))
    is_heading = len(words) <= _HEADING and not any(word.isdecimal() for word in words)
    return bool(words) and (is_heading or _opens(words))


class _Reader:
    """Reads the sentences of one text. It corrects a limited number of words."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._corrections_left = _MAX_CORRECTED
        self._known_keys: dict[str, tuple[str, ...]] = {}

    def read_sentence(self, sentence: str) -> list[ReadQuestion]:
        plain = COURTESY.sub(lambda match: " " * len(match[0]), plain_text(sentence))
        plain = PRICE_OF_SALE.sub(lambda match: match[1] + " " * (len(match[0]) - len(match[1])), plain)
        is_question = sentence.rstrip().endswith("?")
        if not is_question and COMMAND.match(plain.lstrip(EDGE)):
            return [ReadQuestion(OTHER, quote(sentence))]
        questions: list[ReadQuestion] = []
        unknown: list[ReadQuestion] = []
        wishes: list[
            ReadQuestion
        ] = []  # "je vends le fond": it counts if no part of the sentence opens like a question
        context: list[ReadQuestion] = []  # from parts that describe: it counts if no part asks anything known
        for start, part in _parts(plain):
            text, words = part.strip(EDGE), WORD.findall(part)
            if not _has_content(words):
                continue
            quoted = quote(sentence[start : start + len(part)])
            read = [ReadQuestion(OTHER, quoted)] if COMMAND.match(text) else self.read_part(text, quoted)
            sure = [question for question in read if question.intent != OTHER and not question.is_doubtful]
            if _opens(words):
                (questions if sure else unknown).extend(sure or read)
            elif CONDITION.match(text):
                context.extend(sure)
            elif not STATEMENT.match(text):
                (wishes if WISH.match(text) else questions).extend(sure)
            elif is_question:
                context.extend(sure)
        if not unknown:
            questions = questions or wishes
        if questions:
            return [*questions, *(part for part in unknown if not _refers(part))]
        if context:
            return context
        if is_question and len(unknown) <= 1 and _has_content(WORD.findall(plain)):
            return self.read_part(plain.strip(EDGE), quote(sentence))
        return unknown

    def read_part(self, text: str, quoted: str) -> list[ReadQuestion]:
        """The questions of one part: those that are sure, else the doubtful one or `other`."""
        shown, guess, sure = self._read(text)
        pieces = CONJUNCTION.split(text)
        sure_of_pieces = [sure] if len(pieces) == 1 else [self._read(piece)[2] for piece in pieces]
        of_pieces = [intent for sure_of_piece in sure_of_pieces for intent in sure_of_piece or [OTHER]]
        if set(shown).issuperset(of_pieces):
            sure = list(dict.fromkeys(of_pieces))
        if sure:
            return [ReadQuestion(intent, quoted) for intent in sure]
        suggested = [guess.intent] if guess.score >= _SUGGESTED or guess.intent in shown else shown
        if guess.intent == OTHER or not suggested:
            return [ReadQuestion(OTHER, quoted)]
        return [ReadQuestion(suggested[0], quoted, is_doubtful=True)]

    def _read(self, text: str) -> tuple[list[str], Guess, list[str]]:
        """The intents that the vocabulary shows, the guess of the model, and the intents that are sure."""
        words = WORD.findall(text)
        shown, guess = self._shown_intents(words), load_model().guess(text)
        if sum(word not in FUNCTION_WORDS for word in words) <= _SHORT:
            return shown, guess, shown
        least = max(guess.score - _CLOSE, _LIKELY)
        sure = [intent for intent in shown if intent == guess.intent or guess.scores.get(intent, 0.0) >= least]
        if guess.lead >= _CLEAR and guess.intent != OTHER and (not shown or guess.lead >= _CLEAR_AGAINST):
            sure.append(guess.intent)
        return shown, guess, sure

    def _shown_intents(self, words: list[str]) -> list[str]:
        """The intents that the vocabulary shows, in order. Longer phrases take their words first."""
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

    def is_land_word(self, word: str) -> bool:
        return not self._vocabulary.land.isdisjoint(self._keys(word))

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


def _refers(part: ReadQuestion) -> bool:
    """Whether the part only refers to what stands before it, such as "is that right?"."""
    return part.intent == OTHER and REFERRING.match(plain_text(part.text)) is not None


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


def quote(text: str) -> str:
    """The text on one line without control characters, cut at a word."""
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    line = " ".join(text.split()).strip(" ,;:.-–—")
    if len(line) <= MAX_QUOTE:
        return line
    return f"{line[:MAX_QUOTE].rsplit(' ', 1)[0]}…"
