"""Compressed shards inflated as a whole: built, and read for an epoch, compared with zcat and rapidgzip."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from functools import cache, partial
from importlib import resources
from itertools import islice
from pathlib import Path

import cache as page_cache
import ours
import zipped
from settings import BATCH, Settings
from side import Missing, Take, Turn
from table import Asked, Job, Row, a_second, row_of
from topics import compressed_reads
from turns import Rates, Side, rates_by_turns, ratio_of

SEVERAL = 8
AT_ONCE = 2  # threads or processes of each side
GLOBAL_BATCHES = 8


def asked(index: Path, query: str) -> int:
    """The single number that a query on the index returns."""
    with closing(sqlite3.connect(f"file:{index}?mode=ro", uri=True)) as database:
        return database.execute(query).fetchone()[0]


def ours_build(settings: Settings, shard_count: int) -> Take:
    """`ofindex build` with its defaults; a new index each turn."""
    data = zipped.made(settings, shard_count)
    size = data.inflated
    index = settings.made(f"{data.folder.name}-anew.ofidx")
    program = resources.files("ofindex") / "bin" / "ofindex"

    def take(check: bool) -> Turn:
        for path in (index, index.with_name(index.name + "-map")):
            path.unlink(missing_ok=True)
        begin = time.perf_counter()
        subprocess.run([program, "build", data.folder, "-o", index, "--quiet"], check=True)
        seconds = time.perf_counter() - begin
        return size, seconds, asked(index, "SELECT sum(inflated_bytes) FROM shard") if check else None

    return take


def running(size: int, commands: list[list[str]], told: bytes = b"") -> Take:
    """A turn runs the commands one after the other. Their output of `size` bytes is discarded, or counted in a
    check."""

    def take(check: bool) -> Turn:
        found = 0
        begin = time.perf_counter()
        for command in commands:
            output = subprocess.PIPE if check else subprocess.DEVNULL
            found += len(subprocess.run(command, input=told, stdout=output, check=True).stdout or b"")
        return size, time.perf_counter() - begin, found if check else None

    return take


def zcat(settings: Settings, shard_count: int) -> Take:
    data = zipped.made(settings, shard_count)
    return running(data.inflated, [["zcat", *map(str, data.shards)]])


def zcats(settings: Settings, shard_count: int) -> Take:
    """Several zcat processes at a time, each with one shard."""
    data = zipped.made(settings, shard_count)
    names = b"\0".join(map(os.fsencode, data.shards))
    return running(data.inflated, [["xargs", "-0", f"-P{AT_ONCE}", "-n1", "zcat"]], names)


def rapidgzip(settings: Settings, shard_count: int) -> Take:
    """One command per shard, since rapidgzip takes only one file. Without --force it inflates nothing to /dev/null."""
    data = zipped.made(settings, shard_count)
    program = Path(sys.executable).with_name("rapidgzip")
    if not program.exists():
        raise Missing(f"{program.name} is not there")
    return running(data.inflated, [[str(program), "-d", "-c", "-f", f"-P{AT_ONCE}", str(path)] for path in data.shards])


def ours_epoch(settings: Settings, block: str | None, batches: int | None) -> Take:
    """A turn opens the dataset with an empty cache, and reads an epoch, or only its first `batches` batches."""
    import ofindex.torch

    data = zipped.indexed(settings, SEVERAL)
    record_bytes = data.inflated / data.count
    features = {**ours.features(), "text": ofindex.fixed("bytes")}
    # The default; for a global shuffle a third of the data, so that not all of them stay in the cache.
    cache_bytes = 320 << 20 if block else data.inflated // 3
    epochs = 0

    def take(check: bool) -> Turn:
        nonlocal epochs
        count = 0
        begin = time.perf_counter()
        opened = ofindex.open(data.folder, cache_bytes=cache_bytes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the cost of a global shuffle
            order = opened.sampler(seed=epochs, block=block)
        loader = ofindex.torch.Loader(opened, features, batch_size=BATCH, sampler=order, threads=AT_ONCE)
        for batch in islice(loader, batches):
            count += len(batch["label"])
        seconds = time.perf_counter() - begin
        epochs += 1
        if count != min(data.count, data.count if batches is None else batches * BATCH):
            raise ValueError(f"{count} records of {data.count}")
        return count * record_bytes, seconds, None

    return take


@cache
def build_rates(settings: Settings, shard_count: int) -> Rates:
    folder = zipped.made(settings, shard_count).folder
    named = {"build": ours_build, "zcat": zcat} | ({"zcats": zcats} if shard_count > 1 else {})
    sides = [Side.python(label, side, settings, shard_count) for label, side in named.items()]
    return rates_by_turns(sides, lambda: page_cache.warm(folder))


@cache
def epoch_rates(settings: Settings) -> Rates:
    folder = zipped.made(settings, SEVERAL).folder
    peers = {"zcat": zcat, "zcats": zcats, "rapidgzip": rapidgzip}
    sides = [
        Side.python("Loader", ours_epoch, settings, "auto", None),
        *(Side.python(label, side, settings, SEVERAL) for label, side in peers.items()),
        Side.python("global", ours_epoch, settings, None, GLOBAL_BATCHES),
    ]
    return rates_by_turns(sides, lambda: page_cache.warm(folder))


def compared(rates: Callable[[], Rates], name: str, peer: int, at_least: float | None = None) -> Row:
    """Ours compared with one of the sides that were measured together."""
    measured = rates()
    return row_of(name, ratio_of(measured[0], measured[peer]), at_least, a_second("B"))


def checkpoints(settings: Settings, name: str, shard_count: int, copies: int, at_most: float | None = None) -> Row:
    data = zipped.indexed(settings, shard_count)
    taken = copies * asked(data.index, "SELECT sum(length(window)) FROM checkpoint")
    shown = [f"{number / 2**20:.3g} MiB" for number in (taken, data.size)]
    return Row(name, *shown, got=taken / data.size, asked=None if at_most is None else Asked(at_most, at_most=True))


def jobs(settings: Settings) -> list[Job]:
    several, one = (partial(build_rates, settings, count) for count in (SEVERAL, 1))
    epoch = partial(epoch_rates, settings)
    ratios = {
        "build, 8 gzip shards / zcat": (several, 1),
        "build, 8 gzip shards / zcat, 2 at a time": (several, 2),
        "build, 1 gzip shard / zcat": (one, 1),
        "gzip epoch in blocks, Loader / zcat": (epoch, 1, 1.5),
        "gzip epoch in blocks, Loader / zcat, 2 at a time": (epoch, 2),
        "gzip epoch in blocks, Loader / rapidgzip -P2": (epoch, 3),
        f"gzip epoch in blocks / {GLOBAL_BATCHES} batches of a global shuffle": (epoch, 4),
    }
    sizes = {
        f"checkpoints {where}, {shards} / its bytes": (count, copies, bound)
        for shards, count in (("8 gzip shards", SEVERAL), ("1 gzip shard", 1))
        for where, copies, bound in (("in the index", 1, None), ("in index and map", 2, 0.03))
    }
    return [
        *(Job(name, partial(compared, rates, name, *words)) for name, (rates, *words) in ratios.items()),
        *(Job(name, partial(checkpoints, settings, name, *words)) for name, words in sizes.items()),
        *compressed_reads.jobs(settings),
    ]
