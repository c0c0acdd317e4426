"""Where the publishers have their files, as settings and sources name it."""

from dataclasses import dataclass


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
