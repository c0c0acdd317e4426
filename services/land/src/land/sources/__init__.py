"""Every dataset that land can load, by its id. Base addresses come from settings, so that a mirror serves."""

from collections.abc import Mapping

from land.publishers import PublisherBases
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
