"""Files of geographic systems through GDAL (pyogrio): GML, GeoPackage, shapefile, and ZIPs of them.

What a file is, its first bytes say, never its name: GDAL would open a text that leads to other files just as well. GDAL
reads damaged files as far as it gets, so a file is looked at first, and its features are counted.
"""

import codecs
import gzip
import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from land.sources.files import GZIP_MAGIC

BATCH = 2_000
MAX_UNPACKED_BYTES = 4 * 1024**3
"""Of a ZIP or a gzip: the largest plan of an intercommunality has some hundred megabytes."""
MAX_MEMBERS = 2_000
_ZIP, _SQLITE, _SHAPEFILE = b"PK\x03\x04", b"SQLite format 3\0", b"\x00\x00\x27\x0a"
_GEOPACKAGES = (b"GPKG", b"GP10", b"GP11")
"""What such a database calls itself; any other may lead GDAL elsewhere."""
_GML_ROOT = re.compile(rb"\A\s*(?:<\?xml[^>]{0,200}\?>)?\s*<(?:[\w.-]{1,40}:)?FeatureCollection[\s>]")
_GML_END = re.compile(rb"</(?:[\w.-]{1,40}:)?FeatureCollection>\s*\Z")
_SIDE_FILES = (".shp", ".shx", ".dbf", ".prj", ".cpg", ".gpkg", ".gml")
_NO_PROJECTION = CRS.from_epsg(4326)
"""Of a table without geometry: any will do."""
WINDOWS = "cp1252"
"""What French software writes where it does not write UTF-8; ISO 8859-1 is read right by it too."""

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
    """Shapely geometries, two dimensions, in `crs`; None where there is none."""
    crs: CRS


@contextmanager
def unpacked(path: Path, file: str) -> Iterator[list[Path] | None]:
    """The files of geographic systems that a file is or holds, for as long as the block lasts; None for GeoJSON.

    Raises UnreadableFile for what is neither.
    """
    head = _head(path, file)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        yield None
        return
    if head.startswith(_SHAPEFILE) or _is_table(head, path):
        yield [path]
        return
    with tempfile.TemporaryDirectory(prefix="land-gis-") as folder:
        target = Path(folder)
        if head.startswith(_ZIP):
            yield _unzipped(path, file, target)
        elif head.startswith(_SQLITE) and head[68:72] in _GEOPACKAGES:
            yield [_plain(path, file, target / "content.gpkg")]
        elif _GML_ROOT.search(head):
            # GDAL puts a file beside a GML: beside the name that we give it.
            yield [_plain(path, file, target / "content.gml")]
        else:
            raise UnreadableFile(f"{file}: neither GeoJSON, GML, GeoPackage, shapefile, dBase table nor a ZIP of these")


def read(paths: Sequence[Path], file: str, layers: Sequence[str]) -> Iterator[Batch]:
    """The features of the layers that are named as one of `layers` in upper case, or else contain such a name, or else
    of the only layer there is.

    Raises UnreadableFile: damaged, cut short, without a projection, no such layer.
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


def _head(path: Path, file: str) -> bytes:
    try:
        with path.open("rb") as raw:
            head = raw.read(4096)
        if head.startswith(GZIP_MAGIC):
            with gzip.open(path) as content:
                head = content.read(4096)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFile(f"{file}: {error}") from error
    if not head:
        raise UnreadableFile(f"{file}: the file is empty")
    return head


def _is_table(head: bytes, path: Path) -> bool:
    """A table without geometry, as some layers of a deposit are: dBase, which hardly tells itself by its bytes."""
    return head[:1] == b"\x03" and path.suffix.lower() == ".dbf"


def _plain(path: Path, file: str, target: Path) -> Path:
    """The file under a name that GDAL knows, unzipped where it is gzip. A plain one is not copied: it may be huge."""
    try:
        with path.open("rb") as raw:
            is_gzip = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        if not is_gzip:
            target.symlink_to(path.resolve())
            return target
        with gzip.open(path) as source, target.open("wb") as copy:
            _copy(source, copy, MAX_UNPACKED_BYTES, file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableFile(f"{file}: truncated or damaged gzip: {error}") from error
    return target


def _unzipped(path: Path, file: str, folder: Path) -> list[Path]:
    """The ZIP's geographic files, each part of a shapefile beside the others."""
    left = MAX_UNPACKED_BYTES
    try:
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.infolist() if Path(m.filename).suffix.lower() in _SIDE_FILES]
            if len(members) > MAX_MEMBERS:
                raise UnreadableFile(f"{file}: more than {MAX_MEMBERS} files in the ZIP")
            for member in members:
                inside = Path(member.filename)
                # Folders become numbers: a name in a ZIP may lead anywhere.
                place = folder / f"{zlib.crc32(str(inside.parent).encode()):08x}"
                place.mkdir(exist_ok=True)
                with (
                    archive.open(member) as source,
                    (place / f"{inside.stem}{inside.suffix.lower()}").open("wb") as copy,
                ):
                    left -= _copy(source, copy, left, file)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise UnreadableFile(f"{file}: truncated or damaged ZIP: {error}") from error
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".shp", ".gpkg", ".gml", ".dbf"))
    return [p for p in files if p.suffix != ".dbf" or p.with_suffix(".shp") not in files]


def _copy(source: Any, target: Any, limit: int, file: str) -> int:
    done = 0
    while chunk := source.read(1 << 20):
        done += len(chunk)
        if done > limit:
            raise UnreadableFile(f"{file}: more than {MAX_UNPACKED_BYTES} bytes when unpacked")
        target.write(chunk)
    return done


def _layers_of(path: Path, file: str) -> list[str]:
    _refuse_cut_short(path, file)
    try:
        return [str(name) for name, _ in pyogrio.list_layers(path)]
    except _FAILURES as error:
        raise UnreadableFile(f"{file}: {_reason(error)}") from error


def _refuse_cut_short(path: Path, file: str) -> None:
    """By what the file's own header or end says of its length."""
    with path.open("rb") as content:
        head = content.read(100)
        size = content.seek(0, 2)
        content.seek(max(0, size - 200))
        tail = content.read()
    if head.startswith(_SQLITE):
        page = struct.unpack(">H", head[16:18])[0]
        is_whole = size >= (65536 if page == 1 else page) * struct.unpack(">I", head[28:32])[0]
    elif head.startswith(_SHAPEFILE):
        is_whole = len(head) == 100 and size >= 2 * struct.unpack(">I", head[24:28])[0]  # noqa: PLR2004 (a header)
        _refuse_cut_table(path, file)
    elif _is_table(head, path):
        _refuse_cut_table(path, file)
        is_whole = True
    else:
        is_whole = _GML_END.search(tail) is not None and _GML_ROOT.search(head + b" ") is not None
    if not is_whole:
        raise UnreadableFile(f"{file}: {path.name} is cut short or damaged")


def _beside(path: Path, suffix: str) -> Path | None:
    """Another file of a shapefile."""
    return next((p for p in (path.with_suffix(suffix), path.with_suffix(suffix.upper())) if p.is_file()), None)


def _refuse_cut_table(path: Path, file: str) -> None:
    table = _beside(path, ".dbf")
    if table is None:
        raise UnreadableFile(f"{file}: the shapefile's table, {path.stem}.dbf, is not beside it")
    with table.open("rb") as content:
        head = content.read(32)
        size = content.seek(0, 2)
    if len(head) < 32:  # noqa: PLR2004 (a header)
        raise UnreadableFile(f"{file}: {table.name} is cut short or damaged")
    count, header, record = struct.unpack("<IHH", head[4:12])
    if size < header + count * record:
        raise UnreadableFile(f"{file}: {table.name} is cut short or damaged")


def _read_layer(path: Path, layer: str, file: str) -> Iterator[Batch]:
    try:
        info = pyogrio.read_info(path, layer=layer, force_feature_count=True)
        crs = _crs(info["crs"], layer, file) if info["geometry_type"] else _NO_PROJECTION
        encoding = _encoding(path, file)
        done, last_id = 0, None
        while True:
            meta, ids, wkb, columns = pyogrio.raw.read(
                str(path), layer=layer, force_2d=True, max_features=BATCH, datetime_as_string=True, encoding=encoding,
                return_fids=True, **_where(info, done, last_id),
            )  # fmt: skip
            count = len(wkb) if wkb is not None else len(columns[0]) if columns else 0
            if not count:
                break
            names = [str(name).upper() for name in meta["fields"]]
            rows = zip(*map(_values, columns), strict=True) if names else [()] * count
            properties = [dict(zip(names, row, strict=True)) for row in rows]
            drawn = np.full(count, None) if wkb is None else shapely.from_wkb(wkb, on_invalid="ignore")
            yield Batch(properties, drawn, crs)
            done, last_id = done + count, ids[-1]
    except _FAILURES as error:
        raise UnreadableFile(f"{file}: {layer}: {_reason(error)}") from error
    if done != info["features"]:
        raise UnreadableFile(f"{file}: {layer}: only {done} of {info['features']} features can be read")


def _where(info: Mapping[str, Any], done: int, last_id: int | None) -> dict[str, Any]:
    """Where a read goes on. A GeoPackage finds a feature by its id, and would count a place from its beginning: of a
    département's million buildings, for each batch.
    """
    if info["driver"] != "GPKG" or not info["fid_column"] or last_id is None:
        return {"skip_features": done}
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
    """A column's values as Python's own."""
    values = column.tolist() if isinstance(column, np.ndarray) else list(column)
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _encoding(path: Path, file: str) -> str | None:
    """The encoding of a dBase table: UTF-8 where all of it is, else what the .cpg beside it says, else Windows's.

    That a text with accents is UTF-8 by chance hardly ever happens; that a .cpg is wrong does. None for formats that
    say it themselves.
    """
    table = path if path.suffix.lower() == ".dbf" else _beside(path, ".dbf")
    if path.suffix.lower() not in (".shp", ".dbf") or table is None:
        return None
    said = _beside(path, ".cpg")
    content = table.read_bytes()
    texts = content[struct.unpack("<H", content[8:10])[0] :]
    for encoding in ("utf-8", _known_encoding(said.read_text("ascii", "replace")) if said else WINDOWS, WINDOWS):
        try:
            texts.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    raise UnreadableFile(f"{file}: {table.name} is neither UTF-8 nor {WINDOWS} text")


def _known_encoding(said: str) -> str:
    try:
        name = codecs.lookup(said.strip()).name
    except LookupError:
        return WINDOWS
    return WINDOWS if name == "iso8859-1" else name


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
