"""mypy accepts the package, its stubs match the extension, mypy and pyright accept code that uses it, and ruff accepts
all."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECKED = ("python", "tests/python", "examples", "bench")


# What mypy's stubtest reports about any nanobind module, because its classes and functions have nanobind's own types.
# The test still checks that each class, function and method exists in the stubs and at run time.
OF_NANOBIND = re.compile(
    r"ofindex\._ofindex\."
    r"([A-Z]\w* is inconsistent, metaclass differs"
    r"|[A-Z]\w*\.__init__ is inconsistent, stub does not have \*args parameter \"args\""
    r"|([a-z_]+|Rows\.parse) is not a function"
    r"|Rows\.parse is inconsistent, stub is a staticmethod but runtime is not)"
)


class TypingTest(unittest.TestCase):
    def run_tool(self, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
        if importlib.util.find_spec(arguments[0].partition(".")[0]) is None:
            self.skipTest(f"{arguments[0]} is not installed")
        environment = {**os.environ, "MYPYPATH": path}
        return subprocess.run(
            [sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=ROOT, env=environment
        )

    def check(self, *arguments: str, path: str = "") -> None:
        done = self.run_tool(*arguments, path=path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_mypy_finds_nothing_in_the_package_or_in_code_of_users(self) -> None:
        files = [ROOT / "tests" / "python" / "typed_use.py", *sorted((ROOT / "examples").rglob("*.py"))]
        self.assertGreater(len(files), 5)
        modules = [f"--module={file.stem}" for file in files]
        path = ":".join(sorted({str(file.parent) for file in files}))
        self.check("mypy", "--config-file=pyproject.toml", "--package=ofindex", *modules, path=path)

    def test_pyright_accepts_code_of_users(self) -> None:
        self.check("basedpyright", "--project=tests/python/pyright.json", "--pythonpath", sys.executable)

    def test_the_stubs_match_the_extension(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as config:
            config.write("[mypy]\nfollow_imports = skip\n")  # reading frameworks would take a minute
            config.flush()
            options = ("--ignore-disjoint-bases", "--concise", f"--mypy-config-file={config.name}")
            done = self.run_tool("mypy.stubtest", "ofindex._ofindex", *options)
        lines = done.stdout.splitlines()
        self.assertEqual([line for line in lines if not OF_NANOBIND.fullmatch(line)], [], done.stderr)
        self.assertTrue(lines, done.stderr)  # it ran

    def test_ruff_finds_nothing(self) -> None:
        folders = [folder for folder in CHECKED if (ROOT / folder).is_dir()]
        self.check("ruff", "check", *folders)
        self.check("ruff", "format", "--check", *folders)


if __name__ == "__main__":
    unittest.main()
