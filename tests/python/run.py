#!/usr/bin/env python3
"""Runs the tests of the Python package: all of them, or those named.

    tests/python/run.py [-v] [--environment ray|spark] [NAME...]

A NAME is a file (`dataset_test`), or a class or a test in one. The tests run in the interpreter that OFINDEX_PYTHON
names, or else in the environment that tools/test makes in build/python: with `--environment ray`, in build/ray, which
has Ray, and likewise for Spark. Without either, they are skipped (exit code 77).

    tests/python/run.py --extension FILE [--preload FILE] NAME...

tests the Python sources of this tree with the extension FILE, which was built under a sanitizer for the interpreter
that OFINDEX_PYTHON names, in Python's development mode. `--preload` names the sanitizer's library.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ENVIRONMENTS = ("python", "ray", "spark")
SKIPPED = 77


def interpreter(environment: str) -> str | None:
    """The path of the Python that has the package; None if there is no such Python."""
    named = os.environ.get("OFINDEX_PYTHON")
    if named:
        return named
    made = TESTS.parent / "build" / environment / "bin" / "python"
    return str(made) if made.exists() else None


def load(name: str) -> unittest.TestSuite:
    """The tests called `name`. If a framework that they need is missing, one skipped test that names the framework."""
    try:
        return unittest.defaultTestLoader.loadTestsFromName(name)
    except unittest.SkipTest as missing:
        skipped = unittest.skip(f"{name}: {missing}")(lambda: None)
        return unittest.TestSuite([unittest.FunctionTestCase(skipped, description=name)])


def run(names: list[str], verbose: bool) -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs that a script puts into the background ignore it
    sys.path.insert(0, str(TESTS))
    found = {path.stem: f"python.{path.stem}" for path in sorted(Path(__file__).parent.glob("*_test.py"))}
    heads = [name.partition(".") for name in names or found]
    chosen = [found.get(head, head) + dot + rest for head, dot, rest in heads]
    suite = unittest.TestSuite(load(name) for name in chosen)
    result = unittest.TextTestRunner(verbosity=2 if verbose else 1).run(suite)
    for _, reason in result.skipped:
        print(f"skipped: {reason}")  # for tools/summary.py
    return 0 if result.wasSuccessful() else 1


def variables_for(extension: Path, preload: str, folder: Path) -> dict[str, str]:
    """Makes in `folder` the package, of this tree's sources and `extension`; returns the environment that tests it."""
    package = folder / "ofindex"
    package.mkdir()
    for source in (TESTS.parent / "python" / "ofindex").iterdir():
        (package / source.name).symlink_to(source)
    (package / extension.name).symlink_to(extension.resolve())
    return {"PYTHONPATH": str(folder), "PYTHONDEVMODE": "1", **({"LD_PRELOAD": preload} if preload else {})}


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the tests of ofindex's Python package.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="test file, class or test (default: all)")
    parser.add_argument("--environment", choices=ENVIRONMENTS, default="python", help="folder in build/")
    parser.add_argument("--extension", type=Path, metavar="FILE", help="extension to test, and not the installed one")
    parser.add_argument("--preload", default="", metavar="FILE", help="library that the extension needs loaded first")
    parser.add_argument("-v", "--verbose", action="store_true", help="name each test and its outcome")
    arguments = parser.parse_args()
    if os.environ.get("OFINDEX_INSIDE") == "1":
        return run(arguments.names, arguments.verbose)
    python = interpreter(arguments.environment)
    if python is None:
        print("skipped: no Python environment with ofindex; tools/test makes one")
        return SKIPPED
    # Spark's tests are short programs for Java, which take longer to optimise than to run.
    hasty = (
        {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"} if arguments.environment == "spark" else {}
    )
    with tempfile.TemporaryDirectory(prefix="ofindex-package-") as folder:
        checked = variables_for(arguments.extension, arguments.preload, Path(folder)) if arguments.extension else {}
        variables = {**hasty, **os.environ, **checked, "OFINDEX_INSIDE": "1"}
        return subprocess.run([python, *sys.argv], env=variables).returncode


if __name__ == "__main__":
    sys.exit(main())
