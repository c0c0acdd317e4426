"""The domain's objects as messages, and requests as the domain's objects."""

from collections.abc import Sequence

from land.addresses.model import Address, AddressQuery, Agreement, ParcelMatch, Resolution, Scope
from land.addresses.place_index import Point
from land.addresses.reverse import ReversedAddress
from land.answers.provenance import Coverage, Source
from land.answers.warnings import AnswerWarning
from land.datasets.easements.codes import CATEGORIES
from land.datasets.parcels.records import ParcelRecord
from land.datasets.permits.records import PermitRecord
from land.datasets.planning.codes import information_type, prescription_label
from land.datasets.planning.records import DocumentRecord
from land.datasets.relief.rows import parsed
from land.datasets.risks.records import Finding
from land.datasets.sales.records import Sale
from land.loading.loaded_data import DatasetState, LoadedCommune
from land.store.loads import Load
from land.units import geometry
from land.units.buildings import Building, BuildingsBlock
from land.units.easements import Easement
from land.units.energy_ratings import EnergyRatings
from land.units.joint_ownerships import JointOwnership
from land.units.land import LandBlock
from land.units.model import Block, LandUnit
from land.units.overlap import PlanFeatureOverlap, ZoneOverlap
from land.units.owners import Owner
from land.units.real_estate import Comparable, RealEstateBlock
from land.units.risks import PlacedFinding, Risk, RisksBlock
from land.units.terrain import Terrain
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
_BLOCKS: dict[int, Block] = {
    pb.BLOCK_LAND: "land",
    pb.BLOCK_URBANISM: "urbanism",
    pb.BLOCK_BUILDINGS: "buildings",
    pb.BLOCK_REAL_ESTATE: "real_estate",
    pb.BLOCK_RISKS: "risks",
}


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


def resolution(resolution: Resolution) -> pb.ResolveAddressResponse:
    return pb.ResolveAddressResponse(
        address=address(resolution.address),
        parcels=map(parcel_match, resolution.parcels),
        alternatives=map(address, resolution.alternatives),
        sources=map(source, resolution.sources),
        warnings=map(warning, resolution.warnings),
    )


def point_of(message: pb.Position) -> Point:
    return Point(message.latitude, message.longitude)


def reversed_address(nearest: ReversedAddress) -> pb.ReverseAddressResponse:
    return pb.ReverseAddressResponse(
        address=address(nearest.address),
        distance_m=nearest.distance_m,
        parcels=map(parcel_match, nearest.parcels),
        sources=map(source, nearest.sources),
        warnings=map(warning, nearest.warnings),
    )


def address(item: Address) -> pb.Address:
    return pb.Address(
        id=item.id,
        label=item.label,
        number=item.number,
        street=item.street,
        postcode=item.postcode,
        city=item.city,
        district=item.district,
        city_code=item.city_code,
        latitude=item.latitude,
        longitude=item.longitude,
        type=_ADDRESS_TYPES[item.type],
        score=item.score,
        matched=_agreement(item.matched),
    )


def _agreement(matched: Agreement) -> pb.AddressAgreement | None:
    """None if the address was not compared with a query."""
    if matched == Agreement():
        return None
    return pb.AddressAgreement(
        number=_rounded(matched.number),
        street=_rounded(matched.street),
        city=_rounded(matched.city),
        postcode=_rounded(matched.postcode),
        city_code=_rounded(matched.city_code),
        label=_rounded(matched.label),
    )


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def parcel_match(match: ParcelMatch) -> pb.ParcelMatch:
    return pb.ParcelMatch(parcel_id=match.parcel_id, kind=_MATCH_KINDS[match.kind], distance_m=match.distance_m)


def source(source: Source) -> pb.Source:
    return pb.Source(
        id=source.id,
        publisher=source.publisher,
        dataset=source.dataset,
        edition=source.edition,
        retrieved_at=source.retrieved_at,
        licence=source.licence,
        attribution=source.attribution,
        url=source.url,
    )


def warning(item: AnswerWarning) -> pb.Warning:
    return pb.Warning(code=item.code, detail=str(item.detail), block=item.block)


def coverage(item: Coverage) -> pb.DatasetCoverage:
    return pb.DatasetCoverage(dataset=item.dataset, status=_COVERAGE[item.status], reason=item.reason)


def land_unit(unit: LandUnit, *, with_outlines: bool = False) -> pb.LandUnit:
    """`with_outlines` adds the outlines of several parcels, the parts of prescriptions and easements on the land unit,
    and samples of its altitude.
    """
    has_outlines = with_outlines and len(unit.parcels) > 1
    return pb.LandUnit(
        geometry=unit.geometry,
        bbox=unit.bbox,
        parcel_ids=[record.parcel_id for record in unit.parcels],
        address=address(unit.address) if unit.address else None,
        parcels=[
            parcel(record, unit.matches.get(record.parcel_id), with_outline=has_outlines) for record in unit.parcels
        ],
        urban_authorizations=[_authorization(parcel_id, permit) for parcel_id, permit in unit.history.authorizations],
        dvf_sales=map(_sale, unit.history.sales),
        land=_land_block(unit.land, unit.parcels, with_outlines) if unit.land else None,
        buildings=_buildings_block(unit.buildings, unit) if unit.buildings else None,
        real_estate=_real_estate_block(unit.real_estate) if unit.real_estate else None,
        urbanism=_urbanism_block(unit.urbanism, with_outlines) if unit.urbanism else None,
        risks=_risks_block(unit.risks) if unit.risks else None,
        coverage=map(coverage, unit.coverage),
        sources=map(source, unit.sources),
        warnings=map(warning, unit.warnings),
    )


def parcel(record: ParcelRecord, match: ParcelMatch | None = None, *, with_outline: bool = False) -> pb.Parcel:
    return pb.Parcel(
        parcel_id=record.parcel_id,
        commune_code=record.commune_code,
        prefix=record.prefix,
        section=record.section,
        number=record.number,
        cadastral_area_m2=record.cadastral_area_m2,
        geometric_area_m2=record.geometric_area_m2,
        is_surveyed=record.is_surveyed,
        created_on=record.created_on,
        updated_on=record.updated_on,
        match=parcel_match(match) if match else None,
        outline=geometry.to_geojson(geometry.from_wkb(record.geometry)) if with_outline and record.geometry else b"",
    )


def _authorization(parcel_id: str, permit: PermitRecord) -> pb.UrbanAuthorization:
    return pb.UrbanAuthorization(
        parcelle_id=parcel_id,
        type_dau=permit.type_dau,
        num_dau=permit.number,
        etat_dau=permit.etat_dau,
        date_reelle_autorisation=permit.date_reelle_autorisation,
        date_reelle_doc=permit.date_reelle_doc,
        date_reelle_daact=permit.date_reelle_daact,
        nature_projet_declaree=permit.nature_projet_declaree,
        nature_projet_completee=permit.nature_projet_completee,
        destination_principale=permit.destination_principale,
        superficie_terrain=permit.superficie_terrain,
    )


def _sale(sale: Sale) -> pb.DvfSale:
    return pb.DvfSale(
        id_mutation=sale.id_mutation,
        id_parcelle=sale.id_parcelle,
        date_mutation=sale.date_mutation,
        nature_mutation=sale.nature_mutation,
        type_local=sale.type_local,
        has_dependance=sale.has_dependance,
        lot_count=sale.lot_count,
        surface_reelle_bati=sale.surface_reelle_bati,
        surface_terrain=sale.surface_terrain,
        nombre_pieces_principales=sale.nombre_pieces_principales,
        valeur_fonciere=sale.valeur_fonciere,
        adresse_numero=sale.adresse_numero,
        adresse_suffixe=sale.adresse_suffixe,
        adresse_nom_voie=sale.adresse_nom_voie,
        code_postal=sale.code_postal,
        code_commune=sale.commune_code,
        nom_commune=sale.nom_commune,
        parcel_count=sale.parcel_count,
    )


def _land_block(block: LandBlock, parcels: Sequence[ParcelRecord], with_samples: bool) -> pb.LandBlock:
    only = parcels[0] if len(parcels) == 1 else None
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
        centroid=block.centroid,
        is_surveyed=block.is_surveyed,
        frontage_m=block.frontage_m,
        frontage=block.frontage,
        addresses=map(address, block.addresses),
        is_contiguous=block.is_contiguous,
        section=only.section if only else None,
        number=only.number if only else None,
        prefix=only.prefix if only else None,
        owners=map(_owner, block.owners),
        terrain=_terrain(block.terrain, with_samples) if block.terrain else None,
    )


def _owner(owner: Owner) -> pb.Owner:
    return pb.Owner(
        name=owner.name,
        siren=owner.siren,
        legal_form=owner.legal_form,
        group_code=owner.group_code,
        group_label=owner.group_label,
        right_code=owner.right_code,
        right_label=owner.right_label,
        is_public=owner.is_public,
        parcel_ids=owner.parcel_ids,
        legal_form_code=owner.legal_form_code,
    )


def _terrain(terrain: Terrain, with_samples: bool) -> pb.Terrain:
    samples = parsed(" ".join(terrain.samples)).tolist() if with_samples else ()
    return pb.Terrain(
        mean_altitude_m=terrain.mean_altitude_m,
        min_altitude_m=terrain.min_altitude_m,
        max_altitude_m=terrain.max_altitude_m,
        mean_slope_percent=terrain.mean_slope_percent,
        max_slope_percent=terrain.max_slope_percent,
        aspect=terrain.aspect,
        sample_count=terrain.sample_count,
        samples=[
            pb.AltitudeSample(position=pb.Position(latitude=latitude, longitude=longitude), altitude_m=altitude)
            for longitude, latitude, altitude in samples
        ],
    )


def _buildings_block(block: BuildingsBlock, unit: LandUnit) -> pb.BuildingsBlock:
    return pb.BuildingsBlock(
        count=block.count,
        footprint_area_m2=block.footprint_area_m2,
        ground_coverage_ratio=block.ground_coverage_ratio,
        items=map(_building, block.items),
        joint_ownerships=map(_joint_ownership, unit.joint_ownerships),
        energy_ratings=_energy_ratings(unit.energy_ratings) if unit.energy_ratings else None,
    )


def _building(building: Building) -> pb.Building:
    return pb.Building(
        id=building.id,
        footprint_m2=building.footprint_m2,
        cover_ratio=building.cover_ratio,
        height_m=building.height_m,
        storeys=building.storeys,
        usage=building.usage,
        dwelling_count=building.dwelling_count,
        construction_year=building.construction_year,
        geometry=building.geometry,
        is_light=building.is_light,
        rnb_ids=building.rnb_ids,
        outline_source=building.outline_source,
        facts_source=building.facts_source,
    )


def _joint_ownership(ownership: JointOwnership) -> pb.JointOwnership:
    return pb.JointOwnership(
        id=ownership.id,
        name=ownership.name,
        lot_count=ownership.lot_count,
        dwelling_lot_count=ownership.dwelling_lot_count,
        construction_period=ownership.construction_period,
        manager_type=ownership.manager_type,
        parcel_ids=ownership.parcel_ids,
    )


def _energy_ratings(ratings: EnergyRatings) -> pb.EnergyRatings:
    return pb.EnergyRatings(
        count=ratings.count,
        energy=[pb.RatingCount(letter=letter, count=count) for letter, count in ratings.energy.items()],
        greenhouse_gas=[pb.RatingCount(letter=letter, count=count) for letter, count in ratings.greenhouse_gas.items()],
        oldest_on=ratings.oldest_on,
        newest_on=ratings.newest_on,
        joined_by=[pb.JoinCount(join=join, count=count) for join, count in ratings.joined_by.items()],
    )


def _urbanism_block(block: UrbanismBlock, with_outlines: bool) -> pb.UrbanismBlock:
    return pb.UrbanismBlock(
        documents=map(_document, block.documents),
        zones=map(_zone, block.zones),
        prescriptions=[_prescription(overlap, with_outlines) for overlap in block.prescriptions],
        is_rnu=block.is_rnu,
        informations=map(_information, block.informations),
        easements=[_easement(item, with_outlines) for item in block.easements.items] if block.easements else (),
        published_easement_categories=block.easements.published_categories if block.easements else (),
    )


def _document(record: DocumentRecord) -> pb.PlanningDocument:
    return pb.PlanningDocument(
        id=record.document_id, document_type=record.document_type, approved_on=record.approved_on, url=record.url
    )


def _zone(overlap: ZoneOverlap) -> pb.PlanningZone:
    zone = overlap.zone
    return pb.PlanningZone(
        label=zone.label,
        long_label=zone.long_label,
        zone_type=zone.zone_type,
        overlap_area_m2=overlap.area_m2,
        overlap_ratio=overlap.ratio,
        regulation_url=zone.regulation_url,
        document_id=zone.document_id,
        sector_type=zone.sector_type,
    )


def _prescription(overlap: PlanFeatureOverlap, with_outline: bool) -> pb.PlanningPrescription:
    feature = overlap.feature
    return pb.PlanningPrescription(
        label=feature.label,
        type_code=feature.type_code,
        subtype_code=feature.subtype_code,
        type_label=prescription_label(feature.type_code, feature.subtype_code),
        geometry_kind=feature.geometry_kind,
        overlap_area_m2=overlap.area_m2,
        overlap_length_m=overlap.length_m,
        regulation_url=feature.regulation_url,
        document_id=feature.document_id,
        geometry=overlap.piece.geojson() if with_outline else b"",
    )


def _information(overlap: PlanFeatureOverlap) -> pb.PlanningInformation:
    feature = overlap.feature
    official = information_type(feature.type_code, feature.subtype_code)
    return pb.PlanningInformation(
        label=feature.label,
        type_code=feature.type_code,
        subtype_code=feature.subtype_code,
        type_label=official.label if official else None,
        legal_reference=official.legal_reference if official else None,
        geometry_kind=feature.geometry_kind,
        overlap_area_m2=overlap.area_m2,
        overlap_length_m=overlap.length_m,
        regulation_url=feature.regulation_url,
        document_id=feature.document_id,
    )


def _easement(easement: Easement, with_outline: bool) -> pb.Easement:
    record = easement.record
    generator = act = None
    if record.generator_name or record.generator_type:
        generator = pb.EasementGenerator(name=record.generator_name or "", type=record.generator_type)
    if record.act_name or record.act_url:
        act = pb.EasementAct(
            name=record.act_name or "", type=record.act_type, decided_on=record.decided_on, url=record.act_url
        )
    return pb.Easement(
        category=record.category,
        category_label=CATEGORIES.get(record.category),
        name=record.name,
        type=record.type,
        geometry_kind=record.geometry_kind,
        overlap_area_m2=easement.area_m2,
        overlap_ratio=easement.ratio,
        overlap_length_m=easement.length_m,
        generator=generator,
        act=act,
        geometry=easement.piece.geojson() if with_outline else b"",
    )


def _real_estate_block(block: RealEstateBlock) -> pb.RealEstateBlock:
    return pb.RealEstateBlock(
        period_from=block.period_from,
        period_to=block.period_to,
        sale_count=block.sale_count,
        last_sale_on=block.last_sale_on,
        median_price_eur_per_m2=block.median_price_eur_per_m2,
        comparables=map(_comparable, block.comparables),
        comparables_method=str(block.comparables_method),
        kind=block.kind,
        kind_basis=block.kind_basis,
        radius_m=block.radius_m,
    )


def _comparable(comparable: Comparable) -> pb.ComparableSale:
    sale = comparable.sale
    return pb.ComparableSale(
        id_mutation=sale.id_mutation,
        date_mutation=sale.date_mutation,
        type_local=sale.type_local,
        valeur_fonciere=sale.price_eur,
        surface_reelle_bati=sale.built_m2,
        surface_terrain=sale.land_m2,
        price_eur_per_m2=round(comparable.price_eur_per_m2, 2),
        distance_m=round(comparable.distance_m, 1),
        parcel_ids=sale.parcel_ids.split("|"),
        kind=sale.kind,
    )


def _risks_block(block: RisksBlock) -> pb.RisksBlock:
    recorded, disasters = block.recorded_risks, block.natural_disasters
    dates = [risk.retrieved_at for risk in (recorded, disasters) if risk.retrieved_at]
    commune = pb.CommuneRisks(
        recorded_risks=[risk_finding.finding.name for risk_finding in recorded.findings],
        natural_disasters=[_natural_disaster(risk_finding.finding) for risk_finding in disasters.findings],
        natural_disaster_count=None if disasters.status == "unavailable" else disasters.total,
        recorded_risks_status=recorded.status,
        natural_disasters_status=disasters.status,
        retrieved_at=min(dates, default=None),
        reason=recorded.reason or disasters.reason,
    )
    return pb.RisksBlock(items=map(_risk, block.items), commune=commune)


def _natural_disaster(finding: Finding) -> pb.NaturalDisaster:
    return pb.NaturalDisaster(
        id=finding.id or "",
        label=finding.name,
        began_on=finding.date,
        ended_on=finding.ended_on,
        decreed_on=finding.decreed_on,
    )


def _risk(risk: Risk) -> pb.Risk:
    return pb.Risk(
        subject=risk.subject,
        status=risk.status,
        level=risk.level,
        label=risk.label,
        grain=risk.grain,
        source=risk.source,
        retrieved_at=risk.retrieved_at,
        findings=map(_finding, risk.findings),
        reason=risk.reason,
    )


def _finding(placed_finding: PlacedFinding) -> pb.RiskFinding:
    finding = placed_finding.finding
    return pb.RiskFinding(
        id=finding.id,
        name=finding.name,
        type=finding.type,
        status=finding.status,
        distance_m=placed_finding.distance_m,
        date=finding.date,
        url=finding.url,
        zones=finding.zones,
        zone_labels=finding.zone_labels,
    )


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


def loaded_commune(commune: LoadedCommune) -> pb.LoadedCommune:
    geojson = b"" if commune.geometry is None else geometry.to_geojson(commune.geometry)
    return pb.LoadedCommune(code=commune.code, name=commune.name, datasets=commune.datasets, geometry=geojson)


def dataset_state(state: DatasetState) -> pb.DatasetState:
    licence = state.dataset.licence
    return pb.DatasetState(
        dataset=state.dataset.id,
        publisher=licence.publisher,
        title=licence.dataset,
        licence=licence.licence,
        url=licence.url,
        way=state.way,
        partition=state.dataset.kind,
        partition_count=state.partition_count,
        oldest_edition=state.oldest_edition,
        newest_edition=state.newest_edition,
        loaded_at=state.loaded_at,
        refresh_at=state.refresh_at,
    )
