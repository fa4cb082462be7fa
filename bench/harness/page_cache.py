"""The page cache: loads files into it, or evicts them."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)


def files_of(paths: Iterable[Path]) -> Iterator[Path]:
    """The files among `paths` and in the folders among them."""
    for path in paths:
        if path.is_dir():
            yield from sorted(inner for inner in path.rglob("*") if inner.is_file())
        elif path.is_file():
            yield path


def cached_share(path: Path) -> float:
    """The share of a file's pages that are in memory."""
    if path.stat().st_size == 0:
        return 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE) as data:
        pages = bytearray(-(-len(data) // mmap.PAGESIZE))
        address = ctypes.addressof(ctypes.c_char.from_buffer(data))
        vector = (ctypes.c_ubyte * len(pages)).from_buffer(pages)
        if LIBC.mincore(ctypes.c_void_p(address), ctypes.c_size_t(len(data)), vector):
            raise OSError(ctypes.get_errno(), "mincore", str(path))
        return sum(page & 1 for page in pages) / len(pages)


def warm(paths: Iterable[Path]) -> None:
    """Load files, and all files of folders, into the page cache."""
    piece = bytearray(4 << 20)
    for path in files_of(paths):
        with path.open("rb", buffering=0) as file:
            while file.readinto(piece):
                pass


def drop(paths: Iterable[Path]) -> None:
    """Evict files from the page cache; raise OSError if any of them stay, as pages do that a process maps.

    If evicting these files alone does not help, and the process is permitted to, evicts the whole page cache. That is
    the last resort, because it slows other work on this machine.
    """
    files = list(files_of(paths))
    os.sync()  # unwritten pages cannot be evicted
    for path in files:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if any(map(kept, files)):
        with contextlib.suppress(OSError):
            Path("/proc/sys/vm/drop_caches").write_text("1")
    for path in filter(kept, files):
        raise OSError(f"{path.name}: {cached_share(path):.0%} of it could not be dropped from the page cache")


def kept(path: Path) -> bool:
    return cached_share(path) > 0.01
