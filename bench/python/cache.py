"""The page cache: emptied of some files, and asked what it has of them."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from turns import Failed

LIBC = ctypes.CDLL(None, use_errno=True)


def cached_share(path: Path) -> float:
    """The share of a file's pages that are in memory."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE) as data:
        pages = np.zeros(-(-len(data) // mmap.PAGESIZE), dtype=np.uint8)
        address = ctypes.addressof(ctypes.c_char.from_buffer(data))
        if LIBC.mincore(ctypes.c_void_p(address), ctypes.c_size_t(len(data)), ctypes.c_void_p(pages.ctypes.data)):
            raise OSError(ctypes.get_errno(), "mincore", str(path))
        return float((pages & 1).mean())


def drop(paths: Iterable[Path]) -> None:
    """Takes these files out of the page cache. A page that somebody maps stays: that is a failure, and is told."""
    with contextlib.suppress(OSError):  # only root may; what is told of each file is enough, but slower
        Path("/proc/sys/vm/drop_caches").write_text("1")
    for path in paths:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        if (share := cached_share(path)) > 0.01:
            raise Failed(f"{path.name}: {share:.0%} of it could not be dropped from the page cache")
