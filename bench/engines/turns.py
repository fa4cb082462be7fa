"""Data for the comparisons, work timed in turns, and the share of the shards that a read takes from the disk."""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import ofindex

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench"), str(ROOT / "tests")]

from harness import page_cache  # noqa: E402

SHARDS = 8
MANY = 16_000_000  # small records for a build, so that an engine's start counts little
ONE_PERCENT = "label = 7"


def small(number: int) -> dict[str, Any]:
    return {
        "label": number % 100,
        "height": 100 + number % 900,
        "weight": [number / 8],
        "name": f"record {number}",
        "caption": "a photograph of something " * 4,
        "boxes": [float(number % 7)] * 4,
    }


@dataclass
class Data:
    """What is compared on, in a folder that is kept for the next run."""

    folder: Path
    records: int
    megabytes: int

    def small(self) -> Path:
        """Shards of records of six features, some 250 bytes each."""
        data = self.folder / f"small-{self.records}"
        if not data.exists():
            ofindex.pack(map(small, range(self.records)), data, "tfrecord", shards=SHARDS)
        return data

    def many(self) -> Path:
        """The small shards, copied until there are MANY records."""
        data = self.folder / f"many-{self.records}"
        if not data.exists():
            whole = data.with_suffix(".new")
            shutil.rmtree(whole, ignore_errors=True)
            for copy in range(max(1, MANY // self.records)):
                shutil.copytree(self.small(), whole / f"copy-{copy:03}")
            whole.rename(data)
        return data

    def large(self) -> Path:
        """Shards of records of 64 KiB."""
        data = self.folder / f"large-{self.megabytes}"
        if not data.exists():
            random = np.random.default_rng(1)
            count = self.megabytes * 16
            rows = ({"label": number % 100, "image": random.bytes(65_000)} for number in range(count))
            ofindex.pack(rows, data, "tfrecord", shards=SHARDS, seed=1)
        ofindex.build(data, columns=["label"], force=True)
        return data

    def indexed(self) -> Path:
        data = self.small()
        ofindex.build(data, force=True)
        return data


def compare(name: str, asked: float, ours: Callable[[], Any], theirs: Callable[[], Any], turns: int = 5) -> None:
    """Times both in turns, after one that is not counted, and prints theirs by ours, of the medians. Both must return
    the same."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(turns + 1):
        found = []
        for side, work in zip(seconds, (ours, theirs), strict=True):
            begin = time.perf_counter()
            found.append(work())
            if turn > 0:
                side.append(time.perf_counter() - begin)
        if found[0] != found[1]:
            raise SystemExit(f"{name}: {found[0]} is not {found[1]}")
    first, second = map(statistics.median, seconds)
    print(f"{name}: {second / first:.2f} times as fast ({first:.2f} s, not {second:.2f} s); asked: {asked}", flush=True)


def share_read(name: str, asked: float, data: Path, read: Callable[[], int]) -> None:
    """Prints the share of the bytes of the shards, none of which was in memory, that are after `read`."""
    files = [path for path in page_cache.files_of([data]) if "-of-" in path.name]
    page_cache.drop(files)
    records = read()
    total = sum(path.stat().st_size for path in files)
    cached = sum(page_cache.cached_share(path) * path.stat().st_size for path in files)
    print(f"{name}: {records} records, {cached / total:.2%} of the bytes; asked: at most {asked:.0%}", flush=True)


def data_of_arguments(default: int) -> Data:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="a folder for the data, not in memory, kept for the next run")
    parser.add_argument("--records", type=int, default=default, help="small records (default: %(default)s)")
    parser.add_argument("--megabytes", type=int, default=1024, help="of large records (default: %(default)s)")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    return Data(given.folder.resolve(), given.records, given.megabytes)
