"""How well one word can be a slip for another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from land.addresses.slips import likeness

words = st.text("abcdefghijklmnopqrstuvwxyz0123456789", max_size=30)


@pytest.mark.parametrize(
    ("slip", "other_word", "word"),
    [
        ("fkeurs", "fteurs", "fleurs"),
        ("asint", "agint", "saint"),
        ("poissonnniers", "poissonkniers", "poissonniers"),
        ("fleuts", "flouts", "fleurs"),
        ("d0udeauville", "dzudeauville", "doudeauville"),
    ],
)
def test_what_fingers_and_scanners_do_is_likelier_than_another_letter(slip: str, other_word: str, word: str) -> None:
    assert likeness(slip, word) > likeness(other_word, word)


@pytest.mark.parametrize(("one", "other"), [("nancy", "lancry"), ("henner", "helder"), ("ecosse", "ecoles")])
def test_other_letters_count_more_than_edits(one: str, other: str) -> None:
    assert likeness(one, other) < OSA.normalized_similarity(one, other)


@given(words, words)
def test_a_likeness_is_a_share_and_whole_for_the_same_word_alone(one: str, other: str) -> None:
    assert 0.0 <= likeness(one, other) <= 1.0
    assert (likeness(one, other) == 1.0) == (one == other)
