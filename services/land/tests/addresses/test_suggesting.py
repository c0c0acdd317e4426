"""Suggestions for texts that are being typed, on both stores."""

from collections.abc import Sequence

import pytest
from land_builders import COMMUNE, address, load, lon_lat
from sqlalchemy import Engine, func, select

from land.addresses.model import Address
from land.addresses.place_index import Point
from land.addresses.suggesting import Typed
from land.addresses.typed_text import readings
from land.datasets.addresses.records import LocalityRecord
from land.datasets.addresses.street_queries import street_start
from land.pipeline import Pipeline

NEIGHBOUR = "18998"
OTHERS = {"commune": NEIGHBOUR, "city": "Saint-Denis-des-Prés", "postcode": "18901"}
FAR = (60_000, 0)


@pytest.fixture
def pipeline(store: Engine) -> Pipeline:
    records = [
        address(12, "Rue de la Paix", (0, 0)),
        address(12, "Avenue du Général Leclerc", (50, 0), suffix="bis"),
        address(8, "Rue du 8 Mai 1945", (0, 50)),
        address(3, "Rue de l'Église", (0, 80)),
    ]
    there = [address(5, "Rue de la Paix", FAR, **OTHERS), address(7, "Square Stalingrad", FAR, **OTHERS)]
    load(store, "ban", COMMUNE, records)
    load(store, "ban", NEIGHBOUR, there)
    place = LocalityRecord(
        commune_code=COMMUNE, id=f"{COMMUNE}_b012", name="Le Moulin", postcode="18900",
        commune_name="Trifouillis-sur-Cher", old_commune_name="", lon=2.0, lat=47.0,
    )  # fmt: skip
    load(store, "ban-localities", COMMUNE, [place])
    return Pipeline(store)


def suggested(
    pipeline: Pipeline, text: str, near: Point | None = None, code: str = "", limit: int = 5
) -> list[Address]:
    return pipeline.suggest_addresses(Typed(text, limit, near, code), "all")


PAIX_HERE, PAIX_THERE = "Rue de la Paix, 18900 Trifouillis-sur-Cher", "Rue de la Paix, 18901 Saint-Denis-des-Prés"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("rue de la pa", PAIX_HERE),
        ("PAIX", PAIX_HERE),
        ("12 rue de la paix", f"12 {PAIX_HERE}"),
        ("rue de la paix 12", f"12 {PAIX_HERE}"),
        ("99 rue de la paix trif", PAIX_HERE),
        ("rue de la paix saint den", PAIX_THERE),
        ("rue de la paix 18901", PAIX_THERE),
        ("18901 st denis rue de la p", PAIX_THERE),
        ("st denis des prés rue pa", PAIX_THERE),
        ("12 bis av gal lec", "12 bis Avenue du Général Leclerc, 18900 Trifouillis-sur-Cher"),
        ("leclerc", "Avenue du Général Leclerc, 18900 Trifouillis-sur-Cher"),
        ("8 mai", "Rue du 8 Mai 1945, 18900 Trifouillis-sur-Cher"),
        ("8 rue du huit mai 1945", "8 Rue du 8 Mai 1945, 18900 Trifouillis-sur-Cher"),
        ("rue de l'egl", "Rue de l'Église, 18900 Trifouillis-sur-Cher"),
        ("sq st", "Square Stalingrad, 18901 Saint-Denis-des-Prés"),
        ("moul", "Le Moulin, 18900 Trifouillis-sur-Cher"),
        ("trifou", "18900 Trifouillis-sur-Cher"),
        ("18901", "18901 Saint-Denis-des-Prés"),
        ("stalimgrad", "Square Stalingrad, 18901 Saint-Denis-des-Prés"),
        ("tsalingrad", "Square Stalingrad, 18901 Saint-Denis-des-Prés"),
        ("zrifouill", "18900 Trifouillis-sur-Cher"),
        ("saint denos des p", "18901 Saint-Denis-des-Prés"),
        ("12 rue de la paix rtifouill", f"12 {PAIX_HERE}"),
        ("7 sqaure stalingrad", "7 Square Stalingrad, 18901 Saint-Denis-des-Prés"),
        ("rue de la paix trifouilis sur cher", PAIX_HERE),
    ],
)
def test_the_first_suggestion(pipeline: Pipeline, text: str, first: str) -> None:
    assert [suggestion.label for suggestion in suggested(pipeline, text)][:1] == [first]


def test_a_whole_name_comes_before_names_with_more_words(store: Engine) -> None:
    longer = [address(number, "Rue Vieille du Temple", (0, number)) for number in range(1, 60)]
    load(store, "ban", COMMUNE, [address(1, "Rue du Temple", (0, 0)), *longer])
    for text in ("rue du temple", "temple", "rue du temp"):
        names = [suggestion.street for suggestion in suggested(Pipeline(store), text)]
        assert names == ["Rue du Temple", "Rue Vieille du Temple"]


def test_a_type_alone_gives_streets_of_the_commune(pipeline: Pipeline) -> None:
    assert len(suggested(pipeline, "rue", code=COMMUNE)) == 3
    assert suggested(pipeline, "rue") == []
    assert labels(suggested(pipeline, "sq 18901")) == ["Square Stalingrad, 18901 Saint-Denis-des-Prés"]


@pytest.mark.parametrize("text", ["", " ", "!?", "12", "xyzzyx", "\0", "a" * 1_000, "12 " * 400, "rue " * 60])
def test_a_text_without_a_suggestion(pipeline: Pipeline, text: str) -> None:
    assert suggested(pipeline, text) == []


def labels(addresses: Sequence[Address]) -> list[str]:
    return [suggested_address.label for suggested_address in addresses]


def test_near_and_chosen_communes_come_first(pipeline: Pipeline) -> None:
    lon, lat = lon_lat(*FAR)
    assert labels(suggested(pipeline, "rue de la paix")) == [PAIX_HERE, PAIX_THERE]
    assert labels(suggested(pipeline, "rue de la paix", near=Point(lat, lon))) == [PAIX_THERE, PAIX_HERE]
    assert labels(suggested(pipeline, "rue de la paix", code=NEIGHBOUR)) == [PAIX_THERE, PAIX_HERE]
    assert labels(suggested(pipeline, "rue de la paix", limit=1)) == [PAIX_HERE]


def test_a_suggestion_is_an_address(pipeline: Pipeline) -> None:
    (number,) = suggested(pipeline, "12 bis avenue du general lec", limit=1)
    street = suggested(pipeline, "avenue du general lec")[0]
    place = suggested(pipeline, "moulin")[0]
    commune = suggested(pipeline, "trifouillis")[0]
    assert [suggestion.type for suggestion in (number, street, place, commune)] == [
        "housenumber",
        "street",
        "locality",
        "municipality",
    ]
    assert (number.number, number.street, number.postcode) == ("12 bis", "Avenue du Général Leclerc", "18900")
    assert number.latitude is not None
    assert commune.id == COMMUNE


def test_a_load_replaces_the_starts(store: Engine, pipeline: Pipeline) -> None:
    assert suggested(pipeline, "leclerc")
    load(store, "ban", COMMUNE, [address(1, "Rue Neuve", (0, 0))], edition="e2")
    assert not suggested(pipeline, "leclerc")
    assert labels(suggested(pipeline, "neuve")) == ["Rue Neuve, 18900 Trifouillis-sur-Cher"]
    with store.connect() as connection:
        counts = select(street_start.c.commune_code, func.count()).group_by(street_start.c.commune_code)
        assert dict(map(tuple, connection.execute(counts))) == {COMMUNE: 2, NEIGHBOUR: 2}


def test_readings_are_bounded() -> None:
    assert max(len(readings(" ".join([word] * 500))) for word in ("75018", "1", "rue", "st", "é")) <= 16
