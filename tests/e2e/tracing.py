"""Runs the command under strace, which lists its system calls, makes one fail, or kills the command there."""

from __future__ import annotations

import re
import shutil
import subprocess
import unittest

from e2e.command import COMMAND, CommandTest, Finished


@unittest.skipUnless(shutil.which("strace"), "strace is not installed")
class TracedTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.environment = {**self.environment, "ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "detect_leaks=0"}
        if self.trace("info", "nothing").code == 1:
            self.skipTest("strace may not trace here")

    def trace(self, *args: str, inject: str = "") -> Finished:
        """Runs the command under strace, which writes the calls to `calls`."""
        call = ["strace", "-f", "-qq", "-o", str(self.dir.parent / "calls")]
        if inject:
            call += ["-e", f"inject={inject}"]
        traced = subprocess.run(
            [*call, str(COMMAND), *args], cwd=self.dir, env=self.environment, capture_output=True, timeout=60, check=False
        )
        return Finished(args, traced.returncode, traced.stdout, traced.stderr.decode("utf-8", "backslashreplace"))

    def calls(self) -> list[str]:
        """The names of the calls of the last trace, in order."""
        text = (self.dir.parent / "calls").read_text(errors="replace")
        return re.findall(r"^\d+ +([a-z_0-9]+)\(", text, re.MULTILINE)
