#!/usr/bin/env python3
"""Adds up the tests in the logs of `meson test`: the last line is "N passed, N failed".

    summary.py TESTLOG.json...

If a test program prints the summary of doctest or unittest, the cases in that summary are counted; any other program
counts as one test. A program that Meson reports as failed counts as at least one failure. Skipped cases count neither
as passed nor as failed. A missing or empty log means that a run did not take place, which is a failure. Exit code: 0 if
nothing failed, otherwise 1.
"""

import json
import pathlib
import re
import sys

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
DOCTEST = re.compile(r"^\[doctest\] test cases: *\d+ *\| *(\d+) passed *\| *(\d+) failed", re.MULTILINE)
UNITTEST = re.compile(r"^Ran (\d+) tests? in .*\n+(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$", re.MULTILINE)
BAD_RESULTS = {"FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS"}


def unittest_counts(ran, details):
    """(passed, failed) of a line such as `FAILED (failures=1, errors=2, skipped=3)` after `Ran 33 tests`."""
    counts = {name.strip(): int(count) for name, count in re.findall(r"([a-z ]+)=(\d+)", details or "")}
    failed = counts.get("failures", 0) + counts.get("errors", 0) + counts.get("unexpected successes", 0)
    # Failed subtests and class fixtures are reported too, so there may be more failures than tests.
    return max(0, int(ran) - failed - counts.get("skipped", 0)), failed


def count(test):
    """(passed, failed) of one entry of a log."""
    output = COLOUR.sub("", test.get("stdout", "") + "\n" + test.get("stderr", ""))
    reports = [(int(passed), int(failed)) for passed, failed in DOCTEST.findall(output)]
    reports += [unittest_counts(*report) for report in UNITTEST.findall(output)]
    bad = test["result"] in BAD_RESULTS
    if not reports:
        return (0, 1) if bad else (0, 0) if test["result"] == "SKIP" else (1, 0)
    passed = sum(report[0] for report in reports)
    failed = sum(report[1] for report in reports)
    return passed, max(failed, int(bad))


def read_log(path):
    """The entries of a log, one JSON object per line; none if the file is missing."""
    log = pathlib.Path(path)
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if line.strip()]


def main(paths, out=sys.stdout):
    all_passed = all_failed = 0
    for path in paths:
        tests = read_log(path)
        if not tests:
            print(f"{path}: no test ran", file=out)
            all_failed += 1
        for test in tests:
            passed, failed = count(test)
            all_passed += passed
            all_failed += failed
            if failed:
                print(f"{path}: {test['name']}: {test['result']}, {failed} failed", file=out)
    print(f"{all_passed} passed, {all_failed} failed", file=out)
    return 1 if all_failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
