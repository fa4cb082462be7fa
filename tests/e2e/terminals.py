"""Programs that run in a pseudo-terminal, and are typed to."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

# For one answer of a program, sanitizers and a busy machine included.
ANSWER_SECONDS = 40


class Terminal:
    """A program in a pseudo-terminal of `columns` by `rows`; use it in a with statement, which ends the program."""

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        columns: int = 200,
        rows: int = 50,
    ) -> None:
        self.seen = b""
        self.process, self.master = pty.fork()
        if self.process == 0:
            try:
                os.chdir(folder)
                os.execvpe(argv[0], list(argv), dict(environment))
            finally:
                os._exit(127)
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Sets the size; the program receives SIGWINCH."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Reads until `pattern` (a regular expression; `.` matches no newline) occurs, and drops what precedes its end.

        Raises AssertionError, with all that was read, if it does not occur in time, or if the program ends.
        """
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            text = self.seen.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
            found = re.search(pattern, text, re.MULTILINE)
            if found:
                self.seen = text[found.end() :].encode()
                return found
            if not self.read_more(deadline):
                raise AssertionError(f"{pattern!r} did not appear; the terminal shows:\n{text}")

    def read_more(self, deadline: float) -> bool:
        """Reads what the program has written; returns False if it wrote nothing until `deadline`, or has ended."""
        readable, _, _ = select.select([self.master], [], [], max(0.0, deadline - time.monotonic()))
        if not readable:
            return False
        try:
            more = os.read(self.master, 1 << 16)
        except OSError:  # EIO: the program has ended
            return False
        self.seen += more
        return bool(more)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.master)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
