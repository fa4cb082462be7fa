"""Some seconds of what `tests/load/run.py` does for an hour: many processes read a dataset while it changes."""

from __future__ import annotations

import os
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import numpy as np
import ofindex
from load import contents
from load.changes import Changes
from load.run import MORE_DESCRIPTORS, MORE_THREADS, Report, load
from load.watch import Use

SECONDS = float(os.environ.get("OFINDEX_LOAD_SECONDS", "8"))


class LoadTest(unittest.TestCase):
    def test_every_answer_is_right_and_nothing_grows_while_the_dataset_changes(self) -> None:
        with tempfile.TemporaryDirectory(prefix="ofindex-load-") as folder:
            report = load(Path(folder), SECONDS, processes=4, records=200)
        self.assertEqual(report.faults(), [], "\n".join(report.lines()))
        for reader in report.readers:
            self.assertGreater(reader["checked"], 0, reader)
        self.assertGreater(report.total("epochs"), 0)
        self.assertGreater(report.checked_by_writer, 0)

    def test_one_wrong_byte_is_noticed(self) -> None:
        with tempfile.TemporaryDirectory(prefix="ofindex-load-") as folder:
            changes = Changes(Path(folder) / "data", seed=1, records=20)
            keys = [key for (key,) in ofindex.open(changes.index).sql("SELECT key FROM records LIMIT 5").fetchall()]
            batch = ofindex.open(changes.index).batch([0, 1, 2, 3, 4], contents.FEATURES)
        self.assertEqual(contents.wrong_in(batch, np.array(keys)), 0)
        self.assertEqual(contents.wrong_in(batch, np.array([*keys[:4], 77])), 1)
        blobs = list(batch["blob"])
        blobs[3] = bytes(blobs[3][:-1]) + b"?"
        self.assertEqual(contents.wrong_in({**batch, "blob": blobs}, np.array(keys)), 1)
        batch["numbers"][2, 3] += 1
        self.assertEqual(contents.wrong_in(batch, np.array(keys)), 1)

    def test_a_lost_record_is_noticed(self) -> None:
        with tempfile.TemporaryDirectory(prefix="ofindex-load-") as folder:
            changes = Changes(Path(folder) / "data", seed=1, records=20)
            changes.check()
            self.assertEqual(changes.wrong, [])
            sorted((Path(folder) / "data").iterdir())[0].unlink()
            changes.update()
            changes.check()
        self.assertEqual(len(changes.wrong), 1)
        self.assertRegex(changes.wrong[0], r"[1-9]\d* lost, 0 too many")

    def test_a_reader_or_a_writer_that_grows_is_noticed(self) -> None:
        small, large = Use(threads=2, descriptors=9), Use(threads=3 + MORE_THREADS, descriptors=10 + MORE_DESCRIPTORS)
        for name, uses in (("reader 0", [[small, large], [small] * 2]), ("the writer", [[small] * 2, [small, large]])):
            with self.subTest(name):
                faults = Report([], uses, Counter(), [], 0).faults()
                self.assertEqual(
                    [fault.partition(" grew")[0] for fault in faults], [f"{name}: descriptors", f"{name}: threads"]
                )
        self.assertEqual(Report([], [[large, small], [small] * 2], Counter(), [], 0).faults(), [])


if __name__ == "__main__":
    unittest.main()
