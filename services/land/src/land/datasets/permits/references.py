"""References of permits to parcels: at most three sections and numbers, without leading zeros and often malformed.

Sitadel has no field for the prefix of the section; some town halls write it into the section. Forms in Toulouse's files
of 2026-01: (AM, 493), (846, AP15), (837, nothing), (94, 806), (AK, 79P).
"""

import re

from land.datasets.partitions import department_of
from land.datasets.partitions import filing_commune as filing_commune_of
from land.datasets.permits.records import ParcelReference

MAX_REFERENCES = 3
_WITH_NUMERIC_SECTIONS = frozenset({"57", "67", "68"})
"""Alsace-Moselle, where the cadastre numbers its sections."""
_ARRONDISSEMENTS = {"75056": ("75", "751"), "69123": ("69", "6938"), "13055": ("13", "132")}
"""Paris, Lyon and Marseille: the prefixes of their postcodes and of their arrondissements' codes."""
_LETTERS, _NUMBER = r"(?P<section>[A-Z]{1,2})", r"0*(?P<number>[1-9][0-9]{0,3})"
_FORMS = [
    re.compile(form)
    for form in (
        rf"0?{_LETTERS}\|{_NUMBER}",
        rf"(?P<prefix>[0-9]{{3}}) ?{_LETTERS}\|{_NUMBER}",
        rf"(?P<prefix>[0-9]{{3}})?\|0?{_LETTERS} ?{_NUMBER}",
        rf"{_LETTERS}\|0?(?P=section) ?{_NUMBER}",
    )
]
"""What the fields of the section and of the number have, with a bar between them."""
_NUMERIC_FORM = re.compile(rf"(?P<section>[0-9]{{1,2}})\|{_NUMBER}")


def commune_of(filing_commune: str, number: str, postcode: str) -> str | None:
    """The commune whose cadastre has the permit's parcels: the filing commune, except in Paris, Lyon and Marseille.

    There it is the arrondissement in the permit's number, else that of the postcode, else None. Marseille's permit
    numbers have the code of the whole city.
    """
    if filing_commune not in _ARRONDISSEMENTS:
        return filing_commune
    postcodes, codes = _ARRONDISSEMENTS[filing_commune]
    named = [number[1:6]]
    if len(postcode) == len("75001") and postcode.startswith(postcodes) and postcode[2] in "01":
        named.append(f"{codes}{postcode[len(codes) :]}")  # the 16th of Paris has two postcodes, 75016 and 75116
    is_part = (code for code in named if code != filing_commune and filing_commune_of(code) == filing_commune)
    return next(is_part, None)


def reference_of(commune_code: str, section: str, number: str) -> ParcelReference | None:
    """Parses a section and a number; None if they are malformed."""
    written = f"{section.strip().upper()}|{number.strip().upper()}"
    is_numeric = department_of(commune_code) in _WITH_NUMERIC_SECTIONS
    matches = (form.fullmatch(written) for form in (*_FORMS, *([_NUMERIC_FORM] if is_numeric else [])))
    match = next(filter(None, matches), None)
    if match is None:
        return None
    parts = match.groupdict()
    return ParcelReference(commune_code, parts.get("prefix"), parts["section"].zfill(2), parts["number"].zfill(4))
