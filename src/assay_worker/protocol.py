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
                raise ProtocolError("array file has %d bytes; the message speaks of %d" % (actual, size))
            actual = max(size, 2 * self._size, 1 << 16)
            os.ftruncate(self._descriptor, actual)
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
                target = np.frombuffer(self._map, dtype=array.dtype, count=array.size, offset=offset)
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
        except (ValueError, TypeError) as error:
            raise ProtocolError("not a message: %s" % error)

    def _read(self, dtype, shape, offset):
        dtype = np.dtype(str(dtype))
        count = 1
        for size in shape:
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
        (length,) = _LENGTH.unpack_from(bytes(self._buffer[: _LENGTH.size]))
        if length > MAX_FRAME:
            raise ProtocolError("frame of %d bytes; the largest is %d" % (length, MAX_FRAME))
        end = _LENGTH.size + length
        if len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        return payload


def read_frame(descriptor):
    """The next payload of a blocking pipe, or None at its end."""
    reader = FrameReader()
    while True:
        payload = reader.frame()
        if payload is not None:
            return payload
        data = os.read(descriptor, 1 << 16)
        if not data:
            return None
        reader.feed(data)


def write_all(descriptor, data):
    """Write every byte to a blocking pipe."""
    view = memoryview(data)
    while len(view):
        view = view[os.write(descriptor, view) :]
