"""Watches and events: what the edge asks land, and for whom."""

import pytest
from running_edge import Edge

from landpartner.keys.v1 import keys_pb2
from landpartner.land.v1 import land_pb2

WATCHES, EVENTS = "/api/v1/watches", "/api/v1/events"


async def test_calls_are_for_the_partner_of_the_key(edge: Edge) -> None:
    headers = {"x-api-key": edge.key}
    created = await edge.client.post(WATCHES, json={"commune_code": "18999"}, headers=headers)
    assert (created.status_code, created.json()["commune_code"]) == (200, "18999")
    assert (await edge.client.delete(f"{WATCHES}/w1", headers=headers)).status_code == 204
    page = await edge.client.get(f"{EVENTS}?after=6", headers=headers)
    (event,) = page.json()["events"]
    assert (event["kind"], event["change"], event["before"]) == ("sale", "new", None)
    assert (event["after"], page.json()["next_after"]) == ({"valeur_fonciere": 250_000}, "7")
    creation, deletion, reading = edge.land.requests
    assert {(request.partner_id, request.scope) for request in edge.land.requests} == {
        ("partner-1", land_pb2.SCOPE_ALL)
    }
    assert (creation.commune_code, deletion.watch_id, reading.after) == ("18999", "w1", "6")
    assert {query.endpoint for query in edge.keys.lease_requests} <= {"watches", "events.pages"}


@pytest.mark.parametrize(("path", "endpoint"), [("webhooks", "webhooks"), ("keys/events/webhooks", "keys")])
async def test_a_test_of_an_endpoint_is_of_the_partner_and_costs_as_the_other_routes(
    edge: Edge, path: str, endpoint: str
) -> None:
    edge.keys.terms.scopes.append(endpoint)
    response = await edge.client.post(f"/api/v1/{path}/w1/test", headers={"x-api-key": edge.key})
    outcome = await edge.keys.outcome()
    assert (response.status_code, outcome.endpoint, outcome.units) == (204, endpoint, 0)
    [request] = edge.land.requests
    assert (request.owner.partner_id, request.owner.is_test, request.webhook_id) == ("partner-1", False, "w1")


@pytest.mark.parametrize(
    ("body", "pointers"),
    [({}, ["/parcel_ids", "/commune_code", "/area"]), ({"commune": "18999"}, ["/commune"])],
)
async def test_a_watch_has_one_target_and_no_unknown_member(
    edge: Edge, body: dict[str, str], pointers: list[str]
) -> None:
    response = await edge.client.post(WATCHES, json=body, headers={"x-api-key": edge.key})
    assert [error["pointer"] for error in response.json()["errors"]] == pointers


@pytest.mark.parametrize(
    ("path", "endpoint"),
    [
        (WATCHES, "watches"),
        (f"{WATCHES}?limit=1", "watches"),
        (f"{WATCHES}?cursor=", "watches"),
        (f"{WATCHES}?cursor=w1", "watches.pages"),
        (f"{WATCHES}?limit=1&%63ursor=w1", "watches.pages"),
        (EVENTS, "events"),
        (f"{EVENTS}?after=6", "events.pages"),
        ("/api/v1/keys/events?after=6", "keys"),
    ],
)
async def test_a_page_beyond_the_first_costs_a_unit_within_the_scope_of_its_list(
    edge: Edge, path: str, endpoint: str
) -> None:
    edge.keys.terms.scopes.append(endpoint.removesuffix(".pages"))
    response = await edge.client.get(path, headers={"x-api-key": edge.key})
    outcome = await edge.keys.outcome()
    assert (response.status_code, outcome.status) == (200, 200)
    assert (outcome.endpoint, outcome.units) == (endpoint, int(endpoint.endswith(".pages")))
    assert [request.endpoint for request in edge.keys.lease_requests] == [endpoint]


@pytest.mark.parametrize("path", [f"{WATCHES}?cursor=w1", f"{EVENTS}?after=6"])
async def test_a_further_page_with_nothing_on_it_is_free(edge: Edge, path: str) -> None:
    edge.land.has_events = False
    response = await edge.client.get(path, headers={"x-api-key": edge.key})
    outcome = await edge.keys.outcome()
    assert (response.status_code, outcome.units, outcome.is_free) == (200, 1, True)


async def test_a_further_page_is_refused_without_units_before_land_is_asked(edge: Edge) -> None:
    edge.keys.denial = keys_pb2.Denial(code="quota_exhausted", facts={"units": "1", "left": "0"})
    for path in (f"{WATCHES}?cursor=w1", f"{EVENTS}?after=6"):
        assert (await edge.client.get(path, headers={"x-api-key": edge.key})).status_code == 429
    assert edge.land.requests == []
