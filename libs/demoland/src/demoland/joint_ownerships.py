"""Joint ownerships of the national register. Few buildings are in one."""

from demoland import quarter


def _row(number: str, name: str, manager: str, lots: tuple[str, str, str], period: str, parcel: str) -> tuple[str, ...]:
    """`lots` are all, those for dwellings, and parking spaces."""
    place = quarter.COMMUNE.postcode, quarter.COMMUNE.code
    return number, name, manager, "non connu", *lots, period, parcel, "", "", *place


QUARTER_JOINT_OWNERSHIPS = (
    _row("AA0000001", "3 rue du 8 Mai 1945", "professionnel", ("26", "12", "13"), "DE_1961_A_1974", quarter.FLATS),
    # It names no parcel: only the syndic in the file of legal persons shows that the flats are co-owned.
    _row("AA0000002", "non connu", "bénévole", ("14", "14", ""), "NON_CONNUE", ""),
    # The register may name parcels that no longer exist.
    _row("AA0000003", "Cour du marché", "non connu", ("4", "2", "0"), "AVANT_1949", quarter.RETIRED),
)
