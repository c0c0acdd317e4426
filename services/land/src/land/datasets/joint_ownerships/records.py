"""Joint ownerships (copropriétés) of the national register, by the parcels that they name."""

from typing import Literal, NamedTuple

ManagerType = Literal["professional", "volunteer"]


class JointOwnershipRecord(NamedTuple):
    """A joint ownership on one parcel that it names. It has a row for each of its parcels."""

    department: str
    """The département of the first parcel that it names."""
    commune_code: str
    parcel_id: str
    id: str
    """The number in the register."""
    name: str | None
    lot_count: int | None
    dwelling_lot_count: int | None
    construction_period: str | None
    """As the register gives it, such as DE_1961_A_1974."""
    manager_type: str | None
    """A ManagerType."""
