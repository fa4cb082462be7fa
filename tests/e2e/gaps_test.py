"""Every verb over an index with gaps: records that are gone leave their ordinals free, and shards have grown.

What a verb says of an updated index is compared with what it says of a new index of the same files.
"""

from __future__ import annotations

import json
import shutil
from typing import Any

from e2e import written
from e2e.command import CommandTest, Finished
from oracle import messages, records


def payload(number: int, *, gone: bool = False) -> bytes:
    features: dict[str, tuple[str, list[Any]]] = {
        "n": ("int64", [number]),
        "label": ("int64", [number % 3]),
        "name": ("bytes", [b"name %d" % (number % 5)]),
    }
    if gone:
        features["once"] = ("int64", [number])
    return messages.encode("example", features)


# The numbers of the records of each shard at the build, after which part-0, part-2 and part-4 are removed, part-1 and
# part-3 grow, and part-0b is new: the first ordinals and two ranges between others are gone.
BUILT = {
    "part-0": range(3),
    "part-1": range(3, 7),
    "part-2": range(7, 12),
    "part-3": range(12, 18),
    "part-4": range(18, 25),
}
GONE = ("part-0", "part-2", "part-4")
GROWN = {"part-1": range(100, 104), "part-3": range(104, 105)}
NEW = {"part-0b": range(200, 202)}

# What the index must have: number -> ordinal. Shards found at an update get ordinals in natural order of their paths.
ORDINALS = {
    **{number: number for number in (*BUILT["part-1"], *BUILT["part-3"])},
    **{number: 25 + i for i, number in enumerate((*NEW["part-0b"], *GROWN["part-1"], *GROWN["part-3"]))},
}
END = 32
BY_ORDINAL = [number for number, _ in sorted(ORDINALS.items(), key=lambda item: item[1])]
BY_SHARD = [*NEW["part-0b"], *BUILT["part-1"], *GROWN["part-1"], *BUILT["part-3"], *GROWN["part-3"]]
FREE = [ordinal for ordinal in range(END) if ordinal not in ORDINALS.values()]


class GapsTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        data = self.dir / "data"
        data.mkdir()
        for name, numbers in BUILT.items():
            payloads = [payload(number, gone=name == "part-2") for number in numbers]
            records.write_tfrecord(data / name, payloads)
        self.expect(0, "build", "data")
        for name in GONE[:-1]:
            (data / name).rename(self.dir / f"was-{name}")
        for name, numbers in GROWN.items():
            with open(data / name, "ab") as shard:
                for number in numbers:
                    shard.write(records.frame_tfrecord(payload(number)))
        for name, numbers in NEW.items():
            records.write_tfrecord(data / name, [payload(number) for number in numbers])
        self.expect(0, "update", "data")
        (data / GONE[-1]).rename(self.dir / f"was-{GONE[-1]}")
        self.expect(0, "update", "data")

    def fresh(self) -> str:
        """Builds a new index of the same files in a copy of the folder, and returns its name."""
        shutil.rmtree(self.dir / "fresh", ignore_errors=True)
        shutil.copytree(self.dir / "data", self.dir / "fresh" / "data")
        self.expect(0, "build", "fresh/data")
        return "fresh/data"

    def sql(self, query: str, index: str = "data") -> list[dict[str, Any]]:
        return self.expect(0, "sql", index, query, "--json").json["rows"]

    def numbers(self, done: Finished) -> list[int]:
        return [record["features"]["n"]["values"][0] for record in done.jsonl]


class InfoTest(GapsTest):
    def test_info_counts_what_is_there_and_lists_what_is_gone(self) -> None:
        text = self.expect(0, "info", "data").text
        self.assertIn("records   17\n", text)
        self.assertIn(
            "gone      15 records in 3 shards, since generation 2 "
            "(`ofindex update --prune` drops them; ordinals move)\n",
            text,
        )
        info = self.expect(0, "info", "data", "--json").json
        self.assertEqual((info["records"], info["ordinals"], info["generation"]), (17, END, 3))
        gone = [{"path": f"data/{name}", "records": len(BUILT[name]), "since": 2 + (name == "part-4")} for name in GONE]
        self.assertEqual(info["gone"], gone)
        fresh = self.expect(0, "info", self.fresh(), "--json").json
        self.assertEqual((fresh["gone"], fresh["ordinals"]), ([], 17))
        for key in ("records", "payload_bytes", "data_bytes", "shards", "features", "bad", "damage", "skipped"):
            self.assertEqual(info[key], fresh[key], key)

    def test_a_feature_that_only_gone_records_had_is_shown_nowhere(self) -> None:
        for verb in ("info", "schema"):
            self.assertNotIn("once", self.expect(0, verb, "data").text)
        self.assertEqual(list(self.sql("SELECT * FROM records LIMIT 1")[0])[4:], ["label", "n", "name"])
        self.assertIn('no such column: "once"', self.expect_error(2, "sql", "data", "SELECT once FROM records").stderr)
        self.assertIn("no column 'once'", self.expect_error(2, "stats", "data", "once").stderr)
        (self.dir / "was-part-2").rename(self.dir / "data" / "part-2")
        self.expect(0, "update", "data")
        self.assertEqual(self.sql("SELECT count(once) AS n FROM records"), [{"n": len(BUILT["part-2"])}])


class ReadTest(GapsTest):
    def test_a_record_keeps_its_ordinal_and_a_gone_one_is_an_error_that_names_its_shard(self) -> None:
        for number, ordinal in ORDINALS.items():
            self.assertEqual(self.expect(0, "get", "data", str(ordinal), "--raw").stdout, payload(number))
        for name in GONE:
            for ordinal in (BUILT[name][0], BUILT[name][-1]):
                failed = self.expect_error(2, "get", "data", str(BY_ORDINAL[0]), str(ordinal), "--json")
                self.assertEqual(failed.stdout, b"")
                self.assertIn(f"record {ordinal} is gone: its shard data/{name} was removed or changed", failed.stderr)
        self.assertIn("expected 0 to 31", self.expect_error(2, "get", "data", str(END)).stderr)

    def test_ranges_and_whole_passes_skip_gaps(self) -> None:
        for span in (":", "0:4", "2:13", "-20:", "7:12", "24:26", "0:1000"):
            begin, _, end = span.partition(":")
            ordinals = range(END)[slice(int(begin) if begin else None, int(end) if end else None)]
            expected = [number for number in BY_ORDINAL if ORDINALS[number] in ordinals]
            self.assertEqual(self.numbers(self.expect(0, "get", "data", span, "--jsonl")), expected, span)
            found = self.expect(0, "cat", "data", "--range", span)
            self.assertEqual(self.numbers(found), expected, span)
            self.assertEqual([record["_id"] for record in found.jsonl], [ORDINALS[number] for number in expected])
        self.assertEqual(self.numbers(self.expect(0, "cat", "data", "--where", "n >= 0")), BY_ORDINAL)

    def test_a_list_of_ordinals_may_not_have_a_gone_one(self) -> None:
        (self.dir / "ids").write_text("28\n3\n28\n")
        self.assertEqual(self.numbers(self.expect(0, "cat", "data", "--ids", "ids")), [101, 3, 101])
        (self.dir / "ids").write_text("28\n8\n")
        failed = self.expect_error(2, "cat", "data", "--ids", "ids", "-o", "out.jsonl")
        self.assertIn("record 8 is gone", failed.stderr)
        self.assertFalse((self.dir / "out.jsonl").exists())

    def test_a_lost_shard_that_had_grown_is_reported_with_all_its_records(self) -> None:
        (self.dir / "data" / "part-1").unlink()
        done = self.run_command("cat", "data")
        self.assertEqual(done.code, 4, done)
        lost = (*BUILT["part-1"], *GROWN["part-1"])
        self.assertEqual(self.numbers(done), [number for number in BY_ORDINAL if number not in lost])
        self.assertIn("8 records, the first of them 3, are in it", done.stderr)


class QueryTest(GapsTest):
    def test_sql_answers_as_on_a_new_index_except_for_ordinals(self) -> None:
        fresh = self.fresh()
        for query in (
            "SELECT count(*), sum(n), min(n), max(n), avg(label) FROM records",
            "SELECT label, count(*), sum(n) FROM records GROUP BY label ORDER BY 1",
            "SELECT n, name, _shard, _offset, _length FROM records ORDER BY n",
            "SELECT n FROM records ORDER BY name, n DESC LIMIT 5",
            "SELECT n FROM records WHERE name = 'name 2' OR label = 1 ORDER BY n",
            "SELECT a.n FROM records a JOIN records b ON a.n = b.n AND b.label = 0 ORDER BY 1",
            "SELECT path, records, bytes, payload_bytes FROM shards",
            "SELECT * FROM features",
            "SELECT s.path, count(*) FROM shards s JOIN records r ON r._shard = s.path GROUP BY 1 ORDER BY 1",
        ):
            self.assertEqual(self.sql(query), self.sql(query, fresh), query)

    def test_sql_knows_records_by_ordinal(self) -> None:
        self.assertEqual(self.sql("SELECT _id, n FROM records"), [{"_id": ORDINALS[n], "n": n} for n in BY_ORDINAL])
        for ordinal in FREE:
            self.assertEqual(self.sql(f"SELECT n FROM records WHERE _id = {ordinal}"), [])
        listed = ", ".join(map(str, range(END + 3)))
        self.assertEqual(self.sql(f"SELECT n FROM records WHERE _id IN ({listed})"), [{"n": n} for n in BY_ORDINAL])
        joined = "SELECT j.value FROM json_each('[0, 3, 8, 26, 31, 32]') j JOIN records r ON r._id = j.value ORDER BY 1"
        self.assertEqual([row["value"] for row in self.sql(joined)], [3, 26, 31])

    def test_where_and_sample_give_every_record_once(self) -> None:
        for expression in ("1", "label = 1", "_id > 5", "n IN (3, 104, 8)", "NOT label = 1"):
            found = self.expect(0, "where", "data", expression, "--json").json["ids"]
            expected = self.sql(f"SELECT _id FROM records WHERE {expression} ORDER BY _id")
            self.assertEqual(found, [row["_id"] for row in expected], expression)
        for options in ([], ["--block", "2"], ["--block", "auto"], ["--where", "label = 0"]):
            drawn = self.expect(0, "sample", "data", "--json", *options).json["ids"]
            wanted = [ORDINALS[n] for n in BY_ORDINAL if "--where" not in options or n % 3 == 0]
            self.assertEqual(sorted(drawn), wanted, options)
        for options in (["--weights", "n"], ["--balance", "label"]):
            drawn = self.expect(0, "sample", "data", "--json", *options).json["ids"]
            self.assertEqual(len(drawn), 17)
            self.assertLessEqual(set(drawn), set(ORDINALS.values()))
        batches = self.expect(0, "sample", "data", "--json", "--batch-total", "200").json["batches"]
        self.assertEqual(sorted(one for batch in batches for one in batch), sorted(ORDINALS.values()))

    def test_statistics_and_schema_are_those_of_a_new_index(self) -> None:
        fresh = self.fresh()
        for args in (["stats"], ["stats", "--by", "label"], ["schema"]):
            found, expected = (self.expect(0, args[0], index, *args[1:], "--json").json for index in ("data", fresh))
            self.assertEqual(found | {"index": ""}, expected | {"index": ""}, args)


class FilesTest(GapsTest):
    def test_gaps_are_clean_and_noted(self) -> None:
        done = self.run_command("verify", "data")
        self.assertEqual(done.code, 0, done)
        self.assertIn("clean: 17 records", done.text)
        self.assertIn("note: 15 records gone with their shards", done.stderr)
        self.assertEqual(self.expect(0, "verify", "data", "--quick", "--json").json["gone_records"], 15)

    def test_an_export_has_a_file_for_each_shard_that_is_there(self) -> None:
        fresh = self.fresh()
        self.expect(0, "export", "data", "--to", "tfrecord2idx", "-o", "found")
        self.expect(0, "export", fresh, "--to", "tfrecord2idx", "-o", "expected")
        found, expected = (
            {path.name: path.read_text() for path in (self.dir / folder).iterdir()} for folder in ("found", "expected")
        )
        self.assertEqual(found, expected)
        self.assertEqual(sorted(found), ["part-0b.idx", "part-1.idx", "part-3.idx"])

    def test_a_conversion_writes_the_shards_that_a_new_index_would_give(self) -> None:
        fresh = self.fresh()
        for options in ([], ["--shards", "2"]):
            for index, out in (("data", "found"), (fresh, "expected")):
                self.expect(0, "convert", index, "--to", "ofrecord", "-o", out, "--force", *options)
            found, expected = (
                {path.name: path.read_bytes() for path in written.shards(self.dir / out)}
                for out in ("found", "expected")
            )
            self.assertEqual(found, expected, options)
        converted = written.payloads_in(self.dir / "found", records.OFRECORD)
        self.assertEqual([written.features(one, "ofrecord")["n"][1][0] for one in converted], BY_SHARD)
        self.expect(0, "convert", "data", "--to", "tfrecord", "-o", "drawn", "--shuffle", "3", "--where", "label < 2")
        drawn = [written.features(one, "example")["n"][1][0] for one in written.payloads_in(self.dir / "drawn")]
        self.assertEqual(sorted(drawn), sorted(n for n in BY_ORDINAL if n % 3 < 2))

    def test_a_bad_record_in_a_grown_shard_is_named_by_its_shard(self) -> None:
        shard = self.dir / "data" / "part-3"
        frame = records.frame_tfrecord(payload(300))
        with open(shard, "ab") as file:
            file.write(frame[:-5] + bytes([frame[-5] ^ 1]) + frame[-4:])
        self.expect(0, "update", "data")
        done = self.run_command("convert", "data", "--to", "ofrecord", "-o", "out", "--json")
        self.assertEqual(done.code, 3, done)
        self.assertIn("data/part-3@", done.stderr)
        self.assertEqual([bad["shard"] for bad in json.loads(done.stdout)["bad"]], ["data/part-3"])


class AllGoneTest(CommandTest):
    def test_a_dataset_whose_records_are_all_gone_but_one_shard(self) -> None:
        data = self.dir / "data"
        data.mkdir()
        records.write_tfrecord(data / "a", [payload(number) for number in range(5)])
        self.expect(0, "build", "data")
        records.write_tfrecord(data / "b", [])
        records.write_tfrecord(data / "c", [payload(7)])
        self.expect(0, "update", "data")
        (data / "a").unlink()
        self.expect(0, "update", "data")
        counted = self.expect(0, "sql", "data", "SELECT count(*) AS n FROM records", "--json").json["rows"]
        self.assertEqual(counted, [{"n": 1}])
        self.assertEqual(self.expect(0, "sample", "data", "--json").json["ids"], [5])
        self.assertEqual(self.expect(0, "get", "data", "-1", "--raw").stdout, payload(7))
        self.assertEqual(self.expect(0, "cat", "data", "--range", ":5").stdout, b"")
