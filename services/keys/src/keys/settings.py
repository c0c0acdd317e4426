"""The settings of keys, read from `KEYS_*`."""

import json
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from contract.endpoints import DIVIDE_LAND, GEOJSON, PARCEL_SEARCH, PARCELS, RESOLVE, REVERSE, SALE_STATISTICS, WEIGHTS
from keys.values.company_numbers import Seller
from keys.values.hashing import Peppers
from keys.values.outcomes import KEPT_LONGER_DAYS
from keys.values.policy import AssistantMode, Quota, Rules
from servicekit.settings import MAX_PORT, RpcSettings, Settings, WebhookSettings

ADDRESS = r"^(|https://[!-~]+|http://(localhost|127\.0\.0\.1)(:[0-9]+)?(/[!-~]*)?)$"
"""An address by HTTPS, or of this machine."""
SellerText = Annotated[Seller | None, NoDecode, BeforeValidator(lambda text: json.loads(text) if text else None)]


class StoreSettings(Settings):
    """The settings of every command: the database."""

    model_config = SettingsConfigDict(env_prefix="KEYS_")

    database_url: SecretStr
    """`sqlite:///path` or `postgresql://user:password@host/database`."""


class SenderSettings(StoreSettings, WebhookSettings):
    """The settings of `keys webhooks`."""

    model_config = SettingsConfigDict(env_prefix="KEYS_")


class MailSettings(StoreSettings):
    """The settings of `keys mail`."""

    mail_host: str = ""
    """The SMTP server. Without it, `keys mail` does not start."""
    mail_port: int = Field(587, ge=1, le=MAX_PORT)
    mail_tls: Literal["starttls", "tls", "none"] = "starttls"
    """`tls`: from the first byte, usually on port 465; `none`: for a server on the same host, without a password."""
    mail_user: str = ""
    mail_password: SecretStr = SecretStr("")
    """Give it by KEYS_MAIL_PASSWORD_FILE."""
    mail_from: str = ""
    """The sender's address, such as `Service <service@example.org>`."""
    seller: SellerText = None
    """As of the server, for the logo of the bills that are attached."""

    @model_validator(mode="after")
    def _encrypted(self) -> Self:
        if self.mail_tls == "none" and self.mail_password.get_secret_value():
            raise ValueError("a password needs KEYS_MAIL_TLS of starttls or tls")
        return self


class IssuingSettings(StoreSettings):
    """The settings of commands that create keys."""

    peppers: SecretStr
    """`1:<hex>,2:<hex>`, each of at least 32 bytes; the newest hashes, any verifies. Give it by KEYS_PEPPERS_FILE."""

    default_per_minute: int = Field(600, ge=1)
    default_burst: int = Field(100, ge=1)
    default_assistant_mode: AssistantMode = AssistantMode.RULES

    @property
    def default_quota(self) -> Quota:
        return Quota(None, self.default_per_minute, self.default_burst)

    @field_validator("peppers")
    @classmethod
    def _readable(cls, value: SecretStr) -> SecretStr:
        Peppers.parse(value.get_secret_value())
        return value


class KeysSettings(IssuingSettings, RpcSettings, WebhookSettings):
    """The settings of the server."""

    model_config = SettingsConfigDict(env_prefix="KEYS_")

    weight_resolve: int = Field(WEIGHTS[RESOLVE], ge=0)
    weight_reverse: int = Field(WEIGHTS[REVERSE], ge=0)
    weight_geojson: int = Field(WEIGHTS[GEOJSON], ge=0)
    weight_divide_land: int = Field(WEIGHTS[DIVIDE_LAND], ge=0)
    free_suggestions: int = Field(10_000, ge=0)
    """Address suggestions of each key that are free in a month. Of the further ones, each tenth costs one unit."""
    weight_parcels: int = Field(WEIGHTS[PARCELS], ge=0)
    weight_parcel_search: int = Field(WEIGHTS[PARCEL_SEARCH], ge=0)
    weight_sale_statistics: int = Field(WEIGHTS[SALE_STATISTICS], ge=0)
    seller: SellerText = None
    """Who issues bills, as JSON ([bills](billing.md#issued-bills)). Give it by KEYS_SELLER_FILE. Without it, months
    close and no bill is issued.
    """
    oidc_issuer: Annotated[str, Field(pattern=ADDRESS)] = ""
    """The identity provider at which admins may sign in ([single sign-on](keys.md#single-sign-on)), as its discovery
    document names it. Without it, keys reaches nothing outside.
    """
    oidc_client_id: str = ""
    oidc_client_secret: SecretStr = SecretStr("")
    """Give it by KEYS_OIDC_CLIENT_SECRET_FILE."""
    oidc_redirect_uri: Annotated[str, Field(pattern=ADDRESS)] = ""
    """The address of the admin page, `https://host/admin`, as it is registered at the provider."""
    oidc_scopes: str = "openid email"
    oidc_role_claim: str = "roles"
    """The claim of the ID token that gives the role: a text or a list of texts."""
    oidc_owner: str = ""
    """The value of the claim that makes an owner. Without it, nobody becomes one there."""
    oidc_operator: str = ""
    """The value of an operator, likewise."""
    oidc_viewer: str = ""
    """The value of a viewer, likewise. Who has none of the values may not sign in."""
    tokens_per_call: int = Field(8_000, ge=1)
    """Tokens reserved for one assistant call of a key that has a token allowance."""
    password_workers: int = Field(2, ge=1)
    """Passwords hashed at once; each takes 64 MiB."""
    lapse_interval_s: float = Field(30.0, gt=0)
    """How often keys looks for leases that no edge ends."""
    lease_s: float = Field(1.0, ge=0.1, le=1)
    """How long an edge may act on a lease. If one is open, a change that narrows its key is answered a second later."""
    housekeeping_interval_s: float = Field(600.0, gt=0)
    """How often keys closes months and deletes old rows."""
    clock_difference_s: float = Field(5.0, gt=0, le=10)
    """The largest difference between the clocks of keys and its database, and the largest jump, before keys refuses to
    serve.
    """
    raw_days: int = Field(40, ge=KEPT_LONGER_DAYS + 3)
    """How long keys stores events, and refusals in the audit log. Rollups and changes stay."""
    address_days: int = Field(30, ge=1)
    """How long the audit log stores client addresses."""

    @model_validator(mode="after")
    def _complete_provider(self) -> Self:
        if self.oidc_issuer and not (self.oidc_client_id and self.oidc_client_secret and self.oidc_redirect_uri):
            raise ValueError("KEYS_OIDC_ISSUER needs KEYS_OIDC_CLIENT_ID, _CLIENT_SECRET and _REDIRECT_URI")
        return self

    @property
    def rules(self) -> Rules:
        weights = {
            **WEIGHTS,  # an endpoint without a setting has its default, and is not free
            RESOLVE: self.weight_resolve,
            REVERSE: self.weight_reverse,
            GEOJSON: self.weight_geojson,
            DIVIDE_LAND: self.weight_divide_land,
            PARCELS: self.weight_parcels,
            PARCEL_SEARCH: self.weight_parcel_search,
            SALE_STATISTICS: self.weight_sale_statistics,
        }
        return Rules(weights, self.tokens_per_call, self.free_suggestions)
