"""What plan, easements and risks mean for the lots of a land unit: where nothing may be built, and stated figures."""

import re
from collections.abc import Iterator

from assistant.assessment.easements import PROTECTED
from assistant.assessment.facts import is_red
from assistant.division.proposal import StatedRules
from assistant.division.stated import stated_rules
from landpartner.land.v1 import land_pb2

_CLOSED_TYPES = {"01": None, "02": ("01",), "05": None, "07": ("03", "05"), "31": None}
"""Prescriptions (standard CNIG PLU) that close their surface to building, by type, and by subtypes if only some do:
classified woodland, ground closed for risks or the environment, reserved sites, protected woods, and shores.
"""
_CLOSED_EASEMENTS = ("EL7",)
"""Easements that close their surface: the strip that the alignment of a way takes."""
_CLOSED_WORDS = re.compile(r"interdi|inconstructible|non aedificandi|zone rouge|protection immédiate", re.IGNORECASE)
"""Other easements close a surface only if its kind says so. The envelope of a risk plan (PM1 to PM3) does not:
its regulated zones come with the risks.
"""
_CLOSED_ZONES = ("AUs", "A", "N", "Nd", "03")
"""Types of zones, and of sectors of a carte communale, that are not open to building. Ah, Nh and 02 allow some."""
_WHOLE = 0.9
"""Share of the unit that a surface must cover for its figures to apply to all lots."""


def closed_surfaces(unit: land_pb2.LandUnit) -> Iterator[bytes]:
    """GeoJSON of the surfaces where nothing may be built, as far as the answer has outlines. A zone that covers the
    whole unit has none.
    """
    for zone in unit.urbanism.zones:
        if (zone.zone_type or zone.sector_type) in _CLOSED_ZONES:
            yield zone.geometry or (unit.geometry if zone.overlap_ratio >= _WHOLE else b"")
    for item in unit.urbanism.prescriptions:
        subtypes = _CLOSED_TYPES.get(item.type_code, ())
        if item.geometry_kind == "surface" and (subtypes is None or item.subtype_code in subtypes):
            yield item.geometry
    for easement in unit.urbanism.easements:
        is_closed = easement.category.upper() in _CLOSED_EASEMENTS or _CLOSED_WORDS.search(easement.type)
        if easement.geometry_kind == "surface" and is_closed:
            yield easement.geometry
    yield from (zone.geometry for zone in unit.risks.zones if is_red(zone))


def protected_surfaces(unit: land_pb2.LandUnit) -> Iterator[bytes]:
    """GeoJSON of the protected surroundings on the land, as far as the answer has outlines."""
    easements = unit.urbanism.easements
    yield from (item.geometry for item in easements if item.category in PROTECTED and item.geometry_kind == "surface")


def rules_of(unit: land_pb2.LandUnit) -> StatedRules:
    """The figures that prescriptions state for the whole unit. A line or point states one if it is on the unit."""
    area_m2 = unit.land.geometric_area_m2
    return stated_rules(
        item
        for item in unit.urbanism.prescriptions
        if item.geometry_kind != "surface" or item.overlap_area_m2 >= _WHOLE * area_m2 > 0
    )
