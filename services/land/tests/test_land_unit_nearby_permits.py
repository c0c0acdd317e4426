"""Permits of neighbours in the block `land`."""

from land_builders import COMMUNE, land_unit, load, parcel, permit, reference, square
from sqlalchemy import Engine

from land.rpc.messages import land_unit as message_of

LOT = f"{COMMUNE}000AB0001"


def test_permits_of_neighbours_have_distance_and_times(store: Engine) -> None:
    plan = [parcel(1, square(0, 0)), parcel(2, square(30, 0)), parcel(3, square(60, 0)), parcel(4, square(221, 0))]
    load(store, "cadastre-parcels", COMMUNE, plan)
    works = {"date_reelle_doc": "2023-03-02", "date_reelle_daact": "2024-01-01"}
    permits = [
        permit("own", reference("0001")),
        permit("shared", reference("0001"), reference("0002")),
        permit("near", reference("0003"), reference("0002"), date_reelle_autorisation="2023-01-01", **works),
        permit("undated", reference("0002"), date_reelle_doc="2020-01-01"),
        permit("far", reference("0004")),
    ]
    load(store, "sitadel-housing", COMMUNE, permits)
    nearby = message_of(land_unit(store, LOT)).land.nearby_authorizations
    assert (nearby.count, nearby.median_days_to_start, nearby.median_days_to_completion) == (2, 60, 365)
    assert [
        (item.authorization.num_dau, item.authorization.parcelle_id[-4:], item.distance_m, item.days_to_start)
        for item in nearby.items
        if item.HasField("days_to_start")
    ] == [("near", "0002", 10.0, 60)]
    assert "undated" in [item.authorization.num_dau for item in nearby.items], "a start before the decision has no days"


def test_without_permits_nothing_is_known_of_neighbours(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    assert not message_of(land_unit(store, LOT)).land.HasField("nearby_authorizations")
