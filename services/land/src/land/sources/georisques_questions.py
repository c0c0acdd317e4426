"""What Géorisques (BRGM) can be asked, and how its answers are read. To correct an endpoint, change its row in
QUESTIONS.

The rows follow documented answers, since the service could not be reached: docs/data.md says what to verify. Version 1
is open. Version 2 needs the operator's token, and answers about whole parcels.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import orjson
import shapely

from land.partitions import filing_commune
from land.records.risks import Finding, Grain, RiskAnswer, RiskStatus
from land.sources.values import is_date

Row = Mapping[str, Any]
PAGE_ROWS: Final = 100
MAX_ROWS: Final = 500
"""Of one answer. Further rows are only counted."""
MAX_PLANS: Final = 300
"""No commune has so many plans: an answer with more ignored the filter, and lists those of the country."""
_MAX_TEXT = 300
_FRENCH_DATE = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{4})")
_NO_NUISANCE = ("Non ICPE", "Autres régimes")


class Content(NamedTuple):
    """What the rows of an answer say."""

    findings: Sequence[Finding] = ()
    level: str | None = None
    label: str | None = None


class Page(NamedTuple):
    rows: list[Row]
    total: int


@dataclass(frozen=True)
class Question:
    """One endpoint for one subject."""

    name: str
    """In the store and in recorded files."""
    subject: str
    path: str
    """Below the base address."""
    ask: Literal["parcel", "point", "nearby", "commune"]
    """The parameters: codesParcelle; latlon, which is lon,lat; latlon and rayon; or the code of a commune."""
    form: Literal["data", "content", "object", "list"]
    """`data`: pages from 1. `content`: pages from 0. `object`: a bare object, or nothing. `list`: a bare list."""
    read: Callable[[Sequence[Row]], Content]
    """Raises ValueError for a row that is not as documented."""
    commune_parameter: str = "code_insee"
    is_of_whole_city: bool = False
    """Paris, Lyon and Marseille have one code for all arrondissements."""
    empty_is_unknown_in: tuple[str, ...] = ()
    """Beginnings of communes that the map does not cover: an empty answer there does not mean none."""

    @property
    def needs_token(self) -> bool:
        return self.path.startswith("v2/")

    @property
    def is_of_commune(self) -> bool:
        return self.ask == "commune"

    @property
    def grain(self) -> Grain:
        return "site" if self.ask == "nearby" else self.ask

    def place_in(self, commune_code: str) -> str:
        """The commune that is asked about."""
        return filing_commune(commune_code) if self.is_of_whole_city else commune_code


def parameters(
    question: Question, place: str, point: tuple[float, float], radius_m: int, page: int = 0
) -> dict[str, str]:
    """The query of a page, counted from 0. `point` is longitude and latitude, and unused for communes."""
    lon, lat = point
    found = {
        "parcel": {"codesParcelle": "-".join((place[:5], place[5:8], place[8:10], place[10:]))},
        "point": {"latlon": f"{lon:.6f},{lat:.6f}"},
        "nearby": {"latlon": f"{lon:.6f},{lat:.6f}", "rayon": str(radius_m)},
        "commune": {question.commune_parameter: place},
    }[question.ask]
    if question.form == "data":
        found |= {"page": str(page + 1), "page_size": str(PAGE_ROWS)}
    elif question.form == "content":
        found |= {"pageNumber": str(page), "pageSize": str(PAGE_ROWS)}
    return found


def read_page(question: Question, body: object) -> Page:
    """The rows of an answer. `body` is None for an answer of no bytes. Raises ValueError for another envelope."""
    match question.form, body:
        case "object", None:
            return Page([], 0)
        case "object", dict():
            return Page([body], 1)
        case "list", [*rows]:
            pass
        case "data", {"data": [*rows], **others} if others.get("response_code") in (None, 200):
            return Page(_rows(rows), _count(others.get("results"), len(rows)))
        case "content", {"content": [*rows], **others}:
            return Page(_rows(rows), _count(others.get("totalElements"), len(rows)))
        case _:
            raise ValueError("another envelope than documented")
    return Page(_rows(rows), len(rows))


def answer_of(question: Question, place: str, page: Page, retrieved_at: str) -> RiskAnswer:
    """Raises ValueError for an answer to another question, or that is not as documented."""
    if page.total > MAX_PLANS and question.read is _plans:
        raise ValueError(f"{page.total} plans: the filter was ignored")
    if question.is_of_commune and any(row.get("code_insee", place) != place for row in page.rows):
        raise ValueError("rows of another commune")
    content = question.read(page.rows)
    is_known = bool(content.findings) or content.level is not None
    status: RiskStatus = "present" if is_known else "none"
    if not is_known and place.startswith(question.empty_is_unknown_in or "-"):
        status = "not_covered"
    findings = [
        {name: value for name, value in each._asdict().items() if value not in (None, ())}
        for each in content.findings[:MAX_ROWS]
    ]
    total = len(content.findings) + max(0, page.total - len(page.rows))
    encoded = orjson.dumps(findings).decode()
    return RiskAnswer(
        place[:5], place, question.name, retrieved_at, status, content.level, content.label, total, encoded
    )


def _rows(rows: Sequence[object]) -> list[Row]:
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError("a row is no object")
    return list(rows)  # type: ignore[arg-type]


def _count(value: object, least: int) -> int:
    return max(value, least) if type(value) is int else least


def _text(value: object) -> str | None:
    """A text on one line; None if there is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return " ".join(str(value).split())[:_MAX_TEXT].strip() or None


def _date(value: object) -> str | None:
    """From 31/12/2025, 2025-12-31, and 2025-12-31/10-20-30."""
    text = _text(value) or ""
    french = _FRENCH_DATE.match(text)
    day = f"{french[3]}-{french[2]}-{french[1]}" if french else text[:10]
    return day if is_date(day) else None


def _url(value: object) -> str | None:
    text = value.strip() if isinstance(value, str) else ""
    return text if text.startswith(("https://", "http://")) else None


def _place(row: Row) -> Any:
    """Its geometry, or its point; None without a valid one."""
    geometry = row.get("geom")
    lon, lat = row.get("longitude"), row.get("latitude")
    if not geometry and isinstance(lon, int | float) and isinstance(lat, int | float):
        geometry = {"type": "Point", "coordinates": [lon, lat]}
    if not isinstance(geometry, dict):
        return None
    try:
        shape = shapely.from_geojson(orjson.dumps(geometry))
    except (shapely.GEOSException, orjson.JSONEncodeError):
        return None
    west, south, east, north = shape.bounds
    # False also for the bounds of an empty shape, which are no numbers
    is_on_earth = -180 <= west <= east <= 180 and -90 <= south <= north <= 90  # noqa: PLR2004 (degrees)
    return geometry if is_on_earth else None


def _levels(level: str, label: str, allowed: str) -> Callable[[Sequence[Row]], Content]:
    """Reads the highest level of the rows."""

    def read(rows: Sequence[Row]) -> Content:
        found = []
        for row in rows:
            code = _text(row.get(level))
            if code is None or code not in allowed:
                raise ValueError(f"{level}: {str(row.get(level))[:20]!r}")
            found.append((code, _text(row.get(label))))
        highest = max(found, key=lambda each: each[0], default=(None, None))
        return Content((), *highest)

    return read


def _sites(
    id_: str, name: str, type_: str = "", status: str = "", date: str = "", url: str = ""
) -> Callable[[Sequence[Row]], Content]:
    """Reads sites. The arguments are names of members; empty for those that do not exist."""

    def read(rows: Sequence[Row]) -> Content:
        return Content([_site(row) for row in rows])

    def _site(row: Row) -> Finding:
        key = _text(row.get(id_))
        if key is None:
            raise ValueError(f"{id_}: none")
        return Finding(
            _text(row.get(name)) or key,
            key,
            _text(row.get(type_)),
            _text(row.get(status)),
            _date(row.get(date)),
            url=_url(row.get(url)),
            geometry=_place(row),
        )

    return read


def _installations(rows: Sequence[Row]) -> Content:
    """Without those that are no classified installations."""
    read = _sites("codeAIOT", "raisonSociale", "regime", "etatActivite", "date_maj")
    found = []
    for row in rows:
        if row.get("regime") in _NO_NUISANCE:
            continue
        [site] = read([row]).findings
        seveso = _text(row.get("statutSeveso"))
        is_seveso = seveso is not None and seveso != "Non Seveso"
        found.append(site._replace(type=f"{site.type}, {seveso}") if is_seveso and site.type else site)
    return Content(found)


def _floods(rows: Sequence[Row]) -> Content:
    """The level is the most frequent scenario: 01For, 02Moy or 04Fai."""
    found = []
    for row in rows:
        scenario, kind = row.get("scenario"), row.get("typeInondation")
        if not isinstance(scenario, dict) or not (code := _text(scenario.get("code"))):
            raise ValueError("scenario: none")
        name = _text(row.get("libelle_tri")) or _text(row.get("code_national_tri")) or code
        label = _text(kind.get("libelle")) if isinstance(kind, dict) else None
        finding = Finding(name, _text(row.get("code_national_tri")), label, code, _date(row.get("date_arrete_carte")))
        found.append((code, _text(scenario.get("libelle")), finding))
    found.sort(key=lambda each: each[0])
    return Content([each[2] for each in found], *found[0][:2]) if found else Content()


def _brush_clearing(rows: Sequence[Row]) -> Content:
    found = []
    for row in rows:
        risk, commune = row.get("risque"), row.get("commune")
        if not isinstance(risk, dict) or not isinstance(commune, dict):
            raise ValueError("risque: none")
        name = _text(commune.get("nom")) or _text(commune.get("code")) or "OLD"
        found.append(Finding(name, date=_date(risk.get("Date approbation")), url=_url(risk.get("url"))))
    return Content(found)


def _plans(rows: Sequence[Row]) -> Content:
    return Content([_plan(row, []) for row in rows])


def _plans_of_parcel(rows: Sequence[Row]) -> Content:
    """The level says whether a regulated zone of one of the plans touches the parcel."""
    found, level = [], None
    for row in rows:
        zoning = row.get("zonageReglementaire")
        if not isinstance(zoning, dict) or type(zoning.get("zoneRegExists")) is not bool:
            raise ValueError("zonageReglementaire: none")
        level = "zone" if zoning["zoneRegExists"] else level or "no_zone"
        listed = zoning.get("listTypeReg") if zoning["zoneRegExists"] else None
        zones = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        found.append(_plan(row, zones))
    return Content(found, level)


def _plan(row: Row, zones: Sequence[Row]) -> Finding:
    key = _text(row.get("idGaspar"))
    if key is None:
        raise ValueError("idGaspar: none")
    labels: dict[str, str] = {}
    for zone in zones:
        code = _text(zone.get("codeZone")) or _text(zone.get("code")) or _text(zone.get("nom"))
        if code:
            labels.setdefault(code, _text(zone.get("libelle")) or "")
    return Finding(
        _text(row.get("libPpr")) or key,
        key,
        _text(row.get("modeleProcedure")),
        _text(row.get("etatRevision")),
        _date(row.get("dateModification")),
        zones=tuple(labels),
        zone_labels=tuple(labels.values()),
    )


def _recorded(rows: Sequence[Row]) -> Content:
    found = []
    for row in rows:
        listed = row.get("risques_detail")
        if not isinstance(listed, list):
            raise ValueError("risques_detail: none")
        for each in _rows(listed):
            name = _text(each.get("libelle_risque_long"))
            if name:
                found.append(Finding(name, _text(each.get("num_risque"))))
    return Content(found)


def _disasters(rows: Sequence[Row]) -> Content:
    found = []
    for row in rows:
        key, label = _text(row.get("code_national_catnat")), _text(row.get("libelle_risque_jo"))
        if key is None or label is None:
            raise ValueError("code_national_catnat, libelle_risque_jo: none")
        dates = (_date(row.get(name)) for name in ("date_debut_evt", "date_fin_evt", "date_publication_arrete"))
        began_on, ended_on, decreed_on = dates
        found.append(Finding(label, key, date=began_on, ended_on=ended_on, decreed_on=decreed_on))
    found.sort(key=lambda each: (each.date or "", each.id or ""), reverse=True)
    return Content(found)


_CLAY = _levels("codeExposition", "exposition", "123")
_CLAY_UNKNOWN = ("75", "97")
"""The map is of metropolitan France without Paris."""
_POLLUTED = _sites("identifiant_ssp", "nom_etablissement", "", "statut", "date_maj", "fiche_risque")
QUESTIONS: Mapping[str, Question] = {
    each.name: each
    for each in (
        Question("clay_of_parcel", "clay", "v2/rga", "parcel", "content", _CLAY, empty_is_unknown_in=_CLAY_UNKNOWN),
        Question("clay", "clay", "v1/rga", "point", "object", _CLAY, empty_is_unknown_in=_CLAY_UNKNOWN),
        Question("cavities", "cavity", "v1/cavites", "nearby", "data", _sites("identifiant", "nom", "type")),
        Question(
            "landslides", "landslide", "v1/mvt", "nearby", "data",
            _sites("identifiant", "lieu", "type", "fiabilite", "date_debut"),
        ),
        Question("casias", "polluted_soil", "v1/ssp/casias", "nearby", "data", _POLLUTED),
        Question("instructions", "polluted_soil", "v1/ssp/instructions", "nearby", "data", _POLLUTED),
        Question(
            "information_sectors", "soil_information_sector", "v1/ssp/conclusions_sis", "nearby", "data",
            _sites("id_sis", "nom", "", "statut_classification", "date_maj", "fiche_risque"),
        ),
        Question(
            "installations", "classified_installation", "v1/installations_classees", "nearby", "data", _installations
        ),
        Question(
            "radon", "radon", "v1/radon", "commune", "data", _levels("classe_potentiel", "libelle_classe", "123")
        ),
        Question(
            "seismic", "seismic", "v1/zonage_sismique", "commune", "data",
            _levels("code_zone", "zone_sismicite", "12345"),
        ),
        Question("floods", "flood_territory", "v1/tri_zonage", "point", "data", _floods),
        Question("brush_clearing", "brush_clearing", "v1/old", "point", "list", _brush_clearing),
        *(
            question
            for kind, subject in (
                ("pprn", "natural_risk_plan"), ("pprt", "technological_risk_plan"), ("pprm", "mining_risk_plan")
            )
            for question in (
                Question(
                    f"{kind}_of_parcel", subject, f"v2/gaspar/{kind}", "parcel", "content", _plans_of_parcel
                ),
                Question(
                    kind, subject, f"v1/gaspar/{kind}", "commune", "content", _plans, "codeInsee",
                    is_of_whole_city=True,
                ),
            )
        ),
        Question(
            "recorded_risks", "recorded_risks", "v1/gaspar/risques", "commune", "data", _recorded,
            is_of_whole_city=True,
        ),
        Question(
            "natural_disasters", "natural_disasters", "v1/gaspar/catnat", "commune", "data", _disasters,
            is_of_whole_city=True,
        ),
    )
}  # fmt: skip
"""By name. Of two questions with one subject and different grains, the finer one comes first."""
