"""The datasets that answers draw on, and where each of them exists at all."""

from typing import Final

BAN: Final = "ban"
PARCELS: Final = "cadastre-parcels"
DVF: Final = "dvf"
SITADEL: Final = ("sitadel-housing", "sitadel-premises", "sitadel-development", "sitadel-demolition")

_LIVRE_FONCIER = ("57", "67", "68", "976")
"""Départements without DVF: the Livre foncier of Alsace-Moselle, and Mayotte."""

_ARRONDISSEMENTS = {"75": "75056", "69": "69123", "13": "13055"}
_ARRONDISSEMENT_RANGES = {"75": range(75101, 75121), "69": range(69381, 69390), "13": range(13201, 13217)}


def is_published(dataset: str, department: str) -> bool:
    """Whether the dataset exists for the département."""
    return dataset != DVF or department not in _LIVRE_FONCIER


def filing_commune(commune_code: str) -> str:
    """The commune whose permits are filed together: Paris, Lyon or Marseille for their arrondissements, else itself."""
    department = commune_code[:2]
    whole = _ARRONDISSEMENTS.get(department)
    if whole and commune_code.isdigit() and int(commune_code) in _ARRONDISSEMENT_RANGES[department]:
        return whole
    return commune_code


def unit_of(dataset: str, commune_code: str) -> str:
    """The publisher's unit that holds a commune's rows."""
    return filing_commune(commune_code) if dataset in SITADEL else commune_code
