"""Recognizes the formats that GDAL reads, unpacks their files, and checks that they are complete.

The first bytes of a file decide its format, never its name: GDAL also opens texts that refer to other files. GDAL reads
truncated files without an error, so their lengths are checked here.
"""

import gzip
import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from land.errors import UnreadableFile
from land.sources.files import GZIP_MAGIC, ZIP_MAGIC
from servicekit.errors import expect

UNPACKED = "land-gis-"
"""How folders of unpacked files begin."""
MAX_UNPACKED_BYTES = 4 * 1024**3
"""The most bytes of a ZIP or a gzip: the largest plan of an intercommunality has some hundred megabytes."""
MAX_MEMBERS = 2_000
_SQLITE, _SHAPEFILE = b"SQLite format 3\0", b"\x00\x00\x27\x0a"
_GEOPACKAGES = (b"GPKG", b"GP10", b"GP11")
"""Application ids of GeoPackages; other SQLite databases may refer GDAL to other files."""
_GML_ROOT = re.compile(rb"\A\s*(?:<\?xml[^>]{0,200}\?>)?\s*<(?:[\w.-]{1,40}:)?FeatureCollection[\s>]")
_GML_END = re.compile(rb"</(?:[\w.-]{1,40}:)?FeatureCollection>\s*\Z")
_SIDE_FILES = (".shp", ".shx", ".dbf", ".prj", ".cpg", ".gpkg", ".gml")


@contextmanager
def unpack(path: Path, file: str) -> Iterator[list[Path] | None]:
    """The files for GDAL; unpacked copies are deleted after the block. None for GeoJSON.

    Raises UnreadableFile for other formats.
    """
    head = _head(path, file)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        yield None
        return
    if head.startswith(_SHAPEFILE) or _is_table(head, path):
        yield [path]
        return
    with tempfile.TemporaryDirectory(prefix=UNPACKED) as folder:
        target = Path(folder)
        if head.startswith(ZIP_MAGIC):
            yield _unzipped(path, file, target)
        elif head.startswith(_SQLITE) and head[68:72] in _GEOPACKAGES:
            yield [_uncompressed(path, file, target / "content.gpkg")]
        elif _GML_ROOT.search(head):
            # GDAL writes an index file into the folder of a GML: the folder must be temporary.
            yield [_uncompressed(path, file, target / "content.gml")]
        else:
            raise UnreadableFile(f"{file}: neither GeoJSON, GML, GeoPackage, shapefile, dBase table nor a ZIP of these")


def raise_if_truncated(path: Path, file: str) -> None:
    """Compares the file's size or end with its header. Raises UnreadableFile if it is truncated."""
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
        _raise_if_table_is_truncated(path, file)
    elif _is_table(head, path):
        _raise_if_table_is_truncated(path, file)
        is_whole = True
    else:
        is_whole = _GML_END.search(tail) is not None and _GML_ROOT.search(head + b" ") is not None
    if not is_whole:
        raise UnreadableFile(f"{file}: {path.name} is cut short or damaged")


def side_file(path: Path, suffix: str) -> Path | None:
    """Another file of a shapefile."""
    return next((p for p in (path.with_suffix(suffix), path.with_suffix(suffix.upper())) if p.is_file()), None)


def _raise_if_table_is_truncated(path: Path, file: str) -> None:
    table = expect(
        side_file(path, ".dbf"),
        UnreadableFile(f"{file}: the shapefile's table, {path.stem}.dbf, is not beside it"),
    )
    with table.open("rb") as content:
        head = content.read(32)
        size = content.seek(0, 2)
    if len(head) < 32:  # noqa: PLR2004 (a header)
        raise UnreadableFile(f"{file}: {table.name} is cut short or damaged")
    count, header, record = struct.unpack("<IHH", head[4:12])
    if size < header + count * record:
        raise UnreadableFile(f"{file}: {table.name} is cut short or damaged")


def _head(path: Path, file: str) -> bytes:
    try:
        with path.open("rb") as raw:
            head = raw.read(4096)
        if head.startswith(GZIP_MAGIC):
            with gzip.open(path) as content:
                head = content.read(4096)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFile(f"{file}: {error}") from error
    return expect(head or None, UnreadableFile(f"{file}: the file is empty"))


def _is_table(head: bytes, path: Path) -> bool:
    """Whether the file is dBase, as layers without geometry are. Its first byte alone does not prove it."""
    return head[:1] == b"\x03" and path.suffix.lower() == ".dbf"


def _uncompressed(path: Path, file: str, target: Path) -> Path:
    """The unzipped file under a name that GDAL recognizes. A plain file is linked, not copied: it may be huge."""
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
    """Unpacks the ZIP's geographic files; the parts of a shapefile stay in one folder."""
    remaining = MAX_UNPACKED_BYTES
    try:
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.infolist() if Path(m.filename).suffix.lower() in _SIDE_FILES]
            if len(members) > MAX_MEMBERS:
                raise UnreadableFile(f"{file}: more than {MAX_MEMBERS} files in the ZIP")
            for member in members:
                inside = Path(member.filename)
                # Folders become numbers: a path in a ZIP may point outside the target.
                subfolder = folder / f"{zlib.crc32(str(inside.parent).encode()):08x}"
                subfolder.mkdir(exist_ok=True)
                with (
                    archive.open(member) as source,
                    (subfolder / f"{inside.stem}{inside.suffix.lower()}").open("wb") as copy,
                ):
                    remaining -= _copy(source, copy, remaining, file)
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
