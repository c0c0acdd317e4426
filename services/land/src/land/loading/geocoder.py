"""Asks the national geocoding service which commune an address lies in. It is told the address: off by default.

Service: https://geoservices.ign.fr/documentation/services/services-geoplateforme/geocodage. Only the commune is taken
from it; the address is then looked up in what is loaded, as any other.
"""

import json
import logging
from collections import OrderedDict
from threading import Lock

import httpx

from land.loading.breaker import Breakers
from land.sources.values import is_commune_code

log = logging.getLogger(__name__)

TIMEOUT_S = 2.0
MIN_SCORE = 0.5
MAX_REMEMBERED = 10_000
MAX_TEXT = 200
MAX_ANSWER_BYTES = 256 * 1024


class NationalGeocoder:
    """Safe for threads. Answers are remembered as long as the process lives, the least recently used forgotten."""

    def __init__(self, base: str, breakers: Breakers) -> None:
        self._url = f"{base.rstrip('/')}/search"
        self._breakers = breakers
        self._remembered: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def commune_of(self, text: str) -> str:
        """The code of the commune that the service finds the text in; empty where it finds none or does not answer."""
        text = " ".join(text.split())[:MAX_TEXT]
        if not text:
            return ""
        with self._lock:
            if text in self._remembered:
                self._remembered.move_to_end(text)
                return self._remembered[text]
        if not self._breakers.allows(self._url):
            return ""
        try:
            code = self._ask(text)
        except (httpx.HTTPError, ValueError, LookupError, TypeError) as error:
            self._breakers.failed(self._url)
            log.warning("the national geocoder did not answer", extra={"reason": type(error).__name__})
            return ""
        self._breakers.succeeded(self._url)
        with self._lock:
            self._remembered[text] = code
            if len(self._remembered) > MAX_REMEMBERED:
                self._remembered.popitem(last=False)
        return code

    def _ask(self, text: str) -> str:
        """Raises what a wrong answer leads to."""
        with httpx.stream("GET", self._url, params={"q": text, "limit": "1"}, timeout=TIMEOUT_S) as response:
            response.raise_for_status()
            content = b""
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > MAX_ANSWER_BYTES:
                    raise ValueError("too long an answer")
        features = json.loads(content)["features"]
        if not features or features[0]["properties"]["score"] < MIN_SCORE:
            return ""
        code = str(features[0]["properties"]["citycode"])
        return code if is_commune_code(code) else ""
