"""Import rules: no service imports another, and a domain imports neither its transport nor its database."""

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import version
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SERVICES = ("edge", "land", "assistant", "keys")

DATABASE = ("sqlalchemy", "alembic", "psycopg", "sqlite3", "servicekit.database", "servicekit.migrations")
RPC = (
    "grpc",
    "landpartner",
    "google.protobuf",
    "google.rpc",
    "servicekit.rpc_client",
    "servicekit.rpc_server",
    "contract.messages",
)
HTTP = ("fastapi", "starlette", "uvicorn", "httptools")
GEOMETRY = ("shapely", "pyproj")

RPC_PARTS = ("rpc", "clients", "cli", "server", "errors")
"""The top-level folders or modules of a service that may import gRPC and protobuf."""
MESSAGES_OF_ASSISTANT = ("landpartner.land.v1.land_pb2", "landpartner.assistant.v1.assistant_pb2")
"""The messages that the domain of the assistant reads, since a copy of them would say the same again. They are data:
the calls that carry them are in other modules.
"""

_PASSED_ON = ("sqlalchemy.Engine", "sqlalchemy.Connection", "sqlalchemy.exc", "servicekit.database.for_writing")
DATABASE_BY_PART = {
    "store": DATABASE,
    "cli": (*_PASSED_ON, "servicekit.migrations"),
    "server": (*_PASSED_ON, "servicekit.migrations"),
    "rpc": _PASSED_ON,
    "loading": _PASSED_ON,
    "pipeline": _PASSED_ON,
    "events": _PASSED_ON,
    "law": ("sqlite3",),  # a full-text index in memory, made of files
}
"""The database imports that each part may have. Only store/ contains SQL and opens the database. Parts that begin and
commit a unit of work pass its engine on. Every other part is a domain and has no database import.
"""

LAYERS_OF_KEYS = ("values", "store", "subjects", "upkeep", "rpc", "server", "cli")
"""The layers of keys, the lowest first. Every folder that is not named here is a subject."""

STATEMENTS_OF_LAND = ("queries", "street_queries", "deed_queries", "tables")
"""The modules of a dataset of land with its tables and statements: they are parts of its store."""
CLIENTS_OF_LAND = ("client", "lookups")
"""The modules of a dataset of land that ask its publisher for a request: they are parts of loading."""
ROWS_OF_LAND = ("rows", "market_rows", "mutations")
"""The modules of a dataset of land that make the rows of its tables."""

PRIVATE_PARTS = {
    "uvicorn": "0.54.0",  # edge/server.py derives from its protocol; edge/middleware/metered.py steps `receive` by hand
    "grpcio": "1.85.1",  # servicekit/rpc_client.py steps `code` of an ended call by hand
    "sqlalchemy": "2.1.9",  # land/store/prepared.py replaces the marks of lists in compiled statements
}
"""The libraries whose private parts we use, in the version in which they were read. Before another version: compare
these places with its source, run the tests of the edge, servicekit and land's store, and name the version here.
"""
PRIVATE_IMPORTS = {"uvicorn._types.ASGI3Application"}


def sources(service: str) -> list[Path]:
    return sorted((REPOSITORY / "services" / service / "src" / service).rglob("*.py"))


@cache
def parsed(source: Path) -> ast.Module:
    return ast.parse(source.read_text(encoding="utf-8"))


@cache
def imported(source: Path) -> Sequence[str]:
    """Full names of all imports in a module, at any level."""
    imports: list[str] = []
    for node in ast.walk(parsed(source)):
        match node:
            case ast.Import(names=names):
                imports += (name.name for name in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                imports += (f"{module}.{name.name}" for name in names)
    return imports


def is_within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def part_of(source: Path, service: str) -> str:
    """The top-level folder of the module, or the module itself if it is at the top. Land has the statements of a
    dataset beside its reader.
    """
    part = Path(source.relative_to(REPOSITORY / "services" / service / "src" / service).parts[0]).stem
    if service == "land" and part == "datasets":
        if source.stem in STATEMENTS_OF_LAND:
            return "store"
        if source.stem in CLIENTS_OF_LAND:
            return "loading"
        return "rows" if source.stem in ROWS_OF_LAND else "records" if source.stem == "records" else part
    return part


@pytest.mark.parametrize("service", SERVICES)
def test_no_service_imports_another(service: str) -> None:
    other_services = tuple(other for other in SERVICES if other != service)
    wrong = [
        f"{source.relative_to(REPOSITORY)}: {name}"
        for folder in ("src", "tests")
        for source in sorted((REPOSITORY / "services" / service / folder).rglob("*.py"))
        for name in imported(source)
        if is_within(name, other_services)
    ]
    assert not wrong


@pytest.mark.parametrize("service", SERVICES)
def test_no_service_imports_a_tool(service: str) -> None:
    wrong = [
        f"{source.relative_to(REPOSITORY)}: {name}"
        for source in sources(service)
        for name in imported(source)
        if is_within(name, ("addressfit",))
    ]
    assert not wrong


@pytest.mark.parametrize("library", ["libs/servicekit", "libs/demoland", "libs/contract", "protos"])
def test_no_library_imports_a_service(library: str) -> None:
    modules = sorted((REPOSITORY / library / "src").rglob("*.py"))
    assert modules
    wrong = [
        f"{source.relative_to(REPOSITORY)}: {name}"
        for source in modules
        for name in imported(source)
        if is_within(name, SERVICES)
    ]
    assert not wrong


def test_private_parts_of_libraries_are_used_in_the_version_that_was_read() -> None:
    assert {library: version(library) for library in PRIVATE_PARTS} == PRIVATE_PARTS


def test_private_modules_of_libraries_are_not_imported() -> None:
    modules = [*(REPOSITORY / "libs").glob("*/src/**/*.py"), *(REPOSITORY / "services").glob("*/src/**/*.py")]
    assert modules
    names = {name for module in modules for name in imported(module)}
    own = (*SERVICES, *(folder.name for folder in (REPOSITORY / "libs").iterdir()))
    assert {name for name in names if "._" in name and not is_within(name, own)} == PRIVATE_IMPORTS


def test_rows_of_files_are_built_by_keyword() -> None:
    """A new column then changes no test that does not need it. Three values or four are readable by position."""
    modules = (REPOSITORY / "services/land/src/land/datasets").glob("*/records.py")
    rows = {node.name for module in modules for node in parsed(module).body if isinstance(node, ast.ClassDef)}
    folders = ("services/land/tests", "tests", "bench")
    wrong = [
        f"{source.relative_to(REPOSITORY)}:{node.lineno}"
        for folder in folders
        for source in (REPOSITORY / folder).rglob("*.py")
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in rows
        if len(node.args) > 4
    ]
    assert rows
    assert not wrong


def test_the_contract_imports_no_http_and_no_database() -> None:
    modules = sorted((REPOSITORY / "libs/contract/src").rglob("*.py"))
    assert modules
    wrong = [
        f"{source.relative_to(REPOSITORY)}: {name}"
        for source in modules
        for name in imported(source)
        if is_within(name, (*HTTP, *DATABASE, *GEOMETRY, "pydantic"))
    ]
    assert not wrong


@pytest.mark.parametrize("folder", ["libs/contract", *(f"services/{service}" for service in SERVICES)])
def test_no_modules_import_each_other_in_a_circle(folder: str) -> None:
    root = REPOSITORY / folder / "src"
    names = {
        ".".join(source.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): source
        for source in root.rglob("*.py")
    }
    imports = {}
    for name, source in names.items():
        targets = {part for target in imported(source) for part in (target, target.rpartition(".")[0])}
        imports[name] = targets & names.keys() - {name}
    TopologicalSorter(imports).prepare()  # raises CycleError with the modules


def test_the_python_client_imports_httpx_alone() -> None:
    modules = sorted((REPOSITORY / "clients" / "python" / "src").rglob("*.py"))
    assert modules
    wrong = [
        f"{source.relative_to(REPOSITORY)}: {name}"
        for source in modules
        for name in imported(source)
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "httpx", "landpartner_client"}
    ]
    assert not wrong


@pytest.mark.parametrize("service", ["land", "assistant", "keys"])
def test_a_domain_does_not_import_its_transport(service: str) -> None:
    wrong = [
        f"{source.relative_to(REPOSITORY)}: {name}"
        for source in sources(service)
        for name in imported(source)
        if is_within(name, RPC) and part_of(source, service) not in RPC_PARTS
        if not (service == "assistant" and is_within(name, MESSAGES_OF_ASSISTANT))
    ]
    assert not wrong


@pytest.mark.parametrize("service", ["land", "assistant", "keys"])
def test_sql_is_only_in_the_store(service: str) -> None:
    wrong = [
        f"{source.relative_to(REPOSITORY)}: {name}"
        for source in sources(service)
        for name in imported(source)
        if is_within(name, DATABASE) and not is_within(name, DATABASE_BY_PART.get(part_of(source, service), ()))
    ]
    assert not wrong


_ANSWERING = (
    "answers", "cli", "features", "loading", "parcel_search", "pipeline", "registry", "rpc", "selection", "server",
    "tiles", "unit_answers", "units",
)  # fmt: skip
PARTS_OF_LAND = {
    "datasets": _ANSWERING,
    "store": (*_ANSWERING, "addresses", "sources"),
    "rows": (*_ANSWERING, "sources", "store"),
    "records": (*_ANSWERING, "addresses", "sources", "store"),
    "sources": (*_ANSWERING, "addresses", "store"),
}
"""The parts of land that each part must not import."""
SEARCH_OF_DATASETS = ("normalise", "stored_streets", "street_starts")
"""The modules of the search for addresses that datasets import: the forms in which streets are stored."""


def parts_of_land(name: str) -> str:
    """The part of land of an imported name."""
    path = REPOSITORY / "services/land/src" / name.replace(".", "/")
    module = next((path for path in (path.with_suffix(".py"), path.parent.with_suffix(".py")) if path.is_file()), None)
    return part_of(module, "land") if module else name.split(".")[1]


@pytest.mark.parametrize("part", PARTS_OF_LAND)
def test_parts_of_land_import_only_lower_parts(part: str) -> None:
    modules = [
        source for source in sources("land") if part_of(source, "land") == part and "migrations" not in source.parts
    ]
    assert modules
    wrong = [
        f"{source.relative_to(REPOSITORY)}: {name}"
        for source in modules
        for name in imported(source)
        if is_within(name, ("land",)) and parts_of_land(name) in PARTS_OF_LAND[part]
    ]
    assert not wrong


def test_datasets_import_only_the_stored_forms_of_the_search() -> None:
    allowed = tuple(f"land.addresses.{module}" for module in SEARCH_OF_DATASETS)
    wrong = [
        f"{source.relative_to(REPOSITORY)}: {name}"
        for source in sources("land")
        if "datasets" in source.parts
        for name in imported(source)
        if is_within(name, ("land.addresses",)) and not is_within(name, allowed)
    ]
    assert not wrong


def test_the_folders_of_datasets_form_no_circle() -> None:
    folders = {
        folder.name: {
            name.split(".")[2]
            for module in folder.glob("*.py")
            for name in imported(module)
            if is_within(name, ("land.datasets",))
        }
        for folder in (REPOSITORY / "services/land/src/land/datasets").iterdir()
        if folder.is_dir()
    }
    imports = {folder: names & folders.keys() - {folder} for folder, names in folders.items()}
    assert len(imports) > 12
    TopologicalSorter(imports).prepare()


@pytest.mark.parametrize("service", ["land", "assistant", "keys"])
def test_only_the_edge_imports_http(service: str) -> None:
    wrong = [
        f"{source.relative_to(REPOSITORY)}: {name}"
        for source in sources(service)
        for name in imported(source)
        if is_within(name, HTTP)
    ]
    assert not wrong


def test_the_edge_imports_no_database_and_no_geometry() -> None:
    """SQLite files are what a GeoPackage, the spool and the counts of checks are."""
    imports = {
        f"{source.relative_to(REPOSITORY / 'services/edge/src/edge')}: {name}"
        for source in sources("edge")
        for name in imported(source)
        if is_within(name, (*DATABASE, *GEOMETRY))
    }
    of_files = (
        "availability.py",
        "batches/geopackage.py",
        "cli/replaying.py",
        "metering/outcomes.py",
        "metering/spool.py",
    )
    assert imports == {f"{path}: sqlite3" for path in of_files}


def parts_of_keys() -> dict[str, set[str]]:
    """The other parts of keys that each part imports."""
    parts: dict[str, set[str]] = defaultdict(set)
    for source in sources("keys"):
        part = part_of(source, "keys")
        parts[part] |= {name.split(".")[1] for name in imported(source) if is_within(name, ("keys",))} - {part}
    return parts


def layer_of_keys(part: str) -> int:
    return LAYERS_OF_KEYS.index(part if part in LAYERS_OF_KEYS else "subjects")


def test_the_layers_of_keys_import_no_higher_one() -> None:
    assert not set(LAYERS_OF_KEYS) - {"subjects"} - parts_of_keys().keys()
    wrong = [
        f"{source.relative_to(REPOSITORY)}: {name}"
        for source in sources("keys")
        for name in imported(source)
        if is_within(name, ("keys",))
        if layer_of_keys(name.split(".")[1]) > layer_of_keys(part_of(source, "keys"))
    ]
    assert not wrong


def test_the_folders_of_keys_form_no_circle() -> None:
    TopologicalSorter(parts_of_keys()).prepare()


def test_the_edge_loads_no_database_package() -> None:
    """The image of the edge has no database package."""
    code = "import sys, edge.server; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert "edge.app" in loaded
    assert not {"sqlalchemy", "alembic", "psycopg"} & set(loaded)
