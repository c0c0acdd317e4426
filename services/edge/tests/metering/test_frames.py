import os

from hypothesis import given
from hypothesis import strategies as st

from edge.clients.keys import encode_outcome
from edge.metering.frames import MAX_PAYLOAD_BYTES, decode, encode
from edge.metering.outcomes import Outcome
from landpartner.keys.v1 import keys_pb2
from servicekit.problem_codes import PROBLEMS

MAX_INT64 = 2**63 - 1
payloads = st.lists(st.binary(min_size=1, max_size=MAX_PAYLOAD_BYTES), max_size=20)


@given(payloads, st.integers(0, 5000))
def test_frames_before_zeros_are_decoded(written: list[bytes], zeros: int) -> None:
    data = b"".join(map(encode, written)) + bytes(zeros)
    assert [frame.payload for frame in decode(data)] == written


@given(payloads.filter(bool), st.data())
def test_only_a_torn_last_frame_is_lost(written: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(map(encode, written))
    last = len(encode(written[-1]))
    torn = whole[: len(whole) - data.draw(st.integers(1, last))]
    assert [frame.payload for frame in decode(torn)] == written[:-1]
    assert [frame.payload for frame in decode(torn + bytes(last))][: len(written) - 1] == written[:-1]


def test_frames_after_a_lost_page_are_decoded() -> None:
    written = [os.urandom(100) for _ in range(200)]
    data = bytearray(b"".join(map(encode, written)))
    data[4096:8192] = bytes(4096)
    found = [frame.payload for frame in decode(bytes(data))]
    assert [payload for payload in written if payload in found] == found
    assert len(found) >= 200 - 4096 // 108 - 2


@given(st.integers(1, 4000), st.sampled_from([1, 255, 256, 512, 768, 1024]))
def test_a_frame_after_zeros_is_decoded(zeros: int, length: int) -> None:
    payload = b"\x01" * length
    assert [frame.payload for frame in decode(bytes(zeros) + encode(payload) + bytes(9))] == [payload]


def test_a_segment_of_zeros_with_a_frame_at_its_end_is_read_in_one_pass() -> None:
    assert [frame.payload for frame in decode(bytes(1 << 20) + encode(b"x"))] == [b"x"]


@given(st.binary(max_size=3000))
def test_garbage_raises_no_error(data: bytes) -> None:
    list(decode(data))


def test_decoding_can_continue_at_the_end_of_a_frame() -> None:
    written = [bytes([length]) * length for length in range(1, 21)]
    data = b"".join(map(encode, written))
    third = list(decode(data))[2]
    assert [frame.payload for frame in decode(data[third.end :])] == written[3:]


def test_the_largest_outcome_fits_in_the_space_that_is_held_for_it() -> None:
    longest = max(PROBLEMS, key=len)
    numbers = (599, MAX_INT64, MAX_INT64, MAX_INT64)
    outcome = Outcome(
        bytes(16), "k" * 8, "e" * 40, *numbers, "2026-03-14T12:00:00.123456+00:00", "unknown", "r" * 128, longest
    )
    assert len(encode(encode_outcome(outcome))) <= MAX_PAYLOAD_BYTES // 2


def test_an_outcome_of_an_earlier_version_has_no_request_id() -> None:
    written = bytes.fromhex("0a01011201021a046b6579312205757361676528c8013005")  # without fields 12 and 13
    read = keys_pb2.Outcome.FromString(written)
    assert (read.key_id, read.endpoint, read.status, read.request_id, read.code) == ("key1", "usage", 200, "", "")
