#!/usr/bin/env python3
"""The table of mutants applies to the sources as they are, and tools/mutate leaves nothing of a mutant behind."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import mutant_suites  # noqa: E402
import mutants  # noqa: E402

LOADER = SourceFileLoader("mutate", str(ROOT / "tools" / "mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", LOADER))
LOADER.exec_module(mutate)


def mutant(**fields) -> mutants.Mutant:
    return mutants.Mutant(
        **{"name": "a fault", "file": "a.cc", "old": "<=", "new": "<", "by": ("a_test.cc",), **fields}
    )


class TableTest(unittest.TestCase):
    def test_each_mutant_can_be_applied_once_and_its_tests_exist(self) -> None:
        self.assertEqual(mutants.problems(mutants.read_table(ROOT), ROOT), [])

    def test_every_part_of_the_project_has_mutants(self) -> None:
        table = mutants.read_table(ROOT)
        self.assertGreater(len(table), 300)
        tops = {one.file.split("/")[0] for one in table}
        self.assertEqual(tops, {"base", "proto", "mmap", "index", "query", "tools", "python"})

    def test_a_row_that_cannot_be_tried_is_a_problem(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tests").mkdir()
            (root / "tests" / "a_test.cc").touch()
            (root / "a.cc").write_text("a <= b; a <= c; a == d\n")
            for row, expected in (
                (mutant(old="=="), ""),
                (mutant(), "a.cc has the old text 2 times"),
                (mutant(old=">"), "a.cc has the old text 0 times"),
                (mutant(old=""), "a.cc has the old text 0 times"),
                (mutant(file="b.cc"), "there is no b.cc"),
                (mutant(old="==", new="=="), "the new text is the old one"),
                (mutant(old="==", by=()), "no test is named"),
                (mutant(old="==", by=("b_test.cc",)), "there is no tests/b_test.cc"),
            ):
                with self.subTest(expected):
                    self.assertIn(expected, "\n".join(mutants.problems([row], root)))
                    self.assertEqual(mutants.problems([row], root) == [], expected == "")
            self.assertIn("another mutant has this name", "\n".join(mutants.problems([mutant(), mutant()], root)))

    def test_a_row_with_other_fields_is_refused(self) -> None:
        with self.assertRaisesRegex(mutants.TableError, "a fault: expected the fields by, file, name, new, old"):
            mutants.rows_of('[[mutant]]\nname = "a fault"\nfile = "a.cc"\n')


class SuitesTest(unittest.TestCase):
    def test_a_test_that_takes_too_long_fails_and_has_timed_out(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            suites = mutant_suites.Suites(ROOT, pathlib.Path(folder), pathlib.Path(folder), 1)
            for command, passes, timed_out in ((["sleep", "9"], False, True), (["false"], False, False),
                                               (["true"], True, False)):  # fmt: skip
                with mock.patch.multiple(suites, _command_of=lambda *_, c=command: c, _variables_of=lambda _: {}):
                    self.assertEqual(suites.passes("a_test.cc", seconds=0.5), passes)
                self.assertEqual(suites.timed_out, timed_out)


class FakeSuites:
    """Tests that fail if the file has a text, by their names."""

    def __init__(self, tree: pathlib.Path, failing: dict[str, str]) -> None:
        self.tree, self.failing = tree, failing
        self.compiles_extension = False
        self.timed_out = False
        self.learnt: list[str] = []
        self.ran: list[str] = []
        self.forgotten = 0

    def learn(self, test: str) -> None:
        self.learnt.append(test)

    def passes(self, test: str) -> bool:
        self.timed_out = test.startswith("slow") and test in self.failing
        return self.failing.get(test, "nothing has this") not in (self.tree / "a.cc").read_text()

    def first_to_fail(self, tests, changed: str) -> str | None:
        self.ran += tests
        if "interrupt" in tests:
            raise KeyboardInterrupt
        return next((test for test in tests if not self.passes(test)), None)

    def all_for(self, file: str) -> list[str]:
        return ["a_test.cc", "broken_test.cc", "far_test.cc", "later_test.cc"]

    def forget_since(self, moment: float) -> None:
        self.forgotten += 1


class CampaignTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        (self.home / "tree").mkdir()
        self.file = self.home / "tree" / "a.cc"
        self.file.write_text("if (a <= b) return;\n")
        patch = mock.patch.object(mutate, "RESULTS", self.home / "results.jsonl")
        patch.start()
        self.addCleanup(patch.stop)

    def worker(self, **failing: str) -> mutate.Worker:
        tests = {f"{name}_test.cc": text for name, text in failing.items()}
        return mutate.Worker(self.home, FakeSuites(self.home / "tree", tests))

    def test_the_first_named_test_that_fails_kills(self) -> None:
        worker = self.worker(b="a < b", c="a < b")
        row = mutant(by=("a_test.cc", "b_test.cc", "c_test.cc"))
        self.assertEqual(worker.killer_of(row, named_only=True), "b_test.cc")
        self.assertEqual(worker.suites.learnt, ["a_test.cc", "b_test.cc"])

    def test_a_kill_by_time_is_told_from_a_test_that_fails(self) -> None:
        for name, by_time in (("slow", True), ("quick", False)):
            worker = self.worker(**{name: "a < b"})
            result = worker.tried(mutant(by=(f"{name}_test.cc",)), named_only=True)
            self.assertEqual((result["killed_by"], result["by_time"]), (f"{name}_test.cc", by_time))
            with contextlib.redirect_stdout(io.StringIO()) as out:
                mutate.print_line(mutant(), result)
            self.assertEqual("(time)" in out.getvalue(), by_time)

    def test_other_tests_are_tried_if_the_named_ones_pass(self) -> None:
        worker = self.worker(far="a < b")
        self.assertEqual(worker.killer_of(mutant(), named_only=False), "far_test.cc")
        self.assertIsNone(worker.killer_of(mutant(), named_only=True))

    def test_a_test_that_fails_without_the_mutant_kills_nothing(self) -> None:
        worker = self.worker(broken="return")
        self.assertIsNone(worker.killer_of(mutant(), named_only=False))
        self.assertEqual(worker.suites.ran[-2:], ["far_test.cc", "later_test.cc"])

    def test_the_file_is_as_before_whatever_happens(self) -> None:
        before = self.file.stat().st_mtime_ns
        worker = self.worker(a="a < b")
        worker.killer_of(mutant(), named_only=True)
        with self.assertRaises(KeyboardInterrupt):
            worker.killer_of(mutant(by=("interrupt",)), named_only=True)
        self.assertEqual(self.file.read_text(), "if (a <= b) return;\n")
        self.assertEqual(self.file.stat().st_mtime_ns, before)
        self.assertEqual(worker.suites.forgotten, 2)

    def test_what_was_built_with_a_mutant_is_forgotten_after_a_crash(self) -> None:
        worker = self.worker()
        worker.marker.touch()
        self.file.write_text("if (a < b) return;\n")

        def copy(tree: pathlib.Path) -> None:
            (tree / "a.cc").write_text("if (a <= b) return;\n")

        with mock.patch.object(mutate, "copy_tree", copy):
            worker.prepare()
            worker.prepare()
        self.assertEqual(worker.suites.forgotten, 1)

    def test_all_workers_together_try_each_mutant_once(self) -> None:
        rows = [mutant(name=f"fault {number}", new=new) for number, new in enumerate(["<", ">", "==", "<"])]
        homes = [self.home / "1", self.home / "2"]
        workers = []
        for home in homes:
            (home / "tree").mkdir(parents=True)
            (home / "tree" / "a.cc").write_text("if (a <= b) return;\n")
            workers.append(mutate.Worker(home, FakeSuites(home / "tree", {"a_test.cc": "a < b"})))
        with mock.patch.object(mutate, "copy_tree"), contextlib.redirect_stdout(io.StringIO()) as out:
            results = mutate.try_all(rows, workers, named_only=True)
        self.assertEqual([results[row]["killed_by"] for row in rows], ["a_test.cc", None, None, "a_test.cc"])
        self.assertEqual(out.getvalue().count("SURVIVED"), 2)
        self.assertEqual(mutate.known_results(), results)

    def test_results_are_kept_by_row(self) -> None:
        killed, changed = mutant(), mutant(new=">")
        mutate.keep(killed, {"killed_by": "a_test.cc", "seconds": 1.5})
        self.assertEqual(mutate.known_results()[killed]["killed_by"], "a_test.cc")
        self.assertNotIn(changed, mutate.known_results())
        mutate.keep(killed, {"killed_by": None, "seconds": 2.5})
        self.assertIsNone(mutate.known_results()[killed]["killed_by"])


if __name__ == "__main__":
    unittest.main()
