"""Watches and events: what the edge asks land, and for whom."""

import pytest
from running_edge import Edge

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
    assert {query.endpoint for query in edge.keys.lease_requests} <= {"watches", "events"}


@pytest.mark.parametrize(
    ("body", "pointers"),
    [({}, ["/parcel_ids", "/commune_code", "/area"]), ({"commune": "18999"}, ["/commune"])],
)
async def test_a_watch_has_one_target_and_no_unknown_member(
    edge: Edge, body: dict[str, str], pointers: list[str]
) -> None:
    response = await edge.client.post(WATCHES, json=body, headers={"x-api-key": edge.key})
    assert [error["pointer"] for error in response.json()["errors"]] == pointers
