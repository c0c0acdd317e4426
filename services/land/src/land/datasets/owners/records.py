"""Rights of legal persons on parcels, from the yearly files of the DGFiP, and the official labels of their codes."""

from collections.abc import Mapping
from typing import NamedTuple

RIGHTS: Mapping[str, str] = {
    "P": "Propriétaire",
    "U": "Usufruitier",
    "N": "Nu-propriétaire",
    "B": "Bailleur à construction",
    "R": "Preneur à construction",
    "F": "Foncier",
    "T": "Ténuyer",
    "D": "Domanier",
    "V": "Bailleur d'un bail à réhabilitation",
    "W": "Preneur d'un bail à réhabilitation",
    "A": "Locataire-attributaire",
    "E": "Emphytéote",
    "K": "Antichrésiste",
    "L": "Fonctionnaire logé",
    "G": "Gérant, mandataire, gestionnaire",
    "S": "Syndic de copropriété",
    "H": "Associé dans une société en transparence fiscale",
    "O": "Autorisation d'occupation temporaire (70 ans)",
    "J": "Jeune agriculteur",
    "Q": "Gestionnaire taxe sur les bureaux (Île-de-France)",
    "X": "La Poste occupant et propriétaire",
    "Y": "La Poste occupant et non propriétaire",
    "C": "Fiduciaire",
    "M": "Occupant d'une parcelle appartenant au département de Mayotte ou à l'État",
    "Z": "Gestion d'un bien de l'État",
}
"""Answers list rights in this order, except representatives."""
SYNDIC = "S"
REPRESENTATIVES = frozenset({"G", "L", "Q", SYNDIC, "Z"})
"""Rights of those who act for the owner."""
GROUPS: Mapping[str, str] = {
    "0": "Personnes morales non remarquables",
    "1": "État",
    "2": "Région",
    "3": "Département",
    "4": "Commune",
    "5": "Office HLM",
    "6": "Personnes morales représentant des sociétés d'économie mixte",
    "7": "Copropriétaires",
    "8": "Associés",
    "9": "Établissements publics ou organismes associés",
}
PUBLIC_GROUPS = frozenset("12349")


class OwnerRecord(NamedTuple):
    """One right of one legal person on one parcel, on 1 January of the edition's year."""

    department: str
    commune_code: str
    parcel_id: str
    right_code: str
    """The land register's code, such as P, in RIGHTS."""
    holder: str
    """The SIREN, else the provisional number of the DGFiP, which changes between years."""
    name: str | None
    """None if it may be the name of an individual."""
    siren: str | None
    legal_form_code: str | None
    """INSEE's legal category, four digits."""
    legal_form: str | None
    """The DGFiP's abbreviation of it, such as SCI."""
    group_code: str | None
    """0 to 9, in GROUPS."""
