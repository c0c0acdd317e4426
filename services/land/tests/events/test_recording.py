"""Events of loads: what changes for whom, and what does not."""

from collections.abc import Sequence

import orjson
import pytest
import shapely
from closed_schemas import closed
from land_builders import (
    COMMUNE,
    dvf_row,
    easement,
    load,
    parcel,
    permit,
    polygon_wkb,
    prescription,
    reference,
    square,
    zone,
)
from openapi_schema_validator import OAS31Validator
from sqlalchemy import Engine

from contract.messages.land import EVENT
from contract.messages.schemas import Components
from land.datasets.easements.records import EasementRecord
from land.datasets.lineage.records import LineageRecord
from land.datasets.planning.records import PlanningCommuneRecord, ZoneRecord
from land.events import matching
from land.events.matching import match_changes
from land.events.watches import Watches
from land.loading.disk_space import evict
from land.rpc.watches import event_message
from land.store import fetches
from land.store.events import Event, delete_owner, owners_after, webhooks
from servicekit.errors import InvalidPayload

A, B = (f"{COMMUNE}000AB{number:04}" for number in (1, 2))
OWNER, OTHER = "all partner-1", "all partner-2"


@pytest.fixture
def watches(store: Engine) -> Watches:
    """Two parcels side by side, of which a partner watches the first."""
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    watches = Watches(store, 10, 100)
    watches.create(OWNER, None, [A], "", None)
    return watches


def events(watches: Watches, owner: str = OWNER, events_per_owner: int = 100) -> list[Event]:
    """The events so far, which are as the API description says."""
    match_changes(watches.engine, events_per_owner)
    stored = watches.events(owner, 0, 100)
    components = Components("en")
    schema = closed({**EVENT.describe(components), "components": {"schemas": components.schemas}})
    for event in stored:
        OAS31Validator(schema).validate(orjson.loads(orjson.dumps(EVENT.write(event_message(event)))))
    return stored


def differences(found: Sequence[Event], name: str) -> list[tuple[object, object]]:
    """A member of the facts before and after, for each event."""

    def member(document: bytes | None) -> object:
        return None if document is None else orjson.loads(document)[name]

    return [(member(event.before), member(event.after)) for event in found]


def fail(*_: object) -> None:
    raise OSError("disk full")


def sell(store: Engine, *rows: object, edition: str = "e1", part: str = "2021") -> None:
    load(store, "dvf", COMMUNE, rows, part=part, edition=edition)


def test_a_new_and_a_changed_sale_are_events_with_their_editions(store: Engine, watches: Watches) -> None:
    sell(store, dvf_row(A), dvf_row(B))
    assert events(watches) == []  # a first load
    sell(store, dvf_row(A, valeur_fonciere=260_000.0), dvf_row(B), edition="e2")
    later = dvf_row(A, "2021-9", date_mutation="2021-11-12")
    sell(store, dvf_row(A, valeur_fonciere=260_000.0), later, dvf_row(B, valeur_fonciere=1.0), edition="e3")
    changed, new = found = events(watches)
    assert differences(found, "valeur_fonciere") == [(250_000, 260_000), (None, 250_000)]
    assert (changed.kind, changed.dataset, changed.previous_edition, changed.edition) == ("sale", "dvf", "e1", "e2")
    assert (new.parcel_ids, new.commune_codes, new.previous_edition) == (A, COMMUNE, "e2")
    assert watches.events(OWNER, changed.id, 100) == [new]


def test_sales_that_get_new_ids_of_mutations_have_not_changed(store: Engine, watches: Watches) -> None:
    sell(store, dvf_row(A, "2021-1"))
    sell(store, dvf_row(A, "2021-77"), edition="e2")
    assert events(watches) == []


def test_a_year_that_is_published_later_is_news(store: Engine, watches: Watches) -> None:
    sell(store, dvf_row(A))  # the builder says that it was loaded long ago
    sell(store, dvf_row(A, "2022-1", date_mutation="2022-01-02"), part="2022")
    assert differences(events(watches), "date_mutation") == [(None, "2022-01-02")]


def test_a_permit_is_an_event_at_its_parcels(store: Engine, watches: Watches) -> None:
    load(store, "sitadel-housing", COMMUNE, [permit("PC1", reference("0001")), permit("PC2", reference("0002"))])
    started = [
        permit("PC1", reference("0001"), etat_dau="commencé"),
        permit("PC2", reference("0002"), etat_dau="annulé"),
    ]
    load(store, "sitadel-housing", COMMUNE, started, edition="e2")
    assert differences(events(watches), "etat_dau") == [("autorisé", "commencé")]


def plan(store: Engine, edition: str, *zones: ZoneRecord) -> None:
    load(store, "gpu-zones", zones[0].partition, zones, part="zone", edition=edition)


def test_a_parcel_in_another_zone_is_a_change_of_the_plan(store: Engine, watches: Watches) -> None:
    plan(store, "e1", zone("Ub", square(0, 0)), zone("N", square(20, 0)))
    plan(store, "e2", zone("N", square(-0.1, 0, 40.1)))
    assert differences(events(watches), "label") == [("Ub", "N")]


def test_an_outline_that_moves_beside_the_parcel_is_no_event(store: Engine, watches: Watches) -> None:
    plan(store, "e1", zone("Ub", square(0, 0)), zone("N", square(20, 0)))
    plan(store, "e2", zone("Ub", square(0, 0, 20.2)), zone("N", square(19.8, 0, 90)))
    assert events(watches) == []


def test_an_easement_and_a_prescription_are_events_where_they_bear(store: Engine, watches: Watches) -> None:
    def bear(edition: str, *records: EasementRecord) -> None:
        load(store, "gpu-sup", COMMUNE, records, part="surface", edition=edition)

    bear("e1", easement("Tour", square(20, 0)))
    bear("e2", easement("Tour", square(-5, 0, 45)))
    drawn = prescription("EBC", square(5, 5, 4, 4))
    load(store, "gpu-prescriptions", drawn.partition, [], part="surface")
    load(store, "gpu-prescriptions", drawn.partition, [drawn], part="surface", edition="e2")
    found = events(watches)
    assert [(event.kind, event.before is None) for event in found] == [("easement", True), ("prescription", True)]


def test_partners_see_the_events_of_their_own_watches(store: Engine, watches: Watches) -> None:
    commune = watches.create(OTHER, "all", [], COMMUNE, None)
    area = watches.create(OTHER, None, [], "", shapely.from_wkb(polygon_wkb(square(21, 1, 2, 2))))
    watches.create("demo partner-1", None, [], COMMUNE, None)
    sell(store, dvf_row(A), dvf_row(B))
    sell(store, dvf_row(A), dvf_row(B, valeur_fonciere=3.0), edition="e2")
    assert events(watches) == []
    assert events(watches, "demo partner-1") == []  # a test key sees the demo alone
    (event,) = events(watches, OTHER)
    assert set(event.watch_ids.split()) == {commune.watch_id, area.watch_id}
    watches.delete(OTHER, commune.watch_id)
    watches.delete(OTHER, area.watch_id)
    sell(store, dvf_row(A), dvf_row(B), edition="e3")
    assert events(watches, OTHER) == [event]


def test_a_division_is_an_event_by_its_document_and_by_the_plan(store: Engine, watches: Watches) -> None:
    around = watches.create(OTHER, None, [], "", shapely.from_wkb(polygon_wkb(square(1, 1, 2, 2))))
    daughters = tuple(f"{COMMUNE}000AB{number:04}" for number in (3, 4))

    def document(parcel_id: str, *, is_mother: bool) -> LineageRecord:
        return LineageRecord(
            department="18", commune_code=COMMUNE, parcel_id=parcel_id, lot="000000123400001", nature="1",
            validated_on="2026-01-02", is_mother=is_mother,
        )  # fmt: skip

    load(store, "dfi", "18", [])
    mother, *others = [document(parcel_id, is_mother=parcel_id == A) for parcel_id in (A, *daughters)]
    load(store, "dfi", "18", [mother, *others], edition="e2")
    divided = [parcel(3, square(0, 0, 10)), parcel(4, square(10, 0, 10)), parcel(2, square(20, 0))]
    load(store, "cadastre-parcels", COMMUNE, divided, edition="e2")
    load(store, "cadastre-parcels", COMMUNE, [*divided, parcel(5, square(90, 0))], edition="e3")
    found = events(watches)
    assert [(event.kind, event.dataset, event.parcel_ids) for event in found] == [
        ("lineage", "dfi", A),
        ("lineage", "cadastre-parcels", A),
    ]
    assert differences(found, "kind") == [(None, "division")] * 2
    assert differences(found, "daughters") == [(None, list(daughters))] * 2
    assert [event.watch_ids for event in events(watches, OTHER)] == [around.watch_id] * 2


def test_the_national_rules_of_a_commune_concern_its_parcels(store: Engine, watches: Watches) -> None:
    load(store, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, True)])
    load(store, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, False)], edition="e2")
    found = events(watches)
    assert differences(found, "is_rnu") == [(True, False)]
    assert (found[0].parcel_ids, found[0].commune_codes) == ("", COMMUNE)


def test_a_partition_that_is_evicted_and_loaded_again_loses_no_event(store: Engine, watches: Watches) -> None:
    area = watches.create(OTHER, None, [], "", shapely.from_wkb(polygon_wkb(square(1, 1, 2, 2))))
    sell(store, dvf_row(A))
    plan(store, "e1", zone("Ub", square(0, 0)))
    with store.begin() as connection:
        for dataset, code in (("dvf", COMMUNE), ("gpu-zones", zone("Ub", square(0, 0)).partition)):
            fetches.begin(connection, dataset, code, COMMUNE, "2026-01-02T03:04:05Z")
            fetches.complete(connection, dataset, code, "2026-01-02T03:04:05Z", 1)
    assert len(evict(store, 0, [])) == 2
    sell(store, dvf_row(A, valeur_fonciere=260_000.0), edition="e2")
    plan(store, "e1", zone("Ub", square(0, 0)))
    (event,) = events(watches)
    assert differences([event], "valeur_fonciere") == [(250_000, 260_000)]
    assert (event.previous_edition, event.edition) == ("e1", "e2")
    assert [event.watch_ids for event in events(watches, OTHER)] == [area.watch_id]


def test_a_load_that_fails_leaves_no_event(store: Engine, watches: Watches, monkeypatch: pytest.MonkeyPatch) -> None:
    sell(store, dvf_row(A))
    with monkeypatch.context() as patch:
        patch.setattr("land.loading.loader.loads.put", fail)
        with pytest.raises(OSError, match="disk full"):
            sell(store, dvf_row(A, valeur_fonciere=1.0), edition="e2")
    assert events(watches) == []
    sell(store, dvf_row(A, valeur_fonciere=1.0), edition="e2")
    assert len(events(watches)) == 1


def test_the_same_watch_again_is_the_first_one(watches: Watches) -> None:
    again = watches.create(OWNER, "renamed", [A.lower()], "", None)
    assert watches.page(OWNER, "", 10) == [again]
    assert (again.name, again.parcel_ids) == ("renamed", [A])


def test_a_partner_has_at_most_so_many_watches(store: Engine, watches: Watches) -> None:
    limited = Watches(store, 1, 100)
    with pytest.raises(InvalidPayload):
        limited.create(OWNER, None, [B], "", None)
    assert len(watches.page(OWNER, "", 10)) == 1
    limited.create(OTHER, None, [B], "", None)


def test_the_areas_of_a_partner_have_at_most_so_many_positions(store: Engine, watches: Watches) -> None:
    limited, outline = Watches(store, 10, 8), shapely.from_wkb(polygon_wkb(square(0, 0)))
    limited.create(OTHER, None, [A, B], "", None)
    limited.create(OTHER, None, [], "", outline)  # a square has five positions
    limited.create(OTHER, "again", [], "", outline)
    with pytest.raises(InvalidPayload):
        limited.create(OTHER, None, [], "", shapely.from_wkb(polygon_wkb(square(9, 0))))
    assert len(limited.page(OTHER, "", 10)) == 2


def test_an_event_names_ten_watches_and_a_partner_keeps_its_newest_events(store: Engine, watches: Watches) -> None:
    crowded = Watches(store, 100, 1_000)
    areas = [
        crowded.create(OTHER, None, [], "", shapely.from_wkb(polygon_wkb(square(-1 - at, 0)))).watch_id
        for at in range(12)
    ]
    for edition in range(6):
        sell(store, dvf_row(A, valeur_fonciere=edition * 1.0), edition=f"e{edition}")
    found = events(watches, OTHER, events_per_owner=3)
    assert differences(found, "valeur_fonciere") == [(2, 3), (3, 4), (4, 5)]
    assert {event.watch_ids for event in found} == {" ".join(sorted(areas)[: matching.MAX_WATCHES])}


def test_changes_of_many_rows_become_events_once_and_in_order(
    store: Engine, watches: Watches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("land.store.events._CHANGES_OF_ROW", 1)
    sell(store, *(dvf_row(A, f"2021-{at}", date_mutation=f"2021-01-0{at + 1}") for at in range(5)))
    sell(store, edition="e2")
    with monkeypatch.context() as patch:
        patch.setattr("land.events.matching.events.add_events", fail)
        with pytest.raises(OSError, match="disk full"):
            events(watches)
    assert watches.events(OWNER, 0, 100) == []
    found = events(watches)
    assert differences(found, "date_mutation") == [(f"2021-01-0{at + 1}", None) for at in range(5)]
    assert events(watches) == found


def test_an_owner_that_ends_has_no_watch_and_gets_no_event(store: Engine, watches: Watches) -> None:
    watches.create(OTHER, None, [], COMMUNE, None)
    with store.begin() as connection:
        webhooks.create(connection, b"key", "demo partner-3", "https://partner.example")
        assert owners_after(connection, "", 2) == [OWNER, OTHER]
        assert owners_after(connection, OTHER, 2) == ["demo partner-3"]
        for owner in (OWNER, "demo partner-3"):
            delete_owner(connection, owner)
            delete_owner(connection, owner)
        assert owners_after(connection, "", 9) == [OTHER]
    sell(store, dvf_row(A))
    sell(store, dvf_row(A, valeur_fonciere=1.0), edition="e2")
    assert (len(events(watches)), len(events(watches, OTHER))) == (0, 1)
