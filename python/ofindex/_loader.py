"""Epochs of batches, read ahead by threads: what the adapters for torch and TensorFlow are made of."""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._arguments import whole
from ._batch import Batch, Decoding, processor_count


class Order(Protocol):
    """Rows of an epoch as the loader takes them: the extension's own sampler, or a function of Python."""

    def __call__(self, count: int, /) -> tuple[npt.NDArray[np.int64], int]: ...


def _noting(order: Order, threads: set[int]) -> Order:
    """`order`, which notes what threads it is called on."""

    def take(count: int, /) -> tuple[npt.NDArray[np.int64], int]:
        threads.add(threading.get_ident())
        return order(count)

    return take


def _close(loader: _ofindex.Loader, drawing: set[int]) -> None:
    """Closes `loader`, which waits for its threads; on one of those, where garbage is collected, without waiting."""
    if threading.get_ident() in drawing:
        threading.Thread(target=loader.close, name="ofindex-close").start()
    else:
        loader.close()


def checked_reading(batch_size: int, threads: int | None, prefetch: int) -> tuple[int, int, int]:
    """How an `Epoch` is read: the arguments of the adapters, of which `threads` may be None, one a processor.

    Raises:
        TypeError: one is no integer. ValueError: one makes no sense.
    """
    return (
        whole(batch_size, "batch_size", 1, 2**28),
        processor_count() if threads is None else whole(threads, "threads", 1, 1024),
        whole(prefetch, "prefetch", 1, 2**20),
    )


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
        drawing: set[int] = set()  # threads that call `order`
        if not isinstance(order, _ofindex.RowSampler):
            order = _noting(order, drawing)
        self._loader = _ofindex.Loader(payloads, decoding.decoder, order, batch_size, threads, prefetch)
        # Also at the interpreter's exit, before its threads are gone.
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
        self._process = os.getpid()

    def close(self) -> None:
        """Stops the threads; what runs is waited for."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._items.close()

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        return self

    def __next__(self) -> tuple[Any, int]:
        try:
            if os.getpid() != self._process:  # the threads are not in a forked child
                raise ValueError("the loader belongs to another process; start one in each process after the fork")
            while not self._ended and len(self._pending) < self._prefetch:
                try:
                    batch, position = next(self._items)
                except StopIteration:
                    self._ended = True
                except Exception as error:  # comes in its batch's place
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
        except StopIteration as stop:  # which would end the loop in silence
            raise RuntimeError("the transform raised StopIteration") from stop


def transformed(epoch: Epoch, function: Callable[[Batch], Any] | None, threads: int, prefetch: int) -> Epoch | _Ahead:
    """`epoch` with `function` applied to each batch, on threads; itself without one."""
    return epoch if function is None else _Ahead(epoch, function, threads, prefetch)
