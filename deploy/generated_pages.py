"""Writes docs/settings.md from the settings classes, the table of datasets in docs/data.md from land's registry, the
edge's copy of keys' rules for requests, and the names of blocks and endpoints for the pages.

With --check, writes nothing and reports outdated files.
"""

import ast
import inspect
import json
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from generated_files import update
from pydantic.fields import FieldInfo
from request_limits import request_limits

from assistant.settings import AssistantSettings
from contract.endpoints import SCOPES
from contract.enums import BLOCKS, DEFAULT_BLOCKS
from edge.settings import EdgeSettings
from keys.settings import KeysSettings, MailSettings
from land.datasets.dataset import Dataset
from land.datasets.partitions import PartitionKind
from land.registry import DATASETS
from land.settings import LandSettings
from servicekit.settings import RpcSettings, Settings, Variables
from servicekit.tracing import TracingSettings

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LIMITS = ROOT / "services/edge/src/edge/admin/request_limits.json"
VALUES = ROOT / "services/edge/web/src/api/values.ts"
CLASSES: tuple[tuple[str, type[Settings]], ...] = (
    ("edge", EdgeSettings),
    ("land", LandSettings),
    ("keys", KeysSettings),
    ("assistant", AssistantSettings),
)
_SETTINGS_HEAD = """\
# Settings

`make generated` writes this page from the settings classes: do not edit it. Every setting is an environment variable. A
service reads and checks its settings once, when it starts. If one is wrong, the service prints its name and ends.
`NAME_FILE` may be set instead of `NAME`, to the path of a file that holds the value: use it for secrets. If both are
set, the file counts. "required" means that there is no default.
"""
_TABLE_START = "<!-- `make generated` writes this table from the registrations of land -->\n"
_TABLE_END = "<!-- end of the table -->\n"
_TABLE_HEAD = """\
| id | publisher | dataset | loaded | base address | partition |
|---|---|---|---|---|---|
"""
_PARTITIONS: Mapping[PartitionKind, str] = {
    "country": "France",
    "department": "département",
    "commune": "commune",
    "filing_commune": "commune of filing",
    "document": "planning document",
}


def main() -> int:
    data_page = DOCS / "data.md"
    pages = {
        DOCS / "settings.md": _settings_page(),
        data_page: _with_table(data_page.read_text(encoding="utf-8")),
        LIMITS: json.dumps(request_limits(), indent=1) + "\n",
        VALUES: _values({"BLOCKS": BLOCKS, "DEFAULT_BLOCKS": DEFAULT_BLOCKS, "SCOPES": SCOPES}),
    }
    return update(pages, "make generated")


def _values(constants: Mapping[str, Sequence[str]]) -> str:
    arrays = [f"export const {name} = {json.dumps(values)} as const;\n" for name, values in constants.items()]
    return f"// The names of blocks and endpoints. `make generated` writes this file.\n{''.join(arrays)}"


def _settings_page() -> str:
    shared = _section("Every gRPC service (`LAND_`, `KEYS_`, `ASSISTANT_`)", RpcSettings, "…_")
    return "\n".join(
        [
            _SETTINGS_HEAD,
            shared,
            _section("Traces of every service (`OTEL_`)", TracingSettings),
            _section("`keys mail` (`KEYS_`)", MailSettings),
            *(_section(f"{name} (`{name.upper()}_`)", settings) for name, settings in CLASSES),
        ]
    )


def _section(title: str, settings: type[Variables], prefix: str | None = None) -> str:
    shared = RpcSettings.model_fields if prefix is None and issubclass(settings, RpcSettings) else {}
    texts = _docstrings(settings)
    rows = [
        f"| `{f'{prefix}{field.upper()}' if prefix else settings.variable(field)}` | {_default(info)} "
        f"| {' '.join((info.description or texts.get(field, '')).split())} |"
        for field, info in settings.model_fields.items()
        if field not in shared
    ]
    return "\n".join([f"## {title}\n", "| variable | default | |", "|---|---|---|", *rows, ""])


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    return f"`{info.default}`" if info.default is not None and str(info.default) not in ("", "()") else "none"


def _docstrings(settings: type[Variables]) -> dict[str, str]:
    """The text under each field. Pydantic would search for it at each start of a program."""
    classes = (
        node
        for base in reversed(settings.__mro__)
        if issubclass(base, Variables)
        for node in ast.parse(inspect.getsource(sys.modules[base.__module__])).body
        if isinstance(node, ast.ClassDef) and node.name == base.__name__
    )
    return {
        ast.unparse(field.target): ast.literal_eval(text.value)
        for node in classes
        for field, text in pairwise(node.body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }


def _with_table(page: str) -> str:
    """The page with the current table of datasets. Raises ValueError without the marks around the table."""
    before, start, table_and_after = page.partition(_TABLE_START)
    _, end, after = table_and_after.partition(_TABLE_END)
    if not start or not end:
        raise ValueError(f"docs/data.md needs the lines {_TABLE_START!r} and {_TABLE_END!r}")
    return f"{before}{start}{_TABLE_HEAD}{''.join(map(_row, DATASETS.values()))}{end}{after}"


def _row(dataset: Dataset) -> str:
    licence = dataset.licence
    bases = ", ".join(f"`{LandSettings.variable(f'{host.name}_base')}`" for host in dataset.hosts)
    cells = (f"`{dataset.id}`", licence.publisher, licence.dataset, _loaded(dataset), bases, _PARTITIONS[dataset.kind])
    return f"| {' | '.join(cells)} |\n"


def _loaded(dataset: Dataset) -> str:
    if not dataset.hosts:
        return "by import only"
    how = "at start" if dataset.kind == "country" else "asked by parcel" if dataset.is_asked else "on demand"
    return f"{how}; not published in {', '.join(dataset.not_published_in)}" if dataset.not_published_in else how


if __name__ == "__main__":
    sys.exit(main())
