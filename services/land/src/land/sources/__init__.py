"""Every dataset that land can load, by its id. Base addresses come from settings, so that a mirror serves."""

from collections.abc import Mapping
from dataclasses import dataclass

from land.sources.ban import Ban
from land.sources.base import Source
from land.sources.bdtopo import BdTopo
from land.sources.cadastre import Parcelles
from land.sources.cadastre_buildings import Batiments
from land.sources.cadastre_communes import Communes as Territories
from land.sources.cog import Cog
from land.sources.dvf import Dvf
from land.sources.gpu import Communes, Documents, InForce, Prescriptions, Zones
from land.sources.localities import Localities
from land.sources.postcodes import Postcodes
from land.sources.rnb import Rnb
from land.sources.sitadel import Sitadel
from land.sources.sitadel_codes import FAMILIES


@dataclass(frozen=True)
class PublisherBases:
    """Where each publisher's files are, without the part that a source adds."""

    cog: str = "https://www.insee.fr/fr/statistiques/fichier/8740222"
    postcodes: str = "https://geo.api.gouv.fr"
    ban: str = "https://plateforme.adresse.data.gouv.fr"
    cadastre: str = "https://cadastre.data.gouv.fr/data/etalab-cadastre"
    dvf: str = "https://files.data.gouv.fr/geo-dvf"
    gpu: str = "https://apicarto.ign.fr/api/gpu"
    gpu_wfs: str = "https://data.geopf.fr/wfs/ows"
    sitadel: str = "https://data.statistiques.developpement-durable.gouv.fr/dido/api/v1"


def build(bases: PublisherBases) -> dict[str, Source]:
    """The sources, fetching from these addresses."""
    sources: list[Source] = [
        Cog(bases.cog),
        Postcodes(bases.postcodes),
        Ban(bases.ban),
        Localities(bases.ban),
        Parcelles(bases.cadastre),
        Batiments(bases.cadastre),
        Territories(bases.cadastre),
        BdTopo(),
        Rnb(),
        Dvf(bases.dvf),
        Zones(bases.gpu, bases.gpu_wfs),
        Prescriptions(bases.gpu, bases.gpu_wfs),
        Documents(bases.gpu, bases.gpu_wfs),
        Communes(bases.gpu, bases.gpu_wfs),
        InForce(bases.gpu, bases.gpu_wfs),
        *(Sitadel(bases.sitadel, family) for family in FAMILIES),
    ]
    return {source.id: source for source in sources}


SOURCES: Mapping[str, Source] = build(PublisherBases())
