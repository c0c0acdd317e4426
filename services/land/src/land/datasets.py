"""The datasets that answers draw on, and where each of them exists at all."""

from typing import Final

from land.parcels import department_of

COUNTRY: Final = "FR"
"""The unit of a national list."""
COG: Final = "cog"
POSTCODES: Final = "postcodes"
COMMUNE_LISTS: Final = (COG, POSTCODES)
BAN: Final = "ban"
LOCALITIES: Final = "ban-localities"
ADDRESSES: Final = (BAN, LOCALITIES)
PARCELS: Final = "cadastre-parcels"
DVF: Final = "dvf"
SITADEL: Final = ("sitadel-housing", "sitadel-premises", "sitadel-development", "sitadel-demolition")
CADASTRE_BUILDINGS: Final = "cadastre-buildings"
CADASTRE_COMMUNES: Final = "cadastre-communes"
BDTOPO: Final = "bdtopo"
RNB: Final = "rnb"
BUILDINGS: Final = (CADASTRE_BUILDINGS, BDTOPO, RNB)
"""In order of precedence for an outline: the plan's own first, on which the parcels are drawn."""
GPU_ZONES: Final = "gpu-zones"
GPU_PRESCRIPTIONS: Final = "gpu-prescriptions"
GPU_DOCUMENTS: Final = "gpu-documents"
GPU_COMMUNES: Final = "gpu-communes"
GPU_IN_FORCE: Final = "gpu-in-force"
PLANNING: Final = (GPU_ZONES, GPU_PRESCRIPTIONS, GPU_DOCUMENTS, GPU_COMMUNES, GPU_IN_FORCE)
OF_DOCUMENTS: Final = (GPU_ZONES, GPU_PRESCRIPTIONS, GPU_DOCUMENTS)
"""Those whose unit is a planning document, by its partition on the Géoportail de l'urbanisme."""
DEMO_DEPARTMENT: Final = "00"
"""Of the fictional communes."""
DEPARTMENTS: Final = frozenset(
    [f"{number:02}" for number in range(1, 96) if number != 20]  # noqa: PLR2004 (Corsica is 2A and 2B)
    + ["2A", "2B", "971", "972", "973", "974", "975", "976", "977", "978"]
)
"""Those that have land to publish; the demo's 00 is none of them."""

_BY_DEPARTMENT = (BDTOPO, RNB)
_LIVRE_FONCIER = ("57", "67", "68", "976")
"""Départements without DVF: the Livre foncier of Alsace-Moselle, and Mayotte."""

_ARRONDISSEMENTS = {"75": "75056", "69": "69123", "13": "13055"}
_ARRONDISSEMENT_RANGES = {"75": range(75101, 75121), "69": range(69381, 69390), "13": range(13201, 13217)}


def is_published(dataset: str, department: str) -> bool:
    """Whether the dataset exists for the département."""
    return dataset != DVF or department not in _LIVRE_FONCIER


def is_demo(unit: str) -> bool:
    """Whether a unit is the demo's: a fictional commune, its planning document, or their département."""
    return unit.removeprefix("DU_").startswith(DEMO_DEPARTMENT)


def filing_commune(commune_code: str) -> str:
    """The commune whose permits are filed together: Paris, Lyon or Marseille for their arrondissements, else itself."""
    department = commune_code[:2]
    whole = _ARRONDISSEMENTS.get(department)
    if whole and commune_code.isdigit() and int(commune_code) in _ARRONDISSEMENT_RANGES[department]:
        return whole
    return commune_code


def partition_of(owner: str) -> str:
    """The partition on the Géoportail de l'urbanisme of what a commune (INSEE code) or an intercommunality (SIREN)
    has adopted as its one plan. An intercommunality with several has them under this and a letter.
    """
    return f"DU_{owner}"


def unit_of(dataset: str, commune_code: str) -> str:
    """The publisher's unit that holds a commune's rows."""
    if dataset in _BY_DEPARTMENT:
        return department_of(commune_code)
    if dataset in OF_DOCUMENTS:
        return partition_of(filing_commune(commune_code))  # the commune's own; others are told by the store
    return filing_commune(commune_code) if dataset in SITADEL else commune_code


def units_of(commune_code: str) -> set[str]:
    """Every unit, of whichever dataset, that holds rows of the commune."""
    return {commune_code, filing_commune(commune_code), department_of(commune_code)}


def units_about(commune_code: str) -> set[str]:
    """The same, with the commune's own planning document and the national lists."""
    return units_of(commune_code) | {unit_of(GPU_ZONES, commune_code), COUNTRY}
