"""The facts that a language model may write about: sentences of the rules, with a slot for each figure and name."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

from assistant.assessment.planning import plain_label
from assistant.assessment.result import Status
from assistant.models.base import Brief
from assistant.questions.constraints import plain_name
from assistant.text import MONTHS, split_sentences
from landpartner.land.v1 import land_pb2
from servicekit.languages import Language

UNITS = (
    r"m²|m\b|km\b|ha\b|%|°|€(?: par m²)?|ans?\b|mois\b|jours?\b|heures?\b|"
    r"years?\b|months?\b|weeks?\b|days?\b|hours?\b"
)
NUMBER_WORDS = (
    r"deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|quinze|vingt|trente|quarante|cinquante|soixante|cent|"
    r"mille|million|millions|dizaine|douzaine|centaine|milliers?|moitié|double|triple|"
    r"two|three|four|five|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred|"
    r"thousand|dozen|half|twice"
)
_NUMBER = r"\d+(?:[\u202f\u00a0 ,.]\d{3})*(?:[.,]\d+)?"
_DAY = rf"(?:\d{{1,2}}(?:er)? )?(?:{'|'.join(MONTHS['fr'] + MONTHS['en'])}) \d{{4}}|\d{{4}}-\d\d-\d\d"
_LABEL = r"\b(?:(?=\w*[A-Z])(?=\w*\d)[\w-]+|[A-Z]{1,5}[a-z]?)\b(?!’)"
_FIGURE = re.compile(
    rf"(?P<date>{_DAY})"
    r"|(?P<article>\b[LRDA]\.? ?\*?\d{3}[\d-]*\b)"
    rf"|(?P<amount>€{_NUMBER}|(?:\b{_NUMBER}|\b(?i:une?|one|{NUMBER_WORDS}))[\u202f\u00a0 ]?(?:more )?(?:{UNITS}))"
    rf"|(?P<count>\b{_NUMBER}\b(?![\w-])|\b(?i:{NUMBER_WORDS})\b)"
    rf"|(?P<label>{_LABEL}(?:(?:, | et | and ){_LABEL})*)"
    r"|(?P<name>\b[A-ZÀ-ÖØ-Þ][\w-]*)"
)
_KIND_OF_UNIT = {"m²": "area", "€": "price", "%": "share", "m": "length", "km": "length", "ha": "area", "°": "angle"}
_GAPS = ("Ne sont pas connus", "Not known")
"""The rules tell what is not known."""
_NO_FACTS = (
    "phrasings.toml", "tokens.toml", "project.toml", "wishes.toml", "languages.toml", "subjects.toml",
    "rules.toml", "legal.toml", "zones.toml", "texts.toml",
)  # fmt: skip
"""Files without sentences about facts: words that people type, references, codes, headings and the texts of plans."""
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Fact:
    """One sentence of the rules. `text` has slots such as `{f3.area}`."""

    id: str
    code: str
    subject: str
    text: str
    slots: Mapping[str, str]
    """The words behind each slot."""
    legal_refs: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """The sentence as the rules print it."""
        return fill(self.text, self.slots)


SLOT = re.compile(r"\{([a-z]\d+\.[a-z]+\d*)\}")


def fill(text: str, slots: Mapping[str, str]) -> str:
    """The text with the words of its slots. Raises KeyError for a slot that there is not."""
    return SLOT.sub(lambda match: slots[match[1]], text)


def facts_of(brief: Brief) -> tuple[Fact, ...]:
    """What a model may write about, without repetition: the replies or, if the study is asked for, its checks."""
    facts: dict[str, Fact] = {}
    for subject, code, text, legal_refs in _statements(brief):
        sentences = [sentence.strip() for sentence in split_sentences(text)]
        for sentence in sentences:
            if sentence not in facts and not sentence.startswith(_GAPS):
                refs = legal_refs if sentence is sentences[-1] else ()
                identifier = f"f{len(facts) + 1}"
                template, slots = _slotted(sentence, identifier, brief.names, brief.language)
                facts[sentence] = Fact(identifier, code, subject, template, slots, refs)
    return tuple(facts.values())


def names_of(unit: land_pb2.LandUnit) -> tuple[str, ...]:
    """The texts of publishers, as sentences print them."""
    return (*map(plain_name, unit.land.owners), *map(plain_label, unit.urbanism.zones))


def _statements(brief: Brief) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    language, replies = brief.language, brief.replies
    for reply in replies.answered:
        for statement in reply.statements:
            if not (replies.is_general and statement.code == "proposals"):  # the study has them all
                subject = reply.heading.read(language)
                yield subject, statement.code, statement.text.read(language), statement.legal_refs
    if replies.is_general:
        framed = (brief.assessment.deciding_check, "lotissement_procedure", "division_layout")
        for check in sorted(brief.assessment.checks, key=lambda check: not check.is_decisive):
            if check.status in (Status.FAIL, Status.WARN) and check not in framed and check.code not in framed:
                yield check.point.read(language), check.code, check.detail.read(language), check.legal_refs


def shown(facts: Iterable[Fact]) -> str:
    """The facts as a model gets them, under their subjects."""
    groups = groupby(facts, key=lambda fact: fact.subject)
    return "\n".join(
        "\n".join((f"# {subject}", *(f"{fact.id}: {fact.text}" for fact in group))) for subject, group in groups
    )


def _slotted(sentence: str, identifier: str, names: Collection[str], language: Language) -> tuple[str, dict[str, str]]:
    """The sentence with slots, and their words. A word that our sentences do not have is one of a publisher."""
    slots: dict[str, str] = {}

    def slot(kind: str, words: str) -> str:
        key = f"{identifier}.{kind}"
        number = sum(name.rstrip("0123456789") == key for name in slots)
        key += str(number + 1) if number else ""
        slots[key] = words
        return f"{{{key}}}"

    def replace(match: re.Match[str]) -> str:
        kind, words = match.lastgroup or "", match[0]
        if kind == "named":
            return slot("name" if " " in words else "label", words)
        is_letter = len(words) == 1 and match.start() > 0  # the id of a lot, a zone
        if kind in ("label", "name") and not is_letter and {words, words.lower()} & own_words():
            return words
        if kind == "amount":
            unit = re.search(UNITS, words)
            kind = _KIND_OF_UNIT.get(unit[0].split()[0] if unit else "€", "time")
        return slot(kind, words)

    named = "|".join(map(re.escape, sorted((name for name in names if len(name) > 1), key=len, reverse=True)))
    pattern = re.compile(rf"(?P<named>(?<!\w)(?:{named})(?!\w))|{_FIGURE.pattern}") if named else _FIGURE
    return pattern.sub(replace, sentence), slots


@cache
def own_words() -> frozenset[str]:
    """The words of the sentences in this package's files, without those of `_NO_FACTS`."""
    files = (file for file in Path(__file__).parents[1].rglob("*.toml") if file.name not in _NO_FACTS)
    return frozenset(word for file in files for word in _WORD.findall(file.read_text(encoding="utf-8")))
