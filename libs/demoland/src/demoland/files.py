"""The files of a demo, under names like the publishers'. The same records give the same bytes."""

import csv
import gzip
import io
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import resources
from itertools import chain, repeat
from pathlib import Path
from typing import IO, Any, cast

from demoland import energy_ratings, features, relief, tables
from demoland.buildings import Building
from demoland.energy_ratings import Rating
from demoland.features import Feature
from demoland.model import Address, Commune, Parcel
from demoland.permits import Permit
from demoland.sales import Sale
from demoland.ways import Way

_FILES: Sequence[Mapping[str, str]] = tomllib.loads(
    resources.files("demoland").joinpath("files.toml").read_text(encoding="utf-8")
)["files"]


class Writer:
    """All files of a demo, open. Each method adds records to some of them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.paths: list[tuple[str, Path]] = []
        """Dataset and path, in an order that can be imported."""
        self.address_count = self.parcel_count = self._building_count = self._rating_count = self._way_count = 0
        self._tables: dict[str, Any] = {}
        self._layers: dict[str, Callable[[Feature], None]] = {}
        self._texts: dict[str, IO[str]] = {}
        self._sales: dict[str, csv.DictWriter[str]] = {}
        for file in _FILES:
            dataset, path = file["dataset"], folder / file["file"]
            self.paths.append((dataset, path))
            out = stack.enter_context(_opened(path))
            match file["form"]:
                case "table":
                    table = csv.writer(out, delimiter=file.get("delimiter", ","), lineterminator="\n")
                    table.writerows(tables.LISTS.get(dataset) or [tables.COLUMNS[dataset]])
                    self._tables[dataset] = table
                case "sales":
                    sales = csv.DictWriter(out, tables.COLUMNS["dvf"], restval="", lineterminator="\n")
                    sales.writeheader()
                    self._sales[file["year"]] = sales
                case "layer":
                    self._layers[file.get("layer", dataset)] = stack.enter_context(_feature_collection(out))
                case "permits":
                    out.write(tables.sitadel_header(dataset))
                    self._texts[dataset] = out
                case "text":
                    self._texts[dataset] = out

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
