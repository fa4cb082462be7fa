"""Runs a program to its end, with everything that it starts."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


def end_by_exception() -> None:
    """Makes SIGTERM and SIGHUP end this program as Ctrl-C does, so that finished() ends what it has started."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


@dataclass(frozen=True)
class Finished:
    """What a program left: its exit code and its output. `group` was its process group."""

    code: int
    output: str
    errors: str
    group: int


def finished(words: Sequence[str], environment: Mapping[str, str], seconds: float) -> Finished:
    """Runs a program in a session of its own. When it ends, whatever it started ends too: workers of loaders outlive
    a program that exits early, and would keep a pipe open.

    Raises:
        subprocess.TimeoutExpired: it did not end in time.
    """
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            words,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        try:
            code = process.wait(seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        errors.seek(0)
        return Finished(code, output.read(), errors.read(), process.pid)
