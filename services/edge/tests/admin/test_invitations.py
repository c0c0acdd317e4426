"""Invitations of admins, with a fake AdminService."""

import logging

import pytest
from answer_schemas import checked
from fakes import Refusal
from running_edge import Edge

from landpartner.keys.v1 import admin_pb2

BEARER = {"authorization": "Bearer lpa_secret"}
INVITATIONS = "/api/v1/admin/invitations"
OPEN = {"invitation": {"token": "T0ken"}, "invitation/accept": {"token": "T0ken", "password": "a long password"}}
NINA = admin_pb2.Invitation(id="i1", email="nina@b.fr", role=admin_pb2.ADMIN_ROLE_OWNER)


async def test_owners_list_make_and_revoke_invitations(edge: Edge) -> None:
    edge.admin.answers["ListInvitations"] = admin_pb2.ListInvitationsResponse(invitations=[NINA])
    listed = checked("InvitationPage", (await edge.client.get(INVITATIONS, headers=BEARER)).content)
    assert [invitation["email"] for invitation in listed["items"]] == ["nina@b.fr"]
    edge.admin.answers["CreateInvitation"] = admin_pb2.CreateInvitationResponse(invitation=NINA, token="T0ken")
    body = {"email": "nina@b.fr", "role": "owner", "lifetime_hours": 24}
    response = await edge.client.post(INVITATIONS, json=body, headers=BEARER)
    assert response.status_code == 201
    assert checked("NewInvitation", response.content)["token"] == "T0ken"
    request = edge.admin.request("CreateInvitation")
    assert (request.email, request.role, request.lifetime_hours) == ("nina@b.fr", NINA.role, 24)
    assert (await edge.client.delete(f"{INVITATIONS}/i1", headers=BEARER)).status_code == 204
    assert edge.admin.request("RevokeInvitation").invitation_id == "i1"


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", ""), ("DELETE", "/i1")])
async def test_invitations_are_made_and_listed_with_a_credential_only(edge: Edge, method: str, path: str) -> None:
    response = await edge.client.request(method, INVITATIONS + path, json={})
    assert response.json()["code"] == "sign_in_required"
    assert edge.admin.calls == []


async def test_the_token_is_the_credential_and_the_session_starts(edge: Edge, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    invited = admin_pb2.GetInvitationResponse(email="nina@b.fr", role=NINA.role, is_totp_required=True)
    edge.admin.answers["GetInvitation"] = invited
    read = await edge.client.post("/api/v1/admin/invitation", json=OPEN["invitation"])
    assert checked("InvitedAdmin", read.content)["totp_required"] is True
    session = admin_pb2.SignInResponse(session_token="session-secret", csrf_token="csrf", role=NINA.role)
    edge.admin.answers["AcceptInvitation"] = admin_pb2.AcceptInvitationResponse(session=session)
    accepted = await edge.client.post("/api/v1/admin/invitation/accept", json=OPEN["invitation/accept"])
    assert (accepted.status_code, checked("SignedIn", accepted.content)["csrf_token"]) == (201, "csrf")
    assert "session-secret" in accepted.headers["set-cookie"]
    assert "session-secret" not in accepted.text
    request = edge.admin.request("AcceptInvitation")
    assert (request.token, request.client_address) == ("T0ken", "127.0.0.1")
    assert "T0ken" not in caplog.text


@pytest.mark.parametrize("path", OPEN)
@pytest.mark.parametrize(("code", "status"), [("invalid_invitation", 401), ("sign_in_throttled", 429)])
async def test_refused_tokens_have_their_codes_and_no_answer_repeats_them(
    edge: Edge, path: str, code: str, status: int
) -> None:
    edge.admin.failures |= {"GetInvitation": Refusal(code), "AcceptInvitation": Refusal(code)}
    response = await edge.client.post(f"/api/v1/admin/{path}", json=OPEN[path])
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert "T0ken" not in response.text
    assert "set-cookie" not in response.headers
    in_query = await edge.client.get(f"/api/v1/admin/{path}?token=T0ken")
    assert in_query.json()["code"] == "sign_in_required"  # a token is never read from an address
