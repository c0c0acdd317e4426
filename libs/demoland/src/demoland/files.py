"""The files of a demo, under names like the publishers'. The same records give the same bytes."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import IO, Any, cast

from demoland import energy_ratings, features, relief, tables
from demoland.buildings import Building
from demoland.energy_ratings import Rating
from demoland.features import Feature
from demoland.model import DEPARTMENT, Address, Commune, Parcel
from demoland.permits import Permit
from demoland.sales import WITHDRAWN_YEAR, YEARS, Sale
from demoland.ways import Way

_PLANNING_LAYERS = (
    ("gpu-zones", "zone_urba"),
    *(("gpu-prescriptions", f"prescription_{kind}") for kind in features.LAYER_KINDS.values()),
    *(("gpu-informations", f"info_{kind}") for kind in features.LAYER_KINDS.values()),
    ("gpu-sup", "assiette_sup_s"),
    ("gpu-sup", "assiette_sup_l"),
    ("gpu-sup", "generateur_sup_p"),
    ("gpu-sup", "acte_sup"),
    ("gpu-sup-documents", "gestionnaire_sup"),
    ("gpu-documents", "document"),
    ("gpu-communes", "municipality"),
)


class Writer:
    """All files of a demo, open. Each method adds records to some of them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.paths: list[tuple[str, Path]] = []
        """Dataset and path, in an order that can be imported."""
        self.address_count = self.parcel_count = self._building_count = self._rating_count = self._way_count = 0
        self._folder = folder
        self._stack = stack
        self._tables: dict[str, Any] = {}
        self._layers: dict[str, Callable[[Feature], None]] = {}
        self._texts: dict[str, IO[str]] = {}
        for add, dataset, name, *delimiter in self._first_files():
            add(dataset, name, *delimiter)
        for item in tables.LISTS:
            listed = csv.writer(
                self._open(item["dataset"], item["file"]), delimiter=item["delimiter"], lineterminator="\n"
            )
            listed.writerows(item["rows"])
        self._table("dpe", f"dpe-{DEPARTMENT}.csv")
        self._sales: dict[str, csv.DictWriter[str]] = {}
        for year in map(str, (WITHDRAWN_YEAR, *YEARS)):
            dataset = "dvf" if int(year) in YEARS else "dvf-archive"
            out = self._open(dataset, f"{dataset}-{DEPARTMENT}-{year}.csv")
            self._sales[year] = csv.DictWriter(out, tables.COLUMNS["dvf"], restval="", lineterminator="\n")
            self._sales[year].writeheader()
        for dataset, name in tables.SITADEL_FILES.items():
            self._text(dataset, name)
            self._texts[dataset].write(tables.sitadel_header(dataset))
        for dataset, layer in _PLANNING_LAYERS:
            self._layer(dataset, f"gpu-{DEPARTMENT}-20260101-{layer}.geojson", layer)
        self._text("gpu-regulations", f"gpu-{DEPARTMENT}-20260101-reglement.json")
        self._text("georisques", f"georisques-{DEPARTMENT}-20260101.jsonl")
        self._layer("pprn-zones", f"zone_pprn_s_{DEPARTMENT:0>3}-20260101.geojson")

    def _first_files(self) -> Sequence[tuple[Any, ...]]:
        """How each file is opened, with its dataset, its name, and the delimiter of a table if it is not a comma."""
        return (
            (self._table, "ban", f"adresses-{DEPARTMENT}.csv.gz", ";"),
            (self._layer, "cadastre-parcels", f"cadastre-{DEPARTMENT}-parcelles.json.gz"),
            (self._layer, "cadastre-communes", f"cadastre-{DEPARTMENT}-communes.json.gz"),
            (self._table, "ban-localities", f"lieux-dits-{DEPARTMENT}.csv", ";"),
            (self._layer, "cadastre-buildings", f"cadastre-{DEPARTMENT}-batiments.json.gz"),
            (self._layer, "bdtopo", f"BDT_batiment_D{DEPARTMENT:0>3}.geojson"),
            (self._layer, "bdtopo-ways", f"BDT_troncons_D{DEPARTMENT:0>3}.geojson"),
            (self._layer, "rpg", f"RPG_parcelles_D{DEPARTMENT:0>3}_2024.geojson"),
            (self._table, "altimetry", f"altitudes-{DEPARTMENT}.csv"),
            (self._table, "personnes-morales", f"PM_26_NB_{DEPARTMENT:0<3}.csv", ";"),
            (self._text, "dfi", f"dfiano-dep{DEPARTMENT:0<3}-01012026.txt"),
            (self._table, "rnic", f"{DEPARTMENT}-rnc-data-gouv-with-qpv.csv"),
            (self._table, "merimee", "merimee-MH.csv", "|"),
        )

    def _text(self, dataset: str, name: str) -> None:
        self._texts[dataset] = self._open(dataset, name)

    def _open(self, dataset: str, name: str) -> IO[str]:
        path = self._folder / name
        self.paths.append((dataset, path))
        return self._stack.enter_context(_opened(path))

    def _table(self, dataset: str, name: str, delimiter: str = ",") -> None:
        self._tables[dataset] = csv.writer(self._open(dataset, name), delimiter=delimiter, lineterminator="\n")
        self._tables[dataset].writerow(tables.COLUMNS[dataset])

    def _layer(self, dataset: str, name: str, layer: str = "") -> None:
        self._layers[layer or dataset] = self._stack.enter_context(_feature_collection(self._open(dataset, name)))

    def rows(self, dataset: str, rows: Iterable[Sequence[object]]) -> None:
        self._tables[dataset].writerows(rows)

    def lines(self, dataset: str, lines: Iterable[str]) -> None:
        self._texts[dataset].writelines(lines)

    def features(self, layer: str, layer_features: Iterable[Feature]) -> None:
        """`layer` is that of a planning document, or else a dataset."""
        for feature in layer_features:
            self._layers[layer](feature)

    def layers(self, layer_features: Iterable[tuple[str, Feature]]) -> None:
        """Adds each feature to its layer."""
        for layer, feature in layer_features:
            self._layers[layer](feature)

    def addresses(self, commune: Commune, addresses: Sequence[Address]) -> None:
        self.address_count += len(addresses)
        self.rows("ban", tables.ban_rows(commune, addresses))

    def parcels(self, commune: Commune, parcels: Sequence[Parcel]) -> None:
        self.parcel_count += len(parcels)
        self.features("cadastre-parcels", (features.parcel_feature(commune, parcel) for parcel in parcels))
        self.rows("altimetry", relief.rows(commune, parcels))

    def buildings(self, commune: Commune, buildings: Iterable[Building]) -> None:
        for building in buildings:
            self._building_count += 1
            if building.is_in_cadastre:
                self._layers["cadastre-buildings"](features.cadastre_building_feature(commune, building))
            if building.topo:
                feature = features.topo_building_feature(commune, building, building.topo, self._building_count)
                self._layers["bdtopo"](feature)

    def ways(self, commune: Commune, ways: Iterable[Way]) -> None:
        for way in ways:
            self._way_count += 1
            self._layers["bdtopo-ways"](features.way_feature(commune, way, self._way_count))

    def energy_ratings(self, commune: Commune, ratings: Sequence[Rating]) -> None:
        self.rows("dpe", energy_ratings.rows(commune, ratings, self._rating_count))
        self._rating_count += len(ratings)

    def sales(self, commune: Commune, sales: Iterable[Sale]) -> None:
        for sale in sales:
            self._sales[str(sale["date_mutation"])[:4]].writerow(tables.dvf_row(commune, sale))

    def permits(self, commune: Commune, permits: Iterable[tuple[str, Permit]]) -> None:
        """Each permit with its dataset."""
        for dataset, permit in permits:
            self._texts[dataset].write(tables.sitadel_line(commune, dataset, permit))

    def risks(self, answers: Iterable[Mapping[str, object]]) -> None:
        lines = (json.dumps(answer, separators=(",", ":"), ensure_ascii=False) + "\n" for answer in answers)
        self.lines("georisques", lines)


@contextmanager
def open_writer(folder: Path) -> Iterator[Writer]:
    """Creates the folder and the files, which are complete after the block."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        yield Writer(folder, stack)


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
def _opened(path: Path) -> Iterator[IO[str]]:
    with path.open("wb") as raw, ExitStack() as stack:
        binary: IO[bytes] = raw
        if path.suffix == ".gz":
            # The header has neither a time nor a name, so that the same content gives the same bytes.
            zipped = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0)
            binary = cast(IO[bytes], stack.enter_context(zipped))
        yield stack.enter_context(io.TextIOWrapper(binary, encoding="utf-8", newline=""))
