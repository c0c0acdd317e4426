"""A local server with the paths of all publishers, and with faults: slow, failing, truncated, changed, or missing
files, and one larger than any disk.

Each host of `land.registry` is a folder of the server with the host's name. The Géoportail's layers are selected by
partition, its documents also by place; `gpu_wfs` returns them in pages.
"""

import gzip
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, unquote_plus

from land.dataset import Dataset
from land.registry import HOSTS
from land.sources.base import PartitionRequest

Mode = Literal["well", "slow", "failing", "cut", "cut once", "changed", "missing", "silent", "huge"]
COMMUNE, NAME, POSTCODE = "18033", "Bourges", "18000"
EPCI = "241800507"
OTHER, OTHER_NAME, OTHER_POSTCODE = "18050", "La Chapelle", "18250"
EDITION = "2026-06-01"
SALE_YEAR = 2024
SITADEL = {
    "sitadel-housing": "8b35affb-55fc-4c1f-915b-7750f974446a",
    "sitadel-premises": "f8f0700f-806c-40a7-83b1-f21cf507e7c4",
    "sitadel-development": "96883f50-538b-41f9-a059-c6eb97e6a23a",
    "sitadel-demolition": "1a9a2f0c-56fe-4e69-84a7-fbbda2121f02",
}
_GPU_LAYERS = (
    "document", "zone-urba", "secteur-cc", "prescription-surf", "prescription-lin", "prescription-pct", "municipality",
)  # fmt: skip
IN_FORCE = "/gpu/document?geom"
"""The key of the file that answers requests by place."""
_EMPTY = b'{"type": "FeatureCollection", "features": []}'
_BAN_HEADER = (
    "id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;"
    "nom_ancienne_commune;x;y;lon;lat;type_position;alias;nom_ld;libelle_acheminement;nom_afnor;source_position;"
    "source_nom_voie;certification_commune;cad_parcelles"
)
LOCALITY_HEADER = (
    "id;nom_lieu_dit;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;nom_ancienne_commune;x;y;lon;lat;"
    "source_position;source_nom_voie"
)
_DVF_HEADER = (
    "id_mutation,date_mutation,numero_disposition,nature_mutation,valeur_fonciere,adresse_numero,adresse_suffixe,"
    "adresse_nom_voie,adresse_code_voie,code_postal,code_commune,nom_commune,code_departement,ancien_code_commune,"
    "ancien_nom_commune,id_parcelle,ancien_id_parcelle,numero_volume,lot1_numero,lot1_surface_carrez,lot2_numero,"
    "lot2_surface_carrez,lot3_numero,lot3_surface_carrez,lot4_numero,lot4_surface_carrez,lot5_numero,"
    "lot5_surface_carrez,nombre_lots,code_type_local,type_local,surface_reelle_bati,nombre_pieces_principales,"
    "code_nature_culture,nature_culture,code_nature_culture_speciale,nature_culture_speciale,surface_terrain,longitude,"
    "latitude"
)
_PERMIT_HEADER = (
    "COMM;TYPE_DAU;NUM_DAU;ETAT_DAU;NUM_PA;ETAT_PA;NUM_PD;ETAT_PD;DATE_REELLE_AUTORISATION;SEC_CADASTRE1;NUM_CADASTRE1;"
    "SEC_CADASTRE2;NUM_CADASTRE2;SEC_CADASTRE3;NUM_CADASTRE3"
)


def urls_of(dataset: Dataset, commune: str = COMMUNE) -> list[str]:
    """The addresses of a commune's files."""
    return dataset.source.urls(PartitionRequest(commune, dataset.code_of(commune), lambda: (2.32, 47.08)))


def parcel_id(number: int, commune: str = COMMUNE) -> str:
    return f"{commune}000AB{number:04}"


def ban_path(commune: str = COMMUNE) -> str:
    return f"/ban/ban/communes/{commune}/download/csv-legacy/adresses"


def localities_path(commune: str = COMMUNE) -> str:
    return f"/ban/ban/communes/{commune}/download/csv-legacy/lieux-dits"


def cadastre_path(commune: str = COMMUNE, edition: str = "latest") -> str:
    return f"/cadastre/{edition}/geojson/communes/{commune[:2]}/{commune}/cadastre-{commune}-parcelles.json.gz"


def buildings_path(commune: str = COMMUNE, edition: str = "latest") -> str:
    return cadastre_path(commune, edition).replace("-parcelles", "-batiments")


def territory_path(commune: str = COMMUNE, edition: str = "latest") -> str:
    return cadastre_path(commune, edition).replace("-parcelles", "-communes")


def dvf_path(year: int = SALE_YEAR, commune: str = COMMUNE) -> str:
    return f"/dvf/latest/csv/{year}/communes/{commune[:2]}/{commune}.csv"


def permits_path(dataset: str) -> str:
    return f"/sitadel/datafiles/{SITADEL[dataset]}/csv"


def ban_file(numbers: Sequence[int], commune: str = COMMUNE, name: str = NAME, postcode: str = POSTCODE) -> bytes:
    """Addresses of the Rue des Lilas. Each lies at the centre of the parcel with its number."""
    rows = [
        f"{commune}_0001_{number:05};;{number};;Rue des Lilas;{postcode};{commune};{name};;;1;1;"
        f"{_west(number) + 0.0005:.5f};47.08050;entrée;;;{name.upper()};RUE DES LILAS;commune;commune;1;"
        for number in numbers
    ]
    return "\n".join([_BAN_HEADER, *rows, ""]).encode()


def localities_file(commune: str = COMMUNE, name: str = NAME, postcode: str = POSTCODE) -> bytes:
    row = f"{commune}_b001;Le Grand Pré;{postcode};{commune};{name};;;1;1;2.4;47.08;commune;commune"
    return "\n".join([LOCALITY_HEADER, row, ""]).encode()


def cadastre_file(numbers: Sequence[int], commune: str = COMMUNE) -> bytes:
    features = [_feature(number, commune) for number in numbers]
    return gzip.compress(json.dumps({"type": "FeatureCollection", "features": features}).encode())


def territory_file(commune: str = COMMUNE) -> bytes:
    """A territory that extends some kilometres beyond the parcels."""
    ring = [[2.2, 47.0], [2.5, 47.0], [2.5, 47.2], [2.2, 47.2], [2.2, 47.0]]
    geometry = {"type": "Polygon", "coordinates": [ring]}
    feature = {"type": "Feature", "properties": {"id": commune}, "geometry": geometry}
    return gzip.compress(json.dumps({"type": "FeatureCollection", "features": [feature]}).encode())


def dvf_file(number: int = 1, commune: str = COMMUNE, year: int = SALE_YEAR) -> bytes:
    values: dict[str, Any] = dict.fromkeys(_DVF_HEADER.split(","), "")
    values |= {
        "id_mutation": f"{year}-1",
        "date_mutation": f"{year}-05-06",
        "numero_disposition": "000001",
        "nature_mutation": "Vente",
        "valeur_fonciere": "250000",
        "code_commune": commune,
        "id_parcelle": parcel_id(number, commune),
        "nombre_lots": "0",
    }
    return f"{_DVF_HEADER}\n{','.join(values.values())}\n".encode()


def permits_file(dataset: str, number: int = 1, commune: str = COMMUNE) -> bytes:
    permit = f"0{commune}24A{list(SITADEL).index(dataset):04}"
    row = f"{commune};PC;{permit};2;{permit};2;{permit};2;2024-02-03;AB;{number};;;;"
    return f"{_PERMIT_HEADER}\n{row}\n".encode()


def cog_file(communes: dict[str, str]) -> bytes:
    rows = [f"COM,{code},{name}," for code, name in communes.items()]
    return "\n".join(["TYPECOM,COM,LIBELLE,COMPARENT", *rows, ""]).encode()


def _west(number: int) -> float:
    return 2.3 + number * 0.001


def _feature(number: int, commune: str) -> dict[str, Any]:
    west, south = _west(number), 47.08
    ring = [
        [west, south],
        [west + 0.001, south],
        [west + 0.001, south + 0.001],
        [west, south + 0.001],
        [west, south],
    ]
    properties = {
        "id": parcel_id(number, commune),
        "commune": commune,
        "prefixe": "000",
        "section": "AB",
        "numero": str(number),
        "contenance": 8_400,
    }
    return {"type": "Feature", "properties": properties, "geometry": {"type": "Polygon", "coordinates": [ring]}}


class Publishers:
    """The files by path, the mode of each path, and a log of requests."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.redirects: dict[str, str] = {}
        self.modes: dict[str, Mode] = {}
        """By the beginning of a path; the longest match counts."""
        self.delay_s = 1.0
        self.most_features = 1_000
        """The most features in one answer of the Géoportail."""
        self.most_features_of_a_page = 5_000
        self.asked: list[str] = []
        """Paths of the requests; the Géoportail's with their query, which names the document."""
        self.ranges: list[str] = []
        self.url = ""
        self.released = threading.Event()
        """Ends silent requests when it is set."""

    @property
    def bases(self) -> dict[str, str]:
        return {name: f"{self.url}/{name}" for name in HOSTS}

    def serve_communes(self) -> None:
        """Adds all files of two communes, and the national lists."""
        names = {COMMUNE: NAME, OTHER: OTHER_NAME}
        self.files["/cog/v_commune_2026.csv"] = cog_file(names)
        header = "MOD,DATE_EFF,TYPECOM_AV,COM_AV,LIBELLE_AV,TYPECOM_AP,COM_AP,LIBELLE_AP"
        self.files["/cog/v_mvt_commune_2026.csv"] = (
            f"{header}\n32,2016-01-01,COM,18900,Vieux-Bourg,COM,{COMMUNE},{NAME}\n".encode()
        )
        postcodes = {COMMUNE: POSTCODE, OTHER: OTHER_POSTCODE}
        listed = [
            {
                "code": code,
                "nom": name,
                "codesPostaux": [postcodes[code]],
                "centre": {"type": "Point", "coordinates": [2.32, 47.08]},
                "codeEpci": EPCI,
            }
            for code, name in names.items()
        ]
        self.files["/postcodes/communes"] = json.dumps(listed).encode()
        for commune, name in names.items():
            self.files[ban_path(commune)] = ban_file(range(1, 40), commune, name, postcodes[commune])
            self.files[localities_path(commune)] = localities_file(commune, name, postcodes[commune])
            self.files[cadastre_path(commune, EDITION)] = cadastre_file(range(1, 40), commune)
            self.redirects[cadastre_path(commune)] = cadastre_path(commune, EDITION)
            self.files[dvf_path(commune=commune)] = dvf_file(commune=commune)
            self.files[buildings_path(commune, EDITION)] = _EMPTY
            self.redirects[buildings_path(commune)] = buildings_path(commune, EDITION)
            self.files[territory_path(commune, EDITION)] = territory_file(commune)
            self.redirects[territory_path(commune)] = territory_path(commune, EDITION)
        for layer in _GPU_LAYERS:
            self.files[f"/gpu/{layer}"] = _EMPTY
        self.files[IN_FORCE] = _EMPTY
        for dataset in SITADEL:
            self.files[permits_path(dataset)] = permits_file(dataset)

    def behave(self, prefix: str, mode: Mode) -> None:
        self.modes[prefix] = mode

    def mode_of(self, path: str) -> Mode:
        matches = [prefix for prefix in self.modes if path.startswith(prefix)]
        return self.modes[max(matches, key=len)] if matches else "well"

    def counts(self) -> Counter[str]:
        return Counter(self.asked)


class _Handler(BaseHTTPRequestHandler):
    publishers: Publishers
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        publishers = self.publishers
        path, _, query = self.path.partition("?")
        asked = unquote_plus(self.path) if path.startswith("/gpu") else path
        publishers.asked.append(asked)
        mode = publishers.mode_of(asked)
        if path == "/gpu/document" and query.startswith("geom="):
            path = IN_FORCE
        if mode == "slow":
            time.sleep(publishers.delay_s)
        if mode == "silent":
            publishers.released.wait(20)
        if path in publishers.redirects:
            self._answer(302, b"", {"Location": publishers.redirects[path]})
        elif mode == "failing":
            self._answer(503, b"down")
        elif mode == "huge":
            self.close_connection = True
            self._answer(200, bytes(1_000), {"Content-Length": str(1 << 50)})
        elif path == "/gpu_wfs" and mode != "missing":
            self._send_file(path, mode, self._page(query))
        elif mode == "missing" or path not in publishers.files:
            self._answer(404, b"no such file")
        elif mode == "changed":
            self._answer(200, b"<html>we have moved</html>")
        else:
            self._send_file(path, mode, self._answer_of(path, query))

    def _answer_of(self, path: str, query: str) -> bytes:
        if "COMM=eq:" in query:
            return self._filtered(path, query)
        if query.startswith("partition="):
            found = self._layer(path, query.removeprefix("partition="))
            return _collection(found[: self.publishers.most_features], len(found))
        return self.publishers.files[path]

    def _layer(self, path: str, partition: str) -> list[dict[str, Any]]:
        """The features of one document."""
        features = json.loads(self.publishers.files[path])["features"]
        return [each for each in features if each["properties"]["partition"] == partition]

    def _page(self, query: str) -> bytes:
        asked = {name: value for name, [value] in parse_qs(query).items()}
        layer = asked["typeNames"].removeprefix("wfs_du:").replace("_", "-")
        found = self._layer(f"/gpu/{layer}", asked["cql_filter"].removeprefix("partition='").removesuffix("'"))
        found.sort(key=lambda each: each["properties"][asked["sortBy"]])
        start = int(asked["startIndex"])
        most = min(int(asked["count"]), self.publishers.most_features_of_a_page)
        return _collection(found[start : start + most], len(found))

    def _filtered(self, path: str, query: str) -> bytes:
        """The rows of the requested commune. Real samples, which have one commune only, stay unfiltered."""
        content = self.publishers.files[path]
        if not content.startswith(b"COMM;"):
            return content
        header, *rows = content.splitlines(keepends=True)
        commune = query.rpartition("COMM=eq:")[2][:5].encode()
        return header + b"".join(row for row in rows if row.startswith(commune))

    def _send_file(self, path: str, mode: Mode, content: bytes) -> None:
        publishers = self.publishers
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
        if mode == "cut once":
            publishers.modes[path] = "well"
        if mode in ("cut", "cut once"):
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
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
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
