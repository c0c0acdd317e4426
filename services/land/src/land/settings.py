"""Land's settings, from LAND_* variables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field, SecretStr, create_model
from pydantic_settings import SettingsConfigDict

from land.datasets.dataset import Dataset
from land.registry import HOSTS, at
from servicekit.settings import RpcSettings, Settings, WebhookSettings

HttpBase = Annotated[str, Field(pattern=r"^https?://[^/]+")]

if TYPE_CHECKING:
    _HostSettings = Settings
else:
    _HostSettings = create_model(
        "_HostSettings",
        __base__=Settings,
        **{f"{host.name}_base": (HttpBase, Field(host.base, description=host.note)) for host in HOSTS.values()},
    )


class LoadingSettings(_HostSettings, WebhookSettings):
    """Settings of the store and of loading datasets into it, for the server and for all commands."""

    model_config = SettingsConfigDict(env_prefix="LAND_", frozen=True, extra="ignore")

    database_url: SecretStr
    """`sqlite:///path` or `postgresql://user:password@host/database`."""
    data_dir: Path = Path("var/land")
    """Folder for downloads, spools and lock files. Needs twice the size of the largest unpacked file."""
    loads_at_once: int = Field(default=4, ge=1, le=32)
    """Number of loads that run at a time, on demand or as a refresh."""
    loads_per_key: int = Field(default=100, ge=20)
    """On-demand loads of one API key that wait or run. A commune needs about a dozen. Above
    this number, the key gets 503 with Retry-After at once."""
    fetch_max_bytes: int = Field(default=512 * 1024**2, ge=1024)
    """Maximum size of one file that is loaded on demand. Land refuses a larger one."""
    on_demand_bytes: int = Field(default=40 * 1024**3, ge=0)
    """Size of the store, imported data included. If it is larger, land evicts the least recently used partitions that
    it loaded on demand. Imported data are never evicted: add their size. 0 means no bound."""
    georisques: Literal["on", "off"] = "on"
    """Whether land asks Géorisques for the risks of parcels, if a request wants them and `LAND_ON_DEMAND` is on. The
    service receives the ids of parcels and points inside them."""
    georisques_token: Annotated[SecretStr | None, BeforeValidator(lambda value: value or None)] = None
    """The operator's personal token of Géorisques, valid for one year. With it, land asks about risk plans and clay by
    parcel, and gets the zones of plans. Without it, land asks by commune and by point."""
    georisques_days: int = Field(default=30, ge=1, le=365)
    """Age at which an answer of Géorisques is asked for again. If that fails, the old one is given with its date."""
    georisques_per_min: int = Field(default=600, ge=10, le=1000)
    """Calls of Géorisques per minute that a replica makes at most. It refuses more than about 1,000 of one address."""
    disk_kept_free_bytes: int = Field(default=1024**3, ge=0)
    """Free space on the disks of LAND_DATA_DIR and of a SQLite store. A load that would leave less fails, and is
    retried later."""

    openai_model: str | None = None
    """Name, on its server, of the model that reads written regulations a second time. It receives the chapter of a
    zone. If it is not set, they are read once."""
    openai_base_url: HttpBase = "https://api.openai.com/v1"
    """Base URL of a server with the chat-completions protocol."""
    openai_api_key: SecretStr = SecretStr("")
    """May be empty for a server that needs none."""

    def datasets(self) -> dict[str, Dataset]:
        """The datasets by id, at the base addresses of these settings."""
        return at({name: getattr(self, f"{name}_base") for name in HOSTS})


class LandSettings(LoadingSettings, RpcSettings):
    """Settings of the server."""

    model_config = SettingsConfigDict(env_prefix="LAND_")  # otherwise the prefix of the last base class applies

    stored_units_mb: int = Field(default=256, ge=0)
    """Size of the file in `LAND_DATA_DIR` with finished land units, in MiB. Above it, land deletes the least
    recently used ones. It counts as a part of `LAND_ON_DEMAND_BYTES`. 0 means that every land unit is computed for each
    request."""
    watches_per_partner: int = Field(default=1_000, ge=0)
    """Watches of one partner. Each has at most 100 parcels, a commune, or an area of 50 km²."""
    watched_positions_per_partner: int = Field(default=100_000, ge=0)
    """Positions of all areas that one partner watches. Each watched parcel counts as one."""
    events_per_partner: int = Field(default=100_000, ge=1)
    """Events of one partner that land keeps. If there are more, the oldest are deleted."""
    on_demand: Literal["on", "off"] = "on"
    """Whether requests load missing data from the publishers."""
    standby_url: SecretStr | None = None
    """Standbys of the database that answer reads: `postgresql://user:password@/database?host=a&host=b:5433`. Without a
    user, those of `LAND_DATABASE_URL` are used. If it is not set, the primary answers."""
    standby_lag_s: float = Field(default=5.0, gt=0, le=600)
    """Age of a load from which on a standby without it answers no requests."""
    refresh_days: int = Field(default=30, ge=0)
    """Age at which data that were loaded on demand are loaded again; 0 means never."""
    national_geocoder: Literal["on", "off"] = "off"
    """Whether land asks the national geocoding service for the commune of an address that names no known commune. The
    service receives the address."""
    geocoder_base: HttpBase = "https://data.geopf.fr/geocodage"
    altimetry: Literal["on", "off"] = "off"
    """Whether land asks the altimetry service for the altitudes of parcels that it does not know. The service receives
    points inside them."""
    altimetry_base: HttpBase = "https://data.geopf.fr/altimetrie/1.0/calcul/alti"
    altimetry_per_s: float = Field(default=1.0, gt=0, le=100)
    """Calls of the altimetry service per second that a replica makes at most. The public one refuses more than 1 to 5
    of one address."""
