"""The settings of the assistant, read from `ASSISTANT_*`."""

from typing import Literal

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
    """The settings of the server. Without `openai_model` the rules alone answer."""

    model_config = SettingsConfigDict(env_prefix="ASSISTANT_")  # the last base's would win otherwise

    purge_interval_s: float = Field(3600.0, gt=0)
    """How often runs past their retention are forgotten."""

    openai_model: str | None = None
    """The model that writes answers for keys whose policy allows it, as its server calls it."""
    openai_base_url: str | None = None
    """Where the chat-completions protocol is spoken; OpenAI's own where it is not set."""
    openai_api_key: SecretStr = SecretStr("")
    """Empty for a server of one's own that asks for none."""
    openai_stream: bool = True
    """Whether the server is asked to stream."""
    openai_max_output_tokens: int = Field(1_200, ge=200)
    openai_token_parameter: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105 (a name)
    """What the server calls that limit."""
