"""The version of the code that makes the rows of a dataset. Each load stores it with the digest of its records. After a
change of the code, the next load of a file replaces the rows of its partitions, even if the file is the same.

The version is a digest of the dataset's folder, with all modules of land that it imports, directly or not. It also
changes with a comment: such a reload costs time and nothing else.
"""

import dis
import hashlib
import pkgutil
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import land
from land.datasets.dataset import Dataset

_ROOT = Path(land.__file__).parent.parent


def row_version(dataset: Dataset) -> str:
    """A short text that changes with the code that makes the dataset's rows."""
    digest = hashlib.blake2b(digest_size=8)
    for module in sorted(modules_of(dataset)):
        digest.update(_parse(module).digest)
    return digest.hexdigest()


def modules_of(dataset: Dataset) -> set[str]:
    """The names of the modules of land that make the dataset's rows."""
    folder = type(dataset.reader).__module__.rpartition(".")[0]
    pending = [module.name for module in pkgutil.iter_modules([str(source_path(folder).parent)], f"{folder}.")]
    modules: set[str] = set()
    while pending:
        module = pending.pop()
        if module not in modules:
            modules.add(module)
            pending += _parse(module).imports
    return modules


def source_path(module: str) -> Path:
    """The file of a module or package of land."""
    path = _ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


class _Module(NamedTuple):
    digest: bytes
    imports: Sequence[str]
    """The modules of land that it imports."""


@cache
def _parse(module: str) -> _Module:
    path = source_path(module)
    source = path.read_bytes()
    imports: set[str] = set()
    for name, members in _imports(compile(source, path, "exec")):
        submodules = {f"{name}.{member}" for member in members if _is_submodule(name, member)}
        imports |= submodules if members and len(submodules) == len(members) else {*submodules, name}
    return _Module(hashlib.blake2b(source).digest(), sorted(filter(_is_in_land, imports)))


def _imports(code: CodeType) -> Iterator[tuple[str, Sequence[str]]]:
    """The modules that the code imports, with the names that it takes from each.

    Reads compiled code: in Python 3.11, `ast.parse` fails at times if several threads call it.
    """
    members: Sequence[str] = ()
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME":
            yield instruction.argval, members
        members = instruction.argval or () if instruction.opname == "LOAD_CONST" else ()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _imports(constant)


def _is_submodule(module: str, member: str) -> bool:
    return _is_in_land(module) and source_path(f"{module}.{member}").is_file()


def _is_in_land(module: str) -> bool:
    return module.partition(".")[0] == land.__name__
