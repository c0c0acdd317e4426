"""Reads which questions a text contains, in French or English, with several in one and with typing errors.

A text is split into parts: at sentences, and at commas and conjunctions. A part asks for the intent that the learned
model finds likely and far ahead of others. What it only suggests is doubtful. A part that asks without any suggestion
is the intent `other`. Statements such as "J'ai un terrain" ask nothing.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from assistant.law.asks import intent_of
from assistant.law.finder import STOP_WORDS, found, names_law
from assistant.project import MAX_QUESTION_LENGTH
from assistant.questions.intent_model import Guess, load_model
from assistant.questions.words import (
    ASKING,
    BEFORE_OPENING,
    CLAIM,
    CLAIMED_PART,
    COMMAND,
    CONDITION,
    CONJUNCTION,
    COURTESY,
    DOUBT,
    EDGE,
    FUNCTION_WORDS,
    HOW_MANY_LOTS,
    INDIRECT,
    LOOSE,
    NO_CONTENT,
    OPENING,
    ORDERING,
    PART,
    PRICE_OF_SALE,
    REFERRING,
    RULE,
    SENTENCE,
    STATEMENT,
    WISH,
    WITHOUT_SOMEBODY,
    WORD,
    plain_text,
)
from assistant.reading.tokens import Phrases
from assistant.text import read_table

DIVISION = "division"
"""The question about the division as a whole. The whole study answers it."""
OTHER = "other"
MAX_QUOTE = 160
"""Length of the quoted part of a question."""
MAX_OTHERS = 5
"""More parts that are not understood are not listed."""

_JOINING = re.compile(r"[\s,]+(?:et|and|ou|or|mais|but|puis|then)\s*$", re.IGNORECASE)
_PART_OR_CLAIM = re.compile(rf"{PART.pattern}|{CLAIMED_PART.pattern}")
_MEASURE = re.compile(r"\d ?(?:m|m2|m²|ares?|ca|ha)\b")
_MARKS = re.compile(r"[!?]*\?[!?]*")
"""The end of a question, however often it is marked."""
_GOES_ON = re.compile(r"(?:et|and)\b|.*\b(?:elles?|eux|lui|she|he|they|her|him|them)\b")
"""An ask that continues the sentence before it, or asks about a person whom that one names."""
_LAST = re.compile(r"[^.!?\n;•]+$")
"""A last sentence without a mark at its end."""
_LEAD, _LIKELY = 2.0, 1.0
"""An intent is sure that leads by so much and has this score."""
_CLEAR = 3.0
"""The lead of each of several intents that one part asks for."""
_NAMED = 7.0
"""A heading of one word, such as "les risques", is sure at this score without a lead."""
_OF_ANYTHING = (OTHER, "documents", "time_limits", "procedure", "persons", "financing", "guarantee", "forecast")
"""Intents that a text about anything may have, such as the registration of a child for the canteen."""
_SEVERAL = 2
"""So many parts that begin like a question are several asks."""
_HEADING = 5
"""A part of a project with so few words, such as "prix du terrain", may ask without a verb."""
_REFERRING = 2
"""A sentence with so few words of its own may only refer to the one before."""
_LEAST_CONTENT = 3
"""An ask with fewer words of its own refers to what stands before it."""
_SUGGESTED = 3.0
"""A lower score of the model suggests nothing."""


@dataclass(frozen=True)
class ReadQuestion:
    """One question in the text: its intent, and the part of the text that asks it."""

    intent: str
    text: str
    is_doubtful: bool = False
    """The intent is only what the part was taken for. Only a card of law answers it, or the study of the division."""
    is_stated: bool = False
    """The part has no form of a question: it tells something, unless the text asks nothing else."""
    subjects: tuple[str, ...] = ()
    """The subjects of law that a language model has read in it."""
    words: str = ""
    """What the sentence says up to its next question, and before the part if that alone names little."""


def read_question(question: str) -> tuple[ReadQuestion, ...]:
    """Returns the questions of the text in order, also those that are doubtful or not understood.

    Only an intent that cards of law answer comes twice, if two parts ask for it. What a text only tells is no question
    if the text asks something else.
    """
    questions: dict[tuple[str, str], ReadQuestion] = {}
    doubtful: dict[str, ReadQuestion] = {}

    @cache
    def is_law(text: str) -> bool:
        is_claim = _is_claim(text) and content_count(plain_text(text)) > 1
        return _names_answer(text) or (is_claim and bool(found(text, question).cards))

    sentences = _sentences(question[:MAX_QUESTION_LENGTH])
    parts = [part for text in sentences for part in _with_words(text, _read_sentence(text, is_law))]
    of_layout = {part.text for part in parts if part.intent == "layout"}
    parts = [
        replace(part, intent="layout", is_doubtful=False) if part.text not in of_layout and _counts_lots(part) else part
        for part in parts
    ]
    if not all(part.is_stated for part in parts):
        has_claims_only = any(map(_is_claim, sentences)) and not any(map(_is_question, sentences))
        parts = [
            part
            for part in parts
            if not part.is_stated
            or part.intent == DIVISION
            or ((has_claims_only or _is_claim(part.text)) and is_law(part.text))
        ]
    for part in parts:
        if part.intent == OTHER or (part.is_doubtful and not part.is_stated):
            doubtful.setdefault(part.text, part)
        elif part.is_doubtful:
            doubtful.setdefault(part.intent, part)
        else:
            is_asked_study = part.intent == DIVISION and part.text.endswith("?")
            names_law = is_asked_study or part.intent in _of_law() or is_law(part.text)
            questions.setdefault((part.intent, part.text if names_law else ""), part)
    if not questions and not doubtful and WORD.search(question):
        text = plain_text(question[:MAX_QUESTION_LENGTH])
        doubtful[OTHER] = _read_part(text, quote(question))[0]
    intents = {part.intent for part in questions.values()}
    unanswered = [
        part for part in doubtful.values() if part.intent not in intents or (not part.is_stated and is_asked(part))
    ]
    places = {part: place for place, part in reversed([*enumerate(parts)])}
    read = (*questions.values(), *unanswered[:MAX_OTHERS])
    return tuple(sorted(read, key=lambda part: places.get(part, len(parts))))


def _counts_lots(part: ReadQuestion) -> bool:
    """Whether the part asks how many lots the land gives."""
    return bool(HOW_MANY_LOTS.search(plain_text(part.text))) and intent_of(part.text) == "layout"


def _names_answer(text: str) -> bool:
    """Whether the text by itself names what cards or facts answer."""
    return bool(intent_of(text)) or names_law(text)


def named_questions(question: str) -> tuple[ReadQuestion, ...]:
    """The sentences with a question mark of a text in a language that is not read."""
    asks = [quote(sentence) for sentence in _sentences(question[:MAX_QUESTION_LENGTH]) if sentence.endswith("?")]
    return tuple(ReadQuestion(OTHER, ask) for ask in asks[:MAX_OTHERS])


@cache
def _of_law() -> frozenset[str]:
    """The intents that cards of law answer, each part with its own."""
    topics = read_table("questions/topics.toml")
    return frozenset(intent for intent, entry in topics.items() if "cards" in entry or "reason" in entry)


def is_about_land(question: str, questions: tuple[ReadQuestion, ...]) -> bool:
    """Whether the text has a known intent, a word about land or a measure. `questions` are those read in it."""
    words, intents = WORD.findall(plain_text(question[:MAX_QUESTION_LENGTH])), {part.intent for part in questions}
    elsewhere, ground, land = (
        any(_subjects()[name].at(words, i) for i in range(len(words))) for name in ("elsewhere", "ground", "land")
    )
    if intents.issubset(_OF_ANYTHING) and elsewhere and not ground:
        return False
    asks = (part.text for part in questions if part.text.endswith("?"))
    is_named = bool(intents - {OTHER}) or land or any(map(names_law, asks))
    return is_named or _MEASURE.search(question) is not None  # also in a dialect


@cache
def _subjects() -> Mapping[str, Phrases[str]]:
    table = read_table("questions/subjects.toml")
    return {name: Phrases((word, name) for word in words) for name, words in table.items()}


def is_asked(part: ReadQuestion) -> bool:
    """Whether the part opens like a question or an order, is a heading, or asks whether a claim is true. "Prix visé
    90 000 €" asks nothing.
    """
    words = WORD.findall(plain_text(part.text))
    is_heading = len(words) <= _HEADING and not any(word.isdecimal() for word in words)
    is_claimed = not part.is_stated and _is_claim(part.text)
    return bool(words) and (is_heading or is_claimed or _is_question(part.text) or _opens(words))


def _is_question(text: str) -> bool:
    return text.rstrip().endswith("?") or bool(INDIRECT.search(plain_text(text)))


def _is_claim(text: str) -> bool:
    return bool(CLAIM.search(plain_text(text)))


def _sentences(question: str) -> list[str]:
    """The sentences. One that only refers to the one before, such as "C'est vrai ?", makes a question of it."""
    sentences: list[str] = []
    text = _MARKS.sub("?", question).rstrip()
    if (last := _LAST.search(text)) and LOOSE.search(plain_text(last[0])):
        text = f"{text} ?"
    for sentence in SENTENCE.findall(text):
        plain = plain_text(sentence).strip(EDGE)
        doubt = DOUBT.match(plain)
        most = _REFERRING if doubt or REFERRING.match(plain) else 0
        is_short = bool(doubt or sentence.endswith("?")) and content_count(plain) <= most
        only_doubts = doubt is not None and not content_count(plain[doubt.end() :])
        if sentences and is_short and (only_doubts or not _names_answer(plain)):
            end = sentence.strip(" .!?")
            asked = "" if only_doubts else f", {end[:1].lower()}{end[1:]}"
            sentences[-1] = f"{sentences[-1].rstrip(' .!')}{asked} ?"
        else:
            sentences.append(sentence)
    return sentences


def content_count(plain: str) -> int:
    """How many words of the plain text name what it is about."""
    words = {word for word in WORD.findall(plain) if not word.isdecimal()}
    return len(words - STOP_WORDS - OPENING - NO_CONTENT)


def is_heading(part: ReadQuestion) -> bool:
    """Whether the part asks for its intent in one word, such as "Quelles taxes ?"."""
    plain = plain_text(part.text)
    return is_clear(part) and content_count(plain) == 1 and not _GOES_ON.match(plain)


def ask_and_story(part: ReadQuestion, question: str) -> tuple[str, str]:
    """The part with the sentences before it that it refers to, and what else the text tells without asking."""
    sentences = [sentence.strip() for sentence in _sentences(question[:MAX_QUESTION_LENGTH])]
    start, ask = part.text.removesuffix("…"), part.words or part.text
    last = next((index for index, sentence in enumerate(sentences) if start in " ".join(sentence.split())), None)
    if last is None:
        return ask, question
    first = last
    names_object = _names_answer(ask)
    if not names_object and not is_clear(part) and content_count(plain_text(ask)) < _LEAST_CONTENT:
        ask = sentences[last]
    while first and not names_object and _content_of((*sentences[first:last], part.text)) < _LEAST_CONTENT:
        first -= 1
    before = [text for text in sentences[first:last] if not text.endswith("?")]
    earlier = [text for text in sentences[first:last] if text.endswith("?")]
    ask = " ".join((*before, ask))
    around = (
        sentences[last][start : start + len(part)].strip()
        for start, part in _parts(plain_text(sentences[last]), PART)
        if not _opens(WORD.findall(part) or [""])
    )
    told = (*sentences[:first], *around, *sentences[last + 1 :])
    return ask, " ".join((*earlier, *(text for text in told if not text.endswith("?") and text not in ask)))


def _content_of(texts: Iterable[str]) -> int:
    return content_count(plain_text(" ".join(texts)))


def _read_sentence(sentence: str, is_law: Callable[[str], bool]) -> list[ReadQuestion]:
    """`is_law` tells whether cards or facts surely answer a part."""
    plain = COURTESY.sub(lambda match: " " * len(match[0]), plain_text(sentence))
    plain = PRICE_OF_SALE.sub(lambda match: match[1] + " " * (len(match[0]) - len(match[1])), plain)
    is_claim = _is_claim(sentence)
    is_question = _is_question(sentence) or (is_claim and (bool(RULE.search(plain)) or is_law(quote(sentence))))
    if not is_question and COMMAND.match(plain.lstrip(EDGE)):
        return [ReadQuestion(OTHER, quote(sentence))]
    if is_question and is_claim and not _is_question(sentence):
        first = next((start for start, part in _parts(plain, PART) if _is_claim(part)), 0)
        claims = [sentence[first:][start : start + len(part)] for start, part in _parts(plain[first:], CLAIMED_PART)]
        return [read for claim in claims for read in _read_part(plain_text(claim).strip(EDGE), quote(claim))]
    asks: list[ReadQuestion] = []
    context: list[ReadQuestion] = []  # from parts that describe or wish: it counts if no part asks
    of_law: list[ReadQuestion] = []
    pieces = _parts(plain, _PART_OR_CLAIM if is_claim else PART)
    parts = [(start, part) for start, part in pieces if content_count(part)]
    tells = len(parts) < len(pieces) or any(content_count(part) >= _LEAST_CONTENT for _, part in parts)
    quotes = [quote(sentence[start : start + len(part)]) for start, part in parts]
    opening = [  # "my daughter, her mother, is for it" and "the plan, approuvé in May" ask nothing
        _opens(WORD.findall(part)) and bool(is_question or not start or ASKING.search(part) or COMMAND.match(quoted))
        for (start, part), quoted in zip(parts, quotes, strict=True)
    ]
    laws = [
        (opens or content_count(part) > _LEAST_CONTENT) and not _is_reference(part) and is_law(quoted)
        for (_, part), quoted, opens in zip(parts, quotes, opening, strict=True)
    ]
    opened = [part for (_, part), opens in zip(parts, opening, strict=True) if opens and not _is_reference(part)]
    if is_question and not any(laws) and len(opened) < _SEVERAL and is_law(quote(sentence)):
        return _read_part(plain.strip(EDGE), quote(sentence))  # its object and its kind are in two parts
    is_opened = any(laws) or bool(opened)
    for (_, part), quoted, is_of_law, opens in zip(parts, quotes, laws, opening, strict=True):
        text, words = part.strip(EDGE), WORD.findall(part)
        read = [ReadQuestion(OTHER, quoted)] if COMMAND.match(text) else _read_part(text, quoted)
        if opens:
            asks.extend(read)
            continue
        is_short = tells and not is_of_law and content_count(text) < _LEAST_CONTENT
        is_fragment = is_question and is_short and not _is_named(text)
        if is_fragment and (asks or opened):
            continue  # "Who pays, me or them?" asks once, "Developer: how many plots?" does too
        is_told = not is_question or (is_opened and not is_of_law and len(words) > _HEADING)
        is_stated = is_told and not ASKING.search(text)
        read = [replace(item, is_stated=is_stated, is_doubtful=is_fragment or item.is_doubtful) for item in read]
        if is_of_law:
            of_law.extend(read)
        elif is_question or not STATEMENT.match(text):
            told = (STATEMENT, WISH, CONDITION)
            is_context = not _is_claim(text) and any(kind.match(text) for kind in told)
            (context if is_context else asks).extend(item for item in read if is_clear(item) or not item.is_stated)
    is_thin = len(asks) == 1 and content_count(plain_text(asks[0].text)) < _LEAST_CONTENT
    refers = is_thin or not content_count(pieces[-1][1])
    is_of_rest = is_thin and bool(REFERRING.match(plain_text(asks[0].text)))  # "There is a mortgage, is it a problem?"
    if is_question and refers and not of_law and (is_of_rest or content_count(plain) > _LEAST_CONTENT):
        return _read_part(plain.strip(EDGE), quote(sentence))  # "My buyers keep their right to build, and how long?"
    if of_law or any(map(is_clear, asks)):
        return [*of_law, *(part for part in asks if is_clear(part) or not _is_reference(plain_text(part.text)))]
    if any(map(is_clear, context)) and all(part.intent == OTHER for part in asks):
        return [replace(part, text=quote(sentence), is_stated=not is_question) for part in context]
    if is_question and (len(asks) <= 1 or not opened) and content_count(plain):
        return _read_part(plain.strip(EDGE), quote(sentence))
    return asks


def _with_words(sentence: str, parts: Iterable[ReadQuestion]) -> Iterator[ReadQuestion]:
    line = " ".join(sentence.split())
    starts = {part: max(line.find(part.text.removesuffix("…")), 0) for part in parts}
    others = [start for part, start in starts.items() if not part.is_stated]
    for part, start in starts.items():
        end = min((other for other in others if other > start), default=len(line))
        names_little = start <= min(others, default=0) and content_count(plain_text(part.text)) < _LEAST_CONTENT
        words = line[0 if names_little and end <= MAX_QUOTE else start : end]
        yield replace(part, words=quote(_JOINING.sub("", words)))


def _is_reference(plain: str) -> bool:
    """Whether a part asks about what stands before it: "…, c'est valable combien de temps ?" """
    is_short = bool(REFERRING.match(plain.strip(EDGE))) and content_count(plain) < _LEAST_CONTENT
    return is_short and not intent_of(plain)


def is_clear(part: ReadQuestion) -> bool:
    return part.intent != OTHER and not part.is_doubtful


def _read_part(text: str, quoted: str) -> list[ReadQuestion]:
    """The questions of one part: those that are sure, else the doubtful one or `other`."""
    guess, *pieces = map(load_model().guess, dict.fromkeys((text, *CONJUNCTION.split(text))))
    clear = [piece.intent for piece in pieces if _is_sure(piece, _CLEAR)]
    is_one = _is_sure(guess, 0 if _is_named(text) else _LEAD)
    sure = clear if len(clear) == len(pieces) > 1 else [guess.intent] if is_one else []
    is_other = guess.intent == OTHER
    intent = guess.second if is_other else guess.intent
    is_weak = not sure and (guess.scores[intent] < _SUGGESTED or (is_other and guess.lead >= _LEAD / 2))
    if is_weak or (DIVISION in (sure or [intent]) and WITHOUT_SOMEBODY.search(text)):
        return [ReadQuestion(OTHER, quoted)]  # nothing that is known, or who must agree
    if sure:
        return [ReadQuestion(intent, quoted) for intent in dict.fromkeys(sure)]
    return [ReadQuestion(intent, quoted, is_doubtful=intent != DIVISION)]


def _is_named(text: str) -> bool:
    """Whether the text is a heading of one word, such as "les risques"."""
    return load_model().guess(text).score >= _NAMED and content_count(text) <= 1


def _is_sure(guess: Guess, lead: float) -> bool:
    return guess.intent != OTHER and guess.score >= _LIKELY and guess.lead >= lead


def _opens(words: list[str]) -> bool:
    """Whether the part begins like a question or an order."""
    if words[:2] == ["qu", "est"]:
        return True
    if words[0] == "puis" and words[1:2] != ["je"]:
        words = words[1:] or words
    if words[:2] == ["y", "a"] and words[2:3] != ["t"]:
        return False
    if words[0] == "que" and not FUNCTION_WORDS.isdisjoint(words[1:2]):
        return False
    first = next((word for word in words if word not in BEFORE_OPENING), words[0])
    return first in OPENING or first in ORDERING or words[0] in OPENING


def _parts(sentence: str, between: re.Pattern[str]) -> list[tuple[int, str]]:
    """The parts of a sentence, each with its start."""
    parts, start = [], 0
    for match in between.finditer(sentence):
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
