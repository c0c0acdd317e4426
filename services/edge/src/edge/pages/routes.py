"""Serves the built pages and their assets. All files are read at start; no request path reaches the disk."""

import mimetypes
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from contract.messages.schemas import Plain
from edge.descriptions.operations import route_options
from edge.problems import Problem
from edge.routing import new_router
from edge.static_answers import StaticAnswer
from servicekit.errors import expect
from servicekit.languages import Language, Text, language

ASSETS = "/assets"
DOCS = "/api/docs/"
PAGES = {
    "home_page": ("/", "home/index.html"),
    "docs_page": ("/api/docs", "docs/index.html"),
    "docs_public_page": ("/api/docs/public", "docs/public/index.html"),
    "docs_dictionary_page": ("/api/docs/dictionary", "docs/public/index.html"),
    "docs_codes_page": ("/api/docs/codes", "docs/public/index.html"),
    "docs_status_page": ("/api/docs/status", "docs/public/index.html"),
    "docs_land_units_page": ("/api/docs/land-units", "docs/public/index.html"),
    "docs_addresses_page": ("/api/docs/addresses", "docs/public/index.html"),
    "docs_parcels_page": ("/api/docs/parcels", "docs/public/index.html"),
    "docs_events_page": ("/api/docs/events", "docs/public/index.html"),
    "docs_verdicts_page": ("/api/docs/verdicts", "docs/public/index.html"),
    "docs_agents_page": ("/api/docs/agents", "docs/public/index.html"),
    "docs_gis_page": ("/api/docs/gis", "docs/public/index.html"),
    "docs_changes_page": ("/api/docs/changes", "docs/public/index.html"),
    "terrain_page": ("/terrain", "terrain/index.html"),
    "playground_page": ("/playground", "playground/index.html"),
    "admin_page": ("/admin", "admin/index.html"),
}
"""The path and the file of each page, by the name of its route."""
_FOREVER = "public, max-age=31536000, immutable"
_CHECK = "no-cache"
_BROTLI = ".br"
_MOST_TEXTS = 64
"""Pages with a text that are kept: the documents in both languages, of one host."""
_NOT_BUILT = Text(
    "Cette page n’a pas été construite sur ce serveur ; l’API, elle, répond.",
    "This page was not built on this server; the API itself answers.",
)


_HTML = Plain({"type": "string"})


def page_routes(files: Mapping[str, StaticAnswer], text_of: Callable[[Request, str], str | None]) -> APIRouter:
    """The routes of the pages. A missing page answers 501.

    `text_of` returns the HTML of a document, by the last part of its path: its page has that before a script runs.
    """
    router = new_router()

    def add_page(name: str, path: str, file: str) -> None:
        async def page(request: Request) -> Response:
            if (built := files.get(file)) is None:
                return _not_built()
            text = text_of(request, path.rpartition("/")[2]) if path.startswith(DOCS) else None
            if text is None:
                return built.response(request, _CHECK)
            return _with_text(built.content, text, language.get()).response(request, _CHECK, language.get())

        router.add_api_route(path, page, name=name, **route_options("page", _HTML, media_type="text/html"))

    for name, (path, file) in PAGES.items():
        add_page(name, path, file)

    @router.get(ASSETS + "/{name:path}", include_in_schema=False)
    async def asset(request: Request) -> Response:
        built = expect(files.get(f"assets/{request.path_params['name']}"), Problem("not_found"))
        return built.response(request, _FOREVER)

    return router


def are_built(web_dir: Path | None) -> bool:
    return web_dir is not None and (web_dir / PAGES["docs_page"][1]).is_file()


def read_files(web_dir: Path | None) -> dict[str, StaticAnswer]:
    """The files of the build by their paths; none if it was not built."""
    if web_dir is None:
        return {}
    paths = (path for path in web_dir.rglob("*") if path.is_file() and path.suffix != _BROTLI)
    return {str(path.relative_to(web_dir)): _read(path) for path in paths}


def _read(path: Path) -> StaticAnswer:
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if media_type == "text/javascript":
        media_type = "application/javascript"
    brotli = path.with_name(path.name + _BROTLI)  # the build of the pages wrote it
    return StaticAnswer.of(path.read_bytes(), media_type, brotli.read_bytes() if brotli.is_file() else None)


@lru_cache(maxsize=_MOST_TEXTS)
def _with_text(page: bytes, text: str, lang: Language) -> StaticAnswer:
    html = page.decode().replace('<html lang="fr">', f'<html lang="{lang}">')
    html = html.replace("<noscript>", f'<article id="static" data-prose>\n{text}</article>\n    <noscript>')
    return StaticAnswer.of(html.encode(), "text/html")


def _not_built() -> Response:
    lang = language.get()
    return HTMLResponse(
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>501</title></head>'
        f"<body><p>{_NOT_BUILT}</p></body></html>",
        501,
        {"content-language": lang, "cache-control": "no-store"},
    )
