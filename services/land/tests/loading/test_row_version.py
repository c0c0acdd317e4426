"""The digest of the code that makes the rows of a dataset."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from land import registry
from land.datasets.dataset import Dataset
from land.loading import row_version
from land.loading.row_version import modules_of, source_path

ChangeSource = Callable[[str, str, str], None]
MAKERS = {
    "ban": {
        "datasets.addresses.reader", "datasets.addresses.rows", "datasets.addresses.street_queries",
        "addresses.stored_streets", "addresses.normalise",
    },
    "cadastre-parcels": {"datasets.parcels.reader", "datasets.parcels.queries", "datasets.territory"},
    "dvf": {"datasets.sales.reader", "datasets.sales.rows", "datasets.sales.mutations", "datasets.sales.market_rows"},
    "gpu-sup": {"datasets.easements.reader", "datasets.easements.rows", "datasets.planning.layer"},
    "sitadel-housing": {"datasets.permits.reader", "datasets.permits.codes"},
}  # fmt: skip
"""Some modules of land that make the rows of a dataset."""
MAKES_NO_ROWS = {"process", "client", "lookups", "register"}
"""The modules in the folders of datasets that only requests use, and the process that runs the reader of rules."""


@pytest.fixture
def changed_source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ChangeSource:
    """A function that changes the source of a module for the rest of the test."""

    def change(module: str, old: str, new: str) -> None:
        source = source_path(module).read_text()
        assert old in source
        ast.parse(changed := source.replace(old, new))
        path = tmp_path / f"{module}.py"
        path.write_text(changed)
        monkeypatch.setattr(row_version, "source_path", lambda name: path if name == module else source_path(name))
        row_version._parse.cache_clear()

    return change


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    row_version._parse.cache_clear()
    yield
    row_version._parse.cache_clear()


@pytest.mark.parametrize("dataset", registry.DATASETS.values(), ids=registry.DATASETS)
def test_the_version_covers_the_folder_and_the_shared_readers(dataset: Dataset) -> None:
    modules = modules_of(dataset)
    folder = type(dataset.reader).__module__.rpartition(".")[0]
    names = {path.stem for path in source_path(folder).parent.glob("*.py")} - MAKES_NO_ROWS
    assert {"records", "queries", "registration"} <= names
    assert {f"{folder}.{name}" for name in names} <= modules
    assert {"land.sources.base", "land.sources.values", "land.store.repository"} <= modules


@pytest.mark.parametrize("dataset", registry.DATASETS.values(), ids=registry.DATASETS)
def test_the_version_does_not_cover_what_makes_no_rows(dataset: Dataset) -> None:
    parts = {module.split(".")[1] for module in modules_of(dataset)}
    assert parts <= {"addresses", "datasets", "errors", "regulation", "sources", "store"}


@pytest.mark.parametrize("name", MAKERS)
def test_the_version_covers_the_modules_that_make_the_rows(name: str) -> None:
    assert {f"land.{module}" for module in MAKERS[name]} <= modules_of(registry.DATASETS[name])


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("land.datasets.sales.rows", "valeur_fonciere=", "valeur_fonciere=0 or "),
        (
            "land.datasets.sales.records",
            "class MarketSale(NamedTuple):",
            "class MarketSale(NamedTuple):\n    more: int\n",
        ),
        ("land.datasets.sales.registration", "rows=sale_rows", "rows=sale_rows or None"),
        ("land.sources.values", "MAX_LAT = 90.0", "MAX_LAT = 91.0"),
    ],
    ids=["a fact of a sale", "a field of a record", "the registration", "a shared reader"],
)
def test_a_change_of_the_code_of_a_field_changes_the_version(
    changed_source: ChangeSource, module: str, old: str, new: str
) -> None:
    before = {name: row_version.row_version(dataset) for name, dataset in registry.DATASETS.items()}
    changed_source(module, old, new)
    after = {name: row_version.row_version(dataset) for name, dataset in registry.DATASETS.items()}
    assert before["dvf"] != after["dvf"]
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {name for name, dataset in registry.DATASETS.items() if module in modules_of(dataset)}
