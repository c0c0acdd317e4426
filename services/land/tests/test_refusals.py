"""The texts that land refuses with: each is used, and each that is used exists in both languages."""

import re
from pathlib import Path
from typing import get_args

import land
from land.addresses.missing_place import Reason
from land.answers.texts import REFUSALS
from land.loading.prefetch import Missing

SOURCES = "\n".join(path.read_text("utf-8") for path in Path(land.__file__).parent.rglob("*.py"))
NAMED_BY_VALUE = {
    *get_args(Reason),
    *(f"{missing}_{state}" for missing in get_args(Missing) for state in ("loading", "unavailable")),
}


def test_each_text_is_used_and_exists() -> None:
    named = set(re.findall(r'REFUSALS\["(\w+)"\]', SOURCES))
    assert named | NAMED_BY_VALUE == REFUSALS.keys()


def test_both_languages_have_the_same_values() -> None:
    values = {name: [set(re.findall(r"{\w+}", text)) for text in texts] for name, texts in REFUSALS.items()}
    assert {name: found for name, found in values.items() if found[0] != found[1]} == {}
