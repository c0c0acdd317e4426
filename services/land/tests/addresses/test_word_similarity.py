"""Edit similarity and phonetic keys of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from land.addresses.word_similarity import edit_similarity, phonetic_key

words = st.text("abcdefghijklmnopqrstuvwxyz0123456789", max_size=30)


@pytest.mark.parametrize(
    ("error", "other_word", "word"),
    [
        ("fkeurs", "fteurs", "fleurs"),
        ("asint", "agint", "saint"),
        ("poissonnniers", "poissonkniers", "poissonniers"),
        ("fleuts", "flouts", "fleurs"),
        ("d0udeauville", "dzudeauville", "doudeauville"),
    ],
)
def test_typing_and_scanning_errors_cost_less_than_another_letter(error: str, other_word: str, word: str) -> None:
    assert edit_similarity(error, word) > edit_similarity(other_word, word)


@pytest.mark.parametrize(("one", "other"), [("nancy", "lancry"), ("henner", "helder"), ("ecosse", "ecoles")])
def test_other_letters_cost_more_than_one_edit(one: str, other: str) -> None:
    assert edit_similarity(one, other) < OSA.normalized_similarity(one, other)


@given(words, words)
def test_edit_similarity_is_a_ratio_and_1_for_the_same_word_only(one: str, other: str) -> None:
    assert 0.0 <= edit_similarity(one, other) <= 1.0
    assert (edit_similarity(one, other) == 1.0) == (one == other)


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
def test_words_that_sound_the_same_have_one_key(one: str, other: str) -> None:
    assert phonetic_key(one) == phonetic_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("maur", "moret"), ("moulins", "moulinet"), ("lagny", "langy"), ("martin", "marlin"), ("8", "eight")],
)
def test_words_that_sound_different_have_two_keys(one: str, other: str) -> None:
    assert phonetic_key(one) != phonetic_key(other)
