"""The old quarter of the first commune, drawn by hand: every plot and door in it is a case that something must handle.

Nothing here depends on a seed. Metres east and north of the commune's origin; the generated town lies east of it. The
commune absorbed another one, 00042: its hamlet kept the numbers of its parcels under the prefix 042.
"""

from demoland.plan import Commune, Door, Ground, Plot, Point, Ring, Street, area_m2, parcel_id, rectangle, weld

COMMUNE_CODE = "00001"
ABSORBED = ("00042", "Vieux-Marais-l'Oublié")
ABSORBED_PREFIX = "042"
SECTION = "AA"
HAMLET_SECTION = "A"
RETIRED_NUMBER = 99
"""A parcel of the section that is no more."""

MAIN_STREET = Street("0001", "Rue du 8 Mai 1945")
CUL_DE_SAC = Street("0002", "Impasse de l'Église")
SOUTH_LANE = Street("0003", "Chemin des Prés-Fleuris")
HAMLET_LANE = Street("0004", "Chemin de la Grande-Mare")
POND = Street("0005", "Lieu-dit L'Étang Perdu", locality="L'Étang Perdu")
FARM = Street("0006", "Lieu-dit Pré-aux-Œufs", locality="Pré-aux-Œufs")
LAST_STREET_CODE = 6


def _id(number: int) -> str:
    return parcel_id(COMMUNE_CODE, SECTION, number)


def _hamlet_id(number: int, section: str = HAMLET_SECTION) -> str:
    return parcel_id(COMMUNE_CODE, section, number, ABSORBED_PREFIX)


SINGLE_HOUSE, FLATS, DECLARED_LEFT, DECLARED_RIGHT = _id(1), _id(2), _id(3), _id(4)
FLAG_LOT, BEFORE_FLAG_LOT, LANDLOCKED, IN_FRONT, CORNER, BACKLAND = (_id(number) for number in range(5, 11))
INVALID_RING, NULL_GEOMETRY, NO_CONTENANCE = _id(11), _id(12), _id(13)
MULTI_PART, NEW_FLATS, MIXED_USE = _id(14), _id(15), _id(16)
SOLD_TOGETHER = (_id(17), _id(18), _id(19))
BARE_LAND, TWO_DISPOSITIONS, SYMBOLIC, QUIET = _id(20), _id(21), _id(22), _id(23)
TWIN, TWIN_OF_HAMLET = _id(24), _hamlet_id(24, SECTION)
"""Same section and number under two prefixes: a permit that names AA 24 names neither."""
ALLOTMENT = _id(25)
HAMLET_HOUSE, HAMLET_BARN = _hamlet_id(1), _hamlet_id(2)
FORMER_HAMLET_HOUSE = parcel_id(ABSORBED[0], HAMLET_SECTION, 1)
RETIRED = _id(RETIRED_NUMBER)
FIELD, FIELD_IN_TWO = parcel_id(COMMUNE_CODE, "ZA", 1), parcel_id(COMMUNE_CODE, "ZA", 3)

_RECTANGLES: dict[str, tuple[float, float, float, float]] = {
    # West, south, east, north. North of the main street, which runs from y = 95 to 105:
    SINGLE_HOUSE: (-260, 105, -240, 150),
    FLATS: (-240, 105, -222, 150),
    DECLARED_LEFT: (-222, 105, -205, 150),
    DECLARED_RIGHT: (-205, 105, -190, 150),
    BEFORE_FLAG_LOT: (-186, 105, -165, 128),
    IN_FRONT: (-165, 105, -145, 125),
    LANDLOCKED: (-165, 125, -145, 150),
    CORNER: (-145, 105, -101, 150),
    BACKLAND: (-260, 150, -101, 170),
    # East of the cul-de-sac, which runs from x = -101 to -95:
    INVALID_RING: (-95, 105, -70, 150),
    NULL_GEOMETRY: (-70, 105, -50, 150),
    NO_CONTENANCE: (-50, 105, -20, 150),
    # South of the main street:
    NEW_FLATS: (-235, 55, -210, 95),
    MIXED_USE: (-210, 55, -190, 95),
    SOLD_TOGETHER[0]: (-190, 55, -170, 95),
    SOLD_TOGETHER[1]: (-170, 55, -150, 95),
    SOLD_TOGETHER[2]: (-150, 55, -130, 95),
    BARE_LAND: (-130, 55, -110, 95),
    TWO_DISPOSITIONS: (-110, 55, -85, 95),
    SYMBOLIC: (-85, 55, -60, 95),
    QUIET: (-45, 55, -20, 95),
    # Between them and the lane, which runs from y = 22 to 30:
    TWIN: (-260, 30, -140, 55),
    ALLOTMENT: (-140, 30, -20, 55),
    # The hamlet, on its own lane from y = -56 to -50:
    TWIN_OF_HAMLET: (-260, -100, -220, -56),
    HAMLET_HOUSE: (-220, -100, -180, -56),
    HAMLET_BARN: (-180, -100, -150, -56),
    # Fields to the west, behind a lane.
    FIELD: (-480, -40, -275, 90),
    parcel_id(COMMUNE_CODE, "ZA", 2): (-480, 90, -275, 170),
}
_PARTS: dict[str, tuple[Ring, ...]] = {
    # A pole of 4 m to the street, the house behind the neighbour's.
    FLAG_LOT: ([(-190, 105), (-186, 105), (-186, 128), (-165, 128), (-165, 150), (-190, 150)],),
    # Cut in two by a brook of 8 m.
    FIELD_IN_TWO: (rectangle(-480, 178, -380, 250), rectangle(-372, 178, -275, 250)),
    MULTI_PART: (rectangle(-260, 55, -235, 95), rectangle(-60, 55, -45, 95)),
}


def _plots() -> list[Plot]:
    parts = {key: (rectangle(*sides),) for key, sides in _RECTANGLES.items()} | _PARTS
    plots = [
        Plot(
            key,
            tuple((ring,) for ring in rings),
            None if key == NO_CONTENANCE else round(sum(map(area_m2, rings))),
            arpente=key in (SINGLE_HOUSE, *SOLD_TOGETHER),
        )
        for key, rings in sorted(parts.items())
    ]
    return [_published(plot) for plot in weld(plots)]


def _published(plot: Plot) -> Plot:
    """The two that the cadastre publishes badly: a ring whose corners are out of order, and no geometry."""
    if plot.parcel_id == NULL_GEOMETRY:
        return Plot(plot.parcel_id, (), plot.contenance)
    if plot.parcel_id == INVALID_RING:
        west, south, east, north = _RECTANGLES[INVALID_RING]
        crossed: Ring = [(west, south), (east, north), (east, south), (west, north)]
        return Plot(plot.parcel_id, ((crossed,),), plot.contenance)
    return plot


def _door(
    street: Street, number: int, point: Point, *parcel_ids: str, suffix: str = "", position: str = "entrée"
) -> Door:
    return Door(street, number, point, suffix, parcel_ids, position)


DECLARED = _door(MAIN_STREET, 1, (-250, 108), SINGLE_HOUSE)
DECLARED_TWO = _door(MAIN_STREET, 5, (-210, 108), DECLARED_LEFT, DECLARED_RIGHT)
DECLARED_VANISHED = _door(MAIN_STREET, 7, (-198, 108), RETIRED)
CONTAINING = _door(MAIN_STREET, 11, (-175, 108), position="parcelle")
ON_NULL_GEOMETRY = _door(MAIN_STREET, 19, (-60, 108), NULL_GEOMETRY)
ON_INVALID_RING = _door(MAIN_STREET, 17, (-90, 125), position="parcelle")
BIS = _door(MAIN_STREET, 21, (-35, 108), NO_CONTENANCE, suffix="bis")
TER = _door(MAIN_STREET, 21, (-28, 108), NO_CONTENANCE, suffix="ter")
NEAREST = _door(MAIN_STREET, 4, (-222, 98), position="segment")
ON_CORNER = _door(CUL_DE_SAC, 2, (-104, 130), CORNER)
IN_HAMLET = Door(HAMLET_LANE, 2, (-200, -59), "", (HAMLET_HOUSE,), old_commune=ABSORBED)
FAR = _door(POND, 3, (-700, 300), position="segment")
ON_FIELD = _door(FARM, 1, (-290, 40), FIELD, position="bâtiment")

_DOORS = (
    DECLARED,
    _door(MAIN_STREET, 3, (-231, 108), FLATS),
    DECLARED_TWO,
    DECLARED_VANISHED,
    _door(MAIN_STREET, 9, (-188, 107), FLAG_LOT),
    CONTAINING,
    _door(MAIN_STREET, 13, (-155, 108), IN_FRONT),
    _door(MAIN_STREET, 15, (-123, 108), CORNER),
    ON_INVALID_RING,
    ON_NULL_GEOMETRY,
    _door(MAIN_STREET, 21, (-42, 108), NO_CONTENANCE),
    BIS,
    TER,
    _door(MAIN_STREET, 2, (-248, 92), MULTI_PART),
    NEAREST,
    _door(MAIN_STREET, 6, (-200, 92), MIXED_USE),
    _door(MAIN_STREET, 8, (-180, 92), SOLD_TOGETHER[0]),
    _door(MAIN_STREET, 10, (-160, 92), SOLD_TOGETHER[1]),
    _door(MAIN_STREET, 14, (-97.5, 92), TWO_DISPOSITIONS),
    _door(MAIN_STREET, 16, (-72, 92), SYMBOLIC),
    _door(MAIN_STREET, 18, (-32, 92), QUIET),
    ON_CORNER,
    _door(SOUTH_LANE, 1, (-200, 33), TWIN),
    _door(SOUTH_LANE, 3, (-80, 33), ALLOTMENT),
    IN_HAMLET,
    Door(HAMLET_LANE, 4, (-165, -59), "", (HAMLET_BARN,), old_commune=ABSORBED),
    Door(HAMLET_LANE, 6, (-240, -59), "", (TWIN_OF_HAMLET,), old_commune=ABSORBED),
    Door(POND, 1, (-720, 310), is_certified=False, position=""),
    FAR,
    Door(POND, 5, (-690, 320), is_certified=False, position=""),
    ON_FIELD,
)


def draw() -> Ground:
    return Ground(_plots(), list(_DOORS))


def commune_of_quarter(name: str) -> Commune:
    return Commune(COMMUNE_CODE, name, "00100")
