"""Memory, descriptors and threads of processes while they run, from /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass

KIB = 1024


@dataclass(frozen=True)
class Use:
    """Memory of one process in bytes, and its numbers of descriptors and threads."""

    resident: int = 0
    proportional: int = 0  # a page that n processes share counts for one n-th
    anonymous: int = 0  # not pages of files
    descriptors: int = 0
    threads: int = 0


def use_of(process: int) -> Use:
    """Returns the use of a running process now."""
    with open(f"/proc/{process}/smaps_rollup") as rollup:
        sizes = {line.split(":")[0]: int(line.split()[1]) * KIB for line in rollup if line.endswith("kB\n")}
    return Use(
        resident=sizes["Rss"],
        proportional=sizes["Pss"],
        anonymous=sizes["Anonymous"],
        descriptors=len(os.listdir(f"/proc/{process}/fd")),
        threads=len(os.listdir(f"/proc/{process}/task")),
    )
