"""Threads that apply a function to batches."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any


class ThreadWorkers:
    """Threads that apply a function. `close` waits for the running calls; dropping it does not."""

    def __init__(self, function: Callable[[Any], Any], threads: int) -> None:
        self.count = threads
        self._function = function
        self._begin(ThreadPoolExecutor(max_workers=threads, thread_name_prefix="ofindex-transform"))

    def _begin(self, pool: Executor) -> None:
        self._pool = pool
        self._stop = weakref.finalize(self, pool.shutdown, wait=False, cancel_futures=True)

    def submit(self, batch: Any) -> Future[Any]:
        """Return the future of `function(batch)`, for `result`."""
        return self._pool.submit(self._function, batch)

    def result(self, future: Future[Any]) -> Any:
        """Wait for a future of `submit`, and return its result or raise its exception."""
        try:
            return future.result()
        except StopIteration as stop:  # which would silently end the loop
            raise RuntimeError("the transform raised StopIteration") from stop

    def close(self) -> None:
        """End the workers, after waiting for the running calls."""
        self._pool.shutdown(wait=True, cancel_futures=True)
