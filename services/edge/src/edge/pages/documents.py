"""Documents for machines: documentation as Markdown, clients, /llms.txt, and /.well-known/security.txt (RFC 9116)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from contract.messages.schemas import Json
from edge.descriptions.dictionary import dictionary_json
from edge.descriptions.operations import operation_of
from edge.negotiation import negotiate
from edge.pages.routes import BuiltFile
from edge.problems import Problem
from edge.routing import new_router
from servicekit.languages import Language, Text

DOCS = "/api/docs"
_MARKDOWN, _PLAIN = "text/markdown", "text/plain"
_CACHE = {"cache-control": "public, max-age=300", "vary": "accept-language"}
_SECURITY_EXPIRES = timedelta(days=180)
_LLMS = Path(__file__).with_name("llms.md")
_HEAD = Text("signification", "meaning")
_GROUPS = {
    "problem": Text("Erreurs d’une requête", "Errors of a request"),
    "error": Text("Fautes d’un membre (errors[])", "Faults of a member (errors[])"),
    "warning": Text("Avertissements d’une réponse", "Warnings of an answer"),
}


def document_routes(
    files: Mapping[str, BuiltFile], described_routes: Sequence[APIRoute], server: str, security_contact: str
) -> APIRouter:
    """The dictionary is that of the routes that partners call.

    `server` is the base URL, and `security_contact` the address for reports of vulnerabilities; empty for none.
    """
    router = new_router()
    overview = _LLMS.read_text(encoding="utf-8").replace("](/", f"]({server.rstrip('/')}/")

    of_partners = [
        route for route in described_routes if (operation := operation_of(route)) and operation.tag == "consumer"
    ]

    @cache
    def dictionary(language: Language) -> Json:
        return dictionary_json(of_partners, language)

    generated: Mapping[str, Callable[[Language], str]] = {
        "dictionary": lambda language: "\n".join(_fields(dictionary(language), language)),
        "codes": lambda language: "\n".join(_codes(dictionary(language), language)),
    }

    @router.get(DOCS + "/{document}.md", include_in_schema=False)
    async def markdown(request: Request, document: str) -> Response:
        language = negotiate(request.headers.get("accept-language"), "en")
        content: bytes | str
        if (file := files.get(f"docs/{document}.{language}.md") or files.get(f"docs/{document}.md")) is not None:
            content = file.content
        elif document in generated:
            content = generated[document](language)
        else:
            raise Problem("not_found")
        return Response(content, headers=_CACHE, media_type=_MARKDOWN)

    @router.get(DOCS + "/{client}.tar.gz", include_in_schema=False)
    async def client_sources(client: str) -> Response:
        if (file := files.get(f"docs/{client}.tar.gz")) is None:
            raise Problem("not_found")
        return Response(file.content, headers=_CACHE, media_type="application/gzip")

    @router.get("/llms.txt", include_in_schema=False)
    async def llms() -> Response:
        return Response(overview, headers=_CACHE, media_type=_PLAIN)

    @router.get("/.well-known/security.txt", include_in_schema=False)
    async def security() -> Response:
        if not security_contact:
            raise Problem("not_found")
        expires_at = (datetime.now(UTC) + _SECURITY_EXPIRES).strftime("%Y-%m-%dT00:00:00Z")
        text = f"Contact: {security_contact}\nExpires: {expires_at}\nPreferred-Languages: fr, en\n"
        return Response(text, headers=_CACHE, media_type=_PLAIN)

    return router


def _fields(dictionary: Json, language: Language) -> Iterator[str]:
    fields: dict[str, list[Json]] = {}
    for field in dictionary["fields"]:
        fields.setdefault(field["object"], []).append(field)
    yield f"# {Text('Dictionnaire', 'Dictionary').read(language)}"
    for described in dictionary["objects"]:
        head = Text("champ | type | signification | unité | source", "field | type | meaning | unit | source")
        yield from ("", f"## {described['name']}", "", described["description"], "")
        yield from _table(
            head.read(language),
            (
                (f"`{field['name']}`", f"`{field['type']}`", field["description"], field["unit"], field["source"])
                for field in fields.get(described["name"], ())
            ),
        )


def _codes(dictionary: Json, language: Language) -> Iterator[str]:
    yield "# Codes"
    for group, title in _GROUPS.items():
        yield from ("", f"## {title.read(language)}", "")
        yield from _table(
            f"code | HTTP | {_HEAD.read(language)}",
            (
                (f"`{value['name']}`", value["status"], value["description"])
                for value in dictionary["values"]
                if value["group"] == group
            ),
        )


def _table(head: str, rows: Iterator[Sequence[object]]) -> Iterator[str]:
    yield f"| {head} |"
    yield "|---" * (head.count("|") + 1) + "|"
    for row in rows:
        cells = ("" if cell is None else str(cell).replace("|", "\\|").replace("\n", " ") for cell in row)
        yield f"| {' | '.join(cells)} |"
