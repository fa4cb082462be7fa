"""The smallest run of tools/bench works: all answers agree, the document has its tables, and a run can be continued."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("OFINDEX_BIN", ROOT / "build" / "tools" / "ofindex")).resolve()
PROGRAMS = COMMAND.parent.parent / "bench"
TOOLS = ("ofindex", "limit", "numpy", "lmdb")
TASKS = ("index", "get", "get-many", "raw-epoch", "raw-answers", "where", "equal", "groups", "bins", "top")
TASKS += ("resume", "gzip-get")


@unittest.skipUnless((PROGRAMS / "limits" / "ofindex_limits").exists(), "built without benchmarks")
@unittest.skipUnless(importlib.util.find_spec("lmdb"), "lmdb is not installed")
class BenchTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_bench(
        self, *options: str, tasks: tuple[str, ...] = TASKS, is_quick: bool = True
    ) -> subprocess.CompletedProcess[str]:
        small = ["--scale", "0.002", "--sizes", "350B", "--shards", "2", "--turns", "1", "--seconds", "0.02"]
        small += ["--quick"] if is_quick else []
        told = {
            "--only": ",".join(tasks),
            "--peers": ",".join(TOOLS),
            "--data": self.folder,
            "--write": self.folder / "benchmarks.md",
            "--programs": PROGRAMS,
            "--python": sys.executable,
        }
        words = [str(word) for pair in told.items() for word in pair]
        main = str(ROOT / "bench" / "harness" / "main.py")
        return subprocess.run([sys.executable, main, *small, *words, *options], capture_output=True, text=True)

    def results(self) -> list[dict[str, object]]:
        lines = (self.folder / "quick.jsonl").read_text().splitlines()
        return [read for line in lines if "task" in (read := json.loads(line))]

    def test_every_tool_gives_the_same_answers_and_has_a_row_in_the_tables(self) -> None:
        done = self.run_bench()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([result for result in self.results() if result["why"]], [])
        document = (self.folder / "benchmarks.md").read_text()
        get = document.partition("## Random reads, one by one")[2].partition("\n## ")[0]
        for name in ("physical limit, one thread", "**ofindex**", "numpy, by hand", "LMDB"):
            self.assertIn(f"| {name} |", get)
        self.assertTrue((self.folder / "benchmarks" / "get.svg").exists())

    def test_a_part_of_a_full_run_keeps_the_results_and_the_tables_of_the_whole(self) -> None:
        for name in ("results.jsonl", "benchmarks.md"):
            (self.folder / name).write_text("")
        done = self.run_bench(tasks=("count",), is_quick=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([(self.folder / name).read_text() for name in ("results.jsonl", "benchmarks.md")], ["", ""])
        self.assertFalse((self.folder / "part.md").exists())
        done = self.run_bench("--render", tasks=("count",), is_quick=False)
        self.assertIn("## Open and count", (self.folder / "part.md").read_text())
        self.assertEqual((self.folder / "benchmarks.md").read_text(), "")

    def test_tables_are_kept_if_there_are_no_results_to_render(self) -> None:
        (self.folder / "benchmarks.md").write_text("tables")
        self.assertEqual(self.run_bench("--render").returncode, 1)
        self.assertEqual((self.folder / "benchmarks.md").read_text(), "tables")

    def test_a_run_without_the_limit_fails(self) -> None:
        done = self.run_bench("--programs", "/nowhere", tasks=("get",))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_a_run_goes_on_where_it_was_interrupted(self) -> None:
        self.run_bench(tasks=("count",))
        path = self.folder / "quick.jsonl"
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(lines[:-2]) + lines[-2][:9])
        done = self.run_bench("--resume", tasks=("count", "get"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        times = Counter((one["task"], one["data"], one["tool"], one["turn"]) for one in self.results())
        self.assertEqual(set(times.values()), {1})
        self.assertEqual({key[0] for key in times}, {"count", "get"})


if __name__ == "__main__":
    unittest.main()
