"""Reads layers of GML, GeoPackage, shapefile and dBase files through GDAL, in a process of its own.

GDAL is large and written in C and C++, and the files come from outside. The process has no network, opens no other
files, and may use bounded memory and time. Whatever a file does to it becomes an UnreadableFile.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import shapely
from pyproj import CRS
from pyproj.exceptions import CRSError

from land.errors import UnreadableFile

BATCH = 2_000
COMMAND = (sys.executable, "-I", "-m", "land.sources.gis_process")
MEMORY_BYTES = 1024**3
"""Address space of the process, of which its libraries take 0.2 GiB."""
CPU_S = 900
"""Processor time for one file. The buildings of a département take about a minute."""
SILENCE_S = 300.0
"""How long the process may take for one batch."""
MAX_LINE_BYTES = 512 * 1024**2
"""The most bytes of a batch, whose geometries are hexadecimal."""
MAX_PROJECTION_CHARS = 20_000
_NO_PROJECTION = CRS.from_epsg(4326)
"""The projection of a table without geometry, where it has no effect."""
_ENVIRONMENT = {
    "GDAL_NUM_THREADS": "1",
    "GDAL_CACHEMAX": "64",
    "GDAL_DRIVER_PATH": "disable",
    "GDAL_PAM_ENABLED": "NO",
    "GML_DOWNLOAD_SCHEMA": "NO",
    "GML_SKIP_RESOLVE_ELEMS": "ALL",
    "OPENBLAS_NUM_THREADS": "1",
    "PROJ_NETWORK": "OFF",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""The whole environment of the process: it inherits no secret."""


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

    Raises UnreadableFile: damaged, truncated, without a projection, no such layer, or too much memory or time.
    """
    job = {
        "paths": [str(path) for path in paths],
        "file": file,
        "layers": list(layers),
        "batch": BATCH,
        "memory_bytes": MEMORY_BYTES,
        "cpu_s": CPU_S,
    }
    process = subprocess.Popen(  # noqa: S603 (this Python)
        COMMAND,
        env=_ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None  # noqa: S101 (for mypy)
    assert process.stdout is not None  # noqa: S101
    try:
        with process.stdin as job_input:
            job_input.write(orjson.dumps(job))
        for frame in map(orjson.loads, _lines(process.stdout.fileno(), file)):
            if "end" in frame:
                return
            if "error" in frame:
                raise UnreadableFile(str(frame["error"])[:1_000])
            if "needs_memory" in frame:
                raise UnreadableFile(_too_much_memory(file))
            yield _batch(frame, file)
        raise UnreadableFile(_death(process.wait(SILENCE_S), file))
    except BrokenPipeError:
        raise UnreadableFile(_death(process.wait(SILENCE_S), file)) from None
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _lines(descriptor: int, file: str) -> Iterator[bytes]:
    """The lines that the process writes. Raises UnreadableFile if one is too long or takes too long."""
    line, ends = bytearray(), time.monotonic() + SILENCE_S
    while True:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, ends - time.monotonic()))
        if not ready:
            raise UnreadableFile(f"{file}: reading its features took more than {SILENCE_S:.0f} s")
        chunk = os.read(descriptor, 1 << 20)
        if not chunk:
            return
        line += chunk
        if len(line) > MAX_LINE_BYTES:
            raise UnreadableFile(f"{file}: features of more than {MAX_LINE_BYTES} bytes")
        if b"\n" in chunk:
            *lines, line = line.split(b"\n")
            yield from map(bytes, lines)
            ends = time.monotonic() + SILENCE_S


def _batch(frame: Any, file: str) -> Batch:
    geometries = [None if wkb is None else bytes.fromhex(wkb) for wkb in frame["geometries"]]
    names = frame["names"]
    rows = zip(*frame["columns"], strict=True) if names else [()] * len(geometries)
    return Batch(
        [dict(zip(names, row, strict=True)) for row in rows],
        shapely.from_wkb(np.array(geometries, dtype=object), on_invalid="ignore"),
        projection(frame["crs"], f"{file}: {frame['layer']}") if frame["has_geometry"] else _NO_PROJECTION,
    )


def _death(status: int, file: str) -> str:
    """Why the process ended before it had read everything."""
    if status == -signal.SIGXCPU:
        return f"{file}: reading it took more than {CPU_S} s of processor time"
    if status in (-signal.SIGKILL, -signal.SIGABRT):
        return _too_much_memory(file)
    name = signal.Signals(-status).name if status < 0 else f"status {status}"
    return f"{file}: damaged: the process that read it ended with {name}"


def _too_much_memory(file: str) -> str:
    return f"{file}: reading it needs more than {MEMORY_BYTES} bytes of memory"


def projection(published: str | None, where: str) -> CRS:
    """A projection as a file names it. Raises UnreadableFile, with the place of the name."""
    if not published:
        raise UnreadableFile(f"{where} does not say its projection")
    try:
        return _projection(published[:MAX_PROJECTION_CHARS])
    except CRSError:
        raise UnreadableFile(f"{where}: unknown projection {published[:80]!r}") from None


_projection = lru_cache(maxsize=8)(CRS.from_user_input)
