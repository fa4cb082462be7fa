"""`ofindex.ray` on a local cluster of two workers: the index is that of one machine, also if a worker is killed, and
the source gives Ray what SQL gives."""

from __future__ import annotations

import doctest
import gzip
import os
import random
import shutil
import signal
import threading
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

try:
    import numpy as np
    import pyarrow as pa
    import ray
    from ray.data.expressions import col
except ImportError as missing:
    raise unittest.SkipTest(f"no {missing.name}") from None

import ofindex
import ofindex.ray
from docs.blocks import ROOT, blocks
from docs.sample_data import make_data
from oracle import records
from python.work import WorkTest, example

QUERIES = 100
RECORDS = 900


def setUpModule() -> None:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    ray.data.DataContext.get_current().enable_progress_bars = False


def tearDownModule() -> None:
    ray.shutdown()


class BuildTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        for number in range(4):
            self.write(f"data/part-{number}", [example(200 * number + i) for i in range(200)])
        (self.dir / "data" / "part-4").write_bytes(gzip.compress((self.dir / "data" / "part-3").read_bytes()))
        (self.dir / "data" / "words.txt").write_text("no shard")

    def assert_built(self, **options: Any) -> None:
        """The index that the cluster has built is that of one machine, and nothing else is left."""
        once = self.dir / "once.ofidx"
        ofindex.build(self.dir / "data", once, force=True, **options)
        self.assertEqual((self.dir / "ray.ofidx").read_bytes(), once.read_bytes())
        self.assertEqual((self.dir / "ray.ofidx-map").read_bytes(), (self.dir / "once.ofidx-map").read_bytes())
        self.assertEqual(sorted(path.name for path in self.dir.iterdir() if "ray" in path.name),
                         ["ray.ofidx", "ray.ofidx-map"])  # fmt: skip

    def test_the_index_is_that_of_one_machine(self) -> None:
        for parts, options in ((None, {}), (3, {"columns": ["label", "boxes"]}), (7, {"columns": "none"})):
            with self.subTest(parts=parts):
                dataset = ofindex.ray.build(self.dir / "data", self.dir / "ray.ofidx", parts, force=True, **options)
                self.assertEqual(len(dataset), 1000)
                self.assert_built(**options)

    def test_an_index_that_is_there_is_not_replaced_unless_forced(self) -> None:
        output = self.dir / "ray.ofidx"
        output.write_text("a text")
        with self.assertRaisesRegex(ValueError, "force=True"):
            ofindex.ray.build(self.dir / "data", output, 2)
        with self.assertRaises(ofindex.Error):  # it is not an index, which nothing replaces
            ofindex.ray.build(self.dir / "data", output, 2, force=True)
        self.assertEqual(output.read_text(), "a text")

    def test_the_lines_of_a_list_are_relative_to_the_driver(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        Path("list").write_text("data/part-1\ndata/part-3\n")
        ofindex.ray.build(["@list", "data/part-0"], "ray.ofidx", 2, wait=False, progress=True)
        ofindex.build(["@list", "data/part-0"], "once.ofidx")
        self.assertEqual(Path("ray.ofidx").read_bytes(), Path("once.ofidx").read_bytes())

    def test_parts_of_a_job_that_failed_are_used_or_replaced(self) -> None:
        parts = self.dir / "ray.ofidx.parts"
        parts.mkdir()
        ofindex.build_part(self.dir / "data", 1, 2, parts / "1.ofidx", columns="none")  # of another job
        ofindex.build_part(self.dir / "data", 2, 2, parts / "2.ofidx")
        ofindex.ray.build(self.dir / "data", self.dir / "ray.ofidx", 2)
        self.assert_built()

    def test_errors_of_workers_are_raised(self) -> None:
        with self.assertRaisesRegex(Exception, "none"):
            ofindex.ray.build(self.dir / "none", self.dir / "ray.ofidx", 2)

    def test_a_killed_worker_changes_nothing(self) -> None:
        payloads = [example(number) for number in range(20_000)]
        for number in range(5, 9):
            framed = b"".join(map(records.frame_tfrecord, payloads))
            (self.dir / "data" / f"part-{number}").write_bytes(gzip.compress(framed * 8, 1))
        killed: list[int] = []

        def kill_one() -> None:
            end = time.monotonic() + 60
            while not killed and time.monotonic() < end:
                for process in Path("/proc").glob("[0-9]*"):
                    try:
                        if (process / "cmdline").read_bytes().startswith(b"ray::_build_part"):
                            time.sleep(0.05)
                            os.kill(int(process.name), signal.SIGKILL)
                            killed.append(int(process.name))
                            return
                    except OSError:
                        continue

        killer = threading.Thread(target=kill_one)
        killer.start()
        ofindex.ray.build(self.dir / "data", self.dir / "ray.ofidx", 6)
        killer.join()
        self.assertEqual(len(killed), 1)
        self.assert_built()


class ReadTest(WorkTest):
    """An index whose shards are removed, where they need not be read."""

    def setUp(self) -> None:
        super().setUp()
        for number in range(3):
            self.write(f"data/part-{number}", [example(300 * number + i) for i in range(300)])
        ofindex.build(self.dir / "data", columns=["auto", "boxes"])
        self.ds = ofindex.open(self.dir / "data")

    def lose_shards(self) -> None:
        shutil.rmtree(self.dir / "data")

    def rows_of(self, *args: Any) -> pa.Table:
        """Runs the tasks of a read as workers would, in this process."""
        with mock.patch("ray.data.read_datasource") as read:
            ofindex.ray.read(self.ds, *args)
        tasks = read.call_args.args[0].get_read_tasks(5)
        return pa.concat_tables([table for task in tasks for table in task()])

    def test_rows_are_counted_and_columns_read_without_the_shards(self) -> None:
        self.lose_shards()
        dataset = ofindex.ray.read(self.ds)
        with mock.patch.object(ofindex.Dataset, "arrow", side_effect=AssertionError("read")):
            self.assertEqual(dataset.count(), RECORDS)
        self.assertEqual([row["_id"] for row in dataset.take(5)], list(range(5)))
        self.assertEqual(dataset.sum("label"), self.ds.sql("SELECT sum(label) FROM records").fetchone()[0])
        self.assertEqual(dataset.materialize().num_blocks() > 1, True)

    def test_a_hundred_random_conditions_give_what_sql_gives(self) -> None:
        self.lose_shards()
        generator = random.Random(20)
        for _ in range(QUERIES):
            number, digit = generator.randrange(RECORDS), generator.randrange(10)
            where = generator.choice(["label = :d", "_id < :n AND label > :d", "weight > :n / 8.0 OR label = :d",
                                      "name >= 'record ' || :n", "label IN (:d, 3) AND _length > 60"])  # fmt: skip
            names = generator.sample(["_id", "label", "weight", "name", "_shard"], 2)
            values = {key: value for key, value in (("n", number), ("d", digit)) if f":{key}" in where}
            found = self.rows_of(names, where, values)
            query = f"SELECT {', '.join(names)} FROM records WHERE {where} ORDER BY _id"
            expected = self.ds.sql(query, values).fetchall()
            self.assertEqual([tuple(row.values()) for row in found.to_pylist()], expected, (where, values))

    def test_filters_and_projections_of_ray_are_pushed_down(self) -> None:
        self.lose_shards()
        dataset = ofindex.ray.read(self.ds)
        query = dataset.filter(expr=(col("label") == 3) & (col("weight") < 50.3)).select_columns(["_id", "name"])
        expected = self.ds.sql("SELECT _id, name FROM records WHERE label = 3 AND weight < 50.3").fetchall()
        self.assertEqual([tuple(row.values()) for row in query.take_all()], expected)
        with mock.patch("builtins.print") as printed:
            query.explain()
        plan = " ".join(str(call) for call in printed.mock_calls).split("Optimized")[1]
        self.assertIn("Read[ReadOfindex]", plan)
        self.assertNotIn("Filter", plan)
        self.assertNotIn("Project", plan)

    def test_features_are_decoded_in_batches_and_payloads_given_as_they_are(self) -> None:
        features = {
            "label": ofindex.fixed("int64"),
            "name": ofindex.fixed("bytes"),
            "boxes": ofindex.ragged("float32"),
            "weight": ofindex.raw("float32", (2, 1), pad=True),
        }
        dataset = ofindex.ray.read(self.ds, ["_id"], "_id % 7 = 2", features=features, payloads=True)
        ids = [number for number in range(RECORDS) if number % 7 == 2]
        self.assertEqual(dataset.count(), len(ids))
        batch = next(iter(dataset.iter_batches(batch_size=len(ids))))
        expected = self.ds.batch(ids, features)
        self.assertEqual(batch["_id"].tolist(), ids)
        self.assertEqual(batch["label"].tolist(), expected["label"].tolist())
        self.assertEqual(list(batch["name"]), expected["name"].tolist())
        self.assertEqual([row.tolist() for row in batch["boxes"]], expected["boxes"].tolist())
        self.assertEqual((batch["weight"].shape, batch["weight"].dtype), ((len(ids), 2, 1), np.float32))
        np.testing.assert_array_equal(batch["weight"], expected["weight"])
        self.assertEqual(list(batch["payload"]), [example(number) for number in ids])
        last = dataset.select_columns(["_id"]).filter(expr=col("_id") > 890).take_all()
        self.assertEqual(last, [{"_id": 891}, {"_id": 898}])

    def test_the_commands_of_the_document_print_what_it_shows(self) -> None:
        text = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
        shown = "\n\n".join("\n".join(block.lines) for block in blocks(text) if block.language == "pycon")
        make_data(self.dir)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        printed: list[str] = []
        test = doctest.DocTestParser().get_doctest(shown, {}, "scale.md", "scale.md", 0)
        outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=printed.append)
        self.assertEqual((outcome.failed, outcome.attempted > 3), (0, True), "".join(printed))

    def test_what_cannot_be_read_is_an_error(self) -> None:
        with self.assertRaises(FileNotFoundError):
            ofindex.ray.read(self.dir / "none")
        with self.assertRaises(ofindex.QueryError):
            ofindex.ray.read(self.ds, ["lable"])
        with self.assertRaises(ofindex.QueryError):
            ofindex.ray.read(self.ds, where="lable = 3").count()
        with self.assertRaises(ValueError):
            ofindex.ray.read(self.ds, [])
        with self.assertRaisesRegex(TypeError, r"columns=\['label'\]"):
            ofindex.ray.read(self.ds, "label")

    def test_an_empty_selection_has_the_columns(self) -> None:
        dataset = ofindex.ray.read(self.ds, ["label"], "label = 77")
        self.assertEqual((dataset.count(), dataset.take_all()), (0, []))
        self.assertEqual(self.rows_of(["label"], "label = 77").schema, pa.schema([("label", pa.int64())]))


if __name__ == "__main__":
    unittest.main()
