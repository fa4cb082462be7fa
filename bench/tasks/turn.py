"""What tasks have in common: random ordinals, and work that goes on for a fixed time."""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Callable, Iterable
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


def checksum(read: Callable[[int], bytes], count: int, checked: int = CHECKED) -> int | None:
    """The checksum of evenly spaced payloads; None if the tool gives decoded records instead."""
    found = 0
    for ordinal in range(0, count, max(1, count // checked)):
        payload = read(ordinal)
        if not isinstance(payload, bytes):
            return None
        found = zlib.crc32(payload, found)
    return found
