"""The settings of keys, read from `KEYS_*`."""

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import SettingsConfigDict

from keys.issuing.hashing import Peppers
from keys.metering.outcomes import COUNTED_UNKNOWN_DAYS
from keys.quota.policy import DIVIDE_LAND, GEOJSON, RESOLVE, AssistantMode, Quota, Rules
from servicekit.settings import RpcSettings, Settings


class StoreSettings(Settings):
    """What every command needs: the database itself."""

    model_config = SettingsConfigDict(env_prefix="KEYS_")

    database_url: SecretStr
    """`sqlite:///path` or `postgresql+psycopg://…`."""


class IssuingSettings(StoreSettings):
    """What making keys needs besides."""

    peppers: SecretStr
    """`1:<hex>,2:<hex>`, each of at least 32 bytes; the newest hashes, any verifies. Give it by KEYS_PEPPERS_FILE."""

    default_per_minute: int = Field(600, ge=1)
    default_burst: int = Field(100, ge=1)
    default_assistant_mode: AssistantMode = AssistantMode.RULES

    @field_validator("peppers")
    @classmethod
    def _readable(cls, value: SecretStr) -> SecretStr:
        Peppers.parse(value.get_secret_value())
        return value


class KeysSettings(IssuingSettings, RpcSettings):
    """The settings of the server."""

    model_config = SettingsConfigDict(env_prefix="KEYS_")

    weight_resolve: int = Field(1, ge=0)
    weight_geojson: int = Field(2, ge=0)
    weight_divide_land: int = Field(10, ge=0)
    tokens_per_call: int = Field(8_000, ge=1)
    """Tokens reserved for one assistant call of a key that has a token allowance."""
    password_workers: int = Field(2, ge=1)
    """Passwords hashed at once; each takes 64 MiB."""
    lapse_interval_s: float = Field(30.0, gt=0)
    """How often reservations without an outcome are looked for."""
    housekeeping_interval_s: float = Field(600.0, gt=0)
    """How often months are closed and old rows deleted."""
    refusal_flush_s: float = Field(1.0, gt=0)
    """How often refused requests, which are counted in memory, are written. A kill loses those of this time at most."""
    clock_difference_s: float = Field(5.0, gt=0, le=10)
    """How far the clocks of keys and of its database may differ, and how far the clock may jump, before keys refuses to
    serve."""
    raw_days: int = Field(40, ge=COUNTED_UNKNOWN_DAYS + 1)
    """How long raw events, reservations and refusals in the audit log are kept; rollups and changes stay."""
    address_days: int = Field(30, ge=1)
    """How long the audit log keeps client addresses."""

    @property
    def default_quota(self) -> Quota:
        return Quota(None, self.default_per_minute, self.default_burst)

    @property
    def rules(self) -> Rules:
        weights = {RESOLVE: self.weight_resolve, GEOJSON: self.weight_geojson, DIVIDE_LAND: self.weight_divide_land}
        return Rules(weights, self.tokens_per_call)
