"""The parcels or the address of the demo that show each case of its old quarter, for any seed."""

from collections.abc import Mapping
from dataclasses import dataclass

from demoland import quarter as q
from demoland.model import Address


@dataclass(frozen=True)
class Case:
    parcel_ids: tuple[str, ...] = ()
    """The parcels of the case. For an address, the parcels that it must resolve to."""
    address: str | None = None
    """The address in one line."""


def _at(address: Address, *parcel_ids: str) -> Case:
    number = f"{address.number} {address.suffix}".strip()
    return Case(parcel_ids, f"{number} {address.street.name} {q.COMMUNE.postcode} {q.COMMUNE.name}")


CASES: Mapping[str, Case] = {
    # How an address finds its parcel.
    "address_declared": _at(q.DECLARED_ADDRESS, q.SINGLE_HOUSE),
    "address_declared_two": _at(q.TWO_PARCELS_ADDRESS, q.DECLARED_LEFT, q.DECLARED_RIGHT),
    "address_declared_retired": _at(q.RETIRED_PARCEL_ADDRESS, q.DECLARED_RIGHT),
    "address_containing": _at(q.CONTAINED_ADDRESS, q.BEFORE_FLAG_LOT),
    "address_nearest": _at(q.ON_STREET_ADDRESS, q.NEW_FLATS),
    "address_far": _at(q.REMOTE_ADDRESS),
    "address_bis": _at(q.BIS_ADDRESS, q.NO_CONTENANCE),
    "address_ter": _at(q.TER_ADDRESS, q.NO_CONTENANCE),
    "address_old_commune": _at(q.HAMLET_ADDRESS, q.HAMLET_HOUSE),
    "address_lieu_dit": _at(q.FIELD_ADDRESS, q.FIELD),
    "address_second_street": _at(q.CORNER_ADDRESS, q.CORNER),
    "address_without_number": Case((), f"{q.MAIN_STREET.name} {q.COMMUNE.postcode} {q.COMMUNE.name}"),
    "address_unknown_number": Case((), f"999 {q.MAIN_STREET.name} {q.COMMUNE.postcode} {q.COMMUNE.name}"),
    # Shapes of parcels.
    "parcel_single": Case((q.SOUTH_HOUSE,)),
    "parcel_flag": Case((q.FLAG_LOT,)),
    "parcel_landlocked": Case((q.LANDLOCKED,)),
    "parcel_corner": Case((q.CORNER,)),
    "parcel_multi_part": Case((q.MULTI_PART,)),
    "parcel_multi_part_field": Case((q.FIELD_IN_TWO,)),
    "parcel_no_contenance": Case((q.NO_CONTENANCE,)),
    "parcel_invalid_ring": Case((q.INVALID_RING,)),
    "parcel_null_geometry": Case((q.NULL_GEOMETRY,)),
    "parcel_field": Case((q.FIELD,)),
    "parcel_same_number_twice": Case((q.TWIN, q.TWIN_OF_HAMLET)),
    "parcel_retired": Case((q.RETIRED,)),
    "parcel_daughter": Case((q.DECLARED_LEFT,)),
    "parcels_contiguous": Case(q.SOLD_TOGETHER),
    "parcels_apart": Case((q.SINGLE_HOUSE, q.SOUTH_HOUSE)),
    # Sales.
    "sale_house": Case((q.SINGLE_HOUSE,)),
    "sale_flat_with_lots": Case((q.FLATS,)),
    "sale_bare_land": Case((q.BARE_LAND,)),
    "sale_several_parcels": Case(q.SOLD_TOGETHER),
    "sale_dispositions": Case((q.TWO_DISPOSITIONS,)),
    "sale_cartesian": Case((q.MIXED_USE,)),
    "sale_symbolic_price": Case((q.SYMBOLIC_PRICE,)),
    "sale_off_plan": Case((q.NEW_FLATS,)),
    "sale_former_id": Case((q.HAMLET_HOUSE,)),
    # Buildings.
    "building_with_annexe": Case((q.SINGLE_HOUSE,)),
    "building_on_two_parcels": Case((q.DECLARED_LEFT, q.DECLARED_RIGHT)),
    "building_not_in_cadastre": Case((q.NEW_FLATS,)),
    "building_invalid_ring": Case((q.NO_CONTENANCE,)),
    "building_none": Case((q.BARE_LAND,)),
    # Rights of legal persons.
    "owner_commune": Case((q.HAMLET_BARN,)),
    "owner_company": Case((q.MIXED_USE,)),
    "owner_co_owners": Case((q.FLATS,)),
    "owner_bare_and_usufruct": Case((q.FIELD_IN_TWO,)),
    "joint_ownership_registered": Case((q.FLATS,)),
    "joint_ownership_by_syndic_only": Case((q.NEW_FLATS,)),
    # Permits.
    "permit_finished": Case((q.SINGLE_HOUSE,)),
    "permit_started": Case((q.NEW_FLATS,)),
    "permit_granted": Case((q.TWO_DISPOSITIONS,)),
    "permit_cancelled": Case(q.SOLD_TOGETHER),
    "permit_mixed": Case((q.MIXED_USE,)),
    "permit_development": Case((q.ALLOTMENT,)),
    "permit_demolition": Case((q.SYMBOLIC_PRICE,)),
    "permit_prefixed": Case((q.TWIN_OF_HAMLET,)),
    "permit_ambiguous": Case((q.TWIN, q.TWIN_OF_HAMLET)),
    "permit_retired": Case((q.RETIRED,)),
    "permit_farm": Case((q.FIELD,)),
    # Planning.
    "zone_whole": Case((q.SINGLE_HOUSE,)),
    "zone_cut": Case((q.ALLOTMENT,)),
    "zone_hole": Case((q.SYMBOLIC_PRICE,)),
    "zone_unknown": Case((q.HAMLET_HOUSE,)),
    "prescription_surface": Case((q.BARE_LAND,)),
    "prescription_line": Case((q.FIELD,)),
    "prescription_point": Case((q.BACKLAND,)),
}
