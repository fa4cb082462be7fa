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
TASKS = ("index", "get", "raw-epoch", "where", "equal", "resume", "gzip-get")


@unittest.skipUnless((PROGRAMS / "limits" / "ofindex_limits").exists(), "built without benchmarks")
@unittest.skipUnless(importlib.util.find_spec("lmdb"), "lmdb is not installed")
class BenchTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_bench(self, *options: str, tasks: tuple[str, ...] = TASKS) -> subprocess.CompletedProcess[str]:
        small = ["--quick", "--scale", "0.0005", "--shards", "2", "--turns", "1", "--seconds", "0.02"]
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
        for name in ("physical limit", "**ofindex**", "numpy, by hand", "LMDB"):
            self.assertIn(f"| {name} |", get)
        self.assertTrue((self.folder / "benchmarks" / "get.svg").exists())

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
