"""Partitions: the pieces in which publishers divide their datasets, and which of them hold a commune's rows."""

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

PartitionKind = Literal["country", "department", "commune", "filing_commune", "document"]
"""`filing_commune`: Paris, Lyon and Marseille file the permits of their arrondissements. `document`: a planning
document, which may cover several communes.
"""

COUNTRY: Final = "FR"
"""The partition of a national list."""
DEMO_DEPARTMENT: Final = "00"
"""The département of the fictional communes."""
DEPARTMENTS: Final = frozenset(
    [f"{number:02}" for number in range(1, 96) if number != 20]  # noqa: PLR2004 (Corsica is 2A and 2B)
    + ["2A", "2B", "971", "972", "973", "974", "975", "976", "977", "978"]
)
"""Départements with published land data. The demo's 00 is not one of them."""

_DOCUMENT: Final = "DU_"
_EASEMENTS: Final = "SUP_"
_ARRONDISSEMENTS = {"75": "75056", "69": "69123", "13": "13055"}
_ARRONDISSEMENT_RANGES = {"75": range(75101, 75121), "69": range(69381, 69390), "13": range(13201, 13217)}


class Partition(NamedTuple):
    """The publisher's own piece of a dataset, and a part of it that is published as a separate file."""

    code: str
    """A commune, a filing commune (75056 for all Paris), a département, a planning document (DU_64547), a document of
    easements (172014607_SUP_75_AC1), or FR.
    """
    part: str = ""
    """The year of a DVF file, the geometry kind of prescriptions, or one of a national list's files; else empty."""


def department_of(commune_code: str) -> str:
    """The département of a commune: 3 characters overseas, else 2."""
    return commune_code[:3] if commune_code.startswith(("97", "98")) else commune_code[:2]


def codes_of(commune_code: str) -> set[str]:
    """Every partition that holds rows of the commune, except planning documents and national lists."""
    return {commune_code, filing_commune(commune_code), department_of(commune_code)}


def filing_commune(commune_code: str) -> str:
    """The commune that files the permits: Paris, Lyon or Marseille for their arrondissements, else the commune."""
    department = commune_code[:2]
    whole = _ARRONDISSEMENTS.get(department)
    if whole and commune_code.isdigit() and int(commune_code) in _ARRONDISSEMENT_RANGES[department]:
        return whole
    return commune_code


def arrondissements_of(commune_code: str) -> list[str]:
    """The codes of the arrondissements of Paris, Lyon or Marseille; empty for another commune."""
    return [
        str(code)
        for department, whole in _ARRONDISSEMENTS.items()
        if whole == commune_code
        for code in _ARRONDISSEMENT_RANGES[department]
    ]


def document_of(owner: str) -> str:
    """The partition of the one plan that a commune (INSEE code) or an intercommunality (SIREN) has adopted. An
    intercommunality with several plans adds a letter to it.
    """
    return f"{_DOCUMENT}{owner}"


_CODES: Mapping[PartitionKind, Callable[[str], str]] = {
    "country": lambda commune_code: COUNTRY,
    "department": department_of,
    "commune": str,
    "filing_commune": filing_commune,
    "document": lambda commune_code: document_of(filing_commune(commune_code)),
}


def code_of(kind: PartitionKind, commune_code: str) -> str:
    """The code of the partition that holds a commune's rows. Of planning documents: the commune's own one; the store
    knows the shared ones.
    """
    return _CODES[kind](commune_code)


def is_demo(code: str) -> bool:
    """Whether a partition is the demo's: a fictional commune, its planning document, a document of easements, or their
    département.
    """
    return code.removeprefix(_DOCUMENT).startswith(DEMO_DEPARTMENT) or f"{_EASEMENTS}{DEMO_DEPARTMENT}" in code
