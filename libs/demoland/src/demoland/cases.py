"""The manifest of the old quarter: where to find each interesting thing in the demo, whatever the seed."""

from collections.abc import Mapping
from dataclasses import dataclass

from demoland import quarter as q
from demoland.names import FIRST_COMMUNE
from demoland.plan import Door, label


@dataclass(frozen=True)
class Case:
    """An address, parcels, or both."""

    parcel_ids: tuple[str, ...] = ()
    """What the case is about; for an address, the parcels that it must lead to."""
    address: str | None = None


COMMUNE = q.commune_of_quarter(FIRST_COMMUNE)


def _at(door: Door, *parcel_ids: str) -> Case:
    return Case(parcel_ids, label(door, COMMUNE))


CASES: Mapping[str, Case] = {
    # How an address finds its parcel.
    "address_declared": _at(q.DECLARED, q.SINGLE_HOUSE),
    "address_declared_two": _at(q.DECLARED_TWO, q.DECLARED_LEFT, q.DECLARED_RIGHT),
    "address_declared_vanished": _at(q.DECLARED_VANISHED, q.DECLARED_RIGHT),
    "address_containing": _at(q.CONTAINING, q.BEFORE_FLAG_LOT),
    "address_nearest": _at(q.NEAREST, q.NEW_FLATS),
    "address_far": _at(q.FAR),
    "address_bis": _at(q.BIS, q.NO_CONTENANCE),
    "address_ter": _at(q.TER, q.NO_CONTENANCE),
    "address_old_commune": _at(q.IN_HAMLET, q.HAMLET_HOUSE),
    "address_lieu_dit": _at(q.ON_FIELD, q.FIELD),
    "address_second_street": _at(q.ON_CORNER, q.CORNER),
    "address_without_number": Case((), f"{q.MAIN_STREET.name} {COMMUNE.postcode} {COMMUNE.name}"),
    "address_unknown_number": Case((), f"999 {q.MAIN_STREET.name} {COMMUNE.postcode} {COMMUNE.name}"),
    # Shapes of parcels.
    "parcel_single": Case((q.QUIET,)),
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
    "parcels_contiguous": Case(q.SOLD_TOGETHER),
    "parcels_apart": Case((q.SINGLE_HOUSE, q.QUIET)),
    # Sales.
    "sale_house": Case((q.SINGLE_HOUSE,)),
    "sale_flat_with_lots": Case((q.FLATS,)),
    "sale_bare_land": Case((q.BARE_LAND,)),
    "sale_several_parcels": Case(q.SOLD_TOGETHER),
    "sale_dispositions": Case((q.TWO_DISPOSITIONS,)),
    "sale_cartesian": Case((q.MIXED_USE,)),
    "sale_symbolic_price": Case((q.SYMBOLIC,)),
    "sale_off_plan": Case((q.NEW_FLATS,)),
    "sale_former_id": Case((q.HAMLET_HOUSE,)),
    # Buildings.
    "building_with_annexe": Case((q.SINGLE_HOUSE,)),
    "building_astride": Case((q.DECLARED_LEFT, q.DECLARED_RIGHT)),
    "building_not_on_plan": Case((q.NEW_FLATS,)),
    "building_invalid_ring": Case((q.NO_CONTENANCE,)),
    "building_none": Case((q.BARE_LAND,)),
    # Permits.
    "permit_finished": Case((q.SINGLE_HOUSE,)),
    "permit_started": Case((q.NEW_FLATS,)),
    "permit_granted": Case((q.TWO_DISPOSITIONS,)),
    "permit_cancelled": Case(q.SOLD_TOGETHER),
    "permit_mixed": Case((q.MIXED_USE,)),
    "permit_development": Case((q.ALLOTMENT,)),
    "permit_demolition": Case((q.SYMBOLIC,)),
    "permit_prefixed": Case((q.TWIN_OF_HAMLET,)),
    "permit_ambiguous": Case((q.TWIN, q.TWIN_OF_HAMLET)),
    "permit_retired": Case((q.RETIRED,)),
    "permit_farm": Case((q.FIELD,)),
    # The plan.
    "zone_whole": Case((q.SINGLE_HOUSE,)),
    "zone_cut": Case((q.ALLOTMENT,)),
    "zone_hole": Case((q.SYMBOLIC,)),
    "zone_unknown": Case((q.HAMLET_HOUSE,)),
    "prescription_surface": Case((q.BARE_LAND,)),
    "prescription_line": Case((q.FIELD,)),
    "prescription_point": Case((q.BACKLAND,)),
}
