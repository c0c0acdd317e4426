"""The documentation as Markdown, /llms.txt and /.well-known/security.txt."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin

import pytest
from running_edge import Edge, StartEdge

from contract.problem_codes import PROBLEMS
from edge.pages import documents
from edge.pages.routes import PAGES

pytestmark = pytest.mark.programs  # Node builds the pages

DIST = Path(__file__).parents[2] / "web" / "dist"
LANGUAGES = ("fr", "en")
LIVE = {"/api/docs/status"}
"""Pages of what changes all the time: JSON has it."""
DOCUMENTS = sorted(path for path, _ in PAGES.values() if path.startswith("/api/docs/") and path not in LIVE)


@pytest.fixture
async def edge(start_edge: StartEdge) -> AsyncIterator[Edge]:
    async with start_edge(web_dir=DIST) as edge:
        yield edge


async def read(edge: Edge, path: str, language: str = "en") -> str:
    response = await edge.client.get(path, headers={"accept-language": language})
    assert response.status_code == 200, path
    return response.text


@pytest.mark.parametrize("path", DOCUMENTS)
async def test_a_page_is_markdown_too(edge: Edge, path: str) -> None:
    response = await edge.client.get(f"{path}.md")
    assert (response.status_code, response.headers["content-type"]) == (200, "text/markdown; charset=utf-8")
    assert response.text.startswith("# ")


async def test_the_guide_has_what_its_page_shows(edge: Edge) -> None:
    guides = {language: await read(edge, "/api/docs/public.md", language) for language in LANGUAGES}
    outlines = [re.findall(r"^(#+ |```\w*$|\| `[^`]+`)", guide, re.M) for guide in guides.values()]
    assert outlines[0] == outlines[1]
    description = (await edge.client.get("/api/v1/openapi-public.json")).json()
    operations = [operation for methods in description["paths"].values() for operation in methods.values()]
    charged = [
        path.removeprefix("/api/v1")
        for path, methods in description["paths"].items()
        if any(each.get("x-billing-units-per-line") or each.get("x-billing-units") for each in methods.values())
    ]
    codes = {
        example["value"]["code"]
        for operation in operations
        for answer in operation["responses"].values()
        for example in answer.get("content", {}).get("application/problem+json", {}).get("examples", {}).values()
    }
    for guide in guides.values():
        assert set(re.findall(r"^\| `(\w+)` \| \d{3} \|", guide, re.M)) == codes
        assert "| `/assistant/divide-land` | 10 |" in guide
        assert re.findall(r"^\| `(/.*)` \| [1-9]\d* \|$", guide, re.M) == charged
        assert "| `quick_assessment` |" in guide


@pytest.mark.parametrize("path", DOCUMENTS)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_link_of_a_document_leads_to_a_page_and_a_heading(edge: Edge, path: str, language: str) -> None:
    address = f"{path}.md"
    text = await read(edge, address, language)
    assert not re.search(r"<!--|{{|//HOST", text), "the document is complete"
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)):
        target, _, fragment = urljoin(address, link).partition("#")
        if target.startswith("https://"):
            continue
        answer = await edge.client.get(target, headers={"accept-language": language})
        # an answer about the state needs a running service
        assert answer.status_code == 200 or target == "/api/v1/status", link
        if fragment and target.endswith(".md"):
            headings = re.findall(r"^#+ (.*)$", answer.text, re.M)
            assert fragment in {re.sub(r"[^\w _-]", "", heading.lower()).replace(" ", "-") for heading in headings}


async def test_files_and_documents_have_the_address_of_the_service(start_edge: StartEdge) -> None:
    async with start_edge(web_dir=DIST, public_url="https://api.example.fr") as edge:
        for path in ("/api/docs/landpartner.qgs", "/api/docs/agents.md", "/api/docs/gis.md", "/api/docs/public.md"):
            text = await read(edge, path)
            assert "https://api.example.fr/api/v1/" in text
            assert "HOST/" not in text


async def test_the_dictionary_and_the_codes_are_complete(edge: Edge) -> None:
    codes = await read(edge, "/api/docs/codes.md")
    assert set(PROBLEMS) <= set(re.findall(r"^\| `(\w+)` \|", codes, re.M))
    schemas = (await edge.client.get("/api/v1/openapi-public.json")).json()["components"]["schemas"]
    text = await read(edge, "/api/docs/dictionary.md", "fr")
    names = re.findall(r"^## (\w+)$", text, re.M)
    assert {"ResolveResponse", "LandUnitProperties"} <= set(names) < set(schemas)
    kinds = [schemas[name].get("oneOf", [{"$ref": name}])[0]["$ref"].rpartition("/")[2] for name in names]
    assert text.count("\n| `") == sum(len(schemas[kind]["properties"]) for kind in kinds)


async def test_a_generated_document_is_made_once(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("codes", "dictionary"):
        text = await read(edge, f"/api/docs/{name}.md")
        with monkeypatch.context() as context:
            context.setattr(documents, "_table", None)
            assert await read(edge, f"/api/docs/{name}.md") == text


async def test_the_type_of_a_problem_leads_to_its_page(edge: Edge) -> None:
    problem = (await edge.client.get("/api/v1/usage")).json()
    path, _, fragment = problem["type"].partition("#code-")
    assert (path, fragment) == ("/api/docs/codes", "missing_key")
    assert (await edge.client.get(path)).status_code == 200


async def test_an_unknown_document_is_not_found(edge: Edge) -> None:
    for name in ("unknown", "public.en", "..%2Fpublic"):
        assert (await edge.client.get(f"/api/docs/{name}.md")).status_code == (200 if name == "public.en" else 404)


async def test_the_overview_has_no_dead_link(start_edge: StartEdge) -> None:
    async with start_edge(web_dir=DIST, public_url="https://api.example.fr") as edge:
        links = re.findall(r"\]\(([^)]+)\)", await read(edge, "/llms.txt"))
        assert len(links) >= len(DOCUMENTS)
        for link in links:
            await read(edge, link.removeprefix("https://api.example.fr"))


async def test_a_vulnerability_can_be_reported(edge: Edge, start_edge: StartEdge) -> None:
    assert (await edge.client.get("/.well-known/security.txt")).status_code == 404
    async with start_edge(security_contact="mailto:security@example.fr") as reachable:
        text = await read(reachable, "/.well-known/security.txt")
    fields = dict(line.split(": ", 1) for line in text.splitlines())
    assert fields["Contact"] == "mailto:security@example.fr"
    expires_at = datetime.fromisoformat(fields["Expires"])
    assert timedelta(days=30) < expires_at - datetime.now(UTC) < timedelta(days=366)


@pytest.mark.parametrize("path", DOCUMENTS)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_page_has_its_text_before_a_script_runs(edge: Edge, path: str, language: str) -> None:
    response = await edge.client.get(path, headers={"accept-language": language})
    assert response.headers["content-language"] == language
    assert "accept-language" in response.headers["vary"]
    assert f'<html lang="{language}">' in response.text
    [text] = re.findall(r'<article id="static" data-prose>(.*?)</article>', response.text, re.S)
    assert not re.search(r"<!--|{{|//HOST|<script|\son\w+=", text), "complete, and without scripts"
    markdown = await read(edge, f"{path}.md", language)
    without_code = re.sub(r"```.*?```", "", markdown, flags=re.S)
    assert text.count("<h2") == len(re.findall(r"^## ", without_code, re.M))
    assert text.count("<tr>") == len(re.findall(r"^\|(?!---| ---|:|-)", without_code, re.M))


async def test_the_guide_without_a_script_has_the_answer_the_errors_and_the_units(edge: Edge) -> None:
    html = await read(edge, "/api/docs/public", "fr")
    assert "00001000AA0001" in html
    assert "<td><code>/assistant/divide-land</code></td><td>10</td>" in html
    assert re.search(r"<td><code>rate_limited</code></td><td>429</td>", html)
