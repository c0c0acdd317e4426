"""Land through PgBouncer in transaction mode."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import poolers
import pytest
from land_builders import statuses
from land_replica import two_replicas
from published_files import parcel_id
from publishers import Publishers
from sqlalchemy import Engine

from land.errors import CommuneLoading
from land.units.model import LandUnit
from servicekit.database import SERVING, open_engine

pytestmark = pytest.mark.docker


@pytest.mark.parametrize("store", ["postgis"], indirect=True)
def test_two_replicas_load_each_file_once(store: Engine, publishers: Publishers, tmp_path: Path) -> None:
    start = threading.Barrier(10)
    url = store.url.render_as_string(hide_password=False)
    with poolers.pooled(url, SERVING, tmp_path) as pooled_url:
        engine = open_engine(pooled_url)
        with two_replicas(engine, publishers, tmp_path / "land") as replicas:

            def request(number: int) -> LandUnit | CommuneLoading:
                start.wait()
                try:
                    return replicas[number % 2].land_unit(parcel_id(1))
                except CommuneLoading as error:  # on a slow machine the load continues
                    return error

            with ThreadPoolExecutor(10) as pool:
                answers = list(pool.map(request, range(10)))
            again = [replica.land_unit(parcel_id(1)) for replica in replicas for _ in range(10)]
        engine.dispose()
    assert all(isinstance(answer, CommuneLoading) or statuses(answer)["dvf"] == "covered" for answer in answers)
    assert {unit.history.sales for unit in again} == {again[0].history.sales}
    assert set(publishers.counts().values()) == {1}
