import pytest
from sqlalchemy import Engine, text

from land.store.boxes import ids_in_tree

BOXES = "[[2.0, 47.0, 2.001, 47.001], [3.0, 47.0, 3.001, 47.001]]"


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.parametrize("tree", ["parcel_box", "building_box", "planning_box"])
def test_each_box_looks_itself_up_in_the_tree(store: Engine, tree: str) -> None:
    """B and D are comparisons that the R*Tree answers; without them the whole of it would be read."""
    with store.connect() as connection:
        plan = connection.execute(text(f"EXPLAIN QUERY PLAN {ids_in_tree(tree)}"), {"boxes": BOXES}).all()
    assert [row.detail for row in plan][-1] == "SCAN found VIRTUAL TABLE INDEX 2:B0D1B2D3"


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_ids_of_all_boxes_are_found(store: Engine) -> None:
    with store.begin() as connection:
        for number, lon in enumerate((2.0005, 2.5, 3.0005)):
            row = {"id": number, "west": lon, "east": lon + 1e-4, "south": 47.0, "north": 47.0001}
            connection.execute(text("INSERT INTO planning_box VALUES (:id, :west, :east, :south, :north)"), row)
        assert set(connection.scalars(text(ids_in_tree("planning_box")), {"boxes": BOXES})) == {0, 2}
