"""The official codes of planning data: names, meanings for a division, and articles.

They are in `official_codes.toml` and `zones.toml`. The tables have the code of the check that uses them.
"""

from collections.abc import Mapping

from assistant.text import read_table
from servicekit.languages import Text

_TABLES = {**read_table("assessment/official_codes.toml"), "zone_type": read_table("assessment/zones.toml")}


def texts(subject: str, table: str) -> Mapping[str, Text]:
    """The texts of a table by code, without those that are empty."""
    return {code: text for code, text in optional_texts(subject, table).items() if text is not None}


def optional_texts(subject: str, table: str) -> Mapping[str, Text | None]:
    """The texts of a table by code; None for a code that has explicitly none."""
    return {code: Text(*pair) if pair else None for code, pair in _TABLES[subject][table].items()}


def legal_refs(subject: str) -> Mapping[str, tuple[str, ...]]:
    """The references by code; empty if the table has none."""
    return {code: tuple(refs) for code, refs in _TABLES.get(subject, {}).get("legal_refs", {}).items()}
