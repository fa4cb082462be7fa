#!/usr/bin/env python3
"""Adds up the tests in the logs of `meson test`: the last line is "N passed, N failed".

    summary.py TESTLOG.json...

If a test program prints the summary of doctest or unittest, the cases in that summary are counted; any other program
counts as one test. A program that Meson reports as failed counts as at least one failure. A missing or empty log means
that a run did not take place, which is a failure. Exit code: 0 if nothing failed, otherwise 1.

Skipped cases of unittest count neither as passed nor as failed. If there are any, the line before the last one is "N
skipped: REASON (count), ...". Reasons are lines such as "skipped: no torch", which the runners in tests/ print at their
end. Cases of doctest that return early say so in a message, "not run: REASON" or "skipped: REASON"; doctest counts them
as passed. Cases that a filter of doctest leaves out are not counted.
"""

import collections
import json
import pathlib
import re
import sys

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
DOCTEST = re.compile(r"^\[doctest\] test cases: *\d+ *\| *(\d+) passed *\| *(\d+) failed", re.MULTILINE)
UNITTEST = re.compile(r"^Ran (\d+) tests? in .*\n+(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$", re.MULTILINE)
MESSAGE = re.compile(r"^\S+:\d+: MESSAGE: (?:skipped|not run): (.+)$", re.MULTILINE)
REASON = re.compile(r"^skipped: (.+)$", re.MULTILINE)
BAD_RESULTS = {"FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS"}


def named_counts(details):
    """The numbers in the parentheses of a line such as `FAILED (failures=1, errors=2, skipped=3)`, by name."""
    return {name.strip(): int(count) for name, count in re.findall(r"([a-z ]+)=(\d+)", details or "")}


def unittest_counts(ran, details):
    """(passed, failed) of a line such as `FAILED (failures=1, errors=2, skipped=3)` after `Ran 33 tests`."""
    counts = named_counts(details)
    failed = counts.get("failures", 0) + counts.get("errors", 0) + counts.get("unexpected successes", 0)
    # Failed subtests and class fixtures are reported too, so there may be more failures than tests.
    return max(0, int(ran) - failed - counts.get("skipped", 0)), failed


def output_of(test):
    """The output of one entry of a log, without colours."""
    return COLOUR.sub("", test.get("stdout", "") + "\n" + test.get("stderr", ""))


def count(test):
    """(passed, failed) of one entry of a log."""
    output = output_of(test)
    reports = [(int(passed), int(failed)) for passed, failed in DOCTEST.findall(output)]
    reports += [unittest_counts(*report) for report in UNITTEST.findall(output)]
    bad = test["result"] in BAD_RESULTS
    if not reports:
        return (0, 1) if bad else (0, 0) if test["result"] == "SKIP" else (1, 0)
    passed = sum(report[0] for report in reports)
    failed = sum(report[1] for report in reports)
    return passed, max(failed, int(bad))


def skips(test):
    """The reason of each skipped case of one entry of a log. If the log has no reason, the name of the entry."""
    output = output_of(test)
    reports = UNITTEST.findall(output)
    skipped = sum(named_counts(details).get("skipped", 0) for _, details in reports)
    if test["result"] == "SKIP" and not reports:
        skipped = 1
    reasons = REASON.findall(output)[-skipped:] if skipped else []
    return MESSAGE.findall(output) + reasons + [f"in {test['name']}"] * (skipped - len(reasons))


def read_log(path):
    """The entries of a log, one JSON object per line; none if the file is missing."""
    log = pathlib.Path(path)
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if line.strip()]


def main(paths, out=sys.stdout):
    all_passed = all_failed = 0
    all_skipped = collections.Counter()
    for path in paths:
        tests = read_log(path)
        if not tests:
            print(f"{path}: no test ran", file=out)
            all_failed += 1
        for test in tests:
            passed, failed = count(test)
            all_passed += passed
            all_failed += failed
            all_skipped.update(skips(test))
            if failed:
                print(f"{path}: {test['name']}: {test['result']}, {failed} failed", file=out)
    if all_skipped:
        reasons = ", ".join(f"{reason} ({number})" for reason, number in all_skipped.most_common())
        print(f"{sum(all_skipped.values())} skipped: {reasons}", file=out)
    print(f"{all_passed} passed, {all_failed} failed", file=out)
    return 1 if all_failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
