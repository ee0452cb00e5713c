"""FarmHash64 (``farmhashna::Hash64``) of up to 16 bytes: what a decimal integer takes."""

import struct

_MASK = (1 << 64) - 1
_K0, _K2 = 0xC3A5C85C97CB3127, 0x9AE16A3B2F90404F


def _rotated(value, count):
    return ((value >> count) | (value << (64 - count))) & _MASK


def _mixed(value):
    return value ^ (value >> 47)


def _pair(first, second, factor):
    one = _mixed(((first ^ second) * factor) & _MASK)
    other = _mixed(((second ^ one) * factor) & _MASK)
    return (other * factor) & _MASK


def fingerprint(data):
    """The hash of at most 16 bytes, as an unsigned 64-bit integer."""
    size = len(data)
    if size > 16:
        raise ValueError("expected at most 16 bytes; received %d" % size)
    factor = (_K2 + size * 2) & _MASK
    if size >= 8:
        first = (struct.unpack("<Q", data[:8])[0] + _K2) & _MASK
        last = struct.unpack("<Q", data[-8:])[0]
        one = (_rotated(last, 37) * factor + first) & _MASK
        other = ((_rotated(first, 25) + last) * factor) & _MASK
        return _pair(one, other, factor)
    if size >= 4:
        first, last = struct.unpack("<I", data[:4])[0], struct.unpack("<I", data[-4:])[0]
        return _pair((size + (first << 3)) & _MASK, last, factor)
    if size:
        first, middle, last = data[0], data[size >> 1], data[-1]
        one, other = first + (middle << 8), size + (last << 2)
        return (_mixed(((one * _K2) & _MASK) ^ ((other * _K0) & _MASK)) * _K2) & _MASK
    return _K2
