"""The databases that a URL selects."""

import pytest

from servicekit.database import open_engine


@pytest.mark.parametrize("scheme", ["postgresql+psycopg", "postgresql", "postgres"])
def test_the_usual_schemes_of_postgresql_select_its_driver(scheme: str) -> None:
    engine = open_engine(f"{scheme}://keys:p%40ss@keys-db-rw.land-partner:5432/keys")
    assert engine.dialect.driver == "psycopg"
    assert engine.url.password == "p@ss"
