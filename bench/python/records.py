"""The record files that all sides read: created once by records.cc, the same on every machine."""

from __future__ import annotations

import mmap
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from settings import Settings


@dataclass(frozen=True)
class Records:
    """A folder of TFRecord shards and, if needed, a folder next to it with the place of each payload."""

    folder: Path
    count: int
    shard_count: int

    @property
    def shards(self) -> list[Path]:
        return [self.folder / f"part-{i}.tfrecord" for i in range(self.shard_count)]

    @property
    def places(self) -> list[Path]:
        return [places_of(self.folder) / f"part-{i}" for i in range(self.shard_count)]

    @property
    def size(self) -> int:
        """Total size of all shards in bytes."""
        return sum(path.stat().st_size for path in self.shards)

    def payloads(self) -> Iterator[bytes]:
        """All payloads in order, without any record reader."""
        for shard, places in zip(self.shards, self.places):
            with shard.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                for begin, size in np.fromfile(places, dtype="<u8").reshape(-1, 2).tolist():
                    yield data[begin : begin + size]


def places_of(folder: Path) -> Path:
    return folder.with_name(folder.name + ".places")


def make(settings: Settings, kind: str, count: int, shard_count: int, placed: bool = True) -> Records:
    """The records of this kind, written on first use. The folder is renamed into place when it is complete."""
    folder = settings.made(f"{kind}-{count}")
    if not folder.exists():
        print(f"Writing {folder.name}.", flush=True)
        begun = folder.with_name(folder.name + ".begun")
        folders = (begun, places_of(folder)) if placed else (begun,)
        for path in folders:
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir(parents=True)
        words = ["records", kind, begun, places_of(folder) if placed else "-", str(count), str(shard_count)]
        subprocess.run([Path(settings.programs) / words[0], *words[1:]], check=True)
        begun.rename(folder)
        os.sync()  # unwritten pages cannot be evicted from the page cache
    return Records(folder, count, shard_count)


def small(settings: Settings) -> Records:
    """Examples of about 350 bytes: label, height, width (int64), score (float), image (230 to 310 bytes)."""
    return make(settings, "small", settings.either(1_000_000, 4_000_000), 8)


def large(settings: Settings) -> Records:
    """Examples of 90 to 130 KB with an image only: one file of 1.1 GB (quick) or 2.8 GB."""
    return make(settings, "large", settings.either(10_000, 25_000), 1)


def tiny(settings: Settings) -> Records:
    """The largest number of records, each of 8 to 24 bytes of noise."""
    return make(settings, "tiny", tiny_count(settings), 8, placed=False)


def tiny_count(settings: Settings) -> int:
    return settings.either(10_000_000, 100_000_000)
