"""The same requests get the same answers, embedded on SQLite and in Docker on PostGIS: those that are checked in."""

from itertools import islice
from typing import Any

import pytest

import corpus
from stacks import Compose, Embedded

SHOWN_PER_REQUEST = 5


def assert_expected(answers: list[dict[str, Any]]) -> None:
    """Fails with each place where an answer is not the expected one, and both values."""
    expected = corpus.read_expected()
    differences = [
        f"{answer['name']} {place}"
        for answer in answers
        for place in islice(corpus.different_places(expected.get(answer["name"]), answer), SHOWN_PER_REQUEST)
    ]
    assert not differences, "\n" + "\n".join(differences)


def test_every_request_has_a_name_of_its_own_and_an_expected_answer() -> None:
    names = [request.name for request in corpus.read_requests()]
    assert len(names) == len(set(names))
    assert set(names) == set(corpus.read_expected())
    assert len(names) >= 200


def test_the_examples_of_the_description_are_expected_answers() -> None:
    assert corpus.read_examples() == corpus.examples(corpus.read_expected()), "make corpus writes them again"


def test_the_embedded_service_answers_as_expected(embedded: Embedded, request: pytest.FixtureRequest) -> None:
    answers = corpus.ask_all(embedded)
    if request.config.getoption("--record-corpus"):
        corpus.write_expected(answers)
        corpus.write_examples(corpus.read_expected())
    assert_expected(answers)


@pytest.mark.docker
def test_the_service_in_docker_answers_as_expected(compose: Compose) -> None:
    assert_expected(corpus.ask_all(compose))
