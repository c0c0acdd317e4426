"""Land that is fetched when it is asked for, against a local server with the publishers' paths."""

import gzip
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from publishers import (
    COMMUNE,
    OTHER,
    SALE_YEAR,
    SITADEL,
    Publishers,
    ban_file,
    ban_path,
    cadastre_path,
    dvf_path,
    local_publishers,
    parcel_id,
    permits_path,
    urls_of,
)
from sqlalchemy import Engine
from supplied_land import ADDRESS, POOL_SIZE, Replica

from land import registry
from land.addresses.model import AddressQuery
from land.errors import AddressNotFound, CommuneLoading, ParcelNotFound, SourceUnavailable
from land.loading.breaker import Breakers
from land.loading.geocoder import NationalGeocoder
from land.loading.loader import load_file
from land.pipeline import AddressRequest, Selection
from land.registry import at
from land.store import loads
from land.units.model import LandUnit
from servicekit.context import deadline
from servicekit.database import open_engine
from servicekit.errors import InvalidPayload


def status_of(unit: LandUnit) -> dict[str, str]:
    return {each.dataset: each.status for each in unit.coverage}


def codes(unit: LandUnit) -> list[str]:
    return [each.code for each in unit.warnings]


def test_the_first_request_fetches_the_commune_and_the_second_is_local(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    replica = Replica(store, publishers, tmp_path / "land")
    assert replica.resolve() == [parcel_id(12)]
    unit = replica.unit(parcel_id(1))
    assert {status_of(unit)[each] for each in ("ban", "cadastre-parcels", "dvf", *SITADEL)} == {"covered"}
    assert [sale.valeur_fonciere for sale in unit.history.sales] == [250_000]
    assert len(unit.history.authorizations) == len(SITADEL)
    assert {source.edition for source in unit.sources if source.id == "cadastre-parcels"} == {"2026-06-01"}
    assert {source.edition for source in unit.sources if source.id == "dvf"} == {"2024"}
    asked = list(publishers.asked)
    assert replica.resolve() == [parcel_id(12)]
    assert replica.unit(parcel_id(1)) == unit
    assert replica.unit(address=ADDRESS).parcels[0].parcel_id == parcel_id(12)
    assert publishers.asked == asked
    assert set(publishers.counts().values()) == {1}
    replica.on_demand.end()


def test_an_address_brings_the_whole_unit_at_once(replica: Replica) -> None:
    unit = replica.unit(address=ADDRESS)
    assert [parcel.parcel_id for parcel in unit.parcels] == [parcel_id(12)]
    assert status_of(unit)["dvf"] == "covered"


def test_resolving_needs_addresses_alone(replica: Replica, publishers: Publishers) -> None:
    publishers.behave("/cadastre", "failing")
    with deadline(30.0):
        found = replica.land.resolve_address(ADDRESS, "all", "en")
    assert (found.address.type, found.parcels) == ("housenumber", ())
    assert "cadastre_failed" in {each.code for each in found.warnings}
    assert not {dvf_path(), permits_path("sitadel-housing")} & set(publishers.asked)


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
    url = store.url.render_as_string(hide_password=False)
    engines = [open_engine(url, pool_size=POOL_SIZE) for _ in range(2)]
    replicas = [Replica(engine, publishers, tmp_path / "land") for engine in engines]
    start = threading.Barrier(10)

    def ask(number: int) -> LandUnit | CommuneLoading:
        start.wait()
        try:
            return replicas[number % 2].unit(parcel_id(1), within_s=15.0)
        except CommuneLoading as error:  # the machine is slow: it goes on
            return error

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(ask, range(10)))
    again = [replica.unit(parcel_id(1), within_s=15.0) for replica in replicas]
    for replica in replicas:
        replica.on_demand.end()
    for engine in engines:
        engine.dispose()
    assert again[0].history.sales == again[1].history.sales != ()
    assert all(isinstance(answer, CommuneLoading) or status_of(answer)["dvf"] == "covered" for answer in answers)
    assert set(publishers.counts().values()) == {1}


def test_a_load_that_takes_longer_goes_on(replica: Replica, publishers: Publishers) -> None:
    replica.resolve()  # the lists of communes are there
    publishers.behave("/cadastre", "slow")
    with pytest.raises(CommuneLoading) as caught:
        replica.unit(parcel_id(1, OTHER), within_s=1.2)
    assert caught.value.retry_after_s == 3
    assert replica.unit(parcel_id(1, OTHER), within_s=15.0).parcels[0].parcel_id == parcel_id(1, OTHER)
    assert publishers.counts()[cadastre_path(OTHER)] == 1


def test_who_has_no_time_left_is_told_to_come_back(replica: Replica) -> None:
    replica.resolve(AddressQuery(label="12 rue des lilas 18250 La Chapelle"))  # the lists of communes are there
    with pytest.raises(CommuneLoading):
        replica.unit(parcel_id(1), within_s=0.3)


def test_nobody_waits_where_too_many_do(engine: Engine, publishers: Publishers, tmp_path: Path) -> None:
    replica = Replica(engine, publishers, tmp_path / "land", max_waiting=0)
    with pytest.raises(CommuneLoading):
        replica.unit(parcel_id(1), within_s=60.0)
    replica.on_demand.end()


@pytest.mark.parametrize("mode", ["failing", "changed", "cut"])
def test_a_dataset_that_cannot_be_had_is_partial(replica: Replica, publishers: Publishers, mode: str) -> None:
    publishers.behave("/dvf", mode)  # type: ignore[arg-type]
    unit = replica.unit(parcel_id(1))
    assert status_of(unit)["dvf"] == "partial"
    assert "source_unavailable" in codes(unit)
    assert unit.history.sales == ()
    assert status_of(unit)["sitadel-housing"] == "covered"
    assert unit.parcels[0].parcel_id == parcel_id(1)


def test_years_that_could_be_had_are_served(replica: Replica, publishers: Publishers) -> None:
    publishers.behave(dvf_path(SALE_YEAR - 1), "failing")
    unit = replica.unit(parcel_id(1))
    assert status_of(unit)["dvf"] == "partial"
    assert len(unit.history.sales) == 1


def test_a_dataset_without_a_file_is_not_published(replica: Replica, publishers: Publishers) -> None:
    publishers.behave("/dvf", "missing")
    unit = replica.unit(parcel_id(1))
    assert status_of(unit)["dvf"] == "not_published"
    assert "dataset_not_covered" in codes(unit)


def test_a_file_without_rows_is_none_and_not_a_gap(replica: Replica) -> None:
    unit = replica.unit(parcel_id(1, OTHER))
    assert status_of(unit)["sitadel-housing"] == "covered"  # the list has no permit of that commune
    assert unit.history.authorizations == ()


@pytest.mark.parametrize("mode", ["failing", "missing", "changed"])
def test_without_parcels_there_is_no_answer(replica: Replica, publishers: Publishers, mode: str) -> None:
    publishers.behave("/cadastre", mode)  # type: ignore[arg-type]
    for path in list(publishers.redirects):
        del publishers.redirects[path]
    with pytest.raises(SourceUnavailable) as caught:
        replica.unit(parcel_id(1))
    assert caught.value.retry_after_s == 60


def test_without_addresses_there_is_no_answer_and_with_them_there_is_again(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    publishers.behave("/ban", "failing")
    replica = Replica(engine, publishers, tmp_path / "land")
    with pytest.raises(SourceUnavailable):
        replica.resolve()
    replica.on_demand.end()
    publishers.behave("/ban", "well")
    later = Replica(engine, publishers, tmp_path / "land")
    assert later.resolve() == [parcel_id(12)]
    later.on_demand.end()


def test_a_failed_file_is_left_alone_for_a_while(replica: Replica, publishers: Publishers) -> None:
    publishers.behave("/dvf", "failing")
    replica.unit(parcel_id(1))
    asked = publishers.counts()[dvf_path()]
    assert status_of(replica.unit(parcel_id(2)))["dvf"] == "partial"
    assert publishers.counts()[dvf_path()] == asked


def test_a_download_that_is_cut_goes_on_where_it_stopped(replica: Replica, publishers: Publishers) -> None:
    publishers.files[ban_path()] = ban_file(range(1, 3_000))
    publishers.behave(ban_path(), "cut once")
    assert replica.resolve() == [parcel_id(12)]
    assert publishers.counts()[ban_path()] == 2
    [start] = publishers.ranges
    assert 0 < int(start.removeprefix("bytes=").rstrip("-")) < len(publishers.files[ban_path()])


@pytest.mark.parametrize("parcel", ["99999000AB0001", "18999000AB0001", "00101000AB0001", "75056000AB0001"])
def test_a_commune_that_does_not_exist_is_not_fetched(replica: Replica, publishers: Publishers, parcel: str) -> None:
    with pytest.raises(ParcelNotFound):
        replica.unit(parcel)
    assert all(path.startswith(("/cog", "/postcodes")) for path in publishers.asked)


@pytest.mark.parametrize(
    "label", ["1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction", "12 rue des lilas", "12 rue des lilas 99123 Nulle"]
)
def test_an_address_of_no_commune_is_not_fetched(replica: Replica, publishers: Publishers, label: str) -> None:
    with pytest.raises(AddressNotFound):
        replica.resolve(AddressQuery(label=label))
    assert all(path.startswith(("/cog", "/postcodes")) for path in publishers.asked)


def test_addresses_asked_for_together_fetch_nothing_and_leave_open_what_would(
    replica: Replica, publishers: Publishers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("land.pipeline.BATCH_S", 60.0)  # a slow machine leaves open what comes late
    asked = [
        AddressRequest(ADDRESS, "all", "en"),
        AddressRequest(ADDRESS, "demo", "en"),
        AddressRequest(AddressQuery(), "all", "en"),
        AddressRequest(AddressQuery(label="12 rue des lilas"), "all", "en"),
    ]
    open_one, demo, empty, nowhere = replica.land.resolve_addresses(asked)
    assert (open_one, nowhere) == (None, None), "the list of communes is still to be fetched"
    assert isinstance(demo, AddressNotFound)
    assert isinstance(empty, InvalidPayload)
    assert publishers.asked == []
    alone = replica.land.resolve_address(ADDRESS, "all", "en")
    known, demo, _, nowhere = replica.land.resolve_addresses(asked)
    assert known == alone
    assert alone.parcels
    assert isinstance(demo, AddressNotFound)
    assert isinstance(nowhere, AddressNotFound)


def test_addresses_asked_for_together_leave_the_national_geocoder_alone(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    geocoder = NationalGeocoder(f"{publishers.url}/geocoder", Breakers())
    replica = Replica(engine, publishers, tmp_path / "land", geocoder=geocoder)
    replica.resolve()  # brings the list of communes
    nowhere = AddressRequest(AddressQuery(label="12 rue des lilas bourgess"), "all", "en")
    assert replica.land.resolve_addresses([nowhere]) == [None]
    assert "/geocoder/search" not in publishers.asked
    replica.on_demand.end()


@pytest.mark.parametrize("ids", [[parcel_id(1), "nonsense"], [parcel_id(number) for number in range(1, 102)]])
def test_a_request_that_is_refused_fetches_nothing(replica: Replica, publishers: Publishers, ids: list[str]) -> None:
    with pytest.raises(InvalidPayload):
        replica.unit(*ids)
    assert publishers.asked == []


def test_a_test_key_fetches_nothing(replica: Replica, publishers: Publishers) -> None:
    with pytest.raises(AddressNotFound):
        replica.land.resolve_address(ADDRESS, "demo", "en")
    with pytest.raises(ParcelNotFound):
        replica.land.land_unit(Selection(AddressQuery(), [parcel_id(1)]), [], "demo", "en")
    assert publishers.asked == []


def test_without_a_list_of_communes_an_address_elsewhere_is_unknown_and_nonsense_is_not_found(
    replica: Replica, publishers: Publishers
) -> None:
    publishers.behave("/cog", "failing")
    publishers.behave("/postcodes", "failing")
    with pytest.raises(SourceUnavailable):
        replica.resolve()
    with pytest.raises(SourceUnavailable):
        replica.unit(parcel_id(1))
    with pytest.raises(AddressNotFound):
        replica.resolve(AddressQuery(label="qwertz"))


def test_the_national_geocoder_tells_the_commune_where_it_is_allowed(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    publishers.files["/geocoder/search"] = b'{"features": [{"properties": {"citycode": "18033", "score": 0.9}}]}'
    query = AddressQuery(label="12 rue des lilas bourgess")
    plain = Replica(engine, publishers, tmp_path / "land")
    with pytest.raises(AddressNotFound):
        plain.resolve(query)
    assert "/geocoder/search" not in publishers.asked
    plain.on_demand.end()
    geocoder = NationalGeocoder(f"{publishers.url}/geocoder", Breakers())
    asking = Replica(engine, publishers, tmp_path / "land", geocoder=geocoder)
    assert asking.resolve(query) == [parcel_id(12)]
    assert publishers.counts()["/geocoder/search"] == 1
    assert publishers.counts()[ban_path()] == 1
    asking.on_demand.end()


def test_every_dataset_with_files_of_communes_is_fetched(replica: Replica, publishers: Publishers) -> None:
    expected = {each.id for each in at(publishers.bases).values() if each.kind != "country" and urls_of(each)}
    assert {key.dataset for key in replica.on_demand.keys(COMMUNE)} == expected
    assert replica.on_demand.keys(COMMUNE)[0].dataset == registry.BAN.id


def test_what_was_imported_by_hand_answers_at_once_without_any_publisher(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    sources = at(publishers.bases)
    for dataset, path in (("ban", ban_path()), ("cadastre-parcels", cadastre_path())):
        load_file(engine, sources[dataset], publishers.url + path, tmp_path)
    for prefix in ("/cog", "/postcodes", "/ban", "/cadastre", "/dvf", "/sitadel", "/gpu"):
        publishers.behave(prefix, "silent")
    replica = Replica(engine, publishers, tmp_path / "land")
    unit = replica.unit(parcel_id(1), within_s=60.0)
    assert status_of(unit)["dvf"] == "loading"
    assert replica.resolve(within_s=60.0) == [parcel_id(12)]
    with pytest.raises(AddressNotFound):
        replica.resolve(AddressQuery(label="12 rue qui n'existe pas 18000 Bourges"), within_s=2.5)
    with pytest.raises(CommuneLoading):
        replica.resolve(AddressQuery(label="12 rue des lilas 18250 La Chapelle"), within_s=2.5)
    publishers.released.set()
    replica.on_demand.end()


def test_the_rest_of_an_imported_commune_comes_for_those_who_ask_later(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    load_file(engine, at(publishers.bases)["cadastre-parcels"], publishers.url + cadastre_path(), tmp_path)
    replica = Replica(engine, publishers, tmp_path / "land")
    replica.on_demand.load(replica.on_demand.national_keys(), 15.0)
    replica.unit(parcel_id(1))
    assert set(replica.on_demand.load(replica.on_demand.keys(COMMUNE), 15.0).values()) == {"loaded"}
    assert status_of(replica.unit(parcel_id(1)))["dvf"] == "covered"
    replica.on_demand.end()


@pytest.mark.samples
def test_the_publishers_real_files_are_fetched_at_their_paths(engine: Engine, samples: Path, tmp_path: Path) -> None:
    """Paris 18e resolved to its parcel, Abzac's sales of 2021, Toulouse's permits: as many rows as the files have."""
    with local_publishers() as publishers:
        _serve_samples(publishers, samples)
        replica = Replica(engine, publishers, tmp_path / "land")
        assert replica.resolve(AddressQuery(label="12 rue Marcadet 75018 Paris"), 60.0) == ["75118000CE0011"]
        brought = replica.on_demand.load(
            [
                *replica.on_demand.keys("33001", ["dvf"]),
                *replica.on_demand.keys("31555", ["sitadel-development", "sitadel-demolition"]),
            ],
            60.0,
        )
        assert set(brought.values()) == {"loaded"}
        replica.on_demand.end()
    with engine.connect() as connection:
        loaded = loads.of_partitions(connection, ["75118", "33001", "31555"])
    assert {(each.dataset, each.partition.code, each.edition): each.row_count for each in loaded} == {
        ("ban", "75118", "unknown"): 12_280,
        ("cadastre-parcels", "75118", "2022-01-01"): 6_821,
        ("dvf", "33001", "2021"): 164,
        ("sitadel-development", "31555", "unknown"): 251,
        ("sitadel-demolition", "31555", "unknown"): 1_730,
    }


def _serve_samples(publishers: Publishers, samples: Path) -> None:
    """Real files at the paths that their publishers have."""
    for kind in ("commune", "mvt_commune"):
        packed = (samples / "cog" / f"v_{kind}_2026.csv.gz").read_bytes()
        publishers.files[f"/cog/v_{kind}_2026.csv"] = gzip.decompress(packed)
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
