"""Recorded answers of Géorisques: JSON values one after the other, such as JSON lines.

Each is an object: `question` (a name of `georisques_questions`), `places` (parcel ids or commune codes), `retrieved_at`
(RFC 3339 UTC), and `body` (what the publisher answered, null for no bytes).
"""

import re
from pathlib import Path
from typing import Any

from land.datasets.risks.questions import QUESTIONS, answer_of, read_page
from land.datasets.risks.records import RiskAnswer
from land.sources.base import ALL, CommuneFilter, FileReader, ReadReport, Records
from land.sources.json_files import open_json
from land.sources.values import check, given, is_commune_code, is_date

_PARCEL = re.compile(r"[0-9AB]{2}[0-9]{6}[0-9A-Z]{2}[0-9]{4}")
_INSTANT = re.compile(r"[0-9-]{10}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


class RecordedAnswers(FileReader):
    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[RiskAnswer]:
        with open_json(path, report.file) as reader:
            for answers in report.parse(report.number(reader.values()), _answers):
                yield from selection.select(answers)


def _answers(item: Any) -> list[RiskAnswer]:
    """Raises ValueError naming the member that cannot be read."""
    match item:
        case {"question": str(name), "places": [*places], "retrieved_at": str(instant), "body": body}:
            pass
        case _:
            raise ValueError("not an object with question, places, retrieved_at and body")
    question = given(QUESTIONS.get(name), f"question: {name[:40]!r} is unknown")
    check(_INSTANT.fullmatch(instant) and is_date(instant[:10]), f"retrieved_at: {instant[:20]!r} is no instant")
    for place in places:
        is_known = isinstance(place, str) and (
            is_commune_code(place) if question.is_of_commune else _PARCEL.fullmatch(place)
        )
        check(is_known, f"places: {str(place)[:20]!r}")
    page = read_page(question, body)
    return [answer_of(question, place, page, instant) for place in places]
