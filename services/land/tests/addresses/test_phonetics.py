"""Words that sound alike have one key, words that do not have two."""

import pytest

from land.addresses.phonetics import sound


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("daunou", "donou"),
        ("philippe", "filipe"),
        ("quai", "kai"),
        ("maryse", "marise"),
        ("thiers", "tiers"),
        ("beaumarchais", "bomarchais"),
        ("clemenceau", "clemenceaux"),
        ("renault", "reno"),
        ("guynemer", "guinemer"),
    ],
)
def test_alike(one: str, other: str) -> None:
    assert sound(one) == sound(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("maur", "moret"), ("moulins", "moulinet"), ("lagny", "langy"), ("martin", "marlin"), ("8", "eight")],
)
def test_not_alike(one: str, other: str) -> None:
    assert sound(one) != sound(other)
