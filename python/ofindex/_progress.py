"""Progress of long operations, shown by tqdm if it is installed and output is interactive."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

#: Called with bytes done, total bytes and records done, about ten times a second.
Report: TypeAlias = Callable[[int, int, int], Any]


def _watched() -> bool:
    """Whether standard error is a terminal, or this is a notebook."""
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


@contextlib.contextmanager
def reporting(progress: bool | Report | None, title: str) -> Iterator[Report | None]:
    """Yields the function to which a long operation reports.

    Args:
        progress: None shows a bar if tqdm is installed and there is a terminal or notebook; True requires tqdm and
            shows a bar; False shows none; a callable is yielded as it is.
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
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress:
            raise
        yield None
        return
    with tqdm(desc=title, unit="B", unit_scale=True, unit_divisor=1024) as bar:

        def report(done: int, total: int, records: int) -> None:
            bar.total = total
            bar.set_postfix(records=f"{records:,}", refresh=False)
            bar.update(done - bar.n)

        yield report
