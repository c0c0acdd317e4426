"""Watches and endpoints end with the last usable key of their partner, and when an admin ends them."""

from fakes import Refusal
from running_edge import Edge

from edge.ended_partners import end_events
from landpartner.keys.v1.admin_pb2 import EndPartnerEventsRequest
from landpartner.land.v1.land_pb2 import SCOPE_ALL, SCOPE_DEMO, DeleteWatchRequest
from landpartner.webhooks.v1.webhooks_pb2 import DeleteOwnerRequest, DeleteWebhookRequest, Owner

BEARER = {"authorization": "Bearer lpa_secret"}
PARTNER = "/api/v1/admin/partners/p1"


def deleted_owners(edge: Edge) -> list[tuple[str, bool]]:
    requests = [request for request in edge.land.requests if isinstance(request, DeleteOwnerRequest)]
    return [(request.owner.partner_id, request.owner.is_test) for request in requests]


async def test_a_pass_ends_those_without_a_usable_key_on_every_page(edge: Edge) -> None:
    edge.webhooks.owners = [
        Owner(partner_id="ended-1", is_test=True),
        Owner(partner_id="p1"),
        Owner(partner_id="ended-2"),
    ]
    await end_events(edge.app.state.upstreams)
    assert set(deleted_owners(edge)) == {("ended-1", True), ("ended-2", False)}


async def test_an_admin_sees_and_ends_them(edge: Edge) -> None:
    edge.webhooks.listed = "https://stranger.example"
    webhooks = await edge.client.get(f"{PARTNER}/webhooks", headers=BEARER)
    assert {webhook["url"] for webhook in webhooks.json()["webhooks"]} == {"https://stranger.example"}
    watches = await edge.client.get(f"{PARTNER}/watches", headers=BEARER)
    assert [watch["commune_code"] for watch in watches.json()["watches"]] == ["18999"] * 2  # with live and test keys
    assert (await edge.client.delete(f"{PARTNER}/watches", headers=BEARER)).status_code == 204
    request = edge.admin.request("EndPartnerEvents")
    assert isinstance(request, EndPartnerEventsRequest)
    assert (request.partner_id, request.caller.bearer_token) == ("p1", "lpa_secret")
    assert deleted_owners(edge) == [("p1", False), ("p1", True)]


async def test_an_admin_ends_one_endpoint_of_land_or_keys(edge: Edge) -> None:
    edge.webhooks.listed = "https://stranger.example"
    assert (await edge.client.delete(f"{PARTNER}/webhooks/w1", headers=BEARER)).status_code == 204
    request = edge.admin.request("EndPartnerEvents")
    assert isinstance(request, EndPartnerEventsRequest)
    assert (request.partner_id, request.webhook_id) == ("p1", "w1")
    deleted = [request for request in edge.land.requests if isinstance(request, DeleteWebhookRequest)]
    assert {(one.owner.partner_id, one.owner.is_test, one.webhook_id) for one in deleted} == {
        ("p1", False, "w1"),
        ("p1", True, "w1"),
    }
    edge.land.requests.clear()
    assert (await edge.client.delete(f"{PARTNER}/webhooks/w2", headers=BEARER)).status_code == 404
    assert not [request for request in edge.land.requests if isinstance(request, DeleteWebhookRequest)]


async def test_an_admin_ends_one_watch_of_any_page_and_of_live_or_test_keys(edge: Edge) -> None:
    edge.land.next_watches = {(SCOPE_ALL, ""): "w2", (SCOPE_DEMO, ""): "w3", (SCOPE_DEMO, "w3"): "w4"}
    for watch_id in ("w2", "w4"):
        assert (await edge.client.delete(f"{PARTNER}/watches/{watch_id}", headers=BEARER)).status_code == 204
        _, request = edge.admin.calls[-1]
        assert isinstance(request, EndPartnerEventsRequest)
        assert (request.partner_id, request.watch_id, request.webhook_id) == ("p1", watch_id, "")
    deleted = [request for request in edge.land.requests if isinstance(request, DeleteWatchRequest)]
    assert [(one.partner_id, one.scope, one.watch_id) for one in deleted] == [
        ("p1", SCOPE_ALL, "w2"),
        ("p1", SCOPE_DEMO, "w4"),
    ]
    assert (await edge.client.delete(f"{PARTNER}/watches/none", headers=BEARER)).status_code == 404
    assert [request for request in edge.land.requests if isinstance(request, DeleteWatchRequest)] == deleted


async def test_nothing_ends_and_nothing_is_shown_if_keys_refuses_the_admin(edge: Edge) -> None:
    refusal = Refusal("role_denied")
    edge.admin.failures |= {"EndPartnerEvents": refusal, "GetPartner": refusal}
    for path in ("watches", "watches/w1", "webhooks/w1"):
        assert (await edge.client.delete(f"{PARTNER}/{path}", headers=BEARER)).status_code == 403
    for path in ("watches", "webhooks"):
        assert (await edge.client.get(f"{PARTNER}/{path}", headers=BEARER)).status_code == 403
    assert edge.land.requests == []
