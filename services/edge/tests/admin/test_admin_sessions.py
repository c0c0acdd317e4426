"""Setup, sign-in, the own account and the credentials of a caller, with a fake AdminService."""

from typing import Any

import pytest
from answer_schemas import checked
from fakes import Refusal
from running_edge import Edge

from landpartner.keys.v1 import admin_pb2

BEARER = {"authorization": "Bearer lpa_secret"}
KEYS = "/api/v1/admin/api-keys"
VIEWER = admin_pb2.ADMIN_ROLE_VIEWER
OPERATOR = admin_pb2.ADMIN_ROLE_OPERATOR
OWNER = admin_pb2.ADMIN_ROLE_OWNER
OPEN = ("session", "setup", "invitation", "invitation/accept")


async def test_setup_needs_no_credential(edge: Edge) -> None:
    edge.admin.answers["GetSetup"] = admin_pb2.GetSetupResponse(is_open=True)
    response = await edge.client.get("/api/v1/admin/setup")
    assert (response.status_code, response.json()) == (200, {"is_open": True, "single_sign_on": False})
    owner = admin_pb2.Admin(id="a1", email="a@b.fr", role=OWNER, is_active=True)
    edge.admin.answers["CompleteSetup"] = admin_pb2.CompleteSetupResponse(admin=owner)
    body = {"token": "t", "email": "a@b.fr", "password": "a long password"}
    response = await edge.client.post("/api/v1/admin/setup", json=body)
    assert response.status_code == 201
    assert checked("Admin", response.content)["role"] == "owner"
    request = edge.admin.request("CompleteSetup")
    assert (request.setup_token, request.password, request.client_address) == ("t", "a long password", "127.0.0.1")


@pytest.mark.parametrize(
    ("code", "status"), [("setup_closed", 409), ("invalid_token", 401), ("sign_in_throttled", 429)]
)
async def test_setup_errors_have_their_codes(edge: Edge, code: str, status: int) -> None:
    edge.admin.failures["CompleteSetup"] = Refusal(code)
    body = {"token": "t", "email": "a@b.fr", "password": "a long password"}
    response = await edge.client.post("/api/v1/admin/setup", json=body)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert "a long password" not in response.text


async def test_no_answer_contains_a_password(edge: Edge) -> None:
    body = {"token": "t", "email": 1, "password": ["hunter2"]}
    response = await edge.client.post("/api/v1/admin/setup", json=body)
    assert {fault["pointer"] for fault in response.json()["errors"]} == {"/email", "/password"}
    assert "hunter2" not in response.text


async def test_a_password_of_the_greatest_length_reaches_keys(edge: Edge) -> None:
    body = {"email": "a@b.fr", "password": "x" * 1_024}
    assert (await edge.client.post("/api/v1/admin/session", json=body)).status_code == 200
    assert edge.admin.request("SignIn").password == body["password"]


async def sign_in(edge: Edge) -> Any:
    edge.admin.answers["SignIn"] = admin_pb2.SignInResponse(
        session_token="session-secret", csrf_token="csrf", role=OPERATOR
    )
    return await edge.client.post("/api/v1/admin/session", json={"email": "a@b.fr", "password": "p"})


async def test_sign_in_sends_the_one_time_code(edge: Edge) -> None:
    edge.admin.failures["SignIn"] = Refusal("totp_required")
    body = {"email": "a@b.fr", "password": "p"}
    response = await edge.client.post("/api/v1/admin/session", json=body)
    assert (response.status_code, response.json()["code"]) == (401, "totp_required")
    assert "set-cookie" not in response.headers
    del edge.admin.failures["SignIn"]
    edge.admin.calls.clear()
    assert (await edge.client.post("/api/v1/admin/session", json={**body, "totp": "123456"})).status_code == 200
    assert edge.admin.request("SignIn").totp == "123456"


async def test_admins_change_their_password_and_second_factor(edge: Edge) -> None:
    await sign_in(edge)
    csrf = {"x-csrf-token": "csrf"}
    session_path = "/api/v1/admin/session"
    body = {"current_password": "old", "new_password": "a new long password"}
    assert (await edge.client.post(f"{session_path}/password", json=body, headers=csrf)).status_code == 204
    request = edge.admin.request("ChangePassword")
    assert (request.current_password, request.new_password) == ("old", "a new long password")
    assert request.caller.csrf_token == "csrf"
    edge.admin.answers["BeginTotpEnrolment"] = admin_pb2.BeginTotpEnrolmentResponse(secret="S", uri="otpauth://x")
    begun = await edge.client.post(f"{session_path}/totp", json={"password": "old"}, headers=csrf)
    assert (begun.status_code, begun.json()) == (201, {"secret": "S", "uri": "otpauth://x"})
    assert (
        await edge.client.post(f"{session_path}/totp/confirm", json={"code": "123456"}, headers=csrf)
    ).status_code == 204
    assert edge.admin.request("ConfirmTotpEnrolment").code == "123456"
    body = {"password": "old", "code": "654321"}
    assert (await edge.client.post(f"{session_path}/totp/remove", json=body, headers=csrf)).status_code == 204
    assert (edge.admin.request("RemoveTotp").password, edge.admin.request("RemoveTotp").code) == ("old", "654321")


@pytest.mark.parametrize("path", ["password", "totp", "totp/confirm", "totp/remove"])
async def test_account_changes_need_a_session_and_the_same_origin(edge: Edge, path: str) -> None:
    address = f"/api/v1/admin/session/{path}"
    assert (await edge.client.post(address, json={})).json()["code"] == "sign_in_required"
    await sign_in(edge)
    response = await edge.client.post(address, json={}, headers={"origin": "https://evil.example"})
    assert response.json()["code"] == "csrf_failed"


async def test_owners_read_and_change_the_access_policy(edge: Edge) -> None:
    policy = admin_pb2.AccessPolicy(is_totp_required=True)
    edge.admin.answers["GetAccessPolicy"] = admin_pb2.GetAccessPolicyResponse(policy=policy)
    edge.admin.answers["UpdateAccessPolicy"] = admin_pb2.UpdateAccessPolicyResponse(policy=policy)
    path = "/api/v1/admin/access-policy"
    assert (await edge.client.get(path, headers=BEARER)).json() == {"totp_required": True}
    changed = await edge.client.patch(path, json={"totp_required": True}, headers=BEARER)
    assert changed.json() == {"totp_required": True}
    assert edge.admin.request("UpdateAccessPolicy").policy.is_totp_required


async def test_on_loopback_the_session_cookie_is_http_only_and_not_secure(edge: Edge) -> None:
    response = await sign_in(edge)
    assert response.json() == {"role": "operator", "csrf_token": "csrf", "expires_at": ""}
    cookie = response.headers["set-cookie"]
    assert cookie.startswith("landpartner_session=session-secret;")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Secure" not in cookie


@pytest.mark.parametrize("host", ["partner.example", "127.0.0.1.example"])
async def test_on_other_hosts_the_session_cookie_is_secure(edge: Edge, host: str) -> None:
    edge.client.headers["host"] = host
    cookie = (await sign_in(edge)).headers["set-cookie"]
    assert cookie.startswith("__Host-landpartner_session=session-secret;")
    assert "Secure" in cookie
    assert "Path=/" in cookie
    assert "Domain" not in cookie


async def test_calls_send_the_session_and_its_csrf_token(edge: Edge) -> None:
    await sign_in(edge)
    edge.admin.answers["RevokeKey"] = admin_pb2.RevokeKeyResponse(key=admin_pb2.Key(id="k1"))
    response = await edge.client.post(f"{KEYS}/k1/revoke", headers={"x-csrf-token": "csrf"})
    assert response.status_code == 200
    caller = edge.admin.request("RevokeKey").caller
    assert (caller.session_token, caller.csrf_token, caller.bearer_token) == ("session-secret", "csrf", "")
    assert edge.admin.request("VerifyCaller").caller == caller


@pytest.mark.parametrize(
    "headers",
    [{"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}],
)
async def test_cross_origin_changes_are_refused(edge: Edge, headers: dict[str, str]) -> None:
    await sign_in(edge)
    edge.admin.calls.clear()
    for path in (f"{KEYS}/k1/revoke", *(f"/api/v1/admin/{path}" for path in OPEN)):
        response = await edge.client.post(path, json={}, headers={"x-csrf-token": "csrf", **headers})
        assert (response.status_code, response.json()["code"]) == (403, "csrf_failed")
    assert edge.admin.calls == []


async def test_same_origin_changes_are_accepted(edge: Edge) -> None:
    await sign_in(edge)
    headers = {"x-csrf-token": "csrf", "origin": "http://localhost", "sec-fetch-site": "same-origin"}
    assert (await edge.client.post(f"{KEYS}/k1/revoke", headers=headers)).status_code == 200


async def test_an_invalid_session_is_refused_before_the_body_and_before_404(edge: Edge) -> None:
    await sign_in(edge)
    edge.admin.calls.clear()
    edge.admin.failures = {"VerifyCaller": Refusal("sign_in_required")}
    for headers in ({}, BEARER):
        for method, path in (("POST", KEYS), ("GET", "/api/v1/admin/nothing"), ("PUT", KEYS)):
            response = await edge.client.request(method, path, content=b"{", headers=headers)
            assert (response.status_code, response.json()["code"]) == (401, "sign_in_required")
    assert {name for name, _ in edge.admin.calls} == {"VerifyCaller"}


async def test_unknown_admin_paths_are_404_with_a_session(edge: Edge) -> None:
    assert (await edge.client.get("/api/v1/admin/nothing", headers=BEARER)).status_code == 404
    response = await edge.client.put(KEYS, headers=BEARER)
    assert (response.status_code, response.headers["allow"]) == (405, "GET, HEAD, POST")


async def test_sign_out_deletes_the_cookie(edge: Edge) -> None:
    await sign_in(edge)
    response = await edge.client.delete("/api/v1/admin/session", headers={"x-csrf-token": "csrf"})
    assert response.status_code == 204
    assert edge.admin.request("SignOut").caller.session_token == "session-secret"
    assert "Max-Age=0" in response.headers["set-cookie"]
