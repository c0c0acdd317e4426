"""The settings of the assistant, read from `ASSISTANT_*`."""

from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from servicekit.settings import RpcSettings, Settings


class StoreSettings(Settings):
    """Settings of every command: the database of runs."""

    model_config = SettingsConfigDict(env_prefix="ASSISTANT_")

    database_url: SecretStr
    """`sqlite:///path` or `postgresql://user:password@host/database`."""
    retention_days: int = Field(30, ge=1)
    """Days after which runs, with their questions, are deleted."""


class AssistantSettings(StoreSettings, RpcSettings):
    """The settings of the server. Without `openai_model` the rules write all answers."""

    model_config = SettingsConfigDict(env_prefix="ASSISTANT_")  # else the prefix of the last base class applies

    purge_interval_s: float = Field(3600.0, gt=0)
    """Interval at which runs past their retention are deleted."""

    openai_model: str | None = None
    """Name, on its server, of the model that writes answers for keys whose policy allows it."""
    openai_base_url: str | None = None
    """Base URL of a server with the chat-completions protocol. If it is not set, OpenAI's."""
    openai_api_key: SecretStr = SecretStr("")
    """May be empty for a server that needs none."""
    openai_stream: bool = True
    """Whether the answers of the model are streamed."""
    openai_first_words_s: float = Field(3.0, gt=0)
    """Time until the first words of the model, or else the rules write. Without a stream, the first words are all."""
    openai_max_output_tokens: int = Field(1_200, ge=200)
    openai_token_parameter: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105 (a name)
    """The server's name for that limit."""
    openai_reader_timeout_s: float = Field(3.0, gt=0)
    """Time for the model to read a text, and again to choose cards of law for it. After it the rules decide alone."""
