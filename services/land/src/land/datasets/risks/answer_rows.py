"""The rows of Géorisques' answers as findings. Each reader raises ValueError for a row that is not as documented."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
import shapely

from land.datasets.risks.records import Finding
from land.sources.values import check, given, is_date

Row = Mapping[str, Any]
_MAX_TEXT = 300
_FRENCH_DATE = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{4})")
_NO_NUISANCE = ("Non ICPE", "Autres régimes")


class Content(NamedTuple):
    """What the rows of an answer say."""

    findings: Sequence[Finding] = ()
    level: str | None = None
    label: str | None = None


def objects(rows: Sequence[object]) -> list[Row]:
    check(all(isinstance(row, dict) for row in rows), "a row is no object")
    return list(rows)  # type: ignore[arg-type]


def _text(value: object) -> str | None:
    """A text on one line; None if there is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return " ".join(str(value).split())[:_MAX_TEXT].strip() or None


def _date(value: object) -> str | None:
    """Reads 31/12/2025, 2025-12-31, and 2025-12-31/10-20-30."""
    text = _text(value) or ""
    french = _FRENCH_DATE.match(text)
    day = f"{french[3]}-{french[2]}-{french[1]}" if french else text[:10]
    return day if is_date(day) else None


def _url(value: object) -> str | None:
    text = value.strip() if isinstance(value, str) else ""
    return text if text.startswith(("https://", "http://")) else None


def _place(row: Row) -> Any:
    """The geometry of a row, or its point; None without a valid one."""
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


def levels(level: str, label: str, allowed: str) -> Callable[[Sequence[Row]], Content]:
    """Reads the highest level of the rows."""

    def read(rows: Sequence[Row]) -> Content:
        codes = []
        for row in rows:
            code = _text(row.get(level))
            if code is None or code not in allowed:
                raise ValueError(f"{level}: {str(row.get(level))[:20]!r}")
            codes.append((code, _text(row.get(label))))
        highest = max(codes, key=lambda pair: pair[0], default=(None, None))
        return Content((), *highest)

    return read


def sites(
    id_: str, name: str, type_: str = "", status: str = "", date: str = "", url: str = ""
) -> Callable[[Sequence[Row]], Content]:
    """Reads sites. The arguments are names of members; empty for those that do not exist."""

    def read(rows: Sequence[Row]) -> Content:
        return Content([_site(row) for row in rows])

    def _site(row: Row) -> Finding:
        key = given(_text(row.get(id_)), f"{id_}: none")
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


def installations(rows: Sequence[Row]) -> Content:
    """Leaves out those that are no classified installations."""
    read = sites("codeAIOT", "raisonSociale", "regime", "etatActivite", "date_maj")
    findings = []
    for row in rows:
        if row.get("regime") in _NO_NUISANCE:
            continue
        [site] = read([row]).findings
        seveso = _text(row.get("statutSeveso"))
        is_seveso = seveso is not None and seveso != "Non Seveso"
        findings.append(site._replace(type=f"{site.type}, {seveso}") if is_seveso and site.type else site)
    return Content(findings)


def floods(rows: Sequence[Row]) -> Content:
    """The level is the most frequent scenario: 01For, 02Moy or 04Fai."""
    scenarios = []
    for row in rows:
        scenario, kind = row.get("scenario"), row.get("typeInondation")
        if not isinstance(scenario, dict) or not (code := _text(scenario.get("code"))):
            raise ValueError("scenario: none")
        name = _text(row.get("libelle_tri")) or _text(row.get("code_national_tri")) or code
        label = _text(kind.get("libelle")) if isinstance(kind, dict) else None
        finding = Finding(name, _text(row.get("code_national_tri")), label, code, _date(row.get("date_arrete_carte")))
        scenarios.append((code, _text(scenario.get("libelle")), finding))
    scenarios.sort(key=lambda scenario: scenario[0])
    return Content([finding for _, _, finding in scenarios], *scenarios[0][:2]) if scenarios else Content()


def brush_clearing(rows: Sequence[Row]) -> Content:
    findings = []
    for row in rows:
        risk, commune = row.get("risque"), row.get("commune")
        if not isinstance(risk, dict) or not isinstance(commune, dict):
            raise ValueError("risque: none")
        name = _text(commune.get("nom")) or _text(commune.get("code")) or "OLD"
        findings.append(Finding(name, date=_date(risk.get("Date approbation")), url=_url(risk.get("url"))))
    return Content(findings)


plans = sites("idGaspar", "libPpr", "modeleProcedure", "etatRevision", "dateModification")


def plans_of_parcel(rows: Sequence[Row]) -> Content:
    """The level says whether a regulated zone of one of the plans touches the parcel."""
    findings, level = [], None
    for row, plan in zip(rows, plans(rows).findings, strict=True):
        zoning = row.get("zonageReglementaire")
        if not isinstance(zoning, dict) or type(zoning.get("zoneRegExists")) is not bool:
            raise ValueError("zonageReglementaire: none")
        level = "zone" if zoning["zoneRegExists"] else level or "no_zone"
        listed = zoning.get("listTypeReg") if zoning["zoneRegExists"] else None
        zones = [zone for zone in listed if isinstance(zone, dict)] if isinstance(listed, list) else []
        findings.append(_with_zones(plan, zones))
    return Content(findings, level)


def _with_zones(plan: Finding, zones: Sequence[Row]) -> Finding:
    labels: dict[str, str] = {}
    for zone in zones:
        code = _text(zone.get("codeZone")) or _text(zone.get("code")) or _text(zone.get("nom"))
        if code:
            labels.setdefault(code, _text(zone.get("libelle")) or "")
    return plan._replace(zones=tuple(labels), zone_labels=tuple(labels.values()))


def recorded_risks(rows: Sequence[Row]) -> Content:
    findings = []
    for row in rows:
        listed: Any = row.get("risques_detail")
        check(isinstance(listed, list), "risques_detail: none")
        for item in objects(listed):
            name = _text(item.get("libelle_risque_long"))
            if name:
                findings.append(Finding(name, _text(item.get("num_risque"))))
    return Content(findings)


def natural_disasters(rows: Sequence[Row]) -> Content:
    findings = []
    for row in rows:
        key, label = _text(row.get("code_national_catnat")), _text(row.get("libelle_risque_jo"))
        if key is None or label is None:
            raise ValueError("code_national_catnat, libelle_risque_jo: none")
        dates = (_date(row.get(name)) for name in ("date_debut_evt", "date_fin_evt", "date_publication_arrete"))
        began_on, ended_on, decreed_on = dates
        findings.append(Finding(label, key, date=began_on, ended_on=ended_on, decreed_on=decreed_on))
    findings.sort(key=lambda finding: (finding.date or "", finding.id or ""), reverse=True)
    return Content(findings)
