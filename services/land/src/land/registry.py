"""Every dataset that land knows, each declared once. Commands, loading, coverage and settings follow from it.

Those of the Géoportail de l'urbanisme are in `gpu_datasets`, altitudes and energy ratings in `survey_datasets`.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from land.dataset import LICENCE_OUVERTE, Dataset, Host, Licence, one_table
from land.gpu_datasets import (
    GPU_COMMUNES,
    GPU_DOCUMENTS,
    GPU_IN_FORCE,
    GPU_INFORMATIONS,
    GPU_PRESCRIPTIONS,
    GPU_SUP,
    GPU_SUP_DOCUMENTS,
    GPU_ZONES,
)
from land.loading.street_forms import with_form
from land.rows.addresses import address_rows, locality_rows
from land.rows.communes import commune_rows
from land.rows.duplicates import unique
from land.rows.market_sales import sale_rows
from land.rows.parcels import parcel_rows
from land.rows.permits import permit_rows
from land.sources import cog, sitadel_codes
from land.sources.ban import BanAddresses, BanLocalities
from land.sources.bdtopo import BdTopo
from land.sources.cadastre import CadastreCommunes, CadastreParcels
from land.sources.cadastre_buildings import CadastreBuildings
from land.sources.dvf import Dvf
from land.sources.georisques import RecordedAnswers
from land.sources.legal_persons import LegalPersons
from land.sources.postcodes import Postcodes
from land.sources.rnb import Rnb
from land.sources.rnic import Rnic
from land.sources.sitadel import Sitadel
from land.store import addresses, communes, risks, streets
from land.store.buildings import replace_buildings
from land.store.joint_ownerships import JOINT_OWNERSHIPS
from land.store.owners import OWNERS as OWNER_ROWS
from land.store.parcels import TERRITORIES, replace_parcels
from land.store.permits import replace_permits
from land.store.repository import replace_all
from land.store.sales import MARKET_SALES, SALES
from land.survey_datasets import ALTIMETRY, DPE

_BAN = Host("ban", "https://plateforme.adresse.data.gouv.fr")
_CADASTRE = Host("cadastre", "https://cadastre.data.gouv.fr/data/etalab-cadastre")
_DIDO = Host("sitadel", "https://data.statistiques.developpement-durable.gouv.fr/dido/api/v1")
_LIVRE_FONCIER = ("57", "67", "68", "976")
"""DVF does not cover Alsace-Moselle and Mayotte, which keep a Livre foncier."""


_BAN_LICENCE = Licence(
    publisher="Base Adresse Nationale (DINUM, IGN)",
    dataset="Base Adresse Nationale",
    attribution="Base Adresse Nationale",
    url="https://adresse.data.gouv.fr/donnees-nationales",
)


def _cadastre_licence(layer: str) -> Licence:
    return Licence(
        publisher="DGFiP, Etalab",
        dataset=f"Plan cadastral informatisé, {layer}",
        attribution="DGFiP, cadastre",
        url="https://cadastre.data.gouv.fr/datasets/cadastre-etalab",
    )


def _sitadel(family: sitadel_codes.Family) -> Dataset:
    return Dataset(
        id=family.id,
        licence=Licence(
            publisher="SDES",
            dataset=f"Sitadel, {family.dataset}",
            attribution="SDES, Sitadel",
            url="https://www.statistiques.developpement-durable.gouv.fr/"
            "liste-des-permis-de-construire-et-autres-autorisations-durbanisme",
        ),
        kind="filing_commune",
        make_reader=lambda base: Sitadel(base, family),
        write=replace_permits,
        rows=permit_rows,
        hosts=(_DIDO,),
    )


COG = Dataset(
    id="cog",
    licence=Licence(
        publisher="INSEE",
        dataset="Code officiel géographique",
        attribution="INSEE, Code officiel géographique",
        url="https://www.insee.fr/fr/information/8740222",
    ),
    kind="country",
    make_reader=cog.Cog,
    write=replace_all(communes.COMMUNES, communes.MOVEMENTS),
    rows=commune_rows,
    hosts=(
        Host(
            "cog",
            "https://www.insee.fr/fr/statistiques/fichier/8740222",
            "INSEE's list of communes. The number changes with each year's edition.",
        ),
    ),
)
POSTCODES = Dataset(
    id="postcodes",
    licence=Licence(
        publisher="Etalab",
        dataset="API Découpage administratif, communes et codes postaux",
        attribution="Etalab, INSEE, La Poste",
        url="https://geo.api.gouv.fr/decoupage-administratif/communes",
    ),
    kind="country",
    make_reader=Postcodes,
    write=replace_all(communes.POSTCODES),
    rows=unique("code"),
    hosts=(Host("postcodes", "https://geo.api.gouv.fr"),),
)
BAN = Dataset(
    id="ban",
    licence=_BAN_LICENCE,
    kind="commune",
    make_reader=BanAddresses,
    write=with_form(replace_all(addresses.ADDRESS_COMMUNES, streets.STREETS, addresses.ADDRESSES)),
    rows=address_rows,
    hosts=(_BAN,),
)
LOCALITIES = Dataset(
    id="ban-localities",
    licence=_BAN_LICENCE,
    kind="commune",
    make_reader=BanLocalities,
    write=with_form(replace_all(streets.LOCALITIES)),
    rows=one_table(locality_rows),
    hosts=(_BAN,),
)
PARCELS = Dataset(
    id="cadastre-parcels",
    licence=_cadastre_licence("parcelles"),
    kind="commune",
    make_reader=CadastreParcels,
    write=replace_parcels,
    rows=one_table(parcel_rows),
    hosts=(_CADASTRE,),
)
CADASTRE_BUILDINGS = Dataset(
    id="cadastre-buildings",
    licence=_cadastre_licence("bâtiments"),
    kind="commune",
    make_reader=CadastreBuildings,
    write=partial(replace_buildings, source=0),
    hosts=(_CADASTRE,),
    is_streamed=True,
)
CADASTRE_COMMUNES = Dataset(
    id="cadastre-communes",
    licence=_cadastre_licence("communes"),
    kind="commune",
    make_reader=CadastreCommunes,
    write=replace_all(TERRITORIES),
    rows=unique("commune_code"),
    hosts=(_CADASTRE,),
)
BDTOPO = Dataset(
    id="bdtopo",
    licence=Licence(
        publisher="IGN",
        dataset="BD TOPO, bâtiments",
        attribution="IGN, BD TOPO",
        url="https://geoservices.ign.fr/bdtopo",
    ),
    kind="department",
    make_reader=BdTopo,
    write=partial(replace_buildings, source=1),
    is_streamed=True,
)
RNB = Dataset(
    id="rnb",
    licence=Licence(
        publisher="Référentiel national des bâtiments",
        dataset="Référentiel national des bâtiments",
        attribution="Référentiel national des bâtiments",
        url="https://www.data.gouv.fr/datasets/referentiel-national-des-batiments/",
    ),
    kind="department",
    make_reader=Rnb,
    write=partial(replace_buildings, source=2),
    is_streamed=True,
)
OWNERS = Dataset(
    id="personnes-morales",
    licence=Licence(
        publisher="DGFiP",
        dataset="Fichiers des parcelles des personnes morales",
        attribution="DGFiP, fichiers des parcelles des personnes morales",
        url="https://data.economie.gouv.fr/explore/dataset/fichiers-des-locaux-et-des-parcelles-des-personnes-morales/",
    ),
    kind="department",
    make_reader=LegalPersons,
    write=replace_all(OWNER_ROWS),
    hosts=(
        Host(
            "legal_persons",
            "https://data.economie.gouv.fr/api/explore/v2.1/catalog/datasets",
            "Catalogue of the DGFiP's files of legal persons.",
        ),
    ),
    is_streamed=True,
    is_awaited=False,
)
RNIC = Dataset(
    id="rnic",
    licence=Licence(
        publisher="ANAH",
        dataset="Registre national des copropriétés",
        attribution="ANAH, Registre national d'immatriculation des copropriétés",
        url="https://www.data.gouv.fr/datasets/registre-national-dimmatriculation-des-coproprietes/",
    ),
    kind="department",
    make_reader=Rnic,
    write=replace_all(JOINT_OWNERSHIPS),
    rows=unique("parcel_id", "id"),
    hosts=(
        Host("rnic", "https://tabular-api.data.gouv.fr/api", "API of data.gouv.fr, which filters the national file."),
    ),
    is_awaited=False,
)
DVF = Dataset(
    id="dvf",
    licence=Licence(
        publisher="DGFiP, Etalab",
        dataset="Demandes de valeurs foncières géolocalisées",
        licence=f"{LICENCE_OUVERTE}, sans réidentification des personnes ni indexation par les moteurs de recherche",
        attribution="DGFiP, Demandes de valeurs foncières",
        url="https://www.data.gouv.fr/datasets/demandes-de-valeurs-foncieres-geolocalisees/",
    ),
    kind="commune",
    make_reader=Dvf,
    write=replace_all(SALES, MARKET_SALES),
    rows=sale_rows,
    hosts=(Host("dvf", "https://files.data.gouv.fr/geo-dvf"),),
    not_published_in=_LIVRE_FONCIER,
)
GEORISQUES = Dataset(
    id="georisques",
    licence=Licence(
        publisher="BRGM, ministère chargé de l'environnement",
        dataset="Géorisques",
        attribution="Géorisques, BRGM et ministère chargé de l'environnement",
        url="https://www.georisques.gouv.fr",
    ),
    kind="commune",
    make_reader=RecordedAnswers,
    write=replace_all(risks.ANSWERS),
    rows=unique("place", "question"),
    hosts=(Host("georisques", "https://www.georisques.gouv.fr/api", "Asked about single parcels."),),
    is_asked=True,
)
_SITADEL = tuple(_sitadel(family) for family in sitadel_codes.FAMILIES)

COMMUNE_LISTS = (COG.id, POSTCODES.id)
ADDRESSES = (BAN.id, LOCALITIES.id)
BUILDINGS = (CADASTRE_BUILDINGS.id, BDTOPO.id, RNB.id)
"""The sources of buildings in order of precedence of outlines: the plan's own first, on which the parcels are drawn."""
PLANNING = tuple(
    dataset.id
    for dataset in (GPU_ZONES, GPU_PRESCRIPTIONS, GPU_INFORMATIONS, GPU_DOCUMENTS, GPU_COMMUNES, GPU_IN_FORCE)
)
READ_APART = (*PLANNING, GPU_SUP.id, GEORISQUES.id)
"""Datasets whose loads are not those of a commune: blocks state them."""
PERMITS = tuple(dataset.id for dataset in _SITADEL)
DATASETS: Mapping[str, Dataset] = {
    dataset.id: dataset
    for dataset in (COG, POSTCODES, BAN, LOCALITIES, PARCELS, CADASTRE_BUILDINGS, CADASTRE_COMMUNES, BDTOPO, RNB, DVF,
                 ALTIMETRY, DPE, GPU_ZONES, GPU_PRESCRIPTIONS, GPU_INFORMATIONS, GPU_DOCUMENTS, GPU_COMMUNES,
                 GPU_IN_FORCE, GPU_SUP, GPU_SUP_DOCUMENTS, GEORISQUES, OWNERS, RNIC, *_SITADEL)
}  # fmt: skip
"""All of them by id, in the order in which commands list them."""
HOSTS: Mapping[str, Host] = {host.name: host for dataset in DATASETS.values() for host in dataset.hosts}


def at(bases: Mapping[str, str]) -> dict[str, Dataset]:
    """The datasets, published at these base addresses, by host name; the others at their own."""
    return {
        key: replace(dataset, bases=tuple(bases.get(host.name, host.base) for host in dataset.hosts))
        for key, dataset in DATASETS.items()
    }
