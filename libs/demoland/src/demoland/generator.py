"""Puts the demo together and writes it."""

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random

from demoland import features, quarter, tables
from demoland.buildings import QUARTER_BUILDINGS, town_buildings
from demoland.easements import CHAPEL, EASEMENTS, dovecote
from demoland.energy_ratings import QUARTER_RATINGS, town_ratings
from demoland.files import Writer, open_writer
from demoland.model import Commune
from demoland.permits import quarter_permits, town_permits
from demoland.planning import (
    QUARTER_ZONES,
    BoundingBox,
    territory_outline,
    town_zones,
)
from demoland.quarter import COMMUNE
from demoland.risks import MAX_PARCELS, RISK_ZONES, recorded_answers
from demoland.sales import quarter_sales, town_sales
from demoland.town import WORDS, Town, street_names
from demoland.ways import QUARTER_WAYS, town_ways

ADDRESSES = 600
BLOCKS_PER_STREET = 3
_DRAWN_NAMES = 6


@dataclass(frozen=True)
class Demo:
    """What was written."""

    files: tuple[tuple[str, Path], ...]
    """Dataset and path, in an order that can be imported."""
    address_count: int
    parcel_count: int


def write(folder: Path, addresses: int = ADDRESSES) -> Demo:
    """Writes the commune with this number of addresses, or with those of its old quarter, which are about 30."""
    with open_writer(folder) as writer:
        _write_quarter(writer, COMMUNE)
        _write_town(writer, COMMUNE, addresses - len(quarter.ADDRESSES))
    return Demo(tuple(writer.paths), writer.address_count, writer.parcel_count)


def _write_town(writer: Writer, commune: Commune, address_count: int) -> None:
    random, building_random, rating_random = (
        Random(f"1 {commune.code}{purpose}")  # noqa: S311 - reproducible
        for purpose in ("", " buildings", " ratings")
    )
    random.sample(WORDS["regional"], _DRAWN_NAMES)  # unused: everything after it stays as it is
    town = Town(commune, address_count, street_names(), BLOCKS_PER_STREET, random)
    town_box, first_parcels = BoundingBox(), [*quarter.PARCELS]
    for row in town.rows():
        first_order = writer.parcel_count
        writer.addresses(commune, row.addresses)
        writer.parcels(commune, row.parcels)
        writer.buildings(commune, town_buildings(row.parcels, building_random))
        writer.ways(commune, town_ways(row.parcels))
        writer.energy_ratings(commune, list(town_ratings(row.addresses, rating_random)))
        addresses = {address.parcel_ids[0]: address for address in row.addresses if address.parcel_ids}
        for order, parcel in enumerate(row.parcels, start=first_order):
            writer.sales(commune, town_sales(commune, parcel, addresses.get(parcel.parcel_id), order, random))
            writer.permits(commune, town_permits(commune, parcel, order, random))
        town_box.include(row.parcels)
        if len(first_parcels) < MAX_PARCELS:
            first_parcels += row.parcels
    fields = town.fields()
    writer.parcels(commune, fields)
    writer.ways(commune, town_ways(fields, "Chemin"))
    writer.rows("merimee", [dovecote(commune, fields[0])])
    writer.risks(recorded_answers([*first_parcels, *fields]))
    writer.rows("personnes-morales", tables.field_rights(commune, fields[0].parcel_id))
    outline = territory_outline(town_box, fields, quarter.PARCELS)
    zones = town_zones(town_box, fields)
    writer.features("zone_urba", (features.zone_feature(commune, zone) for zone in zones))
    writer.lines("gpu-regulations", [json.dumps(features.regulation(commune, [*QUARTER_ZONES, *zones]))])
    writer.features("cadastre-communes", [features.territory_feature(commune, outline)])
    writer.features("document", [features.document_feature(commune)])
    writer.features("municipality", [features.municipality_feature(commune.code, commune.name)])


def _write_quarter(writer: Writer, commune: Commune) -> None:
    writer.addresses(commune, quarter.ADDRESSES)
    writer.parcels(commune, quarter.PARCELS)
    writer.buildings(commune, QUARTER_BUILDINGS)
    writer.ways(commune, QUARTER_WAYS)
    writer.features("rpg", (features.field_feature(commune, *field) for field in quarter.FIELDS))
    writer.rows("merimee", [CHAPEL])
    writer.rows("rnic", quarter.RECORDS["joint_ownerships"])
    writer.rows("personnes-morales", tables.quarter_rights(commune))
    writer.lines("dfi", (f"{line}\n" for line in quarter.RECORDS["lineage"]))
    writer.energy_ratings(commune, QUARTER_RATINGS)
    writer.sales(commune, quarter_sales())
    writer.permits(commune, quarter_permits())
    writer.features("zone_urba", (features.zone_feature(commune, zone) for zone in QUARTER_ZONES))
    writer.layers(features.plan_feature(commune, item, "prescription") for item in quarter.RECORDS["prescriptions"])
    writer.layers(features.plan_feature(commune, item, "info") for item in quarter.RECORDS["informations"])
    for easement in EASEMENTS:
        writer.layers(features.easement_features(commune, easement))
    writer.features("pprn-zones", (features.risk_zone_feature(commune, zone) for zone in RISK_ZONES))
    writer.rows("ban-localities", tables.locality_rows(commune, quarter.LOCALITIES))
    writer.features("municipality", [features.municipality_feature(*quarter.ABSORBED, is_deleted=True)])
