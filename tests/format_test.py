#!/usr/bin/env python3
"""All C++ sources are formatted by clang-format; `clang-format-14 -i FILE` formats a file."""

import pathlib
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMATTER = shutil.which("clang-format-14")
FOLDERS = (
    *("base", "proto", "mmap", "index", "query", "include", "library"),
    *("tools", "python", "examples", "tests", "bench", "fuzz"),
)


def sources():
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in {".h", ".cc"})


@unittest.skipIf(FORMATTER is None, "clang-format-14 is not installed")
class FormatTest(unittest.TestCase):
    def check(self, paths, **more):
        command = [FORMATTER, "--dry-run", "--Werror", "--ferror-limit=1", *map(str, paths)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, **more)

    def test_every_source_is_formatted(self):
        files = sources()
        self.assertGreater(len(files), 400)
        checked = self.check(files)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_an_unformatted_source_is_found(self):
        self.assertNotEqual(self.check(["--assume-filename=base/a.h"], input="int  a ;\n").returncode, 0)


if __name__ == "__main__":
    unittest.main()
