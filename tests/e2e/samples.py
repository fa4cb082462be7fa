"""Small datasets of decodable records, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from oracle import messages, records

KINDS = {records.TFRECORD: "example", records.OFRECORD: "ofrecord"}


def payload(number: int, framing: str = records.TFRECORD) -> bytes:
    """Message `number`, an Example for TFRecord files and an OFRecord for OFRecord files. Lengths vary."""
    image = bytes([number % 256, 0xFF]) * (number % 7 + 1)
    return messages.encode(KINDS[framing], {"label": ("int64", [number]), "image": ("bytes", [image])})


def payloads(count: int, framing: str = records.TFRECORD, first: int = 0) -> list[bytes]:
    return [payload(number, framing) for number in range(first, first + count)]


def write_parts(folder: Path, counts: Iterable[int], framing: str = records.TFRECORD) -> list[bytes]:
    """Writes `folder`/part-0, part-1, ... with the given numbers of records; returns all payloads in order."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[bytes] = []
    for part, count in enumerate(counts):
        part_payloads = payloads(count, framing, first=len(written))
        records.WRITE[framing](folder / f"part-{part}", part_payloads)
        written += part_payloads
    return written
