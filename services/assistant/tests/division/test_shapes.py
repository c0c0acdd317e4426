"""The geometry operations of the drawings."""

from shapely import Polygon, box

from assistant.division.shapes import clipped, union


def test_an_edge_that_only_touches_the_window_leaves_no_line() -> None:
    notched = Polygon([(0, 0), (10, 0), (10, 10), (6, 10), (6, 5), (0, 5)])
    part = clipped(notched, box(0, 5, 10, 20))
    assert part.equals(box(6, 5, 10, 10))
    way = union([part, box(2, 7, 8, 8)])
    assert clipped(way, box(0, 0, 20, 20)).area == way.area
