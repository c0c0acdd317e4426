"""Demandes de valeurs foncières, geolocated by Etalab (geo-dvf). `land.datasets.sales.rows` turns its rows into sales.

Format: https://files.data.gouv.fr/geo-dvf, one CSV per year and commune, département or country.
"""

import sys
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path

from land.datasets.parcels import ids as parcels
from land.datasets.partitions import Partition, department_of
from land.datasets.sales.records import DvfRow
from land.errors import SourceError, UnreadableFile
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.files import open_csv
from land.sources.values import commune_code, decimal, is_date, year_in

COLUMNS = (
    "id_mutation", "date_mutation", "numero_disposition", "nature_mutation", "valeur_fonciere", "adresse_numero",
    "adresse_suffixe", "adresse_nom_voie", "code_postal", "code_commune", "nom_commune", "id_parcelle",
    "ancien_id_parcelle", "nombre_lots", "code_type_local", "type_local", "surface_reelle_bati",
    "nombre_pieces_principales", "code_nature_culture", "code_nature_culture_speciale", "surface_terrain", "longitude",
    "latitude", *(f"lot{number}_numero" for number in range(1, 6)),
)  # fmt: skip
YEARS_PUBLISHED = 5
"""Full years before the current one that the publisher keeps."""


def _today() -> date:
    return datetime.now(UTC).date()


class Dvf(FileReader):
    def urls(self, request: PartitionRequest) -> list[str]:
        """One file per year, oldest first. A year without a sale has no file."""
        commune_code = request.commune_code
        department = department_of(commune_code)
        return [
            f"{self._base}/latest/csv/{year}/communes/{department}/{commune_code}.csv"
            for year in range(self.first_year, _today().year + 1)
        ]

    def part_with_gaps(self, url: str) -> str | None:
        """The year. The current one is published in October, so the files of the year before vouch for it."""
        year = url.removeprefix(f"{self._base}/latest/csv/").partition("/")[0]
        return min(year, str(_today().year - 1))

    def wider_urls(self, url: str) -> list[str]:
        """The files of the département and of the country, of the same year."""
        year, department = url.partition("/communes/")[0], url.split("/")[-2]
        return [f"{year}/departements/{department}.csv.gz", f"{year}/full.csv.gz"]

    @property
    def first_year(self) -> int:
        """The first year that the publisher has today."""
        return _today().year - YEARS_PUBLISHED

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[DvfRow]:
        with open_csv(path, report.file, ",") as table:
            for record in report.parse(table.values(report, COLUMNS), _record):
                if selection.includes(record.commune_code):
                    yield Partition(record.commune_code, record.date_mutation[:4]), record
        if not report.row_count:
            raise UnreadableFile(f"{report.file}: no rows, and a year without a sale has no file")

    def edition(self, path: Path, name: str) -> str | None:
        """The year in the address or the name, else that of the first sale."""
        if year := year_in(name):
            return year
        with suppress(SourceError):
            return next((partition.part for partition, _ in self.read(path, ReadReport(name))), None)
        return None


class DvfArchive(Dvf):
    """Files of years that the publisher has withdrawn. The others are loaded as `dvf`, which replaces them."""

    def urls(self, request: PartitionRequest) -> list[str]:
        return []

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[DvfRow]:
        for partition, record in super().read(path, report, selection):
            if int(partition.part) >= self.first_year:
                raise UnreadableFile(f"{report.file}: {partition.part} is published still: import it as dvf")
            yield partition, record


def _record(values: tuple[str, ...]) -> DvfRow:
    """Raises ValueError naming the column that cannot be read."""
    (
        mutation, sold_on, disposition, nature, price, number, suffix, street, postcode, code, commune_name,
        parcel, old_parcel, lot_count, type_code, type_name, built, rooms, culture, special_culture, land,
        lon, lat, *lots,
    ) = values  # fmt: skip
    if not mutation:
        raise ValueError("id_mutation: empty")
    if not is_date(sold_on):
        raise ValueError(f"date_mutation: {sold_on[:20]!r} is no date")
    commune_code("code_commune", code)
    if parcels.parse(parcel) is None:
        raise ValueError(f"id_parcelle: {parcel[:30]!r} is no parcel id")
    return DvfRow(
        commune_code=code,
        id_mutation=mutation,
        date_mutation=sold_on,
        numero_disposition=disposition,
        nature_mutation=nature,
        valeur_fonciere=_number("valeur_fonciere", price),
        adresse_numero=number,
        adresse_suffixe=suffix,
        adresse_nom_voie=street,
        code_postal=postcode,
        nom_commune=commune_name,
        id_parcelle=parcel,
        ancien_id_parcelle=old_parcel,
        nombre_lots=_count("nombre_lots", lot_count) or 0,
        lots=tuple(filter(None, lots)),
        code_type_local=type_code,
        type_local=type_name,
        surface_reelle_bati=_number("surface_reelle_bati", built),
        nombre_pieces_principales=_count("nombre_pieces_principales", rooms),
        code_nature_culture=culture,
        code_nature_culture_speciale=special_culture,
        surface_terrain=_number("surface_terrain", land),
        lon=decimal("longitude", lon, -180, 180, "place"),
        lat=decimal("latitude", lat, -90, 90, "place"),
    )


def _number(column: str, text: str) -> float | None:
    return decimal(column, text, 0, sys.float_info.max, "amount")


def _count(column: str, text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{column}: {text[:20]!r} is no count")
    return int(text)
