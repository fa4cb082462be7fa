"""Epochs of batches, read ahead by threads: what the adapters for torch and TensorFlow are made of."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._batch import Batch, Decoding


class Order(Protocol):
    """Rows of an epoch as the loader takes them: the extension's own sampler, or a function of Python."""

    def __call__(self, count: int, /) -> tuple[npt.NDArray[np.int64], int]: ...


class Epoch:
    """The batches of what is left of one epoch. Closed when it ends, fails or is dropped; belongs to one thread.

    Yields (batch, position of the epoch after it).
    """

    def __init__(
        self,
        payloads: _ofindex.Payloads,
        decoding: Decoding,
        order: _ofindex.RowSampler | Order,
        batch_size: int,
        threads: int,
        prefetch: int,
    ) -> None:
        self._decoding = decoding
        self._loader = _ofindex.Loader(payloads, decoding.decoder, order, batch_size, threads, prefetch)
        # Also at the interpreter's exit, before its threads are gone.
        self.close = weakref.finalize(self, self._loader.close)

    def __iter__(self) -> Iterator[tuple[Batch, int]]:
        return self

    def __next__(self) -> tuple[Batch, int]:
        loaded = self._loader.next()
        if loaded is None:
            self.close()
            raise StopIteration
        arrays, ordinals, position = loaded
        return self._decoding.batch(len(ordinals), arrays), position


class _Ahead:
    """Runs a function over an iterator's items on threads, some items ahead, and gives the results in order."""

    def __init__(self, items: Epoch, function: Callable[[Batch], Any], threads: int, prefetch: int) -> None:
        self._items = items
        self._function = function
        self._prefetch = prefetch
        self._pending: deque[tuple[Future[Any], int]] = deque()
        pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="ofindex-transform")
        self._pool = pool
        self._stop = weakref.finalize(self, pool.shutdown, wait=False, cancel_futures=True)
        self._ended = False

    def close(self) -> None:
        """Stops the threads; what runs is waited for."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._items.close()

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        return self

    def __next__(self) -> tuple[Any, int]:
        try:
            while not self._ended and len(self._pending) < self._prefetch:
                try:
                    batch, position = next(self._items)
                except StopIteration:
                    self._ended = True
                else:
                    self._pending.append((self._pool.submit(self._function, batch), position))
            if not self._pending:
                raise StopIteration
            future, position = self._pending.popleft()
            return future.result(), position
        except BaseException:
            self.close()
            raise


def transformed(
    epoch: Epoch, function: Callable[[Batch], Any] | None, threads: int, prefetch: int
) -> Epoch | _Ahead:
    """`epoch` with `function` applied to each batch, on threads; itself without one."""
    return epoch if function is None else _Ahead(epoch, function, threads, prefetch)


