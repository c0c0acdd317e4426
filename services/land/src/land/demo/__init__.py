"""Writes plainly fictional communes of department 00 as files in the publishers' formats, for any loader to read.

One commune is the demo: an old quarter drawn by hand, where each thing is a case (`CASES`), and a generated town. With
more communes or addresses it is a benchmark of any size, written in bounded memory. The same arguments give the same
bytes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from land.demo import quarter
from land.demo.cases import CASES, COMMUNE, Case
from land.demo.files import Writer, open_writer
from land.demo.history import PERMIT_SHARE, SALE_SHARE, permit, sale_rows
from land.demo.names import commune_name
from land.demo.plan import DEPARTMENT, Commune, Ground, Plot, Point, upper_ascii
from land.demo.quarter_history import PERMITS, SALES
from land.demo.settlement import MARGIN_M, grounds, size_m

__all__ = ["CASES", "COMMUNE", "MAX_COMMUNES", "Case", "DemoFiles", "write"]

ADDRESSES_PER_COMMUNE = 600
MAX_COMMUNES = 998
"""Codes 00001 to 00999 without that of the commune that the first one absorbed."""
_LEAST_ADDRESSES = 20


@dataclass(frozen=True)
class DemoFiles:
    """What was written: (source id, path) in an order that loads; and how much of it there is."""

    files: tuple[tuple[str, Path], ...]
    address_count: int
    parcel_count: int

    def __iter__(self) -> Iterator[tuple[str, Path]]:
        return iter(self.files)


def write(folder: Path, communes: int = 1, addresses: int | None = None, seed: int = 1) -> DemoFiles:
    """Writes so many communes with so many addresses in all; the first is the largest, the n-th about 1/n of it.

    Without `addresses`, 600 for each commune. The first commune has its old quarter even where that is more than its
    share, and every other one at least 20. Raises ValueError for more communes than the department has codes.
    """
    if not 1 <= communes <= MAX_COMMUNES:
        raise ValueError(f"communes: {communes} is not between 1 and {MAX_COMMUNES}")
    sizes = _sizes(communes, ADDRESSES_PER_COMMUNE * communes if addresses is None else addresses)
    address_count = parcel_count = 0
    with open_writer(folder) as writer:
        for commune, size in zip(_communes(sizes), sizes, strict=True):
            random = Random(f"{seed} {commune.code}")  # noqa: S311 - reproducible on purpose
            if commune.code == quarter.COMMUNE_CODE:
                _write_quarter_history(writer, commune)
            for ground in grounds(commune, size, random):
                writer.parcels(commune, ground.plots)
                writer.addresses(commune, ground.doors)
                _write_history(writer, commune, ground, parcel_count, random)
                address_count += len(ground.doors)
                parcel_count += len(ground.plots)
    return DemoFiles(tuple(writer.paths), address_count, parcel_count)


def _sizes(communes: int, addresses: int) -> list[int]:
    """Addresses of each commune, as 1, 1/2, 1/3 … of the largest."""
    whole = sum(1 / order for order in range(1, communes + 1))
    others = [max(_LEAST_ADDRESSES, int(addresses / whole / order)) for order in range(2, communes + 1)]
    return [max(_LEAST_ADDRESSES, addresses - sum(others)), *others]


def _communes(sizes: list[int]) -> Iterator[Commune]:
    """The communes on the board, side by side in rows, the first at its origin."""
    numbers = (number for number in range(1, 1000) if f"{DEPARTMENT}{number:03}" != quarter.ABSORBED[0])
    board_width = sum(east * north for east, north in map(size_m, sizes)) ** 0.5
    x = y = 0.0
    row_height = 0.0
    for order, (number, size) in enumerate(zip(numbers, sizes, strict=False), start=1):
        width, height = size_m(size)
        if order == 1:
            yield COMMUNE
        else:
            if x > board_width:
                x, y, row_height = 0.0, y + row_height, 0.0
            postcode = f"{DEPARTMENT}{(100 + number // 3 * 10) % 1000:03}"
            yield Commune(f"{DEPARTMENT}{number:03}", commune_name(order), postcode, (x, y))
        x += width
        row_height = max(row_height, height + MARGIN_M)


def _write_quarter_history(writer: Writer, commune: Commune) -> None:
    for row in SALES:
        writer.sale(commune, row)
    for dataset, permits in PERMITS.items():
        for one in permits:
            writer.permit(commune, dataset, one)


def _write_history(writer: Writer, commune: Commune, ground: Ground, order: int, random: Random) -> None:
    """Sales and permits for some of the generated plots; those drawn by hand have their own."""
    doors = {door.parcel_ids[0]: door for door in ground.doors if door.parcel_ids}
    for place, plot in enumerate(ground.plots, start=order):
        section, number = plot.parcel_id[8:10], int(plot.parcel_id[10:])
        if plot.contenance is None or section in (quarter.SECTION, "ZA", "ZB") or plot.parcel_id[5:8] != "000":
            continue
        if random.random() < SALE_SHARE:
            door = doors.get(plot.parcel_id)
            lon, lat = commune.to_degrees(_middle(plot))
            address = {"longitude": f"{lon:.6f}", "latitude": f"{lat:.6f}"}
            if door:
                address |= {
                    "adresse_numero": str(door.number),
                    "adresse_suffixe": door.suffix[:1].upper(),
                    "adresse_nom_voie": upper_ascii(door.street.name),
                }
            for row in sale_rows(commune, plot.parcel_id, plot.contenance, address, 1000 + place, random):
                writer.sale(commune, row)
        if random.random() < PERMIT_SHARE:
            dataset, one = permit(commune, section, number, plot.contenance, place, random)
            writer.permit(commune, dataset, one)


def _middle(plot: Plot) -> Point:
    ring = plot.parts[0][0]
    return sum(x for x, _ in ring) / len(ring), sum(y for _, y in ring) / len(ring)
