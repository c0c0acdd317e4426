"""The typography of French: the dictionary, the recorded answers, and the texts in the sources of the services."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from contract.dictionary import dictionary
from corpus import EXPECTED_FILE, read_requests
from servicekit.languages import typeset
from stacks import REPOSITORY

DICTIONARY = dictionary()
BREAKING_SPACE = re.compile(r"\S (?:[;!?%€»](?!\w)|:(?![\w:/-]))|« |\d \d{3}(?!\d)")
DECIMAL_POINT = re.compile(r"\d\.\d+[ \u00a0\u202f](?:m²?|km|ha|ms?|s|%|€)(?![\w/])")
PLURALS = re.compile(r"\b1[ \u00a0\u202f](?:\w+s|\w+\(s\))(?!\w)")
SENTENCES = {"title", "detail", "summary", "disclaimer", "comparables_method", "reason", "ask", "text"}
"""The members of answers whose texts the services write."""
SINGULAR = {"mois", "tous", "sous", "dans", "fois", "accès"}
PUBLISHED = (
    "land/addresses", "land/datasets", "land/sources",
)  # fmt: skip
"""Labels as published, and names of places."""
READ = ("assistant/division/stated.py", "assistant/project.py", "assistant/questions/words.py", "land/regulation")
"""Patterns for what users and plans write."""
NO_SENTENCES = ("subjects.toml", "phrasings.toml", "legal.toml")
"""Tables of what users write, and of references."""
STRAIGHT_APOSTROPHE = re.compile(r"\b(?:[ldcjmnts]|qu|jusqu|lorsqu|puisqu|aujourd|quelqu)'(?=\w)", re.IGNORECASE)
LAW = re.compile(r"[Cc]ode [\w ]*l'\w+")
"""References keep the apostrophe that they are published with."""
SOURCES = [
    path
    for path in sorted(REPOSITORY.glob("services/*/src/*/**/*.py"))
    if not path.as_posix().partition("/src/")[2].startswith((*PUBLISHED, *READ))
]


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ("À qui ? Quoi ! Ceci ; cela", "À qui\u202f? Quoi\u202f! Ceci\u202f; cela"),
        ("« 20 % » : 3 €", "«\u00a020\u00a0%\u00a0»\u00a0: 3\u00a0€"),
        ("10 000 lignes, 1 234 567 m², 75 %", "10\u202f000 lignes, 1\u202f234\u202f567 m², 75\u00a0%"),
        (
            "12 2026, 1 0000, urn:a, 10:30, https://a.fr, a :b, | :--- |",
            "12 2026, 1 0000, urn:a, 10:30, https://a.fr, a :b, | :--- |",
        ),
    ],
)
def test_spaces_before_high_punctuation_do_not_break(plain: str, expected: str) -> None:
    assert typeset(plain) == expected
    assert typeset(expected) == expected


def test_the_dictionary_is_typeset() -> None:
    entries = (DICTIONARY.objects, DICTIONARY.fields, DICTIONARY.parameters, DICTIONARY.values)
    texts = [entry.text for translations in entries for entry in translations.values()]
    texts += [
        text for operation in DICTIONARY.operations.values() for text in (operation.summary, operation.description)
    ]
    assert not [french for text in texts if BREAKING_SPACE.search(french := text.read("fr"))]


def test_recorded_answers_are_typeset() -> None:
    english = {
        request.name for request in read_requests() if request.headers.get("accept-language", "").startswith("en")
    }
    answers = map(json.loads, EXPECTED_FILE.read_text(encoding="utf-8").splitlines())
    sentences = {text for answer in answers if answer["name"] not in english for text in _sentences(answer.get("body"))}
    assert len(sentences) > 200
    faults = [
        text
        for text in sentences
        if BREAKING_SPACE.search(text)
        or DECIMAL_POINT.search(text)
        or any(plural.split()[1] not in SINGULAR for plural in PLURALS.findall(text))
    ]
    assert not faults


@pytest.mark.parametrize("service", ["assistant", "edge", "keys", "land"])
def test_french_texts_have_the_curved_apostrophe(service: str) -> None:
    sentences = [
        f"{path.relative_to(REPOSITORY)}:{line}: {text}"
        for path in SOURCES
        if path.is_relative_to(REPOSITORY / "services" / service)
        for line, text in _texts(path)
        if STRAIGHT_APOSTROPHE.search(LAW.sub("", text))
    ]
    assert not sentences


@pytest.mark.parametrize(
    ("folder", "least"),
    [
        ("libs/contract/src/contract/texts", 5_000),
        ("services/assistant/src/assistant/assessment", 150),
        ("services/assistant/src/assistant/division", 50),
        ("services/assistant/src/assistant/drawing", 35),
        ("services/assistant/src/assistant/models", 20),
        ("services/assistant/src/assistant/questions", 200),
        ("services/keys/src/keys/audit", 90),
        ("services/land/src/land/answers", 100),
        ("services/land/src/land/units", 15),
    ],
)
def test_tables_of_texts_have_the_curved_apostrophe(folder: str, least: int) -> None:
    files = [file for file in (REPOSITORY / folder).glob("*.toml") if file.name not in NO_SENTENCES]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(lines) > least
    assert not [line for line in lines if not line.startswith("[") and STRAIGHT_APOSTROPHE.search(LAW.sub("", line))]


VALUE = re.compile(r"{\w+}")
PAGE_TEXTS = sorted((REPOSITORY / "services" / "edge" / "web" / "src").rglob("*exts.json"))


@pytest.mark.parametrize("path", PAGE_TEXTS, ids=lambda path: "/".join(path.parts[-2:]))
def test_each_text_of_the_pages_is_in_both_languages(path: Path) -> None:
    texts = list(_pairs(json.loads(path.read_text(encoding="utf-8"))))
    assert texts
    assert not [pair for pair in texts if len(pair) != len(("fr", "en")) or not all(map(str.strip, pair))]
    assert not [french for french, _ in texts if STRAIGHT_APOSTROPHE.search(french)]
    assert not [french for french, english in texts if set(VALUE.findall(french)) != set(VALUE.findall(english))]


def test_the_texts_of_the_pages_are_found() -> None:
    assert sum(len(list(_pairs(json.loads(path.read_text(encoding="utf-8"))))) for path in PAGE_TEXTS) > 800


def test_no_french_guide_calls_a_page_english_that_is_in_french() -> None:
    for guide in (REPOSITORY / "docs" / "guide" / "fr.md", *(REPOSITORY / "docs" / "fr").glob("*.md")):
        links = re.findall(r"\[([^\]]*)\]\(/api/docs/([\w-]+)", guide.read_text(encoding="utf-8"))
        english = [name for words, name in links if "anglais" in words]
        assert not [name for name in english if (REPOSITORY / "docs" / "fr" / f"{name}.md").is_file()], guide.name


def _sentences(body: Any) -> Iterator[str]:
    if isinstance(body, list):
        for item in body:
            yield from _sentences(item)
    elif isinstance(body, Mapping):
        for name, value in body.items():
            if name in SENTENCES and isinstance(value, str):
                yield value
            else:
                yield from _sentences(value)


def _pairs(texts: Mapping[str, Any]) -> Iterator[list[str]]:
    """The texts of a file of the pages, each in French and English."""
    for value in texts.values():
        if isinstance(value, Mapping):
            yield from _pairs(value)
        else:
            yield value


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """The string literals with their lines, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value
