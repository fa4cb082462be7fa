#!/usr/bin/env python3
"""fuzz/run.py reports findings, processes that end for another reason, and parsers of which inputs reach too few lines.

Shell scripts take the place of libFuzzer's program.
"""

from __future__ import annotations

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "fuzz"))
import run  # noqa: E402
from parser_lines import Lines  # noqa: E402

# Without arguments, the program prints its table of targets. With them, it is a process of the fuzzer.
PROGRAM = """#!/bin/sh
if [ $# = 0 ]; then
  printf 'fake\\t10\\tnothing\\ta.cc\\n'
  exit
fi
for argument; do
  case $argument in
    -artifact_prefix=*) prefix=${argument#*=} ;;
    -seed=*) seed=${argument#*=} ;;
  esac
done
echo 'stat::number_of_executed_units: 1000' >&2
"""
SAVES = """
echo broken >"${prefix}crash-1"
echo "artifact_prefix='$prefix'; Test unit written to ${prefix}crash-1" >&2
"""


class FuzzRunTest(unittest.TestCase):
    def run_fuzz(self, script: str, *options: str, reached: int = 100) -> tuple[int, str]:
        """Runs fuzz/run.py with two processes that do as `script` says, for a parser of 100 lines."""

        def measure(program: pathlib.Path, target: run.Target, work: pathlib.Path, outcome: run.Outcome) -> None:
            outcome.by_file = {"a.cc": Lines(set(range(reached)), set(range(reached, 100)))}

        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            program = pathlib.Path(folder, "program")
            program.write_text(PROGRAM + script)
            program.chmod(0o755)
            words = ["--program", program, "--covered", program, "--work", folder, "--jobs", "2", "--seed", "1", "1"]
            with mock.patch.object(sys, "argv", ["run.py", *map(str, words), *options]), \
                    mock.patch.object(run, "measure", measure):  # fmt: skip
                code = run.main()
        return code, out.getvalue()

    def test_processes_that_end_well_are_no_trouble(self) -> None:
        code, out = self.run_fuzz("")
        self.assertEqual(code, 0, out)
        self.assertIn("fake: 2,000 inputs", out)
        self.assertNotIn("ended with", out)

    def test_a_process_that_is_killed_is_reported_although_the_other_one_ends_well(self) -> None:
        code, out = self.run_fuzz('[ "$seed" = 1 ] || kill -KILL $$\n')
        self.assertEqual(code, 1, out)
        self.assertEqual(out.count("a process of the fuzzer ended with signal 9 (Killed) and saved no input"), 1, out)

    def test_an_exit_code_without_a_saved_input_is_reported_with_the_last_words(self) -> None:
        code, out = self.run_fuzz("echo no such option >&2; exit 3\n")
        self.assertEqual(code, 1, out)
        self.assertRegex(out, "ended with exit code 3 and saved no input: .*no such option")

    def test_an_input_that_was_saved_is_the_finding_and_its_process_no_trouble(self) -> None:
        for end in ("exit 77", "kill -KILL $$"):
            with self.subTest(end):
                code, out = self.run_fuzz(f'[ "$seed" = 1 ] || exit 0\n{SAVES}{end}\n')
                self.assertEqual(code, 1, out)
                self.assertIn("fake-crash-1", out)
                self.assertNotIn("ended with", out)

    def test_a_parser_of_which_inputs_reach_too_few_lines_is_reported(self) -> None:
        self.assertEqual(self.run_fuzz("", reached=95)[0], 0)
        code, out = self.run_fuzz("", reached=94)
        self.assertEqual(code, 1, out)
        self.assertIn("94.0 % of the lines of its parser are reached or explained; expected 95 %", out)
        self.assertEqual(self.run_fuzz("", "--no-coverage", reached=94)[0], 0)


if __name__ == "__main__":
    unittest.main()
