"""References of permits to parcels: at most three sections and numbers, without leading zeros and often malformed.

Sitadel has no field for the prefix of the section; some town halls write it into the section. Forms in Toulouse's files
of 2026-01: (AM, 493), (846, AP15), (837, nothing), (94, 806), (AK, 79P).
"""

import re

from land.datasets.partitions import department_of, filing_commune
from land.datasets.permits.records import ParcelReference

MAX_REFERENCES = 3
_WITH_NUMERIC_SECTIONS = frozenset({"57", "67", "68"})
"""Alsace-Moselle, where the cadastre numbers its sections."""
_ARRONDISSEMENTS = {"75056": ("75", "751"), "69123": ("69", "6938"), "13055": ("13", "132")}
"""Paris, Lyon and Marseille: the prefixes of their postcodes and of their arrondissements' codes."""
_SECTION = re.compile(r"0?([A-Z]{1,2})")
_NUMERIC_SECTION = re.compile(r"[0-9]{1,2}")
_NUMBER = re.compile(r"0*([1-9][0-9]{0,3})")
_SECTION_AND_NUMBER = re.compile(r"0?([A-Z]{1,2}) ?0*([1-9][0-9]{0,3})")
_PREFIX = re.compile(r"[0-9]{3}")
_PREFIX_AND_SECTION = re.compile(r"([0-9]{3}) ?([A-Z]{1,2})")


def commune_of(filing_commune: str, number: str, postcode: str) -> str | None:
    """The commune whose cadastre has the permit's parcels: the filing commune, except in Paris, Lyon and Marseille.

    There it is the arrondissement in the permit's number, else that of the postcode, else None. Marseille's permit
    numbers have the code of the whole city.
    """
    if filing_commune not in _ARRONDISSEMENTS:
        return filing_commune
    postcodes, codes = _ARRONDISSEMENTS[filing_commune]
    from_number = number[1:6]
    if _is_part(from_number, filing_commune):
        return from_number
    if len(postcode) == len("75001") and postcode.startswith(postcodes):
        # The 16th arrondissement of Paris has two postcodes, 75016 and 75116.
        from_postcode = f"{codes}{postcode[len(codes) :]}"
        if postcode[2] in "01" and _is_part(from_postcode, filing_commune):
            return from_postcode
    return None


def _is_part(code: str, city: str) -> bool:
    return code != city and filing_commune(code) == city


def reference_of(commune_code: str, section: str, number: str) -> ParcelReference | None:
    """Parses a section and a number; None if they are malformed."""
    section, number = section.strip().upper(), number.strip().upper()
    plain_number = _NUMBER.fullmatch(number)
    both = _SECTION_AND_NUMBER.fullmatch(number)
    if plain_number:
        if match := _SECTION.fullmatch(section):
            return _padded(commune_code, None, match[1], plain_number[1])
        if match := _PREFIX_AND_SECTION.fullmatch(section):
            return _padded(commune_code, match[1], match[2], plain_number[1])
        if _NUMERIC_SECTION.fullmatch(section) and department_of(commune_code) in _WITH_NUMERIC_SECTIONS:
            return _padded(commune_code, None, section, plain_number[1])
    elif both:
        if _PREFIX.fullmatch(section):
            return _padded(commune_code, section, both[1], both[2])
        if not section or section == both[1]:
            return _padded(commune_code, None, both[1], both[2])
    return None


def _padded(commune_code: str, prefix: str | None, section: str, number: str) -> ParcelReference:
    return ParcelReference(commune_code, prefix, section.zfill(2), number.zfill(4))
