"""The batches of one epoch, read ahead: what loaders and adapters share."""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .. import _ofindex
from .._arguments import whole
from .._batch import Batch, Decoding, processor_count
from .._epochs import Order
from .workers import ThreadWorkers


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


class Batches(Protocol):
    """An iterator over batches, each with the position in the epoch at which the next one begins."""

    def __next__(self) -> tuple[Any, int]: ...

    def close(self) -> Any: ...


class Ahead:
    """Has workers apply a function to an iterator's items, some items ahead, and yields the results in order."""

    def __init__(self, items: Batches, workers: ThreadWorkers, prefetch: int) -> None:
        self._items = items
        self._workers = workers
        self._prefetch = prefetch
        self._pending: deque[tuple[Future[Any], int]] = deque()
        self._ended = False
        self._closed = False
        self._process = os.getpid()

    def close(self) -> None:
        """End the workers, after waiting for the running calls."""
        self._closed = True
        if os.getpid() == self._process:
            self._workers.close()
        self._items.close()

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        return self

    def __next__(self) -> tuple[Any, int]:
        try:
            if os.getpid() != self._process:  # a forked child does not have the workers
                raise ValueError("the loader belongs to another process; start one in each process after the fork")
            # A few more with each call, so that the first result does not wait until all are there.
            goal = min(self._prefetch, len(self._pending) + self._workers.count + 1)
            while not self._ended and len(self._pending) < goal:
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
                    self._pending.append((self._workers.submit(batch), position))
            if not self._pending:
                raise StopIteration
            future, position = self._pending.popleft()
            return self._workers.result(future), position
        except BaseException as error:
            closed = self._closed  # by another thread: there is no worker left, or the call was cancelled
            self.close()
            if closed and isinstance(error, (CancelledError, RuntimeError)):
                raise StopIteration from None
            raise


def _applied(values: Callable[[Batch], Any], transform: Callable[[Any], Any], batch: Batch) -> Any:
    return transform(values(batch))


def transformed(
    epoch: Epoch,
    values: Callable[[Batch], Any],
    transform: Callable[[Any], Any],
    threads: int,
    processes: int,
    prefetch: int,
) -> Ahead:
    """Return `epoch` with ``transform(values(batch))`` for each batch, computed on threads or, if there are any, in
    processes."""
    function = partial(_applied, values, transform)
    if processes:
        from .processes import ProcessWorkers

        workers: ThreadWorkers = ProcessWorkers(function, processes)
    else:
        workers = ThreadWorkers(function, threads)
    return Ahead(epoch, workers, prefetch or 2 * (processes or threads))
