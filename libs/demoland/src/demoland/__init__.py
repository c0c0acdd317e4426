"""Writes plainly fictional communes of department 00 as files in the publishers' formats, for any loader to read.

One commune is the demo: an old quarter drawn by hand, where each thing is a case (`CASES`), and a generated town. With
more communes or addresses it is a benchmark of any size, up to that of France, written in bounded memory; with a region
its communes and streets are named as they are there. The same arguments give the same bytes.

Real commune codes have three digits after the department. Those of the demo that are too many for that, and those of
regions, have a letter among them, so that nothing can take them for real. Parcel ids have no room for such a letter, so
there these communes have addresses only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from demoland import houses, quarter
from demoland.cases import CASES, COMMUNE, Case
from demoland.communes import MAX_WHOLE_COMMUNES, places
from demoland.files import Writer, open_writer
from demoland.history import PERMIT_SHARE, SALE_SHARE, permit, sale_rows
from demoland.plan import DEPARTMENT, Commune, Ground, Plot, Point, upper_ascii
from demoland.quarter_history import PERMITS, SALES
from demoland.quarter_planning import PRESCRIPTIONS, ZONES, Extent, zones_of_town
from demoland.settlement import FIELD_SECTION, grounds
from demoland.vocabularies import VOCABULARIES, Region

__all__ = ["CASES", "COMMUNE", "EDITION", "MAX_WHOLE_COMMUNES", "Case", "DemoFiles", "Region", "write"]

ADDRESSES_PER_COMMUNE = 600
EDITION = "2026-01-01"
"""Of the demo: the day that it is set on."""


@dataclass(frozen=True)
class DemoFiles:
    """What was written: (source id, path) in an order that loads; and how much of it there is."""

    files: tuple[tuple[str, Path], ...]
    address_count: int
    parcel_count: int

    def __iter__(self) -> Iterator[tuple[str, Path]]:
        return iter(self.files)


def write(
    folder: Path,
    communes: int = 1,
    addresses: int | None = None,
    seed: int = 1,
    region: Region = "mainland",
    *,
    addresses_only: bool = False,
) -> DemoFiles:
    """Writes so many communes with so many addresses in all; the first is the largest, the n-th about 1/n of it.

    Without `addresses`, 600 for each commune. The first commune has its old quarter even where that is more than its
    share, and every other one at least 20. Communes of another region than the mainland, and more than 998 of them,
    have addresses only, and so have all with `addresses_only`: then their streets are named as frequently as real ones.
    Raises ValueError for more communes than there are codes.
    """
    wanted = ADDRESSES_PER_COMMUNE * communes if addresses is None else addresses
    is_whole = region == "mainland" and communes <= MAX_WHOLE_COMMUNES and not addresses_only
    address_count = parcel_count = 0
    found = places(communes, wanted, region, is_varied=not is_whole)
    with open_writer(folder, f"{DEPARTMENT}{VOCABULARIES[region].letter}", is_whole=is_whole) as writer:
        for place in found:
            commune = place.commune
            random = Random(f"{seed} {commune.code}")  # noqa: S311 - reproducible on purpose
            built = Random(f"{seed} {commune.code} buildings")  # noqa: S311
            if is_whole and commune.code == quarter.COMMUNE_CODE:
                _write_quarter_history(writer, commune)
                writer.buildings(commune, houses.by_hand())
                writer.planning(commune, ZONES, PRESCRIPTIONS)
                writer.commune(*quarter.ABSORBED, is_deleted=True)
            town, fields = Extent(), Extent()
            for ground in grounds(commune, place.addresses, place.vocabulary, random, is_varied=not is_whole):
                writer.addresses(commune, ground.doors)
                address_count += len(ground.doors)
                if is_whole:
                    writer.parcels(commune, ground.plots)
                    writer.buildings(commune, houses.on_lots(filter(_is_in_town, ground.plots), built))
                    _write_history(writer, commune, ground, parcel_count, random)
                    parcel_count += len(ground.plots)
                    town.add([plot for plot in ground.plots if _is_in_town(plot)])
                    fields.add([plot for plot in ground.plots if plot.parcel_id[8:10] == FIELD_SECTION])
            if is_whole:
                writer.planning(commune, zones_of_town(town, fields), ())
                writer.document(commune)
                writer.commune(commune.code, commune.name)
    return DemoFiles(tuple(writer.paths), address_count, parcel_count)


def _write_quarter_history(writer: Writer, commune: Commune) -> None:
    plots = {plot.parcel_id: plot for plot in quarter.draw().plots if plot.parts}
    for row in SALES:
        plot = plots.get(str(row["id_parcelle"]))
        writer.sale(commune, {**row, **_place(commune, plot)} if plot else row)
    for dataset, permits in PERMITS.items():
        for one in permits:
            writer.permit(commune, dataset, one)


def _write_history(writer: Writer, commune: Commune, ground: Ground, order: int, random: Random) -> None:
    """Sales and permits for some of the generated plots; those drawn by hand have their own."""
    doors = {door.parcel_ids[0]: door for door in ground.doors if door.parcel_ids}
    for place, plot in enumerate(ground.plots, start=order):
        section, number = plot.parcel_id[8:10], int(plot.parcel_id[10:])
        if not _is_in_town(plot) or plot.contenance is None:
            continue
        if random.random() < SALE_SHARE:
            door = doors.get(plot.parcel_id)
            address = _place(commune, plot)
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


def _is_in_town(plot: Plot) -> bool:
    """Whether it was generated, and is no field."""
    return plot.parcel_id[8:10] not in (quarter.SECTION, "ZA", FIELD_SECTION) and plot.parcel_id[5:8] == "000"


def _place(commune: Commune, plot: Plot) -> dict[str, str]:
    lon, lat = commune.to_degrees(_middle(plot))
    return {"longitude": f"{lon:.6f}", "latitude": f"{lat:.6f}"}


def _middle(plot: Plot) -> Point:
    ring = plot.parts[0][0]
    return sum(x for x, _ in ring) / len(ring), sum(y for _, y in ring) / len(ring)
