"""A local server with the paths of all publishers, and with faults: see `Mode`.

Each host of `land.registry` is a folder of the server with the host's name. The Géoportail's layers are selected by
partition, its documents also by place; `gpu_wfs` returns them in pages.
"""

import gzip
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, unquote_plus

import shapely
from published_files import IN_FORCE, files_of_communes
from shapely.geometry.base import BaseGeometry

from land.registry import HOSTS

Mode = Literal[
    "ok", "slow", "failing", "truncated", "truncated once", "html", "missing", "hanging", "huge", "closed", "moved",
    "loop", "empty", "json error", "not gzip", "other header", "header only", "cut at a line",
]  # fmt: skip
"""`html`: a page instead of the file. `huge`: the announced length is larger than any disk. `closed`: the connection
ends without an answer. `moved`: a redirect to a page. `loop`: a redirect to itself. The last six change the file.
"""


def _cut(content: bytes) -> bytes:
    """The first line and half of the others; of a file with one line, its first half."""
    if content.startswith(b"\x1f\x8b"):
        return gzip.compress(_cut(gzip.decompress(content)))
    first, *lines = content.splitlines(keepends=True)
    return first + b"".join(lines[: len(lines) // 2]) if lines else content[: len(content) // 2]


def _head(content: bytes, is_renamed: bool) -> bytes:
    """The first line of a table or the members of a GeoJSON object without its features, with other names or nothing
    else. Other files become empty objects.
    """
    if content.startswith(b"\x1f\x8b"):
        return gzip.compress(_head(gzip.decompress(content), is_renamed))
    if content[:1] in (b"{", b"["):
        names = ((b'"features"', b'"items"'), (b'"results"', b'"rows"'), (b'[{"code"', b'[{"number"'))
        return reduce(lambda text, pair: text.replace(*pair), names, content) if is_renamed else b"{}"
    header, _, rows = content.partition(b"\n")
    return header.upper()[::-1] + b"\n" + rows if is_renamed else header + b"\n"


_CHANGES: dict[Mode, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "json error": lambda _: b'{"error": {"code": 500, "message": "internal"}}',
    "not gzip": lambda content: b"\x1f\x8b\x08\x00" + content[:40],
    "other header": lambda content: _head(content, True),
    "header only": lambda content: _head(content, False),
    "cut at a line": _cut,
}


class Publishers:
    """The files by path, the mode of each path, and a log of requests."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.redirects: dict[str, str] = {}
        self.modes: dict[str, Mode] = {}
        """Files by path prefix; the longest match applies."""
        self.delay_s = 1.0
        self.max_features = 1_000
        """The most features in one answer of the Géoportail."""
        self.max_page_features = 5_000
        self.requests: list[str] = []
        """The paths of all requests. Those of the Géoportail and of Sitadel have the query, which names the place."""
        self.ranges: list[str] = []
        self.url = ""
        self.altitude_m: Callable[[float, float], float] = lambda longitude, latitude: 100.0
        """The ground of the altimetry service."""
        self.released = threading.Event()
        """Ends silent requests when it is set."""

    @property
    def bases(self) -> dict[str, str]:
        return {name: f"{self.url}/{name}" for name in HOSTS}

    def serve_communes(self) -> None:
        """Adds all files of two communes, and the national lists."""
        files, redirects = files_of_communes()
        self.files |= files
        self.redirects |= redirects

    def set_mode(self, prefix: str, mode: Mode) -> None:
        self.modes[prefix] = mode

    def mode_of(self, path: str) -> Mode:
        matches = [prefix for prefix in self.modes if path.startswith(prefix)]
        return self.modes[max(matches, key=len)] if matches else "ok"

    def counts(self) -> Counter[str]:
        return Counter(self.requests)


class _Handler(BaseHTTPRequestHandler):
    publishers: Publishers
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        publishers = self.publishers
        path, _, query = self.path.partition("?")
        request = unquote_plus(self.path) if path.startswith(("/gpu", "/sitadel")) else path
        publishers.requests.append(request)
        mode = publishers.mode_of(request)
        if path == "/gpu/document" and query.startswith("geom="):
            path = IN_FORCE
        if mode == "slow":
            time.sleep(publishers.delay_s)
        if mode == "hanging":
            publishers.released.wait(60)
        if mode == "closed":
            self.close_connection = True
        elif mode in ("loop", "moved"):
            self._answer(302, b"", {"Location": self.path if mode == "loop" else "/page"})
        elif path == "/page":
            self._answer(200, b"<html>we have moved</html>")
        elif path in publishers.redirects:
            self._answer(302, b"", {"Location": publishers.redirects[path]})
        elif mode == "failing":
            self._answer(503, b"down")
        elif mode == "huge":
            self.close_connection = True
            self._answer(200, bytes(1_000), {"Content-Length": str(1 << 50)})
        elif path == "/gpu_wfs" and mode not in ("missing", "html"):
            self._send_file(path, mode, self._page(query))
        elif mode == "missing" or path not in publishers.files:
            self._answer(404, b"no such file")
        elif mode == "html":
            self._answer(200, b"<html>we have moved</html>")
        else:
            self._send_file(path, mode, self._answer_of(path, query))

    def do_POST(self) -> None:
        """The altimetry service."""
        publishers, body = self.publishers, self.rfile.read(int(self.headers["Content-Length"]))
        publishers.requests.append(self.path)
        mode = publishers.mode_of(self.path)
        if mode == "hanging":
            publishers.released.wait(60)
        if mode == "failing" or self.path != "/altimetry/rest/elevation.json":
            self._answer(503, b"down")
            return
        parameters = json.loads(body)
        places = zip(
            *(map(float, parameters[axis].split(parameters["delimiter"])) for axis in ("lon", "lat")), strict=True
        )
        altitudes = [publishers.altitude_m(*place) for place in places]
        content = json.dumps({"elevations": altitudes[1:] if mode == "truncated" else altitudes}).encode()
        self._answer(200, b"<html>moved</html>" if mode == "html" else content)

    def _ratings(self, path: str, query: str) -> bytes:
        """A page of the energy ratings of one commune. As at the publisher, `next` names another id of the set."""
        parameters = {name: value for name, [value] in parse_qs(query).items()}
        commune = parameters["qs"].removeprefix('code_insee_ban:"').removesuffix('"')
        rows = [row for row in json.loads(self.publishers.files[path])["results"] if row["code_insee_ban"] == commune]
        start = int(parameters.get("after", 0))
        size = min(int(parameters["size"]), self.publishers.max_page_features)
        rows = [{name: value for name, value in row.items() if name in parameters["select"].split(",")} for row in rows]
        page = {"total": len(rows), "results": rows[start : start + size]}
        if start + size < len(rows):
            page["next"] = f"https://elsewhere.example/datasets/meg-1/lines?after={start + size}"
        return json.dumps(page).encode()

    def _answer_of(self, path: str, query: str) -> bytes:
        if path.startswith("/dpe/"):
            return self._ratings(path, query)
        if "COMM=eq:" in query:
            return self._filtered(path, query)
        if query.startswith("partition="):
            features = self._layer(path, query.removeprefix("partition="))
            return _collection(features[: self.publishers.max_features], len(features))
        if query.startswith("geom=") and path != IN_FORCE:
            features = self._placed(path, shapely.from_geojson(unquote_plus(query.removeprefix("geom="))))
            return _collection(features[: self.publishers.max_features], len(features))
        return self.publishers.files[path]

    def _layer(self, path: str, partition: str) -> list[dict[str, Any]]:
        """The features of one document."""
        features = json.loads(self.publishers.files[path])["features"]
        return [feature for feature in features if feature["properties"]["partition"] == partition]

    def _placed(self, path: str, place: BaseGeometry) -> list[dict[str, Any]]:
        features = json.loads(self.publishers.files[path])["features"]
        return [feature for feature in features if place.intersects(shapely.geometry.shape(feature["geometry"]))]

    def _page(self, query: str) -> bytes:
        parameters = {name: value for name, [value] in parse_qs(query).items()}
        path = f"/gpu/{parameters['typeNames'].partition(':')[2].replace('_', '-')}"
        where = parameters.get("cql_filter", "")
        if "bbox" in parameters:
            *corners, system = parameters["bbox"].split(",")
            west, south, east, north = map(float, corners)
            if system.startswith("urn:"):  # latitude first
                west, south, east, north = south, west, north, east
            features = self._placed(path, shapely.box(west, south, east, north))
        elif patterns := re.findall("LIKE '%(.*?)%'", where):
            features = json.loads(self.publishers.files[path])["features"]
            features = [
                feature for feature in features if any(one in feature["properties"]["partition"] for one in patterns)
            ]
        else:
            features = self._layer(path, where.removeprefix("partition='").removesuffix("'"))
        features.sort(key=lambda feature: feature["properties"][parameters["sortBy"]])
        start = int(parameters["startIndex"])
        count = min(int(parameters["count"]), self.publishers.max_page_features)
        return _collection(features[start : start + count], len(features))

    def _filtered(self, path: str, query: str) -> bytes:
        """The rows of the requested commune. Real samples are not filtered, because they have one commune only."""
        content = self.publishers.files[path]
        if not content.startswith(b"COMM;"):
            return content
        header, *rows = content.splitlines(keepends=True)
        commune = query.rpartition("COMM=eq:")[2][:5].encode()
        return header + b"".join(row for row in rows if row.startswith(commune))

    def _send_file(self, path: str, mode: Mode, content: bytes) -> None:
        publishers = self.publishers
        content = _CHANGES.get(mode, bytes)(content)
        etag = f'"{hash(content)}"'
        requested = self.headers.get("Range", "")
        start = (
            int(requested.removeprefix("bytes=").rstrip("-"))
            if requested and self.headers.get("If-Range") == etag
            else 0
        )
        publishers.ranges += [requested] if requested else []
        if start >= len(content) > 0:
            self._answer(416, b"", {"Content-Range": f"bytes */{len(content)}"})
            return
        headers = {"ETag": etag, "Last-Modified": "Mon, 01 Jun 2026 08:00:00 GMT"}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        body = content[start:]
        if mode == "truncated once":
            publishers.modes[path] = "ok"
        if mode in ("truncated", "truncated once"):
            self.close_connection = True
            self._answer(206 if start else 200, body, headers, sent=len(body) // 2)
        else:
            self._answer(206 if start else 200, body, headers)

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None, sent: int | None = None) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if sent is None else body[:sent])

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    """A default of 5 lets Linux drops connections of concurrent loads on a busy machine."""


def _collection(features: Sequence[dict[str, Any]], matched: int) -> bytes:
    """An answer in the form of the WFS."""
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::4326"}}
    return json.dumps(
        {"type": "FeatureCollection", "features": features, "totalFeatures": matched, "numberMatched": matched}
        | {"numberReturned": len(features), "crs": crs}
    ).encode()


@contextmanager
def local_publishers() -> Iterator[Publishers]:
    publishers = Publishers()
    handler = type("Handler", (_Handler,), {"publishers": publishers})
    server = _Server(("127.0.0.1", 0), handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # the client has disconnected
    publishers.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield publishers
    finally:
        publishers.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
