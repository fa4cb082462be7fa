"""Compressed streams of every variant: deflate by Python's zlib, headers and trailers by hand (RFC 1950, 1951, 1952).
"""

from __future__ import annotations

import functools
import random
import struct
import zlib
from collections.abc import Callable
from typing import Any

from e2e.samples import KINDS
from oracle import messages, records

GZIP = "gzip"
ZLIB = "zlib"
DEFLATE = "deflate"

_BARE = -15  # zlib's wbits: no header, no trailer, a window of 32 KiB


def deflate(
    data: bytes,
    level: int = 6,
    strategy: int = zlib.Z_DEFAULT_STRATEGY,
    flush: int = zlib.Z_NO_FLUSH,
    every: int = 1000,
    memory: int = 8,
) -> bytes:
    """A bare deflate stream, flushed with mode `flush` after each `every` bytes. A low `memory` gives small blocks."""
    stream = zlib.compressobj(level, zlib.DEFLATED, _BARE, memory, strategy)
    if flush == zlib.Z_NO_FLUSH:
        return stream.compress(data) + stream.flush()
    parts = [stream.compress(data[at : at + every]) + stream.flush(flush) for at in range(0, len(data), every)]
    return b"".join(parts) + stream.flush()


def inflate_what_is_there(deflated: bytes) -> bytes:
    """The inflated bytes of a bare deflate stream that may be truncated."""
    return zlib.decompressobj(_BARE).decompress(deflated)


def gzip_header(
    extra: bytes | None = None, name: bytes | None = None, comment: bytes | None = None, checked: bool = False
) -> bytes:
    """The header of a gzip member with the given optional fields; `checked` adds its CRC16."""
    flags = 2 * checked | 4 * (extra is not None) | 8 * (name is not None) | 16 * (comment is not None)
    header = bytes([0x1F, 0x8B, 8, flags]) + struct.pack("<I", 1_500_000_000) + bytes([0, 3])
    if extra is not None:
        header += struct.pack("<H", len(extra)) + extra
    for text in (name, comment):
        if text is not None:
            header += text + b"\0"
    return header + (struct.pack("<H", zlib.crc32(header) & 0xFFFF) if checked else b"")


def gzip_trailer(data: bytes) -> bytes:
    return struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)


def zlib_trailer(data: bytes) -> bytes:
    return struct.pack(">I", zlib.adler32(data))


def gzip_member(data: bytes, header: bytes | None = None, **how: Any) -> bytes:
    return (gzip_header() if header is None else header) + deflate(data, **how) + gzip_trailer(data)


def zlib_stream(data: bytes, **how: Any) -> bytes:
    return HEADER[ZLIB] + deflate(data, **how) + zlib_trailer(data)


HEADER = {GZIP: gzip_header(), ZLIB: b"\x78\x9c", DEFLATE: b""}
COMPRESS: dict[str, Callable[..., bytes]] = {GZIP: gzip_member, ZLIB: zlib_stream, DEFLATE: deflate}

# A bare deflate stream has no header that identifies it.
OPTIONS: dict[str, tuple[str, ...]] = {GZIP: (), ZLIB: (), DEFLATE: ("--compression", DEFLATE)}


def framed(some: list[bytes], framing: str = records.TFRECORD) -> bytes:
    return b"".join(map(records.FRAME[framing], some))


@functools.cache
def many_payloads(framing: str = records.TFRECORD, count: int = 6000) -> list[bytes]:
    """Messages of 6 MiB in all, with int64, float and bytes features. Deflate shrinks them to little over half."""
    source = random.Random(1)
    return [
        messages.encode(
            KINDS[framing],
            {
                "label": ("int64", [number % 17]),
                "score": ("float", [number / 7]),
                "word": ("bytes", [source.randbytes(number % 9).hex().encode()]),
                "image": ("bytes", [source.randbytes(500).hex().encode()]),
            },
        )
        for number in range(count)
    ]


@functools.cache
def many_bytes(framing: str = records.TFRECORD) -> bytes:
    return framed(many_payloads(framing), framing)
