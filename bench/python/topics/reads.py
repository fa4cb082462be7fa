"""Reads of one record by its ordinal, and of 1,024 records at once, compared with other stores of the same records."""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Callable
from functools import partial

import numpy as np

import peers
import records
from settings import Settings
from side import Take, Turn
from table import Job, Row, a_second, row_of
from turns import Side, by_turns

MANY = 1024
CHECKED = 1000  # records whose checksum both sides report


def drawn(count: int) -> Callable[[int], list[int]]:
    """A function that draws ordinals below `count`, as Python integers."""
    random = np.random.default_rng(0)
    return lambda amount: random.integers(count, size=amount).tolist()


def turns_of(count: int, amount: int, read: Callable[[list[int]], None], one: Callable[[int], bytes]) -> Take:
    """A turn reads `amount` random records."""
    draw = drawn(count)

    def take(check: bool) -> Turn:
        found = zlib.crc32(b"".join(map(one, range(0, count, count // CHECKED)))) if check else None
        ids = draw(amount)
        begin = time.perf_counter()
        read(ids)
        return amount, time.perf_counter() - begin, found

    return take


def ours_one(settings: Settings) -> Take:
    import ours

    data = ours.built(records.small(settings).folder)

    def read(ids: list[int]) -> None:
        for i in ids:
            data[i]

    return turns_of(len(data), 200_000, read, data.__getitem__)


def lmdb(settings: Settings) -> Take:
    count, get = peers.lmdb(records.small(settings))
    key = struct.Struct(">Q").pack

    def read(ids: list[int]) -> None:
        for i in ids:
            get(key(i))

    return turns_of(count, 200_000, read, lambda i: get(key(i)))


def lmdb_keys_ready(settings: Settings) -> Take:
    """LMDB with keys made before the clock starts."""
    count, get = peers.lmdb(records.small(settings))
    key = struct.Struct(">Q").pack
    draw = drawn(count)

    def take(check: bool) -> Turn:
        keys = [key(i) for i in draw(200_000)]
        begin = time.perf_counter()
        for ready in keys:
            get(ready)
        return len(keys), time.perf_counter() - begin, None

    return take


def hugging_face_one(settings: Settings) -> Take:
    data = peers.hugging_face(records.small(settings))

    def read(ids: list[int]) -> None:
        for i in ids:
            data[i]

    return turns_of(len(data), 10_000, read, lambda i: data[i]["record"])


def in_batches(read: Callable[[list[int]], object]) -> Callable[[list[int]], None]:
    def read_all(ids: list[int]) -> None:
        for at in range(0, len(ids), MANY):
            read(ids[at : at + MANY])

    return read_all


def ours_many(settings: Settings) -> Take:
    import ours

    data = ours.built(records.small(settings).folder)
    return turns_of(len(data), 400 * MANY, in_batches(data.__getitems__), lambda i: data.__getitems__([i])[0])


def array_record(settings: Settings) -> Take:
    data = peers.array_record(records.small(settings))
    return turns_of(len(data), 20 * MANY, in_batches(data.__getitems__), data.__getitem__)


def hugging_face_many(settings: Settings) -> Take:
    data = peers.hugging_face(records.small(settings))
    return turns_of(len(data), 40 * MANY, in_batches(data.__getitems__), lambda i: data[i]["record"])


def compared(settings: Settings, name: str, ours: Callable, theirs: Callable, at_least: float | None) -> Row:
    ratio = by_turns(Side.python("ours", ours, settings), [Side.python("theirs", theirs, settings)])
    return row_of(name, ratio, at_least, a_second("rec"))


GET = (
    ("ds[i] / lmdb get", ours_one, lmdb, 2),
    ("ds[i] / lmdb get, keys made beforehand", ours_one, lmdb_keys_ready, None),
    ("ds[i] / datasets ds[i]", ours_one, hugging_face_one, 20),
)
GETITEMS = (
    ("ds.__getitems__(1024) / ArrayRecord", ours_many, array_record, 25),
    ("ds.__getitems__(1024) / datasets", ours_many, hugging_face_many, 8),
)


def get(settings: Settings) -> list[Job]:
    return [Job(row[0], partial(compared, settings, *row)) for row in GET]


def getitems(settings: Settings) -> list[Job]:
    return [Job(row[0], partial(compared, settings, *row)) for row in GETITEMS]
