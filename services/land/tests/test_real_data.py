"""The main job on real data: Paris's addresses on the cadastre of its 18th arrondissement, sales and permits.

Needs the sample data; every expected figure was read off the files themselves, see the data's own notes.
"""

import csv
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
import shapely
from land_builders import service
from sqlalchemy import Engine, select

from land.addresses.model import AddressQuery
from land.loading.loader import LoadSummary, load_file
from land.pipeline import Pipeline, Selection
from land.registry import DATASETS
from land.store.sales import sales_on
from land.store.snapshot import snapshot
from land.store.tables import permit_reference

pytestmark = pytest.mark.samples

EIGHTEENTH = "75118"


def imported(store: Engine, dataset: str, path: Path, scratch: Path, commune: str | None = None) -> LoadSummary:
    return load_file(store, DATASETS[dataset], str(path), scratch / "scratch", commune=commune)


@pytest.fixture
def eighteenth(store: Engine, samples: Path, tmp_path: Path) -> Pipeline:
    addresses = imported(store, "ban", samples / "ban" / "adresses-75.csv.gz", tmp_path)
    assert (addresses.row_count, addresses.rejected_count, len(addresses.changed)) == (158_048, 0, 20)
    for commune, count in ((EIGHTEENTH, 6_821), ("91216", 4_241)):
        path = samples / "cadastre" / f"cadastre-{commune}-parcelles.json.gz"
        parcels = imported(store, "cadastre-parcels", path, tmp_path)
        assert (parcels.row_count, parcels.rejected_count) == (count, 0)
    return service(store)


def test_addresses_of_the_18th_lead_to_the_parcel_that_holds_their_point(
    eighteenth: Pipeline, store: Engine, samples: Path
) -> None:
    """By label and by fields: at least 99 % of the 12,046 whose point one parcel holds; the others are near or none.

    All of them on SQLite; every twentieth on PostGIS, where the same code runs over the same rows.
    """
    with gzip.open(samples / "cadastre" / f"cadastre-{EIGHTEENTH}-parcelles.json.gz") as plan_file:
        plan = json.load(plan_file)["features"]
    ids = [feature["id"] for feature in plan]
    tree = shapely.STRtree([shapely.geometry.shape(feature["geometry"]) for feature in plan])
    with gzip.open(samples / "ban" / "adresses-75.csv.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter=";") if row["code_insee"] == EIGHTEENTH]
    whole = store.dialect.name == "sqlite"
    right: Counter[str] = Counter()
    inside = 0
    elsewhere: Counter[tuple[str, ...]] = Counter()
    for row in rows if whole else rows[::20]:
        number = f"{row['numero']} {row['rep']}".strip()
        street, postcode = row["nom_voie"], row["code_postal"]
        point = shapely.Point(float(row["lon"]), float(row["lat"]))
        holding = [ids[index] for index in tree.query(point, predicate="intersects")]
        queries = {
            "label": AddressQuery(label=f"{number} {street} {postcode} Paris"),
            "fields": AddressQuery(number=number, street=street, postcode=postcode, city="Paris"),
        }
        inside += len(holding) == 1
        for name, query in queries.items():
            found = eighteenth.resolve_address(query, "all", "en")
            if len(holding) == 1:
                right[name] += [match.parcel_id for match in found.parcels] == holding
            elif found.address.type == "housenumber":
                kinds = tuple(match.kind for match in found.parcels)
                elsewhere[kinds] += 1
                assert [w.code for w in found.warnings] == ["nearest_parcel" if kinds else "no_parcel"]
    assert (len(rows), inside) == (12_280, 12_046 if whole else 603)
    assert right["label"] >= 0.99 * inside
    assert right["fields"] >= 0.99 * inside
    assert set(elsewhere) == {("nearest",), ()}


def test_areas_of_real_parcels_agree_with_the_declared_ones(eighteenth: Pipeline) -> None:
    ids = ["75118000AA0001", "75118000AA0002"]
    unit = eighteenth.land_unit(Selection(AddressQuery(), ids), ["land"], "all", "en")
    assert unit.land is not None
    assert unit.land.cadastral_area_m2 == 6_640 + 23_120
    assert unit.land.geometric_area_m2 == pytest.approx(6_640 + 23_120, rel=0.01)
    assert unit.land.is_contiguous is True


def test_sales_of_abzac_are_those_read_by_hand(store: Engine, samples: Path, tmp_path: Path) -> None:
    """Mutation 2021-537813 on ZI0008: two locaux and two natures de culture, four rows, one sale."""
    summary = imported(store, "dvf", samples / "dvf" / "dvf-33001-2021.csv", tmp_path)
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
    """By dataset, how many references fared how."""
    counts: dict[str, Counter[str]] = {}
    with store.connect() as connection:
        for row in connection.execute(
            select(permit_reference).where(permit_reference.c.filing_commune == filing_commune)
        ):
            counts.setdefault(row.dataset, Counter())[row.placement] += 1
    return counts


def test_permits_of_nantes_and_paris_land_on_their_parcels(store: Engine, samples: Path, tmp_path: Path) -> None:
    for commune in ("44109", "75056"):
        imported(store, "sitadel-housing", samples / "sitadel" / f"sitadel-logements-{commune}-sample.json", tmp_path)
        path = samples / "cadastre" / f"cadastre-{commune}-sitadel-sample-parcelles.json"
        imported(store, "cadastre-parcels", path, tmp_path)
    imported(store, "sitadel-demolition", samples / "sitadel" / "sitadel-demolir-44109-sample.json", tmp_path)
    assert placements(store, "44109") == {
        "sitadel-housing": {"placed": 11, "retired": 4},
        "sitadel-demolition": {"placed": 3, "retired": 1},
    }
    assert placements(store, "75056") == {"sitadel-housing": {"placed": 5}}
    unit = service(store).land_unit(Selection(AddressQuery(), ["75105000AD0045", "44109000MX0411"]), [], "all", "fr")
    found = {permit.number: (parcel_id, permit) for parcel_id, permit in unit.history.authorizations}
    assert set(found) == {"07510523V0019", "04410921A0030"}
    assert found["07510523V0019"][0] == "75105000AD0045"
    assert found["07510523V0019"][1].date_reelle_autorisation == "2024-10-04"
    assert found["07510523V0019"][1].superficie_terrain == "132633"
    assert found["04410921A0030"][1].type_dau == "PD"


def test_permits_of_toulouse_are_read_whole(store: Engine, samples: Path, tmp_path: Path) -> None:
    """251 PA and 1,730 PD; without Toulouse's cadastre no reference is placed."""
    for dataset, name, count in (
        ("sitadel-development", "Liste-des-permis-damenager.2026-01.31555.csv", 251),
        ("sitadel-demolition", "Liste-des-permis-de-demolir.2026-01.31555.csv", 1_730),
    ):
        summary = imported(store, dataset, samples / "sitadel" / name, tmp_path)
        assert (summary.row_count, summary.rejected_count, summary.edition) == (count, 0, "2026-01")
    assert {outcome for counts in placements(store, "31555").values() for outcome in counts} == {"unchecked"}
