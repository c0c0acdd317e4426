"""The age of the loaded data, without the demo."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from land_builders import COMMUNE, address, load, parcel, square
from prometheus_client import REGISTRY
from sqlalchemy import Engine, update

from land.cli import main
from land.datasets.partitions import DEMO_DEPARTMENT
from land.loading.loaded_data import sample_ages
from land.registry import DATASETS
from land.store import loads
from land.store.tables import dataset_load


def test_the_oldest_and_the_newest_partition_of_each_dataset_are_measured(store: Engine) -> None:
    load(store, "ban", COMMUNE, [address(1, "Rue des Lilas", (10, 10))])
    load(store, "ban", f"{DEMO_DEPARTMENT}001", [address(1, "Rue des Lilas", (10, 10))])
    with store.connect() as connection:
        (loaded,) = loads.by_dataset(connection).values()
    newest = loaded.newest_retrieved_at
    assert (loaded.dataset, loaded.partition_count, loaded.oldest_retrieved_at) == ("ban", 1, newest)
    sample_ages(store)
    at = REGISTRY.get_sample_value("land_data_newest_timestamp_seconds", {"dataset": "ban"})
    assert at is not None
    assert datetime.fromtimestamp(at, UTC) == datetime.fromisoformat(newest)


def test_a_tree_that_a_publisher_no_longer_renews_is_measured_and_told(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    today = datetime.now(UTC).date()
    for commune, days in (("18002", 500), ("18003", 140)):
        plan = [parcel(1, square(0, 0), commune=commune)]
        load(engine, "cadastre-parcels", commune, plan, edition=str(today - timedelta(days)))
    load(engine, "ban", COMMUNE, [address(1, "Rue des Lilas", (10, 10))], edition="2020-01-01")
    load(engine, "ban", "18004", [address(1, "Rue des Lilas", (10, 10), commune="18004")], edition="2020-01-01")
    with engine.begin() as connection:  # an older program had another dataset
        connection.execute(update(dataset_load).where(dataset_load.c.partition == "18004").values(dataset="retired"))
    sample_ages(engine)
    assert REGISTRY.get_sample_value("land_data_edition_late_days", {"dataset": "cadastre-parcels"}) == 10
    assert REGISTRY.get_sample_value("land_data_edition_late_days", {"dataset": "ban"}) is None
    monkeypatch.setenv("LAND_DATABASE_URL", engine.url.render_as_string(hide_password=False))
    monkeypatch.setenv("LAND_DATA_DIR", str(tmp_path))
    told = [line for line in CliRunner().invoke(main, ["status"]).output.splitlines() if line.startswith("warning")]
    assert told == [f"warning: cadastre-parcels: an edition after {today - timedelta(140)} has been due for 10 days"]


@pytest.mark.parametrize(
    ("edition", "last_day"),
    [
        ("2025", "2025-12-31"),
        ("2026-02", "2026-02-28"),
        ("2026-04-01", "2026-04-01"),
        ("e1", None),
        ("2026-13", None),
        ("2026-04-00", None),
    ],
)
def test_an_edition_ends_with_its_day_month_or_year(edition: str, last_day: str | None) -> None:
    dataset = DATASETS["cadastre-parcels"]
    days = dataset.days_late(edition)
    known = last_day and (datetime.now(UTC).date() - date.fromisoformat(last_day)).days - dataset.late_after_days
    assert days == known
