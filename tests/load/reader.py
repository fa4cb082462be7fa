"""One process that reads a dataset while it changes, and checks all that it gets. Started by run.py.

    reader.py ROLE INDEX SEED

It prints a line when it is ready, and waits for a line with the time at which to end. Until then it opens the index,
reads one shuffled epoch in the way of its ROLE, and begins again. At the end it prints what it did as JSON.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import ofindex
from load import contents

BATCH = 64
MOST_MESSAGES = 5

#: Errors that docs/python.md documents for a reader of shards that are no longer the indexed ones.
DOCUMENTED = (ofindex.StaleError,)


class Reader:
    """Counts of the records that one process read and of the errors that it met. Each epoch opens the index again."""

    def __init__(self, index: str, seed: int, until: float) -> None:
        self.index, self.seed, self.until = index, seed, until
        self.epochs = self.checked = self.wrong = 0
        self.errors: Counter[str] = Counter()
        self.unexpected: list[str] = []

    def run(self, role: str) -> None:
        read = ROLES[role]
        turn = 0
        while time.time() < self.until:
            turn += 1
            try:
                read(self, ofindex.open(self.index), self.seed * 1_000_000 + turn)
                self.epochs += not self.is_over()
            except DOCUMENTED as error:
                self.errors[type(error).__name__] += 1
            except Exception as error:
                self.errors[type(error).__name__] += 1
                self.unexpected.append(f"{role}: {type(error).__name__}: {error}")
                del self.unexpected[MOST_MESSAGES:]

    def is_over(self) -> bool:
        return time.time() >= self.until

    def compare(self, batch: Any, keys: np.ndarray) -> None:
        """Checks a decoded batch against the keys that the index has for its records."""
        self.checked += len(keys)
        self.wrong += contents.wrong_in(batch, keys)

    def expect(self, holds: bool, records: int) -> None:
        """Counts an answer about some records, right or wrong."""
        self.checked += records
        self.wrong += not holds


def keys_of(dataset: ofindex.Dataset) -> dict[int, int]:
    """The key of each record, by ordinal, from the index alone."""
    return dict(dataset.sql("SELECT _id, key FROM records").fetchall())


def read_loader(reader: Reader, dataset: ofindex.Dataset, seed: int) -> None:
    """An epoch of the loader of PyTorch, decoded by two threads. Every record comes once."""
    torch = importlib.import_module("ofindex.torch")
    missing = set(keys_of(dataset).values())
    for batch in torch.Loader(dataset, contents.FEATURES, BATCH, seed=seed, threads=2):
        keys = batch["key"].numpy()
        reader.compare(batch, keys)
        reader.expect(missing.issuperset(keys.tolist()), 0)
        missing.difference_update(keys.tolist())
        if reader.is_over():
            return
    reader.expect(not missing, 0)


def read_batches(reader: Reader, dataset: ofindex.Dataset, seed: int) -> None:
    """An epoch of batches, in the order of a sampler."""
    keys = keys_of(dataset)
    order = list(dataset.sampler(seed=seed))
    reader.expect(sorted(order) == sorted(keys), len(order))
    for begin in range(0, len(order), BATCH):
        some = order[begin : begin + BATCH]
        reader.compare(dataset.batch(some, contents.FEATURES), np.array([keys[one] for one in some]))
        if reader.is_over():
            return


def read_records(reader: Reader, dataset: ofindex.Dataset, seed: int) -> None:
    """An epoch of single records: payloads, decoded records, and several at a time."""
    keys = keys_of(dataset)
    for ordinal in dataset.sampler(seed=seed):
        key = keys[ordinal]
        record = dataset.record(ordinal)
        reader.expect(int(record["key"][0]) == key and record["blob"] == [contents.blob_of(key)], 1)
        reader.expect(contents.blob_of(key) in dataset[ordinal], 1)
        if reader.is_over():
            return


def ask(reader: Reader, dataset: ofindex.Dataset, seed: int) -> None:
    """SQL, views and columns, which must agree with each other and with the records."""
    keys = keys_of(dataset)
    label = seed % contents.LABELS
    chosen = sorted(ordinal for ordinal, key in keys.items() if key % contents.LABELS == label)
    view = dataset.where("label = ?", (label,))
    reader.expect(len(view) == len(chosen), len(chosen))
    groups = dataset.sql("SELECT label, count(*), sum(key) FROM records GROUP BY label").fetchall()
    for one, count, total in groups:
        of_label = [key for key in keys.values() if key % contents.LABELS == one]
        reader.expect((count, total) == (len(of_label), sum(of_label)), count)
    for begin in range(0, len(chosen), BATCH):
        some = list(range(begin, min(begin + BATCH, len(chosen))))
        reader.compare(view.batch(some, contents.FEATURES), np.array([keys[chosen[row]] for row in some]))


ROLES: dict[str, Callable[[Reader, ofindex.Dataset, int], None]] = {
    "loader": read_loader,
    "batches": read_batches,
    "records": read_records,
    "sql": ask,
}


def main(role: str, index: str, seed: str) -> None:
    if role == "loader":
        importlib.import_module("ofindex.torch")  # takes seconds, in which nothing would be read
    print("ready", flush=True)
    reader = Reader(index, int(seed), until=float(sys.stdin.readline()))
    reader.run(role)
    found = {name: getattr(reader, name) for name in ("epochs", "checked", "wrong", "errors", "unexpected")}
    print(json.dumps({"role": role, **found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
