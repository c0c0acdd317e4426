import string

from hypothesis import given
from hypothesis import strategies as st

from contract.key_text import ALPHABET, checksum
from keys.values import secret
from keys.values.secret import KeyMode, KeyText

SOME_SECRETS = st.binary(min_size=32, max_size=32)
SOME_IDS = st.text(ALPHABET, min_size=8, max_size=8)
SOME_MODES = st.sampled_from(KeyMode)


def test_the_format_is_the_documented_one() -> None:
    key = secret.compose(KeyMode.TEST, "0aB9zZ00", bytes(31) + b"\x3d")
    assert key.text.startswith("lp_test_0aB9zZ00" + "0" * 42 + "z")
    assert len(key.text) == 65
    assert key.text == "lp_test_0aB9zZ00" + "0" * 42 + "z" + checksum(key.text[:-6])


@given(SOME_MODES, SOME_IDS, SOME_SECRETS)
def test_a_composed_key_reads_back(mode: KeyMode, key_id: str, random: bytes) -> None:
    key = secret.compose(mode, key_id, random)
    assert secret.parse(key.text) == key == KeyText(mode, key_id, key.text)


@given(st.text() | st.text(ALPHABET, min_size=57, max_size=57).map("lp_live_".__add__))
def test_any_text_is_a_key_or_refused(text: str) -> None:
    key = secret.parse(text)
    assert key is None or key.text == text


@given(SOME_IDS, SOME_SECRETS, st.integers(0, 64), st.sampled_from(string.ascii_letters + string.digits + "_é\0"))
def test_one_wrong_character_is_refused(key_id: str, random: bytes, at: int, instead: str) -> None:
    text = secret.compose(KeyMode.LIVE, key_id, random).text
    changed = text[:at] + instead + text[at + 1 :]
    assert changed == text or secret.parse(changed) is None


@given(SOME_MODES, SOME_IDS, SOME_SECRETS)
def test_representations_do_not_contain_the_secret(mode: KeyMode, key_id: str, random: bytes) -> None:
    key = secret.compose(mode, key_id, random)
    masked = secret.mask(key.mode, key.key_id, key.ending)
    assert masked.startswith(f"lp_{mode}_{key_id}")
    assert masked.endswith(key.text[-4:])
    assert key.text[16:59] not in masked
    assert key.text[16:24] not in masked.removeprefix(f"lp_{mode}_{key_id}")
    assert key.text not in repr(key)


def test_keys_are_unique() -> None:
    texts = {secret.generate(KeyMode.LIVE, secret.new_id()).text for _ in range(1_000)}
    assert len(texts) == 1_000
