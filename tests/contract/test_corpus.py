"""The requests of the corpus get the expected answers from the embedded service on SQLite.

tests/e2e/test_compose.py does the same in Docker on PostGIS.
"""

import pytest

import corpus
from stacks import Embedded


def test_every_request_has_a_unique_name_and_an_expected_answer() -> None:
    names = [request.name for request in corpus.read_requests()]
    assert len(names) == len(set(names))
    assert set(names) == set(corpus.read_expected())
    assert len(names) >= 200


def test_the_examples_of_the_description_are_expected_answers() -> None:
    assert corpus.read_examples() == corpus.examples(corpus.read_expected()), "run make corpus"


def test_the_embedded_service_answers_as_expected(embedded: Embedded, request: pytest.FixtureRequest) -> None:
    answers = corpus.ask_all(embedded)
    if request.config.getoption("--record-corpus"):
        corpus.write_expected(answers)
        corpus.write_examples(corpus.read_expected())
    corpus.assert_expected(answers)
