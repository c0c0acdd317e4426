"""The demo as files, in the publishers' formats and under names like theirs. The same bytes every time."""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from pyproj import Transformer

from demoland import building_files, gpu_files, sitadel_files
from demoland.houses import House
from demoland.plan import DEPARTMENT, Commune, Door, Plot, upper_ascii
from demoland.quarter_history import YEARS
from demoland.quarter_planning import Prescription, Zone

LAMBERT_93 = 2154
BAN_COLUMNS = (
    "id", "id_fantoir", "numero", "rep", "nom_voie", "code_postal", "code_insee", "nom_commune",
    "code_insee_ancienne_commune", "nom_ancienne_commune", "x", "y", "lon", "lat", "type_position", "alias", "nom_ld",
    "libelle_acheminement", "nom_afnor", "source_position", "source_nom_voie", "certification_commune", "cad_parcelles",
)  # fmt: skip
DVF_COLUMNS = (
    "id_mutation", "date_mutation", "numero_disposition", "nature_mutation", "valeur_fonciere", "adresse_numero",
    "adresse_suffixe", "adresse_nom_voie", "adresse_code_voie", "code_postal", "code_commune", "nom_commune",
    "code_departement", "ancien_code_commune", "ancien_nom_commune", "id_parcelle", "ancien_id_parcelle",
    "numero_volume", "lot1_numero", "lot1_surface_carrez", "lot2_numero", "lot2_surface_carrez", "lot3_numero",
    "lot3_surface_carrez", "lot4_numero", "lot4_surface_carrez", "lot5_numero", "lot5_surface_carrez", "nombre_lots",
    "code_type_local", "type_local", "surface_reelle_bati", "nombre_pieces_principales", "code_nature_culture",
    "nature_culture", "code_nature_culture_speciale", "nature_culture_speciale", "surface_terrain", "longitude",
    "latitude",
)  # fmt: skip


class Writer:
    """All files of a demo, open. Each method adds to one of them."""

    def __init__(self, folder: Path, area: str, is_whole: bool, stack: ExitStack) -> None:
        self.paths: list[tuple[str, Path]] = []
        self._stack = stack
        self._folder = folder
        self._ban = self._open("ban", f"adresses-{area}.csv.gz")
        self._addresses = csv.writer(self._ban, delimiter=";", lineterminator="\n")
        self._addresses.writerow(BAN_COLUMNS)
        self._to_lambert = Transformer.from_crs(4326, LAMBERT_93, always_xy=True)
        if not is_whole:
            return
        self._cadastre = self._collection("cadastre-parcels", f"cadastre-{area}-parcelles.json.gz")
        self._on_plan = self._collection("cadastre-buildings", f"cadastre-{area}-batiments.json.gz")
        self._on_topo = self._collection("bdtopo", f"BDT_batiment_D{DEPARTMENT:0>3}.geojson")
        self._house_count = 0
        self._sales: dict[str, csv.DictWriter[str]] = {}
        for year in YEARS:
            out = self._open("dvf", f"dvf-{area}-{year}.csv")
            self._sales[str(year)] = csv.DictWriter(out, DVF_COLUMNS, restval="", lineterminator="\n")
            self._sales[str(year)].writeheader()
        self._permits = {dataset: self._open(dataset, name) for dataset, name in sitadel_files.NAMES.items()}
        for dataset, out in self._permits.items():
            out.write(sitadel_files.header(dataset))
        self._zones = self._collection("gpu-zones", gpu_files.ZONES_NAME)
        self._prescriptions = {
            geometry: self._collection("gpu-prescriptions", name)
            for geometry, name in gpu_files.PRESCRIPTIONS_NAMES.items()
        }
        self._documents = self._collection("gpu-documents", gpu_files.DOCUMENTS_NAME)
        self._communes = self._collection("gpu-communes", gpu_files.COMMUNES_NAME)

    def _open(self, source: str, name: str) -> IO[str]:
        path = self._folder / name
        self.paths.append((source, path))
        return self._stack.enter_context(_text(path))

    def _collection(self, source: str, name: str) -> "_Collection":
        collection = _Collection(self._open(source, name))
        self._stack.callback(collection.end)
        return collection

    def addresses(self, commune: Commune, doors: Sequence[Door]) -> None:
        points = [commune.to_degrees(door.point) for door in doors]
        eastings, northings = self._to_lambert.transform([p[0] for p in points], [p[1] for p in points])
        for door, (lon, lat), x, y in zip(doors, points, eastings, northings, strict=True):
            key = f"{commune.code}_{door.street.code}_{door.number:05}" + (f"_{door.suffix}" if door.suffix else "")
            self._addresses.writerow(
                (
                    key, f"{commune.code}_{door.street.code}", door.number, door.suffix, door.street.name,
                    commune.postcode, commune.code, commune.name, *door.old_commune, f"{x:.2f}", f"{y:.2f}", lon, lat,
                    door.position, "", door.street.locality, upper_ascii(commune.name), upper_ascii(door.street.name),
                    "commune", "commune", int(door.is_certified), "|".join(door.parcel_ids),
                )
            )  # fmt: skip

    def parcels(self, commune: Commune, plots: Sequence[Plot]) -> None:
        for plot in plots:
            self._cadastre.add(_feature(commune, plot))

    def planning(self, commune: Commune, zones: Sequence[Zone], prescriptions: Sequence[Prescription]) -> None:
        for zone in zones:
            self._zones.add(gpu_files.zone_feature(commune, zone))
        for item in prescriptions:
            self._prescriptions[item.geometry].add(gpu_files.prescription_feature(commune, item))

    def document(self, commune: Commune) -> None:
        self._documents.add(gpu_files.document_feature(commune))

    def commune(self, code: str, name: str, *, is_deleted: bool = False) -> None:
        self._communes.add(gpu_files.commune_feature(code, name, is_deleted))

    def buildings(self, commune: Commune, houses: Iterable[House]) -> None:
        for house in houses:
            self._house_count += 1
            if house.is_on_plan:
                self._on_plan.add(building_files.plan_feature(commune, house))
            if house.facts:
                self._on_topo.add(building_files.topo_feature(commune, house, house.facts, self._house_count))

    def sale(self, commune: Commune, row: Mapping[str, object]) -> None:
        place = {
            "code_postal": commune.postcode,
            "code_commune": commune.code,
            "nom_commune": commune.name,
            "code_departement": DEPARTMENT,
        }
        known = {name: value for name, value in row.items() if value is not None}
        self._sales[str(row["date_mutation"])[:4]].writerow(place | known)

    def permit(self, commune: Commune, dataset: str, permit: Mapping[str, object]) -> None:
        place = {
            "REG_CODE": "00",
            "REG_LIBELLE": "Région fictive",
            "DEP_CODE": DEPARTMENT,
            "DEP_LIBELLE": "Département fictif",
            "ADR_LOCALITE_TER": upper_ascii(commune.name),
        }
        self._permits[dataset].write(sitadel_files.line(dataset, place | dict(permit)))


class _Collection:
    """A FeatureCollection on its way into a file."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._out.write('{"type":"FeatureCollection","features":[')
        self._separator = "\n"

    def add(self, feature: Mapping[str, object]) -> None:
        self._out.write(self._separator + json.dumps(feature, separators=(",", ":"), ensure_ascii=False))
        self._separator = ",\n"

    def end(self) -> None:
        self._out.write("\n]}")


@contextmanager
def open_writer(folder: Path, area: str, *, is_whole: bool) -> Iterator[Writer]:
    """Writes into the folder, which is made; complete when the block ends. Files are named for the area; addresses
    alone where not `is_whole`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        writer = Writer(folder, area, is_whole, stack)
        yield writer


@contextmanager
def _text(path: Path) -> Iterator[IO[str]]:
    with path.open("wb") as raw:
        if path.suffix == ".gz":
            # Neither the time nor the name goes into the header: the same content gives the same bytes.
            with (
                gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0) as zipped,
                io.TextIOWrapper(zipped, encoding="utf-8", newline="") as text,
            ):
                yield text
        else:
            with io.TextIOWrapper(raw, encoding="utf-8", newline="") as text:
                yield text


def _feature(commune: Commune, plot: Plot) -> dict[str, object]:
    code, prefix, section, number = (
        plot.parcel_id[:5], plot.parcel_id[5:8], plot.parcel_id[8:10], plot.parcel_id[10:],
    )  # fmt: skip
    polygons = [[[commune.to_degrees(point) for point in (*ring, ring[0])] for ring in part] for part in plot.parts]
    geometry: dict[str, object] | None = None
    if len(polygons) == 1:
        geometry = {"type": "Polygon", "coordinates": polygons[0]}
    elif polygons:
        geometry = {"type": "MultiPolygon", "coordinates": polygons}
    properties: dict[str, object] = {
        "id": plot.parcel_id,
        "commune": code,
        "prefixe": prefix,
        "section": section.lstrip("0"),
        "numero": number.lstrip("0"),
    }
    if plot.contenance is not None:
        properties["contenance"] = plot.contenance
    properties |= {"arpente": plot.arpente, "created": plot.created, "updated": plot.updated}
    return {"type": "Feature", "id": plot.parcel_id, "geometry": geometry, "properties": properties}
