"""The command and the package agree: splits, indexes in another folder, and the call that `cat --to parquet` names."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import ofindex
import pyarrow.parquet
from python.work import WorkTest, example

COMMAND = os.environ.get("OFINDEX_BIN") or str(Path(sys.executable).parent / "ofindex")
COUNT = 500


class CommandPeersTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("data/", [example(number) for number in range(COUNT)])

    def run_command(self, *args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([COMMAND, *args], cwd=self.dir, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_the_parts_of_a_split_are_those_of_the_package(self) -> None:
        ds = ofindex.build(self.dir / "data", progress=False)
        shares = {"train": 0.7, "val": 0.2}
        for option, argument in (
            ((), {}),
            (("--by", "label"), {"key": "label"}),
            (("--stratify", "label"), {"stratify": "label"}),
            (("--by", "label", "--stratify", "weight"), {"key": "label", "stratify": "weight"}),
        ):
            for seed in (0, 5):
                with self.subTest(option=option, seed=seed):
                    self.run_command(
                        "split", "data", "train=0.7,val=0.2", "--seed", str(seed), "-o", "parts", "--force", *option
                    )
                    parts = ds.split(shares, seed=seed, **argument)
                    for name in shares:
                        listed = np.loadtxt(self.dir / "parts" / f"{name}.ids", dtype=int)
                        self.assertEqual(list(ds[listed]), list(parts[name]))

    def test_an_index_in_another_folder_is_found_by_both(self) -> None:
        with mock.patch.dict(os.environ, OFINDEX_INDEX_DIR=str(self.dir / "idx")):
            with self.assertRaisesRegex(FileNotFoundError, "there is none at .*data.ofidx either"):
                ofindex.open(self.dir / "data")
            ofindex.build(self.dir / "data", progress=False)
            self.assertEqual(len(ofindex.open(self.dir / "data")), COUNT)
            self.run_command("get", str(self.dir / "data"), "0")
        self.assertEqual([path.name for path in (self.dir / "idx").rglob("*.ofidx")], ["data.ofidx"])
        self.assertFalse((self.dir / "data.ofidx").exists())
        self.run_command("get", "data", "0", code=4)
        self.run_command("get", "data", "0", "--index-dir", "idx")

    def test_the_call_that_parquet_is_refused_with_writes_it(self) -> None:
        self.write("it's [odd]/", [example(number) for number in range(COUNT)])
        for name in ("data", "it's [odd]"):
            self.run_command("build", name, "-q")
            hint = self.run_command("cat", name, "--to", "parquet", code=2).stderr.splitlines()[1]
            call = hint.removeprefix("hint: ").removesuffix(" writes all records")
            call = call.replace("python3 -c", f"{shlex.quote(sys.executable)} -W ignore -c")
            subprocess.run(call, shell=True, cwd=self.dir, check=True, timeout=120)
            table = pyarrow.parquet.read_table(self.dir / "FILE.parquet")
            self.assertEqual(table.column("label").to_pylist(), [number % 10 for number in range(COUNT)])
