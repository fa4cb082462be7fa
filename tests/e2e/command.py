"""Runs the `ofindex` command for the tests of this folder.

OFINDEX_BIN names the command (default: build/tools/ofindex of this repository).
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("OFINDEX_BIN", REPOSITORY / "build" / "tools" / "ofindex")).resolve()

TIMEOUT_SECONDS = 120


@dataclass(frozen=True)
class Finished:
    """A process that has ended."""

    args: tuple[str, ...]
    code: int
    stdout: bytes
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)

    @property
    def jsonl(self) -> list[Any]:
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def text(self) -> str:
        return self.stdout.decode("utf-8")

    def __str__(self) -> str:
        head = self.stdout[:400].decode("utf-8", "backslashreplace")
        return f"ofindex {' '.join(self.args)}\nexit code {self.code}\nstdout: {head}\nstderr: {self.stderr[:2000]}"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


class CommandTest(unittest.TestCase):
    """A test with an empty folder of its own, `self.dir`, in which the command runs."""

    def setUp(self) -> None:
        if not COMMAND.is_file():
            raise FileNotFoundError(f"no command at {COMMAND}: build it, or set OFINDEX_BIN")
        temporary = tempfile.TemporaryDirectory(prefix="ofindex-e2e-")
        self.addCleanup(temporary.cleanup)
        self.dir = Path(temporary.name).resolve() / "work"
        self.dir.mkdir()
        # Removes the colours, defaults and cache folder of the user who runs the tests.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("OFINDEX_", "CLICOLOR"))}
        kept.pop("NO_COLOR", None)
        kept.update(HOME=temporary.name, XDG_CACHE_HOME=f"{temporary.name}/cache")
        self.environment: Mapping[str, str] = kept

    def start(self, *args: str | Path, **popen: Any) -> subprocess.Popen[bytes]:
        """Starts the command, which is killed if it still runs when the test ends."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.dir}
        process = subprocess.Popen([COMMAND, *map(str, args)], **{**pipes, "env": self.environment, **popen})
        self.addCleanup(_end, process)
        return process

    def finish(
        self, process: subprocess.Popen[bytes], stdin: bytes | None = None, timeout: float = TIMEOUT_SECONDS
    ) -> Finished:
        """Waits for the end of the command, at most `timeout` seconds."""
        stdout, stderr = process.communicate(stdin, timeout)
        assert isinstance(process.args, list)
        args = tuple(map(str, process.args[1:]))
        return Finished(args, process.returncode, stdout or b"", (stderr or b"").decode("utf-8", "backslashreplace"))

    def run_command(
        self, *args: str | Path, stdin: bytes | None = None, timeout: float = TIMEOUT_SECONDS, **popen: Any
    ) -> Finished:
        """Runs the command to its end; relative paths are in `self.dir`."""
        if stdin is not None:
            popen["stdin"] = subprocess.PIPE
        return self.finish(self.start(*args, **popen), stdin, timeout)

    def expect(self, code: int, *args: str | Path, **options: Any) -> Finished:
        """Runs the command and fails unless it ends with exit code `code`."""
        finished = self.run_command(*args, **options)
        self.assertEqual(finished.code, code, finished)
        return finished

    def expect_error(self, code: int, *args: str | Path, **options: Any) -> Finished:
        """Like expect(), for a failure with two lines on stderr and no data on stdout."""
        finished = self.expect(code, *args, **options)
        lines = finished.stderr.splitlines()
        self.assertEqual([line.partition(":")[0] for line in lines], ["ofindex", "hint"], finished)
        self.assertEqual(finished.stdout, b"", finished)
        return finished

    def assert_same(self, found: Any, expected: Any, what: object) -> None:
        """Like assertEqual(), for values that are too large to be shown."""
        self.assertTrue(found == expected, f"{what}: not as expected")

    def bytes_of(self, index: str) -> tuple[bytes, bytes]:
        """The bytes of an index and of its map."""
        return (self.dir / index).read_bytes(), (self.dir / f"{index}-map").read_bytes()

    def put_back(self, index: str, before: tuple[bytes, bytes]) -> None:
        """Writes an index and its map as bytes_of() has found them."""
        (self.dir / index).write_bytes(before[0])
        (self.dir / f"{index}-map").write_bytes(before[1])

    def names(self, folder: Path | None = None) -> list[str]:
        """The names in `folder` (default: the test's own), including dot files."""
        return sorted(os.listdir(folder or self.dir))
