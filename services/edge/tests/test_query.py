"""Query parameters that no route declares, and parameters that a request repeats."""

import pytest
from running_edge import Edge

from contract.endpoints import SCOPES
from edge.access import API, OUTSIDE, PathClass

ANY_QUERY = {*(f"{root}/{name}" for root in ("", API) for name in ("health", "livez", "readyz")), f"{API}/docs/public"}
"""Monitors and links add parameters to these, as to pages."""


async def test_every_route_of_the_api_refuses_an_unknown_parameter(edge: Edge) -> None:
    edge.keys.terms.scopes.extend(SCOPES)
    description = (await edge.client.get("/api/v1/openapi.json")).json()
    of_admin = {"authorization": "Bearer admin-token", "accept-language": "en"}
    of_partner = {"x-api-key": edge.key, "accept-language": "en"}
    refused = set()
    for route in edge.routes():
        headers = of_admin if route.access.path_class is PathClass.ADMIN else of_partner
        for method in route.methods or ():
            response = await edge.client.request(method, f"{route.path}?unknown/one=1", headers=headers)
            if route.access == OUTSIDE or route.path in ANY_QUERY:
                assert response.status_code != 400, route.path
                continue
            refused.add(route.path)
            if route.path in (f"{API}/home-sample", f"{API}/ogc/api"):  # not in the description
                assert response.status_code == 400
                continue
            operation = description["paths"][route.path.rstrip("/")][method.lower()]
            names = ", ".join(parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query")
            takes = f"these parameters, each of them once: {names}." if names else "no parameter."
            problem = response.json()
            assert (response.status_code, problem["code"]) == (400, "invalid_payload"), route.path
            assert problem["detail"] == f"This address takes {takes}"
            assert problem["errors"] == [
                {"pointer": "/unknown~1one", "code": "unknown_member", "detail": "this parameter is unknown"}
            ]
            assert "`invalid_payload`" in operation["responses"]["400"]["description"]
    assert {"/api/v1/admin/usage", "/api/v1/usage", "/api/v1/status", "/api/v1/admin/session"} <= refused
    assert edge.land.requests == []


@pytest.mark.parametrize("path", ["/api/v1/usage", "/api/v1/admin/partners", "/api/v1/nothing"])
async def test_the_credential_is_checked_before_the_parameters(edge: Edge, path: str) -> None:
    assert (await edge.client.get(f"{path}?unknown=1")).status_code == 401


async def test_a_repeated_parameter_is_refused(edge: Edge) -> None:
    headers = {"x-api-key": edge.key, "accept-language": "fr"}
    response = await edge.client.get("/api/v1/addresses/suggest?q=a&limit=1&q=b", headers=headers)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_payload")
    assert response.json()["errors"] == [
        {"pointer": "/q", "code": "too_many", "detail": "ce paramètre est donné plusieurs fois"}
    ]
    assert edge.land.requests == []
