"""Settings of the edge."""

import pytest
from pydantic import SecretStr, ValidationError

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
