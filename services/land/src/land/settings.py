"""Land's settings, from LAND_* variables."""

from pathlib import Path

from pydantic import SecretStr
from pydantic_settings import SettingsConfigDict

from servicekit.settings import RpcSettings, Settings


class StoreSettings(Settings):
    """What the command line needs: where the store is, and where files may be put for a while."""

    model_config = SettingsConfigDict(env_prefix="LAND_", frozen=True, extra="ignore")

    database_url: SecretStr
    """`sqlite:///path` or `postgresql+psycopg://user:password@host/database`."""
    data_dir: Path = Path("var/land")
    """Downloads and spools of a load; needs as much space as the largest file, twice, unpacked."""
    ban_base: str = "https://plateforme.adresse.data.gouv.fr"
    cadastre_base: str = "https://cadastre.data.gouv.fr/data/etalab-cadastre"
    dvf_base: str = "https://files.data.gouv.fr/geo-dvf"
    sitadel_base: str = "https://data.statistiques.developpement-durable.gouv.fr/dido/api/v1"


class LandSettings(StoreSettings, RpcSettings):
    """What the server needs."""

    model_config = SettingsConfigDict(env_prefix="LAND_")  # the last base's would win otherwise
