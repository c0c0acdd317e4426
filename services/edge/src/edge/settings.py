"""Settings of the edge, from variables `EDGE_…`."""

from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from servicekit.settings import MAX_PORT, OptionalFolder, ServingSettings


def _target(value: str) -> str:
    for target in value.split(","):
        host, _, port = target.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) <= MAX_PORT:
            raise ValueError("must be host:port")
    return value


def _names(value: Any) -> Any:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


Origin = Annotated[str, Field(pattern=r"^(\*|https?://[A-Za-z0-9.\[\]:-]+)$")]
Target = Annotated[str, AfterValidator(_target)]
Networks = Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(_names)]


class EdgeSettings(ServingSettings):
    model_config = SettingsConfigDict(env_prefix="EDGE_", frozen=True, extra="ignore")

    port: int = Field(default=8080, ge=0, le=MAX_PORT)
    tls_cert_file: Path | None = None
    tls_key_file: Path | None = None
    public_url: Annotated[str, Field(pattern=r"^(/|https?://[A-Za-z0-9.\[\]:-]+)$")] = "/"
    """The base URL for partners, such as `https://api.example.fr`, for the API description; `/` is relative."""
    security_contact: Annotated[str, Field(pattern=r"^(|(mailto:|https://)[!-~]+)$")] = ""
    """Where to report a vulnerability, such as `mailto:security@example.fr`, for /.well-known/security.txt."""
    trusted_proxies: Networks = ()
    """Networks whose X-Forwarded-For and X-Forwarded-Proto are trusted; comma-separated CIDRs."""
    cors_origins: Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(_names)] = ()
    """Origins whose pages may call the consumer API from a browser, comma-separated, such as `https://partner.example`;
    `*` for all. The admin API is never open to other origins. A key in a page is visible to its visitors."""

    disabled: Annotated[tuple[Literal["mcp", "ogc"], ...], NoDecode, BeforeValidator(_names)] = ()
    """Parts of the API that the service does not have, comma-separated: `mcp` for agents, `ogc` for GIS."""

    visitor_keys_per_day: int = Field(default=0, ge=0, le=10_000)
    """Test keys that visitors get in a day, without an account. They expire in a day, answer from the demo commune
    alone, and one network has 50 at most. 0: none."""

    home_parcel: str = Field(default="", pattern=r"^([0-9A-Z]{14})?$")
    """Id of the parcel whose division the home page shows, to everyone. Empty: the demo's, since what is loaded shows
    what partners ask for."""

    land_target: Target
    """`host:port`. If no name resolves to all replicas: their IPv4 addresses, `address:port,address:port`."""
    keys_target: Target
    """The targets of this service, in the form of `EDGE_LAND_TARGET`."""
    assistant_target: Target
    """The targets of this service, in the form of `EDGE_LAND_TARGET`."""
    keys_token: SecretStr
    """The token of every call to keys. A file is read again when it changes."""
    land_token: SecretStr
    """The token of every call to land, which is read again too."""
    assistant_token: SecretStr
    """The token of every call to the assistant, which is read again too."""
    upstream_tls_dir: OptionalFolder = None
    """Folder of `tls.crt`, `tls.key` and `ca.crt`. If it is set, the edge calls the other services with mutual TLS. The
    files are read again when they change."""

    resolve_deadline_s: float = Field(default=5.0, gt=0)
    geojson_deadline_s: float = Field(default=5.0, gt=0)
    divide_land_deadline_s: float = Field(default=30.0, gt=0)
    keys_deadline_s: float = Field(default=2.0, gt=0)
    password_deadline_s: float = Field(default=15.0, gt=0)
    """The deadline of setup, sign-in and new admins: password hashing is slow, and hashes are queued."""
    health_deadline_s: float = Field(default=1.5, gt=0)
    """A service that takes longer counts as down. It is less than the 2 s in which the front expects `/readyz`."""

    body_limit_bytes: int = Field(default=256 * 1024, gt=0)
    body_deadline_s: float = Field(default=10.0, gt=0)
    """How long a client may take to send its body. Its billing units are reserved during this time."""

    batch_body_limit_bytes: int = Field(default=8 * 1024 * 1024, gt=0)
    """The body of a request with many lines. Each line has the limit of `EDGE_BODY_LIMIT_BYTES`."""
    batch_body_deadline_s: float = Field(default=60.0, gt=0)
    """How long a client may take to send such a body."""
    batch_deadline_s: float = Field(default=600.0, gt=0)
    """How long a request with many lines is worked on. Later lines get the problem deadline_exceeded, for free."""
    batch_renewal_s: float = Field(default=20.0, gt=0, le=300)
    """How often a running request renews its reservation."""
    max_batches: int = Field(default=8, gt=0)
    """Maximum concurrent requests with many lines whose body is there; one more gets 503 with Retry-After. Four times
    as many may be sending their body."""
    max_batches_per_key: int = Field(default=2, gt=0)
    """Maximum concurrent requests with many lines of one API key, with those that send their body; one
    more gets 429 with Retry-After."""
    max_batches_per_partner: int = Field(default=4, gt=0)
    """Maximum concurrent requests with many lines of all keys of one partner, so that it cannot take all of them."""

    max_connections: int = Field(default=2_000, gt=0)
    """Maximum connections. While there are more, requests get 503. HAProxy also limits those of one address."""
    max_requests: int = Field(default=512, gt=0)
    """Maximum concurrent requests with a key; one more gets 503 with Retry-After. A request
    that still sends its body does not count."""
    max_requests_per_key: int = Field(default=128, gt=0)
    """Maximum concurrent requests of one API key, with those that send their body. One more
    gets 429 with Retry-After."""
    max_requests_per_partner: int = Field(default=256, gt=0)
    """Maximum concurrent requests of all keys of one partner, so that it cannot take all slots."""
    max_admin_requests: int = Field(default=64, gt=0)
    """Maximum concurrent requests of signed-in admins; also, apart from them, of sign-ins and setups. One
    more gets 503 with Retry-After."""
    max_open_requests_per_address: int = Field(default=8, gt=0)
    """Maximum concurrent sign-ins and setups of one client address."""
    open_attempts_per_minute: int = Field(default=120, gt=0)
    """Requests to routes that need no credential, and requests without a usable key, by client address."""
    unknown_credentials_per_minute: int = Field(default=60, gt=0)
    """Keys, sessions and admin tokens that do not exist, by client address; above it, keys is not called."""
    free_answers_per_second: int = Field(default=100, gt=0)
    """Answers without a key or an admin, such as pages and refusals, by client address; 64 KiB count as one. Beyond
    four seconds' worth of them, each waits for its turn, 2 s at most."""
    leave_s: float = Field(default=0.0, ge=0)
    """Part of `EDGE_DRAIN_S`: how long it still takes requests after SIGTERM, while `/readyz` answers 503. Longer than
    the interval at which a proxy in front asks `/readyz`, so that none of its requests is refused."""

    web_dir: Path | None = None
    """The built pages; without them only the API is available."""

    spool_dir: Path = Path("var/spool")
    """Outcomes that keys has not acknowledged yet, and how the services answered on the last 90 days. On a volume that
    outlives the process."""
    spool_max_bytes: int = Field(default=256 * 1024 * 1024, ge=1024 * 1024)
    """Maximum size of the outcomes there; above it, requests are refused with 503."""
    outcome_interval_s: float = Field(default=0.2, gt=0, le=0.5)
    """Outcomes and ended leases of this time are sent to keys in one batch. `GET /usage` shows a request after about
    this time."""

    @model_validator(mode="after")
    def _certificate_with_key(self) -> Self:
        if (self.tls_cert_file is None) != (self.tls_key_file is None):
            raise ValueError("EDGE_TLS_CERT_FILE and EDGE_TLS_KEY_FILE go together")
        return self

    @model_validator(mode="after")
    def _leave_within_drain(self) -> Self:
        if self.leave_s > self.drain_s:
            raise ValueError("EDGE_LEAVE_S is a part of EDGE_DRAIN_S")
        return self
