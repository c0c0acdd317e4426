"""Every dataset that land can load, by its id. Base addresses come from settings, so that a mirror serves."""

from collections.abc import Mapping
from dataclasses import dataclass

from land.sources.ban import Ban
from land.sources.base import Source
from land.sources.cadastre import Parcelles
from land.sources.dvf import Dvf
from land.sources.sitadel import Sitadel
from land.sources.sitadel_codes import FAMILIES


@dataclass(frozen=True)
class PublisherBases:
    """Where each publisher's files are, without the part that a source adds."""

    ban: str = "https://plateforme.adresse.data.gouv.fr"
    cadastre: str = "https://cadastre.data.gouv.fr/data/etalab-cadastre"
    dvf: str = "https://files.data.gouv.fr/geo-dvf"
    sitadel: str = "https://data.statistiques.developpement-durable.gouv.fr/dido/api/v1"


def build(bases: PublisherBases) -> dict[str, Source]:
    """The sources, fetching from these addresses."""
    sources: list[Source] = [
        Ban(bases.ban),
        Parcelles(bases.cadastre),
        Dvf(bases.dvf),
        *(Sitadel(bases.sitadel, family) for family in FAMILIES),
    ]
    return {source.id: source for source in sources}


SOURCES: Mapping[str, Source] = build(PublisherBases())
