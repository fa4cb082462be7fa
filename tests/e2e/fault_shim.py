"""Runs the command with the library of tests/faults/ preloaded, which makes chosen calls fail or records them.

OFINDEX_FAULT_LIBRARY names the library (default: build/tests/faults/ofindex_faults.so of this repository).
"""

from __future__ import annotations

import errno
import os
import struct
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from e2e.command import COMMAND, REPOSITORY, Finished

LIBRARY = Path(
    os.environ.get("OFINDEX_FAULT_LIBRARY", REPOSITORY / "build" / "tests" / "faults" / "ofindex_faults.so")
).resolve()

#: In the order of `kKindNames` of tests/faults/plan.h.
KINDS = ("open", "close", "read", "map", "stat", "list", "write", "sync", "truncate", "rename", "link", "unlink",
         "mkdir", "rmdir", "lock", "dup", "chmod", "new", "sqlite", "library")  # fmt: skip
ALLOCATIONS = ("new", "sqlite", "library")
FILE_CALLS = tuple(kind for kind in KINDS if kind not in ALLOCATIONS)

COUNTS_BYTES = 4096
TIMEOUT_SECONDS = 20


@dataclass(frozen=True)
class Fault:
    """The `number`-th call of `kind` fails with an error number; 0: it reads or writes only half of the bytes. With
    `stays`, all such calls after it fail, too."""

    kind: str
    number: int
    error: int
    stays: bool = False

    def __str__(self) -> str:
        how = errno.errorcode.get(self.error, "short")
        return f"{self.kind} {self.number}{' and later' if self.stays else ''}: {how}"

    @property
    def plan(self) -> str:
        return f"{self.kind} {self.number} {self.error} {'on' if self.stays else 'once'}"


@dataclass(frozen=True)
class Shimmed:
    """A run of the command under the shim: how it ended, the number of its calls, and of those that failed."""

    finished: Finished
    counts: Mapping[str, int]
    struck: int


class Shim:
    """Runs the command in `folder`, whose files alone count, with notes in `notes`."""

    def __init__(self, folder: Path, notes: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._counts = notes / "counts"
        self.journal = notes / "journal"
        self._environment = {**environment, "LD_PRELOAD": str(LIBRARY), "FAULTS_FOLDER": str(folder),
                             "FAULTS_COUNTS": str(self._counts)}  # fmt: skip

    def run(self, *args: str, fault: Fault | None = None, records: bool = False) -> Shimmed:
        """Runs the command to its end; raises TimeoutExpired if it hangs. With `records`, all changes of files
        are in `self.journal`."""
        self._counts.write_bytes(bytes(COUNTS_BYTES))
        environment = dict(self._environment)
        if fault is not None:
            environment["FAULTS_PLAN"] = fault.plan
        if records:
            self.journal.unlink(missing_ok=True)
            environment["FAULTS_JOURNAL"] = str(self.journal)
        done = subprocess.run([COMMAND, *args], cwd=self._folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT_SECONDS, check=False)  # fmt: skip
        struck, *counts = struct.unpack_from(f"<{1 + len(KINDS)}Q", self._counts.read_bytes())
        finished = Finished(args, done.returncode, done.stdout, done.stderr.decode("utf-8", "backslashreplace"))
        return Shimmed(finished, dict(zip(KINDS, counts, strict=True)), struck)
