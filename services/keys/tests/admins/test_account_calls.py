"""An admin's own account over a real loopback connection: second factor and password."""

import time
from pathlib import Path

import grpc
import pyotp
from admin_client import EMAIL, PASSWORD, owner, refusal

from landpartner.keys.v1 import admin_pb2


async def test_the_life_cycle_of_a_second_factor(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        assert (await refusal(client, "BeginTotpEnrolment", password="wrong")).code == "invalid_credentials"
        begun = await client("BeginTotpEnrolment", password=PASSWORD)
        assert begun.uri.startswith("otpauth://totp/")
        assert f"secret={begun.secret}" in begun.uri
        assert (await refusal(client, "ConfirmTotpEnrolment", code="000000")).code == "invalid_totp"
        codes = pyotp.TOTP(begun.secret)
        now = time.time()
        await client("ConfirmTotpEnrolment", code=codes.at(now, counter_offset=-1))
        assert (await client("GetSession")).admin.has_totp

        members = {"email": EMAIL, "password": PASSWORD, "client_address": "192.0.2.1"}
        missing = await refusal(client, "SignIn", **members)
        assert (missing.code, missing.status) == ("totp_required", grpc.StatusCode.UNAUTHENTICATED)
        assert (
            await refusal(client, "SignIn", **members, totp=codes.at(now, counter_offset=-1))
        ).code == "invalid_totp"
        assert (await client("SignIn", **members, totp=codes.at(now))).session_token

        policy = admin_pb2.AccessPolicy(is_totp_required=True)
        assert (await client("UpdateAccessPolicy", policy=policy)).policy == policy
        assert (await client("GetAccessPolicy")).policy == policy
        removal = {"password": PASSWORD, "code": codes.at(now, counter_offset=1)}
        assert (await refusal(client, "RemoveTotp", **removal)).code == "conflict"
        await client("UpdateAccessPolicy", policy=admin_pb2.AccessPolicy())
        await client("RemoveTotp", **removal)
        await client.sign_in()


async def test_an_admin_changes_the_password(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        wrong = await refusal(client, "ChangePassword", current_password="wrong", new_password="a new long password")
        assert wrong.code == "invalid_credentials"
        short = await refusal(client, "ChangePassword", current_password=PASSWORD, new_password="short")
        assert [violation.pointer for violation in short.violations] == ["/new_password"]
        await client("ChangePassword", current_password=PASSWORD, new_password="a new long password")
        assert (await client("GetSession")).admin.email == EMAIL
        assert (await refusal(client, "SignIn", email=EMAIL, password=PASSWORD)).code == "invalid_credentials"
        assert (await client("SignIn", email=EMAIL, password="a new long password")).session_token
