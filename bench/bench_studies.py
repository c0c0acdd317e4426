"""Compares the processor time of studies with and without the search for changes. No service runs.

The land is generated: rectangles and L shapes of 300 to 3,000 m², half of them with a house, one in eight with little
or no frontage beside neighbours' parcels on ways. The questions are those of ordinary requests. What is asked as
"{count} lots" is a lot for about 450 m².
"""

import random
import sys
import time
from collections.abc import Sequence
from unittest.mock import patch

from measuring import PROCESSOR, Figures, Measure, Values, parser
from shapely import MultiLineString, Polygon, box

from assistant.assessment.facts import LandFacts
from assistant.division.proposal import NeighbourParcel, Site
from assistant.models.base import Study
from assistant.study import study
from landpartner.land.v1 import land_pb2

STUDIES = 400
WITHOUT, WITH = "without the search", "with the search"
QUESTIONS = (
    "",
    "Puis-je diviser ce terrain ?",
    "Diviser en 2 lots",
    "Diviser en 2 lots",
    "Diviser en 3 lots",
    "Garder la maison avec 500 m² et vendre le reste",
    "Vendre un terrain de 400 m²",
    "Diviser en 4 lots avec une voie commune",
    "Diviser en 6 lots",
    "Diviser en {count} lots",
)
Request = tuple[LandFacts, Site, str]


def request(number: int, chance: random.Random) -> Request:
    width, depth = chance.uniform(12, 45), chance.uniform(25, 70)
    unit = box(0, 0, width, depth)
    if number % 4 == 0:
        unit = Polygon([(0, 0), (width, 0), (width, depth / 2), (width / 2, depth / 2), (width / 2, depth), (0, depth)])
    front, neighbours = MultiLineString([[(0, 0), (width, 0)]]), list[NeighbourParcel]()
    if number % 8 == 0:
        front = MultiLineString([[(0, 0), (3, 0)]] if number % 16 else [])
        for parcel_id, shape in (("east", box(width, -30, width + 25, depth)), ("south", box(0, -30, width, 0))):
            neighbours.append(NeighbourParcel(parcel_id, shape, MultiLineString([shape.exterior.coords[3:]])))
    house = (box(2, 5, 13, 13),) if number % 2 else ()
    question = chance.choice(QUESTIONS).format(count=min(12, max(2, round(unit.area / 450))))
    return facts_of(unit, front, len(house)), Site(unit, front, house, neighbours=tuple(neighbours)), question


def facts_of(unit: Polygon, front: MultiLineString, houses: int) -> LandFacts:
    message = land_pb2.LandUnit(parcel_ids=["45234000AB0012"], is_lineage_known=True)
    message.land.cadastral_area_m2 = message.land.geometric_area_m2 = unit.area
    message.land.frontage_m, message.land.is_contiguous = front.length, True
    message.urbanism.zones.add(label="UB", zone_type="U", overlap_ratio=1.0)
    message.buildings.count, message.buildings.ground_coverage_ratio = houses, 0.1
    for dataset in ("dvf", "gpu-zones", "gpu-prescriptions", "cadastre-buildings"):
        message.coverage.add(dataset=dataset, status=land_pb2.COVERAGE_STATUS_COVERED)
    return LandFacts(message)


def studied(land_facts: LandFacts, site: Site, question: str) -> Study:
    with patch("assistant.study.site_of", return_value=site):
        return study(land_facts, question)


def cost(requests: Sequence[Request]) -> Measure:
    """Measures the processor time of a study, on average."""

    def measure(_: int) -> Values:
        started = time.process_time()
        for land_facts, site, question in requests:
            studied(land_facts, site, question)
        return {PROCESSOR: (time.process_time() - started) * 1_000 / len(requests)}

    return measure


def without(measure: Measure) -> Measure:
    """Measures without the search."""

    def measure_without(number: int) -> Values:
        with patch("assistant.study.changes_of", return_value=()):
            return measure(number)

    return measure_without


def main() -> int:
    options = parser(__doc__).parse_args()
    chance = random.Random(1)  # noqa: S311 (a sample, no secret)
    requests = [request(number, chance) for number in range(40 if options.quick else STUDIES)]
    changed = [one for one in requests if studied(*one).changes]
    figures = Figures.of(options)
    for case, chosen in (("all studies", requests), ("studies with changes", changed)):
        figures.compare(f"{case}, {len(chosen)}", {WITHOUT: without(cost(chosen)), WITH: cost(chosen)})
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
