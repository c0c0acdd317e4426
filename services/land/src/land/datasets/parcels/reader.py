"""The cadastre as Etalab publishes it: parcels and the territories of communes.

Format: https://cadastre.data.gouv.fr/datasets/cadastre-etalab. Each layer has one GeoJSON file per commune or
département, often with one line only.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import shapely

from land.datasets import territory
from land.datasets.grouping import last_of_each
from land.datasets.parcels import ids as parcels
from land.datasets.parcels.records import ParcelRecord, TerritoryRecord
from land.datasets.partitions import department_of
from land.errors import UnreadableFile
from land.sources.base import ALL, MAX_DEFECTS, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.geometry import ParsedPolygon, parse_polygons
from land.sources.json_files import geometry_of, read_feature_collection
from land.sources.values import check, commune_code, day_of, given

BATCH = 500
"""Features whose geometries are checked together. The garbage collector visits larger batches several times."""
MAX_AREA_M2 = 10**9
"""More than any commune has on land."""


class LayerFeature(NamedTuple):
    feature: Any
    """As published."""
    polygon: ParsedPolygon


class CadastreLayer(FileReader):
    """What the readers of the layers share.

    The edition is the date in the address that `latest` redirects to: dates of features are those of single changes.
    """

    LAYER: str
    """The layer's name in the names of its files."""

    def urls(self, request: PartitionRequest) -> list[str]:
        commune = request.commune_code
        folder = f"{self._base}/latest/geojson/communes/{department_of(commune)}/{commune}"
        return [f"{folder}/cadastre-{commune}-{self.LAYER}.json.gz"]

    def part_with_gaps(self, url: str) -> str | None:
        return ""


class CadastreParcels(CadastreLayer):
    LAYER = "parcelles"

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[ParcelRecord]:
        seen: dict[str, set[str]] = {}  # of the commune that is read: a file has one commune after the other

        def parcel(feature: LayerFeature) -> ParcelRecord:
            record = _parcel(*feature, report)
            if record.commune_code not in seen:
                seen.clear()
            ids = seen.setdefault(record.commune_code, set())
            if record.parcel_id in ids:
                raise ValueError(f"id: {record.parcel_id} is in an earlier row, which is kept")
            ids.add(record.parcel_id)
            return record

        yield from selection.select(report.parse(chain.from_iterable(read_batches(path, report)), parcel))
        unreadable = report.unknown_values["geometry"]
        if unreadable > max(MAX_DEFECTS, report.row_count / 2):
            raise UnreadableFile(f"{report.file}: {unreadable} outlines of {report.row_count} cannot be read")


class CadastreCommunes(CadastreLayer):
    """Territories of communes as the plan draws them. The parcels of a plan end at its commune's border."""

    LAYER = "communes"

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[TerritoryRecord]:
        features = chain.from_iterable(read_batches(path, report))
        return selection.select(report.parse(features, lambda feature: _territory(*feature)))


def read_batches(path: Path, report: ReadReport) -> Iterator[Sequence[tuple[int, LayerFeature]]]:
    """The features of a file with their positions, in batches, counted in the report. Raises as
    `read_feature_collection`.
    """
    features = report.number(read_feature_collection(path, report.file))
    while batch := list(islice(features, BATCH)):
        polygons = parse_polygons([geometry_of(feature) for _, feature in batch])
        yield [
            (position, LayerFeature(feature, polygon))
            for (position, feature), polygon in zip(batch, polygons, strict=True)
        ]


def properties_of(feature: Any) -> dict[str, Any]:
    """The feature's properties. Raises ValueError if it has none."""
    properties = feature.get("properties") if isinstance(feature, dict) else None
    if not isinstance(properties, dict):
        raise ValueError("not a feature with properties")
    return properties


def _parcel(feature: Any, polygon: ParsedPolygon, report: ReadReport) -> ParcelRecord:
    """Raises ValueError if the id cannot be read. Only an outline or an area that cannot be read is left out, because
    without its row the parcel would count as one that does not exist.
    """
    properties = properties_of(feature)
    parcel = _parcel_id(feature, properties)
    wkb, is_repaired, error = polygon
    contenance = properties.get("contenance")
    if error:
        report.unknown_values["geometry"] += 1
    if not _is_area(contenance):
        report.unknown_values["contenance"] += 1
    is_surveyed = properties.get("arpente")
    return ParcelRecord(
        parcel[:5], parcel, parcel[5:8], parcel[8:10], parcel[10:],
        round(contenance or 0) or None if _is_area(contenance) else None,  # 0 is unknown: it is in the Livre foncier
        is_surveyed if isinstance(is_surveyed, bool) else None,
        day_of(properties.get("created")), day_of(properties.get("updated")), wkb, is_repaired,
    )  # fmt: skip


def _parcel_id(feature: dict[str, Any], properties: dict[str, Any]) -> str:
    """The parcel's id, compared with its parts in other properties, which are published without leading zeros."""
    commune, section, number = properties.get("commune"), properties.get("section"), properties.get("numero")
    built = None
    if commune and section and number:
        prefix = str(properties.get("prefixe") or "")
        built = f"{commune}{prefix:0>3}{section:0>2}{number:0>4}".upper()
    published = properties.get("id") or built or feature.get("id")
    parcel = published.upper() if isinstance(published, str) else ""
    check(parcels.is_id(parcel), f"id: {str(published)[:30]!r} is no parcel id")
    if built not in (None, parcel):
        raise ValueError(f"id: {parcel} disagrees with its parts, {built[:30]}")
    return parcel


def _is_area(contenance: Any) -> bool:
    return contenance is None or (type(contenance) in (int, float) and 0 <= contenance <= MAX_AREA_M2)


def _territory(feature: Any, polygon: ParsedPolygon) -> TerritoryRecord:
    """Raises ValueError naming the property that cannot be read."""
    code = commune_code("id", properties_of(feature).get("id"))
    outline = given(polygon.wkb, f"{code}: {polygon.error or 'geometry: a commune without an outline'}")
    return TerritoryRecord(code, polygon.is_repaired, outline)


AREA_DECIMALS = 1


def parcel_rows(records: Sequence[ParcelRecord]) -> Iterator[ParcelRecord]:
    """The parcels of one commune, each once, in order of id, with `geometric_area_m2` of those that have an outline."""
    rows = last_of_each(records, "parcel_id")
    rows_with_outline = [row for row in rows if row.geometry is not None]
    areas = iter(territory.ground_areas(shapely.from_wkb([row.geometry for row in rows_with_outline])))
    for row in rows:  # _replace takes twice as long
        yield row if row.geometry is None else ParcelRecord(*row[:-1], round(next(areas), AREA_DECIMALS))
