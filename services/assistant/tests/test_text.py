"""Splitting text into sentences."""

import pytest

from assistant.text import split_sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Une phrase. Une autre ! Et une troisième ? Oui.", 4),
        ("Voir le Code civil, art. L682. Puis la suite.", 2),
        ("La surface est de 12.5 m². Elle suffit.", 2),
        ("- un point\n- un autre\n\n### Titre\n", 3),
        ("sans point final", 1),
        ("", 0),
    ],
)
def test_joined_sentences_are_the_text(text: str, count: int) -> None:
    sentences = split_sentences(text)
    assert "".join(sentences) == text
    assert len(sentences) == count
