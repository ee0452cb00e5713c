"""How host and worker talk: JSON frames in a pipe, arrays in a shared file.

A frame is a 4-byte little-endian length and that many bytes of JSON. Arrays
travel in a memory-mapped file, one per direction, created by the host in a
shared-memory filesystem where there is one, unlinked at once and inherited by
the worker as a descriptor: nothing is left behind however either side dies.
Inside a message an array stands as ``{"$array": [dtype, shape, offset]}`` and a
float that JSON lacks as ``{"$float": "nan" | "inf" | "-inf"}``.
"""

import json
import mmap
import os
import struct

import numpy as np

_LENGTH = struct.Struct("<I")
#: No honest header is longer; a longer one means the stream is corrupt.
MAX_FRAME = 256 * 1024 * 1024
_ALIGN = 64


class ProtocolError(Exception):
    """The other side sent something that is not a frame."""


def _allocate(descriptor, size):
    """Make room in the file, or raise ``OSError``.

    Not by ``ftruncate`` where it can be helped: that promises room which a full
    filesystem does not have, and the first write kills the process (SIGBUS).
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
    else:
        os.ftruncate(descriptor, size)


class Arena(object):
    """Arrays in a shared file. Written by one side, read by the other.

    The bytes of a message are valid until its writer packs the next one, so a
    reader that keeps an array must copy it.
    """

    def __init__(self, descriptor):
        self._descriptor = descriptor
        self._map = None
        self._size = 0

    def _reserve(self, size, writing):
        if size <= self._size:
            return
        actual = os.fstat(self._descriptor).st_size
        if actual < size:
            if not writing:
                raise ProtocolError(
                    "array file has %d bytes; the message speaks of %d" % (actual, size)
                )
            actual = max(size, 2 * self._size, 1 << 16)
            _allocate(self._descriptor, actual)
        if self._map is not None:
            try:
                self._map.close()
            except BufferError:  # a view of the old map is still alive; it keeps it
                pass
        self._map = mmap.mmap(self._descriptor, actual)
        self._size = actual

    def pack(self, message):
        """JSON bytes for ``message``, its arrays written to the file."""
        arrays = []
        used = [0]

        def encode(value):
            if isinstance(value, np.ndarray):
                array = np.ascontiguousarray(value).reshape(value.shape)
                offset = used[0]
                used[0] += -(-array.nbytes // _ALIGN) * _ALIGN
                arrays.append((offset, array))
                return {"$array": [array.dtype.str, list(array.shape), offset]}
            if isinstance(value, dict):
                return {key: encode(item) for key, item in value.items()}
            if isinstance(value, (list, tuple)):
                return [encode(item) for item in value]
            if isinstance(value, float):
                if value != value:
                    return {"$float": "nan"}
                if value in (float("inf"), float("-inf")):
                    return {"$float": "inf" if value > 0 else "-inf"}
            return value

        encoded = encode(message)
        self._reserve(used[0], writing=True)
        for offset, array in arrays:
            if array.nbytes:
                target = np.frombuffer(self._map, array.dtype, array.size, offset)
                target[...] = array.reshape(-1)
                del target
        payload = json.dumps(encoded, separators=(",", ":")).encode("utf-8")
        return _LENGTH.pack(len(payload)) + payload

    def unpack(self, payload):
        """The message of JSON bytes; arrays are copied out of the file."""

        def decode(value):
            if isinstance(value, dict):
                if len(value) == 1:
                    if "$array" in value:
                        return self._read(*value["$array"])
                    if "$float" in value:
                        return float(value["$float"])
                return {key: decode(item) for key, item in value.items()}
            if isinstance(value, list):
                return [decode(item) for item in value]
            return value

        try:
            return decode(json.loads(payload.decode("utf-8")))
        # NumPy parses the name of a type as Python if it begins like a list of fields.
        except (ValueError, TypeError, OverflowError, RecursionError, SyntaxError) as error:
            raise ProtocolError("not a message: %s" % error) from error

    def _read(self, dtype, shape, offset):
        dtype = np.dtype(str(dtype))
        count = 1
        for size in shape:
            if not isinstance(size, int) or size < 0:
                raise ValueError("%r is not the size of an axis" % (size,))
            count *= size
        if count == 0:
            return np.zeros(shape, dtype=dtype)
        self._reserve(offset + count * dtype.itemsize, writing=False)
        flat = np.frombuffer(self._map, dtype=dtype, count=count, offset=offset)
        return flat.reshape(shape).copy()


class FrameReader(object):
    """Collects bytes until a frame is whole."""

    def __init__(self):
        self._buffer = bytearray()

    def feed(self, data):
        """Add bytes that arrived."""
        self._buffer += data

    def frame(self):
        """The next whole payload, or None."""
        if len(self._buffer) < _LENGTH.size:
            return None
        end = _LENGTH.size + _checked_length(bytes(self._buffer[: _LENGTH.size]))
        if len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        return payload


def read_frame(descriptor):
    """The next payload of a blocking pipe, or None at its end.

    Takes not a byte more than the frame, so that frames may follow each other closely.
    """
    header = _read_exactly(descriptor, _LENGTH.size)
    if header is None:
        return None
    return _read_exactly(descriptor, _checked_length(header))


def _read_exactly(descriptor, size):
    """That many bytes, or None if the pipe ends before."""
    data = bytearray()
    while len(data) < size:
        part = os.read(descriptor, min(size - len(data), 1 << 20))
        if not part:
            return None
        data += part
    return bytes(data)


def _checked_length(header):
    (length,) = _LENGTH.unpack(header)
    if length > MAX_FRAME:
        raise ProtocolError("frame of %d bytes; the largest is %d" % (length, MAX_FRAME))
    return length


def write_all(descriptor, data):
    """Write every byte to a blocking pipe."""
    view = memoryview(data)
    while len(view):
        view = view[os.write(descriptor, view) :]
