"""The open index under a Dataset and all views of it."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _ofindex

if TYPE_CHECKING:
    from ._server import Server

Path: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"


def open_source(path: Path, options: dict[str, Any]) -> _ofindex.Source:
    """Open the index at `path`; `options` are root, io, allow_bad, cache_bytes and attach."""
    root = options["root"]
    return _ofindex.open_source(
        os.fspath(path),
        b"" if root is None else os.fspath(root),
        options["io"],
        options["allow_bad"],
        options["cache_bytes"],
        options.get("attach", []),
    )


_MAX_NAMES = 8 << 20
"""An index may lack some feature names if they are longer than this in total."""


class Shared:
    """What all views of an open dataset share, created on first use."""

    def __init__(self, source: _ofindex.Source) -> None:
        self._source = source
        self._payloads: _ofindex.Payloads | None = None
        self.server: Server | None = None

    @property
    def payloads(self) -> _ofindex.Payloads:
        if self._payloads is None:
            self._payloads = _ofindex.payloads_of([self._source])
        return self._payloads

    @cached_property
    def features(self) -> frozenset[str] | None:
        """Names of all features in records; None if the index does not have all of them."""
        names = frozenset(feature["name"] for feature in _ofindex.features(self._source, False))
        whole = len(names) < _ofindex.max_features and sum(map(len, names)) < _MAX_NAMES
        return names if whole else None
