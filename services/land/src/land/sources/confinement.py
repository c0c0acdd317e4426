"""Confines a process before it reads a file from outside. On Linux, without any privilege and inside containers:

- limits of memory, processor time, size of written files and open files
- Landlock, where the kernel has it (Linux 5.13): no other files than the given ones and Python's own, so no other
  program; no TCP from Linux 6.7 on; no signals to others from Linux 6.12 on

Elsewhere only the limits apply.
"""

import ctypes
import os
import resource
import struct
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from land.sources.gis_formats import UNPACKED

MAX_WRITTEN_BYTES = 256 * 1024**2
"""GDAL writes an index beside a GML."""
MAX_OPEN_FILES = 64

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_NO_NEW_PRIVS, _PR_SET_DUMPABLE = 38, 4

# linux/landlock.h
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ_FILE, _READ_DIR, _EVERY_WRITE = 1 << 2, 1 << 3, (1 << 1) | (1 << 5) | (1 << 8)
"""Write, remove and create regular files."""
_TRUNCATE = 1 << 14
_FS_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""The number of rights by version; 16 from version 5 on."""


def remove_drivers(names: Iterable[str]) -> None:
    """Unregisters drivers of GDAL, which is loaded: formats that we do not read may refer to files and addresses."""
    if sys.platform != "linux":
        return
    with Path("/proc/self/maps").open() as maps:
        path = next((line.split()[-1] for line in maps if "libgdal" in line), None)
    if path is None:
        raise RuntimeError("GDAL is not loaded")
    gdal = ctypes.CDLL(path)
    gdal.GDALGetDriverByName.restype = ctypes.c_void_p
    gdal.GDALDeregisterDriver.argtypes = (ctypes.c_void_p,)
    for name in names:
        driver = gdal.GDALGetDriverByName(name.encode())
        if driver:
            gdal.GDALDeregisterDriver(driver)


def confine(paths: Sequence[Path], memory_bytes: int, cpu_s: int) -> None:
    """Confines this process, which must have one thread, for the rest of its life. It may read the files and those with
    the same stem, and write in the folder of a file that was unpacked for it. Raises OSError if Linux refuses.
    """
    for limit, requested in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_FSIZE, MAX_WRITTEN_BYTES),
        (resource.RLIMIT_NOFILE, MAX_OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        most = resource.getrlimit(limit)[1]
        value = requested if most == resource.RLIM_INFINITY else min(requested, most)
        # at the hard limit of processor time the signal is SIGKILL, which says less
        is_spared = limit == resource.RLIMIT_CPU and value != most
        resource.setrlimit(limit, (value, value + 1 if is_spared else value))
    if sys.platform != "linux":
        return
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _check(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0))
    _allow_only(paths)


def landlock_version() -> int:
    """Returns the version of Landlock, less than 1 without it. It refuses TCP from 4 on, and signals from 6 on."""
    version: int = _libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    return version


def _allow_only(paths: Sequence[Path]) -> None:
    version = landlock_version()
    if version < 1:
        return
    rights = (1 << _FS_RIGHTS.get(version, 16)) - 1
    network, scope = 0b11 if version >= 4 else 0, 0b11 if version >= 6 else 0  # noqa: PLR2004 (versions)
    attributes = struct.pack("=QQQ", rights, network, scope)[: 24 if version >= 6 else 16 if version >= 4 else 8]  # noqa: PLR2004
    ruleset = _check(_libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0))
    for part in {sys.prefix, sys.base_prefix, *filter(None, sys.path), "/dev/urandom"}:
        readable = Path(part)
        _allow(ruleset, readable, _READ_FILE | (_READ_DIR if readable.is_dir() else 0))
    for path in paths:
        folder = path.parent
        if folder.name.startswith(UNPACKED) or folder.parent.name.startswith(UNPACKED):
            _allow(ruleset, folder, (_READ_FILE | _READ_DIR | _EVERY_WRITE | _TRUNCATE) & rights)
            _allow(ruleset, path.resolve(), _READ_FILE)
        else:
            _allow(ruleset, folder, _READ_DIR)
            for side_file in folder.glob(f"{path.stem}.*"):
                _allow(ruleset, side_file, _READ_FILE)
    _check(_libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    with suppress(FileNotFoundError):
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            _check(_libc.syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, descriptor), 0))
        finally:
            os.close(descriptor)


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
