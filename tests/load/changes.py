"""Changes to a dataset while others read it, and the records that it must have after each of its updates."""

from __future__ import annotations

import itertools
import os
import random
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import ofindex
from load import contents

FEWEST_SHARDS, MOST_SHARDS = 4, 12
FRAMING_BYTES = 16


def record_ends(shard: bytes) -> list[int]:
    """The offset at which each record of a TFRecord shard ends."""
    ends = [0]
    while ends[-1] < len(shard):
        ends.append(ends[-1] + FRAMING_BYTES + int.from_bytes(shard[ends[-1] : ends[-1] + 8], "little"))
    return ends[1:]


class Changes:
    """The only writer of a dataset, a folder of shards and its index. Knows the keys of the records of each shard."""

    def __init__(self, data: Path, seed: int, records: int) -> None:
        """Writes the first shards, of about `records` records each, and the index."""
        self.data, self.records = data, records
        self.index = Path(f"{data}.ofidx")
        self.random = random.Random(seed)
        self.made: Counter[str] = Counter()
        self.checked_records = 0
        self.wrong: list[str] = []
        self._draft = data.with_name("next.tfrecord")
        self._next_key, self._next_number = 1, itertools.count()
        self._keys: dict[Path, list[int]] = {}
        self._torn: set[Path] = set()  # shards that end inside of a record
        data.mkdir()
        for _ in range(FEWEST_SHARDS * 2):
            self.add()
        self.build()

    def change(self) -> None:
        """Makes one change at random, and after most of them renews the index."""
        kinds = [self.append, self.replace, self.move, self.truncate]
        kinds += [self.add] * (len(self._keys) < MOST_SHARDS) + [self.delete] * (len(self._keys) > FEWEST_SHARDS)
        self._make(self.random.choice(kinds))
        if self.random.random() < 1 / 3:
            return
        self._make(self.random.choices([self.update, self.prune, self.build], [8, 1, 1])[0])
        self.check()

    def add(self) -> None:
        """Writes a new shard."""
        self._publish(self._new_path(), self._new_keys())

    def replace(self) -> None:
        """Renames a shard of other records over one that is there."""
        self._publish(self._any(), self._new_keys())

    def append(self) -> None:
        """Lets a shard grow. One that is torn or large is replaced."""
        path = self._any()
        if path in self._torn or len(self._keys[path]) > 3 * self.records:
            self.replace()
            return
        more = self._new_keys()
        contents.write(path, more, append=True)
        self._keys[path] = self._keys[path] + more

    def move(self) -> None:
        """Renames a shard."""
        path, new = self._any(), self._new_path()
        os.rename(path, new)
        self._keys[new] = self._keys.pop(path)
        if path in self._torn:
            self._torn.remove(path)
            self._torn.add(new)

    def delete(self) -> None:
        """Removes a shard."""
        path = self._any()
        path.unlink()
        self._torn.discard(path)
        del self._keys[path]

    def truncate(self) -> None:
        """Cuts a shard in place, under the maps of its readers; the records before the cut stay."""
        path = self._any()
        ends = record_ends(path.read_bytes())
        if len(ends) < 2:
            self.replace()
            return
        size = self.random.randrange(ends[0], ends[-1])
        os.truncate(path, size)
        whole = sum(end <= size for end in ends)
        self._keys[path] = self._keys[path][:whole]
        self._torn.add(path)

    def build(self) -> None:
        """Builds the index again."""
        ofindex.build(self.data, force=True, progress=False, format="tfrecord")

    def update(self) -> None:
        """Updates the index."""
        ofindex.update(self.index, progress=False)

    def prune(self) -> None:
        """Updates the index, and closes the gaps in its ordinals."""
        ofindex.update(self.index, prune=True, progress=False)

    def check(self) -> None:
        """Compares the records of the index with those that the shards have. Both change in this process only."""
        found = sorted(key for (key,) in ofindex.open(self.index).sql("SELECT key FROM records").fetchall())
        there = sorted(key for keys in self._keys.values() for key in keys)
        self.checked_records += len(there)
        if found != there:
            lost, extra = set(there) - set(found), set(found) - set(there)
            self.wrong.append(f"after {sum(self.made.values())} changes: {len(lost)} lost, {len(extra)} too many")

    def _make(self, change: Callable[[], None]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of damage: shards are cut on purpose
            change()
        self.made[change.__name__] += 1

    def _any(self) -> Path:
        return self.random.choice(sorted(self._keys))

    def _new_path(self) -> Path:
        return self.data / f"part-{next(self._next_number):06}.tfrecord"

    def _new_keys(self) -> list[int]:
        first = self._next_key
        self._next_key += self.random.randrange(self.records // 2, self.records * 3 // 2)
        return list(range(first, self._next_key))

    def _publish(self, path: Path, keys: list[int]) -> None:
        contents.write(self._draft, keys)
        os.replace(self._draft, path)
        self._keys[path] = keys
        self._torn.discard(path)
