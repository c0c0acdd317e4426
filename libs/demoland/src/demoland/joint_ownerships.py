"""Joint ownerships of the national register. Few buildings are in one."""

from dataclasses import dataclass

from demoland import quarter

COLUMNS = (
    "numero_immatriculation", "nom_usage_copropriete", "type_syndic", "mandat_en_cours", "nombre_total_lots",
    "nombre_lots_habitation", "nombre_lots_stationnement", "periode_construction", "reference_cadastrale_1",
    "reference_cadastrale_2", "reference_cadastrale_3", "code_officiel_commune", "code_officiel_arrondissement_commune",
)  # fmt: skip


@dataclass(frozen=True)
class JointOwnership:
    number: str
    name: str
    manager: str
    lots: tuple[str, str, str]
    """All, for dwellings, and parking spaces."""
    period: str
    parcel_ids: tuple[str, ...] = ()

    def row(self) -> tuple[str, ...]:
        references = (*self.parcel_ids, "", "", "")[:3]
        place = quarter.COMMUNE.postcode, quarter.COMMUNE.code
        return self.number, self.name, self.manager, "non connu", *self.lots, self.period, *references, *place


QUARTER_JOINT_OWNERSHIPS = (
    JointOwnership(
        "AA0000001", "3 rue du 8 Mai 1945", "professionnel", ("26", "12", "13"), "DE_1961_A_1974", (quarter.FLATS,)
    ),
    # It names no parcel: only the syndic in the file of legal persons shows that the flats are co-owned.
    JointOwnership("AA0000002", "non connu", "bénévole", ("14", "14", ""), "NON_CONNUE"),
    # The register may name parcels that no longer exist.
    JointOwnership("AA0000003", "Cour du marché", "non connu", ("4", "2", "0"), "AVANT_1949", (quarter.RETIRED,)),
)
