#!/usr/bin/env python3
"""Kernels alone evaluate the same expressions with other versions of SQLite as with the version of the build.

query/sql/where.cc and query/sql/group_loop.cc read the bytecode of a statement, whose opcodes may change from one version
of SQLite to the next. Their tests are run again with each shared library in OFINDEX_SQLITES, which are separated by
colons; PyPI's pysqlite3-binary has one in its folder pysqlite3_binary.libs. Without OFINDEX_SQLITES, there is nothing
to run.

Usage: sqlite_versions_test.py QUERY_TEST, the program of the unit tests of query/.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path()
SOURCES = ",".join(f"*query/sql/{name}_test.cc" for name in ("where", "grouped_statements", "aggregate_oracle"))
LIBRARIES = [pathlib.Path(name).resolve() for name in os.environ.get("OFINDEX_SQLITES", "").split(":") if name]


def run_with(library: pathlib.Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the unit tests with `library` in place of the system's SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "libsqlite3.so.0").symlink_to(library)
        return subprocess.run(
            [str(PROGRAM), *args],
            env={**os.environ, **environment, "LD_LIBRARY_PATH": folder},
            capture_output=True,
            text=True,
            timeout=250,
        )


class SqliteVersionsTest(unittest.TestCase):
    """Runs the tests of programs with one SQLite library after another."""

    @unittest.skipUnless(LIBRARIES, "OFINDEX_SQLITES names no library")
    def test_kernels_answer_the_same_expressions_with_every_version(self) -> None:
        for library in LIBRARIES:
            with self.subTest(str(library)):
                loaded = run_with(library, LD_TRACE_LOADED_OBJECTS="1").stdout
                self.assertRegex(loaded, r"libsqlite3\.so\.0 => " + tempfile.gettempdir())
                run = run_with(library, f"--source-file={SOURCES}", "--minimal")
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
