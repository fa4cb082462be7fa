"""Reads and writes TFRecord and OFRecord files with struct alone: an independent reader to compare the command with.

Framing, little-endian: TFRecord is u64 length, u32 masked CRC32C of the length bytes, payload, u32 masked CRC32C of the
payload; OFRecord is u64 length, payload. Every function here holds the whole file in memory, and is only for tests.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

_MASK_DELTA = 0xA282EAD8
_REFLECTED_CASTAGNOLI = 0x82F63B78

TFRECORD = "tfrecord"
OFRECORD = "ofrecord"

# The reasons that the command gives for a byte range without records.
TORN_TAIL = "torn_tail"
BAD_LENGTH = "bad_length"
BAD_LENGTH_CRC = "bad_length_crc"
ZERO_HEAD = "zero_head"

# The longest record whose missing end counts as an interrupted write: the maximum of a file if a checksum covers the
# length, otherwise that of a message.
_LONGEST = {TFRECORD: 2**63 - 1, OFRECORD: 2**31 - 1}


@dataclass(frozen=True)
class Record:
    """One record: the byte at which its framing begins, its payload, and whether the payload's checksum holds."""

    offset: int
    payload: bytes
    sound: bool = True


@dataclass(frozen=True)
class Damage:
    """The byte range [begin, end) of a file, which holds no record."""

    begin: int
    end: int
    reason: str


@dataclass
class Walk:
    """The result of a walk over one file, in file order."""

    records: list[Record] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)

    @property
    def payloads(self) -> list[bytes]:
        return [record.payload for record in self.records]


def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (_REFLECTED_CASTAGNOLI if byte & 1 else 0)
        table.append(byte)
    return table


_CRC_TABLE = _crc_table()


def crc32c(data: bytes) -> int:
    """CRC32C (Castagnoli) of `data`; about 10 MB/s."""
    table = _CRC_TABLE
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    """The checksum as TFRecord stores it: rotated right by 15 bits, plus a constant."""
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & 0xFFFFFFFF


def tfrecord_header(length: int) -> bytes:
    """The 12 bytes before a payload of `length` bytes, with the right checksum."""
    prefix = struct.pack("<Q", length)
    return prefix + struct.pack("<I", masked_crc32c(prefix))


def ofrecord_header(length: int) -> bytes:
    """The 8 bytes before a payload of `length` bytes."""
    return struct.pack("<Q", length)


def frame_tfrecord(payload: bytes) -> bytes:
    return tfrecord_header(len(payload)) + payload + struct.pack("<I", masked_crc32c(payload))


def frame_ofrecord(payload: bytes) -> bytes:
    return ofrecord_header(len(payload)) + payload


HEADER: dict[str, Callable[[int], bytes]] = {TFRECORD: tfrecord_header, OFRECORD: ofrecord_header}
FOOTER_BYTES = {TFRECORD: 4, OFRECORD: 0}
FRAME: dict[str, Callable[[bytes], bytes]] = {TFRECORD: frame_tfrecord, OFRECORD: frame_ofrecord}


def write_tfrecord(path: Path, payloads: Iterable[bytes]) -> None:
    path.write_bytes(b"".join(map(frame_tfrecord, payloads)))


def write_ofrecord(path: Path, payloads: Iterable[bytes]) -> None:
    path.write_bytes(b"".join(map(frame_ofrecord, payloads)))


WRITE: dict[str, Callable[[Path, Iterable[bytes]], None]] = {TFRECORD: write_tfrecord, OFRECORD: write_ofrecord}


def _zero_from(data: bytes, offset: int) -> bool:
    return data.count(0, offset) == len(data) - offset


def _length_if_sound(data: bytes, offset: int) -> int | None:
    """The length in the TFRecord header at `offset`, or None if there is no room for a header or its checksum is wrong.
    """
    if len(data) - offset < 12:
        return None
    length, crc = struct.unpack_from("<QI", data, offset)
    return length if masked_crc32c(data[offset : offset + 8]) == crc else None


def _tfrecord_at(data: bytes, offset: int, length: int) -> Record | None:
    """The record at `offset`, or None if fewer bytes are left than `length` and the footer."""
    begin = offset + 12
    if length > len(data) - begin - 4:
        return None
    payload = data[begin : begin + length]
    (crc,) = struct.unpack_from("<I", data, begin + length)
    return Record(offset, payload, masked_crc32c(payload) == crc)


def _resync(data: bytes, offset: int) -> int:
    """The first byte after `offset` at which a record with two correct checksums begins, or the size of the file."""
    for candidate in range(offset + 1, len(data) - 15):
        length = _length_if_sound(data, candidate)
        if length is not None:
            record = _tfrecord_at(data, candidate, length)
            if record is not None and record.sound:
                return candidate
    return len(data)


def _cut_short(framing: str, offset: int, size: int, length: int | None) -> Damage:
    """The damage from `offset` to the end: an incomplete header (`length` None), zeros, or a length past the end."""
    return Damage(offset, size, BAD_LENGTH if length is not None and length > _LONGEST[framing] else TORN_TAIL)


def walk_tfrecord(data: bytes) -> Walk:
    """Every record of a TFRecord file, whatever the checksum of its payload, and the ranges without records.

    The walk stops at an incomplete header, at a truncated body, and where only zeros remain. If the length checksum of
    a header is wrong otherwise, the walk goes on at the next record with two correct checksums.
    """
    walk = Walk()
    offset = 0
    while offset < len(data):
        length = _length_if_sound(data, offset)
        if length is None and len(data) - offset >= 12 and not _zero_from(data, offset):
            end = _resync(data, offset)
            walk.damage.append(Damage(offset, end, BAD_LENGTH_CRC))
            offset = end
            continue
        record = None if length is None else _tfrecord_at(data, offset, length)
        if record is None:
            walk.damage.append(_cut_short(TFRECORD, offset, len(data), length))
            break
        walk.records.append(record)
        offset += 16 + len(record.payload)
    return walk


def walk_ofrecord(data: bytes) -> Walk:
    """Every record of an OFRecord file up to the first byte at which none begins; nothing after that byte can be found.

    Zeros to the end are a torn tail, and 16 or more at the front a lost head, not sequences of empty records.
    """
    walk = Walk()
    zeros = len(data) - len(data.lstrip(b"\0"))
    offset = zeros // 8 * 8 if 16 <= zeros < len(data) else 0
    if offset:
        walk.damage.append(Damage(0, offset, ZERO_HEAD))
    while offset < len(data):
        length: int | None = struct.unpack_from("<Q", data, offset)[0] if len(data) - offset >= 8 else None
        if length is None or length > len(data) - offset - 8 or (length == 0 and _zero_from(data, offset)):
            walk.damage.append(_cut_short(OFRECORD, offset, len(data), length))
            break
        walk.records.append(Record(offset, data[offset + 8 : offset + 8 + length]))
        offset += 8 + length
    return walk


WALK: dict[str, Callable[[bytes], Walk]] = {TFRECORD: walk_tfrecord, OFRECORD: walk_ofrecord}


def inflate(data: bytes) -> bytes:
    """The inflated content of a gzip or zlib file; the members of a gzip file are joined."""
    parts = []
    while data:
        stream = zlib.decompressobj(wbits=47)
        parts.append(stream.decompress(data) + stream.flush())
        data = stream.unused_data
    return b"".join(parts)
