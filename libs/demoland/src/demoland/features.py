"""GeoJSON features in the publishers' attributes: parcels and buildings of the cadastre, buildings of BD TOPO, planning
documents of the Géoportail de l'urbanisme (CNIG standard)."""

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from demoland.buildings import Building, TopoAttributes
from demoland.easements import MANAGER
from demoland.geometry import Ring, rectangle
from demoland.model import DEPARTMENT, Commune, Parcel, upper_ascii
from demoland.planning import Zone
from demoland.risks import PLAN_ID, RiskZone
from demoland.ways import Way

Feature = Mapping[str, object]
LAYER_KINDS = {"Polygon": "surf", "LineString": "lin", "Point": "pct"}
"""The end of the name of a layer of a plan, by the geometry of its features."""
_TYPES = {"prescription": "TYPEPSC", "info": "TYPEINF"}

_CREATED_ON, _UPDATED_ON = "2009-03-12", "2019-07-02"
_TOPO_OFFSET_M = 0.4
"""How far BD TOPO's outline lies east and north of the cadastre's."""
_APPROVED_ON = "20250601"
_REGULATION = f"reglement_{_APPROVED_ON}.pdf"
_SITE = "https://plan.exempleville.invalid"
"""No domain under .invalid exists (RFC 2606)."""


def parcel_feature(commune: Commune, parcel: Parcel) -> Feature:
    polygons = [[commune.closed_ring(ring) for ring in polygon] for polygon in parcel.polygons]
    geometry: dict[str, object] | None = None
    if len(polygons) == 1:
        geometry = {"type": "Polygon", "coordinates": polygons[0]}
    elif polygons:
        geometry = {"type": "MultiPolygon", "coordinates": polygons}
    properties = {
        "id": parcel.parcel_id,
        "commune": commune.code,
        "prefixe": parcel.parcel_id[5:8],
        "section": parcel.section,
        "numero": parcel.number,
        **({} if parcel.contenance_m2 is None else {"contenance": parcel.contenance_m2}),
        "arpente": parcel.is_surveyed,
        "created": parcel.created_on,
        "updated": parcel.updated_on,
    }
    return _feature(geometry, properties, id=parcel.parcel_id)


def territory_feature(commune: Commune, outline: Ring) -> Feature:
    properties = {"id": commune.code, "nom": commune.name, "created": _CREATED_ON, "updated": _CREATED_ON}
    return _feature(_polygon(commune, outline), properties, id=commune.code)


def cadastre_building_feature(commune: Commune, building: Building) -> Feature:
    properties = {
        "type": "02" if building.is_light else "01",
        "commune": commune.code,
        "created": _CREATED_ON,
        "updated": _UPDATED_ON,
    }
    return _building_feature(commune, building.ring, properties)


def topo_building_feature(commune: Commune, building: Building, topo: TopoAttributes, number: int) -> Feature:
    """`number` makes its id."""
    first, _, second = topo.usage.partition(", ")
    properties = {
        "cleabs": f"BATIMENT{number:016}",
        "nature": "Indifférenciée",
        "usage_1": first,
        "usage_2": second or None,
        "construction_legere": building.is_light,
        "etat_de_l_objet": "En service",
        "date_d_apparition": f"{topo.year}-01-01" if topo.year else None,
        "nombre_de_logements": topo.dwellings,
        "nombre_d_etages": topo.storeys,
        "hauteur": topo.height_m,
        "identifiants_rnb": topo.rnb_id or None,
    }
    return _building_feature(commune, [(x + _TOPO_OFFSET_M, y + _TOPO_OFFSET_M) for x, y in building.ring], properties)


def way_feature(commune: Commune, way: Way, number: int) -> Feature:
    """`number` makes its id. A brook has the columns of water, and the commune of roads, since a demo is one file."""
    start, end, _ = commune.closed_ring([way.start, way.end])
    if way.nature:
        values = {"nature": way.nature, "largeur_de_chaussee": way.width_m, "prive": False}
    else:
        values = {"persistance": "Permanent"}
    properties = {
        "cleabs": f"TRONCON_{number:016}",
        "position_par_rapport_au_sol": "0",
        "insee_commune_gauche": commune.code,
        **values,
    }
    return _feature({"type": "LineString", "coordinates": [start, end]}, properties)


def field_feature(commune: Commune, parcel: str, crop: str, group: str, outline: Ring) -> Feature:
    """A farmed parcel. It states the commune, since a demo is one file."""
    properties = {"id_parcel": parcel, "code_cultu": crop, "code_group": group, "insee_com": commune.code}
    return _feature(_polygon(commune, outline), properties)


def risk_zone_feature(commune: Commune, zone: RiskZone) -> Feature:
    codes = {"id_zone": zone.code, "codezone": zone.code, "typereg": zone.type_code}
    return _feature(_polygon(commune, rectangle(*zone.sides)), {"id_gaspar": PLAN_ID, "nom": zone.name, **codes})


def _building_feature(commune: Commune, ring: Ring, properties: Mapping[str, object]) -> Feature:
    return _feature({"type": "MultiPolygon", "coordinates": [[commune.closed_ring(ring)]]}, properties)


def _feature(geometry: object, properties: Mapping[str, object], **members: str) -> Feature:
    return {"type": "Feature", **members, "geometry": geometry, "properties": properties}


def _polygon(commune: Commune, ring: Ring) -> Mapping[str, object]:
    return {"type": "Polygon", "coordinates": [commune.closed_ring(ring)]}


def regulation(commune: Commune, zones: Iterable[Zone]) -> dict[str, object]:
    """The text of the plan's regulation, with the zones whose rules are to be read of it."""
    named = _regulation(commune, _REGULATION)
    return {
        "partition": f"DU_{commune.code}",
        "document_id": named["IDURBA"],
        "url": named["URLFIC"],
        "zones": {zone.label: zone.label for zone in zones},
        "text": files("demoland").joinpath("regulation.txt").read_text(encoding="utf-8"),
    }


def zone_feature(commune: Commune, zone: Zone) -> Feature:
    return _planning_feature(
        {"type": "Polygon", "coordinates": [commune.closed_ring(ring) for ring in zone.polygon]},
        LIBELLE=zone.label,
        LIBELONG=zone.long_label,
        TYPEZONE=zone.zone_type,
        **_regulation(commune, f"{_REGULATION}#{zone.label}"),
    )


def plan_feature(commune: Commune, plan: Mapping[str, Any], kind: str) -> tuple[str, Feature]:
    """The layer and the feature of a `prescription` or an `info`."""
    ring, attribute, geometry = commune.closed_ring(plan["points"]), _TYPES[kind], plan["geometry"]
    coordinates = {"Polygon": [ring], "LineString": ring[:-1], "Point": ring[0]}[geometry]
    return f"{kind}_{LAYER_KINDS[geometry]}", _planning_feature(
        {"type": geometry, "coordinates": coordinates},
        LIBELLE=plan["label"],
        TXT="",
        **{attribute: plan["type_code"], f"S{attribute}": plan["subtype_code"]},
        **_regulation(commune, f"prescriptions_{_APPROVED_ON}.pdf"),
    )


def easement_features(commune: Commune, easement: Mapping[str, Any]) -> Iterator[tuple[str, Feature]]:
    """The layers and the features of an easement: the land that bears it (assiette), what causes it (générateur), its
    act, and the row of its manager, by which the Géoportail tells that the document is published.
    """
    category, is_line = easement["category"], easement.get("is_line", False)
    [at, *_], ring = commune.closed_ring([easement["cause_at"]]), commune.closed_ring(easement["points"])
    land = {"type": "LineString", "coordinates": ring[:-1]} if is_line else {"type": "Polygon", "coordinates": [ring]}
    partition, easement_id = f"{MANAGER}_SUP_{DEPARTMENT}_{category}", f"{category}-{MANAGER}-1"
    cause, act_file = f"{easement_id}-1", f"{category}_{easement['decided_on']}_act.pdf"
    yield f"assiette_sup_{'l' if is_line else 's'}", _planning_feature(
        land,
        suptype=category.lower(), partition=partition, fichier=act_file, idass=f"{cause}-1", idgen=cause,
        nomass=f"{category}_1_ass", typeass=easement["type"], modegeoass="Digitalisation", nomsuplitt=easement["name"],
    )  # fmt: skip
    yield "generateur_sup_p", _planning_feature(
        {"type": "Point", "coordinates": at},
        partition=partition, idgen=cause, idsup=easement_id, nomgen=easement["cause"], typegen=easement["cause_type"],
    )  # fmt: skip
    yield "acte_sup", _planning_feature(
        None,
        partition=partition, idacte=cause, nomacte=easement["name"], typeacte=easement["act_type"], fichier=act_file,
        decision="Création", datedecis=easement["decided_on"],
    )  # fmt: skip
    yield "gestionnaire_sup", _planning_feature(None, partition=partition, idgest=MANAGER, nomgest="Préfecture fictive")


def document_feature(commune: Commune) -> Feature:
    return _planning_feature(
        None,
        partition=f"DU_{commune.code}",
        name=f"{commune.code}_PLU_{_APPROVED_ON}",
        du_type="PLU",
        siteweb=f"{_SITE}/{commune.code}",
    )


def municipality_feature(code: str, name: str, *, is_deleted: bool = False) -> Feature:
    return _planning_feature(
        None, insee=code, name=upper_ascii(name), is_rnu=False, is_deleted=is_deleted, is_coastline=False
    )


def _planning_feature(geometry: Mapping[str, object] | None, **properties: object) -> Feature:
    return _feature(geometry, properties)


def _regulation(commune: Commune, file: str) -> dict[str, object]:
    """The attributes that name the document and its file."""
    return {
        "NOMFIC": f"{commune.code}_{file}",
        "URLFIC": f"{_SITE}/{commune.code}_{file}",
        "IDURBA": f"{commune.code}_PLU_{_APPROVED_ON}",
        "DATVALID": _APPROVED_ON,
    }
