#!/usr/bin/env python3
"""Runs the tests of the page of `ofindex serve` in Chromium: all of them, or those named.

    tests/page/run.py [-v] [NAME...]

A NAME is a file (`explore_test`), or a class or a test in one. They need Selenium and axe-core, which the environment
that tools/test makes in build/python has, or the interpreter that OFINDEX_PYTHON names, and Debian's chromium and
chromium-driver. Without these, they are skipped (exit code 77).
"""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from python.run import SKIPPED, interpreter  # noqa: E402  (found through the line above)

NEEDED = (Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver"))


def run(names: list[str], verbose: bool) -> int:
    found = {path.stem: f"page.{path.stem}" for path in sorted(Path(__file__).parent.glob("*_test.py"))}
    heads = [name.partition(".") for name in names or found]
    suite = unittest.defaultTestLoader.loadTestsFromNames(
        [found.get(head, head) + dot + rest for head, dot, rest in heads]
    )
    result = unittest.TextTestRunner(verbosity=2 if verbose else 1).run(suite)
    for _, reason in result.skipped:
        print(f"skipped: {reason}")  # for tools/summary.py
    return 0 if result.wasSuccessful() else 1


def main() -> int:
    names = [name for name in sys.argv[1:] if name != "-v"]
    if os.environ.get("OFINDEX_INSIDE") == "1":
        return run(names, "-v" in sys.argv)
    for needed in NEEDED:
        if not needed.exists():
            print(f"skipped: {needed} is missing; tools/test installs it")
            return SKIPPED
    python = interpreter("python")
    if (
        python is None
        or subprocess.run([python, "-c", "import selenium, axe_core_python"], capture_output=True).returncode
    ):
        print("skipped: Selenium or axe-core is missing; tools/test installs them in build/python")
        return SKIPPED
    return subprocess.run([python, __file__, *sys.argv[1:]], env={**os.environ, "OFINDEX_INSIDE": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main())
