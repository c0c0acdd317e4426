"""Buildings as features of the publishers' files: the cadastre's `batiments`, and BD TOPO's `batiment`."""

from demoland.houses import Facts, House, as_bdtopo_draws
from demoland.plan import Commune, Ring

CREATED, UPDATED = "2009-03-12", "2019-07-02"


def plan_feature(commune: Commune, house: House) -> dict[str, object]:
    properties = {
        "type": "02" if house.is_light else "01",
        "commune": commune.code,
        "created": CREATED,
        "updated": UPDATED,
    }
    return {"type": "Feature", "properties": properties, "geometry": _geometry(commune, house.ring)}


def topo_feature(commune: Commune, house: House, facts: Facts, number: int) -> dict[str, object]:
    """`number` makes its id."""
    first, _, second = facts.usage.partition(", ")
    properties = {
        "cleabs": f"BATIMENT{number:016}",
        "nature": "Indifférenciée",
        "usage_1": first,
        "usage_2": second or None,
        "construction_legere": house.is_light,
        "etat_de_l_objet": "En service",
        "date_d_apparition": f"{facts.year}-01-01" if facts.year else None,
        "nombre_de_logements": facts.dwellings,
        "nombre_d_etages": facts.storeys,
        "hauteur": facts.height_m,
        "identifiants_rnb": facts.rnb_id or None,
    }
    return {"type": "Feature", "properties": properties, "geometry": _geometry(commune, as_bdtopo_draws(house).ring)}


def _geometry(commune: Commune, ring: Ring) -> dict[str, object]:
    return {"type": "MultiPolygon", "coordinates": [[[commune.to_degrees(point) for point in (*ring, ring[0])]]]}
