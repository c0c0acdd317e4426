"""Settings from environment variables, validated once at start.

Each service derives a class with its prefix. `NAME_FILE` may be set instead of `NAME`, to the path of a file with the
value; use it for secrets. If a setting is invalid, the process prints the name of the variable and ends.
"""

import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from servicekit.callers import Callers

MAX_PORT = 65_535


def _callers(value: str) -> str:
    Callers.parse(value)
    return value


CallersText = Annotated[str, AfterValidator(_callers)]


def _empty_is_none(value: Any) -> Any:
    return value or None


OptionalFolder = Annotated[Path | None, BeforeValidator(_empty_is_none)]


class Variables(BaseSettings):
    """Base of all settings. Immutable."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore")

    @classmethod
    def load(cls) -> Self:
        """Reads the settings. If some are invalid, prints their variables and ends the process with status 2."""
        try:
            return cls()
        except ValidationError as error:
            for problem in error.errors(include_url=False, include_input=False, include_context=False):
                name = cls.variable(str(problem["loc"][0])) if problem["loc"] else cls.__name__
                sys.stderr.write(f"{name}: {problem['msg']}\n")
            raise SystemExit(2) from None

    @classmethod
    def variable(cls, field: str) -> str:
        """The environment variable of a field."""
        return f"{cls.model_config.get('env_prefix', '')}{field}".upper()

    @classmethod
    def file_of(cls, field: str) -> Path | None:
        """The file that `NAME_FILE` gives for a field; None if it is not set."""
        path = os.environ.get(cls.variable(f"{field}_file"))
        return Path(path) if path else None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, _FileSource(settings_cls), env_settings


class _FileSource(PydanticBaseSettingsSource):
    """Reads `PREFIX_FIELD_FILE`."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        name = f"{self.config.get('env_prefix', '')}{field_name}_file".upper()
        path = os.environ.get(name)
        if not path or field_name.endswith("_file"):
            return None, field_name, False
        try:
            return Path(path).read_text(encoding="utf-8").strip(), field_name, False
        except OSError as error:
            sys.stderr.write(f"{name}: cannot read {path}: {error.strerror}\n")
            raise SystemExit(2) from None

    def __call__(self) -> dict[str, Any]:
        values = {name: self.get_field_value(field, name)[0] for name, field in self.settings_cls.model_fields.items()}
        return {name: value for name, value in values.items() if value is not None}


class Settings(Variables):
    """Settings of every program."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: Literal["json", "text"] = "json"
    """`json`: one object per line; `text`: for a terminal."""


class WebhookSettings(Variables):
    """Settings of a server and of its sender of events."""

    webhook_key: Annotated[Annotated[SecretStr, Field(min_length=32)] | None, BeforeValidator(_empty_is_none)] = None
    """The key from which the secrets of webhooks follow, at least 32 random characters. Without it, partners cannot add
    endpoints and the program `webhooks` does not start. With another key, all endpoints need a new secret."""

    webhook_loopback: bool = False
    """Endpoints may be programs on this machine, such as `http://127.0.0.1:8090/`, to try webhooks before a public host
    exists. `make run` sets it. Never set it where partners are: they could send requests to other programs there."""

    @property
    def webhook_secret(self) -> bytes:
        """The key; empty without one."""
        return self.webhook_key.get_secret_value().encode() if self.webhook_key else b""


class ServingSettings(Settings):
    """Settings of a server."""

    host: str = "127.0.0.1"
    port: int = Field(default=0, ge=0, le=MAX_PORT)
    """0 takes any free port."""
    metrics_port: int | None = None
    """Port of the Prometheus metrics. No metrics are served if it is not set."""
    drain_s: float = Field(default=10.0, ge=0)
    """Time that running calls and requests get to finish after SIGTERM."""


class RpcSettings(ServingSettings):
    """Settings of a gRPC server. Limits are those of one replica."""

    callers: CallersText
    """The digests of the tokens that callers send, as `CALLER:SHA-256`, separated by commas or spaces. Two for a caller
    while a token replaces another. A file is read again when it changes."""
    tls_dir: OptionalFolder = None
    """Folder of `tls.crt`, `tls.key` and `ca.crt`. If it is set, the server uses TLS, and callers need a certificate.
    The files are read again when they change."""
    connection_max_age_s: int = 300
    """Maximum age of a connection. Clients find new replicas when they reconnect."""
    workers: int = Field(8, ge=1)
    """Number of threads for blocking work."""
    max_queued_calls: int = Field(256, ge=1)
    """Calls that wait for a thread. Further calls are refused at once: the edge answers 503 with Retry-After."""
    max_concurrent_calls: int = Field(1_000, ge=1)
    """Calls that wait or run. Further calls are refused at once, too."""
    health_interval_s: float = Field(2.0, gt=0)
    """Interval at which the service checks whether it can work, for example whether its database answers."""
    replicas: int = Field(1, ge=1)
    """Number of replicas of the service. At its start, the service compares the database connections that all of them
    may open with those that PostgreSQL accepts."""
    database_copies: int = Field(1, ge=1, le=2)
    """Number of PostgreSQL servers that have a commit before the service relies on it. With 2, the service refuses to
    start without a synchronous standby."""
