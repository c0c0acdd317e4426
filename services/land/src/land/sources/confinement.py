"""Confines a process before it reads a file from outside. On Linux, without any privilege and inside containers:

- limits of memory, processor time, size of written files and open files
- seccomp, on x86-64 and ARM64: no socket, no other program, no new process, no signals to others
- Landlock, where the kernel has it (Linux 5.13): no other files than the given ones and Python's own, no TCP

Elsewhere only the limits apply.
"""

import ctypes
import os
import platform
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

# --- seccomp: linux/seccomp.h, linux/filter.h ------------------------------------------------------------------------
_SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_DENIED = {
    # socket socketpair connect bind listen accept accept4 sendto sendmsg | fork vfork execve execveat | ptrace
    # process_vm_readv process_vm_writev kill tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open
    # pidfd_send_signal pidfd_getfd | mount unshare setns bpf perf_event_open userfaultfd keyctl add_key request_key
    # io_uring_setup clone3
    "x86_64": (
        41, 53, 42, 49, 50, 43, 288, 44, 46, 57, 58, 59, 322, 101, 310, 311, 62, 200, 129, 297, 434, 424, 438,
        165, 272, 308, 321, 298, 323, 250, 248, 249, 425,
    ),
    "aarch64": (
        198, 199, 203, 200, 201, 202, 242, 206, 211, 221, 281, 117, 270, 271, 129, 130, 138, 240, 434, 424, 438,
        40, 97, 268, 280, 241, 282, 219, 217, 218, 425,
    ),
}  # fmt: skip
_CLONE, _CLONE3, _CLONE_THREAD = {"x86_64": 56, "aarch64": 220}, 435, 0x10000
_TGKILL = {"x86_64": 234, "aarch64": 131}
_X32 = 0x40000000
_SET_MODE_FILTER, _TSYNC = 1, 1
_LOAD, _EQUALS, _AT_LEAST, _HAS_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Offsets in struct seccomp_data."""

# --- Landlock: linux/landlock.h --------------------------------------------------------------------------------------
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ_FILE, _READ_DIR, _EVERY_WRITE = 1 << 2, 1 << 3, (1 << 1) | (1 << 5) | (1 << 8)
"""Write, remove and create regular files."""
_TRUNCATE = 1 << 14
_FS_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""The number of rights by version; 16 from version 5 on."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


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
    if platform.machine() in _SYS_SECCOMP:
        _filter_system_calls(platform.machine())


def _filter_system_calls(machine: str) -> None:
    denied = _DENIED[machine]
    rules = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUALS, 1, 0, _AUDIT_ARCH[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
        (_EQUALS, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _ERRNO | _ENOSYS),  # the C library then uses clone, whose flags can be read
        *[(_EQUALS, len(denied) - position + 1, 0, number) for position, number in enumerate(denied)],
        (_EQUALS, 2, 0, _CLONE[machine]),
        (_EQUALS, 3, 5, _TGKILL[machine]),
        (_RETURN, 0, 0, _ERRNO | _EPERM),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_HAS_BITS, 2, 3, _CLONE_THREAD),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUALS, 0, 1, os.getpid()),  # abort signals itself
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | _EPERM),
    ]
    code = b"".join(struct.pack("=HBBI", *rule) for rule in rules)
    instructions = ctypes.create_string_buffer(code)
    program = _Program(len(rules), ctypes.addressof(instructions))
    _check(_libc.syscall(_SYS_SECCOMP[machine], _SET_MODE_FILTER, _TSYNC, ctypes.byref(program)))


def _allow_only(paths: Sequence[Path]) -> None:
    version = _libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
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
            rule = struct.pack("=Qi", rights, descriptor)
            _check(_libc.syscall(_ADD_RULE, ruleset, 1, rule, 0))
        finally:
            os.close(descriptor)


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
