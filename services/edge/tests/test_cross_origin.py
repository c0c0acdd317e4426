"""Requests of a browser for a page of another origin."""

from pathlib import Path

import pytest
from pydantic import ValidationError
from running_edge import GEOJSON, RESOLVE, Edge, running_edge

from edge.settings import EdgeSettings

PARTNER = "https://partner.example"
PREFLIGHT = {"access-control-request-method": "POST", "access-control-request-headers": "content-type,x-api-key"}


async def test_a_preflight_of_a_configured_origin_is_allowed_without_a_key(tmp_path: Path) -> None:
    async with running_edge(tmp_path, cors_origins=PARTNER) as edge:
        answer = await edge.client.options(GEOJSON, headers={"origin": PARTNER, **PREFLIGHT})
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == PARTNER
        assert "x-api-key" in answer.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in answer.headers
        assert edge.keys.lease_requests == []


async def test_an_answer_and_a_problem_are_readable_by_a_configured_origin_only(tmp_path: Path) -> None:
    async with running_edge(tmp_path, cors_origins=f"{PARTNER},https://other.example:8443") as edge:
        answer = await edge.post(RESOLVE, {"label": "x"}, headers={"origin": PARTNER})
        assert answer.headers["access-control-allow-origin"] == PARTNER
        assert "retry-after" in answer.headers["access-control-expose-headers"].lower()
        refused = await edge.client.post(RESOLVE, json={}, headers={"origin": "https://other.example:8443"})
        assert refused.status_code == 401
        assert refused.headers["access-control-allow-origin"] == "https://other.example:8443"
        stranger = await edge.post(RESOLVE, {"label": "x"}, headers={"origin": "https://stranger.example"})
        assert "access-control-allow-origin" not in stranger.headers


@pytest.mark.parametrize("path", ["/api/v1/admin/api-keys", "/api/v1/admin", "/admin", "/readyz"])
async def test_no_other_origin_reaches_the_admin_api_or_a_page(tmp_path: Path, path: str) -> None:
    async with running_edge(tmp_path, cors_origins="*") as edge:
        for answer in (
            await edge.client.options(path, headers={"origin": PARTNER, **PREFLIGHT}),
            await edge.client.get(path, headers={"origin": PARTNER}),
        ):
            assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_without_configured_origins_a_preflight_needs_a_key(edge: Edge) -> None:
    answer = await edge.client.options(GEOJSON, headers={"origin": PARTNER, **PREFLIGHT})
    assert answer.status_code == 401
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origins", ["partner.example", "https://partner.example/", "https://a.example,x", "ftp://a"])
def test_what_is_no_origin_is_refused_at_the_start(edge: Edge, origins: str) -> None:
    with pytest.raises(ValidationError):
        EdgeSettings(**{**edge.settings.model_dump(), "cors_origins": origins})
