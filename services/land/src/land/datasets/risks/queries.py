"""Answers of Géorisques by place and question."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import orjson
from sqlalchemy import Connection, Index, bindparam, delete, select, true

from land.datasets.facts import Fact, values_of
from land.datasets.partitions import DEMO_DEPARTMENT, Partition
from land.datasets.risks.records import RiskAnswer
from land.store.prepared import IN_COMMUNES, Prepared, any_of
from land.store.repository import Repository
from land.store.tables import dataset_load, table_of, upsert

risk_answer = table_of(
    RiskAnswer, "risk_answer", ["commune_code", "place", "question"], Index("risk_answer_retrieved", "retrieved_at")
)
ANSWERS = Repository(risk_answer, RiskAnswer, ["commune_code"])
_a = risk_answer.c
_AT_PLACES = (_a.commune_code.in_(IN_COMMUNES), _a.place.in_(any_of("places")))
_AGES = Prepared(select(_a.place, _a.question, _a.retrieved_at).where(*_AT_PLACES))

_OF_COMMUNE = ANSWERS.of_communes()


class AnswerAge(NamedTuple):
    """When a stored answer was given."""

    place: str
    question: str
    retrieved_at: str


def _places(places: Sequence[str]) -> dict[str, list[str]]:
    return {"communes": sorted({place[:5] for place in places}), "places": list(places)}


answers_about = ANSWERS.reading(
    Prepared(ANSWERS.select().where(*_AT_PLACES).order_by(_a.commune_code, _a.place, _a.question)), _places
)
"""All answers about these parcels and communes."""


def ages(connection: Connection, places: Sequence[str]) -> list[AnswerAge]:
    """When the answers about these parcels and communes were given."""
    return [AnswerAge(*row) for row in _AGES.rows(connection, _places(places))]


def put(connection: Connection, answers: Iterable[RiskAnswer]) -> None:
    """Stores the answers, and replaces earlier ones to the same questions."""
    connection.execute(upsert(connection, risk_answer), [answer._asdict() for answer in answers])


def retrieved_before(
    connection: Connection, instant: str, commune: str | None, department: str | None, after: AnswerAge, limit: int
) -> list[AnswerAge]:
    """Answers from before an instant, of all communes, of one or of a département, after a place and question."""
    is_next = (_a.place > after.place) | ((_a.place == after.place) & (_a.question > after.question))
    statement = select(_a.place, _a.question, _a.retrieved_at).where(
        is_next,
        _a.retrieved_at < instant,
        ~_a.commune_code.startswith(DEMO_DEPARTMENT),
        _a.commune_code == commune if commune else true(),
        _a.commune_code.startswith(department) if department else true(),
    )
    return [AnswerAge(*row) for row in connection.execute(statement.order_by(_a.place, _a.question).limit(limit))]


def forget(connection: Connection, dataset: str, instant: str) -> int:
    """Deletes answers from before an instant, except those of imported communes. Returns how many."""
    imported = select(dataset_load.c.partition).where(dataset_load.c.dataset == bindparam("dataset"))
    statement = delete(risk_answer).where(_a.retrieved_at < instant, _a.commune_code.not_in(imported))
    return connection.execute(statement, {"dataset": dataset}).rowcount


def facts(connection: Connection, _: str, partition: Partition, asked: Collection[RiskAnswer] = ()) -> Iterator[Fact]:
    """The answers about a commune and its parcels, or only those to the questions `asked` again."""
    keys = {(answer.place, answer.question) for answer in asked}
    for answer in ANSWERS.read(connection, _OF_COMMUNE, {"communes": [partition.code]}):
        if not keys or (answer.place, answer.question) in keys:
            value = values_of(answer, ("question", "status", "level", "label", "total"))
            value["findings"] = orjson.loads(answer.findings)
            yield Fact("risk", answer.question, value, answer.place)
