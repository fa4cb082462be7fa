"""Runs a command under resource limits and measures its peak memory.

A process inherits the peak of its parent, so the command is started by a small separate interpreter. The 10 MB or so of
that interpreter are the smallest peak that can be measured.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from e2e.command import COMMAND, TIMEOUT_SECONDS, CommandTest, Finished

_LAUNCHER = """
import os, resource, sys
report, address_space, data, descriptors, *command = sys.argv[1:]
child = os.fork()
if child == 0:
    limits = ("RLIMIT_AS", address_space), ("RLIMIT_DATA", data), ("RLIMIT_NOFILE", descriptors)
    for limit, value in ((getattr(resource, name), int(value)) for name, value in limits):
        if value:
            resource.setrlimit(limit, (value, value))
    os.execv(command[0], command)
_, status, usage = os.wait4(child, 0)
with open(report, "w") as file:
    file.write(str(usage.ru_maxrss))
code = os.waitstatus_to_exitcode(status)
os._exit(code if code >= 0 else 128 - code)
"""


@dataclass(frozen=True)
class Bounded:
    """How the command ended, and its peak memory in bytes. If signal N killed the command, the exit code is 128 + N."""

    finished: Finished
    peak_bytes: int


def run_bounded(
    test: CommandTest,
    args: Sequence[str | Path],
    address_space_bytes: int = 0,
    data_bytes: int = 0,
    descriptors: int = 0,
    timeout: float = TIMEOUT_SECONDS,
) -> Bounded:
    """Runs the command in the folder of `test`. A limit of 0 means none; the command is killed after `timeout` seconds.

    Files that are mapped count as address space, but not as data.
    """
    with tempfile.NamedTemporaryFile("r") as report:
        texts = tuple(map(str, args))
        launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, report.name]
        process = subprocess.Popen(
            [*launcher, *map(str, (address_space_bytes, data_bytes, descriptors)), str(COMMAND), *texts],
            cwd=test.dir,
            env=test.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
        )
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the launcher and the command that it waits for
            process.communicate()
            raise
        peak_bytes = int(report.read()) * 1024
    finished = Finished(texts, process.returncode, stdout, stderr.decode("utf-8", "backslashreplace"))
    return Bounded(finished, peak_bytes)


def is_address_sanitized() -> bool:
    """True if the command is built with AddressSanitizer, which reserves terabytes of addresses: its address space
    cannot be limited."""
    return os.path.isfile(COMMAND) and b"__asan_init" in COMMAND.read_bytes()
