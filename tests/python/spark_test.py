"""`ofindex.spark` on a local cluster of two executors, each in its own process: the index is that of one machine, also
if one is killed, the source gives Spark what SQL gives, and a written set is whole or absent."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from typing import Any

try:
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as f
    from pyspark.sql.datasource import EqualNullSafe, EqualTo, In, IsNull, Not, StringContains, StringStartsWith
except ImportError as missing:
    raise unittest.SkipTest(f"no {missing.name}") from None

import ofindex
import ofindex.spark
from ofindex._engines.conditions import Columns
from ofindex._engines.selection import Selection
from ofindex._engines.spark_reading import SelectionReader, condition_of, spark_schema, task_count
from ofindex.spark import _described, _feature
from oracle import messages, records
from python.cluster_builds import ClusterBuilds, ReadData, is_spark_executor, is_spark_worker, kill_when_seen
from python.work import WorkTest, example

QUERIES = int(os.environ.get("OFINDEX_SPARK_QUERIES", "8"))
RECORDS = 900
spark: Any = None


def setUpModule() -> None:
    global spark
    home = tempfile.mkdtemp(prefix="ofindex-spark-")
    unittest.addModuleCleanup(shutil.rmtree, home, ignore_errors=True)
    os.environ |= {"SPARK_WORKER_DIR": home, "SPARK_LOCAL_DIRS": home, "PYSPARK_PYTHON": sys.executable,
                   "SPARK_LOCAL_IP": "127.0.0.1"}  # fmt: skip
    settings = {
        "spark.master": "local-cluster[2,1,1024]",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.warehouse.dir": home,
        "spark.sql.shuffle.partitions": "2",
        "spark.executor.memory": "1g",
        "spark.task.maxFailures": "2",  # of tests that fail on purpose
    }
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    unittest.addModuleCleanup(spark.stop)
    ofindex.spark.register(spark)


class BuildTest(ClusterBuilds):
    victims = (is_spark_worker, is_spark_executor)

    def build(self, *args: Any, **options: Any) -> ofindex.Dataset:
        return ofindex.spark.build(spark, *args, **options)

    def test_the_commands_of_the_document_print_what_it_shows(self) -> None:
        self.assert_shown("On Spark", {"spark": spark})


del ClusterBuilds  # which has no engine


class ReadTest(ReadData):
    def setUp(self) -> None:
        super().setUp()
        self.index = str(self.dir / "data.ofidx")

    def read(self, **options: Any) -> Any:
        return ofindex.spark.read(spark, self.index, **options)

    def test_rows_are_counted_and_columns_read_without_the_shards(self) -> None:
        self.lose_shards()
        frame = self.read(partitions=3)
        self.assertEqual(frame.count(), RECORDS)
        self.assertEqual(frame.rdd.getNumPartitions(), 3)
        self.assertEqual([row["_id"] for row in frame.select("_id").collect()], list(range(RECORDS)))
        expected = self.ds.sql("SELECT sum(label), sum(weight) FROM records").fetchone()
        self.assertEqual(tuple(frame.agg(f.sum("label"), f.sum("weight")).first()), expected)

    def test_random_queries_give_what_sql_gives(self) -> None:
        self.lose_shards()
        columns = ["_id", "label", "weight", "name", "_length"]
        self.read(columns=columns, partitions=2).createOrReplaceTempView("records")
        generator = random.Random(20)
        for turn in range(QUERIES):
            if turn >= QUERIES // 4:
                self.read(columns=columns, partitions=2, push_filters=True).createOrReplaceTempView("records")
            number, digit = generator.randrange(RECORDS), generator.randrange(10)
            where = generator.choice([
                f"label = {digit}", f"_id < {number} AND label > {digit}", f"weight > {number / 8} OR label = {digit}",
                f"name >= 'record {number}'", f"label IN ({digit}, 3) AND _length > 60", f"NOT label = {digit}",
                f"name LIKE 'record {digit}%' AND weight <= {number / 7}",
                f"_id BETWEEN {number - 50} AND {number} AND label IS NOT NULL",
            ])  # fmt: skip
            names = ", ".join(generator.sample(["_id", "label", "weight", "name", "_length"], 2))
            query = generator.choice([
                f"SELECT {names} FROM records WHERE {where} ORDER BY _id",
                f"SELECT label, count(*), sum(_length) FROM records WHERE {where} GROUP BY label ORDER BY label",
            ])  # fmt: skip
            found = [tuple(row) for row in spark.sql(query).collect()]
            self.assertEqual(found, self.ds.sql(query).fetchall(), query)

    def test_explain_shows_no_filter_that_was_pushed_down(self) -> None:
        self.lose_shards()
        for condition, rest in {"label = 3 AND _id < 50": "", "label = 3 AND _id % 7 = 2": "% 7"}.items():
            frame = self.read(columns=["_id", "label", "name"], push_filters=True).where(condition)
            plan = frame._jdf.queryExecution().executedPlan().toString()
            self.assertEqual("Filter (" in plan, rest != "", plan)
            self.assertIn(rest, plan)
            self.assertNotIn(" = 3)", plan)
            expected = self.ds.sql(f"SELECT _id, label, name FROM records WHERE {condition}").fetchall()
            self.assertEqual([tuple(row) for row in frame.collect()], expected)
            self.assertEqual(frame.count(), len(expected))

    def test_a_frame_that_pushes_filters_refuses_a_second_query(self) -> None:
        """Spark keeps what it has pushed for one query: without the refusal, others would get its rows."""
        one = self.read(columns=["label"], push_filters=True)
        self.assertEqual((one.columns, one.where("label = 3").count()), (["label"], RECORDS // 10))
        for other in (one.where("label = 4"), one, one.where("label = 3 OR label = 4")):
            with self.assertRaisesRegex(Exception, "is for one query"):
                other.count()
        two = self.read(columns=["label"], push_filters=True)
        with self.assertRaisesRegex(Exception, "is for one query"):
            two.where("label = 3").union(two.where("label = 4")).count()
        many = self.read(columns=["label"])
        self.assertEqual(many.where("label = 3").union(many.where("label = 4")).count(), RECORDS // 5)
        self.assertEqual(many.count(), RECORDS)

    def test_features_are_decoded_in_batches_and_payloads_given_as_they_are(self) -> None:
        features = {
            "label": ofindex.fixed("int64"),
            "name": ofindex.fixed("bytes", default=b"none"),
            "boxes": ofindex.ragged("float32"),
            "weight": ofindex.raw("float32", (2, 1), pad=True),
        }
        frame = self.read(columns=["_id"], where="_id % :n = 2", parameters={"n": 7}, features=features, payloads=True)
        ids = [number for number in range(RECORDS) if number % 7 == 2]
        rows = frame.collect()
        self.assertEqual([row["_id"] for row in rows], ids)
        self.assertEqual([bytes(row["payload"]) for row in rows], [example(number) for number in ids])
        self.assertEqual([bytes(row["name"]) for row in rows], [b"record %d" % number for number in ids])
        self.assertEqual([row["boxes"] for row in rows], [[float(x) for x in range(n % 10)] for n in ids])
        self.assertEqual([row["weight"] for row in rows], [[[n / 8], [0.0]] for n in ids])
        found = frame.where("label = 3 AND _id > 100").select("_id").collect()  # label is not the column of the index
        self.assertEqual([row[0] for row in found], [n for n in ids if n % 10 == 3 and n > 100])

    def test_a_schema_chooses_columns_and_options_are_texts(self) -> None:
        reader = spark.read.format("ofindex").schema("name string, _id bigint")
        frame = reader.options(where="label = ?", parameters="[4]").load("file://" + self.index)
        self.assertEqual(frame.first().asDict(), {"name": "record 4", "_id": 4})
        reader = spark.read.format("ofindex").options(columns="_id,label", where="_id > 7")
        frame = reader.load(str(self.dir / "data"))
        self.assertEqual((frame.columns, frame.first()["_id"]), (["_id", "label"], 8))
        spark.sql(f"CREATE TEMPORARY VIEW flowers USING ofindex OPTIONS (path '{self.index}', columns '[\"_id\"]')")
        self.assertEqual(spark.sql("SELECT max(_id) FROM flowers").first()[0], RECORDS - 1)

    def test_long_lists_are_pushed_down(self) -> None:
        for count in (2, 99, 600):
            chosen = list(range(0, count * 2, 2))
            frame = self.read(columns=["_id"], push_filters=True).where(f.col("_id").isin(chosen))
            self.assertEqual([row[0] for row in frame.collect()], [n for n in chosen if n < RECORDS])

    def test_a_reader_does_not_carry_the_rows_of_all_tasks(self) -> None:
        sizes = []
        for view in (self.ds[:2], self.ds.where("_id * 7919 % 11 < 5")):
            selection = Selection(view, ["label"])
            reader = SelectionReader(selection, spark_schema(selection), task_count(selection, 2))
            sizes.append(len(pickle.dumps(reader)))
            self.assertEqual(sum(len(part.value) for part in reader.partitions()), len(view))
        self.assertLess(sizes[1] - sizes[0], 10)

    def test_byte_strings_are_options(self) -> None:
        payload = messages.encode("example", {"name": ("bytes", [b"\xff\xd8\0"])})
        ofindex.build(self.write("bytes/", [payload, example(1)]), format="tfrecord")
        features = {"label": ofindex.fixed("bytes", default=b"\xff\0")}
        frame = ofindex.spark.read(spark, self.dir / "bytes", where="name = ?", parameters=[b"\xff\xd8\0"],
                                   features={"none": features["label"]})  # fmt: skip
        with self.assertRaisesRegex(Exception, "none"):
            frame.collect()  # no record has such a feature
        frame = ofindex.spark.read(spark, self.dir / "bytes", ["_id"], "name = ?", [b"\xff\xd8\0"])
        self.assertEqual([row[0] for row in frame.collect()], [0])

    def test_every_kind_of_feature_is_an_option(self) -> None:
        features = [
            ofindex.fixed("float32", (2, 3), default=1.5),
            ofindex.ragged("bytes"),
            ofindex.raw("uint8", 5, truncate=True),
            ofindex.image("gray", (10, 20), fit="pad", layout="chw"),
        ]
        for feature in features:
            said = json.loads(json.dumps(_described(feature)))
            self.assertEqual(_feature("x", said), feature)

    def test_an_empty_selection_has_the_columns(self) -> None:
        frame = self.read(columns=["label"], where="label = 77")
        self.assertEqual((frame.count(), frame.columns), (0, ["label"]))

    def test_what_cannot_be_read_is_an_error(self) -> None:
        for options, text in (
            ({"path": str(self.dir / "none")}, "none"),
            ({"columns": '["lable"]'}, "lable"),
            ({"where": "lable = 3"}, "lable"),
            ({"partitions": "0"}, "partitions"),
            ({"payloads": "yes"}, "true or false"),
            ({"features": '{"label": {"form": "flat"}}'}, "label"),
            ({"parameters": "[", "where": "label = ?"}, "not JSON"),
            ({"colums": "_id"}, "unknown option 'colums'"),
            ({"path": "s3a://bucket/data"}, "mounted"),
        ):
            with self.subTest(options), self.assertRaisesRegex(Exception, text):
                spark.read.format("ofindex").options(**{"path": self.index, **options}).load().collect()
        with self.assertRaisesRegex(Exception, "no path"):
            spark.read.format("ofindex").load()
        with self.assertRaisesRegex(TypeError, r"columns=\['label'\]"):
            self.read(columns="label")

    def test_conditions_that_spark_treats_unlike_sql_are_left_to_spark(self) -> None:
        columns = Columns({"i": "integer", "t": "text"})
        for filter, expected in (
            (EqualTo(("i",), 3), ('"i" = ?', (3,), True)),
            (EqualNullSafe(("i",), None), ('"i" IS NULL', (), True)),
            (Not(IsNull(("i",))), ('NOT ("i" IS NULL)', (), True)),
            (In(("i",), (1, None)), ('"i" IN (?)', (1,), True)),
            (Not(In(("i",), (1, 2))), ('NOT ("i" IN (?, ?))', (1, 2), True)),
            (StringStartsWith(("t",), "ab"), ('("t" >= ? AND "t" < ?)', ("ab", "ac"), False)),
            (Not(EqualNullSafe(("i",), 3)), None),
            (Not(In(("i",), (1, None))), None),
            (Not(StringStartsWith(("t",), "ab")), None),
            (StringContains(("t",), "ab"), None),
            (EqualTo(("s", "i"), 3), None),
            (EqualTo(("x",), 3), None),
        ):
            with self.subTest(filter):
                found = condition_of(filter, columns)
                self.assertEqual(None if found is None else (found.sql, found.parameters, found.exact), expected)


class WriteTest(WorkTest):
    def payloads(self, name: str = "set", framing: str = records.TFRECORD) -> list[bytes]:
        """The records of a written set, in the order of its shards, by an independent reader."""
        found = []
        for path in sorted((self.dir / name).iterdir()):
            data = gzip.decompress(path.read_bytes()) if path.name.endswith(".gz") else path.read_bytes()
            found += records.WALK[framing](data).payloads
        return found

    def numbers(self) -> list[int]:
        found = [messages.features_json(payload, "example") for payload in self.payloads()]
        return [features["n"]["values"][0] for features in found]

    def assert_only(self, *names: str) -> None:
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), sorted(names))

    def frame(self, count: int, partitions: int = 4) -> Any:
        return spark.range(0, count, 1, partitions).selectExpr(
            "id AS n", "cast(id AS double) / 8 AS weight", "concat('record ', id) AS name",
            "CASE WHEN id % 3 = 0 THEN NULL ELSE array(id, 2) END AS pair")  # fmt: skip

    @staticmethod
    def expected(number: int, to: str) -> dict[str, Any]:
        pair = {} if number % 3 == 0 else {"pair": {"kind": "int64", "values": [number, 2]}}
        return {
            "n": {"kind": "int64", "values": [number]},
            "name": {"kind": "bytes", "values": [f"record {number}"]},
            "weight": {"kind": "double" if to == "ofrecord" else "float", "values": [number / 8]},
            **pair,
        }

    def test_rows_become_records_in_order(self) -> None:
        for to, message in ((records.TFRECORD, "example"), (records.OFRECORD, "ofrecord")):
            with self.subTest(to):
                path = self.dir / to
                self.frame(20).write.format("ofindex").mode("append").option("to", to).save(str(path))
                found = [messages.features_json(payload, message) for payload in self.payloads(to, to)]
                self.assertEqual(found, [self.expected(number, to) for number in range(20)])
                names = sorted(each.name for each in path.iterdir())
                self.assertEqual(names[0], "part-0" if to == "ofrecord" else "tfrecord-00000-of-00004.tfrecord")
        self.assert_only("tfrecord", "ofrecord")

    def test_what_was_read_is_written_back_byte_for_byte(self) -> None:
        data = self.write("data/", [example(number) for number in range(50)])
        ofindex.build(data, format="tfrecord")
        frame = ofindex.spark.read(spark, data, payloads=True, partitions=3)
        frame.write.format("ofindex").mode("overwrite").option("compress", "gzip").save(str(self.dir / "set"))
        self.assertEqual(self.payloads(), [example(number) for number in range(50)])
        self.assertEqual(len(ofindex.build(self.dir / "set")), 50)

    def test_an_output_is_a_link_or_has_an_odd_name_or_no_folder_yet(self) -> None:
        (self.dir / "disk" / "set").mkdir(parents=True)
        (self.dir / "link").symlink_to(self.dir / "disk" / "set", target_is_directory=True)
        for path in (self.dir / "link", self.dir / "a b" / "[1] 50 % ä", self.dir / "new" / "folders" / "set"):
            for _ in range(2):
                self.frame(20).write.format("ofindex").mode("overwrite").save(str(path))
            self.assertEqual(len(ofindex.build(path, self.dir / "index.ofidx", force=True)), 20)
            self.assertEqual([each.name for each in path.resolve().parent.iterdir()], [path.resolve().name])
        self.assertTrue((self.dir / "link").is_symlink())
        broken = self.frame(20).withColumn("n", f.expr("CASE WHEN n = 17 THEN raise_error('17') ELSE n END"))
        with self.assertRaisesRegex(Exception, "17"):
            broken.write.format("ofindex").mode("append").save(str(self.dir / "other" / "folders" / "set"))
        self.assertFalse((self.dir / "other").exists())

    def test_an_output_is_a_mount_point(self) -> None:
        (self.dir / "disk").mkdir()
        script = (
            "import os, pyarrow, sys\n"
            "from ofindex._engines.spark_writing import SetOptions, SetWriter\n"
            "for overwrite in (False, True):\n"
            "    SetWriter(sys.argv[1], pyarrow.schema({'n': pyarrow.int64()}), overwrite, SetOptions()).commit([])\n"
            "print(os.listdir(sys.argv[1]), os.listdir(os.path.dirname(sys.argv[1])))\n"
        )
        mounted = [
            "unshare",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            'mount -t tmpfs none "$1" && exec "$2" -c "$3" "$1"',
        ]
        done = subprocess.run(
            [*mounted, "sh", str(self.dir / "disk"), sys.executable, script], capture_output=True, text=True
        )
        if "mount" in done.stderr and "Traceback" not in done.stderr:
            self.skipTest(f"nothing can be mounted: {done.stderr}")
        self.assertEqual((done.stdout, done.stderr), ("['disk-00000-of-00001.tfrecord'] ['disk']\n", ""))

    def test_a_job_waits_until_another_writer_is_done(self) -> None:
        write = self.frame(20).write.format("ofindex").mode("append")
        write.save(str(self.dir / "set"))
        draft = self.dir / "set.ofindex-draft"
        draft.mkdir()
        other = os.open(draft, os.O_RDONLY)
        fcntl.flock(other, fcntl.LOCK_EX)
        done = threading.Timer(8, os.close, (other,))
        done.start()
        write.save(str(self.dir / "set"))
        self.assertTrue(done.finished.is_set())
        done.join()
        self.assertEqual(self.numbers(), [*range(20), *range(20)])

    def test_a_set_is_replaced_or_continued_as_a_whole(self) -> None:
        write = self.frame(20).write.format("ofindex")
        path = str(self.dir / "set")
        write.mode("overwrite").save(path)
        write.mode("append").save(path)
        self.assertEqual(len(list((self.dir / "set").iterdir())), 8)
        self.assertEqual(self.numbers(), [*range(20), *range(20)])
        self.frame(3, 1).write.format("ofindex").mode("overwrite").save(path)
        self.assertEqual(len(self.payloads()), 3)
        spark.range(0).write.format("ofindex").mode("append").save(path)
        self.assertEqual(len(self.payloads()), 3)
        spark.range(0).write.format("ofindex").mode("overwrite").save(path)
        self.assertEqual(self.payloads(), [])
        self.assert_only("set")

    def test_a_task_that_fails_or_is_killed_leaves_nothing(self) -> None:
        path = str(self.dir / "set")
        broken = self.frame(20).withColumn("n", f.expr("CASE WHEN n = 17 THEN raise_error('17') ELSE n END"))
        for mode in ("append", "overwrite"):
            with self.assertRaisesRegex(Exception, "17"):
                broken.write.format("ofindex").mode(mode).save(path)
            self.assert_only()
        self.frame(20).write.format("ofindex").mode("append").save(path)
        before = self.payloads()
        with self.assertRaisesRegex(Exception, "17"):
            broken.write.format("ofindex").mode("overwrite").save(path)
        self.assertEqual(self.payloads(), before)
        slow = spark.range(0, 40_000, 1, 4).selectExpr("id AS n", "repeat('x', 2000) AS text")
        for victim in (is_spark_worker, is_spark_executor):
            killed: list[int] = []
            killer = threading.Thread(target=lambda: killed.extend(kill_when_seen(victim, 0.3)))  # noqa: B023
            killer.start()
            slow.write.format("ofindex").mode("overwrite").save(path)
            killer.join()
            self.assertEqual(len(killed), 1)
            self.assertEqual(self.numbers(), list(range(40_000)))
        self.assert_only("set")

    def test_a_killed_driver_leaves_the_old_set(self) -> None:
        self.frame(20).write.format("ofindex").mode("append").save(str(self.dir / "set"))
        before = self.payloads()
        script = (
            "import sys, ofindex.spark\n"
            "from pyspark.sql import SparkSession\n"
            "spark = SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false').getOrCreate()\n"
            "ofindex.spark.register(spark)\n"
            "rows = spark.range(0, 10_000_000, 1, 4).selectExpr('id AS n', 'repeat(\"x\", 2000) AS text')\n"
            "rows.write.format('ofindex').mode('overwrite').save(sys.argv[1])\n"
        )
        driver = subprocess.Popen([sys.executable, "-c", script, str(self.dir / "set")], stderr=subprocess.DEVNULL)
        try:
            while not list(self.dir.glob(".set.*/*")) and driver.poll() is None:
                threading.Event().wait(0.05)
            self.assertIsNone(driver.poll())
        finally:
            driver.kill()
            driver.wait()
        self.assertEqual(self.payloads(), before)

    def test_what_cannot_be_written_is_an_error_before_the_job(self) -> None:
        path = self.dir / "set"
        frame = self.frame(4)
        for options, text in (
            ({"to": "csv"}, "csv"),
            ({"compress": "zip"}, "zip"),
            ({"to": "ofrecord", "compress": "gzip"}, "compressed"),
            ({"payload": "ofrecord"}, "ofrecord"),
            ({"allow_nan": "maybe"}, "true or false"),
            ({"time_unit": "h"}, "time_unit"),
            ({"payload": "foo"}, "foo"),
            ({"schema": '{"n": "int"}'}, "unknown kinds"),
            ({"shards": "3"}, "unknown option"),
        ):
            with self.subTest(options), self.assertRaisesRegex(Exception, text):
                frame.write.format("ofindex").mode("append").options(**options).save(str(path))
        with self.assertRaisesRegex(Exception, "only column"):
            frame.withColumnRenamed("name", "payload").write.format("ofindex").mode("append").save(str(path))
        with self.assertRaisesRegex(Exception, "hidden"):
            frame.write.format("ofindex").mode("append").save(str(self.dir / ".set"))
        path.mkdir()
        (path / "part-0").write_bytes(records.frame_ofrecord(b"x"))
        with self.assertRaisesRegex(Exception, "of another set"):
            frame.write.format("ofindex").mode("overwrite").save(str(path))
        with self.assertRaisesRegex(Exception, "partition 1: record 1: feature 'n'"):
            spark.range(0, 4, 1, 2).selectExpr("CASE WHEN id = 3 THEN array(id, NULL) END AS n").write.format(
                "ofindex").mode("append").save(str(self.dir / "other"))  # fmt: skip
        with self.assertRaisesRegex(Exception, "partition 0: record 1: the payload is null"):
            spark.range(0, 2, 1, 1).selectExpr("CASE WHEN id = 0 THEN binary('x') END AS payload").write.format(
                "ofindex").mode("append").save(str(self.dir / "other"))  # fmt: skip
        self.assert_only("set")

    def test_a_set_that_lacks_a_shard_is_not_continued(self) -> None:
        write = self.frame(20).write.format("ofindex").mode("append")
        write.save(str(self.dir / "set"))
        (self.dir / "set" / "set-00001-of-00004.tfrecord").unlink()
        with self.assertRaisesRegex(Exception, "restore missing shards"):
            write.save(str(self.dir / "set"))
        self.assert_only("set")


if __name__ == "__main__":
    unittest.main()
