"""The calls of ofindex that the topics have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ofindex

import cache


def built(folder: Path) -> Any:
    """The dataset in this folder, loaded into the page cache. Its index is built on first use, and kept."""
    ofindex.build(folder, verify=False, columns="none", progress=False)
    cache.warm(folder)
    return ofindex.open(folder)


def image() -> dict[str, Any]:
    return {"image": ofindex.fixed("bytes")}


def features() -> dict[str, Any]:
    """All five features of a small record."""
    numbers = {"label": "int64", "height": "int64", "width": "int64", "score": "float32"}
    return {name: ofindex.fixed(dtype) for name, dtype in numbers.items()} | image()


def bytes_in(values: Any) -> int:
    """Total size of all values of a bytes feature."""
    return sum(map(len, values))
