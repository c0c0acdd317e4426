"""The articles that a check names: those of its sentences, and of these only the ones whose matter the text names."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from assistant.text import read_table

_REFERENCES: Mapping[str, str] = read_table("assessment/legal.toml")
_OF_SENTENCES: dict[str, list[str]] = {
    f"{code}.{sentence}": names
    for code, table in read_table("assessment/rules.toml").items()
    for sentence, names in table.get("articles", {}).items()
}


def named(*names: str) -> tuple[str, ...]:
    """The references with these names, each once."""
    return tuple(_REFERENCES[name] for name in dict.fromkeys(names))


def of_sentences(keys: Iterable[str], *others: str) -> tuple[str, ...]:
    """The references of the sentences with these keys, then those with the other names."""
    return named(*(name for key in keys for name in _OF_SENTENCES.get(key, ())), *others)


def stated(text: str, legal_refs: tuple[str, ...]) -> tuple[str, ...]:
    """The references whose matter the text names. A reference that official words do not list counts as stated."""
    return tuple(ref for ref in legal_refs if (words := _words().get(ref)) is None or words.search(text))


@cache
def _words() -> dict[str, re.Pattern[str]]:
    """The words by reference."""
    return {ref: re.compile(words, re.IGNORECASE) for ref, words in read_table("assessment/articles.toml").items()}
