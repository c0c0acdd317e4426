"""Checks that the facts support a sentence of a model.

Each sentence cites facts. Its words, numbers and articles are those of the cited facts, besides ordinary words. It is
negative or uncertain where the statement of the facts is that it resembles most. The check cannot judge the order of
words. Therefore the verdict, the disclaimer and the checks never come from a model.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from assistant.models.base import Brief, Passage
from assistant.models.grounding_words import CONNECTING, HEDGES, NEGATIONS
from assistant.models.sources import facts_by_code
from servicekit.languages import Language

_CITATION = re.compile(r" ?\[(?P<codes>[^\]\[]*)\]")
_ARTICLE = re.compile(r"\b[LRDA]\.? ?\*?\d[\d-]*\d\b|\b[LRDA]\.? ?\d+\b")
_ENUMERATOR = re.compile(r"^\s*\d{1,2}[.)](?:\s|$)", re.MULTILINE)
_FOREIGN = re.compile(r"https?:|www\.|</?[a-z!]|```|\]\(|!\[", re.IGNORECASE)
_ALLOWED = re.compile(r"[\w\s.,;:!?'’\"«»()*#/%€²°–—-]*")
_WORD = re.compile(r"[^\W_]+")
_STATEMENT = re.compile(r"[.;:!?](?!\d)|[\n()]|\bmais\b|\bbut\b")
"""The end of a statement: it is negative as a whole."""
_PART = re.compile(r"[,.;:!?](?!\d)|[\n()]|\bmais\b|\bbut\b")
"""The end of a part of a statement: each is uncertain by itself."""
_GAPS = "\u202f\u00a0 "
_AMOUNT = {
    "fr": r"\d{1,3}(?:[\u202f\u00a0 ]\d{3})+(?:,\d+)?(?!\d)|\d+(?:[.,]\d+)?",
    "en": r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?",
}
_NUMBERS = {
    name: re.compile(rf"(?P<sign>€)?(?P<number>{amount})(?:[{_GAPS}]?(?P<unit>€|%|°|m²|[^\W\d_]+))?")
    for name, amount in _AMOUNT.items()
}
_UNITS = (
    {"€": "€", "euros": "€", "euro": "€", "%": "%", "m²": "m²", "m2": "m²", "m": "m", "metres": "m", "km": "km"}
    | {
        word: unit
        for unit, words in {
            "month": "mois month months",
            "year": "an ans annee annees year years",
            "day": "jour jours day days",
        }.items()
        for word in words.split()
    }
    | {
        "ha": "ha",
        "hectares": "ha",
        "millions": "million",
        "million": "million",
        "milliers": "thousand",
        "k": "thousand",
    }
)
LEAST_SHARE = 0.6
"""Share of the content words of a statement that one statement of the facts has."""
_LEAST_SHARED = 3
"""Shorter words are signs or units, which are checked by themselves."""
_LEAST_COMMON = 4
"""Letters that two forms of a word have in common at least, at their beginning."""
_MOST_DIFFERENT = 3
"""Letters at the end in which two forms of a word may differ."""
_LONGEST_SIGN = 4
"""Words in capitals up to this length are signs, such as the label of a zone: they must be exact."""


class Ungrounded(Exception):
    """The facts do not support a sentence. The argument names the unsupported part."""


@dataclass(frozen=True)
class _Clause:
    """A statement, or a part of one: its content words, and whether a mark changes it."""

    words: frozenset[str]
    is_marked: bool
    """Negative, if it is a statement; uncertain, if it is a part."""


class _Fact:
    """What a fact allows a sentence to contain."""

    def __init__(self, texts: Iterable[str], language: Language) -> None:
        text = "\n".join(texts)
        plain = _ARTICLE.sub(" ", text)
        self.words = frozenset(_plain(word) for word in _WORD.findall(text))
        self.signs = frozenset(_WORD.findall(text))
        self.articles = {_plain_article(match) for match in _ARTICLE.findall(text)}
        self.numbers = set(_numbers(plain, language))
        self.statements = _clauses(_STATEMENT, text, NEGATIONS[language])
        self.parts = _clauses(_PART, text, HEDGES[language])


class Grounding:
    """Checks sentences against one brief."""

    def __init__(self, brief: Brief) -> None:
        self._language = brief.language
        self._facts = {code: _Fact(texts, brief.language) for code, texts in facts_by_code(brief).items()}

    def check(self, sentence: str) -> Passage:
        """Returns the sentence without its citations, and the cited codes. Raises Ungrounded."""
        codes: dict[str, None] = {}
        for match in _CITATION.finditer(sentence):
            codes.update(dict.fromkeys(part.strip(" `*") for part in re.split(r"[,;]", match["codes"])))
        for code in codes:
            if code not in self._facts:
                raise Ungrounded(f"cites an unknown fact: {code[:60]!r}")
        text = _CITATION.sub("", sentence)
        if foreign := _FOREIGN.search(text):
            raise Ungrounded(f"contains markup or an address: {foreign[0]!r}")
        if not _ALLOWED.fullmatch(text):
            raise Ungrounded("contains a character that answers do not have")
        if _WORD.search(_ENUMERATOR.sub("", text)):
            if not codes:
                raise Ungrounded("cites no fact")
            self._check_content(text, [self._facts[code] for code in codes])
        return Passage(text, tuple(codes))

    def _check_content(self, text: str, facts: list[_Fact]) -> None:
        for article in _ARTICLE.findall(text):
            if not any(_plain_article(article) in fact.articles for fact in facts):
                raise Ungrounded(f"names an article that no cited fact has: {article!r}")
        plain = _ENUMERATOR.sub("", _ARTICLE.sub(" ", text))
        for number, unit in _numbers(plain, self._language):
            if not any(_has_number(fact, number, unit) for fact in facts):
                raise Ungrounded(f"states a number that no cited fact has: {number[0]} {unit}")
        self._check_words(plain, facts)
        self._check_clauses(plain, facts)

    def _check_words(self, text: str, facts: list[_Fact]) -> None:
        free = CONNECTING[self._language] | NEGATIONS[self._language] | HEDGES[self._language]
        known_words = frozenset[str]().union(*(fact.words for fact in facts))
        signs = frozenset[str]().union(*(fact.signs for fact in facts))
        for index, word in enumerate(_WORD.findall(text)):
            if word.isdigit():
                continue
            is_sign = (word.isupper() and len(word) <= _LONGEST_SIGN) or any(letter.isdigit() for letter in word)
            if is_sign and (index or len(word) > 1):
                if word not in signs and not _is_amount(word):
                    raise Ungrounded(f"contains a sign that no cited fact has: {word!r}")
            elif _plain(word) not in free and not _is_form(_plain(word), known_words):
                raise Ungrounded(f"contains a word that no cited fact has: {word!r}")

    def _check_clauses(self, text: str, facts: list[_Fact]) -> None:
        """A statement is negative if that of the facts which it resembles most is. A part is at least as uncertain."""
        used = set[int]()
        for clause in _clauses(_STATEMENT, text, NEGATIONS[self._language]):
            nearest = self._nearest(clause, [fact.statements for fact in facts], used)
            content = [word for word in clause.words - CONNECTING[self._language] if len(word) >= _LEAST_SHARED]
            shared = max((sum(_is_form(word, fact.words) for word in content) for fact in nearest), default=0)
            if shared < LEAST_SHARE * len(content):
                raise Ungrounded(f"joins words of several statements: {_shown(clause)}")
            if nearest and all(fact.is_marked != clause.is_marked for fact in nearest):
                raise Ungrounded(f"denies or affirms what the cited facts do not: {_shown(clause)}")
        for clause in _clauses(_PART, text, HEDGES[self._language]):
            nearest = self._nearest(clause, [fact.parts for fact in facts], used)
            if nearest and all(fact.is_marked and not clause.is_marked for fact in nearest):
                raise Ungrounded(f"is more certain than the cited facts: {_shown(clause)}")
        if len(used) < len(facts):
            raise Ungrounded("cites a fact that it does not use")

    def _nearest(self, clause: _Clause, facts: list[list[_Clause]], used: set[int]) -> list[_Clause]:
        """The clauses that share most words with this one. Adds the places of all facts that share one to `used`."""
        content = clause.words - CONNECTING[self._language]
        scored = [
            (sum(_is_form(word, clause.words) for word in content), place, clause)
            for place, clauses in enumerate(facts)
            for clause in clauses
        ]
        used |= {place for score, place, _ in scored if score}
        best = max((score for score, _, _ in scored), default=0)
        return [fact for score, _, fact in scored if best and score == best]


def _clauses(separator: re.Pattern[str], text: str, marks: frozenset[str]) -> list[_Clause]:
    """The clauses of a text with content. `plus` alone is a comparison, such as "le plus proche"."""
    numbers = []
    for part in separator.split(text):
        words = frozenset(_plain(word) for word in _WORD.findall(part) if not word.isdigit())
        if content := words - marks:
            numbers.append(_Clause(content, bool(marks & words - {"plus"})))
    return numbers


def _shown(clause: _Clause) -> str:
    return repr(" ".join(sorted(clause.words))[:80])


def _has_number(fact: _Fact, number: tuple[float, int], unit: str) -> bool:
    """Whether a number of the fact, with the same unit, equals this one when rounded to the same decimals."""
    value, decimals = number
    return any(
        unit == known_unit and abs(round(fact_number, decimals) - value) < 10 ** -(decimals + 3)
        for (fact_number, _), known_unit in fact.numbers
    )


def _numbers(text: str, language: Language) -> list[tuple[tuple[float, int], str]]:
    """The numbers of a text with their decimals and units. Words that are no unit count as none."""
    numbers = []
    for match in _NUMBERS[language].finditer(text):
        number = match["number"]
        for gap in _GAPS:
            number = number.replace(gap, "")
        plain = number.replace(",", ".") if language == "fr" else number.replace(",", "")
        unit = "€" if match["sign"] else _UNITS.get(_plain(match["unit"] or ""), "")
        numbers.append(((float(plain), len(plain.partition(".")[2])), unit))
    return numbers


def _is_form(word: str, known_words: frozenset[str]) -> bool:
    """Whether the word, or another form of it, is known: their beginnings agree up to a short ending."""
    if word in known_words:
        return True
    least = max(_LEAST_COMMON, len(word) - _MOST_DIFFERENT)
    return len(word) >= _LEAST_COMMON and any(
        other.startswith(word[:least])
        and abs(len(other) - len(word)) <= _MOST_DIFFERENT
        and len(_common(word, other)) >= max(_LEAST_COMMON, max(len(word), len(other)) - _MOST_DIFFERENT)
        for other in known_words
    )


def _common(first: str, right: str) -> str:
    """Returns the common beginning of two words."""
    end = next((i for i, (a, b) in enumerate(zip(first, right, strict=False)) if a != b), min(len(first), len(right)))
    return first[:end]


def _is_amount(word: str) -> bool:
    """A number with its unit written together, such as 30m or m2, which the check of numbers covers."""
    return re.fullmatch(r"\d+(?:m|km|ha|k)?|m[2²]", word) is not None


def _plain(word: str) -> str:
    """Lower case without accents. `m²` stays."""
    if word == "m²":
        return word
    return "".join(
        character for character in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(character)
    )


def _plain_article(article: str) -> str:
    return re.sub(r"[^A-Z0-9-]", "", article)
