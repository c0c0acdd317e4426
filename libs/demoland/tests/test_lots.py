from random import Random

import shapely

from demoland.lots import rows_of_lots


def test_lots_are_counter_clockwise_and_begin_with_their_front() -> None:
    row = next(rows_of_lots(4, 3, Random(3)))  # noqa: S311 - reproducible
    for lot in row:
        assert shapely.LinearRing(lot.ring).is_ccw
        assert tuple(lot.ring[:2]) == lot.front
        assert 8 < shapely.LineString(lot.front).length < 70
