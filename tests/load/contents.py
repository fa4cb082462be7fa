"""Contents of the records: everything follows from a record's key, so every byte that is read can be checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import ofindex

FEATURES = {
    "key": ofindex.fixed("int64"),
    "label": ofindex.fixed("int64"),
    "numbers": ofindex.fixed("int64", 4),
    "blob": ofindex.fixed("bytes"),
}
LABELS = 10


def blob_of(key: int) -> bytes:
    """64 to 1,024 bytes that no other key has."""
    return hashlib.blake2b(b"%d" % key).digest() * (1 + key % 16)


def numbers_of(keys: np.ndarray) -> np.ndarray:
    return np.stack([keys, keys * 3, keys ^ 0x5555, -keys], axis=-1)


def write(path: Path, keys: Iterable[int], append: bool = False) -> None:
    """Writes a TFRecord shard with a record for each of `keys`, or appends them."""
    with ofindex.Writer(path, "tfrecord", append=append) as writer:
        for key in keys:
            numbers = numbers_of(np.int64(key))
            writer.write({"key": key, "label": key % LABELS, "numbers": numbers, "blob": blob_of(key)})


def wrong_in(batch: Mapping[str, Any], keys: np.ndarray) -> int:
    """How many records of a decoded batch differ from those of `keys`."""
    right = np.asarray(batch["key"]) == keys
    right &= np.asarray(batch["label"]) == keys % LABELS
    right &= (np.asarray(batch["numbers"]) == numbers_of(keys)).all(axis=-1)
    right &= np.array([bytes(blob) == blob_of(int(key)) for blob, key in zip(batch["blob"], keys, strict=True)], bool)
    return int((~right).sum())
