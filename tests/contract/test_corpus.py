"""The same requests get the same answers, embedded on SQLite and in Docker on PostGIS: those that are checked in."""

from typing import Any

import pytest

import corpus
from stacks import Compose, Embedded


def differences(answers: list[dict[str, Any]]) -> list[str]:
    expected = corpus.read_expected()
    return [
        f"{answer['name']}:\n  expected {expected.get(answer['name'])}\n  answered {answer}"
        for answer in answers
        if answer != expected.get(answer["name"])
    ]


def test_every_request_has_a_name_of_its_own_and_an_expected_answer() -> None:
    names = [request.name for request in corpus.read_requests()]
    assert len(names) == len(set(names))
    assert set(names) == set(corpus.read_expected())
    assert len(names) >= 200


def test_the_embedded_service_answers_as_expected(embedded: Embedded, request: pytest.FixtureRequest) -> None:
    answers = corpus.ask_all(embedded)
    if request.config.getoption("--record-corpus"):
        corpus.write_expected(answers)
    assert not differences(answers)


@pytest.mark.docker
def test_the_service_in_docker_answers_as_expected(compose: Compose) -> None:
    assert not differences(corpus.ask_all(compose))
