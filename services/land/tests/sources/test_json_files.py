"""Reading JSON one value at a time gives the same values as parsing the whole text, and refuses other texts."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from land.errors import UnreadableFile
from land.sources import json_files
from land.sources.files import BUFFER_SIZE
from land.sources.json_files import FEATURES_CHARS, JsonReader, open_json, read_feature_collection

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18) + 1, 10**18 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.json"


def items(path: Path, content: bytes) -> list[Any]:
    path.write_bytes(content)
    with open_json(path, "a file") as text:
        pairs = list(text.items())
        text.end()
    return pairs


def members(path: Path, content: bytes) -> list[tuple[str, Any]]:
    path.write_bytes(content)
    with open_json(path, "a file") as text:
        members = [(name, text.value()) for name in text.members()]
        text.end()
    return members


@settings(suppress_health_check=list(HealthCheck), derandomize=True)
@given(values=st.lists(VALUES, max_size=5), indent=st.sampled_from([None, 0, 2]), is_ascii=st.booleans())
def test_items_equal_those_of_the_parsed_text(values: list[Any], indent: int | None, *, is_ascii: bool) -> None:
    content = json.dumps(values, indent=indent, ensure_ascii=is_ascii).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_files, "BUFFER_SIZE", 7)
        text = JsonReader(io.BufferedReader(io.BytesIO(content)), "a file")
        assert list(text.items()) == values
        text.end()


def test_members_come_in_order_and_lists_item_by_item(path: Path) -> None:
    assert members(path, b' {"a": 1 , "b" : [], "c": {"b": null}, "b": "x"}\n') == [
        ("a", 1), ("b", []), ("c", {"b": None}), ("b", "x"),
    ]  # fmt: skip
    assert members(path, b"{ }") == []


@pytest.mark.parametrize("over", [-2, -1, 0, 1, 2])
def test_a_value_may_end_anywhere_in_a_buffer(path: Path, over: int) -> None:
    blank = b" " * (BUFFER_SIZE + over)
    assert items(path, b"[" + blank + b"12" + blank + b",34]" + blank) == [12, 34]
    for start in range(BUFFER_SIZE - 4, BUFFER_SIZE + 1):
        assert items(path, b"[" + b" " * start + b"123456]") == [123456]


@pytest.mark.parametrize(
    "content",
    [
        b"[1", b"[1,", b"[1,]", b"[,1]", b"[1 2]", b"[1]x", b"[1][2]", b"[01]", b"[NaN]", b"[Infinity]", b"[/* */1]",
        b"['a']", b'["a\nb"]', b'["a', b'["\\x"]', b"[" + b"9" * 19 + b"]", b"[" + b"9" * 5_000 + b"]", b"1", b" ",
        b'{"a": 1}',
    ],
)  # fmt: skip
def test_text_that_is_not_a_json_list_is_refused(path: Path, content: bytes) -> None:
    with pytest.raises(UnreadableFile, match="a file: truncated or damaged JSON: "):
        items(path, content)


@pytest.mark.parametrize("content", [b'{"a"', b'{"a":', b'{"a":1', b'{"a":1,}', b"{a:1}", b"{1:1}", b'{"a" 1}', b"[]"])
def test_text_that_is_not_a_json_object_is_refused(path: Path, content: bytes) -> None:
    with pytest.raises(UnreadableFile, match="a file: truncated or damaged JSON: "):
        members(path, content)


def test_text_that_is_not_utf_8_is_refused(path: Path) -> None:
    for content in (b'["caf\xe9"]', b'["caf\xc3'):
        with pytest.raises(UnreadableFile, match="not UTF-8"):
            items(path, content)


def test_deep_nesting_is_refused_and_takes_no_memory(path: Path) -> None:
    with pytest.raises(UnreadableFile, match="nested too deeply"):
        items(path, b"[" * 300_000 + b"]" * 300_000)


def test_an_endless_value_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "MAX_VALUE_CHARS", 1_000_000)
    content = json.dumps(["a" * 900_000, "b" * 900_000]).encode()
    assert [len(item) for item in items(path, content)] == [900_000, 900_000]
    with pytest.raises(UnreadableFile, match="Unterminated string"):
        items(path, b'["' + b"a" * 4_000_000 + b'"]')


def test_a_lone_surrogate_becomes_a_question_mark(path: Path) -> None:
    content = rb'["\ud800 \uDE00x", {"\ud83d\ude00": ["\ud83d"]}, "\ud83d\ude00"]'
    assert items(path, content) == ["? ?x", {"😀": ["?"]}, "😀"]


def test_a_gzip_truncated_after_its_last_value_is_refused(path: Path) -> None:
    with pytest.raises(UnreadableFile, match="truncated"):
        items(path, gzip.compress(b"[1, 2]")[:-4])


def feature(value: Any) -> str:
    return json.dumps({"type": "Feature", "value": value}, separators=(",", ":"))


@settings(suppress_health_check=list(HealthCheck), derandomize=True)
@given(values=st.lists(VALUES, max_size=8), space=st.sampled_from(["", "\n", " \r\n\t"]))
def test_features_that_are_parsed_together_equal_those_of_the_parsed_text(values: list[Any], space: str) -> None:
    content = f"[{f',{space}'.join(map(feature, values))}]"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_files, "BUFFER_SIZE", 100)
        text = JsonReader(io.BufferedReader(io.BytesIO(content.encode())), "a file")
        assert list(text.items()) == json.loads(content)
        text.end()


@pytest.mark.parametrize("inner", [[1, {"type": "Feature", "of": []}], '{"type":"Feature",', ["],[", "]"]])
def test_a_feature_inside_a_value_divides_nothing(path: Path, inner: Any) -> None:
    features = [feature(inner), feature(1), feature([inner, inner]), feature(inner)]
    assert items(path, f"[{','.join(features)}]".encode()) == [json.loads(text) for text in features]


def test_a_feature_larger_than_those_parsed_together_is_read(path: Path) -> None:
    features = [feature(1), feature("a" * 2 * FEATURES_CHARS), feature(2), feature(3)]
    assert items(path, f"[{','.join(features)}]".encode()) == [json.loads(text) for text in features]


def test_only_the_list_of_features_is_divided(path: Path) -> None:
    path.write_text(f'{{"features":[{feature(1)}],"others":[2,{feature(3)}],"type":"FeatureCollection"}}')
    assert list(read_feature_collection(path, "a file")) == [{"type": "Feature", "value": 1}]


@pytest.mark.parametrize("value", ["9" * 19, "01", "NaN", "tru", '"a\nb"', "1,", "[1", "1]", '"\\x"'])
def test_a_damaged_feature_between_others_is_refused(path: Path, value: str) -> None:
    damaged = '{"type":"Feature","value":' + value + "}"
    with pytest.raises(UnreadableFile, match="a file: truncated or damaged JSON: "):
        items(path, f"[{feature(1)},{damaged},{feature(2)},{feature(3)}]".encode())


def test_a_lone_surrogate_between_features_becomes_a_question_mark(path: Path) -> None:
    content = b'[{"type":"Feature","value":"\\ud800"},' + ",".join(map(feature, "abc")).encode() + b"]"
    assert [item["value"] for item in items(path, content)] == ["?", "a", "b", "c"]


@pytest.mark.parametrize(
    "content", [b'{"type": "FeatureCollection"}', b'{"type": "FeatureCollection", "features": null}', b'{"error": "x"}']
)
def test_an_object_without_features_is_no_empty_list(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match="not a GeoJSON FeatureCollection"):
        list(read_feature_collection(path, "a file"))
