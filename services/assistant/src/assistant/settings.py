"""The settings of the assistant, read from `ASSISTANT_*`."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from servicekit.settings import RpcSettings, Settings


class StoreSettings(Settings):
    """What every command needs: the database of runs."""

    model_config = SettingsConfigDict(env_prefix="ASSISTANT_")

    database_url: SecretStr
    """`sqlite:///path` or `postgresql+psycopg://…`."""
    retention_days: int = Field(30, ge=1)
    """How long runs, with their questions, are kept."""


class AssistantSettings(StoreSettings, RpcSettings):
    """The settings of the server."""

    model_config = SettingsConfigDict(env_prefix="ASSISTANT_")  # the last base's would win otherwise

    purge_interval_s: float = Field(3600.0, gt=0)
    """How often runs past their retention are forgotten."""
