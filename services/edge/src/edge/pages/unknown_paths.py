"""Answers browsers outside the API: an HTML page instead of a JSON 404, and a redirect for a page's trailing slash."""

from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from edge.negotiation import quality_values
from edge.pages.routes import PAGES
from edge.routing import RouteTable
from servicekit.languages import language

NOT_FOUND_FILE = "404/index.html"
_API = "/api/"
_DOCS = "/api/docs/"
_PAGE_PATHS = frozenset(path for path, _ in PAGES.values())


class UnknownPaths:
    """Passes every path of a route on. Of the others, it answers those that a browser asks for."""

    def __init__(self, app: ASGIApp, routes: RouteTable, web_dir: Path | None) -> None:
        self._app = app
        self._routes = routes
        file = web_dir / NOT_FOUND_FILE if web_dir is not None else None
        self._html = file.read_bytes() if file is not None and file.is_file() else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._answer(scope) or self._app)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response | None:
        path: str = scope["path"]
        is_of_api = path.startswith(_API) and not path.startswith(_DOCS)
        if scope["method"] != "GET" or is_of_api or self._routes.lookup(path).by_method:
            return None
        if path.endswith("/") and path[:-1] in _PAGE_PATHS:
            query = scope["query_string"].decode("latin-1")
            return RedirectResponse(f"{path[:-1]}?{query}" if query else path[:-1], 308, {"cache-control": "no-cache"})
        if self._html is None or not _wants_html(Headers(scope=scope).get("accept", "")):
            return None
        headers = {"content-language": language.get(), "cache-control": "no-store", "vary": "accept, accept-language"}
        return Response(self._html, 404, headers, "text/html")


def _wants_html(accept: str) -> bool:
    """Whether the header names HTML, as browsers do. A client that takes everything gets JSON."""
    weights = quality_values(accept)
    return weights.get("text/html", 0.0) > weights.get("application/json", 0.0)
