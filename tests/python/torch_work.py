"""Shared code of the tests of ofindex.torch, which are skipped without torch."""

from __future__ import annotations

import time
import unittest
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import ofindex
from python.work import WorkTest

try:
    import torch
    import torch.utils.data
except ImportError as missing:
    raise unittest.SkipTest("torch is not installed") from missing

# Tests import these names from this module, after its check for torch.
from ofindex.torch import Dataset as Dataset
from ofindex.torch import Loader as Loader
from ofindex.torch import Ragged

LABEL = {"label": ofindex.fixed("int64"), "weight": ofindex.fixed("float32")}
PATIENCE = 60


def itself(item: Any) -> Any:
    return item


def plain(value: Any) -> Any:
    """A batch or item as plain values and dtypes, for comparison."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, Ragged):
        rows = ofindex.Ragged(
            value.values if isinstance(value.values, ofindex.BytesArray) else value.values.numpy(),
            value.offsets.numpy(),
        )
        return rows.tolist()
    if isinstance(value, ofindex.BytesArray | ofindex.Ragged):
        return value.tolist()
    if isinstance(value, torch.Tensor | np.ndarray):
        return (str(value.dtype).removeprefix("torch."), value.tolist())
    return [plain(one) for one in value] if isinstance(value, list) else value


def batches_of(ds: Any, features: Any, rows: list[int], size: int) -> list[Any]:
    """The result of ds.batch for `rows`, `size` at a time."""
    return [plain(ds.batch(rows[at : at + size], features)) for at in range(0, len(rows), size)]


class CountingSampler:
    """A sampler written in Python, without a length, that waits `seconds` before each number."""

    def __init__(self, count: int, seconds: float = 0) -> None:
        self.count, self.seconds = count, seconds

    def __iter__(self) -> Iterator[int]:
        for number in range(self.count):
            time.sleep(self.seconds)
            yield number


class WatchedTest(WorkTest):
    """Prints the stacks of all threads and ends the process if a test takes too long."""

    def setUp(self) -> None:
        super().setUp()
        import faulthandler

        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")  # torch warns about four workers
        faulthandler.dump_traceback_later(4 * PATIENCE, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)

    def until(self, condition: Callable[[], bool], text: str) -> None:
        """Waits until `condition` holds; fails with `text` if that takes too long."""
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, text)
            time.sleep(0.01)
