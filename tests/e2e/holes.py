"""Record files that are large but take no space, on file systems with sparse files."""

from __future__ import annotations

import os
import unittest
from collections.abc import Iterable
from pathlib import Path

from oracle import records

MIB = 1 << 20


def write_with_holes(path: Path, framing: str, payloads: Iterable[bytes | int]) -> list[tuple[int, int]]:
    """Writes a record for each payload. A number stands for a payload of that many zeros, which is a hole.

    Returns the offset and payload length of each record. The checksum of a hole is zero, and therefore wrong.
    """
    places = []
    with open(path, "wb") as file:
        for payload in payloads:
            length = payload if isinstance(payload, int) else len(payload)
            places.append((file.tell(), length))
            if isinstance(payload, int):
                file.write(records.HEADER[framing](length))
                file.seek(length + records.FOOTER_BYTES[framing], os.SEEK_CUR)
            else:
                file.write(records.FRAME[framing](payload))
        file.truncate(file.tell())
    return places


def skip_without_holes(test: unittest.TestCase, folder: Path) -> None:
    """Skips `test` if the file system of `folder` does not support holes."""
    probe = folder / "probe"
    probe.touch()
    os.truncate(probe, 64 * MIB)
    taken_bytes = probe.stat().st_blocks * 512
    probe.unlink()
    if taken_bytes > MIB:
        test.skipTest(f"this file system has no sparse files: a hole of 64 MiB takes {taken_bytes} bytes")
