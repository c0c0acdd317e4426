"""Documents: documentation as Markdown and as HTML, clients, /llms.txt, and /.well-known/security.txt (RFC 9116).

Documents name the service `https://HOST`: the edge writes the address that the client used there. The guide has places,
such as `{{errors}}`, for what derives from the API description.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from html import escape
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from contract.messages.schemas import Json
from edge.access import API
from edge.descriptions.dictionary import dictionary_json
from edge.descriptions.document import describe
from edge.descriptions.examples import examples_of
from edge.descriptions.operations import operation_of
from edge.negotiation import negotiate
from edge.pages.routes import DOCS
from edge.problems import MEDIA_TYPE, Problem
from edge.routing import new_router
from edge.static_answers import MadeOnce, StaticAnswer
from edge.upstreams import base_url
from servicekit.errors import expect
from servicekit.languages import Language, Text, typeset
from servicekit.languages import language as current_language

_MARKDOWN, _PLAIN = "text/markdown", "text/plain"
_CACHE = {"cache-control": "public, max-age=300", "vary": "accept-language"}
_SECURITY_EXPIRES = timedelta(days=180)
_LLMS = Path(__file__).with_name("llms.md")
_HOST = "https://HOST"
_PLACE, _PARAGRAPH = re.compile(r"{{(\w+)}}"), re.compile(r"<p>{{(\w+)}}</p>")
_CODE, _CELL = re.compile("`(.+?)`"), re.compile(r"(?<!\\)\|")
_FILES = {"csv": "text/csv", "qgs": "application/xml", "png": "image/png", "tar.gz": "application/gzip"}
"""The media types of files that the documents link to, by their endings."""
_HEAD = Text("signification", "meaning")
_GROUPS = {
    "problem": Text("Erreurs d’une requête", "Errors of a request"),
    "error": Text("Fautes d’un membre (errors[])", "Faults of a member (errors[])"),
    "warning": Text("Avertissements d’une réponse", "Warnings of an answer"),
}


class Documents(NamedTuple):
    router: APIRouter
    text_of: Callable[[Request, str], str | None]
    """Returns the HTML of a document in the language of the request. None if there is none."""


def documents_of(
    files: Mapping[str, StaticAnswer], described_routes: Sequence[APIRoute], security_contact: str
) -> Documents:
    """The dictionary is that of the routes that partners call.

    `security_contact` is the address for reports of vulnerabilities; empty for none.
    """
    router = new_router()
    overview = _LLMS.read_text(encoding="utf-8").replace("](/", f"]({_HOST}/")
    of_partners = [
        route for route in described_routes if (operation := operation_of(route)) and operation.tag == "consumer"
    ]

    @cache
    def dictionary(language: Language) -> Json:
        return dictionary_json(of_partners, language)

    @cache
    def operations(language: Language) -> list[tuple[str, Json]]:
        paths = describe(of_partners, language)["paths"]
        return [(path, operation) for path, methods in paths.items() for operation in methods.values()]

    generated: Mapping[str, Callable[[Language], Iterator[str]]] = {
        "dictionary": lambda language: _fields(dictionary(language), language),
        "codes": lambda language: _codes(dictionary(language), language),
    }
    places: Mapping[str, Callable[[Language], Iterator[str]]] = {
        "answer": lambda _: _first_answer(),
        "errors": lambda language: _errors(operations(language), dictionary(language), language),
        "units": lambda language: _units(operations(language), language),
    }

    def file_of(name: str, language: Language) -> StaticAnswer | None:
        return files.get(f"docs/{name}.{language}.md") or files.get(f"docs/{name}.md")

    def made(name: str, language: Language) -> str:
        """A document that is generated, or the guide with its places filled."""
        if (file := file_of(name, language)) is None:
            return "\n".join(generated[name](language))
        return _PLACE.sub(lambda place: "\n".join(places[place[1]](language)), file.content.decode())

    made_once = MadeOnce(made)

    @cache
    def page_text(name: str, language: Language) -> str | None:
        if name in generated:
            text = "\n".join(_as_html(generated[name](language)))
        elif (file := files.get(f"docs/{name}.{language}.html") or files.get(f"docs/{name}.html")) is not None:
            text = _PARAGRAPH.sub(lambda place: "\n".join(_as_html(places[place[1]](language))), file.content.decode())
            text = _PLACE.sub(lambda place: escape("\n".join(places[place[1]](language)), quote=False), text)
        else:
            return None
        return typeset(text) if language == "fr" else text

    def text_of(request: Request, name: str) -> str | None:
        return (text := page_text(name, current_language.get())) and text.replace(_HOST, base_url(request))

    @router.get(DOCS + "{name}.md", include_in_schema=False)
    async def markdown(request: Request, name: str) -> Response:
        language = negotiate(request.headers.get("accept-language"), "en")
        file = file_of(name, language)
        if file is None and name not in generated:
            raise Problem("not_found")
        text = await made_once(name, language) if file is None or name == "public" else file.content.decode()
        return Response(text.replace(_HOST, base_url(request)), headers=_CACHE, media_type=_MARKDOWN)

    def add_files(ending: str, media_type: str) -> None:
        @router.get(DOCS + "{name}." + ending, include_in_schema=False)
        async def linked_file(request: Request, name: str) -> Response:
            file = expect(files.get(f"docs/{name}.{ending}"), Problem("not_found"))
            content = file.content.replace(_HOST.encode(), base_url(request).encode())
            return Response(content, headers=_CACHE, media_type=media_type)

    for ending, media_type in _FILES.items():
        add_files(ending, media_type)

    @router.get("/llms.txt", include_in_schema=False)
    async def llms(request: Request) -> Response:
        return Response(overview.replace(_HOST, base_url(request)), headers=_CACHE, media_type=_PLAIN)

    @router.get("/.well-known/security.txt", include_in_schema=False)
    async def security() -> Response:
        if not security_contact:
            raise Problem("not_found")
        expires_at = (datetime.now(UTC) + _SECURITY_EXPIRES).strftime("%Y-%m-%dT00:00:00Z")
        text = f"Contact: {security_contact}\nExpires: {expires_at}\nPreferred-Languages: fr, en\n"
        return Response(text, headers=_CACHE, media_type=_PLAIN)

    return Documents(router, text_of)


def _as_html(lines: Iterable[str]) -> Iterator[str]:
    """The HTML of the headings, tables and paragraphs that this module writes."""
    for mark, group in groupby(lines, key=lambda line: line[:1] if line[:1] in "#|" else "-"):
        texts = [_CODE.sub(r"<code>\1</code>", escape(line, quote=False)) for line in group if line]
        if mark == "|":
            head, _, *rows = ([cell.strip() for cell in _CELL.split(text)[1:-1]] for text in texts)
            yield f'<div data-table tabindex="0"><table><tr><th>{"</th><th>".join(head)}</th></tr>'
            yield from (f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows)
            yield "</table></div>"
        elif mark == "#":
            for marks, _, title in (text.partition(" ") for text in texts):
                yield f'<h{len(marks)} id="{title}">{title}</h{len(marks)}>'
        elif texts:
            yield f"<p>{' '.join(texts)}</p>"


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
        yield from _values([value for value in dictionary["values"] if value["group"] == group], language)


def _first_answer() -> Iterator[str]:
    [answer] = (example.body for example in examples_of("POST", f"{API}/addresses/resolve") if example.name == "label")
    yield json.dumps(answer, indent=2, ensure_ascii=False)


def _errors(operations: Sequence[tuple[str, Json]], dictionary: Json, language: Language) -> Iterator[str]:
    declared = {
        example["value"]["code"]
        for _, operation in operations
        for answer in operation["responses"].values()
        for example in answer.get("content", {}).get(MEDIA_TYPE, {}).get("examples", {}).values()
    }
    values = [value for value in dictionary["values"] if value["group"] == "problem" and value["name"] in declared]
    yield from _values(sorted(values, key=itemgetter("status", "name")), language)


def _units(operations: Sequence[tuple[str, Json]], language: Language) -> Iterator[str]:
    units = (
        (f"`{path.removeprefix(API)}`", operation.get("x-billing-units-per-line", operation.get("x-billing-units", 0)))
        for path, operation in operations
    )
    rows = iter(dict.fromkeys(row for row in units if row[1]))
    yield from _table(Text("point d’accès | unités", "endpoint | units").read(language), rows)


def _values(values: Sequence[Json], language: Language) -> Iterator[str]:
    rows = ((f"`{value['name']}`", value["status"], value["description"]) for value in values)
    yield from _table(f"code | HTTP | {_HEAD.read(language)}", rows)


def _table(head: str, rows: Iterator[Sequence[object]]) -> Iterator[str]:
    yield f"| {head} |"
    yield "|---" * (head.count("|") + 1) + "|"
    for row in rows:
        cells = ("" if cell is None else str(cell).replace("|", "\\|").replace("\n", " ") for cell in row)
        yield f"| {' | '.join(cells)} |"
