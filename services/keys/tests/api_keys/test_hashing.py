import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keys.values.hashing import HashedSecret, Peppers

OLD, NEW = bytes(range(32)), bytes(range(32, 64))


def test_the_newest_pepper_hashes_and_any_verifies() -> None:
    before = Peppers({1: OLD}).hash("secret")
    both = Peppers.parse(f"2:{NEW.hex()}, 1:{OLD.hex()}")
    assert both.hash("secret") == HashedSecret(2, hmac.new(NEW, b"secret", hashlib.sha256).digest())
    assert both.verify("secret", [before])
    assert both.verify("secret", [both.hash("other"), before])
    assert not both.verify("other", [before])


def test_a_removed_pepper_verifies_nothing() -> None:
    assert not Peppers({2: NEW}).verify("secret", [Peppers({1: OLD}).hash("secret")])


def test_an_unknown_key_does_the_work_of_a_wrong_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    peppers = Peppers({1: OLD})
    hashed = [peppers.hash("secret")]
    compared: list[tuple[bytes, bytes]] = []

    def compare(first: bytes, right: bytes) -> bool:
        compared.append((first, right))
        return False

    monkeypatch.setattr(hmac, "compare_digest", compare)
    assert not peppers.verify("wrong", hashed)
    assert not peppers.verify("wrong", [])
    assert [first for first, _ in compared] == [peppers.hash("wrong").digest] * 2


@given(st.text(min_size=8))
def test_an_error_does_not_repeat_the_peppers(text: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (what it says is the subject)
        Peppers.parse(text)
    assert text not in str(caught.value)


@pytest.mark.parametrize("text", ["", "1", "1:zz", "1:00ff", f"1:{OLD.hex()},1:{NEW.hex()}", f"one:{OLD.hex()}"])
def test_malformed_peppers_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="pepper"):
        Peppers.parse(text)
