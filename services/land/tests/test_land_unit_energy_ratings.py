"""Energy ratings of a land unit: which ones join, and by which id."""

from collections.abc import Mapping
from typing import Any

import pytest
from land_builders import COMMUNE, address, building, coverage, land_unit, load, lon_lat, parcel, square, unit_of
from land_replica import Replica
from published_files import COMMUNE as BOURGES
from published_files import parcel_id, rating, ratings_file
from publishers import Publishers
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.datasets.energy.records import RatingCountRecord, RatingRecord
from land.rpc import messages
from land.selection import Selection
from land.units.energy_ratings import EnergyRatings
from land.units.model import LandUnit
from servicekit.context import deadline

ONE, TWO = f"{COMMUNE}000AB0001", f"{COMMUNE}000AB0002"
STREET = f"{COMMUNE}_0001"
HOUSE, OTHER_HOUSE = "AAAA1111BBBB", "CCCC2222DDDD"


def diagnosis(
    number: int, at: tuple[float, float] = (10, 10), house_number: int = 0, day: str = "2024-03-04", **changes: Any
) -> RatingRecord:
    lon, lat = lon_lat(*at)
    rating = RatingCountRecord(
        lat=lat, lon=lon, place=0, rnb_id="", street_id=STREET if house_number else "", house_number=house_number,
        suffix="", is_placed=True, energy="D", greenhouse_gas="B", rating_count=1, oldest_on=day, newest_on=day,
    )  # fmt: skip
    return RatingRecord(number=f"2418E{number:07}A", replaced_number="", rating=rating._replace(**changes))


def ratings(store: Engine, *records: RatingRecord) -> EnergyRatings | None:
    load(store, "dpe", COMMUNE, records, part="existing")
    unit = land_unit(store, ONE, blocks=["buildings"])
    assert coverage(unit)["dpe"] == ("covered", None)
    return unit.energy_ratings


@pytest.fixture
def lots(store: Engine) -> Engine:
    """A house on each of two parcels, of which the register knows the first and places it by half on both."""
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    load(
        store,
        "cadastre-buildings",
        COMMUNE,
        [building("house", square(2, 2, 10, 10)), building("x", square(25, 2, 8, 8))],
    )
    named = [
        address(1, "Rue A", (10, -3), street_id=STREET, parcel_ids=ONE),
        address(2, "Rue A", (10, 5), street_id=STREET),
        address(3, "Rue A", (18, -3), street_id=STREET, parcel_ids=f"{ONE}|{TWO}"),
        address(4, "Rue A", (15, 5), street_id=STREET, parcel_ids=f"{ONE}|{TWO}"),
        address(5, "Rue A", (30, -3), street_id=STREET, parcel_ids=TWO),
    ]
    load(store, "ban", COMMUNE, named)
    return store


@pytest.mark.parametrize(
    ("record", "joined_by"),
    [
        (diagnosis(1, house_number=1), {"ban_id": 1}),
        (diagnosis(1, house_number=2, is_placed=False), {"ban_id": 1}),
        (diagnosis(1, house_number=3), None),  # declared for both parcels, and on neither
        (diagnosis(1, house_number=4), {"ban_id": 1}),  # declared for both, on this one
        (diagnosis(1, house_number=5), None),
        (diagnosis(1, house_number=99), {"address_point": 1}),  # not in the address file
        (diagnosis(1), {"address_point": 1}),
        (diagnosis(1, is_placed=False), None),
        (diagnosis(1, at=(30, 10)), None),
        (diagnosis(1, rnb_id=HOUSE, house_number=1), {"ban_id": 1}),  # the register is not loaded
    ],
)
def test_a_rating_joins_by_address(lots: Engine, record: RatingRecord, joined_by: Mapping[str, int] | None) -> None:
    block = ratings(lots, record)
    assert (block.joined_by if block else None) == joined_by


@pytest.mark.parametrize(
    ("plots", "record", "joined_by"),
    [
        (f"{ONE}:1.0", diagnosis(1, rnb_id=HOUSE, house_number=5), {"rnb_id": 1}),
        (f"{ONE}:0.4|{TWO}:0.6", diagnosis(1, rnb_id=HOUSE, house_number=1), None),
        ("", diagnosis(1, rnb_id=HOUSE), {"rnb_id": 1}),
        (f"{ONE}:1.0", diagnosis(1, rnb_id=OTHER_HOUSE, house_number=1), None),  # the register has it elsewhere
        (f"{ONE}:1.0", diagnosis(1, house_number=1), {"ban_id": 1}),
    ],
)
def test_the_register_of_buildings_decides_first(
    lots: Engine, plots: str, record: RatingRecord, joined_by: Mapping[str, int] | None
) -> None:
    house = building(HOUSE, square(2, 2, 10, 10), partition="18", rnb_ids=HOUSE, plots=plots)
    load(lots, "rnb", "18", [house])
    block = ratings(lots, record)
    assert (block.joined_by if block else None) == joined_by


def test_ratings_are_counted_by_letter(lots: Engine) -> None:
    block = ratings(
        lots,
        diagnosis(1, house_number=1),
        diagnosis(2, house_number=1, day="2022-01-02", energy="F"),
        diagnosis(3, energy="", greenhouse_gas="A"),
        diagnosis(4, house_number=5),
    )
    assert block is not None
    assert (block.count, block.energy, block.greenhouse_gas) == (3, {"D": 1, "F": 1}, {"A": 1, "B": 2})
    assert (block.oldest_on, block.newest_on) == ("2022-01-02", "2024-03-04")
    assert block.joined_by == {"ban_id": 2, "address_point": 1}
    unit = land_unit(lots, ONE, blocks=["buildings"])
    message = messages.land_unit(unit).buildings.energy_ratings
    assert [(count.letter, count.count) for count in message.energy] == [("D", 1), ("F", 1)]
    assert [(join.join, join.count) for join in message.joined_by] == [("ban_id", 2), ("address_point", 1)]
    assert "dpe" in {source.id for source in unit.sources}


def test_without_the_dataset_nothing_is_said(lots: Engine) -> None:
    unit = land_unit(lots, ONE, blocks=["buildings"])
    assert unit.energy_ratings is None
    assert coverage(unit)["dpe"] == ("not_loaded", "not_loaded")
    assert "dpe" not in coverage(land_unit(lots, ONE, blocks=["land"]))


def land_unit_of(replica: Replica) -> LandUnit:
    with deadline(60.0):
        selection = Selection(AddressQuery(), [parcel_id(1)])
        return unit_of(replica.pipeline, selection, ["buildings"], "all")


def test_ratings_load_in_the_background_in_pages(replica: Replica, publishers: Publishers) -> None:
    many = [rating(1, numero_dpe=f"2418E{number:07}A") for number in range(5)]
    publishers.files["/dpe/dpe03existant/lines"] = ratings_file([*many, rating(2, numero_dpe="2418E0000009Z")])
    publishers.max_page_features = 2
    publishers.set_mode("/dpe", "hanging")
    first = land_unit_of(replica)
    assert coverage(first)["dpe"][0] == "loading"
    assert first.buildings is not None  # the other datasets do not wait
    publishers.modes.clear()
    publishers.released.set()
    assert set(replica.on_demand.load(replica.on_demand.keys(BOURGES), 60.0).values()) == {"loaded"}
    block = land_unit_of(replica).energy_ratings
    assert block is not None
    assert block.count == 5
    assert publishers.counts()["/dpe/dpe03existant/lines"] == 3
    assert publishers.counts()["/dpe/dpe02neuf/lines"] == 1
