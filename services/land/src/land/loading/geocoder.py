"""Looks up the commune of an address in the national geocoding service. Off by default: it sends the address to IGN.

Service: https://geoservices.ign.fr/documentation/services/services-geoplateforme/geocodage. Only the commune of the
answer is used. The address is then resolved over the loaded data.
"""

import json
import logging
from functools import lru_cache

import httpx

from land.loading.publisher_calls import Breakers, read_answer
from land.sources.values import is_commune_code

log = logging.getLogger(__name__)

TIMEOUT_S = 2.0
"""The longest time without a byte."""
TOTAL_S = 4.0
MIN_SCORE = 0.5
MAX_CACHED = 10_000
MAX_TEXT = 200
MAX_ANSWER_BYTES = 256 * 1024


class _NoAnswer(Exception):
    """The service does not answer, or failed too often to be asked."""


class NationalGeocoder:
    """Caches answers without expiry and evicts the least recently used. Safe for threads."""

    def __init__(self, base: str, breakers: Breakers) -> None:
        self._url = f"{base.rstrip('/')}/search"
        self._breakers = breakers
        self._answer = lru_cache(MAX_CACHED)(self._ask)

    def commune_of(self, text: str) -> str:
        """The commune code of the best result; empty if there is none, or if the service does not answer."""
        text = " ".join(text.split())[:MAX_TEXT]
        try:
            return self._answer(text) if text else ""
        except _NoAnswer:
            return ""

    def _ask(self, text: str) -> str:
        """Raises _NoAnswer, which is not cached."""
        if not self._breakers.allows(self._url):
            raise _NoAnswer
        try:
            code = self._request(text)
        except (httpx.HTTPError, ValueError, LookupError, TypeError) as error:
            self._breakers.failed(self._url)
            log.warning("the national geocoder did not answer", extra={"reason": type(error).__name__})
            raise _NoAnswer from error
        self._breakers.succeeded(self._url)
        return code

    def _request(self, text: str) -> str:
        """Raises httpx.HTTPError, and ValueError, LookupError or TypeError for a malformed answer."""
        query = {"q": text, "limit": "1"}
        content = read_answer(
            "GET", self._url, max_bytes=MAX_ANSWER_BYTES, total_s=TOTAL_S, params=query, timeout=TIMEOUT_S
        )
        features = json.loads(content)["features"]
        if not features or features[0]["properties"]["score"] < MIN_SCORE:
            return ""
        code = str(features[0]["properties"]["citycode"])
        return code if is_commune_code(code) else ""
