"""The table of sentences agrees with the checks that use it."""

import re
from pathlib import Path

from assistant.assessment import sentences
from assistant.assessment.land_unit import REASONS
from assistant.text import read_table

TABLE = read_table("assessment/sentences.toml")
SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in Path(sentences.__file__).parent.glob("*.py"))
KEYS_OF_VALUES = {
    "division_layout": set(REASONS),
    "protected_surroundings": {"AC1", "AC2", "AC4", "classified", "registered"},
    "boundary_survey": {"surveyed_parcel", "surveyed_parcels", "unsurveyed_parcel", "unsurveyed_parcels"},
    "procedure": set(TABLE["procedure"]),
    "summary": set(TABLE["summary"]),
}
"""Names that a check makes from a value."""


def test_every_sentence_is_used_and_every_key_exists() -> None:
    written = {
        f"{table}.{name}"
        for table, pairs in TABLE.items()
        for name in pairs.keys() - {"rule"} - KEYS_OF_VALUES.get(table, set())
    }
    assert set(re.findall(r'"([a-z_]+\.[a-z_]+)"', SOURCES)) == written


def test_both_languages_have_the_same_values() -> None:
    for table, pairs in TABLE.items():
        for name, (french, english) in pairs.items():
            assert set(re.findall(r"{\w+}", french)) == set(re.findall(r"{\w+}", english)), f"{table}.{name}"
