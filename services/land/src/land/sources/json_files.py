"""JSON and GeoJSON files of any size, read one value at a time in bounded memory."""

import codecs
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Never

import orjson

from land.errors import UnreadableFile
from land.sources.files import BUFFER_SIZE, open_bytes
from land.sources.values import check

MAX_VALUE_CHARS = 64 * 1024**2
"""The most of one item or member: the outline of a whole region is some megabytes."""
MAX_INTEGER_DIGITS = 18
"""Fits in 64 bits, as integer columns do."""
FEATURES_CHARS = 1 << 14
"""Characters of features that are parsed together. The garbage collector visits the values of more several times."""
_SPACE = " \t\r\n"
_SURROGATES = ("\\ud", "\\uD")
_FEATURE = '{"type":"Feature",'
"""The first characters of each feature in the files of the cadastre. In JSON, a string cannot contain them."""
_AS_ZEROS = bytes(ord("0") if chr(byte).isdigit() else byte for byte in range(128)) + bytes(range(128, 256))
_TOO_MANY_DIGITS = b"0" * (MAX_INTEGER_DIGITS + 1)


def _integer(text: str) -> int:
    check(len(text.lstrip("-")) <= MAX_INTEGER_DIGITS, "an integer that is too long")
    return int(text)


def _refuse(constant: str) -> Never:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_int=_integer, parse_constant=_refuse)


@contextmanager
def open_json(path: Path, file: str) -> Iterator["JsonReader"]:
    """Opens a plain or gzipped file; `file` is its name in messages. Raises UnreadableFile as `open_bytes`."""
    with open_bytes(path, file) as content:
        yield JsonReader(content, file)


def read_feature_collection(path: Path, file: str) -> Iterator[Any]:
    """The features of a plain or gzipped GeoJSON FeatureCollection, which may be empty.

    Raises UnreadableFile, at the latest at the end: truncated, damaged, or not a FeatureCollection.
    """
    kind, has_list, has_features = None, False, False
    with open_json(path, file) as reader:
        if reader.peek() != "{":
            raise UnreadableFile(f"{file}: not a GeoJSON FeatureCollection")
        for name in reader.members():
            if name == "features" and reader.peek() == "[":
                has_list = True
                for feature in reader.items():
                    has_features = True
                    yield feature
            elif name == "type":
                kind = reader.value()
            else:
                reader.value()
        reader.end()
    if not has_list or (not has_features and kind != "FeatureCollection"):
        raise UnreadableFile(f"{file}: not a GeoJSON FeatureCollection")


def geometry_of(feature: Any) -> Any:
    """The feature's geometry as published; None if it has none."""
    return feature.get("geometry") if isinstance(feature, dict) else None


class JsonReader:
    """Reads a JSON text from its beginning to its end. It holds the current value and at most as much again.

    Every method raises UnreadableFile if the text is truncated, is not JSON, or has a too large value.
    """

    def __init__(self, content: io.BufferedReader, file: str) -> None:
        self._content = content
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._has_surrogates = False
        self._is_plain = True
        """Whether features of the buffer may be left that can be read together."""

    def peek(self) -> str:
        """The next character that is not white space, without reading it; empty at the end."""
        while True:
            mark = self._text[self._at : self._at + 1]
            if mark and mark not in _SPACE:
                return mark
            self._at += len(mark)
            if not mark and not self._read_more():
                return ""

    def value(self) -> Any:
        """Reads the next value."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                self._refuse("nested too deeply")
            except ValueError as error:
                if not self._read_more():
                    self._refuse(error.msg if isinstance(error, json.JSONDecodeError) else str(error))
                continue
            if end >= len(self._text) - len("e+") and self._read_more():
                continue  # a number may continue after the buffer, even right after "." or "e"
            self._at = end
            return _without_surrogates(value) if self._has_surrogates else value

    def values(self) -> Iterator[Any]:
        """Reads all values that follow one after the other."""
        while self.peek():
            yield self.value()

    def items(self) -> Iterator[Any]:
        """Reads the values of the next list."""
        self._skip("[")
        if self._skip_if("]"):
            return
        while True:
            while values := self._complete_features():
                yield from values
            yield self.value()
            if not self._continues("]"):
                return

    def members(self) -> Iterator[str]:
        """The names of the next object's members. The caller reads the value after each name."""
        self._skip("{")
        if self._skip_if("}"):
            return
        while True:
            if self.peek() != '"':
                self._refuse("expected a name")
            name: str = self.value()
            self._skip(":")
            yield name
            if not self._continues("}"):
                return

    def end(self) -> None:
        """Checks that only white space is left."""
        if self.peek():
            self._refuse("something after its end")

    def _complete_features(self) -> list[Any]:
        """Reads the next values at once if they end before a feature. This takes half as long as one by one.

        Returns none if no feature follows in the buffer, or if one of the values needs `value`: the parser accepts no
        lone surrogates, and makes floats of integers that are too long.
        """
        end = self._text.rfind(_FEATURE, self._at + 1, self._at + FEATURES_CHARS) if self._is_plain else -1
        values = self._text[self._at : end].rstrip(_SPACE).encode() if end > 0 else b""
        if not values.endswith(b","):
            return []
        self._is_plain = _TOO_MANY_DIGITS not in values.translate(_AS_ZEROS)
        try:
            features: list[Any] = orjson.loads(b"[%b]" % values[:-1]) if self._is_plain else []
        except orjson.JSONDecodeError:
            self._is_plain, features = False, []
        self._at = end if self._is_plain else self._at
        return features

    def _skip_if(self, mark: str) -> bool:
        """Reads the mark if it is next. Returns whether it was."""
        is_next = self.peek() == mark
        self._at += is_next
        return is_next

    def _skip(self, mark: str) -> None:
        if not self._skip_if(mark):
            self._refuse(f"expected {mark}")

    def _continues(self, end: str) -> bool:
        """Reads a comma or the end mark. Returns whether it was a comma."""
        mark = self.peek()
        if mark not in (",", end):
            self._refuse(f"expected , or {end}")
        self._at += 1
        return mark == ","

    def _read_more(self) -> bool:
        """Doubles the unread text: a fixed step would decode a long value from its beginning for each buffer. Returns
        False at the end, and if a value becomes too large.
        """
        unread = self._text[self._at :]
        if len(unread) > MAX_VALUE_CHARS:
            return False
        content = self._content.read(max(BUFFER_SIZE, len(unread)))
        more = self._decoder.decode(content, final=not content)
        if not content:
            return False
        self._text, self._at, self._is_plain = unread + more, 0, True
        self._has_surrogates = any(mark in self._text for mark in _SURROGATES)
        return True

    def _refuse(self, reason: str) -> Never:
        raise UnreadableFile(f"{self._file}: truncated or damaged JSON: {reason}")


def _without_surrogates(value: Any) -> Any:
    """Replaces lone surrogates by `?`: JSON can contain them, databases cannot."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
