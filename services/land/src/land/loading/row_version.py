"""The version of the code that makes the rows of a dataset. Each load stores it with the digest of its records. After a
change of the code, the next load of a file replaces the rows of its partitions, even if the file is the same.

The version is a digest of the dataset's registration with all modules of land that it imports, directly or not. It
also changes with a comment: such a reload costs time and nothing else.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import land
from land.datasets.dataset import Dataset

_ROOT = Path(land.__file__).parent.parent
_IMPORT = re.compile(r"^ *from (land[.\w]*) import (\([^)]*\)|.*)", re.MULTILINE)
"""An import from a module of land. Python's own parsers take twenty times as long."""


def row_version(dataset: Dataset) -> str:
    """A short text that changes with the code that makes the dataset's rows."""
    digest = hashlib.blake2b(digest_size=8)
    for module in sorted(modules_of(dataset)):
        digest.update(_parse(module)[0])
    return digest.hexdigest()


def modules_of(dataset: Dataset) -> set[str]:
    """The names of the modules of land that make the dataset's rows."""
    pending = [f"{type(dataset.reader).__module__.rpartition('.')[0]}.registration"]
    modules: set[str] = set()
    while pending:
        module = pending.pop()
        if module not in modules:
            modules.add(module)
            pending += _parse(module)[1]
    return modules


def source_path(module: str) -> Path:
    """The file of a module or package of land."""
    path = _ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _parse(module: str) -> tuple[bytes, Sequence[str]]:
    """The digest of a module, with a list of codes that lies beside it under the same name. Also the modules of land
    that it imports.
    """
    path = source_path(module)
    source, lists = path.read_bytes(), path.with_suffix(".toml")
    imports: set[str] = set()
    for name, members in _IMPORT.findall(source.decode()):
        names = re.findall(r"\w+", re.sub(r" as \w+|#.*", "", members))
        submodules = {f"{name}.{member}" for member in names if source_path(f"{name}.{member}").is_file()}
        imports |= submodules if len(submodules) == len(names) else {*submodules, name}
    return hashlib.blake2b(source + (lists.read_bytes() if lists.exists() else b"")).digest(), sorted(imports)
