"""A file by path or by address, as a local file with what is known of where it came from.

A download that was cut short, by the publisher or by our own end, goes on where it stopped when it is asked for again,
where the publisher says that the file is still the same.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import IO
from urllib.parse import unquote, urlsplit

import httpx

from land.errors import FileMissing, SourceUnavailable, UnreadableFile

MAX_REDIRECTS = 5
TRIES = 3
"""For a download that is cut short: each goes on where the one before stopped."""
_OK, _PARTIAL, _RANGE_REFUSED = 200, 206, 416
_GONE = (404, 410)


@dataclass(frozen=True)
class Limits:
    """What one download may take."""

    max_bytes: int = 8 * 1024**3
    """The national BAN file is 0.7 GiB gzipped and 4 GiB plain; more than twice that is a mistake."""
    connect_s: float = 5.0
    read_s: float = 30.0
    """Without a byte."""
    total_s: float | None = None


@dataclass(frozen=True)
class Fetched:
    path: Path
    name: str
    """The file's own name."""
    edition_hint: str
    """From what its edition may be told: the name, or path and query of the address that redirects led to."""
    url: str
    retrieved_at: str
    """When land had it: the end of the download, or the opening of a local file, whose own date says nothing of it."""


Progress = Callable[[int, int | None], None]
"""Told of bytes done, and of all bytes where known."""


@contextlib.contextmanager
def fetched(
    location: str, folder: Path, limits: Limits | None = None, progress: Progress = lambda done, total: None
) -> Iterator[Fetched]:
    """Opens a path, or downloads an http(s) address into `folder`, from where it is removed again.

    Raises SourceUnavailable where the publisher does not answer with the file (FileMissing where it has none), and
    UnreadableFile where there is no such path.
    """
    if not is_address(location):
        path = Path(location)
        if not path.is_file():
            raise UnreadableFile(f"{location}: no such file")
        yield Fetched(path, path.name, path.name, path.name, _now())
        return
    folder.mkdir(parents=True, exist_ok=True)
    with _claimed(location, folder) as part:
        final = _Download(location, part, limits or Limits(), progress).run()
        now = _now()
        try:
            parts = urlsplit(final)
            name = unquote(parts.path.rsplit("/", 1)[-1])
            yield Fetched(part.path, name, f"{parts.path}?{parts.query}", final, now)
        finally:
            part.remove()


def is_address(location: str) -> bool:
    """Whether it is downloaded; else it is a path."""
    return location.startswith(("http://", "https://"))


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def forget_parts(folder: Path, older_than_s: float) -> None:
    """Removes what downloads left behind that nobody has asked for again since."""
    for path in folder.glob("download-*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > older_than_s:
                path.unlink()


class _Part:
    """What is on disk of one download."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self.file = file
        self._notes = path.with_suffix(".json")

    @property
    def size(self) -> int:
        return os.fstat(self.file.fileno()).st_size

    def validator(self) -> str:
        """What the publisher said the file can be known by; empty where the download begins from its start."""
        try:
            return str(json.loads(self._notes.read_text("utf-8"))["validator"]) if self.size else ""
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def start_over(self, validator: str) -> None:
        self.file.truncate(0)
        if validator:
            self._notes.write_text(json.dumps({"validator": validator}), "utf-8")
        else:
            self._notes.unlink(missing_ok=True)

    def remove(self) -> None:
        self._notes.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


@contextlib.contextmanager
def _claimed(url: str, folder: Path) -> Iterator[_Part]:
    """The address's own part, held until the end; one of this call alone while another process has that."""
    name = f"download-{hashlib.blake2b(url.encode(), digest_size=12).hexdigest()}"
    shared = folder / f"{name}.part"
    with shared.open("ab") as file:
        if _is_ours(file, shared):
            part = _Part(shared, file)
            try:
                yield part
            finally:
                if not part.validator():  # nothing could go on from it
                    part.remove()
            return
    private = folder / f"{name}-{secrets.token_hex(6)}.part"
    with private.open("xb") as file:
        part = _Part(private, file)
        try:
            yield part
        finally:
            part.remove()


def _is_ours(file: IO[bytes], path: Path) -> bool:
    """Takes the lock on the file where nobody has it, and it is still the one of this path."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except (BlockingIOError, FileNotFoundError):
        return False


class _Download:
    """Brings one address into its part."""

    def __init__(self, url: str, part: _Part, limits: Limits, progress: Progress) -> None:
        self._url = url
        self._part = part
        self._limits = limits
        self._progress = progress
        self._ends = None if limits.total_s is None else time.monotonic() + limits.total_s

    def run(self) -> str:
        """Downloads to the end. Returns the address that redirects led to."""
        timeout = httpx.Timeout(self._limits.read_s, connect=self._limits.connect_s)
        # What is neither gzip nor plain would reach the readers as it came.
        headers = {"accept-encoding": "gzip", "user-agent": "landpartner"}
        with httpx.Client(timeout=timeout, headers=headers, verify=_tls()) as client:
            for last_try in (*[False] * (TRIES - 1), True):
                before = self._part.size
                try:
                    return self._once(client)
                except httpx.TransportError as error:  # an answer shorter than it said it would be is one, too
                    self._part.file.flush()
                    has_grown = self._part.size > before
                    if last_try or not has_grown or not self._part.validator():
                        reason = f"cut short after {self._part.size} bytes" if has_grown else type(error).__name__
                        raise SourceUnavailable(f"{self._url}: {reason}") from error
                except httpx.HTTPError as error:
                    raise SourceUnavailable(f"{self._url}: {type(error).__name__}") from error
        raise AssertionError("the last try returns or raises")

    def _once(self, client: httpx.Client) -> str:
        with self._opened(client) as response:
            if response.status_code == _RANGE_REFUSED and self._is_complete(response):
                return str(response.url)
            if response.status_code == _PARTIAL and self._continues(response):
                self._save(response)
                return str(response.url)
            if response.status_code == _OK:
                self._part.start_over(_validator(response))
                self._save(response)
                return str(response.url)
        if self._part.size and response.status_code in (_PARTIAL, _RANGE_REFUSED):  # not what we have the start of
            self._part.start_over("")
            return self._once(client)
        if response.status_code in _GONE:
            raise FileMissing(f"{self._url}: answered {response.status_code}")
        raise SourceUnavailable(f"{self._url}: answered {response.status_code}")

    @contextlib.contextmanager
    def _opened(self, client: httpx.Client) -> Iterator[httpx.Response]:
        """The answer at the end of redirects, which may lead to other hosts but not from https to http."""
        url = httpx.URL(self._url)
        validator = self._part.validator()
        resume = {"range": f"bytes={self._part.size}-", "if-range": validator} if validator else {}
        for _ in range(MAX_REDIRECTS + 1):
            with client.stream("GET", url, headers=resume) as response:
                if not response.has_redirect_location:
                    yield response
                    return
                following = url.join(response.headers["location"])
            if following.scheme not in ("http", "https") or (url.scheme == "https" and following.scheme != "https"):
                raise SourceUnavailable(f"{self._url}: redirected to {following.scheme}, which is refused")
            url = following
        raise SourceUnavailable(f"{self._url}: redirected more than {MAX_REDIRECTS} times")

    def _continues(self, response: httpx.Response) -> bool:
        return str(response.headers.get("content-range", "")).startswith(f"bytes {self._part.size}-")

    def _is_complete(self, response: httpx.Response) -> bool:
        """Nothing comes after what we have: we were ended between the download and the load."""
        return bool(response.headers.get("content-range") == f"bytes */{self._part.size}")

    def _save(self, response: httpx.Response) -> None:
        start = self._part.size
        length = response.headers.get("content-length", "")
        total = start + int(length) if length.isdigit() else None
        done = start
        if total is not None and total > self._limits.max_bytes:
            raise SourceUnavailable(f"{self._url}: {total} bytes, more than {self._limits.max_bytes}")
        for chunk in response.iter_raw():
            done += len(chunk)
            if done > self._limits.max_bytes:
                self._part.start_over("")
                raise SourceUnavailable(f"{self._url}: larger than {self._limits.max_bytes} bytes")
            self._part.file.write(chunk)
            self._progress(done, total)
            if self._ends is not None and time.monotonic() > self._ends:
                self._part.file.flush()
                raise SourceUnavailable(f"{self._url}: not whole after {self._limits.total_s:.0f} s")
        self._part.file.flush()


@cache
def _tls() -> ssl.SSLContext:
    """Made once: reading all certificates takes longer than a small download."""
    return httpx.create_ssl_context()


def _validator(response: httpx.Response) -> str:
    """A strong ETag, else the date of the last change; without either a part cannot be told from another edition's."""
    etag = str(response.headers.get("etag", ""))
    return etag if etag.startswith('"') else str(response.headers.get("last-modified", ""))
