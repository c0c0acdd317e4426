"""Sitadel's codes and their official French labels (SDES, dictionaries of variables of 2022-05-31).

Codes differ between the files, so each family of permits has its own lists.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

ETAT = {"2": "autorisé", "4": "annulé", "5": "commencé", "6": "terminé"}
NATURE_PROJET_DECLAREE = {"1": "nouvelle construction", "2": "travaux sur construction existante"}
NATURE_PROJET_COMPLETEE = {
    "1": "nouvelle construction",
    "2": "transformation sans extension ni diminution de surface",
    "3": "transformation avec extension de surface",
    "4": "transformation avec diminution de surface",
    "5": "extension de surface sans transformation",
    "6": "diminution de surface sans transformation",
}
DESTINATION_HOUSING = {"1": "logements", "2": "non résidentiel"}
DESTINATION_PREMISES = {
    "1": "habitation",
    "2": "hébergement hôtelier",
    "3": "bureaux",
    "4": "commerce",
    "5": "artisanat",
    "6": "industrie",
    "7": "agriculture",
    "8": "entrepôt",
    "9": "service public ou d'intérêt collectif",
}
TYPE_DAU = {code: code for code in ("PC", "DP", "PA", "PD")}
"""The official abbreviations of permis de construire, déclaration préalable, permis d'aménager, permis de démolir."""


@dataclass(frozen=True)
class Family:
    """One of the four files, with its columns and codes."""

    id: str
    dataset: str
    file_id: str
    """The file's id in DiDo."""
    series: str
    """Permit numbers are unique within a series (`PermitRecord.series`). Columns are named for it, as NUM_DAU."""
    inhabitants: int
    """Of one permit: ten times as many as in France, whose file has the permits since 2013."""
    destinations: Mapping[str, str] = field(default_factory=dict)

    @property
    def fixed_type(self) -> str | None:
        """The type of all its permits, if the file has no column for it."""
        return None if self.series == "dau" else self.series.upper()


HOUSING = Family(
    "sitadel-housing",
    "Permis de construire et déclarations préalables créant des logements",
    "8b35affb-55fc-4c1f-915b-7750f974446a",
    "dau",
    300,
    DESTINATION_HOUSING,
)
PREMISES = Family(
    "sitadel-premises",
    "Permis de construire et déclarations préalables créant des locaux non résidentiels",
    "f8f0700f-806c-40a7-83b1-f21cf507e7c4",
    "dau",
    1_000,
    DESTINATION_PREMISES,
)
DEVELOPMENT = Family("sitadel-development", "Permis d'aménager", "96883f50-538b-41f9-a059-c6eb97e6a23a", "pa", 20_000)
DEMOLITION = Family("sitadel-demolition", "Permis de démolir", "1a9a2f0c-56fe-4e69-84a7-fbbda2121f02", "pd", 3_000)
FAMILIES = (HOUSING, PREMISES, DEVELOPMENT, DEMOLITION)
