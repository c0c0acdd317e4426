"""Altitudes at points in parcels, as a geographic information system samples them from a published terrain model.

Format: CSV with commas, one row for each point, in the columns COLUMNS. Longitude and latitude are WGS 84. The altitude
-99999, as the altimetry service writes it, means that there is none.
"""

from pathlib import Path

from land.datasets.parcels import ids as parcels
from land.datasets.partitions import Partition
from land.datasets.relief.records import AltitudeRecord
from land.sources.base import ALL, CommuneFilter, FileReader, ReadReport, Records
from land.sources.files import open_csv
from land.sources.values import check, coordinates, given

COLUMNS = ("parcel_id", "longitude", "latitude", "altitude_m")
NO_DATA = -99_999.0
MIN_ALTITUDE_M, MAX_ALTITUDE_M = -500.0, 9_000.0


def altitude(value: float) -> float | None:
    """None for NO_DATA. Raises ValueError for what is no altitude."""
    if value == NO_DATA:
        return None
    check(MIN_ALTITUDE_M <= value <= MAX_ALTITUDE_M, f"altitude: {value} m")
    return value


class Altimetry(FileReader):
    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[AltitudeRecord]:
        with open_csv(path, report.file, ",") as table:
            for record in report.parse(table.values(report, COLUMNS), _record):
                commune = parcels.commune_of(record.parcel_id)
                if selection.includes(commune):
                    yield Partition(commune), record


def _record(values: tuple[str, ...]) -> AltitudeRecord:
    """Raises ValueError naming the column that cannot be read."""
    parcel_id, longitude, latitude, altitude_m = map(str.strip, values)
    check(parcels.is_id(parcel_id), f"parcel_id: {parcel_id[:20]!r} is no parcel id")
    lon, lat = (given(axis, f"{parcel_id}: no coordinates") for axis in coordinates(longitude, latitude))
    try:
        return AltitudeRecord(parcel_id, lon, lat, altitude(float(altitude_m)))
    except ValueError:
        raise ValueError(f"{parcel_id}: altitude_m: {altitude_m[:20]!r} is no altitude") from None
