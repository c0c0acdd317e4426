"""Code lists of public easements (CNIG standard SUP), and the regions of their documents."""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

from land.datasets.partitions import department_of, filing_commune

CATEGORIES: Mapping[str, str] = tomllib.loads(
    files("land.datasets.easements").joinpath("codes.toml").read_text(encoding="utf-8")
)["categories"]
"""The official label by code."""
_DOCUMENT = re.compile(r"(?:[0-9]{9}_)?SUP_([0-9A-Z]{2,5})_([0-9A-Z]{2,10})(?:_[0-9A-Z]{1,8})?", re.IGNORECASE)
_COMMUNE_LENGTH = 5
_CODES = {code.casefold(): code for code in CATEGORIES}
_REGIONS: Mapping[str, str] = {
    "01": "971", "02": "972", "03": "973", "04": "974", "06": "976", "11": "75 77 78 91 92 93 94 95",
    "24": "18 28 36 37 41 45", "27": "21 25 39 58 70 71 89 90", "28": "14 27 50 61 76", "32": "02 59 60 62 80",
    "44": "08 10 51 52 54 55 57 67 68 88", "52": "44 49 53 72 85", "53": "22 29 35 56",
    "75": "16 17 19 23 24 33 40 47 64 79 86 87", "76": "09 11 12 30 31 32 34 46 48 65 66 81 82",
    "84": "01 03 07 15 26 38 42 43 63 69 73 74", "93": "04 05 06 13 83 84", "94": "2A 2B",
}  # fmt: skip
"""The départements of each region, by the codes of INSEE."""
_REGION_OF = {
    department: f"R{region}" for region, departments in _REGIONS.items() for department in departments.split()
}


def category_code(text: str) -> str | None:
    """The official code for one in any case, such as ac4bis; None if the list does not have it."""
    return _CODES.get(text.casefold())


def region_of(department: str) -> str | None:
    """The region of a département as documents name it, such as R84; None for the demo's and overseas territories."""
    return _REGION_OF.get(department)


class Document(NamedTuple):
    """A document of easements: one category of one manager in one territory."""

    code: str
    territory: str
    """A département, a region (R84) or a commune."""
    category: str


def document_named(name: str) -> Document | None:
    """The document of a partition such as 172014607_SUP_75_AC1; None if it has another form."""
    match = _DOCUMENT.fullmatch(name)
    return Document(name, match[1].upper(), category_code(match[2]) or match[2].upper()) if match else None


def is_for_department(territory: str, department: str) -> bool:
    """Whether a document's territory is the département, its region or one of its communes."""
    is_commune = len(territory) == _COMMUNE_LENGTH and department_of(territory) == department
    return is_commune or territory in (department, region_of(department))


def is_for_commune(territory: str, commune: str) -> bool:
    """Whether a document's territory contains the commune."""
    department = department_of(commune)
    return territory in (department, region_of(department), commune, filing_commune(commune))
