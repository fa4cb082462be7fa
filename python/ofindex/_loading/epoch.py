"""The batches of one epoch, read ahead: what loaders and adapters share."""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _ofindex
from .._arguments import whole
from .._batch import Batch, Decoding, processor_count
from .._epochs import Order


def _noting(order: Order, threads: set[int]) -> Order:
    """Return `order`, wrapped to record the threads on which it is called."""

    def take(count: int, /) -> tuple[npt.NDArray[np.int64], int]:
        threads.add(threading.get_ident())
        return order(count)

    return take


def _close(loader: _ofindex.Loader, drawing: set[int]) -> None:
    """Close `loader` and wait for its threads, unless garbage collection runs this on one of those threads."""
    if threading.get_ident() in drawing:
        threading.Thread(target=loader.close, name="ofindex-close").start()
    else:
        loader.close()


def checked_reading(batch_size: int, threads: int | None, prefetch: int | None) -> tuple[int, int, int]:
    """Check an adapter's arguments for an `Epoch`, and return them.

    None as `threads` becomes one per processor, and None as `prefetch` 0: an automatic number.

    Raises:
        TypeError: an argument is not an integer. ValueError: an argument is out of range.
    """
    return (
        whole(batch_size, "batch_size", 1, 2**28),
        processor_count() if threads is None else whole(threads, "threads", 1, 1024),
        0 if prefetch is None else whole(prefetch, "prefetch", 1, 2**20),
    )


class Epoch:
    """The batches of the rest of one epoch. Closed when it ends, fails or is dropped; belongs to one thread.

    Yields each batch together with the position in the epoch at which the next batch begins.
    """

    def __init__(
        self,
        payloads: _ofindex.Payloads,
        decoding: Decoding,
        order: _ofindex.RowSampler | Order,
        batch_size: int,
        threads: int,
        prefetch: int,
        cut: Callable[[_ofindex.RowSampler | Order], _ofindex.LengthCutter] | None = None,
    ) -> None:
        """
        Args:
            cut: Cuts `order` into batches; None: they have `batch_size` records.
        """
        self._decoding = decoding
        drawing: set[int] = set()  # threads that call `order`
        if not isinstance(order, _ofindex.RowSampler):
            order = _noting(order, drawing)
        batches = order if cut is None else cut(order)
        self._loader = _ofindex.Loader(payloads, decoding.decoder, batches, batch_size, threads, prefetch)
        # Also runs at interpreter exit, while the loader's threads still exist.
        self.close = weakref.finalize(self, _close, self._loader, drawing)

    def __iter__(self) -> Iterator[tuple[Batch, int]]:
        return self

    def __next__(self) -> tuple[Batch, int]:
        try:
            loaded = self._loader.next()
            if loaded is None:
                raise StopIteration
        except BaseException:
            self.close()
            raise
        arrays, ordinals, position = loaded
        return self._decoding.batch(len(ordinals), arrays), position


class _Ahead:
    """Applies a function to an iterator's items on threads, some items ahead, and yields the results in order."""

    def __init__(self, items: Epoch, function: Callable[[Batch], Any], threads: int, prefetch: int) -> None:
        self._items = items
        self._function = function
        self._prefetch = prefetch or 2 * threads
        self._pending: deque[tuple[Future[Any], int]] = deque()
        pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="ofindex-transform")
        self._pool = pool
        self._stop = weakref.finalize(self, pool.shutdown, wait=False, cancel_futures=True)
        self._ended = False
        self._process = os.getpid()

    def close(self) -> None:
        """Stop the threads, after waiting for the running calls."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._items.close()

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        return self

    def __next__(self) -> tuple[Any, int]:
        try:
            if os.getpid() != self._process:  # a forked child does not have the threads
                raise ValueError("the loader belongs to another process; start one in each process after the fork")
            while not self._ended and len(self._pending) < self._prefetch:
                try:
                    batch, position = next(self._items)
                except StopIteration:
                    self._ended = True
                except Exception as error:  # raised in place of its batch
                    failed: Future[Any] = Future()
                    failed.set_exception(error)
                    self._pending.append((failed, -1))
                    self._ended = True
                else:
                    self._pending.append((self._pool.submit(self._function, batch), position))
            if not self._pending:
                raise StopIteration
            future, position = self._pending.popleft()
            return self._result(future), position
        except BaseException:
            self.close()
            raise

    @staticmethod
    def _result(future: Future[Any]) -> Any:
        try:
            return future.result()
        except StopIteration as stop:  # which would silently end the loop
            raise RuntimeError("the transform raised StopIteration") from stop


def transformed(epoch: Epoch, function: Callable[[Batch], Any] | None, threads: int, prefetch: int) -> Epoch | _Ahead:
    """Return `epoch` with `function` applied to each batch on threads; without a function, `epoch` itself."""
    return epoch if function is None else _Ahead(epoch, function, threads, prefetch)
