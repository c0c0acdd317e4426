"""Sales of years that the publisher has withdrawn, beside the published ones."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from land_builders import import_file
from land_replica import Replica
from published_files import COMMUNE, dvf_file, parcel_id
from sqlalchemy import Engine
from written_files import Writer

from land.datasets.sales.queries import sales_on
from land.errors import UnreadableFile
from land.loading.disk_space import evict
from land.store import loads


def test_an_imported_year_stays_while_the_published_ones_come_and_go(
    engine: Engine, replica: Replica, write: Writer, tmp_path: Path
) -> None:
    import_file(engine, "dvf-archive", write("full-2014.csv.gz", dvf_file(year=2014)), tmp_path)
    unit = replica.land_unit(parcel_id(1))
    years = sorted((sale.date_mutation or "")[:4] for sale in unit.history.sales)
    assert years == ["2014", "2024"], "the published years load beside it"
    assert {source.id: source.edition for source in unit.sources}["dvf-archive"] == "2014"
    replica.on_demand.end()
    evict(engine, 1, in_use=())
    with engine.connect() as connection:
        assert loads.parts_of(connection, "dvf", COMMUNE) == []
        assert loads.parts_of(connection, "dvf-archive", COMMUNE) == ["2014"]
        assert [(sale.date_mutation or "")[:4] for sale in sales_on(connection, [parcel_id(1)])] == ["2014"]


def test_the_archive_takes_over_a_year_and_refuses_a_published_one(
    engine: Engine, write: Writer, tmp_path: Path
) -> None:
    path = write("2019.csv", dvf_file(year=2019))
    for dataset in ("dvf", "dvf-archive"):
        import_file(engine, dataset, path, tmp_path)
    with engine.connect() as connection:
        assert loads.parts_of(connection, "dvf", COMMUNE) == []
    this_year = datetime.now(UTC).year
    with pytest.raises(UnreadableFile, match=f"{this_year} is published still"):
        import_file(engine, "dvf-archive", write("new.csv", dvf_file(year=this_year)), tmp_path)
