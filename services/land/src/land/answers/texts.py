"""Texts in two languages: values in them, the texts that land refuses with, and the warnings of answers.

The sentences of warnings stand in contract/texts/answers.toml, beside what to do about them.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from contract.dictionary import read_texts
from servicekit.languages import Language, Text, typeset

_FRENCH_NUMBER = str.maketrans({",": "\N{NARROW NO-BREAK SPACE}", ".": ","})
_typeset = cache(typeset)
REFUSALS: Mapping[str, Text] = {
    name: Text(**texts)
    for name, texts in tomllib.loads(files("land.answers").joinpath("refusals.toml").read_text("utf-8")).items()
}
"""The details of land's errors, by name."""


class _FilledText(Text):
    """A text with its values. Its French is typeset already: values, such as what a client typed, stay unchanged."""

    def read(self, language: Language) -> str:
        return self.fr if language == "fr" else self.en


def fill(template: Text, **values: object) -> Text:
    """The text with the values. A value may be a text; a number is written as each language does: `1 000,5` with a
    narrow no-break space, or `1,000.5`.
    """
    return _FilledText(
        _typeset(template.fr).format(**{name: _written(value, "fr") for name, value in values.items()}),
        template.en.format(**{name: _written(value, "en") for name, value in values.items()}),
    )


def join(texts: Iterable[Text], separator: Text | str = " ") -> Text:
    """The texts, one after the other."""
    between = separator if isinstance(separator, Text) else Text(separator, separator)
    in_both = [(text.read("fr"), text.read("en")) for text in texts]
    return _FilledText(
        between.read("fr").join(fr for fr, _ in in_both), between.read("en").join(en for _, en in in_both)
    )


def quote(fields: Mapping[str, str]) -> Text:
    """Typed values with the names of their fields, such as `city “Paris”, city_code “69381”`."""
    return _FilledText(
        ", ".join(f"{name} «\N{NO-BREAK SPACE}{value}\N{NO-BREAK SPACE}»" for name, value in fields.items()),
        ", ".join(f"{name} “{value}”" for name, value in fields.items()),
    )


def _written(value: object, language: Language) -> object:
    if isinstance(value, Text):
        return value.read(language)
    if not isinstance(value, int | float):
        return value
    number = f"{value:,.12g}"
    return number.translate(_FRENCH_NUMBER) if language == "fr" else number


@dataclass(frozen=True)
class AnswerWarning:
    code: str
    detail: Text
    block: str | None = None
    """The part of the answer that the warning is about; None for all of it."""
    dataset: str | None = None
    """The dataset that the warning is about."""
    retry: bool | None = None
    """Whether the same request may have the dataset later; None without a dataset."""


def warning(code: str, block: str | None = None, dataset: str | None = None, **values: object) -> AnswerWarning:
    declared = _DECLARED[code]
    about = dataset or declared.get("dataset")
    retry = declared.get("retry", False) if about else None
    return AnswerWarning(code, fill(WARNINGS[code], dataset=about, **values), block, about, retry)


def truncated(code: str, block: str, count: int, limit: int) -> list[AnswerWarning]:
    """The warning that an answer has only the first ones, if there are more than the limit."""
    return [warning(code, block, limit=limit)] if count > limit else []


_DECLARED = {code: texts for code, texts in read_texts("answers")["value"]["warning"].items() if "detail" in texts}
WARNINGS: Mapping[str, Text] = {code: Text(**texts["detail"]) for code, texts in _DECLARED.items()}
"""Every warning of an answer, by code, with the values that it needs."""
