"""Processes that apply a function to batches. Imported only where they are used, as they take long to import."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from typing import Any

import numpy as np

from .._batch import Batch
from .._foreign import shown
from .workers import ThreadWorkers


class ProcessWorkers(ThreadWorkers):
    """Processes that apply a function. They are spawned, because a fork would copy locks that threads hold."""

    def __init__(self, function: Callable[[Batch], Any], processes: int) -> None:
        self.count = processes
        self._answered = False
        context = multiprocessing.get_context("spawn")
        self._begin(ProcessPoolExecutor(processes, context, _begin_worker, (pickle.dumps(function),)))

    def close(self) -> None:
        """End the workers, after waiting for the running calls."""
        if sys.version_info >= (3, 11, 5):
            super().close()
            return
        pool: Any = self._pool
        managing, calls = pool._executor_manager_thread, pool._call_queue
        pool.shutdown(wait=False, cancel_futures=True)
        while managing is not None and managing.is_alive():
            managing.join(0.05)
            if pool._broken:
                # A thread would wait forever to send a batch to the worker that was killed:
                # https://github.com/python/cpython/issues/94777
                calls._reader.close()

    def submit(self, batch: Any) -> Future[Any]:
        try:
            return self._pool.submit(_apply, _Sent(batch))  # type: ignore[arg-type]  # it arrives as a batch
        except BrokenProcessPool as broken:  # raised in place of the batch
            failed: Future[Any] = Future()
            failed.set_exception(broken)
            return failed

    def result(self, future: Future[Any]) -> Any:
        try:
            value, error = super().result(future)
        except BrokenProcessPool as broken:
            text = "a worker process of the Loader ended before it returned its batch\n"
            text += "look for a crash in the transform, or for a process that was killed for its use of memory"
            if not self._answered:
                text += '; a script must begin the loop under `if __name__ == "__main__":`'
            raise RuntimeError(text) from broken
        self._answered = True
        if error is not None:
            raise error
        return value


def check_sendable(transform: Callable[..., Any]) -> None:
    """Fail if worker processes cannot get `transform`.

    Raises:
        TypeError: it cannot be pickled, or was defined where other processes cannot import it.
    """
    advice = "define it with `def` in a module that can be imported, or leave out `processes`"
    begun = sys.modules.get("__main__")
    if getattr(transform, "__module__", None) == "__main__" and not hasattr(begun, "__file__"):
        raise TypeError(f"transform={shown(transform)}: worker processes cannot import what is defined here\n{advice}")
    try:
        pickle.dumps(transform)
    except Exception as error:
        text = f"transform={shown(transform)}: cannot be pickled for worker processes: {error}\n{advice}"
        raise TypeError(text) from error


class _Sent:
    """A batch on its way to a worker, which receives the batch itself. Pickled on a thread of the pool."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle.loads, (pickle.dumps(self._batch, pickle.HIGHEST_PROTOCOL),)


class _Returned:
    """A pickled result on its way back. Arrives as a pair: the result, and the error of unpickling it."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._data,)


def _unpickled(data: bytes) -> tuple[Any, Exception | None]:
    try:
        return pickle.loads(data), None
    except Exception as error:  # raised here, it would end the pool
        return None, error


# Below: functions that run in a worker process.

_pickled_function = b""


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _begin_worker(function: bytes) -> None:
    global _pickled_function
    _pickled_function = function
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that reads the batches handles it
    parent = multiprocessing.parent_process()
    threading.Thread(target=_end_with, args=(parent,), name="ofindex-parent", daemon=True).start()


@cache
def _function() -> Callable[[Batch], Any]:
    """Unpickle the function, on the first batch: an error in the initializer of a worker would lose its text."""
    try:
        function: Callable[[Batch], Any] = pickle.loads(_pickled_function)
    except Exception as error:
        raise TypeError(
            f"a worker process cannot load the transform: {error}\n"
            "define it in a module that can be imported, or leave out `processes`"
        ) from error
    # The main script, imported again, may have seeded all workers alike.
    random.seed()
    np.random.seed()
    return function


@cache
def _tame(torch: Any) -> None:
    """Seed torch, which begins alike in every process, and leave it one thread."""
    torch.seed()
    torch.set_num_threads(1)


def _can_be_sent(error: Exception) -> bool:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True


def _apply(batch: Batch) -> _Returned:
    """Return the result for `batch`; called by the pool, which adds the traceback to an exception."""
    function = _function()
    if "torch" in sys.modules:  # imported by the transform's module or, later than it should, by its first call
        _tame(sys.modules["torch"])
    try:
        result = function(batch)
    except Exception as error:
        if _can_be_sent(error):
            raise
        raise RuntimeError(f"{type(error).__name__}: {error}") from error
    try:
        return _Returned(pickle.dumps(result, pickle.HIGHEST_PROTOCOL))
    except Exception as error:
        raise TypeError(
            f"the transform returned a {type(result).__name__} that cannot be pickled: {error}\n"
            "return arrays, tensors or plain values, or leave out `processes`"
        ) from error
