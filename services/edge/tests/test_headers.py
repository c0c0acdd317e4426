"""Headers of every answer."""

import httpx
from running_edge import StartEdge

HSTS = "strict-transport-security"


async def test_only_answers_over_tls_have_hsts(start_edge: StartEdge) -> None:
    forwarded = {"x-forwarded-proto": "https"}
    async with start_edge() as edge:
        assert HSTS not in (await edge.client.get("/livez", headers=forwarded)).headers  # not from a trusted proxy
        transport = httpx.ASGITransport(app=edge.app)
        async with httpx.AsyncClient(transport=transport, base_url="https://localhost") as secure:
            for path in ("/livez", "/api/v1/health", "/api/v1/usage", "/nothing"):
                assert (await secure.get(path)).headers[HSTS] == "max-age=31536000", path
    async with start_edge(trusted_proxies="127.0.0.0/8") as edge:
        assert HSTS in (await edge.client.get("/livez", headers=forwarded)).headers
        assert HSTS not in (await edge.client.get("/livez")).headers
