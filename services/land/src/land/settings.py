"""Land's settings, from LAND_* variables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, SecretStr, create_model
from pydantic_settings import SettingsConfigDict

from land.registry import HOSTS
from servicekit.settings import RpcSettings, Settings

HttpBase = Annotated[str, Field(pattern=r"^https?://[^/]+")]


if TYPE_CHECKING:
    _HostSettings = Settings
else:
    _HostSettings = create_model(
        "_HostSettings",
        __base__=Settings,
        **{f"{host.name}_base": (HttpBase, Field(host.base, description=host.note)) for host in HOSTS.values()},
    )


class StoreSettings(_HostSettings):
    """What the command line needs: where the store is, and where files may be put for a while."""

    model_config = SettingsConfigDict(env_prefix="LAND_", frozen=True, extra="ignore")

    database_url: SecretStr
    """`sqlite:///path` or `postgresql+psycopg://user:password@host/database`."""
    data_dir: Path = Path("var/land")
    """Downloads and spools of a load; needs as much space as the largest file, twice, unpacked."""
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

    def bases(self) -> dict[str, str]:
        """The base address of each host in `land.registry`, by its name."""
        return {name: getattr(self, f"{name}_base") for name in HOSTS}


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
