"""Answers about the demo have the demo as their source, and not the publishers whose formats it uses."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from demo_cases import CASES
from land_builders import address, load, parcel, resolution_of, square, unit_of
from sqlalchemy import Engine, select

import demoland
from contract.enums import DEFAULT_BLOCKS
from land.addresses.model import AddressQuery, Scope
from land.answers.provenance import Source, sources_of
from land.cli import main
from land.errors import AddressNotFound
from land.pipeline import Pipeline
from land.registry import DATASETS
from land.selection import Selection
from land.store.tables import dataset_load

REAL = "18999"
DEMO = (
    "Démonstration / Demo",
    "Données fictives, sans licence / Fictional data, no licence",
    "urn:landpartner:demo",
)


def credits_of(sources: Sequence[Source]) -> set[tuple[str, str, str]]:
    return {(source.publisher, source.licence, source.url) for source in sources}


@pytest.fixture
def land(engine: Engine, tmp_path: Path) -> Pipeline:
    """A store with the demo and a real commune."""
    url = engine.url.render_as_string(hide_password=False)
    settings = {"LAND_DATABASE_URL": url, "LAND_DATA_DIR": str(tmp_path)}
    assert CliRunner().invoke(main, ["demo"], env=settings).exit_code == 0
    load(engine, "ban", REAL, [address(1, "Rue des Lilas", (0, 0))])
    load(engine, "cadastre-parcels", REAL, [parcel(1, square(0, 0))])
    return Pipeline(engine)


def test_answers_about_the_demo_have_the_demo_as_source(land: Pipeline) -> None:
    case = CASES["address_declared"]
    assert case.address is not None
    query = AddressQuery(label=case.address)
    resolved = resolution_of(land, query).sources
    unit = unit_of(land, Selection(query, ()), DEFAULT_BLOCKS, "all").sources
    listed = sources_of(land.coverage(demoland.COMMUNE.code, "demo", ("", "", ""), 100))
    for sources in (resolved, unit, listed):
        assert credits_of(sources) == {DEMO}
        assert {source.edition for source in sources} == {demoland.EDITION}
        assert all(source.dataset.endswith(" (fictif / fictional)") for source in sources)
    assert {source.id for source in resolved} == {"ban", "cadastre-parcels"}
    assert {"bdtopo", "dvf", "gpu-zones", "sitadel-housing"} < {source.id for source in unit}


@pytest.mark.parametrize("label", ["10 rue Lepic, Paris", "10 rue Lepic, 75018 Paris"])
def test_a_real_address_is_told_that_a_test_key_knows_the_demo_alone(land: Pipeline, label: str) -> None:
    with pytest.raises(AddressNotFound, match="demo commune alone"):
        unit_of(land, Selection(AddressQuery(label=label), ()), DEFAULT_BLOCKS, "demo")


@pytest.mark.parametrize("scope", ["all", "demo"])
def test_no_demo_case_has_a_publisher_as_source(land: Pipeline, scope: Scope) -> None:
    for name, case in CASES.items():
        if case.parcel_ids and "retired" not in name:
            unit = unit_of(land, Selection(AddressQuery(), case.parcel_ids), DEFAULT_BLOCKS, scope)
            assert credits_of(unit.sources) == {DEMO}


def test_real_data_has_its_publishers_in_a_store_with_the_demo(land: Pipeline) -> None:
    query = AddressQuery(label="1 rue des lilas 18900 Trifouillis-sur-Cher")
    assert {source.publisher for source in resolution_of(land, query).sources} == {
        DATASETS["ban"].licence.publisher,
        DATASETS["cadastre-parcels"].licence.publisher,
    }
    sources = sources_of(land.coverage("", "all", ("", "", ""), 500))
    assert [source.publisher for source in sources if source.id == "ban"] == [
        DEMO[0],
        DATASETS["ban"].licence.publisher,
    ]


def test_the_demo_has_one_edition(land: Pipeline, engine: Engine) -> None:
    with engine.connect() as connection:
        editions = set(
            connection.scalars(select(dataset_load.c.edition).where(dataset_load.c.partition != REAL).distinct())
        )
    assert editions == {demoland.EDITION}
