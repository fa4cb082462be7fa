"""What programs write by hand: an array of offsets, found by a loop over the lengths, and slices of a map."""

from __future__ import annotations

import mmap
import os
import struct
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from harness.order import shuffled
from harness.peer import Peer, no_queries

LENGTH = struct.Struct("<Q")
NO_COLUMNS = "has no columns"


def by_map(shard: Path) -> Iterator[tuple[int, int]]:
    """Offset and size of all payloads."""
    at, unpack = 0, LENGTH.unpack_from
    with shard.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        size = len(mapped)
        while at < size:
            (length,) = unpack(mapped, at)
            yield at + 12, length
            at += length + 16


def by_pread(shard: Path) -> Iterator[tuple[int, int]]:
    """The same; reads only the headers."""
    at = 0
    with shard.open("rb", buffering=0) as file:
        while header := os.pread(file.fileno(), LENGTH.size, at):
            (length,) = LENGTH.unpack(header)
            yield at + 12, length
            at += length + 16


class Numpy(Peer):
    name = "numpy, by hand"
    packages = ("numpy==2.4.6",)
    is_light = True
    reads_in_place = True
    cannot: ClassVar[dict[str, str]] = {
        "make_typed": NO_COLUMNS,
        "decoded_epoch": "does not decode",
        **no_queries(NO_COLUMNS),
        "stoppable": "an epoch is a list of ordinals that the program must keep",
    }

    def load(self) -> None:
        import numpy

        del numpy

    def make(self) -> None:
        """A Python loop over the lengths, by `unpack_from` over a map, or by a pread per header if records are larger
        than what the kernel reads ahead; shard, offset and size of each payload, in one .npy file."""
        import numpy as np

        places = array("q")
        for number, shard in enumerate(self.data.shards):
            for begin, length in by_pread(shard) if self.data.size == "110KB" else by_map(shard):
                places.extend((number, begin, length))
        with self.store.open("wb") as out:
            np.save(out, np.frombuffer(places, np.int64).reshape(-1, 3))

    def open(self) -> tuple[Any, list[mmap.mmap]]:
        import numpy as np

        maps = []
        for shard in self.data.shards:
            with shard.open("rb") as file:
                maps.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        return np.asarray(np.load(self.store, mmap_mode="r")), maps

    def count(self) -> int:
        """`len(numpy.load(path, mmap_mode="r"))`."""
        return len(self.open()[0])

    def get(self) -> Callable[[int], bytes]:
        """The row of the mapped array, viewed as a plain array, whose rows are read 13 times as fast, and a slice of
        the map.
        https://numpy.org/doc/stable/reference/generated/numpy.load.html"""
        places, maps = self.open()

        def read(ordinal: int) -> bytes:
            number, begin, length = places[ordinal].tolist()
            return maps[number][begin : begin + length]

        return read

    def get_many(self) -> Callable[[list[int]], Sequence[bytes]]:
        """The rows of the array by one indexing operation, and slices of the maps."""
        places, maps = self.open()

        def read(ordinals: list[int]) -> list[bytes]:
            return [maps[number][begin : begin + length] for number, begin, length in places[ordinals].tolist()]

        return read

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """`numpy.random.Generator.permutation`, 256 records at a time."""
        return map(self.get_many(), shuffled(self.data.records, seed))


TOOL = Numpy
