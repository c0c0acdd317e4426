"""The identity provider of admins, by OpenID Connect: the authorization code flow with PKCE.

A sign-in under way is not stored. Its state, nonce and PKCE verifier are derived from a token of the browser and the
pepper. So only the browser that began can complete it, at any replica.
"""

import hashlib
import logging
import secrets
from base64 import urlsafe_b64encode
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import quote_plus

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import Key, KeySet

from contract.key_text import SECRET_BYTES
from keys.admins.credentials import is_same
from keys.admins.passwords import normalized_email
from keys.settings import KeysSettings
from keys.values import texts
from keys.values.clock import Clock
from keys.values.errors import SingleSignOnFailed, Unavailable
from keys.values.hashing import Peppers
from keys.values.records import Role
from servicekit.errors import InvalidPayload

log = logging.getLogger(__name__)

ALGORITHMS = ("RS256", "PS256", "ES256")
"""Signatures by a key pair: neither `none` nor a shared secret."""
LIFETIME = timedelta(minutes=10)
_METADATA_LIFETIME = timedelta(minutes=10)
_CLOCK_DIFFERENCE_S = 60
_UNUSABLE = (JoseError, ValueError, TypeError, KeyError)
"""Errors of joserfc for a key or a token that cannot be used."""
_TIMEOUT_S = 4.0
"""The timeout of each call. A sign-in makes three at most, and the edge waits for 15 s."""


class Identity(NamedTuple):
    """An account of the provider. `subject` is a digest; `role` is None if the claim gives none."""

    subject: bytes
    email: str
    role: Role | None


class Provider:
    def __init__(self, settings: KeysSettings, peppers: Peppers, clock: Clock) -> None:
        roles = {
            settings.oidc_viewer: Role.VIEWER,
            settings.oidc_operator: Role.OPERATOR,
            settings.oidc_owner: Role.OWNER,
        }
        self.issuer = settings.oidc_issuer
        self._roles = {value: role for value, role in roles.items() if value}
        self._settings = settings
        self._peppers = peppers
        self._clock = clock
        self._metadata: tuple[datetime, dict[str, Any]] | None = None

    async def begin(self) -> tuple[str, str]:
        """Returns the address to which the browser goes, and the token that it keeps. Raises Unavailable."""
        token = f"{int(self._clock().timestamp())}.{secrets.token_urlsafe(SECRET_BYTES)}"
        challenge = hashlib.sha256(self._derived(token, "verifier").encode()).digest()
        parameters = {
            "response_type": "code",
            "client_id": self._settings.oidc_client_id,
            "redirect_uri": self._settings.oidc_redirect_uri,
            "scope": self._settings.oidc_scopes,
            "state": self._derived(token, "state"),
            "nonce": self._derived(token, "nonce"),
            "code_challenge": _base64(challenge),
            "code_challenge_method": "S256",
        }
        async with httpx.AsyncClient(timeout=_TIMEOUT_S) as client:
            metadata = await self._read_metadata(client)
        return str(httpx.URL(metadata["authorization_endpoint"]).copy_merge_params(parameters)), token

    def is_begun(self, token: str, state: str) -> bool:
        """Whether this service made the token, for this state, at most ten minutes ago."""
        if not is_same(state, self._derived(token, "state")):
            return False
        age_s = self._clock().timestamp() - int(token.partition(".")[0])
        return age_s <= LIFETIME.total_seconds()

    async def identity(self, code: str, token: str) -> Identity:
        """Exchanges the code for an ID token and verifies it. Raises SingleSignOnFailed, with its own text if there is
        no code because the person cancelled, or Unavailable.
        """
        if not code:
            raise SingleSignOnFailed(texts.SIGN_IN_CANCELLED)
        async with httpx.AsyncClient(timeout=_TIMEOUT_S) as client:
            metadata = await self._read_metadata(client)
            id_token = await self._exchange(client, metadata, code, self._derived(token, "verifier"))
            key_set = await _get(client, metadata["jwks_uri"])
        try:
            return self._verified(id_token, key_set, self._derived(token, "nonce"))
        except (InvalidPayload, *_UNUSABLE) as error:
            log.warning("an ID token was refused", extra={"reason": f"{type(error).__name__}: {error}"})
            raise SingleSignOnFailed(texts.SIGN_IN_NOT_PROVEN) from error

    async def _read_metadata(self, client: httpx.AsyncClient) -> dict[str, Any]:
        """Returns the discovery document. The browsers that begin do not cause a call each."""
        now, issuer = self._clock(), self.issuer
        if self._metadata is None or now - self._metadata[0] >= _METADATA_LIFETIME:
            metadata = await _get(client, f"{issuer.rstrip('/')}/.well-known/openid-configuration")
            names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
            scheme = httpx.URL(issuer).scheme
            if metadata.get("issuer") != issuer or not all(
                str(metadata.get(name)).startswith(f"{scheme}://") for name in names
            ):
                log.error("the discovery document is not that of the issuer")
                raise Unavailable(texts.PROVIDER_SILENT)
            self._metadata = now, metadata
        return self._metadata[1]

    async def _exchange(self, client: httpx.AsyncClient, metadata: dict[str, Any], code: str, verifier: str) -> str:
        client_id, secret = self._settings.oidc_client_id, self._settings.oidc_client_secret.get_secret_value()
        auth = httpx.BasicAuth(quote_plus(client_id), quote_plus(secret))
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._settings.oidc_redirect_uri,
            "code_verifier": verifier,
        }
        is_basic = "client_secret_basic" in metadata.get(
            "token_endpoint_auth_methods_supported", ["client_secret_basic"]
        )
        if not is_basic:
            form |= {"client_id": client_id, "client_secret": secret}
        try:
            response = await client.post(metadata["token_endpoint"], data=form, auth=auth if is_basic else httpx.Auth())
            if not response.is_client_error:
                return str(response.raise_for_status().json()["id_token"])
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise _silent(error) from error
        log.warning("the identity provider refused a code", extra={"status": response.status_code})
        raise SingleSignOnFailed(texts.SIGN_IN_NOT_PROVEN)

    def _verified(self, id_token: str, key_set: Any, nonce: str) -> Identity:
        client_id = self._settings.oidc_client_id
        claims = jwt.decode(id_token, _usable_keys(key_set), algorithms=ALGORITHMS).claims
        jwt.JWTClaimsRegistry(
            now=int(self._clock().timestamp()),
            leeway=_CLOCK_DIFFERENCE_S,
            iss={"essential": True, "value": self.issuer},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        ).validate(claims)
        if claims["aud"] not in (client_id, [client_id]):
            raise ValueError("the audience is not this client alone")
        if claims.get("azp", client_id) != client_id or claims.get("email_verified", True) is not True:
            raise ValueError("the token is for another client, or its email address is not verified")
        if not isinstance(claims["email"], str):
            raise TypeError("the email address is not a text")
        roles = [self._roles.get(value) for value in _texts(claims.get(self._settings.oidc_role_claim))]
        return Identity(
            hashlib.sha256(f"{self.issuer}\0{claims['sub']}".encode()).digest(),
            normalized_email(claims["email"]),
            max((role for role in roles if role is not None), default=None),
        )

    def _derived(self, token: str, purpose: str) -> str:
        return _base64(self._peppers.derive(self._peppers.newest, f"single sign-on {purpose} {token}".encode()))


def _usable_keys(published: Any) -> KeySet:
    """The keys of the set that can be read (RFC 7517 §5). One that cannot be read costs itself, not every sign-in."""
    keys: list[Key] = []
    for item in published["keys"]:
        try:
            keys += KeySet.import_key_set({"keys": [item]}).keys
        except _UNUSABLE as error:
            log.warning(
                "a key of the identity provider is left out", extra={"reason": f"{type(error).__name__}: {error}"}
            )
    return KeySet(keys)


async def _get(client: httpx.AsyncClient, url: str) -> dict[str, Any]:
    try:
        content = (await client.get(url)).raise_for_status().json()
    except (httpx.HTTPError, ValueError) as error:
        raise _silent(error) from error
    return content if isinstance(content, dict) else {}


def _texts(claim: object) -> list[str]:
    """Returns the values of a role claim. A claim of any other form than a text or a list gives none."""
    values = claim if isinstance(claim, list) else [claim]
    return [value for value in values if isinstance(value, str)]


def _silent(error: Exception) -> Unavailable:
    log.warning("the identity provider does not answer", extra={"reason": f"{type(error).__name__}: {error}"})
    return Unavailable(texts.PROVIDER_SILENT)


def _base64(value: bytes) -> str:
    return urlsafe_b64encode(value).decode().rstrip("=")
