"""Sign-in at an identity provider: who gets in with which role, and the attacks that must fail."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from admin_client import EMAIL, PASSWORD, Client, owner, refusal, running
from identity_provider import CLIENT_ID, CLIENT_SECRET, IdentityProvider, identity_provider
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from pydantic import ValidationError

from keys.settings import KeysSettings
from keys.store import second_factors
from keys.store.database import Database
from keys.values import texts
from landpartner.keys.v1 import admin_pb2

ELLA = {"sub": "ella", "email": "ella@example.org", "roles": ["staff", "land-viewer"]}


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    with identity_provider("http://localhost:8080/admin") as provider:
        provider.claims = dict(ELLA)
        yield provider


async def returned(client: Client, provider: IdentityProvider) -> dict[str, str]:
    """What the page sends to complete a sign-in, after the provider sent the browser back."""
    begun = await client("BeginSingleSignOn")
    assert begun.authorization_url.startswith(f"{provider.issuer}/authorize?")
    answer = provider.authorize(begun.authorization_url)
    return {**answer, "browser_token": begun.browser_token, "client_address": "192.0.2.1"}


async def complete(client: Client, provider: IdentityProvider) -> admin_pb2.SignInResponse:
    session: admin_pb2.SignInResponse = (
        await client("CompleteSingleSignOn", **await returned(client, provider))
    ).session
    client.caller = admin_pb2.Caller(session_token=session.session_token, csrf_token=session.csrf_token)
    return session


async def failure(client: Client, provider: IdentityProvider) -> str:
    return (await refusal(client, "CompleteSingleSignOn", **await returned(client, provider))).code


async def test_the_provider_gives_the_role_at_each_sign_in(tmp_path: Path, provider: IdentityProvider) -> None:
    async with owner(tmp_path, **provider.settings()) as client:
        assert (await client("GetSetup")).single_sign_on
        ann = client.caller
        assert (await complete(client, provider)).role == admin_pb2.ADMIN_ROLE_VIEWER
        as_viewer = client.caller
        admin = (await client("GetSession")).admin
        assert (admin.email, admin.single_sign_on) == ("ella@example.org", True)

        provider.claims |= {"roles": "land-owner", "email": "ella.new@example.org"}
        assert (await complete(client, provider)).role == admin_pb2.ADMIN_ROLE_OWNER
        as_owner, client.caller = client.caller, as_viewer
        assert (await refusal(client, "GetSession")).code == "sign_in_required"
        client.caller = as_owner
        assert [admin.email for admin in (await client("ListAdmins")).admins] == [EMAIL, "ella@example.org"]

        provider.claims["roles"] = ["staff"]
        assert await failure(client, provider) == "single_sign_on_denied"
        provider.claims["roles"] = ["land-owner"]
        client.caller = ann
        disabled = admin_pb2.Admin(id=admin.id, is_active=False)
        await client("UpdateAdmin", admin=disabled, update_mask={"paths": ["is_active"]})
        assert await failure(client, provider) == "single_sign_on_denied"


async def test_local_owners_stay_a_way_back(tmp_path: Path, provider: IdentityProvider) -> None:
    provider.client_authentication = "client_secret_post"
    async with owner(tmp_path, **provider.settings()) as client:
        ann = client.caller
        provider.claims |= {"email": EMAIL.upper(), "roles": ["land-owner"]}
        assert await failure(client, provider) == "single_sign_on_denied"
        provider.claims["email"] = ELLA["email"]
        await complete(client, provider)
        for method, members in (
            ("SignIn", {"email": ELLA["email"], "password": PASSWORD}),
            ("ChangePassword", {"current_password": PASSWORD, "new_password": PASSWORD}),
        ):
            assert (await refusal(client, method, **members)).code == "invalid_credentials"
        (local,) = (admin for admin in (await client("ListAdmins")).admins if admin.email == EMAIL)
        demoted = admin_pb2.Admin(id=local.id, role=admin_pb2.ADMIN_ROLE_VIEWER)
        last = await refusal(client, "UpdateAdmin", admin=demoted, update_mask={"paths": ["role"]})
        assert last.code == "conflict"
        database = Database(f"sqlite:///{tmp_path}/keys.sqlite")
        with database.writing() as connection:
            second_factors.set_required(connection, is_required=True)
        database.close()
        assert not (await client("VerifyCaller")).must_enrol_totp
        client.caller = ann
        assert (await client("VerifyCaller")).must_enrol_totp


async def test_a_key_that_cannot_be_read_costs_itself(
    tmp_path: Path, provider: IdentityProvider, caplog: pytest.LogCaptureFixture
) -> None:
    provider.other_keys = [
        {"kty": "OKP", "crv": "Ed9", "x": "AA"},
        {"kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"},
        {"kty": "RSA", "n": "AQAB"},
        {"kty": ["RSA"]},
        {},
        None,
    ]
    async with owner(tmp_path, **provider.settings()) as client:
        await complete(client, provider)
    left_out = [record for record in caplog.records if "is left out" in record.message]
    assert len(left_out) == len(provider.other_keys)


async def test_who_loses_the_role_loses_sessions_and_tokens(tmp_path: Path, provider: IdentityProvider) -> None:
    async with owner(tmp_path, **provider.settings()) as client:
        ann = client.caller
        provider.claims["roles"] = ["land-owner"]
        await complete(client, provider)
        token = (await client("CreateToken", label="export", role=admin_pb2.ADMIN_ROLE_OWNER)).secret
        ella = client.caller
        for roles in (["staff"], None, True, {"land-owner": True}, [["land-owner"]]):
            provider.claims["roles"] = roles
            assert await failure(client, provider) == "single_sign_on_denied"
        for caller in (ella, admin_pb2.Caller(bearer_token=token)):
            client.caller = caller
            assert (await refusal(client, "ListAdmins")).code == "sign_in_required"
        client.caller = ann
        entries = (await client("ListAuditEntries", action="admin.lose_role")).entries
        assert [entry.actor for entry in entries] == ["admin ella@example.org"]


async def test_only_what_is_not_proven_counts_as_an_attempt(tmp_path: Path, provider: IdentityProvider) -> None:
    async with running(tmp_path, **provider.settings()) as client:
        provider.claims["roles"] = ["staff"]
        for _ in range(7):
            assert await failure(client, provider) == "single_sign_on_denied"
        for _ in range(7):
            cancelled = await refusal(
                client, "CompleteSingleSignOn", **{**await returned(client, provider), "code": ""}
            )
            assert cancelled.detail == texts.SIGN_IN_CANCELLED.en
        provider.claims["roles"] = ["land-viewer"]
        await complete(client, provider)
        codes = []
        for _ in range(12):  # the first wait is a second, which a guess on a slow machine may take
            guess = {**await returned(client, provider), "code": "guessed"}
            codes.append((await refusal(client, "CompleteSingleSignOn", **guess)).code)
        assert set(codes[:5]) == {"single_sign_on_failed"}
        assert "sign_in_throttled" in codes[5:]


def unsigned(claims: dict[str, Any]) -> str:
    parts = [json.dumps(part).encode() for part in ({"alg": "none"}, claims)]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts) + "."


def by_shared_secret(claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(CLIENT_SECRET))


def by_another_key(claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256"}, claims, RSAKey.generate_key(2048))


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://attacker.example"},
        {"aud": "another-client"},
        {"aud": [CLIENT_ID, "another-client"]},
        {"azp": "another-client"},
        {"nonce": "of another sign-in"},
        {"nonce": None},
        {"exp": 1_000_000_000},
        {"iat": 10_000_000_000},
        {"email_verified": False},
        {"email_verified": "false"},
        {"email": None},
        {"email": [ELLA["email"]]},
    ],
    ids=str,
)
async def test_a_token_for_somebody_else_is_refused(
    tmp_path: Path, provider: IdentityProvider, claims: dict[str, Any]
) -> None:
    provider.claims |= claims
    async with running(tmp_path, **provider.settings()) as client:
        assert await failure(client, provider) == "single_sign_on_failed"


@pytest.mark.parametrize("sign", [unsigned, by_shared_secret, by_another_key])
async def test_a_token_that_the_provider_did_not_sign_is_refused(
    tmp_path: Path, provider: IdentityProvider, sign: Callable[[dict[str, Any]], str]
) -> None:
    provider.sign = sign
    async with running(tmp_path, **provider.settings()) as client:
        assert await failure(client, provider) == "single_sign_on_failed"


async def test_a_sign_in_is_completed_once_by_its_browser(tmp_path: Path, provider: IdentityProvider) -> None:
    async with running(tmp_path, **provider.settings()) as client:
        first, second = await returned(client, provider), await returned(client, provider)
        for members in (
            {**first, "browser_token": second["browser_token"]},
            {**first, "browser_token": f"9{first['browser_token']}"},
            {**first, "state": "guessed"},
        ):
            assert (await refusal(client, "CompleteSingleSignOn", **members)).code == "single_sign_on_failed"
        await client("CompleteSingleSignOn", **first)
        fresh_code = provider.authorize((await client("BeginSingleSignOn")).authorization_url)["code"]
        provider.requests[fresh_code]["state"] = first["state"]
        for replayed in (first, {**first, "code": fresh_code}):
            assert (await refusal(client, "CompleteSingleSignOn", **replayed)).code == "single_sign_on_failed"
        # The verifier is that of the browser's own sign-in, so a code that was injected is worth nothing.
        injected = {**await returned(client, provider), "code": second["code"]}
        assert (await refusal(client, "CompleteSingleSignOn", **injected)).code == "single_sign_on_failed"


async def test_without_a_provider_there_is_no_single_sign_on(tmp_path: Path) -> None:
    async with running(tmp_path) as client:
        assert not (await client("GetSetup")).single_sign_on
        assert (await refusal(client, "BeginSingleSignOn")).code == "not_found"
    with identity_provider("http://localhost:8080/admin") as provider:
        settings = provider.settings()
    async with running(tmp_path, **settings) as client:
        assert (await refusal(client, "BeginSingleSignOn")).code == "unavailable"


@pytest.mark.parametrize(
    "wrong", [{"oidc_issuer": "http://id.example.org"}, {"oidc_client_secret": ""}, {"oidc_redirect_uri": ""}]
)
def test_a_provider_needs_https_and_all_its_settings(provider: IdentityProvider, wrong: dict[str, str]) -> None:
    required: dict[str, Any] = {"callers": "", "database_url": "sqlite://", "peppers": f"1:{bytes(range(32)).hex()}"}
    with pytest.raises(ValidationError):
        KeysSettings(**{**required, **provider.settings(), **wrong})
