"""Checks that the facts support a sentence: the checks that it cites, its numbers and its articles of law.

It cannot judge the meaning of words. Therefore the verdict, the disclaimer and the checks never come from a model.
"""

import re

from assistant.models.base import Brief, Passage
from assistant.models.prompt_variables import prompt_variables
from servicekit.languages import Language

_CITATION = re.compile(r" ?\[(?P<codes>[^\]\[]*)\]")
_ARTICLE = re.compile(r"\b[LRDA]\.? ?\*?\d[\d-]*\d\b|\b[LRDA]\.? ?\d+\b")
_ENUMERATOR = re.compile(r"^\s*\d{1,2}[.)]\s", re.MULTILINE)
_FOREIGN = re.compile(r"https?:|www\.|</?[a-z!]|```|\]\(|!\[", re.IGNORECASE)
_GAPS = "\u202f\u00a0 "
_NUMBERS = {
    "fr": re.compile(rf"\d{{1,3}}(?:[{_GAPS}]\d{{3}})+(?:,\d+)?(?!\d)|\d+(?:[.,]\d+)?"),
    "en": re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?"),
}


class Ungrounded(Exception):
    """The facts do not support a sentence. The argument names the unsupported part."""


class Grounding:
    """Checks sentences against one brief."""

    def __init__(self, brief: Brief) -> None:
        variables = prompt_variables(brief)
        sources = "\n".join(variables[name] for name in ("assessment", "proposals", "assumptions"))
        refs = [ref for check in brief.assessment.checks for ref in check.legal_refs]
        self._language = brief.language
        self._codes = {check.code for check in brief.assessment.checks}
        self._numbers = {_value(found, brief.language) for found in _numbers(sources, brief.language)}
        self._articles = {_plain_article(found) for found in _ARTICLE.findall(" ".join(refs))}

    def check(self, sentence: str) -> Passage:
        """Returns the sentence without its citations, and the cited codes. Raises Ungrounded."""
        codes: list[str] = []
        for match in _CITATION.finditer(sentence):
            codes.extend(part.strip(" `*") for part in re.split(r"[,;]", match["codes"]))
        for code in codes:
            if code not in self._codes:
                raise Ungrounded(f"cites an unknown check: {code[:60]!r}")
        text = _CITATION.sub("", sentence)
        if found := _FOREIGN.search(text):
            raise Ungrounded(f"contains markup or an address: {found[0]!r}")
        for article in _ARTICLE.findall(text):
            if _plain_article(article) not in self._articles:
                raise Ungrounded(f"cites an article that no check cites: {article!r}")
        for number in _numbers(_ENUMERATOR.sub("", _ARTICLE.sub("", text)), self._language):
            if not self._is_known(number):
                raise Ungrounded(f"states a number that is not in the facts: {number!r}")
        return Passage(text, tuple(dict.fromkeys(codes)))

    def _is_known(self, number: str) -> bool:
        """Whether a fact equals this number, rounded to the decimals of the number."""
        value = _value(number, self._language)
        decimals = _decimals(number, self._language)
        return any(abs(round(known, decimals) - value) < 10 ** -(decimals + 3) for known in self._numbers)


def _numbers(text: str, language: Language) -> list[str]:
    return _NUMBERS[language].findall(text)


def _value(number: str, language: Language) -> float:
    for gap in _GAPS:
        number = number.replace(gap, "")
    return float(number.replace(",", ".") if language == "fr" else number.replace(",", ""))


def _decimals(number: str, language: Language) -> int:
    mark = max(number.rfind(","), number.rfind(".")) if language == "fr" else number.rfind(".")
    return 0 if mark < 0 else len(number) - mark - 1


def _plain_article(article: str) -> str:
    return re.sub(r"[^A-Z0-9-]", "", article)
