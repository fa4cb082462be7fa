#!/usr/bin/env python3
"""Tests of bench/harness: results, rows, tables and plots from fixed results, and what tools say about themselves."""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))

from harness import store  # noqa: E402
from harness.data import Data, Grid  # noqa: E402
from harness.figures import number, with_spread  # noqa: E402
from harness.machine import facts  # noqa: E402
from harness.peer import Peer  # noqa: E402
from harness.process import finished  # noqa: E402
from harness.report import Report, reasons, settings_of  # noqa: E402
from harness.results import Result, Results, differing  # noqa: E402
from harness.schedule import Schedule  # noqa: E402
from harness.summary import Row, rows  # noqa: E402
from harness.task import Figure  # noqa: E402
from peers import PEERS  # noqa: E402
from tasks import TASKS  # noqa: E402
from tasks.pairs import numbers_of  # noqa: E402

MAX_FILES = 25  # in a room
SPEED = Figure("rate", "speed", "records/s", more_is_better=True)
TIME = Figure("ms", "time", "ms")


def results(tool, figure, *values):
    """A result per turn, the first of which warms up."""
    return [Result("get", "350B-1000x1", tool, turn, {figure: value}) for turn, value in enumerate((0.5, *values))]


def a_run(folder):
    """Three tools at one task, of which one cannot be installed."""
    run = Results(pathlib.Path(folder) / "results.jsonl")
    run.tell({"titles": {"350B-1000x1": "350 B, 1,000 records, 1 shard"}})
    for one in results("ofindex", "rate", 3000, 2000, 4000) + results("lmdb", "rate", 1000, 1000, 1000):
        run.add(one)
    for one in results("limit", "rate", 6000, 6000, 6000):
        run.add(one)
    run.add(Result("get", "350B-1000x1", "lance", 0, why="cannot be installed: no | such version"))
    return run


class RowsTest(unittest.TestCase):
    def test_ratios_are_taken_turn_by_turn_and_the_first_turn_does_not_count(self):
        found = rows(results("ofindex", "rate", 30, 20) + results("lmdb", "rate", 10, 5), SPEED)
        self.assertEqual([row.tool for row in found], ["ofindex", "lmdb"])
        self.assertEqual(found[1].times, (3, 4))

    def test_if_less_is_better_the_ratio_is_inverted(self):
        found = rows(results("ofindex", "ms", 2, 2) + results("lmdb", "ms", 8, 1), TIME)
        self.assertEqual(found[1].times, (4, 0.5))

    def test_a_ratio_to_zero_is_left_out(self):
        found = rows(results("ofindex", "ms", 0, 0) + results("lmdb", "ms", 8, 1), TIME)
        self.assertEqual(found[1].times, ())

    def test_tools_without_a_result_come_last_with_the_reason(self):
        missing = Result("get", "350B-1000x1", "dali", 0, why="cannot be installed")
        found = rows([missing, *results("lmdb", "rate", 1, 1)], SPEED)
        self.assertEqual([(row.tool, row.why) for row in found], [("lmdb", ""), ("dali", "cannot be installed")])


class ResultsTest(unittest.TestCase):
    def test_a_run_is_read_back_without_the_line_that_was_cut(self):
        with tempfile.TemporaryDirectory() as folder:
            run = a_run(folder)
            with run.path.open("a") as out:
                out.write('{"task": "get", "da')
            again = Results.read(run.path)
        self.assertEqual(again.results, run.results)
        self.assertEqual(again.facts, run.facts)

    def test_a_failed_measurement_is_repeated_and_a_missing_tool_is_not(self):
        with tempfile.TemporaryDirectory() as folder:
            run = a_run(folder)
            run.add(Result("get", "350B-1000x1", "dali", 1, why="died", failed=True))
            run.forget_failures()
            again = Results.read(run.path)
        self.assertEqual(again.facts, run.facts)
        self.assertNotIn("dali", {one.tool for one in again.results})
        self.assertEqual(again.missing("get", "350B-1000x1"), {"lance"})

    def test_different_answers_are_found_and_no_answer_is_none(self):
        def answered(tool, answer):
            return Result("get", "data", tool, 1, answer=answer)

        self.assertEqual(differing([answered("a", [1, 2]), answered("b", [1, 2]), answered("c", None)]), {})
        self.assertEqual(differing([answered("a", 1), answered("b", 2)]), {"a": 1, "b": 2})
        self.assertEqual(differing([answered("a", [1, 0.5]), answered("b", [1, 0.5 + 1e-9])]), {})
        self.assertNotEqual(differing([answered("a", [1, 0.5]), answered("b", [1, 0.6])]), {})
        self.assertNotEqual(differing([answered("a", [1]), answered("b", [1, 2])]), {})


class ScheduleTest(unittest.TestCase):
    def setUp(self):
        self.schedule = Schedule(Grid("root", ("350B", "10KB", "110KB"), (1, 256), 1), PEERS, 3, 1)

    def test_only_tools_that_read_in_place_take_part_with_many_shards(self):
        many = self.schedule.grid.data("350B", 256)
        self.assertIn("ofindex", self.schedule.tools_of(TASKS["get"], many))
        self.assertNotIn("lmdb", self.schedule.tools_of(TASKS["get"], many))

    def test_a_slow_converter_has_a_quarter_of_whole_data_and_all_of_little_data(self):
        grid = self.schedule.grid
        self.assertEqual(self.schedule.data_of("litdata", grid.data("350B")).records, 250_000)
        self.assertEqual(self.schedule.data_of("lmdb", grid.data("350B")).records, 1_000_000)
        self.assertEqual(self.schedule.data_of("litdata", grid.smallest(0.25)), grid.smallest(0.25))

    def test_a_task_has_at_most_its_own_number_of_turns(self):
        self.assertEqual([len(self.schedule.turns_of(TASKS[name])) for name in ("get", "resume", "workers")], [3, 2, 1])
        self.assertEqual(list(self.schedule.turns_of(TASKS["first-batch"])), [0, 1, 2, 3])

    def test_the_plan_tells_how_many_measurements_there_are(self):
        one = Schedule(self.schedule.grid, {"lmdb": PEERS["lmdb"]}, 3, 1)
        self.assertRegex(one.plan([TASKS["count"]]), r"^12 measurements, about \d+ min\.$")


class StoreTest(unittest.TestCase):
    def test_a_store_is_removed_with_its_mark_and_not_with_the_other_store_of_its_tool(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "data.lance"
            for name in ("data.lance", "data.lance-map", "data.lance-typed"):
                (path.parent / name).touch()
            store.complete(path)
            self.assertTrue(store.is_complete(path))
            store.remove(path)
            self.assertEqual([one.name for one in path.parent.iterdir()], ["data.lance-typed"])


def running_groups():
    """The process groups of all processes that run; a zombie does not run, but may wait for its parent."""
    groups = set()
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it has just ended
            continue
        if state != "Z":
            groups.add(int(group))
    return groups


class ProcessTest(unittest.TestCase):
    def test_a_process_that_a_program_leaves_behind_is_ended(self):
        done = finished(["sh", "-c", "sleep 1000 & echo done; echo why >&2; exit 3"], os.environ, 60)
        self.assertEqual((done.code, done.output, done.errors), (3, "done\n", "why\n"))
        self.assert_ends(done.group)

    def assert_ends(self, group):
        for _ in range(1000):  # the signal was sent; the processes end soon
            if group not in running_groups():
                return
            time.sleep(0.01)
        self.fail("a process still runs")

    def test_when_a_run_is_told_to_end_what_it_has_started_ends_too(self):
        script = (
            f"import os, sys; sys.path.insert(0, {str(BENCH)!r})\n"
            "from harness.process import end_by_exception, finished\n"
            "end_by_exception()\n"
            "finished(['sh', '-c', 'echo $$ > ' + sys.argv[1] + '.new; mv ' + sys.argv[1] + '.new ' + sys.argv[1]"
            " + '; sleep 1000'], os.environ, 60)\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "group"
            run = subprocess.Popen([sys.executable, "-c", script, path])
            while not path.exists():
                self.assertIsNone(run.poll())
                time.sleep(0.01)
            run.terminate()
            self.assertEqual(run.wait(60), 143)
            self.assert_ends(int(path.read_text()))

    def test_a_program_that_takes_too_long_is_ended(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            finished(["sleep", "1000"], os.environ, 0.1)


class ReportTest(unittest.TestCase):
    def document(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "benchmarks.md"
            Report(a_run(folder), TASKS, PEERS).write(path)
            plots = {plot.name: plot.read_text() for plot in path.with_suffix("").iterdir()}
            return path.read_text(), plots

    def test_a_table_has_median_range_and_ratios_and_ofindex_in_bold(self):
        document, _ = self.document()
        table = document.partition("## Random reads, one by one")[2].partition("\n## ")[0]
        self.assertIn("Speed, records/s; more is better.", table)
        lines = [line for line in table.splitlines() if line.startswith("|")][2:]
        self.assertEqual(
            lines,
            [
                "| 350 B, 1,000 records, 1 shard | physical limit | 6 k (6 k) |  |  |  |",
                "|  | **ofindex** | 3 k (2 k to 4 k) |  | 0.500 |  |",
                "|  | LMDB | 1 k (1 k) | 3 (2 to 4) | 0.167 |  |",
                "|  | Lance, take | cannot be installed: no / such version | | | |",
            ],
        )

    def test_a_row_better_than_ofindex_has_the_reason_of_its_task_or_of_its_tool(self):
        with tempfile.TemporaryDirectory() as folder:
            report = Report(a_run(folder), TASKS, PEERS)
        task, size = TASKS["index"], TASKS["index"].figures[1]
        self.assertEqual(report.advantage(task, size, Row("numpy", (1,), (2,))), "")
        self.assertIn("checksums", report.advantage(task, size, Row("numpy", (1,), (0.5,))))
        self.assertEqual(report.advantage(task, size, Row("lmdb", (1,), (0.5,))), "not known yet")
        self.assertEqual(report.advantage(task, task.figures[0], Row("polars", (1,), (0.5,))), "not known yet")
        self.assertIn("in memory", report.advantage(TASKS["get"], SPEED, Row("polars", (1,), (0.5,))))
        self.assertEqual(report.advantage(TASKS["get"], SPEED, Row("vortex", (1,), (0.5,))), "not known yet")

    def test_the_median_of_an_even_number_of_turns_is_between_the_two_in_the_middle(self):
        with tempfile.TemporaryDirectory() as folder:
            line = Report(a_run(folder), TASKS, PEERS).line("", Row("lmdb", (1, 2), (), (0.2, 0.4)), "")
        self.assertTrue(line.endswith("| 0.300 |  |"), line)

    def test_what_a_measurement_notes_follows_the_name(self):
        one = Result("get", "data", "limit", 1, {"rate": 1}, note="one thread")
        with tempfile.TemporaryDirectory() as folder:
            line = Report(a_run(folder), TASKS, PEERS).line("", rows([one], SPEED)[0], "")
        self.assertIn("| physical limit, one thread |", line)

    def test_the_lines_of_the_pairs_are_read_and_shown_with_their_bounds(self):
        told = (
            "micro/pack  517 ns\n\n(e) 100 M records: open and first get: got 0.25 ms, asked at most 5 ms\n"
            "(c) random view, one by one / arrays: got 0.24, asked at least 0.8  SHORT\nbits: got 12 bits, asked nothing\n"
        )
        figures, asked = numbers_of(told)
        self.assertEqual(list(figures.values()), [0.25, 0.24, 12])
        with tempfile.TemporaryDirectory() as folder:
            run = Results(pathlib.Path(folder) / "results.jsonl")
            run.add(Result("pairs", "350B-1000x1", "ofindex", 1, figures, asked))
            run.add(Result("pairs", "350B-1000x1", "ofindex", 2, {name: 2 * got for name, got in figures.items()}, asked))
            table = list(Report(run, TASKS, PEERS).lines_of(Report(run, TASKS, PEERS).measured(TASKS["pairs"])))
        self.assertEqual(
            table[1:4],
            [
                "| (e) 100 M records: open and first get, ms | 0.375 (0.250 to 0.500) | at most 5 ms |",
                "| (c) random view, one by one / arrays | 0.360 (0.240 to 0.480) | at least 0.8 |",
                "| bits, bits | 18 (12 to 24) | nothing |",
            ],
        )

    def test_a_run_with_little_data_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            run = a_run(folder)
            whole = "\n".join(Report(run, TASKS, PEERS).machine())
            run.tell({"scale": 0.01})
            little = "\n".join(Report(run, TASKS, PEERS).machine())
        self.assertNotIn("of the data", whole)
        self.assertIn("This run used 1 % of the data", little)

    def test_a_figure_that_no_tool_has_gets_no_table(self):
        with tempfile.TemporaryDirectory() as folder:
            report = Report(a_run(folder), TASKS, PEERS)
        one = {"data": [Result("index", "data", "lmdb", 1, {"rate": 1})]}
        self.assertEqual(list(report.table(TASKS["index"], TIME, one)), [])

    def test_the_versions_of_the_tools_and_the_commit_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            run = a_run(folder)
            run.tell({**facts(), "commit": "abc123", "date": "2026-01-02"})
            told = "\n".join(Report(run, TASKS, PEERS).lines(""))
        self.assertIn("ofindex at abc123, 2026-01-02.", told)
        self.assertIn("| LMDB | lmdb==", told)

    def test_what_was_not_measured_is_listed_with_the_reason(self):
        document, _ = self.document()
        self.assertIn("| get | Lance, take | cannot be installed: no / such version |", document)

    def test_each_plot_is_xml_with_a_bar_for_each_tool_and_the_document_shows_it(self):
        document, plots = self.document()
        self.assertEqual(list(plots), ["get.svg"])
        self.assertIn("(benchmarks/get.svg)", document)
        drawn = xml.etree.ElementTree.fromstring(plots["get.svg"])
        texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
        for name in ("physical limit", "ofindex", "LMDB"):
            self.assertIn(name, texts)
        self.assertNotIn("Lance, take", texts)

    def test_numbers_have_three_digits(self):
        shown = {1234567: "1.23 M", 999: "999", 0: "0", 12.345: "12.3", 0.01234: "0.0123", 45678: "45.7 k"}
        self.assertEqual({value: number(value) for value in shown}, shown)
        self.assertEqual(with_spread([2, 1, 3]), "2 (1 to 3)")
        self.assertEqual(with_spread([2]), "2")


class DataTest(unittest.TestCase):
    def test_the_inflated_size_is_known_from_the_places_without_numpy(self):
        with tempfile.TemporaryDirectory() as root:
            data = Data(root, "350B", 3, 2, is_zipped=True)
            places = pathlib.Path(f"{data.folder}.places")
            for folder in (data.folder, places):
                folder.mkdir()
            for shard, of_shard in (("part-0", [(12, 100), (128, 50)]), ("part-1", [(12, 7)])):
                (data.folder / f"{shard}.tfrecord.gz").touch()
                (places / f"{shard}.tfrecord").write_bytes(b"".join(struct.pack("<QQ", *place) for place in of_shard))
            self.assertEqual(data.inflated_bytes, (128 + 50 + 4) + (12 + 7 + 4))


class ToolsTest(unittest.TestCase):
    def test_each_tool_can_do_each_task_or_says_why_not(self):
        for name, tool in PEERS.items():
            self.assertNotIn("", reasons(tool, TASKS), f"{name}: {reasons(tool, TASKS).get('')}")

    def test_no_tool_gives_a_reason_for_what_it_can_do(self):
        for name, tool in PEERS.items():
            methods = [method for method in tool.cannot if getattr(tool, method) is not getattr(Peer, method)]
            self.assertEqual([m for m in methods if any(tool.can(t) for t in TASKS.values() if m in t.needs)], [], name)

    def test_each_method_of_a_tool_says_its_settings(self):
        needs = {need for task in TASKS.values() for need in task.needs}
        for name, tool in PEERS.items():
            said = {method.replace("-", "_") for method, _ in settings_of(tool)}
            own = {need for need in needs if need in vars(tool)}
            self.assertEqual(own - said, set(), name)

    def test_a_tool_names_the_versions_of_its_packages(self):
        for name, tool in PEERS.items():
            for package in tool.packages:
                self.assertRegex(package, r"==|<", name)

    def test_each_task_has_data_and_the_data_have_different_names(self):
        grid = Grid("root", ("350B", "110KB"), (1, 8), 0.5)
        for name, task in TASKS.items():
            data = task.data(grid)
            self.assertTrue(data, name)
            self.assertEqual(len({one.name for one in data}), len(data), name)


class RoomsTest(unittest.TestCase):
    def test_rooms_are_small_and_their_readme_names_each_file(self):
        for room in ("harness", "limits", "pairs", "peers", "tasks"):
            files = [path for path in (BENCH / room).iterdir() if path.suffix in (".py", ".cc", ".h")]
            self.assertLessEqual(len(files), MAX_FILES, room)
            readme = (BENCH / room / "README.md").read_text()
            named = [path.name for path in files if path.suffix != ".cc" and path.name != "__init__.py"]
            self.assertEqual([name for name in named if f"`{name}`" not in readme], [], room)


if __name__ == "__main__":
    unittest.main()
