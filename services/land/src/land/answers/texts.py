"""Texts in two languages: values in them, and the texts that land refuses with."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

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
