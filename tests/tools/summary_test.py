#!/usr/bin/env python3
"""Tests of tools/summary.py, on logs as Meson writes them."""

import io
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import summary  # noqa: E402


def entry(result="OK", stdout="", stderr=""):
    return {"name": "a test", "result": result, "stdout": stdout, "stderr": stderr}


def doctest(passed, failed, skipped=0):
    return (
        "[doctest] doctest version is \"2.4.9\"\n"
        + "=" * 79
        + f"\n[doctest] test cases: {passed + failed:4} | {passed:4} passed | {failed} failed | {skipped} skipped\n"
        "[doctest] assertions: 9999 | 9998 passed | 1 failed |\n[doctest] Status: whatever\n"
    )


class CountTest(unittest.TestCase):
    def test_the_tests_in_each_kind_of_output_are_counted(self):
        cases = [
            ("doctest, all passed", entry(stdout=doctest(12, 0)), (12, 0)),
            ("doctest, some failed", entry("FAIL", doctest(10, 2, 3)), (10, 2)),
            ("doctest in colour",
             entry(stdout="\x1b[36m[doctest] \x1b[0mtest cases: 3 | \x1b[32m3 passed\x1b[0m | 0 failed\x1b[0m |"),
             (3, 0)),
            ("unittest, on standard error", entry(stderr="....\nRan 33 tests in 1.204s\n\nOK\n"), (33, 0)),
            ("one test", entry(stderr="Ran 1 test in 0.000s\n\nOK\n"), (1, 0)),
            ("skipped tests do not count as passed", entry(stderr="Ran 33 tests in 0.1s\n\nOK (skipped=3)\n"), (30, 0)),
            ("failures and errors", entry("FAIL", stderr="Ran 33 tests in 0.1s\n\nFAILED (failures=1, errors=2)\n"),
             (30, 3)),
            ("an unexpected success is a failure",
             entry("FAIL", stderr="Ran 5 tests in 0.1s\n\nFAILED (skipped=1, unexpected successes=1)\n"), (3, 1)),
            ("an expected failure is a pass",
             entry(stderr="Ran 5 tests in 0.1s\n\nOK (expected failures=2)\n"), (5, 0)),
            ("more failed subtests than tests",
             entry("FAIL", stderr="Ran 1 test in 0.1s\n\nFAILED (failures=4)\n"), (0, 4)),
            ("two reports in one output",
             entry(stdout=doctest(2, 0) + doctest(3, 0), stderr="Ran 4 tests in 0.1s\n\nOK\n"), (9, 0)),
            ("no report", entry(stdout="fine\n"), (1, 0)),
            ("no report, failed", entry("FAIL"), (0, 1)),
            ("no report, skipped", entry("SKIP"), (0, 0)),
            ("an expected failure in Meson", entry("EXPECTEDFAIL"), (1, 0)),
            ("killed before the report", entry("TIMEOUT"), (0, 1)),
            ("all cases passed, then a crash", entry("ERROR", doctest(12, 0)), (12, 1)),
        ]
        for name, test, counts in cases:
            with self.subTest(name):
                self.assertEqual(summary.count(test), counts)

    def test_a_report_that_does_not_begin_its_line_is_ignored(self):
        self.assertEqual(summary.count(entry(stdout="see: [doctest] test cases: 9 | 9 passed | 9 failed\n")), (1, 0))


class SkipsTest(unittest.TestCase):
    def test_each_skipped_case_has_its_reason_or_else_the_name_of_its_test(self):
        skipped = "Ran 9 tests in 0.1s\n\nOK (skipped=2)\n"
        cases = [
            ("none", entry(stdout=doctest(12, 0)), []),
            ("the runners print reasons", entry(stdout="skipped: no torch\nskipped: no tf\n", stderr=skipped),
             ["no torch", "no tf"]),
            ("without a reason", entry(stderr=skipped), ["in a test", "in a test"]),
            ("with one of two reasons", entry(stdout="skipped: no torch\n", stderr=skipped), ["no torch", "in a test"]),
            ("a whole program", entry("SKIP", "skipped: no Python; tools/test makes one\n"),
             ["no Python; tools/test makes one"]),
            ("a whole program without a reason", entry("SKIP"), ["in a test"]),
            ("messages of doctest", entry(stdout="a.cc:96: \x1b[36mMESSAGE: \x1b[0mnot run: no fixtures\n"
                                          "b.cc:7: MESSAGE: skipped: too slow\n" + doctest(12, 0)),
             ["no fixtures", "too slow"]),
            ("a message about something else", entry(stdout="a.cc:9: MESSAGE: reads that were right: 7\n" +
                                                     doctest(12, 0)), []),
            ("lines of the command", entry(stdout="skipped: 3 files\n", stderr="Ran 9 tests in 0.1s\n\nOK\n"), []),
            ("a line of the command, and a reason",
             entry("SKIP", "skipped: 3 files\nskipped: no torch\n"), ["no torch"]),
            ("cases that a filter leaves out", entry(stdout=doctest(12, 0, 40)), []),
        ]
        for name, test, reasons in cases:
            with self.subTest(name):
                self.assertEqual(summary.skips(test), reasons)


class MainTest(unittest.TestCase):
    def run_main(self, *logs):
        """Runs summary.main() on a log for each list of tests (None: no file). Returns its exit code and lines."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, f"{number}.json") for number in range(len(logs))]
            for path, tests in zip(paths, logs):
                if tests is not None:
                    path.write_text("".join(json.dumps(test) + "\n" for test in tests), encoding="utf-8")
            out = io.StringIO()
            code = summary.main([str(path) for path in paths], out)
            return code, out.getvalue().replace(folder, "logs").splitlines()

    def test_the_tests_of_all_logs_are_counted(self):
        code, lines = self.run_main([entry(stdout=doctest(12, 0)), entry()], [entry(stdout=doctest(7, 0))])
        self.assertEqual((code, lines), (0, ["20 passed, 0 failed"]))

    def test_failed_tests_are_named(self):
        code, lines = self.run_main([entry(), entry("FAIL", doctest(1, 2))])
        self.assertEqual((code, lines), (1, ["logs/0.json: a test: FAIL, 2 failed", "2 passed, 2 failed"]))

    def test_skipped_tests_are_on_the_line_before_the_last_with_the_most_frequent_reason_first(self):
        skipped = "Ran 9 tests in 0.1s\n\nOK (skipped=2)\n"
        code, lines = self.run_main([entry("SKIP", "skipped: no Ray\n"), entry(stderr=skipped)],
                                    [entry("FAIL", "skipped: no torch\nskipped: no Ray\n", skipped)])
        self.assertEqual(code, 1)
        self.assertEqual(lines[1:], ["5 skipped: no Ray (2), in a test (2), no torch (1)", "14 passed, 1 failed"])

    def test_a_run_without_tests_is_a_failure(self):
        for empty in (None, []):
            code, lines = self.run_main([entry()], empty)
            self.assertEqual((code, lines), (1, ["logs/1.json: no test ran", "1 passed, 1 failed"]))


if __name__ == "__main__":
    unittest.main()
