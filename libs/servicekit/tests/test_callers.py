"""Tokens of callers, the methods that they may use, and tokens that change while a server runs."""

import asyncio
import logging
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from prometheus_client import REGISTRY
from pydantic import ValidationError
from pydantic_settings import SettingsConfigDict

from servicekit.admission import Admission, Refused
from servicekit.callers import Callers, entry
from servicekit.files import follow
from servicekit.settings import RpcSettings, Settings

DIVIDE, STREAM, UNLISTED = "/a/Divide", "/a/Stream", "/a/Unlisted"
METHODS = {DIVIDE: {"edge", "batch"}, STREAM: {"edge"}}
TOKENS = {"edge": ("one", "two"), "batch": ("three",)}
CALLERS = Callers.parse("\n".join(entry(caller, token) for caller, tokens in TOKENS.items() for token in tokens))


class Call:
    """The context of a call, with the names in the certificate of the peer."""

    def __init__(self, *names: str) -> None:
        self._names = [name.encode() for name in names]

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    def auth_context(self) -> dict[str, list[bytes]]:
        return {"x509_subject_alternative_name": self._names} if self._names else {}


def status(method: str, token: str | bytes, *names: str, is_mutual: bool = False) -> grpc.StatusCode:
    try:
        Admission(CALLERS, METHODS, is_mutual=is_mutual).admit(method, token, cast(Any, Call(*names)))
    except Refused as refused:
        return cast(grpc.StatusCode, refused.args[0])
    return grpc.StatusCode.OK


@pytest.mark.parametrize("caller", TOKENS)
@pytest.mark.parametrize("method", [DIVIDE, STREAM, UNLISTED])
def test_a_caller_may_use_its_methods_with_each_of_its_tokens_and_no_others(caller: str, method: str) -> None:
    expected = grpc.StatusCode.OK if caller in METHODS.get(method, ()) else grpc.StatusCode.PERMISSION_DENIED
    assert {status(method, token) for token in TOKENS[caller]} == {expected}


@pytest.mark.parametrize("token", ["", "four", "edge", "é", b"\xff", entry("edge", "one")])
def test_an_unknown_token_may_use_nothing(token: str | bytes) -> None:
    assert {status(method, token) for method in METHODS} == {grpc.StatusCode.UNAUTHENTICATED}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("edge",), grpc.StatusCode.OK),
        (("other", "edge"), grpc.StatusCode.OK),
        (("batch",), grpc.StatusCode.UNAUTHENTICATED),
        ((), grpc.StatusCode.UNAUTHENTICATED),
    ],
)
def test_with_certificates_the_token_and_the_certificate_name_the_same_caller(
    names: tuple[str, ...], expected: grpc.StatusCode
) -> None:
    assert status(DIVIDE, "one", *names, is_mutual=True) is expected


def test_refusals_are_counted_by_caller_and_logged_with_a_limit_without_the_token(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def counted(caller: str, reason: str) -> float:
        return REGISTRY.get_sample_value("rpc_server_refused_total", {"caller": caller, "reason": reason}) or 0

    admission = Admission(CALLERS, METHODS, is_mutual=False)
    before = counted("unknown", "token"), counted("batch", "method")
    with caplog.at_level(logging.WARNING):
        for token, method in (("hunter2", DIVIDE), ("hunter3", DIVIDE), ("three", STREAM), ("three", STREAM)):
            with pytest.raises(Refused) as caught:
                admission.admit(method, token, cast(Any, Call()))
            assert token not in str(caught.value)
    assert (counted("unknown", "token"), counted("batch", "method")) == (before[0] + 2, before[1] + 2)
    assert [(record.__dict__["caller"], record.__dict__["reason"]) for record in caplog.records] == [
        ("unknown", "token"),
        ("batch", "method"),
    ]
    assert not [
        record for record in caplog.records if "hunter" in str(record.__dict__) or "three" in str(record.__dict__)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "edge",
        "edge:one",
        f"Edge:{'0' * 64}",
        f"{entry('edge', 'one')},{entry('batch', 'one')}",
        ",".join(entry("edge", token) for token in ("one", "two", "three")),
    ],
)
def test_wrong_callers_are_refused_without_repeating_them(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        RpcSettings(callers=text)
    [error] = caught.value.errors(include_input=False)
    assert entry("edge", "one") not in error["msg"]


async def test_a_changed_file_is_read_again_and_an_unreadable_one_is_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, read = tmp_path / "callers", []

    def take() -> None:
        read.append(Callers.parse(file.read_text()).caller_of("one"))

    async def until(count: int) -> None:
        async with asyncio.timeout(60):
            while len(read) + len(caplog.records) < count:  # noqa: ASYNC110
                await asyncio.sleep(0.005)

    file.write_text(entry("edge", "one"))
    task = asyncio.create_task(follow([file], take, interval_s=0.005))
    try:
        await until(1)
        (tmp_path / "new").write_text(entry("edge", "two"))
        (tmp_path / "new").replace(file)
        await until(2)
        file.write_text("damaged")
        await until(3)
        file.write_text(entry("batch", "one"))
        await until(4)
    finally:
        task.cancel()
    assert read[:2] == ["edge", None]
    assert read[-1] == "batch"
    assert "must be CALLER:SHA-256" in str(caplog.records[0].__dict__["reason"])


def test_the_file_of_a_setting_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAND_LOG_LEVEL_FILE", "/level")

    class LandSettings(Settings):
        model_config = SettingsConfigDict(env_prefix="LAND_")

    assert LandSettings.file_of("log_level") == Path("/level")
    assert Settings.file_of("log_level") is None
