"""What tasks have in common: random ordinals, and work that goes on for a fixed time."""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

CHECKED = 100  # records whose checksum is the answer

Item = TypeVar("Item")


def ordinals(count: int, amount: int) -> list[int]:
    """Random ordinals below `count`, the same for every tool."""
    drawn = random.Random(1)
    return [drawn.randrange(count) for _ in range(amount)]


def rate(pieces: Iterable[Item], work: Callable[[Item], int], seconds: float) -> float:
    """Works on one piece after the other until the time is over. Returns the sum of the results of `work`, per
    second."""
    done = 0
    begin = time.perf_counter()
    for piece in pieces:
        done += work(piece)
        if (elapsed := time.perf_counter() - begin) >= seconds:
            break
    else:
        elapsed = time.perf_counter() - begin
    return done / elapsed


def crc_of(payloads: Iterable[bytes]) -> int | None:
    """The checksum of the payloads, in order; None if the tool returns decoded records only."""
    found = 0
    for payload in payloads:
        if not isinstance(payload, bytes):
            return None
        found = zlib.crc32(payload, found)
    return found


def checksum_at_once(read: Callable[[list[int]], Sequence[bytes]], count: int) -> list[int] | None:
    """The number of payloads that were read at once, descending and some of them twice, and their checksum."""
    ordinals = [*range(count - 1, -1, -max(1, count // CHECKED)), 0, count - 1, 0]
    payloads = list(read(ordinals))
    crc = crc_of(payloads)
    return None if crc is None else [len(payloads), crc]


def checksum(read: Callable[[int], bytes], count: int, checked: int = CHECKED) -> int | None:
    """The checksum of evenly spaced payloads; None if the tool gives decoded records instead."""
    return crc_of(read(ordinal) for ordinal in range(0, count, max(1, count // checked)))
