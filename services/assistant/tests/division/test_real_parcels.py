"""The properties of divisions of real parcels in a city and a suburb."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.division.proposal import Division, Site
from assistant.division.site import site_of
from assistant.project import Project
from landpartner.land.v1 import land_pb2

Checked = Callable[[Site, Project | int], Division]


@pytest.mark.samples
@pytest.mark.parametrize(("commune", "step"), [("91216", 12), ("75118", 21)])
def test_the_parcels_of_a_commune(
    sample_data: Path,
    read_parcels: Callable[[Path, int], Iterator[land_pb2.LandUnit]],
    checked: Checked,
    commune: str,
    step: int,
) -> None:
    methods: Counter[str] = Counter()
    path = sample_data / "cadastre" / f"cadastre-{commune}-parcelles.json.gz"
    for number, unit in enumerate(read_parcels(path, step)):
        site = site_of(unit)
        assert site is not None
        division = checked(site, 2 + number % 3)
        methods["all"] += 1
        methods["drawn"] += bool(division.proposals)
        methods["reached"] += any(
            lot.access in ("frontage", "strip") for proposal in division.proposals for lot in proposal.lots
        )
    assert methods["all"] > 300
    assert methods["drawn"] > methods["all"] / 5, methods
    assert methods["reached"] == methods["drawn"], methods  # no lots without an access are drawn
