import os

from hypothesis import given
from hypothesis import strategies as st

from edge.metering.frames import MAX_PAYLOAD_BYTES, decode, encode
from landpartner.keys.v1 import keys_pb2
from servicekit.problem_codes import PROBLEMS

MAX_INT64 = 2**63 - 1
payloads = st.lists(st.binary(min_size=1, max_size=MAX_PAYLOAD_BYTES), max_size=20)


@given(payloads, st.integers(0, 5000))
def test_frames_before_zeros_are_decoded(written_payloads: list[bytes], zeros: int) -> None:
    data = b"".join(map(encode, written_payloads)) + bytes(zeros)
    assert [frame.payload for frame in decode(data)] == written_payloads


@given(payloads.filter(bool), st.data())
def test_only_a_torn_last_frame_is_lost(written_payloads: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(map(encode, written_payloads))
    last = len(encode(written_payloads[-1]))
    torn = whole[: len(whole) - data.draw(st.integers(1, last))]
    assert [frame.payload for frame in decode(torn)] == written_payloads[:-1]
    assert [frame.payload for frame in decode(torn + bytes(last))][: len(written_payloads) - 1] == written_payloads[:-1]


def test_frames_after_a_lost_page_are_decoded() -> None:
    written_payloads = [os.urandom(100) for _ in range(200)]
    data = bytearray(b"".join(map(encode, written_payloads)))
    data[4096:8192] = bytes(4096)
    decoded = [frame.payload for frame in decode(bytes(data))]
    assert [payload for payload in written_payloads if payload in decoded] == decoded
    assert len(decoded) >= 200 - 4096 // 108 - 2


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
    written_payloads = [bytes([length]) * length for length in range(1, 21)]
    data = b"".join(map(encode, written_payloads))
    third = list(decode(data))[2]
    assert [frame.payload for frame in decode(data[third.end :])] == written_payloads[3:]


def test_the_largest_outcome_fits_in_the_space_that_is_held_for_it() -> None:
    longest = max(PROBLEMS, key=len)
    outcome = keys_pb2.Outcome(
        event_id=bytes(16),
        reservation_id=bytes(16),
        key_id="k" * 8,
        endpoint="e" * 40,
        status=599,
        latency_us=MAX_INT64,
        input_tokens=MAX_INT64,
        output_tokens=MAX_INT64,
        occurred_at="2026-03-14T12:00:00.123456+00:00",
        assistant_use=keys_pb2.ASSISTANT_USE_UNKNOWN,
        request_id="r" * 128,
        code=longest,
        lines=keys_pb2.AnsweredLines(request_id=bytes(16), run=2**31 - 1, is_last=True),
    )
    assert len(encode(outcome.SerializeToString())) <= MAX_PAYLOAD_BYTES // 2
