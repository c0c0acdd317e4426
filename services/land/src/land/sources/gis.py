"""Reads layers of GML, GeoPackage, shapefile and dBase files through GDAL (pyogrio)."""

import codecs
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio  # type: ignore[import-untyped]
import pyogrio.errors  # type: ignore[import-untyped]
import pyogrio.raw  # type: ignore[import-untyped]
import shapely
from pyproj import CRS
from pyproj.exceptions import CRSError

from land.errors import UnreadableFile
from land.sources.gis_formats import raise_if_truncated, side_file

BATCH = 2_000
_NO_PROJECTION = CRS.from_epsg(4326)
"""For a table without geometry, where it has no effect."""
WINDOWS = "cp1252"
"""The encoding of French software that does not write UTF-8; it also reads ISO 8859-1 correctly."""

_FAILURES = (
    pyogrio.errors.DataSourceError,
    pyogrio.errors.DataLayerError,
    pyogrio.errors.FeatureError,
    pyogrio.errors.GeometryError,
    pyogrio.errors.FieldError,
    pyogrio.errors.CRSError,
)


@dataclass(frozen=True)
class Batch:
    properties: Sequence[Mapping[str, Any]]
    """Names in upper case."""
    geometries: Any
    """Two-dimensional Shapely geometries in `crs`, or None."""
    crs: CRS


def read_layers(paths: Sequence[Path], file: str, layers: Sequence[str]) -> Iterator[Batch]:
    """The features of the layers whose name in upper case is one of `layers`. If there is none: of those whose name
    contains one of `layers`, or of the file's only layer.

    Raises UnreadableFile: damaged, truncated, without a projection, no such layer.
    """
    found = [(path, str(name)) for path in paths for name in _layers_of(path, file)]
    wanted = [(path, name) for path, name in found if name.upper() in layers]
    wanted = wanted or [(path, name) for path, name in found if any(part in name.upper() for part in layers)]
    if not wanted and len(found) == 1:
        wanted = found
    if not wanted:
        names = ", ".join(name for _, name in found[:10]) or "none"
        raise UnreadableFile(f"{file}: no layer named like {' or '.join(layers)} (there is: {names})")
    for path, name in wanted:
        yield from _read_layer(path, name, file)


def _layers_of(path: Path, file: str) -> list[str]:
    raise_if_truncated(path, file)
    try:
        return [str(name) for name, _ in pyogrio.list_layers(path)]
    except _FAILURES as error:
        raise UnreadableFile(f"{file}: {_reason(error)}") from error


def _read_layer(path: Path, layer: str, file: str) -> Iterator[Batch]:
    try:
        info = pyogrio.read_info(path, layer=layer, force_feature_count=True)
        crs = _crs(info["crs"], layer, file) if info["geometry_type"] else _NO_PROJECTION
        encoding = _encoding(path, file)
        done_count, last_id = 0, None
        while True:
            meta, ids, wkb, columns = pyogrio.raw.read(
                str(path), layer=layer, force_2d=True, max_features=BATCH, datetime_as_string=True, encoding=encoding,
                return_fids=True, **_next_batch(info, done_count, last_id),
            )  # fmt: skip
            count = len(wkb) if wkb is not None else len(columns[0]) if columns else 0
            if not count:
                break
            names = [str(name).upper() for name in meta["fields"]]
            rows = zip(*map(_values, columns), strict=True) if names else [()] * count
            properties = [dict(zip(names, row, strict=True)) for row in rows]
            geometries = np.full(count, None) if wkb is None else shapely.from_wkb(wkb, on_invalid="ignore")
            yield Batch(properties, geometries, crs)
            done_count, last_id = done_count + count, ids[-1]
    except _FAILURES as error:
        raise UnreadableFile(f"{file}: {layer}: {_reason(error)}") from error
    if done_count != info["features"]:
        raise UnreadableFile(f"{file}: {layer}: only {done_count} of {info['features']} features can be read")


def _next_batch(info: Mapping[str, Any], done_count: int, last_id: int | None) -> dict[str, Any]:
    """The options that select the next batch. A GeoPackage is read by id: it skips features by counting from the first,
    which is slow for a département's million buildings.
    """
    if info["driver"] != "GPKG" or not info["fid_column"] or last_id is None:
        return {"skip_features": done_count}
    name = info["fid_column"].replace('"', '""')
    return {"where": f'"{name}" > {last_id}'}


def _crs(published: str | None, layer: str, file: str) -> CRS:
    if not published:
        raise UnreadableFile(f"{file}: {layer} does not say its projection")
    try:
        return CRS.from_user_input(published)
    except CRSError:
        raise UnreadableFile(f"{file}: {layer}: unknown projection {published[:80]!r}") from None


def _values(column: Any) -> list[Any]:
    """A column's values as Python types."""
    values = column.tolist() if isinstance(column, np.ndarray) else list(column)
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _encoding(path: Path, file: str) -> str | None:
    """The encoding of a dBase table: UTF-8 if all of it decodes, else that of the .cpg file, else Windows's.

    Accented text in another encoding is almost never valid UTF-8, but .cpg files are sometimes wrong. None for formats
    that state their encoding.
    """
    table = path if path.suffix.lower() == ".dbf" else side_file(path, ".dbf")
    if path.suffix.lower() not in (".shp", ".dbf") or table is None:
        return None
    cpg = side_file(path, ".cpg")
    content = table.read_bytes()
    texts = content[struct.unpack("<H", content[8:10])[0] :]
    for encoding in ("utf-8", _known_encoding(cpg.read_text("ascii", "replace")) if cpg else WINDOWS, WINDOWS):
        try:
            texts.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    raise UnreadableFile(f"{file}: {table.name} is neither UTF-8 nor {WINDOWS} text")


def _known_encoding(name: str) -> str:
    try:
        known = codecs.lookup(name.strip()).name
    except LookupError:
        return WINDOWS
    return WINDOWS if known == "iso8859-1" else known


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
