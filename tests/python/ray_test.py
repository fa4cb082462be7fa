"""`ofindex.ray` on a local cluster of two workers: the index is that of one machine, also if a worker is killed, and
the source gives Ray what SQL gives."""

from __future__ import annotations

import os
import random
import unittest
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
from python.cluster_builds import ClusterBuilds, ReadData
from python.work import example

QUERIES = 100
RECORDS = 900


def setUpModule() -> None:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    ray.data.DataContext.get_current().enable_progress_bars = False


def tearDownModule() -> None:
    ray.shutdown()


class BuildTest(ClusterBuilds):
    victims = (lambda command: command.startswith(b"ray::_build_part"),)
    build = staticmethod(ofindex.ray.build)

    def test_the_commands_of_the_document_print_what_it_shows(self) -> None:
        self.assert_shown("On Ray", {})


del ClusterBuilds  # which has no engine


class ReadTest(ReadData):
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
