"""Puts the communes of a demo together and writes them."""

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random

from demoland import features, quarter, tables
from demoland.buildings import QUARTER_BUILDINGS, town_buildings
from demoland.communes import MAX_COMPLETE_COMMUNES, SizedCommune, sized_communes
from demoland.easements import QUARTER_EASEMENTS
from demoland.energy_ratings import QUARTER_RATINGS, town_ratings
from demoland.files import Writer, open_writer
from demoland.joint_ownerships import QUARTER_JOINT_OWNERSHIPS
from demoland.lineage import QUARTER_LINES
from demoland.model import DEPARTMENT, Commune
from demoland.monuments import CHAPEL, dovecote
from demoland.names import realistic_street_names, street_names
from demoland.owners import OWNER, QUARTER_RIGHTS, Right, commune_holder
from demoland.owners import rows as owner_rows
from demoland.permits import quarter_permits, town_permits
from demoland.planning import (
    QUARTER_INFORMATIONS,
    QUARTER_PRESCRIPTIONS,
    QUARTER_ZONES,
    BoundingBox,
    territory_outline,
    town_zones,
)
from demoland.risks import MAX_PARCELS, RISK_ZONES, recorded_answers
from demoland.sales import quarter_sales, town_sales
from demoland.town import Town
from demoland.vocabularies import COUNTRY, VOCABULARIES, Region
from demoland.ways import QUARTER_WAYS, town_ways

ADDRESSES_PER_COMMUNE = 600
BLOCKS_PER_STREET = 3
BLOCKS_PER_SHORT_STREET = (1, 1, 2)
"""Blocks of a street in communes that have a letter in their code: their streets have 12 addresses on average."""
OWN_NAMES = 6
"""How many of the region's own street names a commune has. The first commune has all of them."""


@dataclass(frozen=True)
class Demo:
    """What was written."""

    files: tuple[tuple[str, Path], ...]
    """Dataset and path, in an order that can be imported."""
    address_count: int
    parcel_count: int


def write(
    folder: Path,
    communes: int = 1,
    addresses: int | None = None,
    seed: int = 1,
    region: Region = "mainland",
) -> Demo:
    """Writes `communes` communes with `addresses` addresses in all, by default 600 for each commune.

    The n-th commune has about 1/n of the addresses of the first. The first has at least those of its old quarter, and
    every other one has at least 20.

    Only addresses are written for a region other than the mainland, and for more than 998 communes. Their street names
    are then as frequent as real ones.

    Raises ValueError for more communes than the region has codes for.
    """
    address_count = ADDRESSES_PER_COMMUNE * communes if addresses is None else addresses
    is_complete = region == "mainland" and communes <= MAX_COMPLETE_COMMUNES
    mainland = VOCABULARIES["mainland"] if is_complete else COUNTRY
    chosen = sized_communes(communes, address_count, region, mainland)
    write_one = _write_complete if is_complete else _write_addresses
    area = f"{DEPARTMENT}{VOCABULARIES[region].letter}"
    with open_writer(folder, area, addresses_only=not is_complete) as writer:
        for sized in chosen:
            write_one(writer, sized, seed)
    return Demo(tuple(writer.paths), writer.address_count, writer.parcel_count)


def _write_addresses(writer: Writer, sized: SizedCommune, seed: int) -> None:
    commune, random = sized.commune, Random(f"{seed} {sized.commune.code}")  # noqa: S311 - reproducible
    names = realistic_street_names(sized.vocabulary, random)
    blocks_per_street = BLOCKS_PER_STREET if commune.code.isdigit() else random.choice(BLOCKS_PER_SHORT_STREET)
    address_count = sized.address_count
    if _has_quarter(commune):
        writer.addresses(commune, quarter.ADDRESSES)
        address_count -= len(quarter.ADDRESSES)
    for row in Town(commune, address_count, names, blocks_per_street, random).rows():
        writer.addresses(commune, row.addresses)


def _write_complete(writer: Writer, sized: SizedCommune, seed: int) -> None:
    commune, random = sized.commune, Random(f"{seed} {sized.commune.code}")  # noqa: S311 - reproducible
    building_random = Random(f"{seed} {commune.code} buildings")  # noqa: S311
    rating_random = Random(f"{seed} {commune.code} ratings")  # noqa: S311
    first_names = random.sample(sized.vocabulary.regional, OWN_NAMES)
    address_count = sized.address_count
    if _has_quarter(commune):
        _write_quarter(writer, commune)
        address_count -= len(quarter.ADDRESSES)
        first_names = list(sized.vocabulary.regional)
    town_box = BoundingBox()
    first_parcels = [*quarter.PARCELS] if _has_quarter(commune) else []
    names = street_names(sized.vocabulary, random, first_names)
    town = Town(commune, address_count, names, BLOCKS_PER_STREET, random)
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
        if _has_quarter(commune) and len(first_parcels) < MAX_PARCELS:
            first_parcels += row.parcels
    fields = town.fields()
    writer.parcels(commune, fields)
    writer.ways(commune, town_ways(fields, "Chemin"))
    writer.rows("merimee", [dovecote(commune, fields[0])])
    if _has_quarter(commune):
        writer.risks(recorded_answers([*first_parcels, *fields]))
    writer.rows("personnes-morales", owner_rows(commune, Right(fields[0].parcel_id, OWNER, commune_holder(commune))))
    outline = territory_outline(town_box, fields, quarter.PARCELS if _has_quarter(commune) else ())
    zones = town_zones(town_box, fields)
    writer.features("zone_urba", (features.zone_feature(commune, zone) for zone in zones))
    if _has_quarter(commune):
        writer.lines("gpu-regulations", [json.dumps(features.regulation(commune, [*QUARTER_ZONES, *zones]))])
    writer.features("cadastre-communes", [features.territory_feature(commune, outline)])
    writer.features("document", [features.document_feature(commune)])
    writer.features("municipality", [features.municipality_feature(commune.code, commune.name)])


def _has_quarter(commune: Commune) -> bool:
    return commune.code == quarter.COMMUNE.code


def _write_quarter(writer: Writer, commune: Commune) -> None:
    writer.addresses(commune, quarter.ADDRESSES)
    writer.parcels(commune, quarter.PARCELS)
    writer.buildings(commune, QUARTER_BUILDINGS)
    writer.ways(commune, QUARTER_WAYS)
    writer.features("rpg", (features.field_feature(commune, *field) for field in quarter.FIELDS))
    writer.rows("merimee", [CHAPEL])
    writer.rows("rnic", QUARTER_JOINT_OWNERSHIPS)
    for right in QUARTER_RIGHTS:
        writer.rows("personnes-morales", owner_rows(commune, right))
    writer.lines("dfi", QUARTER_LINES)
    writer.energy_ratings(commune, QUARTER_RATINGS)
    writer.sales(commune, quarter_sales())
    writer.permits(commune, quarter_permits())
    writer.features("zone_urba", (features.zone_feature(commune, zone) for zone in QUARTER_ZONES))
    writer.layers(features.plan_feature(commune, item, "prescription") for item in QUARTER_PRESCRIPTIONS)
    writer.layers(features.plan_feature(commune, item, "info") for item in QUARTER_INFORMATIONS)
    for easement in QUARTER_EASEMENTS:
        writer.layers(features.easement_features(commune, easement))
    writer.features("pprn-zones", (features.risk_zone_feature(commune, zone) for zone in RISK_ZONES))
    writer.rows("ban-localities", tables.locality_rows(commune, quarter.LOCALITIES))
    writer.features("municipality", [features.municipality_feature(*quarter.ABSORBED, is_deleted=True)])
