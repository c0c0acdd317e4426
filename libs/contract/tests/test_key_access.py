"""The access rules of a request with an API key."""

from collections.abc import Collection, Sequence
from ipaddress import ip_network

import pytest

from contract.endpoints import DIVIDE_LAND, EVENT_PAGES, EVENTS, GEOJSON, KEYS, OTHER, RESOLVE, SCOPES
from contract.key_access import AccessDenial, access_denial

ADDRESS = "203.0.113.9"


def deny(
    endpoint: str = GEOJSON,
    address: str = ADDRESS,
    scopes: Collection[str] = (),
    networks: Sequence[str] = (),
    is_assistant_disabled: bool = False,
) -> AccessDenial | None:
    return access_denial(
        endpoint,
        address,
        scopes=scopes,
        networks=[ip_network(network) for network in networks],
        is_assistant_disabled=is_assistant_disabled,
    )


@pytest.mark.parametrize("endpoint", [*SCOPES, OTHER])
def test_a_key_without_rules_may_call_everything_but_the_keys_of_its_partner(endpoint: str) -> None:
    expected = ("scope_denied", {"endpoint": KEYS}) if endpoint == KEYS else None
    assert deny(endpoint) == expected


def test_a_scope_opens_its_endpoint_only() -> None:
    assert deny(RESOLVE, scopes={RESOLVE}) is None
    assert deny(GEOJSON, scopes={RESOLVE}) == ("scope_denied", {"endpoint": GEOJSON})


def test_further_pages_of_a_list_are_in_its_scope() -> None:
    assert deny(EVENT_PAGES, scopes={EVENTS}) is None
    assert deny(EVENT_PAGES, scopes={RESOLVE}) == ("scope_denied", {"endpoint": EVENTS})


def test_a_request_without_a_route_is_in_no_scope() -> None:
    assert deny(OTHER, scopes={RESOLVE}) is None


@pytest.mark.parametrize(
    ("address", "is_allowed"),
    [
        ("203.0.113.9", True),
        ("::ffff:203.0.113.9", True),
        ("2001:db8::1", True),
        ("198.51.100.1", False),
        ("::ffff:198.51.100.1", False),
        ("2001:db9::1", False),
        ("", False),
        ("unknown", False),
    ],
)
def test_the_networks_of_a_key_decide_by_address(address: str, is_allowed: bool) -> None:
    denial = deny(address=address, networks=("203.0.113.0/24", "2001:db8::/32"))
    assert denial == (None if is_allowed else ("ip_denied", {}))


def test_a_disabled_assistant_denies_divisions_only() -> None:
    assert deny(DIVIDE_LAND, is_assistant_disabled=True) == ("assistant_denied", {})
    assert deny(GEOJSON, is_assistant_disabled=True) is None


def test_the_scope_is_checked_before_the_network_and_the_network_before_the_assistant() -> None:
    networks = ("198.51.100.0/24",)
    first = deny(DIVIDE_LAND, scopes={RESOLVE}, networks=networks, is_assistant_disabled=True)
    second = deny(DIVIDE_LAND, networks=networks, is_assistant_disabled=True)
    assert (first and first.code, second and second.code) == ("scope_denied", "ip_denied")
