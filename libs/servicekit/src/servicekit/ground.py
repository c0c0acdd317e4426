"""The plane in which every service measures land: its metres are those on the ground."""


def ground_projection(longitude: float) -> str:
    """The PROJ definition of a transverse Mercator projection of GRS80 for land near this longitude.

    Its central meridian is at most 0.05° away, so a length of 10 km differs from that on the
    ellipsoid by less than 3 mm.
    In the plane of Lambert-93 it differs by up to 30 m.
    """
    return f"+proj=tmerc +lon_0={longitude:.1f} +ellps=GRS80"
