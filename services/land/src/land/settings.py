"""Land's settings, from LAND_* variables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, SecretStr, create_model
from pydantic_settings import SettingsConfigDict

from land.registry import HOSTS, Dataset, at
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


class LoadingSettings(_HostSettings):
    """Settings of the store and of loading datasets into it, for the server and for all commands."""

    model_config = SettingsConfigDict(env_prefix="LAND_", frozen=True, extra="ignore")

    database_url: SecretStr
    """`sqlite:///path` or `postgresql+psycopg://user:password@host/database`."""
    data_dir: Path = Path("var/land")
    """Folder of downloads and temporary files; needs twice the unpacked size of the largest file."""
    loads_at_once: int = Field(default=4, ge=1, le=32)
    """Files downloaded and loaded at the same time, on demand and by refreshes."""
    loads_per_key: int = Field(default=100, ge=20)
    """On-demand loads of one API key that may wait or run; a commune needs about a dozen. A key with more gets 503 with
    Retry-After."""
    fetch_max_bytes: int = Field(default=512 * 1024**2, ge=1024)
    """Largest file that on-demand loading downloads."""
    on_demand_bytes: int = Field(default=40 * 1024**3, ge=0)
    """Size of the whole store above which the least recently used data that was loaded on demand is evicted; 0 for no
    limit. Imported data counts but is never evicted: add its size."""
    disk_kept_free_bytes: int = Field(default=1024**3, ge=0)
    """Space that loads leave free on the disks of LAND_DATA_DIR and of a SQLite store. A load that needs more fails and
    is retried later."""

    def datasets(self) -> dict[str, Dataset]:
        """The datasets by id, at the base addresses of these settings."""
        return at({name: getattr(self, f"{name}_base") for name in HOSTS})


class LandSettings(LoadingSettings, RpcSettings):
    """Settings of the server."""

    model_config = SettingsConfigDict(env_prefix="LAND_")  # otherwise the prefix of the last base class applies

    on_demand: Literal["on", "off"] = "on"
    """Whether data that a request needs and that is not loaded is loaded from its publishers."""
    refresh_days: int = Field(default=30, ge=0)
    """Age at which data that was loaded on demand is refreshed; 0 for never."""
    national_geocoder: Literal["on", "off"] = "off"
    """Whether the national geocoding service looks up the commune of an address that names none. The request contains
    the address."""
    geocoder_base: HttpBase = "https://data.geopf.fr/geocodage"
