"""Asks Géorisques one question at a time, within its limits. Logs name no place and no token."""

import json
import logging
import time
from collections.abc import Sequence
from http import HTTPStatus
from typing import NamedTuple

import httpx

from land.datasets.risks.questions import MAX_ROWS, QUESTIONS, Page, Question, answer_of, parameters, read_page
from land.datasets.risks.records import RiskAnswer
from land.loading.publisher_calls import Breakers, Turns, read_answer, tls
from servicekit.clock import utc_now
from servicekit.errors import expect

log = logging.getLogger(__name__)

CONNECT_S, READ_S = 2.0, 4.0
CALL_S = 6.0
"""The longest time of one call, its connection included."""
ATTEMPTS = 2
"""The service times out now and then."""
MAX_PAGES = 5
MAX_PAUSE_S = 5.0
"""The longest time that a call waits for its turn."""
MAX_ANSWER_BYTES = 4 * 1024**2
REFUSAL_S = 3600.0
"""How long a refused token is not used."""
_WITH_CHOICE = {question.subject for question in QUESTIONS.values() if question.needs_token}
_QUESTIONS = {
    has_token: [
        question
        for question in QUESTIONS.values()
        if question.needs_token == (has_token and question.subject in _WITH_CHOICE)
    ]
    for has_token in (False, True)
}
"""The questions with a token, and without one."""
_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class Lookup(NamedTuple):
    """A question about one place."""

    place: str
    question: str
    point: tuple[float, float] = (0.0, 0.0)
    """Longitude and latitude inside a parcel."""
    radius_m: int = 0


class LookupFailed(Exception):
    """The publisher gave no answer. Its text is a reason of `land.units.risks`."""


class Georisques:
    """Safe for threads."""

    def __init__(
        self,
        base: str,
        token: str | None,
        breakers: Breakers,
        turns: Turns,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Version 1 is asked if there is no token. `transport` replaces the network."""
        self._base = base.rstrip("/")
        self._token = token
        self._breakers = breakers
        self._turns = turns
        self._client = httpx.Client(
            timeout=httpx.Timeout(READ_S, connect=CONNECT_S),
            headers={"user-agent": "landpartner"},
            transport=transport,
            verify=tls(),
        )
        self._refused_until = -REFUSAL_S

    @property
    def has_refused_token(self) -> bool:
        return self._token is not None and time.monotonic() < self._refused_until

    @property
    def questions(self) -> Sequence[Question]:
        """What is asked: of two questions with one subject, the one for which there is a token, or the other."""
        return _QUESTIONS[self._token is not None and not self.has_refused_token]

    def answer(self, lookup: Lookup) -> RiskAnswer:
        """Raises LookupFailed."""
        question = QUESTIONS[lookup.question]
        url = f"{self._base}/{question.path}"
        if not self._breakers.allows(url):
            raise LookupFailed("source_unavailable")
        try:
            answer = self._answer(question, url, lookup)
        except LookupFailed:
            self._breakers.succeeded(url)
            raise
        except (httpx.HTTPError, ValueError) as error:
            (self._breakers.succeeded if _is_of_one_question(error) else self._breakers.failed)(url)
            reason = str(error) if type(error) is ValueError else type(error).__name__
            log.warning("Géorisques gave no answer", extra={"question": question.name, "reason": reason})
            raise LookupFailed("source_unavailable") from error
        self._breakers.succeeded(url)
        return answer

    def close(self) -> None:
        self._client.close()

    def _answer(self, question: Question, url: str, lookup: Lookup) -> RiskAnswer:
        """Raises LookupFailed, httpx.HTTPError, and ValueError for an answer that is not as documented."""
        rows, total = [], 0
        for number in range(MAX_PAGES):
            query = parameters(question, lookup.place, lookup.point, lookup.radius_m, number)
            page = read_page(question, self._body(url, query, question))
            rows += page.rows
            total = page.total
            if not page.rows or len(rows) >= min(total, MAX_ROWS):
                break
        return answer_of(question, lookup.place, Page(rows, total), utc_now())

    def _body(self, url: str, query: dict[str, str], question: Question) -> object:
        """The JSON of an answer; None for an answer of no bytes."""
        for attempt in range(1, ATTEMPTS + 1):
            time.sleep(expect(self._turns.take(MAX_PAUSE_S), LookupFailed("busy")))
            try:
                content = self._get(url, query, question)
                break
            except httpx.TransportError:
                if attempt == ATTEMPTS:
                    raise
        try:
            return json.loads(content) if content.strip() else None
        except RecursionError:
            raise ValueError("nested too deeply") from None

    def _get(self, url: str, query: dict[str, str], question: Question) -> bytes:
        """Raises LookupFailed if the publisher does not accept the token."""
        headers = {"authorization": f"Bearer {self._token}"} if question.needs_token else {}
        try:
            return read_answer(
                "GET",
                url,
                max_bytes=MAX_ANSWER_BYTES,
                total_s=CALL_S,
                client=self._client,
                params=query,
                headers=headers,
            )
        except RuntimeError:  # the client is closed: the service ends
            raise LookupFailed("busy") from None
        except httpx.HTTPStatusError as error:
            if not headers or error.response.status_code not in _REFUSED:
                raise
            self._refused_until = time.monotonic() + REFUSAL_S
            log.error("Géorisques refused the token: it is asked without one", extra={"question": question.name})
            raise LookupFailed("token_refused") from None


def _is_of_one_question(error: Exception) -> bool:
    """Whether the host works otherwise: it refused this request, and not for the number of requests."""
    return (
        isinstance(error, httpx.HTTPStatusError)
        and error.response.is_client_error
        and error.response.status_code != HTTPStatus.TOO_MANY_REQUESTS
    )
