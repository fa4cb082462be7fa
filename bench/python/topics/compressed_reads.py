"""One record of a large gzip file, compared with tools that seek in gzip."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable
from functools import cache, partial
from statistics import median

import numpy as np

import cache as page_cache
import peers
import zipped
from settings import Settings
from side import Take, Turn
from table import Job, Row, each, row_of
from turns import Rates, Side, rates_by_turns, ratio_of
from zipped import Zipped

READS = 240  # per turn, each timed by itself
READS_AFTER_ANOTHER = 40
TIMES = 100  # repeated reads of one record
SLOW_READS = 2  # with gzip, which inflates everything before the record
HEADER = 12  # bytes of a TFRecord before its payload
SPACING = 2 << 20  # bytes between two access points of indexed_gzip; ours are about as far apart
UNBUFFERED = {"buffer_size": 4096, "drop_handles": False}  # defaults: 8 MiB of read-ahead, reopened for each read

Read = Callable[[int], bytes]  # reads one record


def timed(read: Read, wanted: list[int], again: bool) -> list[float]:
    """The seconds of each read; with `again`, the mean of repeated reads of a record that was just read."""
    seconds = []
    for record in wanted:
        if again:
            read(record)
        begin = time.perf_counter()
        for _ in range(TIMES if again else 1):
            read(record)
        seconds.append((time.perf_counter() - begin) / (TIMES if again else 1))
    return seconds


def turns_of(data: Zipped, read: Read, again: bool, reads: int | None = None) -> Take:
    """A turn reads random records, and takes the time of its median read."""
    random = np.random.default_rng(0)
    found = zlib.crc32(b"".join(map(read, range(0, data.count, data.count // SLOW_READS))))

    def take(check: bool) -> Turn:
        wanted = random.integers(data.count, size=READS_AFTER_ANOTHER if again else READS).tolist()
        return 1, median(timed(read, wanted[:reads], again)), found if check else None

    return take


def places(data: Zipped) -> tuple[list[int], list[int]]:
    """Starts and sizes of the payloads."""
    import ofindex

    whole = ofindex.open(data.folder)
    return (whole.column("_offset") + HEADER).tolist(), whole.column("_length").tolist()


def seeking(data: Zipped, file: object, again: bool, reads: int | None = None) -> Take:
    """Turns of a file object that can seek in the inflated data."""
    begins, sizes = places(data)
    seek, take_bytes = file.seek, file.read

    def read(record: int) -> bytes:
        seek(begins[record])
        return take_bytes(sizes[record])

    return turns_of(data, read, again, reads)


def ours(settings: Settings, again: bool) -> Take:
    """ofindex with a cache of one span, or with the default cache if the same record is read again."""
    import ofindex

    data = zipped.indexed(settings, 1)
    opened = ofindex.open(data.folder) if again else ofindex.open(data.folder, cache_bytes=1)
    return turns_of(data, opened.__getitem__, again)


def indexed_gzip(settings: Settings, again: bool, as_it_comes: bool) -> Take:
    import indexed_gzip

    data = zipped.indexed(settings, 1)
    options = {} if as_it_comes else UNBUFFERED
    index = str(peers.gzip_index(data.shards[0], SPACING))
    file = indexed_gzip.IndexedGzipFile(str(data.shards[0]), spacing=SPACING, index_file=index, **options)
    return seeking(data, file, again)


def rapidgzip(settings: Settings, again: bool, threads: int, spacing: int | None) -> Take:
    """rapidgzip with its own index, or, if there is a `spacing`, with that of indexed_gzip."""
    import rapidgzip

    data = zipped.indexed(settings, 1)
    file = rapidgzip.open(str(data.shards[0]), parallelization=threads)
    file.import_index(str(peers.gzip_index(data.shards[0], spacing)))
    return seeking(data, file, again)


def gzip_module(settings: Settings, again: bool) -> Take:
    data = zipped.indexed(settings, 1)
    return seeking(data, gzip.open(data.shards[0]), again, SLOW_READS)


@cache
def read_rates(settings: Settings, again: bool) -> dict[str, Rates]:
    """The rates of ofindex, and of all configurations of each peer."""
    ways = {
        "ofindex": [(ours,)],
        "indexed_gzip": [(indexed_gzip, as_it_comes) for as_it_comes in (True, False)],
        "rapidgzip": [(rapidgzip, *words) for words in ((2, None), (2, SPACING), (1, SPACING))],
    } | ({} if again else {"gzip": [(gzip_module,)]})
    sides = [
        (label, Side.python(label, side, settings, again, *words))
        for label, several in ways.items()
        for side, *words in several
    ]
    folder = zipped.made(settings, 1).folder
    rates = rates_by_turns([side for _, side in sides], lambda: page_cache.warm(folder))
    return {label: [some for (one, _), some in zip(sides, rates) if one == label] for label in ways}


def compared(settings: Settings, name: str, peer: str, again: bool) -> Row:
    rates = read_rates(settings, again)
    fastest = [max(several) for several in zip(*rates[peer])]
    return row_of(name, ratio_of(rates["ofindex"][0], fastest), None, each)


def jobs(settings: Settings) -> list[Job]:
    named = {
        f"ds[i] of 1 gzip shard, {what} / {peer}": (peer, again)
        for what, again, several in (
            ("span not there", False, ("indexed_gzip", "rapidgzip", "gzip")),
            ("span in the cache", True, ("indexed_gzip", "rapidgzip")),
        )
        for peer in several
    }
    return [Job(name, partial(compared, settings, name, *words)) for name, words in named.items()]
