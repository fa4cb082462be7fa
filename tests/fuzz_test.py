#!/usr/bin/env python3
"""Each fuzz target tries inputs for a second, from a fixed seed, and finds nothing. `tools/fuzz` runs them for longer.

fuzz_test.py PROGRAM
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else ""


class FuzzTest(unittest.TestCase):
    def test_every_target_tries_inputs_and_finds_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as work:
            done = subprocess.run(
                [sys.executable, ROOT / "fuzz" / "run.py", "--program", PROGRAM, "--work", work, "--no-coverage",
                 "--jobs", "1", "--seed", "1", "1"],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            findings = [path.read_bytes().hex() for path in pathlib.Path(work, "findings").glob("*")]
        self.assertEqual((done.returncode, findings), (0, []), done.stdout + done.stderr)
        tried = dict(re.findall(r"^(\w+): ([\d,]+) inputs", done.stdout, re.MULTILINE))
        self.assertEqual(set(tried), {path.name for path in (ROOT / "fuzz" / "corpus").iterdir()})
        self.assertNotIn("0", tried.values())


if __name__ == "__main__":
    unittest.main()
