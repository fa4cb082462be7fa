"""Facts from the kernel about the memory of processes (proc(5)), in bytes."""

from __future__ import annotations

import resource
from pathlib import Path


def field_of(path: str, name: str) -> int:
    for line in Path(path).read_text().splitlines():
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])
    return 0


def peak() -> int:
    """The peak resident memory of this program, or of the largest program that it has run."""
    children = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return max(field_of("/proc/self/status", "VmHWM"), children)


def owned() -> int:
    """Memory that belongs to no file, so the kernel cannot evict it: this process's share of anonymous and shared
    memory."""
    path = "/proc/self/smaps_rollup"
    return field_of(path, "Pss_Anon") + field_of(path, "Pss_Shmem")
