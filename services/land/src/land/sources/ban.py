"""Base Adresse Nationale: the numbered addresses of `adresses-XX.csv.gz` and of the communes' csv-legacy files.

Format: https://doc.adresse.data.gouv.fr, and `adresses-75.csv.gz` of June 2024.
"""

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

from land.partitions import Partition
from land.records.addresses import AddressRecord
from land.sources.base import Account
from land.sources.files import edition_date, open_csv
from land.sources.selection import Selection, is_commune_code

COLUMNS = (
    "id",
    "numero",
    "rep",
    "nom_voie",
    "code_postal",
    "code_insee",
    "nom_commune",
    "code_insee_ancienne_commune",
    "nom_ancienne_commune",
    "lon",
    "lat",
    "type_position",
    "alias",
    "nom_ld",
    "libelle_acheminement",
    "nom_afnor",
    "certification_commune",
    "cad_parcelles",
)
MAX_LON = 180.0
MAX_LAT = 90.0


class Ban:
    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")

    def urls(self, commune_code: str) -> list[str]:
        return [f"{self._base}/ban/communes/{commune_code}/download/csv-legacy/adresses"]

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, AddressRecord]]:
        selection = Selection(commune, department)
        units: dict[str, Partition | None] = {}
        with open_csv(path, account.file, ";") as table:
            pick = itemgetter(*table.positions(COLUMNS))
            commune_of = itemgetter(*table.positions(("code_insee",)))
            for row in table.rows(account):
                code = commune_of(row)
                try:
                    unit = units[code]
                except KeyError:
                    if not is_commune_code(code):
                        account.reject(table.line, f"code_insee: {code[:20]!r} is no commune code")
                        continue
                    unit = units[code] = Partition(code) if selection.includes(code) else None
                if unit is not None:
                    try:
                        record = _record(pick(row))
                    except ValueError as error:
                        account.reject(table.line, str(error))
                    else:
                        yield unit, record

    def edition(self, path: Path, name: str) -> str | None:
        """The date in the name, or in the address of a kept edition; the rows have none."""
        return edition_date(name)


def _record(values: tuple[str, ...]) -> AddressRecord:
    """One row's address. Raises ValueError naming the column that cannot be read."""
    (
        address_id, number, suffix, street_name, postcode, commune_code, commune_name, old_code, old_name,
        lon, lat, position, alias, locality, post_office, afnor, certified, parcels,
    ) = values  # fmt: skip
    parts = address_id.split("_", 2)
    if len(parts) < 3 or not parts[1]:  # noqa: PLR2004 - commune, street, number
        raise ValueError(f"id: {address_id[:40]!r} is no interoperability key")
    if not (number.isascii() and number.isdigit()):
        raise ValueError(f"numero: {number[:20]!r} is no number")
    if not street_name and not locality:
        raise ValueError("nom_voie: empty")
    x, y = coordinates(lon, lat)
    return AddressRecord(
        commune_code, address_id, f"{parts[0]}_{parts[1]}", int(number), suffix.lower(), street_name, afnor, alias,
        locality, postcode, commune_name, post_office, old_code, old_name, x, y, position, certified == "1", parcels,
    )  # fmt: skip


def coordinates(lon: str, lat: str) -> tuple[float | None, float | None]:
    """Degrees, or None for both where both are empty. Raises ValueError where they are no place of this world."""
    if not lon and not lat:
        return None, None
    try:
        x, y = float(lon), float(lat)
    except ValueError:
        raise ValueError(f"lon, lat: {lon[:20]!r}, {lat[:20]!r} are no coordinates") from None
    if not (-MAX_LON <= x <= MAX_LON and -MAX_LAT <= y <= MAX_LAT):
        raise ValueError(f"lon, lat: {x}, {y} lie outside the world")
    return x, y
