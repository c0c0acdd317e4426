"""Addresses of Paris on the cadastre of its 18th arrondissement, sales and permits, on real data.

Needs the sample data. Every expected figure was read in the files; see FORMATS.md there.
"""

import csv
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
import shapely
from land_builders import import_file, land_unit, resolution_of, unit_of
from land_replica import Replica
from published_files import ban_path, cadastre_path, dvf_path, permits_path
from publishers import Publishers, local_publishers
from sqlalchemy import Engine, select

from land.addresses.model import AddressQuery
from land.datasets.communes.registration import LEAST_ROWS
from land.datasets.permits.queries import permit_reference
from land.datasets.sales.queries import sales_on
from land.pipeline import Pipeline
from land.selection import Selection
from land.store import loads
from land.store.snapshot import snapshot

pytestmark = pytest.mark.samples

EIGHTEENTH = "75118"


@pytest.fixture
def eighteenth(store: Engine, samples: Path, tmp_path: Path) -> Pipeline:
    path = samples / "cadastre" / f"cadastre-{EIGHTEENTH}-parcelles.json.gz"
    parcels = import_file(store, "cadastre-parcels", path, tmp_path)
    assert (parcels.row_count, parcels.rejected_count) == (6_821, 0)
    return Pipeline(store)


def test_addresses_resolve_to_the_parcel_that_contains_their_point(
    eighteenth: Pipeline, store: Engine, samples: Path, tmp_path: Path
) -> None:
    """One parcel contains the point of an address: at least 99 % of such addresses resolve to it, by label and by
    fields. The others have the nearest parcel, or none.

    Tests every fourth address on SQLite, and every twentieth on PostGIS, to save time.
    """
    addresses = import_file(store, "ban", samples / "ban" / "adresses-75.csv.gz", tmp_path)
    assert (addresses.row_count, addresses.rejected_count, len(addresses.changed)) == (158_048, 0, 20)
    with gzip.open(samples / "cadastre" / f"cadastre-{EIGHTEENTH}-parcelles.json.gz") as plan_file:
        plan = json.load(plan_file)["features"]
    ids = [feature["id"] for feature in plan]
    tree = shapely.STRtree([shapely.geometry.shape(feature["geometry"]) for feature in plan])
    with gzip.open(samples / "ban" / "adresses-75.csv.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter=";") if row["code_insee"] == EIGHTEENTH]
    step, expected = (4, 3_018) if store.dialect.name == "sqlite" else (20, 603)
    right: Counter[str] = Counter()
    inside = 0
    elsewhere: Counter[tuple[str, ...]] = Counter()
    for row in rows[::step]:
        number = f"{row['numero']} {row['rep']}".strip()
        street, postcode = row["nom_voie"], row["code_postal"]
        point = shapely.Point(float(row["lon"]), float(row["lat"]))
        containing = [ids[index] for index in tree.query(point, predicate="intersects")]
        queries = {
            "label": AddressQuery(label=f"{number} {street} {postcode} Paris"),
            "fields": AddressQuery(number=number, street=street, postcode=postcode, city="Paris"),
        }
        inside += len(containing) == 1
        for name, query in queries.items():
            resolution = resolution_of(eighteenth, query)
            if len(containing) == 1:
                right[name] += [match.parcel_id for match in resolution.parcels] == containing
            elif resolution.address.type == "housenumber":
                kinds = tuple(match.kind for match in resolution.parcels)
                elsewhere[kinds] += 1
                assert [w.code for w in resolution.warnings] == ["nearest_parcel" if kinds else "no_parcel"]
    assert (len(rows), inside) == (12_280, expected)
    assert right["label"] >= 0.99 * inside
    assert right["fields"] >= 0.99 * inside
    assert set(elsewhere) == {("nearest",), ()}


def test_drawn_areas_agree_with_declared_areas(eighteenth: Pipeline) -> None:
    ids = ["75118000AA0001", "75118000AA0002"]
    unit = unit_of(eighteenth, Selection(AddressQuery(), ids), ["land"], "all")
    assert unit.land is not None
    assert unit.land.cadastral_area_m2 == 6_640 + 23_120
    assert unit.land.geometric_area_m2 == pytest.approx(6_640 + 23_120, rel=0.01)
    assert unit.land.is_contiguous is True


def test_four_rows_of_one_mutation_are_one_sale(store: Engine, samples: Path, tmp_path: Path) -> None:
    """Mutation 2021-537813 on ZI0008: two locaux and two natures de culture, four rows, one sale."""
    summary = import_file(store, "dvf", samples / "dvf" / "dvf-33001-2021.csv", tmp_path)
    assert (summary.row_count, summary.changed) == (164, [("33001", "2021")])
    with (samples / "dvf" / "dvf-33001-2021.csv").open(encoding="utf-8") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if row["id_mutation"] == "2021-537813" and row["id_parcelle"] == "33001000ZI0008"
        ]
    assert len(rows) == 4
    with snapshot(store) as connection:
        (sale,) = sales_on(connection, ["33001000ZI0008"])
    assert sale.valeur_fonciere == float(rows[0]["valeur_fonciere"])
    assert sale.surface_terrain == sum({row["nature_culture"]: float(row["surface_terrain"]) for row in rows}.values())


def placements(store: Engine, filing_commune: str) -> dict[str, Counter[str]]:
    """The number of references by dataset and placement."""
    counts: dict[str, Counter[str]] = {}
    with store.connect() as connection:
        for row in connection.execute(
            select(permit_reference).where(permit_reference.c.filing_commune == filing_commune)
        ):
            counts.setdefault(row.dataset, Counter())[row.placement] += 1
    return counts


def test_permits_of_nantes_and_paris_are_placed_on_parcels(store: Engine, samples: Path, tmp_path: Path) -> None:
    for commune in ("44109", "75056"):
        import_file(
            store, "sitadel-housing", samples / "sitadel" / f"sitadel-logements-{commune}-sample.json", tmp_path
        )
        path = samples / "cadastre" / f"cadastre-{commune}-sitadel-sample-parcelles.json"
        import_file(store, "cadastre-parcels", path, tmp_path)
    import_file(store, "sitadel-demolition", samples / "sitadel" / "sitadel-demolir-44109-sample.json", tmp_path)
    assert placements(store, "44109") == {
        "sitadel-housing": {"placed": 11, "retired": 4},
        "sitadel-demolition": {"placed": 3, "retired": 1},
    }
    assert placements(store, "75056") == {"sitadel-housing": {"placed": 5}}
    unit = land_unit(store, "75105000AD0045", "44109000MX0411")
    permits = {permit.number: (parcel_id, permit) for parcel_id, permit in unit.history.authorizations}
    assert set(permits) == {"07510523V0019", "04410921A0030"}
    assert permits["07510523V0019"][0] == "75105000AD0045"
    assert permits["07510523V0019"][1].date_reelle_autorisation == "2024-10-04"
    assert permits["07510523V0019"][1].superficie_terrain == "132633"
    assert permits["04410921A0030"][1].type_dau == "PD"


def test_every_permit_of_toulouse_is_read(store: Engine, samples: Path, tmp_path: Path) -> None:
    """251 PA and 1,730 PD; without Toulouse's cadastre no reference is placed."""
    for dataset, name, count in (
        ("sitadel-development", "Liste-des-permis-damenager.2026-01.31555.csv", 251),
        ("sitadel-demolition", "Liste-des-permis-de-demolir.2026-01.31555.csv", 1_730),
    ):
        summary = import_file(store, dataset, samples / "sitadel" / name, tmp_path)
        assert (summary.row_count, summary.rejected_count, summary.edition) == (count, 0, "2026-01")
    assert {outcome for counts in placements(store, "31555").values() for outcome in counts} == {"unchecked"}


def test_every_row_of_real_files_is_fetched(
    engine: Engine, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Addresses and parcels of Paris 18e, sales of Abzac in 2021, and permits of Toulouse. The postcodes are of
    Paris 18e alone.
    """
    monkeypatch.setitem(LEAST_ROWS, "", 1)
    with local_publishers() as publishers:
        _serve_samples(publishers, samples)
        replica = Replica(engine, publishers, tmp_path / "land")
        assert replica.resolve(AddressQuery(label="12 rue Marcadet 75018 Paris"), 60.0) == ["75118000CE0011"]
        states = replica.on_demand.load(
            [
                *replica.on_demand.keys("33001", ["dvf"]),
                *replica.on_demand.keys("31555", ["sitadel-development", "sitadel-demolition"]),
            ],
            60.0,
        )
        assert {key.dataset: state for key, state in states.items()} == {
            "dvf": "failed",  # one of its years is served
            "sitadel-development": "loaded",
            "sitadel-demolition": "loaded",
        }
        replica.on_demand.end()
    with engine.connect() as connection:
        loaded = loads.of_partitions(connection, ["75118", "33001", "31555"])
    assert {(load.dataset, load.partition.code, load.edition): load.row_count for load in loaded} == {
        ("ban", "75118", "unknown"): 12_280,
        ("cadastre-parcels", "75118", "2022-01-01"): 6_821,
        ("dvf", "33001", "2021"): 164,
        ("sitadel-development", "31555", "unknown"): 251,
        ("sitadel-demolition", "31555", "unknown"): 1_730,
    }


def _serve_samples(publishers: Publishers, samples: Path) -> None:
    """Serves real files at the paths of their publishers."""
    for kind in ("commune", "mvt_commune"):
        compressed = (samples / "cog" / f"v_{kind}_2026.csv.gz").read_bytes()
        publishers.files[f"/cog/v_{kind}_2026.csv"] = gzip.decompress(compressed)
    eighteenth = {"code": "75118", "nom": "Paris 18e Arrondissement", "codesPostaux": ["75018"]}
    publishers.files["/postcodes/communes"] = json.dumps([eighteenth]).encode()
    paris = gzip.decompress((samples / "ban" / "adresses-75.csv.gz").read_bytes()).splitlines(keepends=True)
    publishers.files[ban_path("75118")] = paris[0] + b"".join(row for row in paris if b";75118;" in row)
    plan = cadastre_path("75118", "2022-01-01")
    publishers.files[plan] = (samples / "cadastre" / "cadastre-75118-parcelles.json.gz").read_bytes()
    publishers.redirects[cadastre_path("75118")] = plan
    publishers.files[dvf_path(2021, "33001")] = (samples / "dvf" / "dvf-33001-2021.csv").read_bytes()
    for dataset, name in (("sitadel-development", "damenager"), ("sitadel-demolition", "de-demolir")):
        path = samples / "sitadel" / f"Liste-des-permis-{name}.2026-01.31555.csv"
        publishers.files[permits_path(dataset)] = path.read_bytes()
