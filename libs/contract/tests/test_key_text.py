import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.key_text import ALPHABET, base62, checksum, is_well_formed

KEY = "lp_live_" + "A1b2C3d4" + "x" * 43


def test_the_checksum_is_the_crc_in_base_62_over_prefix_id_and_secret() -> None:
    value = 0
    for digit in checksum(KEY):
        value = value * 62 + ALPHABET.index(digit)
    assert value == zlib.crc32(KEY.encode())
    assert len(checksum(KEY)) == 6


def test_a_key_with_its_checksum_is_well_formed() -> None:
    assert is_well_formed(KEY + checksum(KEY))
    test_key = KEY.replace("live", "test")
    assert is_well_formed(test_key + checksum(test_key))


def test_one_changed_character_is_detected() -> None:
    key = KEY + checksum(KEY)
    for at in range(8, len(key)):
        other = "z" if key[at] != "z" else "y"
        assert not is_well_formed(key[:at] + other + key[at + 1 :])


def test_other_prefixes_and_lengths_are_refused() -> None:
    for text in ("", "lp_live_", KEY, "lp_prod_" + KEY[8:] + checksum(KEY), KEY + checksum(KEY) + "\n"):
        assert not is_well_formed(text)


@given(st.text(max_size=300))
def test_no_text_raises_an_error(text: str) -> None:
    assert not is_well_formed(text)


@pytest.mark.parametrize(("number", "expected"), [(0, "000"), (61, "00z"), (62, "010"), (62**3 - 1, "zzz")])
def test_base62_has_its_most_significant_digit_first(number: int, expected: str) -> None:
    assert base62(number, 3) == expected


def test_base62_refuses_numbers_with_too_many_digits() -> None:
    with pytest.raises(OverflowError):
        base62(62**3, 3)
