"""The page cache: loads files into it, or evicts them."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
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


def warm(path: Path) -> None:
    """Load a file, or all files of a folder, into the page cache."""
    piece = bytearray(4 << 20)
    for file_path in sorted(path.iterdir()) if path.is_dir() else [path]:
        with file_path.open("rb", buffering=0) as file:
            while file.readinto(piece):
                pass


def drop(paths: list[Path]) -> None:
    """Evict these files from the page cache. Pages that a process maps cannot be evicted; if any of them stay, this
    raises Failed.

    If evicting these files alone does not help, and the process is permitted to, evicts the whole page cache. That is
    the last resort, because it slows other work on this machine.
    """
    for path in paths:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if any(map(kept, paths)):
        with contextlib.suppress(OSError):
            Path("/proc/sys/vm/drop_caches").write_text("1")
    for path in filter(kept, paths):
        raise Failed(f"{path.name}: {cached_share(path):.0%} of it could not be dropped from the page cache")


def kept(path: Path) -> bool:
    return cached_share(path) > 0.01
