"""Land's settings, from LAND_* variables."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from land.publishers import PublisherBases
from servicekit.settings import RpcSettings, Settings

HttpBase = Annotated[str, Field(pattern=r"^https?://[^/]+")]


class StoreSettings(Settings):
    """What the command line needs: where the store is, and where files may be put for a while."""

    model_config = SettingsConfigDict(env_prefix="LAND_", frozen=True, extra="ignore")

    database_url: SecretStr
    """`sqlite:///path` or `postgresql+psycopg://user:password@host/database`."""
    data_dir: Path = Path("var/land")
    """Downloads and spools of a load; needs as much space as the largest file, twice, unpacked."""
    cog_base: HttpBase = PublisherBases.cog
    """Where INSEE has its list of communes; the number changes with each year's edition."""
    postcodes_base: HttpBase = PublisherBases.postcodes
    ban_base: HttpBase = PublisherBases.ban
    cadastre_base: HttpBase = PublisherBases.cadastre
    dvf_base: HttpBase = PublisherBases.dvf
    gpu_base: HttpBase = PublisherBases.gpu
    gpu_wfs_base: HttpBase = PublisherBases.gpu_wfs
    """Where planning documents are had page by page that the one before does not give at once."""
    sitadel_base: HttpBase = PublisherBases.sitadel
    loads_at_once: int = Field(default=4, ge=1, le=32)
    """Files fetched and loaded at a time, on demand and when refreshed."""
    loads_per_key: int = Field(default=100, ge=20)
    """Loads on demand of one API key that wait or run; a commune needs about a dozen. Past it the key gets 503 with
    Retry-After at once."""
    fetch_max_bytes: int = Field(default=512 * 1024**2, ge=1024)
    """Of one commune's file of one dataset; a larger one is refused."""
    on_demand_bytes: int = Field(default=40 * 1024**3, ge=0)
    """That the store may occupy, everything in it counted; past it, what was fetched on demand and least recently used
    is dropped. 0 for no bound. What was imported by hand counts and is never dropped: add its size."""
    disk_kept_free_bytes: int = Field(default=1024**3, ge=0)
    """Of the disks of LAND_DATA_DIR and of a SQLite store: a load that would leave less free is refused, and tried
    again later."""


class LandSettings(StoreSettings, RpcSettings):
    """What the server needs."""

    model_config = SettingsConfigDict(env_prefix="LAND_")  # the last base's would win otherwise

    on_demand: Literal["on", "off"] = "on"
    """Whether what is asked for and not loaded is fetched from its publishers."""
    refresh_days: int = Field(default=30, ge=0)
    """What was fetched on demand is fetched again when it is older; 0 for never."""
    national_geocoder: Literal["on", "off"] = "off"
    """Whether the national geocoding service is asked in which commune an address lies that names none. It is told the
    address."""
    geocoder_base: HttpBase = "https://data.geopf.fr/geocodage"
