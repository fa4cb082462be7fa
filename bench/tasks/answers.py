"""Whole epochs over little data: an epoch that is cut short gives no answer that could be compared."""

from __future__ import annotations

import zlib
from typing import Any

from harness.data import Data, Grid
from harness.peer import Peer
from harness.task import Measured, Task

NAMES = dict.fromkeys(("id", "label", "height", "width"), "int64") | {"score": "float64"}


def listed(images: Any) -> list[bytes]:
    """The values of a bytes feature in any of the forms that tools give."""
    for convert in ("to_pylist", "numpy"):
        if hasattr(images, convert):
            return list(getattr(images, convert)())
    return list(images)


class RawAnswers(Task):
    """All payloads of an epoch: their number, their bytes, and the sum of their checksums, in any order."""

    name = "raw-answers"
    title = "Answers of whole epochs"
    is_check = True
    most_turns = 1
    is_for_all = False
    figures = ()
    needs = ("raw_epoch",)

    def data(self, grid: Grid) -> list[Data]:
        return [grid.smallest(0.01)]

    def measure(self, peer: Peer) -> Measured:
        payloads = [payload for batch in peer.raw_epoch(seed=1) for payload in batch]
        return Measured({}, [len(payloads), sum(map(len, payloads)), sum(map(zlib.crc32, payloads))])


class DecodedAnswers(RawAnswers):
    """All values of an epoch: weighted sums of the numbers, and the checksum of the images, in the order
    of ids."""

    name = "decoded-answers"
    title = "Answers of whole decoded epochs"
    needs = ("decoded_epoch",)
    store = "decoded"

    def suits(self, tool: type[Peer]) -> bool:
        return tool.ends_exactly

    def measure(self, peer: Peer) -> Measured:
        import numpy as np

        numbers, images = [], []
        for batch in peer.decoded_epoch(seed=1):
            has = [name for name in NAMES if name in batch]
            numbers.append([np.asarray(batch[name]).reshape(-1).astype(NAMES[name]) for name in has])
            images += listed(batch["image"])
        columns = [np.concatenate(column) for column in zip(*numbers, strict=True)]
        order = np.argsort(columns[0])
        crc = 0
        for row in order.tolist():
            crc = zlib.crc32(images[row], crc)
        sums = [(column[order] @ np.arange(1, len(order) + 1, dtype=column.dtype)).item() for column in columns]
        return Measured({}, [len(order), len(images), crc, *sums])
