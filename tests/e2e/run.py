#!/usr/bin/env python3
"""Runs the Python tests: all of them, or those named.

    tests/e2e/run.py [-v] [NAME...]

A NAME is a file (`damage_test`), or a class or a test in one (`damage_test.HostileLengthTest`). The exit code is 0 if
all passed, else 1. OFINDEX_BIN, OFINDEX_FIXTURES and OFINDEX_KILLS: see command.py, fixtures.py and kill_test.py.
"""

from __future__ import annotations

import argparse
import sys
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
FOLDERS = ("oracle", "e2e")


def modules() -> dict[str, str]:
    """Maps each file name without .py to the name of its module below tests/."""
    paths = [path for folder in FOLDERS for path in sorted((TESTS / folder).glob("*_test.py"))]
    return {path.stem: f"{path.parent.name}.{path.stem}" for path in paths}


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the Python tests of ofindex.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="test file, class or test (default: all)")
    parser.add_argument("-v", "--verbose", action="store_true", help="name each test and its outcome")
    arguments = parser.parse_args()
    sys.path.insert(0, str(TESTS))
    found = modules()
    chosen = list(found.values())
    if arguments.names:
        heads = [name.partition(".") for name in arguments.names]
        chosen = [found.get(head, head) + dot + rest for head, dot, rest in heads]
    suite = unittest.defaultTestLoader.loadTestsFromNames(chosen)
    result = unittest.TextTestRunner(verbosity=2 if arguments.verbose else 1).run(suite)
    for _, reason in result.skipped:
        print(f"skipped: {reason}")  # for tools/summary.py
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
