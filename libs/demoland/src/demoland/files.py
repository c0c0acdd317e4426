"""The files of a demo, under names like the publishers'. The same records give the same bytes."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import IO, cast

from demoland import commune_rules, energy_ratings, farming, features, lineage, relief, tables
from demoland.buildings import Building
from demoland.easements import Easement
from demoland.energy_ratings import Rating
from demoland.features import Feature
from demoland.geometry import Point, Ring
from demoland.joint_ownerships import COLUMNS as JOINT_OWNERSHIP_COLUMNS
from demoland.joint_ownerships import JointOwnership
from demoland.model import DEPARTMENT, Address, Commune, Parcel
from demoland.monuments import COLUMNS as MONUMENT_COLUMNS
from demoland.monuments import Monument
from demoland.owners import COLUMNS as OWNER_COLUMNS
from demoland.owners import Right
from demoland.owners import rows as owner_rows
from demoland.permits import Permit
from demoland.planning import PlanFeature, Zone
from demoland.risks import RiskZone
from demoland.sales import WITHDRAWN_YEAR, YEARS, Sale
from demoland.ways import Way

_GEOMETRY_FILES = {"Polygon": "surf", "LineString": "lin", "Point": "pct"}


class Writer:
    """All files of a demo, open. Each method adds records to some of them."""

    def __init__(self, folder: Path, area: str, stack: ExitStack, *, addresses_only: bool) -> None:
        self.paths: list[tuple[str, Path]] = []
        """Dataset and path, in an order that can be imported."""
        self.address_count = self.parcel_count = self._building_count = self._rating_count = self._way_count = 0
        self._folder = folder
        self._stack = stack
        self._addresses = csv.writer(self._open("ban", f"adresses-{area}.csv.gz"), delimiter=";", lineterminator="\n")
        self._addresses.writerow(tables.BAN_COLUMNS)
        if addresses_only:
            return
        self._parcels = self._collection("cadastre-parcels", f"cadastre-{area}-parcelles.json.gz")
        self._territories = self._collection("cadastre-communes", f"cadastre-{area}-communes.json.gz")
        self._localities = csv.writer(
            self._open("ban-localities", f"lieux-dits-{area}.csv"), delimiter=";", lineterminator="\n"
        )
        self._localities.writerow(tables.LOCALITY_COLUMNS)
        self._cadastre_buildings = self._collection("cadastre-buildings", f"cadastre-{area}-batiments.json.gz")
        self._topo_buildings = self._collection("bdtopo", f"BDT_batiment_D{DEPARTMENT:0>3}.geojson")
        self._ways = self._collection("bdtopo-ways", f"BDT_troncons_D{DEPARTMENT:0>3}.geojson")
        self._fields = self._collection("rpg", f"RPG_parcelles_D{DEPARTMENT:0>3}_2024.geojson")
        self._altitudes = csv.writer(self._open("altimetry", f"altitudes-{area}.csv"), lineterminator="\n")
        self._altitudes.writerow(relief.COLUMNS)
        self._rights = csv.writer(
            self._open("personnes-morales", f"PM_26_NB_{DEPARTMENT:0<3}.csv"), delimiter=";", lineterminator="\n"
        )
        self._rights.writerow(OWNER_COLUMNS)
        self._lineage = self._open("dfi", f"dfiano-dep{DEPARTMENT:0<3}-01012026.txt")
        register = self._open("rnic", f"{DEPARTMENT}-rnc-data-gouv-with-qpv.csv")
        self._joint_ownerships = csv.writer(register, lineterminator="\n")
        self._joint_ownerships.writerow(JOINT_OWNERSHIP_COLUMNS)
        self._monuments = csv.writer(self._open("merimee", "merimee-MH.csv"), delimiter="|", lineterminator="\n")
        self._monuments.writerow(MONUMENT_COLUMNS)
        for dataset, (name, delimiter, columns, rows) in commune_rules.LISTS.items():
            listed = csv.writer(self._open(dataset, name), delimiter=delimiter, lineterminator="\n")
            listed.writerows([columns, *rows])
        self._ratings = csv.writer(self._open("dpe", f"dpe-{area}.csv"), lineterminator="\n")
        self._ratings.writerow(energy_ratings.COLUMNS)
        self._sales: dict[str, csv.DictWriter[str]] = {}
        for year in map(str, (WITHDRAWN_YEAR, *YEARS)):
            dataset = "dvf" if int(year) in YEARS else "dvf-archive"
            out = self._open(dataset, f"{dataset}-{area}-{year}.csv")
            self._sales[year] = csv.DictWriter(out, tables.DVF_COLUMNS, restval="", lineterminator="\n")
            self._sales[year].writeheader()
        self._permits = {dataset: self._open(dataset, name) for dataset, name in tables.SITADEL_FILES.items()}
        for dataset, out in self._permits.items():
            out.write(tables.sitadel_header(dataset))
        self._zones = self._planning_collection("gpu-zones", "zone_urba")
        self._plan_features = {
            (attribute, geometry): self._planning_collection(dataset, f"{layer}_{name}")
            for attribute, dataset, layer in (
                ("TYPEPSC", "gpu-prescriptions", "prescription"),
                ("TYPEINF", "gpu-informations", "info"),
            )
            for geometry, name in _GEOMETRY_FILES.items()
        }
        self._easements = {
            is_line: self._planning_collection("gpu-sup", f"assiette_sup_{'l' if is_line else 's'}")
            for is_line in (False, True)
        }
        self._easement_causes = self._planning_collection("gpu-sup", "generateur_sup_p")
        self._easement_acts = self._planning_collection("gpu-sup", "acte_sup")
        self._easement_documents = self._planning_collection("gpu-sup-documents", "gestionnaire_sup")
        self._documents = self._planning_collection("gpu-documents", "document")
        self._municipalities = self._planning_collection("gpu-communes", "municipality")
        self._risks = self._open("georisques", f"georisques-{area}-20260101.jsonl")
        self._risk_zones = self._collection("pprn-zones", f"zone_pprn_s_{DEPARTMENT:0>3}-20260101.geojson")

    def _open(self, dataset: str, name: str) -> IO[str]:
        path = self._folder / name
        self.paths.append((dataset, path))
        return self._stack.enter_context(_text(path))

    def _collection(self, dataset: str, name: str) -> Callable[[Feature], None]:
        return self._stack.enter_context(_feature_collection(self._open(dataset, name)))

    def _planning_collection(self, dataset: str, name: str) -> Callable[[Feature], None]:
        return self._collection(dataset, f"gpu-{DEPARTMENT}-20260101-{name}.geojson")

    def addresses(self, commune: Commune, addresses: Sequence[Address]) -> None:
        self.address_count += len(addresses)
        self._addresses.writerows(tables.ban_rows(commune, addresses))

    def parcels(self, commune: Commune, parcels: Sequence[Parcel]) -> None:
        self.parcel_count += len(parcels)
        for parcel in parcels:
            self._parcels(features.parcel_feature(commune, parcel))
        self._altitudes.writerows(relief.rows(commune, parcels))

    def territory(self, commune: Commune, outline: Ring) -> None:
        self._territories(features.territory_feature(commune, outline))

    def localities(self, commune: Commune, localities: Mapping[str, Point]) -> None:
        """Names of places without house numbers."""
        self._localities.writerows(tables.locality_rows(commune, localities))

    def buildings(self, commune: Commune, buildings: Iterable[Building]) -> None:
        for building in buildings:
            self._building_count += 1
            if building.is_in_cadastre:
                self._cadastre_buildings(features.cadastre_building_feature(commune, building))
            if building.topo:
                feature = features.topo_building_feature(commune, building, building.topo, self._building_count)
                self._topo_buildings(feature)

    def ways(self, commune: Commune, ways: Iterable[Way]) -> None:
        for way in ways:
            self._way_count += 1
            self._ways(features.way_feature(commune, way, self._way_count))

    def fields(self, commune: Commune) -> None:
        for number, (crop, group, outline) in enumerate(farming.QUARTER_FIELDS, 1):
            self._fields(features.field_feature(commune, crop, group, outline, number))

    def monument(self, commune: Commune, item: Monument) -> None:
        [lon, lat], *_ = commune.closed_ring([item.place])
        self._monuments.writerow((item.reference, item.name, item.protection, DEPARTMENT, f"{lat},{lon}"))

    def joint_ownership(self, registered: JointOwnership) -> None:
        self._joint_ownerships.writerow(registered.row())

    def right(self, commune: Commune, right: Right) -> None:
        self._rights.writerows(owner_rows(commune, right))

    def lineage(self, lots: Sequence[tuple[Sequence[str], Sequence[str], str]]) -> None:
        for number, lot in enumerate(lots, 1):
            self._lineage.writelines(lineage.lines(number, *lot))

    def energy_ratings(self, commune: Commune, ratings: Sequence[Rating]) -> None:
        self._ratings.writerows(energy_ratings.rows(commune, ratings, self._rating_count))
        self._rating_count += len(ratings)

    def sale(self, commune: Commune, sale: Sale) -> None:
        year = str(sale["date_mutation"])[:4]
        self._sales[year].writerow(tables.dvf_row(commune, sale))

    def permit(self, commune: Commune, dataset: str, permit: Permit) -> None:
        self._permits[dataset].write(tables.sitadel_line(commune, dataset, permit))

    def zones(self, commune: Commune, zones: Iterable[Zone]) -> None:
        for zone in zones:
            self._zones(features.zone_feature(commune, zone))

    def prescriptions(self, commune: Commune, prescriptions: Iterable[PlanFeature]) -> None:
        self._draw(commune, prescriptions, "TYPEPSC")

    def informations(self, commune: Commune, informations: Iterable[PlanFeature]) -> None:
        self._draw(commune, informations, "TYPEINF")

    def easements(self, commune: Commune, easements: Iterable[Easement]) -> None:
        for easement in easements:
            self._easements[easement.is_line](features.easement_feature(commune, easement))
            self._easement_causes(features.easement_cause_feature(commune, easement))
            self._easement_acts(features.easement_act_feature(easement))
            self._easement_documents(features.easement_document_feature(easement))

    def _draw(self, commune: Commune, plan_features: Iterable[PlanFeature], attribute: str) -> None:
        for feature in plan_features:
            self._plan_features[attribute, feature.geometry](features.plan_feature(commune, feature, attribute))

    def document(self, commune: Commune) -> None:
        self._documents(features.document_feature(commune))

    def risks(self, answers: Iterable[Mapping[str, object]]) -> None:
        for answer in answers:
            self._risks.write(json.dumps(answer, separators=(",", ":"), ensure_ascii=False) + "\n")

    def risk_zones(self, commune: Commune, zones: Iterable[RiskZone]) -> None:
        for zone in zones:
            self._risk_zones(features.risk_zone_feature(commune, zone))

    def municipality(self, code: str, name: str, *, is_deleted: bool = False) -> None:
        self._municipalities(features.municipality_feature(code, name, is_deleted=is_deleted))


@contextmanager
def open_writer(folder: Path, area: str, *, addresses_only: bool) -> Iterator[Writer]:
    """Creates the folder and the files, which are complete after the block. `area` is a part of their names."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        yield Writer(folder, area, stack, addresses_only=addresses_only)


@contextmanager
def _feature_collection(out: IO[str]) -> Iterator[Callable[[Feature], None]]:
    """Yields a function that adds a feature."""
    separators = chain(["\n"], repeat(",\n"))

    def add(feature: Feature) -> None:
        out.write(next(separators) + json.dumps(feature, separators=(",", ":"), ensure_ascii=False))

    out.write('{"type":"FeatureCollection","features":[')
    yield add
    out.write("\n]}")


@contextmanager
def _text(path: Path) -> Iterator[IO[str]]:
    with path.open("wb") as raw, ExitStack() as stack:
        binary: IO[bytes] = raw
        if path.suffix == ".gz":
            # The header has neither a time nor a name, so that the same content gives the same bytes.
            zipped = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0)
            binary = cast(IO[bytes], stack.enter_context(zipped))
        yield stack.enter_context(io.TextIOWrapper(binary, encoding="utf-8", newline=""))
