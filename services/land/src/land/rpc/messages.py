"""The domain's objects as messages, and requests as the domain's objects."""

from dataclasses import asdict

from land.addresses.model import Address, AddressQuery, ParcelMatch, Resolution
from land.loading.address_books import Scope
from land.messages import AnswerWarning, Language
from land.provenance import Coverage, Source
from land.records.sales import Sale
from land.store.loads import Load
from land.units.buildings import Building, BuildingsBlock
from land.units.history import UrbanAuthorization
from land.units.model import Block, LandBlock, LandUnit, Parcel
from land.units.real_estate import ComparableSale, RealEstateBlock
from land.units.urbanism import UrbanismBlock
from landpartner.land.v1 import land_pb2 as pb

_ADDRESS_TYPES = {
    "housenumber": pb.ADDRESS_TYPE_HOUSENUMBER,
    "street": pb.ADDRESS_TYPE_STREET,
    "locality": pb.ADDRESS_TYPE_LOCALITY,
    "municipality": pb.ADDRESS_TYPE_MUNICIPALITY,
}
_MATCH_KINDS = {
    "declared": pb.PARCEL_MATCH_KIND_DECLARED,
    "containing": pb.PARCEL_MATCH_KIND_CONTAINING,
    "nearest": pb.PARCEL_MATCH_KIND_NEAREST,
}
_COVERAGE = {
    "covered": pb.COVERAGE_STATUS_COVERED,
    "not_covered": pb.COVERAGE_STATUS_NOT_COVERED,
    "partial": pb.COVERAGE_STATUS_PARTIAL,
    "loading": pb.COVERAGE_STATUS_LOADING,
    "not_published": pb.COVERAGE_STATUS_NOT_PUBLISHED,
    "not_loaded": pb.COVERAGE_STATUS_NOT_LOADED,
}
_SALE_FIELDS = frozenset(pb.DvfSale.DESCRIPTOR.fields_by_name)
_BLOCKS: dict[int, Block] = {
    pb.BLOCK_LAND: "land",
    pb.BLOCK_URBANISM: "urbanism",
    pb.BLOCK_BUILDINGS: "buildings",
    pb.BLOCK_REAL_ESTATE: "real_estate",
}


def language_of(code: str) -> Language:
    return "en" if code == "en" else "fr"


def scope_of(value: int) -> Scope:
    return "demo" if value == pb.SCOPE_DEMO else "all"


def blocks_of(values: list[int]) -> list[Block]:
    return [_BLOCKS[value] for value in dict.fromkeys(values) if value in _BLOCKS]


def query_of(message: pb.AddressQuery) -> AddressQuery:
    return AddressQuery(
        label=message.label,
        street=message.street,
        number=message.number,
        postcode=message.postcode,
        city=message.city,
        city_code=message.city_code,
    )


def resolution(found: Resolution) -> pb.ResolveAddressResponse:
    return pb.ResolveAddressResponse(
        address=address(found.address),
        parcels=[parcel_match(match) for match in found.parcels],
        alternatives=[address(alternative) for alternative in found.alternatives],
        sources=[source(item) for item in found.sources],
        warnings=[warning(item) for item in found.warnings],
    )


def address(item: Address) -> pb.Address:
    return pb.Address(
        id=item.id,
        label=item.label,
        number=item.number,
        street=item.street,
        postcode=item.postcode,
        city=item.city,
        city_code=item.city_code,
        latitude=item.latitude,
        longitude=item.longitude,
        type=_ADDRESS_TYPES[item.type],
        score=item.score,
        matched=pb.AddressAgreement(
            **{part: None if share is None else round(share, 4) for part, share in vars(item.matched).items()}
        ),
    )


def parcel_match(match: ParcelMatch) -> pb.ParcelMatch:
    return pb.ParcelMatch(parcel_id=match.parcel_id, kind=_MATCH_KINDS[match.kind], distance_m=match.distance_m)


def source(item: Source) -> pb.Source:
    return pb.Source(**vars(item))


def warning(item: AnswerWarning) -> pb.Warning:
    return pb.Warning(code=item.code, detail=item.detail, block=item.block)


def coverage(item: Coverage) -> pb.DatasetCoverage:
    return pb.DatasetCoverage(dataset=item.dataset, status=_COVERAGE[item.status], reason=item.reason)


def land_unit(unit: LandUnit) -> pb.LandUnit:
    return pb.LandUnit(
        geometry=unit.geometry,
        bbox=unit.bbox,
        parcel_ids=[parcel.parcel_id for parcel in unit.parcels],
        address=address(unit.address) if unit.address else None,
        parcels=[_parcel(parcel) for parcel in unit.parcels],
        urban_authorizations=[_authorization(item) for item in unit.urban_authorizations],
        dvf_sales=[_sale(item) for item in unit.dvf_sales],
        land=_land_block(unit.land) if unit.land else None,
        buildings=_buildings_block(unit.buildings) if unit.buildings else None,
        real_estate=_real_estate_block(unit.real_estate) if unit.real_estate else None,
        urbanism=_urbanism_block(unit.urbanism) if unit.urbanism else None,
        coverage=[coverage(item) for item in unit.coverage],
        sources=[source(item) for item in unit.sources],
        warnings=[warning(item) for item in unit.warnings],
    )


def _parcel(parcel: Parcel) -> pb.Parcel:
    return pb.Parcel(
        parcel_id=parcel.parcel_id,
        commune_code=parcel.commune_code,
        prefix=parcel.prefix,
        section=parcel.section,
        number=parcel.number,
        cadastral_area_m2=parcel.cadastral_area_m2,
        geometric_area_m2=parcel.geometric_area_m2,
        is_surveyed=parcel.is_surveyed,
        created_on=parcel.created_on,
        updated_on=parcel.updated_on,
        match=parcel_match(parcel.match) if parcel.match else None,
        geometry=parcel.geometry,
    )


def _authorization(item: UrbanAuthorization) -> pb.UrbanAuthorization:
    return pb.UrbanAuthorization(**asdict(item))


def _sale(row: Sale) -> pb.DvfSale:
    facts = {name: value for name, value in row._asdict().items() if name in _SALE_FIELDS}
    return pb.DvfSale(code_commune=row.commune_code, **facts)


def _land_block(block: LandBlock) -> pb.LandBlock:
    return pb.LandBlock(
        commune_code=block.commune_code,
        commune_name=block.commune_name,
        department_code=block.department_code,
        sections=block.sections,
        numbers=block.numbers,
        prefixes=block.prefixes,
        cadastral_area_m2=block.cadastral_area_m2,
        geometric_area_m2=block.geometric_area_m2,
        perimeter_m=block.perimeter_m,
        centroid=block.centroid or (),
        is_surveyed=block.is_surveyed,
        frontage_m=block.frontage_m,
        frontage=block.frontage,
        addresses=[address(item) for item in block.addresses],
        is_contiguous=block.is_contiguous,
    )


def _buildings_block(block: BuildingsBlock) -> pb.BuildingsBlock:
    return pb.BuildingsBlock(
        count=block.count,
        footprint_area_m2=block.footprint_area_m2,
        ground_coverage_ratio=block.ground_coverage_ratio,
        items=[_building(item) for item in block.items],
    )


def _building(item: Building) -> pb.Building:
    fields = asdict(item)
    del fields["is_repaired"]
    return pb.Building(**fields)


def _urbanism_block(block: UrbanismBlock) -> pb.UrbanismBlock:
    return pb.UrbanismBlock(
        documents=[pb.PlanningDocument(**asdict(document)) for document in block.documents],
        zones=[pb.PlanningZone(**asdict(zone)) for zone in block.zones],
        prescriptions=[pb.PlanningPrescription(**asdict(item)) for item in block.prescriptions],
        is_rnu=block.is_rnu,
    )


def _real_estate_block(block: RealEstateBlock) -> pb.RealEstateBlock:
    return pb.RealEstateBlock(
        period_from=block.period_from,
        period_to=block.period_to,
        sale_count=block.sale_count,
        last_sale_on=block.last_sale_on,
        median_price_eur_per_m2=block.median_price_eur_per_m2,
        comparables=[_comparable(sale) for sale in block.comparables],
        comparables_method=block.comparables_method,
        kind=block.kind,
        kind_basis=block.kind_basis,
        radius_m=block.radius_m,
    )


def _comparable(sale: ComparableSale) -> pb.ComparableSale:
    fields = asdict(sale)
    del fields["unfolded_surface_terrain"]
    return pb.ComparableSale(**fields)


def loaded_dataset(load: Load) -> pb.LoadedDataset:
    return pb.LoadedDataset(
        dataset=load.dataset,
        unit=load.partition.code,
        part=load.partition.part,
        edition=load.edition,
        retrieved_at=load.retrieved_at,
        loaded_at=load.loaded_at,
        row_count=load.row_count,
        rejected_count=load.rejected_count,
    )
