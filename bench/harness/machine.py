"""What a run should say about its machine."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from harness.settings import THREADS


def first(path: str, begin: str) -> str:
    """What follows `begin` in the first line of a file that begins so."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return ""
    return next((line[len(begin) :].strip(' :\t"') for line in lines if line.startswith(begin)), "")


def commit() -> str:
    """The commit of this tree; empty if it is not a git checkout."""
    words = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(words, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def facts() -> dict[str, Any]:
    memory = int(first("/proc/meminfo", "MemTotal").split()[0]) / 2**20
    return {
        "processor": first("/proc/cpuinfo", "model name") or platform.machine(),
        "processors": THREADS,
        "memory": f"{memory:.0f} GiB",
        "kernel": platform.release(),
        "system": first("/etc/os-release", "PRETTY_NAME="),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "commit": commit(),
        "load": round(os.getloadavg()[0], 1),
    }
