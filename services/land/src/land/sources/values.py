"""The forms of values that several publishers share: commune codes, dates, coordinates."""

import math
import re
from datetime import date
from functools import lru_cache
from typing import TypeVar

V = TypeVar("V")
MAX_LON = 180.0
MAX_LAT = 90.0
_COMMUNE_CODE = re.compile(r"(?:[0-9]{2}|2[AB])[0-9]{3}|00[0-9A-Z]{3}")
"""The second form is that of fictional communes, where 998 are not enough."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_IN_NAME = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_YEAR_IN_NAME = re.compile(r"(?<!\d)20\d{2}(?!\d)")


def is_commune_code(text: str) -> bool:
    """Whether a text has the form of INSEE's codes (01001, 2A004, 97105) or of the demo's (00001, 00B4Z)."""
    return _COMMUNE_CODE.fullmatch(text) is not None


def commune_code(column: str, value: object) -> str:
    """The value if it is the text of a commune code. Raises ValueError naming the column."""
    if not isinstance(value, str) or not is_commune_code(value):
        raise ValueError(f"{column}: {str(value)[:20]!r} is no commune code")
    return value


@lru_cache(maxsize=16_384)
def is_date(text: str) -> bool:
    """Whether a text is an existing day, as YYYY-MM-DD."""
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def day_of(value: object) -> str | None:
    """The value if it is the text of a day."""
    return value if isinstance(value, str) and is_date(value) else None


def date_in(name: str) -> str | None:
    """The first date in a file's name or address (`/2022-01-01/geojson/…`)."""
    match = _DATE_IN_NAME.search(name)
    return match[0] if match and is_date(match[0]) else None


def year_in(name: str) -> str | None:
    """The first year from 2000 to 2099 in a file's name or address."""
    match = _YEAR_IN_NAME.search(name)
    return match[0] if match else None


def check(condition: object, reason: str) -> None:
    """Rejects a row for this reason, by a ValueError, unless the condition holds."""
    if not condition:
        raise ValueError(reason)


def given(value: V | None, reason: str) -> V:
    """The value. Rejects its row for this reason, by a ValueError, if it is None or an empty text."""
    if value is None or value == "":
        raise ValueError(reason)
    return value


def decimal(column: str, text: str, least: float, most: float, kind: str) -> float | None:
    """A number in these bounds; None for an empty text. Raises ValueError that says it is no such kind of number."""
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= most:  # the reason costs more than the comparison, for each value of a file
        raise ValueError(f"{column}: {text[:20]!r} is no {kind}")
    return value


def coordinates(lon: str, lat: str) -> tuple[float | None, float | None]:
    """Longitude and latitude in degrees; None for both if both texts are empty. Raises ValueError for other texts."""
    x = decimal("lon, lat", lon, -MAX_LON, MAX_LON, "place in degrees")
    y = decimal("lon, lat", lat, -MAX_LAT, MAX_LAT, "place in degrees")
    check((x is None) == (y is None), "lon, lat: one of them is empty")
    return x, y
