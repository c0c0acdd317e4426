"""The Python client and its README against the running service."""

import inspect
import json
import re
import subprocess
import sys
import time
import uuid
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import stacks
from client_calls import Call
from landpartner_client import AsyncClient, Client, DivisionEvent, ServiceError
from landpartner_client.schemas import DivideLandResult, UsageResult

PACKAGE = stacks.REPOSITORY / "clients" / "python"
LABEL = "1 rue du 8 mai 1945 Exempleville-sur-Fiction"
PARCEL = "00001000AA0001"


@pytest.fixture(scope="module")
def key(embedded: stacks.Embedded) -> str:
    return stacks.create_key(embedded, "clients")["secret"]


@pytest.fixture
def options(key: str) -> dict[str, str]:
    return {"api_key": key}


def test_the_way_from_an_address_to_its_division(call: Call, embedded: stacks.Embedded, options: object) -> None:
    resolved = call(embedded.url, "resolve", options=options, label=LABEL)
    assert resolved["parcel_ids"] == [PARCEL]
    [feature] = call(embedded.url, "land_unit", resolved, options=options, include=["land"])["features"]
    assert feature["properties"]["parcel_ids"] == [PARCEL]
    assert {"history", "land"} <= feature["properties"].keys()
    assert "buildings" not in feature["properties"]
    division = call(embedded.url, "divide_land", resolved, options=options, question="Deux lots ?")
    assert division["prompt"]["question"] == "Deux lots ?"
    assert division["context"]["features"][0]["properties"]["parcel_ids"] == [PARCEL]


def test_a_division_is_a_file_too(call: Call, embedded: stacks.Embedded, options: object) -> None:
    name = str(uuid.uuid4())
    for form, start in (("dxf", b"  0\nSECTION"), ("geopackage", b"SQLite format 3")):
        arguments = {"options": options, "parcel_ids": [PARCEL], "form": form, "idempotency_key": name}
        for _ in range(2):  # the second file is computed again
            assert call(embedded.url, "division_file", **arguments).startswith(start)


def test_the_lines_of_a_file_are_billed_if_they_succeed(call: Call, embedded: stacks.Embedded) -> None:
    options = {"api_key": stacks.create_key(embedded, "files")["secret"]}
    before = call(embedded.url, "usage", options=options)["units"]
    lines, file = [{"id": "a", "label": LABEL}, {"id": "b"}], str(uuid.uuid4())
    first, second = call(embedded.url, "resolve_lines", lines, options=options, idempotency_key=file)
    assert (first["id"], first["body"]["parcel_ids"]) == ("a", [PARCEL])
    assert (second["id"], second["problem"]["code"]) == ("b", "invalid_payload")
    call(embedded.url, "resolve_lines", lines, options=options, idempotency_key=file)
    [unit] = call(embedded.url, "land_unit_lines", [{"parcel_ids": [PARCEL], "include": []}], options=options)
    assert unit["body"]["features"][0]["properties"]["parcel_ids"] == [PARCEL]
    units = 0
    ends_at = time.monotonic() + stacks.PATIENCE_S
    while units != before + 3 and time.monotonic() < ends_at:
        usage = call(embedded.url, "usage", options=options)
        units = usage["units"]
    assert units == before + 3


def test_a_streamed_division_is_the_same_as_the_other(call: Call, embedded: stacks.Embedded, options: object) -> None:
    events: list[DivisionEvent] = call(embedded.url, "stream_divide_land", options=options, parcel_ids=[PARCEL])
    whole: DivideLandResult = call(embedded.url, "divide_land", options=options, parcel_ids=[PARCEL])
    parts = {event.name: event.data for event in events}
    assert parts["quick_assessment"] == whole["quick_assessment"]
    assert parts["answer"] == whole["answer"]
    assert parts["context"] == whole["context"]
    text = "".join(event.data["text"] for event in events if event.name == "answer.delta")
    assert text == whole["answer"]["text"]


def test_divisions_with_the_same_idempotency_key_are_billed_once(call: Call, embedded: stacks.Embedded) -> None:
    options = {"api_key": stacks.create_key(embedded, "idempotent")["secret"]}
    same = {"options": options, "idempotency_key": "order 17", "parcel_ids": [PARCEL]}
    answer = call(embedded.url, "divide_land", **same)["answer"]
    events = call(embedded.url, "stream_divide_land", **same)
    assert {event.name: event.data for event in events}["answer"] == answer
    assert call(embedded.url, "divide_land", **same)["answer"] == answer
    used = _usage_with(call, embedded, options, requests=3)
    assert used["units"] == 10
    with pytest.raises(ServiceError, match="idempotency_mismatch"):
        call(embedded.url, "divide_land", **{**same, "question": "Another one?"})


def test_usage_counts_and_all_pages_of_coverage_are_read(
    call: Call, embedded: stacks.Embedded, options: dict[str, str]
) -> None:
    before = call(embedded.url, "usage", options=options)["requests"]
    call(embedded.url, "resolve", options=options, label=LABEL)
    _usage_with(call, embedded, options, requests=before + 1)
    all_at_once = call(embedded.url, "coverage", options=options, commune_code="00001", limit=200)
    assert len(all_at_once) > 3
    assert call(embedded.url, "coverage", options=options, commune_code="00001", limit=2) == all_at_once
    pages = call(embedded.url, "coverage_pages", options=options, commune_code="00001", limit=2)
    assert len(pages) == len(all_at_once) // 2 + 1  # a full page may be followed by an empty one
    assert all(page["sources"] for page in pages if page["datasets"])
    communes = call(embedded.url, "covered_communes", options=options, limit=1)
    assert ("00001", True) in [(commune["code"], "cadastre-parcels" in commune["datasets"]) for commune in communes]


def test_all_pages_of_parcels_are_read(call: Call, embedded: stacks.Embedded, options: dict[str, str]) -> None:
    place = {"bbox": "1.9990,47.0003,2.0008,47.0012"}
    parcel_ids = [parcel["id"] for parcel in call(embedded.url, "parcels", options=options, **place, limit=5)]
    assert len(parcel_ids) > 10
    assert sorted(parcel_ids) == parcel_ids
    west, south, east, north = (1.9990, 47.0003, 2.0008, 47.0012)
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    geometry = {"type": "Polygon", "coordinates": [ring]}
    searched = call(embedded.url, "search_parcels", options=options, geometry=geometry, limit=7)
    assert [parcel["id"] for parcel in searched] == parcel_ids


def test_a_partner_rotates_its_own_key(call: Call, embedded: stacks.Embedded, options: dict[str, str]) -> None:
    issued = stacks.create_key(embedded, "own", "--partner", "Rotating", "--scope", "keys")
    own, key_id = {"api_key": issued["secret"]}, issued["key_id"]
    assert key_id in [key["key_id"] for key in call(embedded.url, "keys", options=own)["keys"]]
    rotated = call(embedded.url, "rotate_key", options=own, key_id=key_id, grace_days=0)
    assert key_id in [
        key["key_id"] for key in call(embedded.url, "keys", options={"api_key": rotated["api_key"]})["keys"]
    ]
    with pytest.raises(ServiceError, match="invalid_key"):
        call(embedded.url, "keys", options=own)
    with pytest.raises(ServiceError, match="scope_denied"):
        call(embedded.url, "keys", options=options)
    rotated_options = {"api_key": rotated["api_key"]}
    assert call(embedded.url, "key_events", options=rotated_options) == {"events": [], "next_after": None}


def test_watches_and_events(call: Call, embedded: stacks.Embedded) -> None:
    own = ("--partner", "Watching", "--scope", "watches", "--scope", "events")
    options = {"api_key": stacks.create_key(embedded, "watching", *own)["secret"]}
    created = [call(embedded.url, "create_watch", options=options, commune_code=code) for code in ("00001", "00002")]
    watches = call(embedded.url, "watches", options=options, limit=1)
    assert sorted(watches, key=str) == sorted(created, key=str)
    for watch in created:
        call(embedded.url, "delete_watch", options=options, watch_id=watch["id"])
    assert call(embedded.url, "watches", options=options) == []
    assert call(embedded.url, "events", options=options, after="3") == {"events": [], "next_after": "3"}


@pytest.mark.parametrize(("of", "scope"), [("watches", "webhooks"), ("keys", "keys")])
def test_webhooks(call: Call, embedded: stacks.Embedded, of: str, scope: str) -> None:
    options = {"api_key": stacks.create_key(embedded, "pushing", "--scope", scope)["secret"]}
    created = call(embedded.url, "create_webhook", options=options, of=of, url="https://partner.example/events")
    assert created["secret"].startswith("whsec_")
    assert created["webhook"] in call(embedded.url, "webhooks", options=options, of=of)["webhooks"]
    with pytest.raises(ServiceError, match="conflict"):  # its address does not exist, so it is not verified
        call(embedded.url, "test_webhook", options=options, of=of, webhook_id=created["webhook"]["id"])
    call(embedded.url, "delete_webhook", options=options, of=of, webhook_id=created["webhook"]["id"])
    assert created["webhook"] not in call(embedded.url, "webhooks", options=options, of=of)["webhooks"]


def test_statistics_of_sales(call: Call, embedded: stacks.Embedded, options: dict[str, str]) -> None:
    statistics = call(embedded.url, "sale_statistics", options=options, commune_code="00001", kind="house")
    assert {group["kind"] for group in statistics["groups"]} == {"house"}


@pytest.mark.parametrize("language", ["fr", "en"])
def test_errors_are_those_of_the_service(
    call: Call, embedded: stacks.Embedded, options: dict[str, str], language: str
) -> None:
    with pytest.raises(ServiceError) as raised:
        call(embedded.url, "land_unit", options={**options, "language": language}, parcel_ids=["nonsense"])
    error = raised.value
    assert (error.status, error.code) == (400, "invalid_payload")
    assert [violation["pointer"] for violation in error.errors] == ["/parcel_ids/0"]
    assert error.request_id
    assert error.detail.startswith("The " if language == "en" else "La ")


def test_a_key_at_its_rate_waits_and_continues(call: Call, embedded: stacks.Embedded) -> None:
    slow = stacks.create_key(embedded, "slow", "--per-minute", "30", "--burst", "1")["secret"]
    for _ in range(2):
        assert call(embedded.url, "resolve", options={"api_key": slow}, label=LABEL)["parcel_ids"] == [PARCEL]
    with pytest.raises(ServiceError, match="rate_limited") as raised:
        for _ in range(10):
            call(embedded.url, "resolve", options={"api_key": slow, "attempts": 1}, label=LABEL)
    assert raised.value.retry_after_s is not None


def test_the_examples_of_the_readme_run(
    embedded: stacks.Embedded, key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LP_URL", embedded.url)
    monkeypatch.setenv("LP_KEY", key)
    examples = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    printed = []
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})  # noqa: S102 (our own file)
        printed.append(capsys.readouterr().out)
    first, plan, file, streamed, refused = printed
    assert plan == "3 True\n"
    assert PARCEL in first
    assert "cadastre-parcels" in first
    assert file.splitlines() == [f"a 200 ['{PARCEL}']", "b 404 "]
    assert len(streamed) > 100
    assert "404 address_not_found" in refused


def test_both_clients_have_the_same_methods_and_options() -> None:
    def signatures(kind: type) -> dict[str, inspect.Signature]:
        methods = inspect.getmembers(kind, lambda member: inspect.isfunction(member) and member.__name__[0] != "_")
        return {
            name.replace("aclose", "close"): inspect.signature(method).replace(return_annotation=None)
            for name, method in methods
        }

    assert signatures(AsyncClient) == signatures(Client)
    assert inspect.signature(AsyncClient) == inspect.signature(Client)


def test_the_readme_states_the_defaults() -> None:
    assert Client.__init__.__kwdefaults__ is not None
    readme = " ".join((PACKAGE / "README.md").read_text(encoding="utf-8").split())
    for name in ("attempts", "deadline_s", "timeout_s"):
        assert f"`{name}` ({Client.__init__.__kwdefaults__[name]:g})" in readme


def test_the_package_has_its_types_and_needs_httpx_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--no-build-isolation", "--wheel-dir", tmp_path, PACKAGE], check=True)
    [wheel] = tmp_path.iterdir()
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        [metadata] = [message_from_bytes(files.read(name)) for name in names if name.endswith("/METADATA")]
    assert {"landpartner_client/py.typed", "landpartner_client/schemas.py"} <= set(names)
    assert [
        requirement.partition("<")[0].partition(">")[0] for requirement in metadata.get_all("Requires-Dist", [])
    ] == ["httpx"]


@pytest.mark.thorough
def test_wrong_members_are_found_by_a_type_checker(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        'from landpartner_client import Client\n\nclient = Client("k", base_url="http://localhost")\n'
        'client.resolve(label="x")\n'
        'client.resolve(labl="x")\n'
        'client.land_unit(parcel_ids=["x"], include=["gardens"])\n'
        'client.usage()["unitz"]\n'
        "for event in client.stream_divide_land():\n"
        '    if event.name == "answer.delta":\n'
        '        print(event.data["text"], event.data["verdict"])\n',
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--output", "json", program.name]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    findings = [json.loads(line) for line in checked.stdout.splitlines()]
    assert {finding["line"] for finding in findings if finding["severity"] == "error"} == {5, 6, 7, 10}, checked.stdout


def _usage_with(call: Call, embedded: stacks.Embedded, options: dict[str, str], requests: int) -> UsageResult:
    """Waits until this many requests are counted. Returns the usage."""
    ends = time.monotonic() + stacks.PATIENCE_S
    while True:
        usage: UsageResult = call(embedded.url, "usage", options=options)
        if usage["requests"] >= requests:
            return usage
        assert time.monotonic() < ends, "the requests should be counted soon"
        time.sleep(0.1)
