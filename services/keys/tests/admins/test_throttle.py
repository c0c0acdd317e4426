"""Networks and limits of sign-in attempts."""

import pytest
from admin_access import OWNER, AdminAccess

from keys.values.errors import InvalidCredentials, SignInThrottled
from servicekit.limits import network_of


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_an_ipv6_address_counts_as_its_64_and_an_ipv4_address_as_itself(address: str, network: str) -> None:
    assert network_of(address) == network


def guess(access: AdminAccess, address: str, email: str = OWNER) -> type:
    try:
        access.sign_in(email, "not the password", address)
    except (InvalidCredentials, SignInThrottled) as error:
        return type(error)
    raise AssertionError("the guess was right")


def test_addresses_of_one_64_are_slowed_down_together(access: AdminAccess) -> None:
    access.owner()
    outcomes = [guess(access, f"2001:db8:1:2::{number:x}") for number in range(40)]
    assert outcomes == [InvalidCredentials] * 5 + [SignInThrottled] * 35
    assert guess(access, "2001:db8:1:3::1") is InvalidCredentials


def test_another_address_of_a_known_64_is_known(access: AdminAccess) -> None:
    access.owner()
    access.sign_in(OWNER, address="2001:db8:7::1")
    for number in range(60):
        guess(access, f"198.51.100.{number}")
    with pytest.raises(SignInThrottled):
        access.sign_in(OWNER, address="2001:db8:8::1")
    access.may(access.sign_in(OWNER, address="2001:db8:7:0:ffff::9"))


def test_a_site_of_many_64s_is_slowed_down_before_the_account_is(access: AdminAccess) -> None:
    access.owner()
    outcomes = [guess(access, f"2001:db8:9:{number:x}::1") for number in range(100)]
    assert outcomes == [InvalidCredentials] * 30 + [SignInThrottled] * 70
    access.may(access.sign_in(OWNER, address="203.0.113.5"))
