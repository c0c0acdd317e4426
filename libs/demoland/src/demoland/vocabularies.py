"""The words of fictional names, by region. `vocabularies.toml` lists them."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from itertools import chain
from typing import Any, Literal, get_args

Region = Literal["mainland", "brittany", "alsace", "corsica", "overseas"]


@dataclass(frozen=True)
class Vocabulary:
    letter: str
    """The letter after the department in the region's commune codes. Empty for the mainland: its codes are digits."""
    commune_starts: tuple[str, ...]
    commune_ends: tuple[str, ...]
    kinds: tuple[str, ...]
    """Kinds of streets. A frequent kind is listed several times."""
    first_names: tuple[str, ...]
    family: tuple[str, ...]
    things: tuple[str, ...]
    """What follows a kind, with its article."""
    common: tuple[str, ...]
    """Whole street names that many communes have, the most frequent first."""
    regional: tuple[str, ...]
    """Whole street names of this region only."""
    commune_qualifiers: tuple[str, ...] = ("",)
    """Written before the start once every start has been combined with every end."""


def _words(value: Any) -> tuple[str, ...]:
    """A list of the TOML file: text with commas, a table of combinations, or a sequence of these."""
    match value:
        case str():
            return tuple(value.replace(",\n", ", ").split(", "))
        case {"words": text}:
            return _words(text)
        case {"starts": starts, "ends": ends} if list(value) == ["starts", "ends"]:
            return tuple(start + end for start in _words(starts) for end in _words(ends))
        case {"ends": ends, "starts": starts}:
            return tuple(start + end for end in _words(ends) for start in _words(starts))
        case list():
            return tuple(chain.from_iterable(map(_words, value)))
    raise ValueError(f"not a word list: {value!r}")


_TABLES = tomllib.loads(resources.files("demoland").joinpath("vocabularies.toml").read_text(encoding="utf-8"))


def _vocabulary(region: Region) -> Vocabulary:
    """`mainland_common` of a table is the slice of the mainland's common names that follows the region's."""
    table = dict(_TABLES[region])
    letter, mainland_common = table.pop("letter"), slice(*table.pop("mainland_common", (0, 0)))
    lists = {name: _words(value) for name, value in table.items()}
    lists["common"] += _words(_TABLES["mainland"]["common"])[mainland_common]
    return Vocabulary(letter, **lists)


VOCABULARIES: Mapping[Region, Vocabulary] = {region: _vocabulary(region) for region in get_args(Region)}

_MAINLAND, _ADDED = VOCABULARIES["mainland"], {name: _words(value) for name, value in _TABLES["country"].items()}
COUNTRY = replace(
    _MAINLAND,
    kinds=_MAINLAND.kinds + _ADDED["kinds"],
    first_names=_MAINLAND.first_names + _ADDED["first_names"],
    things=_MAINLAND.things + _ADDED["things"],
    family=_ADDED["family"],
)
"""The mainland with as many words as the names of a whole country have."""
