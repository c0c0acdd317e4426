"""The forms of values in requests: the patterns of texts, how a refusal describes them, and what counts as absent."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from servicekit.languages import Text

PRINTABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f]*$"
_COMMUNE = r"(\d{2}|2[AB])\d{3}"
_NUMBER = r" *[+-]?(\d{1,8}\.?\d{0,20}|\.\d{1,20})([eE]-\d{1,2})? *"
"""As programs print coordinates: near the meridian of Greenwich like -3.8e-05."""
_POSITION = rf"{_NUMBER},{_NUMBER}"
PARCEL_ID = rf"^{_COMMUNE}\d{{3}}[0-9A-Z]{{2}}\d{{4}}$"
COMMUNE_CODE = rf"^{_COMMUNE}$"
SECTION = rf"^{_COMMUNE}\d{{3}}[0-9A-Z]{{2}}$"
DATE = r"^\d{4}-\d{2}-\d{2}$"
BBOX = rf"^{_NUMBER}(,{_NUMBER}){{3}}((,{_NUMBER}){{2}})?$"
POSITIONS = rf"^{_POSITION}(,{_POSITION}){{2,}}$"

FORMS: Mapping[str, Text] = {
    PARCEL_ID: Text("14 caractères, comme 75118000AB0012", "14 characters, like 75118000AB0012"),
    COMMUNE_CODE: Text("5 caractères, comme 75118 ou 2A004", "5 characters, like 75118 or 2A004"),
    SECTION: Text("10 caractères, comme 75118000AB", "10 characters, like 75118000AB"),
    DATE: Text("AAAA-MM-JJ, comme 2024-01-31", "YYYY-MM-DD, like 2024-01-31"),
    BBOX: Text(
        "ouest,sud,est,nord en degrés, comme 1.9990,47.0003,2.0008,47.0012",
        "west,south,east,north in degrees, like 1.9990,47.0003,2.0008,47.0012",
    ),
    POSITIONS: Text(
        "longitude,latitude de trois sommets ou plus, comme 1.999,47.0003,2.0008,47.0003,2.0008,47.0012",
        "longitude,latitude of three corners or more, like 1.999,47.0003,2.0008,47.0003,2.0008,47.0012",
    ),
}


def absent_if_empty(value: Any) -> Any:
    if isinstance(value, str):
        value = value.strip()
    return None if value in ("", [], {}) else value


def one_of_names(names: Iterable[str]) -> Any:
    return Literal[tuple(names)]
