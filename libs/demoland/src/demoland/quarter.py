"""The old quarter of the first commune: parcels and addresses drawn by hand, for cases that importers can get wrong.

They are the same for every seed. The generated town is east of them, from x = 0. The commune absorbed commune 00042:
its hamlet kept its parcel numbers under the prefix 042.
"""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from demoland.geometry import Point, Polygon, area_m2, rectangle, share_corners
from demoland.model import Address, Commune, Parcel, Street, parcel_id

COMMUNE = Commune("00001", "Exempleville-sur-Fiction", "00100")
ABSORBED = ("00042", "Vieux-Marais-l'Oublié")
SECTION, HAMLET_SECTION, FIELD_SECTION = "AA", "A", "ZA"
RETIRED_NUMBER = 99
"""The number of a parcel that no longer exists."""


def _id(number: int) -> str:
    return parcel_id(COMMUNE.code, SECTION, number)


def _hamlet_id(number: int, section: str = HAMLET_SECTION) -> str:
    return parcel_id(COMMUNE.code, section, number, prefix=ABSORBED[0][2:])


SINGLE_HOUSE, FLATS, DECLARED_LEFT, DECLARED_RIGHT = _id(1), _id(2), _id(3), _id(4)
FLAG_LOT, BEFORE_FLAG_LOT, LANDLOCKED, BEFORE_LANDLOCKED, CORNER, BACKLAND = (_id(number) for number in range(5, 11))
INVALID_RING, NULL_GEOMETRY, NO_CONTENANCE = _id(11), _id(12), _id(13)
MULTI_PART, NEW_FLATS, MIXED_USE = _id(14), _id(15), _id(16)
SOLD_TOGETHER = (_id(17), _id(18), _id(19))
BARE_LAND, TWO_DISPOSITIONS, SYMBOLIC_PRICE, SOUTH_HOUSE = _id(20), _id(21), _id(22), _id(23)
TWIN, TWIN_OF_HAMLET = _id(24), _hamlet_id(24, SECTION)
"""Same section and number under two prefixes: a permit for AA 24 can mean either."""
ALLOTMENT = _id(25)
HAMLET_HOUSE, HAMLET_BARN = _hamlet_id(1), _hamlet_id(2)
FORMER_HAMLET_HOUSE = parcel_id(ABSORBED[0], HAMLET_SECTION, 1)
RETIRED = _id(RETIRED_NUMBER)
FIELD, _NORTH_FIELD, FIELD_IN_TWO = (parcel_id(COMMUNE.code, FIELD_SECTION, number) for number in (1, 2, 3))

RECORDS: Mapping[str, Any] = tomllib.loads(files("demoland").joinpath("quarter.toml").read_text(encoding="utf-8"))
"""What the old quarter has besides parcels and addresses: sales, permits, buildings, rights, easements and so on."""
LOCALITIES = {"Les Prés-Fleuris": (-185.0, 35.0), "Le Vallon du Ruisseau": (-380.0, 215.0)}
"""Places without house numbers, with their points."""

FIELDS = (("1", "BTH", "1", rectangle(-478, -38, -276, 92)), ("2", "PPH", "18", rectangle(-420, 96, -272, 168)))
"""Farmed parcels, as the RPG of 2024 has them: the id, the crop, its group and the outline. Wheat passes its parcel by
2 m; the other is a meadow."""

_RECTANGLES: dict[str, list[tuple[float, float, float, float]]] = {
    # West, south, east, north. North of the main street, which runs from y = 95 to 105:
    SINGLE_HOUSE: [(-260, 105, -240, 150)],
    FLATS: [(-240, 105, -222, 150)],
    DECLARED_LEFT: [(-222, 105, -205, 150)],
    DECLARED_RIGHT: [(-205, 105, -190, 150)],
    BEFORE_FLAG_LOT: [(-186, 105, -165, 128)],
    BEFORE_LANDLOCKED: [(-165, 105, -145, 125)],
    LANDLOCKED: [(-165, 125, -145, 150)],
    CORNER: [(-145, 105, -101, 150)],
    BACKLAND: [(-260, 150, -101, 170)],
    # East of the cul-de-sac, which runs from x = -101 to -95:
    INVALID_RING: [(-95, 105, -70, 150)],
    NULL_GEOMETRY: [(-70, 105, -50, 150)],
    NO_CONTENANCE: [(-50, 105, -20, 150)],
    # South of the main street:
    MULTI_PART: [(-260, 55, -235, 95), (-60, 55, -45, 95)],
    NEW_FLATS: [(-235, 55, -210, 95)],
    MIXED_USE: [(-210, 55, -190, 95)],
    SOLD_TOGETHER[0]: [(-190, 55, -170, 95)],
    SOLD_TOGETHER[1]: [(-170, 55, -150, 95)],
    SOLD_TOGETHER[2]: [(-150, 55, -130, 95)],
    BARE_LAND: [(-130, 55, -110, 95)],
    TWO_DISPOSITIONS: [(-110, 55, -85, 95)],
    SYMBOLIC_PRICE: [(-85, 55, -60, 95)],
    SOUTH_HOUSE: [(-45, 55, -20, 95)],
    # Between them and the south lane, which runs from y = 22 to 30:
    TWIN: [(-260, 30, -140, 55)],
    ALLOTMENT: [(-140, 30, -20, 55)],
    # The hamlet, on its own lane from y = -56 to -50:
    TWIN_OF_HAMLET: [(-260, -100, -220, -56)],
    HAMLET_HOUSE: [(-220, -100, -180, -56)],
    HAMLET_BARN: [(-180, -100, -150, -56)],
    # Fields to the west, behind a lane. A brook 8 m wide divides the last one.
    FIELD: [(-480, -40, -275, 90)],
    _NORTH_FIELD: [(-480, 90, -275, 170)],
    FIELD_IN_TWO: [(-480, 178, -380, 250), (-372, 178, -275, 250)],
}
_POLYGONS: dict[str, list[Polygon]] = {
    **{key: [(rectangle(*sides),) for sides in rectangles] for key, rectangles in _RECTANGLES.items()},
    # A strip 4 m wide leads from the street to the land behind the neighbour.
    FLAG_LOT: [([(-190, 105), (-186, 105), (-186, 128), (-165, 128), (-165, 150), (-190, 150)],)],
}


def _parcels() -> list[Parcel]:
    parcels = []
    keys = sorted(_POLYGONS)
    shared = iter(share_corners([polygon for key in keys for polygon in _POLYGONS[key]]))
    for key in keys:
        polygons = tuple(next(shared) for _ in _POLYGONS[key])
        contenance_m2 = None if key == NO_CONTENANCE else round(sum(area_m2(outline) for (outline,) in polygons))
        is_surveyed = key in (SINGLE_HOUSE, *SOLD_TOGETHER)
        if key == NULL_GEOMETRY:
            polygons = ()
        elif key == INVALID_RING:
            # The cadastre publishes some rings with their corners in the wrong order.
            [[southwest, southeast, northeast, northwest]] = _POLYGONS[key][0]
            polygons = (([southwest, northeast, southeast, northwest],),)
        parcels.append(Parcel(key, polygons, contenance_m2, is_surveyed))
    return parcels


MAIN_STREET = Street("0001", "Rue du 8 Mai 1945")
_CUL_DE_SAC = Street("0002", "Impasse de l'Église")
_SOUTH_LANE = Street("0003", "Chemin des Prés-Fleuris")
_HAMLET_LANE = Street("0004", "Chemin de la Grande-Mare")
_POND = Street("0005", "Lieu-dit L'Étang Perdu", locality="L'Étang Perdu")
_FARM = Street("0006", "Lieu-dit Pré-aux-Œufs", locality="Pré-aux-Œufs")
LAST_STREET_CODE = 6


def _address(
    number: int,
    point: Point,
    *parcel_ids: str,
    street: Street = MAIN_STREET,
    suffix: str = "",
    position: str = "entrée",
) -> Address:
    """An address without a position is not certified."""
    former_commune = ABSORBED if street is _HAMLET_LANE else ("", "")
    return Address(street, number, point, suffix, parcel_ids, position, bool(position), former_commune)


DECLARED_ADDRESS = _address(1, (-250, 108), SINGLE_HOUSE)
TWO_PARCELS_ADDRESS = _address(5, (-210, 108), DECLARED_LEFT, DECLARED_RIGHT)
RETIRED_PARCEL_ADDRESS = _address(7, (-198, 108), RETIRED)
CONTAINED_ADDRESS = _address(11, (-175, 108), position="parcelle")
BIS_ADDRESS = _address(21, (-35, 108), NO_CONTENANCE, suffix="bis")
TER_ADDRESS = _address(21, (-28, 108), NO_CONTENANCE, suffix="ter")
ON_STREET_ADDRESS = _address(4, (-222, 98), position="segment")
CORNER_ADDRESS = _address(2, (-104, 130), CORNER, street=_CUL_DE_SAC)
HAMLET_ADDRESS = _address(2, (-200, -59), HAMLET_HOUSE, street=_HAMLET_LANE)
REMOTE_ADDRESS = _address(3, (-700, 300), street=_POND, position="segment")
FIELD_ADDRESS = _address(1, (-290, 40), FIELD, street=_FARM, position="bâtiment")

PARCELS = tuple(_parcels())
ADDRESSES = (
    DECLARED_ADDRESS,
    _address(3, (-231, 108), FLATS),
    TWO_PARCELS_ADDRESS,
    RETIRED_PARCEL_ADDRESS,
    _address(9, (-188, 107), FLAG_LOT),
    CONTAINED_ADDRESS,
    _address(13, (-155, 108), BEFORE_LANDLOCKED),
    _address(15, (-123, 108), CORNER),
    _address(17, (-90, 125), position="parcelle"),
    _address(19, (-60, 108), NULL_GEOMETRY),
    _address(21, (-42, 108), NO_CONTENANCE),
    BIS_ADDRESS,
    TER_ADDRESS,
    _address(2, (-248, 92), MULTI_PART),
    ON_STREET_ADDRESS,
    _address(6, (-200, 92), MIXED_USE),
    _address(8, (-180, 92), SOLD_TOGETHER[0]),
    _address(10, (-160, 92), SOLD_TOGETHER[1]),
    _address(14, (-97.5, 92), TWO_DISPOSITIONS),
    _address(16, (-72, 92), SYMBOLIC_PRICE),
    _address(18, (-32, 92), SOUTH_HOUSE),
    CORNER_ADDRESS,
    _address(1, (-200, 33), TWIN, street=_SOUTH_LANE),
    _address(3, (-80, 33), ALLOTMENT, street=_SOUTH_LANE),
    HAMLET_ADDRESS,
    _address(4, (-165, -59), HAMLET_BARN, street=_HAMLET_LANE),
    _address(6, (-240, -59), TWIN_OF_HAMLET, street=_HAMLET_LANE),
    _address(1, (-720, 310), street=_POND, position=""),
    REMOTE_ADDRESS,
    _address(5, (-690, 320), street=_POND, position=""),
    FIELD_ADDRESS,
)
