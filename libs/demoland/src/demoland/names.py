"""Names of streets. `names.toml` has the words."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import count, product

WORDS: Mapping[str, Sequence[str]] = {
    name: text.replace(",\n", ", ").split(", ")
    for name, text in tomllib.loads(files("demoland").joinpath("names.toml").read_text(encoding="utf-8")).items()
}
"""Kinds of streets, first names and family names of people, things with their article, and whole names."""


def street_names() -> Iterator[str]:
    """Different names without end: the whole ones, then each kind with each thing and person, then these with the
    numbers 2, 3 …
    """
    yield from WORDS["regional"]
    people = map(" ".join, product(WORDS["first_names"], WORDS["family"]))
    subjects = [*WORDS["things"], *people]
    for turn in count(1):
        for kind, subject in product(WORDS["kinds"], subjects):
            yield f"{kind} {subject}" if turn == 1 else f"{kind} {subject} {turn}"
