"""The record files that all tools read: made once by bench/limits, the same bytes on every machine."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from harness.settings import Settings

ROWS = 8192  # records that the harness has in memory at a time
PIECE_BYTES = 32 << 20  # at most this many bytes of them
PLACE = struct.Struct("<QQ")


@dataclass(frozen=True)
class Size:
    """Bytes of an image, and the number of records at scale 1."""

    title: str
    min_image: int
    max_image: int
    records: int


SIZES = {
    "350B": Size("350 B", 200, 280, 1_000_000),
    "10KB": Size("10 KB", 8_000, 12_000, 40_000),
    "110KB": Size("110 KB", 90_000, 130_000, 4_000),
}


BETWEEN = "10KB"


@dataclass(frozen=True)
class Data:
    """A folder of TFRecord shards. The labels of records are random, or ascend if `is_sorted`. If `is_zipped`, each
    shard is a gzip file, of half the size."""

    root: str
    size: str
    records: int
    shard_count: int = 1
    is_sorted: bool = False
    is_zipped: bool = False

    @property
    def name(self) -> str:
        kind = "-sorted" if self.is_sorted else "-gzip" if self.is_zipped else ""
        return f"{self.size}-{self.records}x{self.shard_count}{kind}"

    @property
    def title(self) -> str:
        """How tables name these data."""
        kind = "gzip shard" if self.is_zipped else "shard"
        shards = f"1 {kind}" if self.shard_count == 1 else f"{self.shard_count} {kind}s"
        return f"{SIZES[self.size].title}, {self.records:,} records, {shards}"

    @property
    def folder(self) -> Path:
        return Path(self.root) / self.name

    @property
    def shards(self) -> list[Path]:
        return sorted(self.folder.iterdir())

    @property
    def bytes(self) -> int:
        """Total size of all shards."""
        return sum(path.stat().st_size for path in self.shards)

    @property
    def inflated_bytes(self) -> int:
        """Total size of all shards, inflated, by the places of their last records."""
        ends = (PLACE.unpack(path.read_bytes()[-PLACE.size :]) for path in map(self.places_of, self.shards))
        return sum(begin + size + 4 for begin, size in ends)

    def places_of(self, shard: Path) -> Path:
        """The file with offset and size of all payloads of a shard."""
        return Path(f"{self.folder}.places") / shard.name.removesuffix(".gz")

    def store(self, name: str) -> Path:
        """Where the tool called `name` keeps what it makes of these data."""
        return Path(self.root) / f"{self.name}.{name}"

    def places(self, shard: Path) -> Iterator[tuple[int, int]]:
        """Offset and size of all payloads of a shard; only some of them are in memory at a time."""
        with self.places_of(shard).open("rb") as file:
            while piece := file.read(ROWS * PLACE.size):
                yield from PLACE.iter_unpack(piece)

    def payloads(self) -> Iterator[bytes]:
        """All payloads in order, without any record reader; this costs less than any reader that a tool could use."""
        for shard in self.shards:
            with shard.open("rb", buffering=1 << 20) as file:
                for begin, size in self.places(shard):
                    file.seek(begin)
                    yield file.read(size)

    def slices(self) -> Iterator[tuple[int, list[bytes]]]:
        """All payloads in order, some at a time, with the ordinal of the first: converters must not hold all records,
        since their peak memory is measured."""
        rows = max(1, min(ROWS, PIECE_BYTES * self.records // self.bytes))
        payloads = self.payloads()
        for first in range(0, self.records, rows):
            yield first, list(islice(payloads, rows))

    def make(self, settings: Settings) -> None:
        """Writes the shards unless they exist. The folder is renamed into place when it is complete."""
        if self.folder.exists():
            return
        size = SIZES[self.size]
        begun = self.folder.with_name(self.name + ".begun")
        shutil.rmtree(begun, ignore_errors=True)
        order = "sorted" if self.is_sorted else "soft" if self.is_zipped else "mixed"
        words = [begun, self.records, self.shard_count, size.min_image, size.max_image, order]
        subprocess.run([settings.limits, "make", *map(str, words)], check=True)
        shutil.rmtree(f"{self.folder}.places", ignore_errors=True)
        Path(f"{begun}.places").rename(f"{self.folder}.places")
        if self.is_zipped:
            for shard in sorted(begun.iterdir()):
                subprocess.run(["gzip", "-6", str(shard)], check=True)
        begun.rename(self.folder)
        os.sync()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Grid:
    """The data of a run."""

    root: str
    sizes: tuple[str, ...]
    shard_counts: tuple[int, ...]
    scale: float

    def data(self, size: str, shard_count: int = 1, part: float = 1, is_sorted: bool = False) -> Data:
        """Data with this part of the records that a data set of this size has."""
        records = max(1024, round(SIZES[size].records * self.scale * part))
        return Data(self.root, size, records, shard_count, is_sorted)

    def whole(self) -> list[Data]:
        """Every size, with every number of shards; records of 10 KB only with the first."""
        found = [self.data(size, count) for size in self.sizes for count in self.shard_counts]
        return [data for data in found if data.size != BETWEEN or data.shard_count == self.shard_counts[0]]

    def ends(self) -> list[Data]:
        """The same without records of 10 KB, between the others."""
        return [data for data in self.whole() if data.size != BETWEEN]

    def zipped(self, shard_count: int) -> Data:
        """Gzip shards with records of the smallest size."""
        plain = self.smallest(0.5)
        return Data(self.root, plain.size, plain.records, shard_count, is_zipped=True)

    def smallest(self, part: float = 1, is_sorted: bool = False) -> Data:
        """Records of the smallest size."""
        return self.data(self.sizes[0], self.shard_counts[0], part, is_sorted)
