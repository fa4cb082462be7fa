"""Compressed shards: the same Examples in one gzip file or several, written once by ofindex's own Writer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from settings import Settings

POOL = 16 << 20  # bytes that values are cut out of, far more than deflate looks back


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
        """Bytes of all shards."""
        return sum(path.stat().st_size for path in self.shards)

    @property
    def inflated(self) -> int:
        """Bytes that they inflate to, as their last four bytes say: each has less than 4 GiB."""
        return sum(int.from_bytes(path.read_bytes()[-4:], "little") for path in self.shards)


def text_pool(random: np.random.Generator) -> bytes:
    """Words by Zipf's law, which deflate makes a third of."""
    letters = np.array(list("etaoinshrdlu"))
    words = ["".join(random.choice(letters, size=size)) for size in random.integers(2, 10, size=5000)]
    shares = 1 / np.arange(1, len(words) + 1)
    text = " ".join(words[i] for i in random.choice(len(words), size=POOL // 4, p=shares / shares.sum()))
    return text[:POOL].encode()


def rows(count: int) -> Iterator[dict[str, Any]]:
    """Examples of about 480 bytes with their framing: four numbers, a text, and an image of noise."""
    random = np.random.default_rng(0)
    text, noise = text_pool(random), random.bytes(POOL)
    for first in range(0, count, 10_000):
        some = min(10_000, count - first)
        bounds = ((0, 1000), (64, 2049), (64, 2049), (0, 1 << 24), (220, 290), (0, len(text) - 290), (80, 130), (0, POOL - 130))
        columns = [random.integers(*bound, size=some).tolist() for bound in bounds]
        for label, height, width, score, text_size, text_at, image_size, image_at in zip(*columns):
            yield {
                "label": label,
                "height": height,
                "width": width,
                "score": score / (1 << 24),
                "text": text[text_at : text_at + text_size],
                "image": noise[image_at : image_at + image_size],
            }


def make(settings: Settings, shard_count: int) -> Zipped:
    """About 256 MB or 1 GB, inflated, in so many shards; written if they are not there."""
    import ofindex

    count = settings.either(525_000, 2_100_000)
    folder = settings.made(f"zipped-{count}-{shard_count}")
    if not folder.exists():
        print(f"Writing {folder.name}.", flush=True)
        begun = folder.with_name(folder.name + ".begun")
        shutil.rmtree(begun, ignore_errors=True)
        begun.mkdir(parents=True)
        source = rows(count)
        for i in range(shard_count):
            with ofindex.Writer(begun / f"part-{i}.tfrecord.gz") as writer:
                for row in islice(source, count * (i + 1) // shard_count - count * i // shard_count):
                    writer.write(row)
        begun.rename(folder)
        os.sync()
    return Zipped(folder, count)
