"""What the home page needs without a key: test keys if the operator gives them, and the division of a chosen parcel."""

import asyncio

from fakes import Refusal, wait_until
from running_edge import Edge, StartEdge

PATH, SAMPLE = "/api/v1/visitor-keys", "/api/v1/home-sample"


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


async def test_one_address_gets_few_answers_and_few_slots(start_edge: StartEdge) -> None:
    async with start_edge(visitor_keys_per_day=7, open_attempts_per_minute=3) as edge:
        answers = await asyncio.gather(*(edge.client.post(PATH) for _ in range(5)))
        assert sorted(answer.status_code for answer in answers) == [201, 201, 201, 429, 429]
        assert len(edge.keys.visitor_requests) == 3
    async with start_edge(visitor_keys_per_day=7, max_open_requests_per_address=1) as edge:
        edge.keys.may_decide.clear()
        under_way = asyncio.create_task(edge.client.post(PATH))
        await wait_until(lambda: edge.keys.visitor_requests)
        assert (await edge.client.post(PATH)).status_code == 503
        edge.keys.may_decide.set()
        assert (await under_way).status_code == 201
        assert len(edge.keys.visitor_requests) == 1


async def test_the_home_page_shows_the_demo_unless_a_parcel_is_chosen(edge: Edge) -> None:
    sample = (await edge.client.get(SAMPLE)).json()
    assert sample["parcel_id"] is None
    assert sample["division"]["context"]["features"][0]["properties"]["parcel_ids"] == ["00001000AA0001"]
    assert edge.land.requests == []


async def test_visitors_cause_one_computation_of_the_chosen_parcel(start_edge: StartEdge) -> None:
    async with start_edge(home_parcel="00001000AB0012") as edge:
        edge.land.failure = Refusal("unavailable")
        assert (await edge.client.get(SAMPLE)).json()["parcel_id"] is None
        edge.land.failure = None
        assert (await edge.client.get(SAMPLE)).json()["parcel_id"] is None, "it waits before it tries again"
        assert edge.assistant.requests == []
    async with start_edge(home_parcel="00001000AB0012") as edge:
        samples = [(await edge.client.get(SAMPLE)).json() for _ in range(3)]
        assert samples == [samples[0]] * 3
        assert samples[0]["parcel_id"] == "00001000AB0012"
        assert samples[0]["division"]["context"]["features"][0]["properties"]["parcel_ids"] == ["00001000AB0012"]
        assert (len(edge.land.requests), len(edge.assistant.requests)) == (1, 1)
        assert (edge.keys.lease_requests, edge.keys.outcomes) == ([], [])
