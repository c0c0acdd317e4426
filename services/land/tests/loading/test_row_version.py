"""The digest of the code that makes the rows of a dataset."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from land import registry
from land.datasets.communes.registration import POSTCODES
from land.datasets.dataset import Dataset
from land.datasets.duplicates import unique
from land.loading import row_version
from land.loading.row_version import modules_of, source_path

ChangeSource = Callable[[str, str, str], None]
MAKERS = {
    "ban": {"records.addresses", "sources.ban", "rows.addresses", "loading.street_forms", "normalise"},
    "cadastre-parcels": {"records.parcels", "sources.cadastre", "rows.parcels", "store.parcels", "territory"},
    "dvf": {"records.sales", "sources.dvf", "rows.sales", "rows.mutations", "rows.market_sales"},
    "gpu-sup": {"records.easements", "sources.sup", "rows.easements", "store.easements"},
    "sitadel-housing": {"records.permits", "sources.sitadel", "sources.sitadel_codes", "rows.permits"},
}
"""Some modules of land that make the rows of a dataset."""


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
def test_the_version_covers_the_reader_the_records_and_the_shared_readers(dataset: Dataset) -> None:
    modules = modules_of(dataset)
    assert type(dataset.reader).__module__ in modules
    assert any(module.startswith("land.records.") for module in modules)
    assert {"land.sources.base", "land.sources.values", "land.store.repository"} <= modules


@pytest.mark.parametrize("dataset", registry.DATASETS.values(), ids=registry.DATASETS)
def test_the_version_does_not_cover_what_makes_no_rows(dataset: Dataset) -> None:
    makers = ("addresses", "dataset", "errors", "loading.street_forms", "normalise", "parcels", "partitions",
              "records", "rows", "sources", "store", "territory", "easement_codes")  # fmt: skip
    assert {module for module in modules_of(dataset) if not module.startswith(tuple(f"land.{m}" for m in makers))} == (
        set()
    )


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
        ("land.sources.values", "MAX_LAT = 90.0", "MAX_LAT = 91.0"),
    ],
    ids=["a fact of a sale", "a field of a record", "a shared reader"],
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


def test_a_constant_of_the_registration_is_part_of_the_version() -> None:
    other_key = replace(POSTCODES, rows=unique("name"))
    assert row_version.row_version(other_key) != row_version.row_version(POSTCODES)
