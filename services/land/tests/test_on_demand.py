"""On-demand loading from local publishers, which have the paths of the real ones."""

import gzip
import threading
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from land_builders import address, coverage, load, parcel, resolution_of, square, statuses, unit_of, warning_codes
from land_replica import ADDRESS, Replica, two_replicas
from published_files import (
    COMMUNE,
    EDITION,
    MERGED,
    OTHER,
    RNIC,
    SALE_YEAR,
    SALE_YEARS,
    SITADEL,
    ban_file,
    ban_path,
    cadastre_file,
    cadastre_path,
    dvf_file,
    dvf_path,
    localities_path,
    parcel_id,
    permits_file,
    permits_path,
    urls_of,
)
from publishers import Publishers
from sqlalchemy import Engine

from contract.enums import DEFAULT_BLOCKS
from land.addresses.model import AddressQuery, Resolution
from land.datasets.addresses.registration import BAN, LOCALITIES
from land.datasets.parcels.registration import PARCELS
from land.errors import AddressNotFound, CommuneLoading, ParcelNotFound, SourceUnavailable
from land.loading.geocoder import NationalGeocoder
from land.loading.loader import load_file
from land.loading.publisher_calls import Breakers
from land.registry import HOSTS, at
from land.selection import AddressRequest, Selection
from land.store import loads
from land.units.model import LandUnit
from servicekit.context import deadline
from servicekit.errors import InvalidPayload


def test_the_first_request_fetches_a_commune_and_the_second_nothing(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    replica = Replica(store, publishers, tmp_path / "land")
    assert replica.resolve() == [parcel_id(12)]
    first = replica.land_unit(parcel_id(1))
    assert statuses(first)["personnes-morales"] in ("loading", "covered"), "no request waits for a whole département"
    replica.finish_loads()
    unit = replica.land_unit(parcel_id(1))
    assert [owner.name for owner, *_ in unit.land.owners] == ["COMMUNE DE BOURGES"] if unit.land else False
    assert {
        statuses(unit)[dataset] for dataset in ("ban", "cadastre-parcels", "dvf", "personnes-morales", *SITADEL)
    } == {"covered"}
    assert [sale.valeur_fonciere for sale in unit.history.sales] == [250_000]
    assert len(unit.history.authorizations) == len(SITADEL)
    assert {source.edition for source in unit.sources if source.id == "cadastre-parcels"} == {"2026-06-01"}
    assert {source.edition for source in unit.sources if source.id == "dvf"} == {", ".join(map(str, SALE_YEARS))}
    assert {source.edition for source in unit.sources if source.id == "personnes-morales"} == {"2025"}
    requests = list(publishers.requests)
    assert replica.resolve() == [parcel_id(12)]
    assert replica.land_unit(parcel_id(1)).history == unit.history
    assert replica.land_unit(address=ADDRESS).parcels[0].parcel_id == parcel_id(12)
    assert publishers.requests == requests
    counts = publishers.counts()  # once: slow loads may still begin
    assert counts == dict.fromkeys(counts, 1)


def test_permits_filed_in_a_merged_commune_are_loaded_with_the_present_one(
    replica: Replica, publishers: Publishers
) -> None:
    """Vieux-Bourg (18900) is no delegated commune: only the movements of INSEE tell that Bourges contains it."""
    publishers.files[cadastre_path(edition=EDITION)] = cadastre_file([1], prefix=MERGED[2:])
    publishers.files[permits_path("sitadel-housing")] = permits_file("sitadel-housing", commune=MERGED)
    unit = replica.land_unit(f"{COMMUNE}{MERGED[2:]}AB0001")
    assert MERGED in {permit.filing_commune for _, permit in unit.history.authorizations}
    listed = replica.pipeline.coverage(COMMUNE, "all", ("sitadel", "", ""), 100)
    assert {load.partition.code for load in listed} == {COMMUNE, MERGED}


def test_permits_of_a_merged_commune_that_fail_are_a_warning(replica: Replica, publishers: Publishers) -> None:
    path = permits_path("sitadel-housing")
    publishers.set_mode(
        f"{path}?withColumnName=true&withColumnDescription=false&withColumnUnit=false&COMM=eq:{MERGED}", "failing"
    )
    unit = replica.land_unit(parcel_id(1))
    assert coverage(unit)["sitadel-housing"] == ("partial", "source_unavailable")
    assert len(unit.history.authorizations) == len(SITADEL)


def test_an_address_loads_its_whole_land_unit(replica: Replica) -> None:
    unit = replica.land_unit(address=ADDRESS)
    assert [parcel.parcel_id for parcel in unit.parcels] == [parcel_id(12)]
    assert statuses(unit)["dvf"] == "covered"


@pytest.mark.parametrize(
    ("label", "lists"),
    [
        ("Bourges", {"cog", "postcodes"}),
        ("Le Grand Pré 18000 Bourges", {"ban-localities"}),
        ("Rue des Lilas 18000", ()),
    ],
)
def test_an_address_states_the_lists_that_it_is_from(replica: Replica, label: str, lists: Collection[str]) -> None:
    with deadline(60.0):
        sources = resolution_of(replica.pipeline, AddressQuery(label=label)).sources
    assert {source.id for source in sources} - {"ban", "cadastre-parcels"} == set(lists)


def test_resolving_an_address_needs_addresses_only(replica: Replica, publishers: Publishers) -> None:
    publishers.set_mode("/cadastre", "failing")
    with deadline(60.0):
        resolution = resolution_of(replica.pipeline, ADDRESS)
    assert (resolution.address.type, resolution.parcels) == ("housenumber", ())
    assert "cadastre_failed" in {warning.code for warning in resolution.warnings}
    assert not any(path.startswith(("/dvf", "/sitadel")) for path in publishers.requests)


@pytest.mark.parametrize(
    "query",
    [
        AddressQuery(label="12 rue des lilas, Bourges"),
        AddressQuery(number="12", street="rue des lilas", city_code=COMMUNE),
        AddressQuery(number="12", street="rue des lilas", postcode="18000"),
        AddressQuery(number="12", street="rue des lilas", postcode="18000", city="Bourgs"),
    ],
)
def test_a_commune_is_named_by_code_name_or_postcode(replica: Replica, query: AddressQuery) -> None:
    assert replica.resolve(query) == [parcel_id(12)]


def test_ten_first_requests_to_two_replicas_fetch_each_file_once(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    start = threading.Barrier(10)
    with two_replicas(store, publishers, tmp_path / "land") as replicas:

        def request(number: int) -> LandUnit | CommuneLoading:
            start.wait()
            try:
                return replicas[number % 2].land_unit(parcel_id(1), deadline_s=60.0)
            except CommuneLoading as error:  # on a slow machine the load continues
                return error

        with ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(request, range(10)))
        again = [replica.land_unit(parcel_id(1), deadline_s=60.0) for replica in replicas]
        counts = publishers.counts()  # once, and before one replica ends, whose loads the other one would begin again
    assert again[0].history.sales == again[1].history.sales != ()
    assert all(isinstance(answer, CommuneLoading) or statuses(answer)["dvf"] == "covered" for answer in answers)
    assert counts == dict.fromkeys(counts, 1)


def test_a_load_continues_after_its_request_times_out(replica: Replica, publishers: Publishers) -> None:
    replica.resolve()  # loads the lists of communes
    publishers.set_mode("/cadastre", "slow")
    with pytest.raises(CommuneLoading) as caught:
        replica.land_unit(parcel_id(1, OTHER), deadline_s=1.2)
    assert caught.value.retry_after_s == 3
    assert replica.land_unit(parcel_id(1, OTHER), deadline_s=60.0).parcels[0].parcel_id == parcel_id(1, OTHER)
    assert publishers.counts()[cadastre_path(OTHER)] == 1


def test_a_request_without_time_left_gets_commune_loading(replica: Replica) -> None:
    replica.resolve(AddressQuery(label="12 rue des lilas 18250 La Chapelle"))  # loads the lists of communes
    with pytest.raises(CommuneLoading):
        replica.land_unit(parcel_id(1), deadline_s=0.3)


def test_a_request_above_the_waiting_limit_gets_commune_loading(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    replica = Replica(engine, publishers, tmp_path / "land", max_waiting=0)
    with pytest.raises(CommuneLoading):
        replica.land_unit(parcel_id(1), deadline_s=60.0)


@pytest.mark.parametrize("mode", ["failing", "html", "truncated"])
def test_an_unavailable_dataset_is_partial(replica: Replica, publishers: Publishers, mode: str) -> None:
    publishers.set_mode("/dvf", mode)  # type: ignore[arg-type]
    unit = replica.land_unit(parcel_id(1))
    assert statuses(unit)["dvf"] == "partial"
    assert "source_unavailable" in warning_codes(unit)
    assert unit.history.sales == ()
    assert statuses(unit)["sitadel-housing"] == "covered"
    assert unit.parcels[0].parcel_id == parcel_id(1)


@pytest.mark.parametrize("mode", ["failing", "html", "truncated"])
def test_an_unavailable_file_of_a_department_is_partial(replica: Replica, publishers: Publishers, mode: str) -> None:
    publishers.set_mode("/legal_persons", mode)  # type: ignore[arg-type]
    replica.land_unit(parcel_id(1))
    replica.on_demand.load(replica.on_demand.keys(COMMUNE), 60.0)
    unit = replica.land_unit(parcel_id(1))
    assert coverage(unit)["personnes-morales"] == ("partial", "source_unavailable")
    assert statuses(unit)["dvf"] == "covered"
    assert unit.land is not None
    assert unit.land.owners == ()


def test_joint_ownerships_of_a_department_are_loaded_on_demand(replica: Replica, publishers: Publishers) -> None:
    replica.land_unit(parcel_id(1))
    replica.finish_loads()
    replica.on_demand.load(replica.on_demand.keys(COMMUNE, ["rnic"]), 60.0)
    assert publishers.counts()[RNIC] == 1
    unit = unit_of(replica.pipeline, Selection(AddressQuery(), [parcel_id(1)]), ["buildings"], "all")
    assert [rows[0].id for rows in unit.joint_ownerships] == ["AA0000001"]
    assert coverage(unit)["rnic"] == ("covered", None)


def test_sales_of_available_years_are_served(replica: Replica, publishers: Publishers) -> None:
    publishers.set_mode(dvf_path(SALE_YEAR - 1), "failing")
    unit = replica.land_unit(parcel_id(1))
    assert statuses(unit)["dvf"] == "partial"
    assert len(unit.history.sales) == 1


def test_a_missing_file_says_nothing_unless_another_one_of_its_kind_was_loaded(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    for year in SALE_YEARS:
        publishers.set_mode(dvf_path(year), "missing")
    replica = Replica(engine, publishers, tmp_path / "land")
    assert coverage(replica.land_unit(parcel_id(1)))["dvf"] == ("partial", "source_unavailable")
    replica.land_unit(parcel_id(1, OTHER))
    replica.on_demand.end()
    unit = Replica(engine, publishers, tmp_path / "land").land_unit(parcel_id(1))
    assert statuses(unit)["dvf"] == "not_published"
    assert "dataset_not_covered" in warning_codes(unit)


def test_a_year_that_is_missing_everywhere_is_unknown(replica: Replica, publishers: Publishers) -> None:
    for commune in (COMMUNE, OTHER):
        publishers.set_mode(dvf_path(SALE_YEARS[0], commune), "missing")
    for commune in (OTHER, COMMUNE):
        assert coverage(replica.land_unit(parcel_id(1, commune)))["dvf"] == ("partial", "source_unavailable")


@pytest.mark.parametrize("wider", ["departements/18.csv.gz", "full.csv.gz"])
def test_sales_of_a_commune_without_a_file_are_cut_from_one_for_more_communes(
    replica: Replica, publishers: Publishers, wider: str
) -> None:
    for year in SALE_YEARS:
        publishers.set_mode(f"/dvf/latest/csv/{year}/communes", "missing")
        rows_of_other = dvf_file(1, OTHER, year).partition(b"\n")[2]
        publishers.files[f"/dvf/latest/csv/{year}/{wider}"] = gzip.compress(dvf_file(1, COMMUNE, year) + rows_of_other)
    with deadline(60.0):
        unit = unit_of(replica.pipeline, Selection(AddressQuery(), [parcel_id(1)]), DEFAULT_BLOCKS, "all")
    assert statuses(unit)["dvf"] == "covered"
    assert sorted(sale.date_mutation or "" for sale in unit.history.sales) == [f"{year}-05-06" for year in SALE_YEARS]
    with replica.engine.connect() as connection:
        assert not loads.parts_of(connection, "dvf", OTHER)


def test_the_current_year_may_be_missing_everywhere(replica: Replica, publishers: Publishers) -> None:
    for commune in (COMMUNE, OTHER):
        publishers.set_mode(dvf_path(SALE_YEARS[-1], commune), "missing")
    replica.land_unit(parcel_id(1, OTHER))
    assert statuses(replica.land_unit(parcel_id(1)))["dvf"] == "covered"


def test_files_that_all_moved_are_not_taken_for_none(replica: Replica, publishers: Publishers) -> None:
    """Every publisher but those of the lists of communes, of addresses and of the plan answers 404."""
    for host in HOSTS:
        if host not in ("cog", "postcodes", "ban"):
            publishers.set_mode(f"/{host}", "missing")
    publishers.set_mode(cadastre_path(), "ok")
    publishers.set_mode(cadastre_path(edition=EDITION), "ok")
    with deadline(60.0):
        keys = replica.on_demand.keys(COMMUNE)
        replica.on_demand.load(replica.on_demand.national_keys(), 60.0)
        states = replica.on_demand.load(keys, 60.0)
        unit = unit_of(replica.pipeline, Selection(AddressQuery(), [parcel_id(1)]), DEFAULT_BLOCKS, "all")
    assert {key.dataset for key, state in states.items() if state == "loaded"} == {"ban", LOCALITIES.id, PARCELS.id}
    assert set(states.values()) == {"loaded", "failed"}
    asked = {key.dataset for key in keys}
    said = {item.dataset: item.status for item in unit.coverage if item.dataset in asked}
    assert {name for name, status in said.items() if status in ("covered", "not_published")} == {"ban", PARCELS.id}


@pytest.mark.parametrize("path", [ban_path(), localities_path()])
@pytest.mark.parametrize("mode", ["missing", "failing"])
def test_an_address_of_a_list_that_cannot_be_had_is_not_called_unknown(
    replica: Replica, publishers: Publishers, path: str, mode: str
) -> None:
    publishers.set_mode(path, mode)  # type: ignore[arg-type]
    with pytest.raises(SourceUnavailable):
        replica.resolve(AddressQuery(label="Les Grands Champs 18000 Bourges"))


def test_a_file_without_rows_is_covered(replica: Replica) -> None:
    unit = replica.land_unit(parcel_id(1, OTHER))
    assert statuses(unit)["sitadel-housing"] == "covered"  # the file has no permit of this commune
    assert unit.history.authorizations == ()


@pytest.mark.parametrize("mode", ["failing", "missing", "html"])
def test_unavailable_parcels_fail_the_request(replica: Replica, publishers: Publishers, mode: str) -> None:
    publishers.set_mode("/cadastre", mode)  # type: ignore[arg-type]
    for path in list(publishers.redirects):
        del publishers.redirects[path]
    with pytest.raises(SourceUnavailable) as caught:
        replica.land_unit(parcel_id(1))
    assert caught.value.retry_after_s == 60


def test_unavailable_addresses_fail_the_request_until_they_load(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    publishers.set_mode("/ban", "failing")
    replica = Replica(engine, publishers, tmp_path / "land")
    with pytest.raises(SourceUnavailable):
        replica.resolve()
    replica.on_demand.end()
    publishers.set_mode("/ban", "ok")
    later = Replica(engine, publishers, tmp_path / "land")
    assert later.resolve() == [parcel_id(12)]


def test_a_failed_file_is_not_retried_at_once(replica: Replica, publishers: Publishers) -> None:
    publishers.set_mode("/dvf", "failing")
    replica.land_unit(parcel_id(1))
    count = publishers.counts()[dvf_path()]
    assert statuses(replica.land_unit(parcel_id(2)))["dvf"] == "partial"
    assert publishers.counts()[dvf_path()] == count


def test_a_truncated_download_is_resumed(replica: Replica, publishers: Publishers) -> None:
    publishers.files[ban_path()] = ban_file(range(1, 3_000))
    publishers.set_mode(ban_path(), "truncated once")
    assert replica.resolve() == [parcel_id(12)]
    assert publishers.counts()[ban_path()] == 2
    [start] = publishers.ranges
    assert 0 < int(start.removeprefix("bytes=").rstrip("-")) < len(publishers.files[ban_path()])


@pytest.mark.parametrize("parcel", ["99999000AB0001", "18999000AB0001", "00101000AB0001", "75056000AB0001"])
def test_a_commune_that_does_not_exist_is_not_fetched(replica: Replica, publishers: Publishers, parcel: str) -> None:
    with pytest.raises(ParcelNotFound):
        replica.land_unit(parcel)
    assert all(path.startswith(("/cog", "/postcodes")) for path in publishers.requests)


@pytest.mark.parametrize(
    "label", ["1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction", "12 rue des lilas", "12 rue des lilas 99123 Nulle"]
)
def test_an_address_without_a_known_commune_is_not_fetched(
    replica: Replica, publishers: Publishers, label: str
) -> None:
    with pytest.raises(AddressNotFound):
        replica.resolve(AddressQuery(label=label))
    assert all(path.startswith(("/cog", "/postcodes")) for path in publishers.requests)


def test_a_batch_fetches_nothing_and_leaves_missing_addresses_unanswered(
    replica: Replica, publishers: Publishers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("land.pipeline.BATCH_S", 60.0)  # a slow machine would leave the last ones unanswered
    batch = [
        AddressRequest(ADDRESS, "all"),
        AddressRequest(ADDRESS, "demo"),
        AddressRequest(AddressQuery(), "all"),
        AddressRequest(AddressQuery(label="12 rue des lilas"), "all"),
    ]
    missing, demo, empty, nowhere = replica.pipeline.resolve_addresses(batch)
    assert (missing, nowhere) == (None, None), "the list of communes is not loaded yet"
    assert isinstance(demo, AddressNotFound)
    assert isinstance(empty, InvalidPayload)
    assert publishers.requests == []
    (single,) = replica.pipeline.resolve_addresses(batch[:1])
    assert isinstance(single, Resolution), "a request that is alone waits for its data"
    loaded, demo, _, nowhere = replica.pipeline.resolve_addresses(batch)
    assert loaded == single
    assert single.parcels
    assert isinstance(demo, AddressNotFound)
    assert isinstance(nowhere, AddressNotFound)


def test_a_batch_does_not_call_the_national_geocoder(engine: Engine, publishers: Publishers, tmp_path: Path) -> None:
    geocoder = NationalGeocoder(f"{publishers.url}/geocoder", Breakers())
    replica = Replica(engine, publishers, tmp_path / "land", geocoder=geocoder)
    replica.resolve()  # loads the lists of communes
    nowhere = AddressRequest(AddressQuery(label="12 rue des lilas bourgess"), "all")
    assert replica.pipeline.resolve_addresses([nowhere] * 2) == [None, None]
    assert "/geocoder/search" not in publishers.requests


@pytest.mark.parametrize("ids", [[parcel_id(1), "nonsense"], [parcel_id(number) for number in range(1, 102)]])
def test_an_invalid_request_fetches_nothing(replica: Replica, publishers: Publishers, ids: list[str]) -> None:
    with pytest.raises(InvalidPayload):
        replica.land_unit(*ids)
    assert publishers.requests == []


def test_a_test_key_fetches_nothing(replica: Replica, publishers: Publishers) -> None:
    with pytest.raises(AddressNotFound):
        resolution_of(replica.pipeline, ADDRESS, "demo")
    with pytest.raises(ParcelNotFound):
        unit_of(replica.pipeline, Selection(AddressQuery(), [parcel_id(1)]), [], "demo")
    assert publishers.requests == []


def test_without_the_list_of_postcodes_no_other_commune_of_the_text_is_needed(
    replica: Replica, publishers: Publishers
) -> None:
    publishers.set_mode("/postcodes", "failing")
    replica.resolve()  # loads the addresses of Bourges
    publishers.set_mode("/ban", "failing")
    assert replica.resolve(AddressQuery(label="12 rue des lilas La Chapelle 18000")) == [parcel_id(12)]


def test_a_failed_load_of_another_commune_is_a_warning_if_the_city_agrees(
    replica: Replica, publishers: Publishers
) -> None:
    replica.resolve()
    publishers.set_mode("/ban", "failing")
    resolution = resolution_of(replica.pipeline, AddressQuery(label="12 rue des lilas La Chapelle, Borges"))
    assert resolution.address.city_code == COMMUNE
    assert "addresses_incomplete" in {warning.code for warning in resolution.warnings}


def test_without_lists_of_communes_a_parcel_of_a_loaded_commune_is_found(
    replica: Replica, publishers: Publishers
) -> None:
    publishers.set_mode("/cog", "failing")
    publishers.set_mode("/postcodes", "failing")
    load(replica.engine, "ban", "18123", [address(1, "Rue Haute", (0, 0), commune="18123", city="Vornay")])
    load(replica.engine, "cadastre-parcels", "18123", [parcel(1, square(0, 0), commune="18123")])
    assert replica.resolve(AddressQuery(label="AB 1 Vornay")) == ["18123000AB0001"]


def test_without_lists_of_communes_only_nonsense_is_not_found(replica: Replica, publishers: Publishers) -> None:
    publishers.set_mode("/cog", "failing")
    publishers.set_mode("/postcodes", "failing")
    with pytest.raises(SourceUnavailable):
        replica.resolve()
    with pytest.raises(SourceUnavailable):
        replica.land_unit(parcel_id(1))
    with pytest.raises(AddressNotFound):
        replica.resolve(AddressQuery(label="qwertz"))


def test_the_national_geocoder_finds_the_commune_when_enabled(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    publishers.files["/geocoder/search"] = b'{"features": [{"properties": {"citycode": "18033", "score": 0.9}}]}'
    query = AddressQuery(label="12 rue des lilas bourgess")
    disabled = Replica(engine, publishers, tmp_path / "land")
    with pytest.raises(AddressNotFound):
        disabled.resolve(query)
    assert "/geocoder/search" not in publishers.requests
    disabled.on_demand.end()
    geocoder = NationalGeocoder(f"{publishers.url}/geocoder", Breakers())
    enabled = Replica(engine, publishers, tmp_path / "land", geocoder=geocoder)
    assert enabled.resolve(query) == [parcel_id(12)]
    assert publishers.counts()["/geocoder/search"] == 1
    assert publishers.counts()[ban_path()] == 1


def test_every_dataset_with_commune_files_is_fetched(replica: Replica, publishers: Publishers) -> None:
    expected = {
        dataset.id for dataset in at(publishers.bases).values() if dataset.kind != "country" and urls_of(dataset)
    }
    later = replica.on_demand.later_keys([COMMUNE])[COMMUNE]
    loaded = {key.dataset for key in (*replica.on_demand.keys(COMMUNE), *later)}
    assert loaded == {*expected, "gpu-regulations"}  # the zones name the files of their regulations
    assert replica.on_demand.keys(COMMUNE)[0].dataset == BAN.id


def test_imported_data_is_served_without_publishers(engine: Engine, publishers: Publishers, tmp_path: Path) -> None:
    sources = at(publishers.bases)
    for dataset, path in (("ban", ban_path()), ("cadastre-parcels", cadastre_path())):
        load_file(engine, sources[dataset], publishers.url + path, tmp_path)
    for prefix in ("/cog", "/postcodes", "/ban", "/cadastre", "/dvf", "/sitadel", "/gpu"):
        publishers.set_mode(prefix, "hanging")
    replica = Replica(engine, publishers, tmp_path / "land")
    unit = replica.land_unit(parcel_id(1), deadline_s=60.0)
    assert statuses(unit)["dvf"] == "loading"
    assert replica.resolve(deadline_s=60.0) == [parcel_id(12)]
    with pytest.raises(AddressNotFound):
        replica.resolve(AddressQuery(label="12 rue qui n'existe pas 18000 Bourges"), deadline_s=2.5)
    with pytest.raises(CommuneLoading):
        replica.resolve(AddressQuery(label="12 rue des lilas 18250 La Chapelle"), deadline_s=2.5)
    publishers.released.set()


def test_other_datasets_of_an_imported_commune_load_in_the_background(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    load_file(engine, at(publishers.bases)["cadastre-parcels"], publishers.url + cadastre_path(), tmp_path)
    replica = Replica(engine, publishers, tmp_path / "land")
    replica.on_demand.load(replica.on_demand.national_keys(), 60.0)
    replica.land_unit(parcel_id(1))
    assert set(replica.on_demand.load(replica.on_demand.keys(COMMUNE), 60.0).values()) == {"loaded"}
    assert statuses(replica.land_unit(parcel_id(1)))["dvf"] == "covered"
