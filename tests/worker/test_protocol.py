"""Messages cross a real shared file unchanged; what is no message is said to be none."""

import contextlib
import json
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assay_worker.canonical import canonical_json, content_hash
from assay_worker.protocol import (
    MAX_FRAME,
    Arena,
    FrameReader,
    ProtocolError,
    read_frame,
    write_all,
)
from tests.strategies import arrays, floats, names, text

leaves = st.none() | st.booleans() | st.integers() | floats | text | arrays()
messages = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Arena, Arena]]:
    """Writer and reader of one file, each with its own descriptor."""
    path = tmp_path / "arrays"
    writer = os.open(path, os.O_RDWR | os.O_CREAT)
    reader = os.open(path, os.O_RDWR)
    yield Arena(writer), Arena(reader)
    os.close(writer)
    os.close(reader)


def payload_of(frame: bytes) -> bytes:
    reader = FrameReader()
    reader.feed(frame)
    payload = reader.frame()
    assert payload is not None
    assert reader.frame() is None
    return bytes(payload)


def same(first: Any, second: Any) -> bool:
    """Equal in type and bits; tuples are lists."""
    if isinstance(first, np.ndarray):
        return (
            isinstance(second, np.ndarray)
            and (first.dtype, first.shape) == (second.dtype, second.shape)
            and first.tobytes() == second.tobytes()
        )
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(first[k], second[k]) for k in first)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(same, first, second))
    return type(first) is type(second) and repr(first) == repr(second)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(message=messages)
def test_messages_cross_unchanged(pair: tuple[Arena, Arena], message: Any) -> None:
    writer, reader = pair
    assert same(message, reader.unpack(payload_of(writer.pack(message))))


def test_arrays_are_copied_out(pair: tuple[Arena, Arena]) -> None:
    writer, reader = pair
    first = reader.unpack(payload_of(writer.pack({"a": np.arange(5.0)})))
    writer.pack({"a": np.zeros(5)})
    assert first["a"].tolist() == [0, 1, 2, 3, 4]


def test_the_file_grows_and_older_arrays_stay(pair: tuple[Arena, Arena]) -> None:
    writer, reader = pair
    kept = []
    for size in (1, 10_000, 100, 300_000, 1_000_000, 3):
        array = np.arange(size, dtype="float64")
        received = reader.unpack(payload_of(writer.pack([array, -array])))
        kept.append((array, received))
    for array, (first, second) in kept:
        np.testing.assert_array_equal(first, array)
        np.testing.assert_array_equal(second, -array)


def test_views_and_fortran_order_cross_as_their_values(pair: tuple[Arena, Arena]) -> None:
    writer, reader = pair
    base = np.arange(24.0).reshape(2, 3, 4)
    views = [base[:, ::2], base.T, np.asfortranarray(base), base[..., ::-1]]
    for view, received in zip(views, reader.unpack(payload_of(writer.pack(views))), strict=True):
        np.testing.assert_array_equal(received, view)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"hello from a library that prints",
        b"[" * 200_000,
        b'{"$float": "much"}',
        b'{"$float": [1]}',
        b'{"$array": 3}',
        b'{"$array": ["<f4", [2]]}',
        b'{"$array": ["nonsense", [2], 0]}',
        b'{"$array": ["O", [1], 0]}',
        b'{"$array": ["V0", [1], 0]}',
        b'{"$array": ["<f4", [-1], 0]}',
        b'{"$array": ["<f4", [0, -1], 0]}',
        b'{"$array": ["<f4", [1.5], 0]}',
        b'{"$array": ["<f4", ["2"], 0]}',
        b'{"$array": ["<f4", [2], -64]}',
        b'{"$array": ["<f4", [2], "0"]}',
        b'{"$array": ["<f4", [1000000000000], 0]}',
        b'{"$array": ["<f4", [2], 1000000000000]}',
        b'{"$array": ["<f4", [0, 1000000000000000000000000000000], 0]}',
    ],
)
def test_what_is_no_message_is_a_protocol_error(pair: tuple[Arena, Arena], payload: bytes) -> None:
    writer, reader = pair
    writer.pack(np.zeros(4))
    with pytest.raises(ProtocolError):
        reader.unpack(payload)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(payload=st.binary(max_size=60))
def test_any_bytes_are_a_message_or_a_protocol_error(
    pair: tuple[Arena, Arena], payload: bytes
) -> None:
    try:
        pair[1].unpack(payload)
    except ProtocolError:
        return
    json.loads(payload)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(message=messages, flips=st.lists(st.integers(0, 10**6), min_size=1, max_size=3))
@example(message=np.array([], "int16"), flips=[700284])  # a type called ",i2"
def test_a_damaged_message_never_raises_anything_else(
    pair: tuple[Arena, Arena], message: Any, flips: list[int]
) -> None:
    writer, reader = pair
    payload = bytearray(payload_of(writer.pack(message)))
    for flip in flips:
        payload[flip % len(payload)] ^= 1 << flip % 7
    with contextlib.suppress(ProtocolError):
        reader.unpack(bytes(payload))


@given(st.lists(st.binary(max_size=40), max_size=6), st.integers(1, 9))
def test_frames_come_whole_however_bytes_arrive(payloads: list[bytes], piece: int) -> None:
    stream = b"".join(struct.pack("<I", len(payload)) + payload for payload in payloads)
    reader = FrameReader()
    received = []
    for start in range(0, len(stream), piece):
        reader.feed(stream[start : start + piece])
        while (payload := reader.frame()) is not None:
            received.append(payload)
    assert received == payloads


def test_a_length_beyond_reason_is_a_protocol_error() -> None:
    frame = struct.pack("<I", MAX_FRAME + 1)
    reader = FrameReader()
    reader.feed(frame)
    with pytest.raises(ProtocolError, match=f"frame of {MAX_FRAME + 1} bytes"):
        reader.frame()
    read, write = os.pipe()
    os.write(write, frame)
    with pytest.raises(ProtocolError, match="frame of"):
        read_frame(read)
    os.close(read)
    os.close(write)


def test_a_pipe_gives_frame_after_frame_and_then_its_end(pair: tuple[Arena, Arena]) -> None:
    writer, reader = pair
    read, write = os.pipe()
    sent = [{"n": 1}, {"text": "x" * 300_000}, [], {"n": 2}]

    def send() -> None:
        write_all(write, b"".join(writer.pack(message) for message in sent))
        os.close(write)

    sender = threading.Thread(target=send)  # a pipe holds less than the second message
    sender.start()
    received = []
    while (payload := read_frame(read)) is not None:
        received.append(reader.unpack(payload))
    sender.join()
    os.close(read)
    assert received == sent


def test_a_frame_cut_off_by_death_is_the_end() -> None:
    for part in (b"\x05", b"\x05\0\0\0ab"):
        read, write = os.pipe()
        os.write(write, part)
        os.close(write)
        assert read_frame(read) is None
        os.close(read)


_FILL = """
import os, sys
import numpy as np
from assay_worker.protocol import Arena
descriptor = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
try:
    Arena(descriptor).pack(np.zeros(1 << 20))
except OSError as error:
    sys.exit("OSError: %s" % error)
"""


def test_a_full_filesystem_is_an_error_and_not_a_death(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(tmp_path)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, timeout=30)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if done.returncode:
        pytest.skip(f"cannot mount a tmpfs here: {done.stderr.strip()}")
    try:
        done = subprocess.run(
            [sys.executable, "-c", _FILL, str(tmp_path / "arrays")], capture_output=True, text=True
        )
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True, timeout=30)
    assert done.returncode == 1, f"killed by signal {-done.returncode}"
    assert "No space left" in done.stderr


def test_canonical_json_has_one_form() -> None:
    assert canonical_json({"b": [1.0, None], "a": "é"}) == '{"a":"\\u00e9","b":[1.0,null]}'
    assert content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json(float("nan"))
