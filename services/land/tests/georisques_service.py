"""A stand-in of Géorisques, made from documented answers. It answers by path and has faults: see `Mode`."""

import json
import threading
from typing import Any, Literal

import httpx

Mode = Literal["ok", "failing", "silent", "html", "empty", "garbage", "other envelope", "refusing", "hanging"]
TOKEN = "a-token-of-the-operator"


def data(*rows: Any, **changes: Any) -> dict[str, Any]:
    """The envelope of most endpoints of version 1. `next` names an internal host, as the publisher's does."""
    envelope = {"results": len(rows), "page": 1, "total_pages": 1, "data": rows, "response_code": 200, "message": None}
    return {**envelope, "next": "http://internal.invalid/api/v1?page=2", "previous": None, **changes}


def content(*rows: Any, **changes: Any) -> dict[str, Any]:
    """The envelope of plans, and of version 2."""
    return {
        "totalElements": len(rows),
        "totalPages": 1,
        "pageNumber": 0,
        "pageSize": 10,
        "content": rows,
        **changes,
    }


def plan(*zones: str, **changes: Any) -> dict[str, Any]:
    listed = [{"codeZone": zone, "libelle": "Interdiction"} for zone in zones]
    return {
        "idGaspar": "18DDT20130005",
        "libPpr": "PPRI du Cher",
        "modeleProcedure": "PPRN-I",
        "zonageReglementaire": {"zoneRegExists": bool(zones), "listTypeReg": listed},
        **changes,
    }


def answers_of(commune: str, whole_city: str = "") -> dict[str, Any]:
    """Answers by path, about a commune where each subject has something."""
    place = {"code_insee": commune}
    city = {"code_insee": whole_city or commune}
    recorded = {"num_risque": "11", "libelle_risque_long": "Inondation"}
    return {
        "/v1/rga": {"codeExposition": "2", "exposition": "Exposition moyenne"},
        "/v2/rga": content({"codeExposition": "3", "exposition": "Exposition forte"}, {"codeExposition": "2"}),
        "/v1/cavites": data({"identifiant": "C1", "type": "cave", "nom": "Cave", "longitude": 0, "latitude": 0}),
        "/v1/mvt": data(),
        "/v1/ssp/casias": data(
            {"identifiant_ssp": "SSP1", "nom_etablissement": "Usine", "statut": "En arrêt", "date_maj": "2014-12-04"}
        ),
        "/v1/ssp/instructions": data(),
        "/v1/ssp/conclusions_sis": data(),
        "/v1/installations_classees": data({"codeAIOT": "1", "raisonSociale": "Magasin", "regime": "Non ICPE"}),
        "/v1/radon": data({**place, "classe_potentiel": "3", "libelle_commune": None}),
        "/v1/zonage_sismique": data({**place, "code_zone": "2", "zone_sismicite": "2 - FAIBLE"}),
        "/v1/tri_zonage": data(),
        "/v1/old": [],
        "/v1/gaspar/pprn": content(plan()),
        "/v1/gaspar/pprt": content(),
        "/v1/gaspar/pprm": content(),
        "/v2/gaspar/pprn": content(plan("R1")),
        "/v2/gaspar/pprt": content(),
        "/v2/gaspar/pprm": content(),
        "/v1/gaspar/risques": data({**city, "risques_detail": [recorded]}),
        "/v1/gaspar/catnat": data(
            {
                **city,
                "code_national_catnat": "INTE1",
                "libelle_risque_jo": "Inondations et/ou Coulées de Boue",
                "date_debut_evt": "28/05/2016",
            }
        ),
    }


class GeorisquesService(httpx.MockTransport):
    def __init__(self, commune: str, whole_city: str = "") -> None:
        super().__init__(self._answer)
        self.answers = answers_of(commune, whole_city)
        self.modes: dict[str, Mode] = {}
        """Answers by path; the empty path stands for all others."""
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.tokens: dict[str, str] = {}
        """The header Authorization, by path."""
        self.released = threading.Event()
        """Ends hanging requests when it is set."""

    def asked(self, path: str) -> dict[str, str]:
        """The parameters of the only request of a path."""
        [parameters] = [parameters for request, parameters in self.requests if request == path]
        return parameters

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/api")
        self.requests.append((path, dict(request.url.params)))
        self.tokens[path] = request.headers.get("authorization", "")
        mode = self.modes.get(path, self.modes.get("", "ok"))
        if mode == "hanging":
            self.released.wait(30)
        match mode:
            case "silent":
                raise httpx.ReadTimeout("no answer", request=request)
            case "failing":
                return httpx.Response(500, text="down")
            case "html":
                return httpx.Response(200, text="<html>we have moved</html>")
            case "empty":
                return httpx.Response(200)
            case "garbage":
                return httpx.Response(200, json=data({"unexpected": 1}) | content({"unexpected": 1}))
            case "other envelope":
                return httpx.Response(200, json={"items": []})
            case "refusing":
                return httpx.Response(401, json={"code": "401", "message": "Inscription gratuite obligatoire"})
        if path.startswith("/v2/") and self.tokens[path] != f"Bearer {TOKEN}":
            return httpx.Response(401)
        body = self.answers[path]
        return httpx.Response(200, content=b"" if body is None else json.dumps(body).encode())
