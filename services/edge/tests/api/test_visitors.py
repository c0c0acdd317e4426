"""POST /visitor-keys: only where the operator gives such keys, and only for the service's own pages."""

from running_edge import Edge, StartEdge

PATH = "/api/v1/visitor-keys"


async def test_there_is_no_such_route_by_default(edge: Edge) -> None:
    assert (await edge.client.get("/api/v1/status")).json()["gives_visitor_keys"] is False
    assert (await edge.client.post(PATH)).status_code == 401
    assert edge.keys.visitor_requests == []


async def test_a_visitor_gets_a_key_for_its_own_address(start_edge: StartEdge) -> None:
    async with start_edge(visitor_keys_per_day=7, trusted_proxies="127.0.0.0/8") as edge:
        assert (await edge.client.get("/api/v1/status")).json()["gives_visitor_keys"] is True
        forwarded = {"x-forwarded-for": "203.0.113.9, 192.0.2.1"}
        created = await edge.client.post(PATH, headers=forwarded)
        foreign = await edge.client.post(PATH, headers={"origin": "https://elsewhere.example"})
    assert created.status_code == 201
    assert created.json() == {"api_key": "lp_test_key", "expires_at": "2026-03-15T12:00:00Z"}
    assert created.headers["cache-control"] == "no-store"
    assert foreign.status_code == 403
    assert [(each.client_address, each.most_per_day) for each in edge.keys.visitor_requests] == [("192.0.2.1", 7)]
