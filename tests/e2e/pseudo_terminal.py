"""Runs the `ofindex` command, or another program, on a pseudo-terminal, as a user at a keyboard does."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

from e2e.command import COMMAND, CommandTest

SECONDS = 30  # until a test gives up waiting

ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>78MDEc])")


class PseudoTerminal:
    """A command with a terminal of its own as standard input, output and error."""

    def __init__(
        self,
        test: CommandTest,
        *args: str | Path,
        program: str | Path = COMMAND,
        columns: int = 80,
        lines: int = 24,
        **variables: str | None,
    ) -> None:
        """`variables` are added to the environment; None removes one."""
        self.test = test
        self.raw = ""  # all output so far
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.unread = ""  # what expect() has not returned yet, without escape sequences
        self.master, self.slave = pty.openpty()
        self.resize(columns, lines)
        environment = {"TERM": "xterm", "LANG": "C.UTF-8", **test.environment}
        for name in ("COLUMNS", "LINES", "PAGER", "LESS", "LC_ALL", "LC_CTYPE"):
            environment.pop(name, None)
        for name, value in variables.items():
            environment.pop(name, None)
            if value is not None:
                environment[name] = value
        self.modes = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            [program, *map(str, args)],
            cwd=test.dir,
            env=environment,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        test.addCleanup(self.close)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, columns: int, lines: int = 24) -> None:
        """Changes the size of the terminal; the process in it is told."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def send(self, text: str) -> None:
        os.write(self.master, text.encode())

    def read(self, seconds: float) -> bool:
        """Reads what has been written, or waits for it; false if there is nothing."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            got = self.decoder.decode(os.read(self.master, 1 << 16))
        except OSError:  # the other end is closed
            return False
        self.raw += got
        self.unread = ESCAPE.sub("", self.unread + got).replace("\r\n", "\n")
        return True

    def expect(self, pattern: str) -> str:
        """Waits for a match of `pattern`; returns the output up to its end."""
        end = time.monotonic() + SECONDS
        while True:
            found = re.search(pattern, self.unread, re.MULTILINE)
            if found:
                text, self.unread = self.unread[: found.end()], self.unread[found.end() :]
                return text
            if time.monotonic() > end or (not self.read(0.1) and self.process.poll() is not None):
                self.read(0.1)
                if not re.search(pattern, self.unread, re.MULTILINE):
                    self.test.fail(f"no match of {pattern!r} in:\n{self.raw[-3000:]}")

    def wait(self) -> int:
        """Waits for the end of the process; returns its exit code."""
        end = time.monotonic() + SECONDS
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.05)
        while self.read(0):
            pass
        return self.process.wait(1)


class Prompt(PseudoTerminal):
    """The prompt of `ofindex sql`."""

    PROMPT = r"(?:^|\r)ofindex> $"

    def ready(self) -> str:
        """Waits for the prompt; returns the output before it."""
        return self.expect(self.PROMPT).rpartition("ofindex> ")[0]

    def paged(self, line: str) -> str:
        """Enters a line whose answer is longer than the screen; returns all that less shows."""
        self.send(line + "\n")
        shown = ""
        while not shown.endswith("ofindex> "):
            shown += self.expect(rf"(returns to the prompt|\(END\)|{self.PROMPT})")
            self.send("q" if shown.endswith("(END)") else " " if shown.endswith("returns to the prompt") else "")
        return shown

    def ask(self, text: str) -> str:
        """Enters a line; returns the output after its echo, up to the next prompt."""
        self.send(text + "\n")
        return self.ready().partition("\n")[2]
