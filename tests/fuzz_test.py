#!/usr/bin/env python3
"""Each fuzz target runs for a second, on all cores, and finds nothing. `tools/fuzz` runs them for longer."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPILER = shutil.which("clang++-14")


def lacks_libfuzzer():
    """Why the targets cannot be built; empty if they can."""
    if COMPILER is None:
        return "clang++-14 is not installed: libFuzzer belongs to clang"
    command = [COMPILER, f"-print-file-name=libclang_rt.fuzzer-{os.uname().machine}.a"]
    library = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return "" if os.path.exists(library) else "libFuzzer is not installed: it is in Debian's libclang-rt-14-dev"


class FuzzTest(unittest.TestCase):
    @unittest.skipIf(lacks_libfuzzer(), lacks_libfuzzer())
    def test_every_target_tries_inputs_and_finds_nothing(self):
        command = [ROOT / "tools" / "fuzz", "--no-coverage", "1"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        tried = dict(re.findall(r"^(\w+): ([\d,]+) inputs", done.stdout, re.MULTILINE))
        self.assertEqual(set(tried), {path.name for path in (ROOT / "fuzz" / "corpus").iterdir()})
        self.assertNotIn("0", tried.values())


if __name__ == "__main__":
    unittest.main()
