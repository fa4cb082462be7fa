"""Compressed shards: the same Examples in one gzip file or in several, written once by ofindex's own Writer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import cache
from settings import Settings

POOL = 16 << 20  # bytes that texts and images are cut from, far more than deflate's window
COLUMNS = {
    "label": (0, 1000),
    "height": (64, 2049),
    "width": (64, 2049),
    "score": (0, 1 << 24),
    "text_at": (0, POOL - 300),
    "text_size": (220, 290),
    "image_at": (0, POOL - 300),
    "image_size": (80, 130),
}  # minimum of each, and its exclusive maximum


@dataclass(frozen=True)
class Zipped:
    """A folder of gzip shards, each of one member."""

    folder: Path
    count: int

    @property
    def shards(self) -> list[Path]:
        return sorted(self.folder.iterdir())

    @property
    def size(self) -> int:
        """Total size of all shards in bytes."""
        return sum(path.stat().st_size for path in self.shards)

    @property
    def inflated(self) -> int:
        """Total inflated size of all shards, from the last four bytes of each; shards inflate to less than 4 GiB."""
        return sum(int.from_bytes(path.read_bytes()[-4:], "little") for path in self.shards)

    @property
    def index(self) -> Path:
        return self.folder.with_name(self.folder.name + ".ofidx")


def words_of(random: np.random.Generator) -> bytes:
    """Words with Zipf's frequencies."""
    letters = np.array(list("etaoinshrdlu"))
    words = ["".join(random.choice(letters, size=size)) for size in random.integers(2, 10, size=5000)]
    shares = 1 / np.arange(1, len(words) + 1)
    drawn = random.choice(len(words), size=POOL // 4, p=shares / shares.sum())
    return " ".join(map(words.__getitem__, drawn))[:POOL].encode()


def examples(count: int) -> Iterator[dict[str, Any]]:
    """Examples of about 480 bytes with framing, which deflate halves: four numbers, a text, and an image of noise."""
    random = np.random.default_rng(0)
    text, noise = words_of(random), random.bytes(POOL)
    for first in range(0, count, 10_000):
        some = min(10_000, count - first)
        drawn = [random.integers(*bounds, size=some).tolist() for bounds in COLUMNS.values()]
        for label, height, width, score, text_at, text_size, image_at, image_size in zip(*drawn):
            yield {
                "label": label,
                "height": height,
                "width": width,
                "score": score / (1 << 24),
                "text": text[text_at : text_at + text_size],
                "image": noise[image_at : image_at + image_size],
            }


def made(settings: Settings, shard_count: int) -> Zipped:
    """Shards that inflate to 250 MB (quick) or 1 GB in total. They are written on first use, and loaded into the page
    cache."""
    import ofindex

    count = settings.either(525_000, 2_100_000)
    folder = settings.made(f"zipped-{count}-{shard_count}")
    if not folder.exists():
        print(f"Writing {folder.name}.", flush=True)
        begun = folder.with_name(folder.name + ".begun")
        shutil.rmtree(begun, ignore_errors=True)
        begun.mkdir(parents=True)
        source = examples(count)
        for i in range(shard_count):
            with ofindex.Writer(begun / f"part-{i}.tfrecord.gz") as writer:
                for example in islice(source, count * (i + 1) // shard_count - count * i // shard_count):
                    writer.write(example)
        begun.rename(folder)
        os.sync()
    cache.warm(folder)
    return Zipped(folder, count)


def indexed(settings: Settings, shard_count: int) -> Zipped:
    """The same shards as made(), with an index next to them."""
    import ofindex

    data = made(settings, shard_count)
    ofindex.build(data.folder, verify=False, progress=False)
    return data
