"""Settings of the edge."""

import pytest
from fastapi.routing import APIRoute
from pydantic import SecretStr, ValidationError

from edge.app import create_app
from edge.settings import EdgeSettings


def reaching(keys_target: str) -> EdgeSettings:
    return EdgeSettings(
        land_target="land:1",
        keys_target=keys_target,
        assistant_target="assistant:1",
        land_token=SecretStr("one"),
        keys_token=SecretStr("two"),
        assistant_token=SecretStr("three"),
    )


@pytest.mark.parametrize("target", ["keys:50051", "127.0.0.1:50051,127.0.0.2:50051"])
def test_a_target_is_one_name_or_the_addresses_of_replicas(target: str) -> None:
    assert reaching(target).keys_target == target


@pytest.mark.parametrize("target", ["", "keys", "keys:", "keys:70000", "127.0.0.1:1,", "127.0.0.1,127.0.0.1:1"])
def test_an_invalid_target_is_refused(target: str) -> None:
    with pytest.raises(ValidationError, match="must be host:port"):
        reaching(target)


def test_disabled_parts_of_the_api_have_no_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    complete = paths_of(reaching("keys:1"))
    monkeypatch.setenv("EDGE_DISABLED", "mcp, ogc")
    absent = complete - paths_of(reaching("keys:1"))
    assert absent == {path for path in complete if path == "/api/v1/mcp" or path.startswith("/api/v1/ogc")}
    assert len(absent) > 1


def paths_of(settings: EdgeSettings) -> set[str]:
    return {route.path for route in create_app(settings).router.routes if isinstance(route, APIRoute)}
