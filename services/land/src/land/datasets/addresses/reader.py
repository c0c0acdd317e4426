"""Base Adresse Nationale: addresses with a number, and lieux-dits, which are named places without numbers.

Format: https://doc.adresse.data.gouv.fr, `adresses-75.csv.gz` of June 2024 and `lieux-dits-XX-beta.csv.gz`, and the
csv-legacy files of single communes.
"""

from pathlib import Path

from land.datasets.addresses.records import AddressRecord, LocalityRecord
from land.datasets.partitions import Partition
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.files import open_csv
from land.sources.values import check, commune_code, coordinates

ADDRESS_COLUMNS = (
    "id", "numero", "rep", "nom_voie", "code_postal", "code_insee", "nom_commune", "nom_ancienne_commune", "lon", "lat",
    "alias", "nom_ld", "nom_afnor", "certification_commune", "cad_parcelles",
)  # fmt: skip
_COMMUNE = ADDRESS_COLUMNS.index("code_insee")
LOCALITY_COLUMNS = (
    "id", "nom_lieu_dit", "code_postal", "code_insee", "nom_commune", "nom_ancienne_commune", "lon", "lat",
)  # fmt: skip


class BanAddresses(FileReader):
    def urls(self, request: PartitionRequest) -> list[str]:
        return [f"{self._base}/ban/communes/{request.commune_code}/download/csv-legacy/adresses"]

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[AddressRecord]:
        partitions: dict[str, Partition | None] = {}

        def parse(values: tuple[str, ...]) -> tuple[Partition, AddressRecord] | None:
            code = values[_COMMUNE]
            if code not in partitions:
                partitions[code] = Partition(code) if selection.includes(commune_code("code_insee", code)) else None
            partition = partitions[code]
            return None if partition is None else (partition, _address(values))

        with open_csv(path, report.file, ";") as table:
            yield from report.parse(table.values(report, ADDRESS_COLUMNS), parse)


class BanLocalities(FileReader):
    def urls(self, request: PartitionRequest) -> list[str]:
        return [f"{self._base}/ban/communes/{request.commune_code}/download/csv-legacy/lieux-dits"]

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[LocalityRecord]:
        with open_csv(path, report.file, ";") as table:
            yield from selection.select(report.parse(table.values(report, LOCALITY_COLUMNS), _locality))


def _address(values: tuple[str, ...]) -> AddressRecord:
    """Raises ValueError naming the column that cannot be read."""
    (
        address_id, number, suffix, street_name, postcode, code, commune_name, old_name, lon, lat, alias, locality,
        afnor, certified, parcels,
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
        code, address_id, f"{parts[0]}_{parts[1]}", int(number), suffix.lower(), street_name, afnor, alias,
        postcode, commune_name, old_name, x, y, certified == "1", parcels,
    )  # fmt: skip


def _locality(values: tuple[str, ...]) -> LocalityRecord:
    """Raises ValueError naming the column that cannot be read."""
    place_id, name, postcode, code, commune_name, old_name, lon, lat = values
    commune_code("code_insee", code)
    check(place_id, "id: empty")
    check(name.strip(), "nom_lieu_dit: empty")
    return LocalityRecord(code, place_id, name.strip(), postcode, commune_name, old_name, *coordinates(lon, lat))
