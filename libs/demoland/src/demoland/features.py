"""GeoJSON features in the publishers' attributes: parcels and buildings of the cadastre, buildings of BD TOPO, planning
documents of the Géoportail de l'urbanisme (CNIG standard)."""

from collections.abc import Mapping

from demoland.buildings import Building, TopoAttributes
from demoland.easements import MANAGER, Easement
from demoland.geometry import Ring, rectangle
from demoland.model import Commune, Parcel, upper_ascii
from demoland.planning import PlanFeature, Zone
from demoland.risks import PLAN_ID, RiskZone
from demoland.ways import Way

Feature = Mapping[str, object]

_CREATED_ON, _UPDATED_ON = "2009-03-12", "2019-07-02"
_TOPO_OFFSET_M = 0.4
"""How far BD TOPO's outline lies east and north of the cadastre's."""
_APPROVED_ON = "20250601"
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
    return {"type": "Feature", "id": parcel.parcel_id, "geometry": geometry, "properties": properties}


def territory_feature(commune: Commune, outline: Ring) -> Feature:
    properties = {"id": commune.code, "nom": commune.name, "created": _CREATED_ON, "updated": _CREATED_ON}
    geometry = {"type": "Polygon", "coordinates": [commune.closed_ring(outline)]}
    return {"type": "Feature", "id": commune.code, "geometry": geometry, "properties": properties}


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
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": {"type": "LineString", "coordinates": [start, end]},
    }


def field_feature(commune: Commune, crop: str, group: str, outline: Ring, number: int) -> Feature:
    """A farmed parcel. `number` makes its id. It states the commune, since a demo is one file."""
    properties = {"id_parcel": str(number), "code_cultu": crop, "code_group": group, "insee_com": commune.code}
    geometry = {"type": "Polygon", "coordinates": [commune.closed_ring(outline)]}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def risk_zone_feature(commune: Commune, zone: RiskZone) -> Feature:
    ring = commune.closed_ring(rectangle(*zone.sides))
    return {
        "type": "Feature",
        "properties": {
            "id_zone": zone.code,
            "id_gaspar": PLAN_ID,
            "nom": zone.name,
            "codezone": zone.code,
            "typereg": zone.type_code,
        },
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


def _building_feature(commune: Commune, ring: Ring, properties: Mapping[str, object]) -> Feature:
    geometry = {"type": "MultiPolygon", "coordinates": [[commune.closed_ring(ring)]]}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def zone_feature(commune: Commune, zone: Zone) -> Feature:
    return _planning_feature(
        {"type": "Polygon", "coordinates": [commune.closed_ring(ring) for ring in zone.polygon]},
        LIBELLE=zone.label,
        LIBELONG=zone.long_label,
        TYPEZONE=zone.zone_type,
        **_regulation(commune, f"reglement_{_APPROVED_ON}.pdf#{zone.label}"),
    )


def plan_feature(commune: Commune, plan: PlanFeature, attribute: str) -> Feature:
    """`attribute` names the type: TYPEPSC or TYPEINF."""
    ring = commune.closed_ring(list(plan.points))
    coordinates = {"Polygon": [ring], "LineString": ring[:-1], "Point": ring[0]}[plan.geometry]
    return _planning_feature(
        {"type": plan.geometry, "coordinates": coordinates},
        LIBELLE=plan.label,
        TXT="",
        **{attribute: plan.type_code, f"S{attribute}": plan.subtype_code},
        **_regulation(commune, f"prescriptions_{_APPROVED_ON}.pdf"),
    )


def easement_feature(commune: Commune, easement: Easement) -> Feature:
    """The land that bears it (assiette)."""
    ring = commune.closed_ring(list(easement.points))
    geometry = {"type": "LineString", "coordinates": ring[:-1]} if easement.is_line else None
    return _planning_feature(
        geometry or {"type": "Polygon", "coordinates": [ring]},
        suptype=easement.category.lower(),
        partition=easement.document,
        fichier=easement.act_file,
        idass=f"{easement.id}-1-1",
        idgen=f"{easement.id}-1",
        nomass=f"{easement.category}_1_ass",
        typeass=easement.type,
        modegeoass="Digitalisation",
        nomsuplitt=easement.name,
    )


def easement_cause_feature(commune: Commune, easement: Easement) -> Feature:
    """What causes it (générateur)."""
    [at, *_] = commune.closed_ring([easement.cause_at])
    return _planning_feature(
        {"type": "Point", "coordinates": at},
        partition=easement.document,
        idgen=f"{easement.id}-1",
        idsup=easement.id,
        nomgen=easement.cause,
        typegen=easement.cause_type,
    )


def easement_act_feature(easement: Easement) -> Feature:
    return _planning_feature(
        None,
        partition=easement.document,
        idacte=f"{easement.id}-1",
        nomacte=easement.name,
        typeacte=easement.act_type,
        fichier=easement.act_file,
        decision="Création",
        datedecis=easement.decided_on,
    )


def easement_document_feature(easement: Easement) -> Feature:
    """The row of its manager, by which the Géoportail tells that the document is published."""
    return _planning_feature(None, partition=easement.document, idgest=MANAGER, nomgest="Préfecture fictive")


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
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _regulation(commune: Commune, file: str) -> dict[str, object]:
    """The attributes that name the document and its file."""
    return {
        "NOMFIC": f"{commune.code}_{file}",
        "URLFIC": f"{_SITE}/{commune.code}_{file}",
        "IDURBA": f"{commune.code}_PLU_{_APPROVED_ON}",
        "DATVALID": _APPROVED_ON,
    }
