"""Progress of long operations: tqdm's bar if it is installed, otherwise one line that is written again."""

from __future__ import annotations

import contextlib
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

#: Called with bytes done, total bytes and records done, about ten times a second.
Report: TypeAlias = Callable[[int, int, int], Any]


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def _watched() -> bool:
    """Whether standard error is a terminal, or this is a notebook."""
    return (sys.stderr is not None and sys.stderr.isatty()) or _in_notebook()


def _bytes(count: int) -> str:
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


class _Line:
    """One line of progress: rewritten in a terminal by a carriage return, in a notebook by updating its output."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._begin = time.monotonic()
        self._width = 0
        self._shown: Any = None

    def report(self, done: int, total: int, records: int) -> None:
        seconds = max(time.monotonic() - self._begin, 1e-3)
        share = f"{min(done / total, 1):4.0%}" if total else "    "
        size = f"{_bytes(done)} of {_bytes(total)}" if total else _bytes(done)
        self._write(f"{self._title}: {share} {size}, {records:,} records, {_bytes(int(done / seconds))}/s")

    def _write(self, text: str) -> None:
        if _in_notebook():
            if self._shown is None:
                self._shown = importlib.import_module("IPython.display").display(_Text(text), display_id=True)
            else:
                self._shown.update(_Text(text))
        elif sys.stderr is not None:
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
            self._width = len(text)

    def close(self) -> None:
        if self._width and sys.stderr is not None:
            sys.stderr.write("\n")
            sys.stderr.flush()


class _Text:
    """A text that a notebook shows without quotes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _tqdm() -> Any:
    """tqdm's class of bars; None if it is not installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm


@contextlib.contextmanager
def reporting(progress: bool | Report | None, title: str) -> Iterator[Report | None]:
    """Yields the function to which a long operation reports.

    Args:
        progress: None shows progress if there is a terminal or notebook; True always does; False never does; a callable
            is yielded as it is.
        title: Text before the bar.
    """
    if callable(progress):
        yield progress
        return
    if progress is not None and not isinstance(progress, bool):
        raise TypeError(f"progress is None, True, False or a callable, not {type(progress).__name__}")
    if progress is False or (progress is None and not _watched()):
        yield None
        return
    tqdm = _tqdm()
    if tqdm is None or _in_notebook():  # a bar of tqdm needs ipywidgets there
        line = _Line(title)
        try:
            yield line.report
        finally:
            line.close()
        return
    with tqdm(desc=title, unit="B", unit_scale=True, unit_divisor=1024) as bar:

        def report(done: int, total: int, records: int) -> None:
            bar.total = total
            bar.set_postfix(records=f"{records:,}", refresh=False)
            bar.update(done - bar.n)

        yield report
