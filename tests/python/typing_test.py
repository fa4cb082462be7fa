"""The package's types are sound, its stubs are those of the extension, and its code is in the house's style."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECKED = ("python", "tests/python", "examples", "bench/python")


class TypingTest(unittest.TestCase):
    def run_tool(self, *arguments: str) -> None:
        if importlib.util.find_spec(arguments[0].partition(".")[0]) is None:
            self.skipTest(f"{arguments[0]} is not installed")
        done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_mypy_finds_nothing_in_strict_mode(self) -> None:
        self.run_tool("mypy", "--config-file=pyproject.toml", "-p", "ofindex")

    def test_the_stubs_are_those_of_the_extension(self) -> None:
        self.run_tool(
            "mypy.stubtest",
            "ofindex._ofindex",
            "--ignore-disjoint-bases",
            "--ignore-unused-allowlist",
            "--allowlist=python/src/stubtest.txt",
        )

    def test_ruff_finds_nothing(self) -> None:
        folders = [folder for folder in CHECKED if (ROOT / folder).is_dir()]
        self.run_tool("ruff", "check", *folders)
        self.run_tool("ruff", "format", "--check", *folders)


if __name__ == "__main__":
    unittest.main()
