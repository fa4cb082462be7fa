"""The open index under a Dataset and all views of it."""

from __future__ import annotations

import os
import threading
import weakref
from functools import cached_property
from typing import Any, TypeAlias

from . import _ofindex

Path: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"


def open_source(path: Path, options: dict[str, Any]) -> _ofindex.Source:
    """Open the index at `path`; `options` are root, io, allow_bad and cache_bytes."""
    root = options["root"]
    return _ofindex.open_source(
        os.fspath(path),
        b"" if root is None else os.fspath(root),
        options["io"],
        options["allow_bad"],
        options["cache_bytes"],
    )


_MOST_NAMES = 8 << 20
"""If its feature names are longer than this in total, an index may lack some."""

# A forked child must neither use nor close SQLite's connections, so it parks them here.
_abandoned: list[object] = []
_all_shared: weakref.WeakSet[Shared] = weakref.WeakSet()


class Shared:
    """State shared by all views of an open dataset, created on first use. A forked child opens the SQLite connections
    again, on the same file: an index that was built over it since is a different one."""

    def __init__(self, source: _ofindex.Source) -> None:
        self._source = source
        self.payloads: _ofindex.Payloads | None = None
        self._columns: _ofindex.Columns | None = None
        self._opening = threading.Lock()
        _all_shared.add(self)

    def abandon(self) -> None:
        """Drop the connections, which belong to the parent process of the fork."""
        _abandoned.append(self._columns)
        self._columns = None
        self._opening = threading.Lock()

    @property
    def columns(self) -> _ofindex.Columns:
        with self._opening:
            if self._columns is None:
                self._columns = _ofindex.open_columns(self._source)
            return self._columns

    @cached_property
    def features(self) -> frozenset[str] | None:
        """Names of all features in records; None if the index does not have all of them."""
        names = frozenset(feature["name"] for feature in _ofindex.features(self._source))
        whole = len(names) < _ofindex.most_features and sum(map(len, names)) < _MOST_NAMES
        return names if whole else None


def _abandon_connections() -> None:
    """Run in a forked child: drop the parent's connections without closing them."""
    for shared in list(_all_shared):
        shared.abandon()


os.register_at_fork(after_in_child=_abandon_connections)
