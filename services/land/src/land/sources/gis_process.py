"""The process that reads files of publishers with GDAL. `gis` starts it, with a job on standard input.

It writes a line of JSON for each batch of features to standard output, with the geometries as WKB in hexadecimal
digits. Nothing else of land runs here, and the process confines itself before it opens a file.
"""

import codecs
import os
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import pyogrio  # type: ignore[import-untyped]
import pyogrio.errors  # type: ignore[import-untyped]
import pyogrio.raw  # type: ignore[import-untyped]

from land.errors import UnreadableFile
from land.sources import confinement
from land.sources.gis_formats import raise_if_truncated, side_file

DRIVERS = frozenset({"ESRI Shapefile", "GML", "GPKG"})
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


def main() -> None:
    job = orjson.loads(sys.stdin.buffer.read())
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries may print
    paths = [Path(path) for path in job["paths"]]
    confinement.remove_drivers(set(pyogrio.list_drivers()) - DRIVERS)
    confinement.confine(paths, job["memory_bytes"], job["cpu_s"])
    try:
        for frame in _read(paths, job["file"], job["layers"], job["batch"]):
            _write(output, frame)
        _write(output, {"end": True})
    except UnreadableFile as error:
        _write(output, {"error": str(error)})
    except MemoryError:
        _write(output, {"needs_memory": True})


def _write(output: BinaryIO, frame: Mapping[str, Any]) -> None:
    options = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE
    output.write(orjson.dumps(frame, default=_plain, option=options))
    output.flush()


def _plain(value: Any) -> Any:
    """What orjson cannot write: the list of a column of objects, nothing for a binary value."""
    return None if isinstance(value, bytes) else value.tolist()


def _read(paths: Sequence[Path], file: str, layers: Sequence[str], batch: int) -> Iterator[Mapping[str, Any]]:
    all_layers = [(path, str(name)) for path in paths for name in _layers_of(path, file)]
    selected = [(path, name) for path, name in all_layers if name.upper() in layers]
    selected = selected or [(path, name) for path, name in all_layers if any(part in name.upper() for part in layers)]
    if not selected and len(all_layers) == 1:
        selected = all_layers
    if not selected:
        names = ", ".join(name for _, name in all_layers[:10]) or "none"
        raise UnreadableFile(f"{file}: no layer named like {' or '.join(layers)} (there is: {names})")
    for path, name in selected:
        yield from _read_layer(path, name, file, batch)


def _layers_of(path: Path, file: str) -> list[str]:
    raise_if_truncated(path, file)
    try:
        return [str(name) for name, _ in pyogrio.list_layers(path)]
    except _FAILURES as error:
        raise UnreadableFile(f"{file}: {_reason(error)}") from error


def _read_layer(path: Path, layer: str, file: str, batch: int) -> Iterator[Mapping[str, Any]]:
    try:
        info = pyogrio.read_info(path, layer=layer, force_feature_count=True)
        has_geometry = bool(info["geometry_type"])
        encoding = _encoding(path, file)
        done_count, last_id = 0, None
        while True:
            meta, ids, wkb, columns = pyogrio.raw.read(
                str(path), layer=layer, force_2d=True, max_features=batch, datetime_as_string=True, encoding=encoding,
                return_fids=True, **_next_batch(info, done_count, last_id),
            )  # fmt: skip
            count = len(wkb) if wkb is not None else len(columns[0]) if columns else 0
            if not count:
                break
            yield {
                "layer": layer,
                "crs": info["crs"] if has_geometry else None,
                "has_geometry": has_geometry,
                "names": [str(name).upper() for name in meta["fields"]],
                "columns": columns,
                "geometries": [None] * count if wkb is None else [geometry and geometry.hex() for geometry in wkb],
            }
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
        encoding = codecs.lookup(name.strip()).name
    except LookupError:
        return WINDOWS
    return WINDOWS if encoding == "iso8859-1" else encoding


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]


if __name__ == "__main__":
    main()
