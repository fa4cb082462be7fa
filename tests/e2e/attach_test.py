"""`ofindex attach` and `detach`: the columns of a table as columns of the records.

OFINDEX_KILLS is the number of kills (default: 10).
"""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import time
from collections.abc import Iterable, Mapping
from typing import Any

from e2e.command import CommandTest

KILLS = int(os.environ.get("OFINDEX_KILLS", "10"))


class AttachCase(CommandTest):
    """A folder `data` of two shards, with records that have a name, a number and a long text."""

    COUNTS = (30, 20)

    def setUp(self) -> None:
        super().setUp()
        (self.dir / "data").mkdir()
        first = 0
        for part, count in enumerate(self.COUNTS):
            self.write_shard(f"part-{part}", range(first, first + count))
            first += count
        self.expect(0, "build", "data", "-q")

    def write_shard(self, name: str, numbers: Iterable[int]) -> None:
        rows = [{"name": f"img{n}.jpg", "n": n, "group": n % 5, "text": "x" * 80 + str(n)} for n in numbers]
        (self.dir / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.expect(0, "pack", "rows.jsonl", "-o", f"{name}.tfrecord", "--to", "tfrecord", "-q")
        (self.dir / f"{name}.tfrecord").rename(self.dir / "data" / name)

    def write_csv(self, name: str, rows: Iterable[Mapping[str, Any]]) -> str:
        rows = list(rows)
        with (self.dir / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return name

    def attach(self, table: str, key: str, *args: str, index: str = "data") -> Any:
        return self.expect(0, "attach", index, table, "--key", key, *args, "--json").json

    def values(self, column: str, index: str = "data", *args: str) -> dict[str, Any]:
        rows = self.expect(0, "sql", index, f'SELECT name, "{column}" AS v FROM records', "--jsonl", *args).jsonl
        return {row["name"]: row["v"] for row in rows}

    def scores(self, name: str, numbers: Iterable[int], column: str = "score") -> str:
        return self.write_csv(name, [{"name": f"img{n}.jpg", column: n / 4} for n in numbers])


class AttachTest(AttachCase):
    def test_an_attached_column_is_a_column_like_any_other(self) -> None:
        attached = self.attach(self.scores("s.csv", range(49, 9, -1)), "name")
        self.assertEqual((attached["schema"], attached["columns"]), ("ofindex.attach/1", ["score"]))
        self.assertEqual((attached["rows"], attached["records"], attached["attached_records"]), (40, 50, 40))
        self.assertEqual(attached["records_without_row"], {"count": 10, "first": [0, 1, 2, 3, 4]})
        expected = {f"img{n}.jpg": n / 4 if n >= 10 else None for n in range(50)}
        self.assertEqual(self.values("score"), expected)
        self.assertEqual(self.expect(0, "where", "data", "score >= 12").text.split(), ["48", "49"])
        stats = self.expect(0, "stats", "data", "score", "--json").json["columns"][0]
        self.assertEqual((stats["count"], stats["nulls"], stats["min"], stats["max"]), (40, 10, 2.5, 12.25))
        feature = next(f for f in self.expect(0, "schema", "data", "--json").json["features"] if f["name"] == "score")
        self.assertEqual((feature["present"], feature["type"]), (40, "REAL"))
        self.assertRegex(feature["origin"], r"^attached \d{4}-\d\d-\d\d \d\d:\d\d:\d\d from s\.csv by name$")
        origin = "SELECT origin FROM features WHERE name IN ('score', 'n') ORDER BY name"
        rows = self.expect(0, "sql", "data", origin, "--jsonl").jsonl
        self.assertEqual([row["origin"] is None for row in rows], [True, False])
        drawn = self.expect(
            0, "sample", "data", "--weights", "score", "--where", "score > 0", "--seed", "1"
        ).text.split()
        self.assertTrue(drawn and all(int(ordinal) >= 10 for ordinal in drawn))
        plan = self.expect(0, "sql", "data", "SELECT count(*) AS n FROM records WHERE score > 100", "--jsonl").jsonl
        self.assertEqual(plan, [{"n": 0}])

    def test_rows_are_matched_by_ordinals_integers_a_feature_without_a_column_and_a_shared_key(self) -> None:
        self.attach(self.write_csv("id.csv", [{"_id": n, "a": -n} for n in range(50)]), "_id")
        self.attach(self.write_csv("n.csv", [{"nr": n, "b": f"t{n}"} for n in range(50)]), "n", "--table-key", "nr")
        self.attach(self.write_csv("text.csv", [{"text": "x" * 80 + str(n), "c": n} for n in range(50)]), "text")
        found = self.attach(self.write_csv("group.csv", [{"group": n, "d": n * n} for n in range(3)]), "group")
        self.assertEqual(found["attached_records"], 30)
        rows = self.expect(0, "sql", "data", "SELECT n, a, b, c, d FROM records ORDER BY n", "--jsonl").jsonl
        for n, row in enumerate(rows):
            d = (n % 5) ** 2 if n % 5 < 3 else None
            self.assertEqual(row, {"n": n, "a": -n, "b": f"t{n}", "c": n, "d": d})

    def test_json_lines_and_standard_input_are_tables_with_values_of_any_type(self) -> None:
        values = [1, 2.5, "text", None, True, {"base64": "/wA="}]
        lines = "".join(json.dumps({"name": f"img{n}.jpg", "v": value}) + "\n" for n, value in enumerate(values[2:4]))
        attached = self.expect(0, "attach", "data", "-", "--key", "name", "--json", stdin=lines.encode()).json
        self.assertEqual(attached["attached_records"], 2)
        self.assertEqual([self.values("v")[f"img{n}.jpg"] for n in range(3)], ["text", None, None])
        texts = self.write_csv("t.csv", [{"name": "img1.jpg", "zip": "007"}, {"name": "img2.jpg", "zip": ""}])
        self.attach(texts, "name")
        self.assertEqual(self.values("zip")["img1.jpg"], "007")
        numbers = self.write_csv("k.csv", [{"name": 12, "w": 1}])  # a key of texts that look like numbers
        refused = self.expect_error(2, "attach", "data", numbers, "--key", "name")
        self.assertIn("the table has '12', the records have 'img0.jpg'", refused.stderr)

    def test_rows_that_match_nothing_or_repeat_are_counted_and_listed(self) -> None:
        rows = [{"name": "img1.jpg", "v": 1}, {"name": "no.jpg", "v": 2}, {"name": "img1.jpg", "v": 1}]
        attached = self.attach(self.write_csv("r.csv", rows), "name")
        self.assertEqual(attached["rows_without_record"], {"count": 1, "first": [{"row": 2, "key": "'no.jpg'"}]})
        self.assertEqual(attached["repeated_rows"], {"count": 1, "first": [{"row": 3, "key": "'img1.jpg'"}]})
        shown = self.expect(0, "attach", "data", "r.csv", "--key", "name", "--replace")
        self.assertIn("note: 1 row without a record: 2 ('no.jpg')", shown.stderr)
        self.assertIn("note: 1 row repeated: 3 ('img1.jpg')", shown.stderr)
        self.assertIn("note: 49 records without a row, whose values are NULL: 0, 2, 3, 4, 5, ...", shown.stderr)
        self.assertIn("v attached to 1 of 50 records by name, from 3 rows", shown.text)

    def test_what_cannot_be_attached_is_refused_and_nothing_changes(self) -> None:
        self.attach(self.scores("s.csv", range(50)), "name")
        before = (self.dir / "data.ofidx-attached").read_bytes()
        lists = self.dir / "l.jsonl"
        lists.write_text('{"name": "img1.jpg", "boxes": [1, 2]}\n')
        twice = self.write_csv("twice.csv", [{"name": "img1.jpg", "v": 1}, {"name": "img1.jpg", "v": 2}])
        none = self.write_csv("none.csv", [{"name": "IMG1.JPG", "v": 1}])
        long = self.write_csv("long.csv", [{"name": "img1.jpg", "v": "y" * 70_000}])
        numbers = self.write_csv("numbers.csv", [{"n": "a", "v": 1}])
        case = self.write_csv("case.csv", [{"name": "img1.jpg", "a": 1, "A": 2}])
        reals = self.dir / "reals.jsonl"
        reals.write_text('{"n": 1.5, "v": 1}\n')
        for code, said, args in (
            (2, "already", ("s.csv", "--key", "name")),
            (2, "is the name of a column of the index", ("n.csv", "--key", "name")),
            (2, "is the name of a feature", ("f.csv", "--key", "name")),
            (2, "did you mean 'name'?", ("s.csv", "--key", "nam")),
            (2, "there is no column 'nope'", ("s.csv", "--key", "name", "--columns", "nope")),
            (2, "there is no column 'nome'", ("nome.csv", "--key", "nome")),
            (3, "has lists", ("l.jsonl", "--key", "name")),
            (3, "row 2 repeats the key 'img1.jpg'", (twice, "--key", "name")),
            (2, "none of its 1 row has the key of a record", (none, "--key", "name")),
            (7, "70,000 bytes", (long, "--key", "name")),
            (2, "of another type", (numbers, "--key", "n")),
            (2, "of another type", ("reals.jsonl", "--key", "n")),
            (2, "upper and lower case being the same", (case, "--key", "name")),
        ):
            with self.subTest(said):
                self.write_csv("n.csv", [{"name": "img1.jpg", "N": 1}])
                self.write_csv("f.csv", [{"name": "img1.jpg", "text": 1}])
                self.write_csv("nome.csv", [{"nome": "img1.jpg", "v": 1}])
                self.assertIn(said, self.expect_error(code, "attach", "data", *args).stderr)
                self.assertEqual((self.dir / "data.ofidx-attached").read_bytes(), before)
        self.assertEqual(self.names(), sorted({*self.names()} - {"data.ofidx-attached.ofindex-draft"}))
        self.attach("s.csv", "name", "--as", "other_")
        self.assertEqual(self.values("other_score"), self.values("score"))

    def test_detach_drops_columns_and_the_file_with_the_last_one(self) -> None:
        self.attach(self.scores("s.csv", range(50)), "name")
        self.attach(self.scores("t.csv", range(50), "other"), "name")
        self.assertIn("did you mean 'score'?", self.expect_error(2, "detach", "data", "scor").stderr)
        self.expect_error(2, "detach", "data")
        found = self.expect(0, "detach", "data", "SCORE", "--json").json
        self.assertEqual((found["detached"], found["left"]), (["score"], ["other"]))
        self.expect_error(2, "where", "data", "score > 1")
        self.assertEqual(self.values("other")["img8.jpg"], 2)
        self.assertIn("the file is removed", self.expect(0, "detach", "data", "--all").text)
        self.assertNotIn("data.ofidx-attached", self.names())
        self.assertIn("there are no attached columns", self.expect_error(2, "detach", "data", "other").stderr)

    def test_a_file_may_lie_over_an_index_that_cannot_be_written(self) -> None:
        self.attach(self.scores("s.csv", range(50)), "name", "-o", "a.columns")
        self.attach(self.scores("t.csv", range(50), "other"), "name", "-o", "b.columns")
        self.assertNotIn("data.ofidx-attached", self.names())
        self.expect_error(2, "where", "data", "score > 1")
        args = ("--attach", "a.columns", "--attach", "b.columns")
        self.assertEqual(self.expect(0, "where", "data", "score > 12 AND other > 12", *args).text.split(), ["49"])
        self.assertEqual(self.values("score", "data", *args)["img4.jpg"], 1)
        self.assertEqual(len(self.expect(0, "cat", "data", "--where", "score > 12", *args).jsonl), 1)
        stats = self.expect(0, "stats", "data", "other", "--json", *args).json["columns"]
        self.assertEqual([column["max"] for column in stats], [12.25])
        names = [row["name"] for row in self.expect(0, "schema", "data", "--json", *args).json["features"]]
        self.assertIn("score", names)
        self.assertEqual(self.expect(0, "sample", "data", "--where", "score > 12", *args).text.split(), ["49"])
        clash = self.expect_error(2, "where", "data", "1", "--attach", "a.columns", "--attach", "a.columns")
        self.assertIn("both have an attached column 'score'", clash.stderr)
        self.expect(0, "detach", "data", "score", "-o", "a.columns")
        self.assertNotIn("a.columns", self.names())

    def test_the_file_of_another_dataset_or_a_rebuilt_one_is_refused_and_says_what_differs(self) -> None:
        self.attach(self.scores("s.csv", range(50)), "name")
        self.expect(0, "build", "data", "--force", "--verify", "-q")  # the same data
        self.assertEqual(self.values("score")["img8.jpg"], 2)
        self.write_shard("part-2", range(60, 70))
        built = self.expect(0, "build", "data", "--force")
        self.assertIn("`ofindex detach data.ofidx --all` removes them", built.stderr)
        for args in (("where", "data", "score > 1"), ("schema", "data"), ("attach", "data", "s.csv", "--key", "name")):
            refused = self.expect_error(4, *args)
            self.assertIn("expected generation 1 with 60 ordinals", refused.stderr)
            self.assertIn("got generation 1 with 50 ordinals", refused.stderr)
        self.expect(0, "get", "data", "3")
        self.expect(0, "detach", "data", "--all")
        self.attach("s.csv", "name")

    def test_a_damaged_file_is_an_error_and_a_foreign_one_is_not_removed(self) -> None:
        self.attach(self.scores("s.csv", range(50)), "name")
        path = self.dir / "data.ofidx-attached"
        path.write_bytes(path.read_bytes()[:-5])
        self.assertIn("wrong size", self.expect_error(4, "where", "data", "score > 1").stderr)
        self.expect(0, "detach", "data", "--all")
        path.write_text("notes of somebody")
        self.expect_error(4, "attach", "data", "s.csv", "--key", "name")
        self.expect_error(4, "detach", "data", "--all")
        self.assertEqual(path.read_text(), "notes of somebody")

    def test_a_hint_names_the_file_that_cannot_be_used(self) -> None:
        self.attach(self.scores("s.csv", range(50)), "name")
        for args in (
            ("where", "data", "n = 3", "--attach", "nowhere"),
            ("where", "data", "n = 3", "--attach", "s.csv"),
            ("attach", "data", "s.csv", "--key", "name", "-o", "s.csv"),
        ):
            refused = self.expect_error(4, *args)
            self.assertIn("ofindex attach INDEX TABLE --key NAME -o FILE", refused.stderr)
            self.assertNotIn("detach", refused.stderr)
        (self.dir / "data.ofidx-attached").write_bytes(b"")
        self.assertIn("ofindex detach INDEX --all", self.expect_error(4, "where", "data", "n = 3").stderr)
        self.expect(0, "detach", "data", "--all")
        self.expect(0, "where", "data", "n = 3")

    def test_a_damaged_file_of_a_killed_update_is_in_nobodys_way(self) -> None:
        self.attach(self.scores("s.csv", range(50)), "name")
        following = self.dir / "data.ofidx-attached-next"
        following.write_bytes(b"OFIDXATT" + bytes(300))
        self.assertEqual(self.values("score")["img8.jpg"], 2)
        self.attach(self.scores("t.csv", range(50), "other"), "name")
        self.assertFalse(following.exists())
        following.write_bytes(b"OFIDXATT" + bytes(300))
        (self.dir / "data.ofidx-attached").unlink()
        self.expect_error(4, "where", "data", "n = 3")
        self.expect(0, "detach", "data", "--all")
        self.expect(0, "where", "data", "n = 3")
        following.write_text("notes of somebody")
        self.expect_error(4, "attach", "data", "s.csv", "--key", "name")
        self.assertEqual(following.read_text(), "notes of somebody")

    def test_a_column_whose_values_are_all_null_is_there(self) -> None:
        self.write_csv("none.csv", [{"n": n, "none": ""} for n in range(50)])
        self.attach("none.csv", "n")
        self.assertEqual(len(self.expect(0, "where", "data", "none IS NULL").text.split()), 50)
        self.assertEqual(set(self.values("none").values()), {None})
        stats = self.expect(0, "stats", "data", "none", "--json").json["columns"][0]
        self.assertEqual((stats["count"], stats["nulls"]), (0, 50))
        feature = next(f for f in self.expect(0, "schema", "data", "--json").json["features"] if f["name"] == "none")
        self.assertEqual((feature["present"], feature["column"]), (0, "none"))
        self.expect(0, "schema", "data")
        self.expect_error(2, "attach", "data", "none.csv", "--key", "n")
        self.expect(0, "detach", "data", "none")

    def test_verify_reads_attached_columns(self) -> None:
        self.attach(self.scores("s.csv", range(50)), "name")
        self.assertIsNone(self.expect(0, "verify", "data", "--json").json["attached"])
        path = self.dir / "data.ofidx-attached"
        sound = path.read_bytes()
        for position in (300, len(sound) // 2, len(sound) - 1):
            damaged = bytearray(sound)
            damaged[position] ^= 1
            path.write_bytes(damaged)
            self.assertIn("data.ofidx-attached", self.expect(1, "verify", "data", "--json").json["attached"])
        self.assertIn("attach  data.ofidx-attached: ", self.expect(1, "verify", "data").text)
        path.write_bytes(sound)
        self.expect(0, "verify", "data")

    def test_a_process_that_waited_for_an_update_takes_the_new_index(self) -> None:
        self.scores("s.csv", range(60))
        self.write_shard("part-2", range(50, 60))
        with (self.dir / "data.ofidx.ofindex-draft").open("wb") as draft:
            import fcntl

            fcntl.flock(draft, fcntl.LOCK_EX)
            waiting = self.start("attach", "data", "s.csv", "--key", "name", "--wait")
            time.sleep(0.2)
            self.assertIsNone(waiting.poll())
            self.expect(0, "build", "data", "-o", "next.ofidx", "-q")
            (self.dir / "next.ofidx").rename(self.dir / "data.ofidx")
            fcntl.flock(draft, fcntl.LOCK_UN)
            self.assertEqual(self.finish(waiting).code, 0)
        self.assertEqual(self.values("score")["img59.jpg"], 59 / 4)

    def test_another_process_that_writes_the_index_is_waited_for_or_an_error(self) -> None:
        self.scores("s.csv", range(50))
        with (self.dir / "data.ofidx.ofindex-draft").open("wb") as draft:
            import fcntl

            fcntl.flock(draft, fcntl.LOCK_EX)
            self.expect_error(6, "attach", "data", "s.csv", "--key", "name")
            waiting = self.start("attach", "data", "s.csv", "--key", "name", "--wait")
            time.sleep(0.2)
            self.assertIsNone(waiting.poll())
            fcntl.flock(draft, fcntl.LOCK_UN)
            self.assertEqual(self.finish(waiting).code, 0)

    def test_a_killed_attach_leaves_the_old_columns_or_the_new_ones(self) -> None:
        self.attach(self.scores("s.csv", range(50)), "name")
        old = self.values("score")
        self.write_csv("big.csv", [{"name": f"img{n % 50}.jpg", "score": n % 50} for n in range(60_000)])
        begin = time.monotonic()
        self.expect(0, "attach", "data", "big.csv", "--key", "name", "--as", "x_", "-q", "-o", "other")
        seconds = time.monotonic() - begin
        new = {f"img{n}.jpg": n for n in range(50)}
        moments = random.Random(20261128)
        found = 0
        for _ in range(KILLS):
            attaching = self.start("attach", "data", "big.csv", "--key", "name", "--replace", "-q")
            time.sleep(seconds * moments.uniform(0.1, 1.1))
            attaching.kill()
            attaching.wait()
            values = self.values("score")
            self.assertIn(values, (old, new))
            found += values == old
            if values == new:
                self.attach("s.csv", "name", "--replace")
        self.assertGreater(found, 0)
        self.attach("big.csv", "name", "--replace")
        self.assertEqual(self.values("score"), new)
        self.assertFalse([name for name in self.names() if name.endswith("draft")])


class CarryTest(AttachCase):
    """Attached columns of an index that is updated, pruned or merged."""

    def test_update_keeps_the_columns_and_new_records_have_null(self) -> None:
        self.attach(self.scores("s.csv", range(100)), "name")
        old = self.values("score")
        self.write_shard("part-2", range(50, 60))
        updated = self.expect(0, "update", "data", "--json").json
        self.assertEqual((updated["new_records"], updated["attached_columns"]), (10, ["score"]))
        self.assertEqual(self.values("score"), {**old, **{f"img{n}.jpg": None for n in range(50, 60)}})
        self.write_shard("part-1", range(70, 90))  # changed: all its records are new ones
        shown = self.expect(0, "update", "data")
        self.assertIn("attached columns are NULL for 20 new records: score", shown.stderr)
        expected = {f"img{n}.jpg": n / 4 if n < 30 else None for n in (*range(30), *range(50, 60), *range(70, 90))}
        self.assertEqual(self.values("score"), expected)
        self.attach("s.csv", "name", "--replace")
        self.assertEqual(self.values("score"), {name: float(name[3:-4]) / 4 for name in expected})

    def test_prune_and_merge_give_the_columns_to_the_records_under_their_new_ordinals(self) -> None:
        self.attach(self.scores("s.csv", range(25)), "name")
        self.attach(self.scores("t.csv", range(20, 60), "other"), "name")
        (self.dir / "data" / "part-0").rename(self.dir / "data" / "part-9")
        self.write_shard("part-2", range(50, 60))
        self.expect(0, "update", "data")
        self.assertTrue(self.expect(0, "update", "data", "--prune", "--json").json["renumbered"])
        self.assertEqual(self.expect(0, "get", "data", "0", "--feature", "n", "--jsonl").json["_id"], 0)
        scores, others = self.values("score"), self.values("other")
        for n in range(60):
            self.assertEqual(scores[f"img{n}.jpg"], n / 4 if n < 25 else None)
            self.assertEqual(others[f"img{n}.jpg"], n / 4 if 20 <= n < 50 else None)
        shutil.move(self.dir / "data", self.dir / "b")
        (self.dir / "data").mkdir()
        self.write_shard("part-0", range(100, 110))
        shutil.move(self.dir / "data", self.dir / "a")
        self.expect(0, "build", "a", "-q")
        self.expect(0, "build", "b", "-q")
        self.attach(self.scores("u.csv", range(100, 105)), "name", index="a")
        self.attach("s.csv", "name", index="b")
        self.attach("t.csv", "name", index="b")
        self.expect(0, "merge", "b.ofidx", "a.ofidx", "-o", "all.ofidx", "-q")
        merged = self.values("score", "all.ofidx")
        self.assertEqual(merged, {**self.values("score", "b"), **self.values("score", "a")})
        self.assertEqual(self.values("other", "all.ofidx")["img101.jpg"], None)
        self.assertEqual(self.values("other", "all.ofidx")["img44.jpg"], 11)

    def test_updates_prunes_and_attaches_at_the_same_time_lose_no_column(self) -> None:
        self.attach(self.scores("s.csv", range(200)), "name")
        self.scores("t.csv", range(200), "other")
        self.attach("t.csv", "name")
        for step in range(6):
            (self.dir / "data" / f"part-{step}").rename(self.dir / "data" / f"part-{step + 2}")
            running = [
                self.start("update", "data", "--prune", "--wait", "-q"),
                self.start("update", "data", "--prune", "--wait", "-q"),
                self.start("attach", "data", "t.csv", "--key", "name", "--replace", "--wait", "-q"),
            ]
            for process in running:
                ended = self.finish(process)
                self.assertEqual((ended.code, ended.stderr), (0, ""), step)
        self.expect(0, "update", "data", "--prune", "-q")
        self.assertEqual(self.values("other"), {f"img{n}.jpg": n / 4 for n in range(50)})
        self.assertEqual(self.values("score").keys(), self.values("other").keys())

    def test_a_prune_that_is_killed_leaves_columns_that_belong_to_the_index(self) -> None:
        self.attach(self.scores("s.csv", range(50)), "name")
        expected = self.values("score")
        (self.dir / "data" / "part-0").rename(self.dir / "data" / "part-9")
        self.expect(0, "update", "data")
        before = {name: (self.dir / name).read_bytes() for name in self.names() if name.startswith("data.")}
        self.expect(0, "update", "data", "--prune")
        after = {name: (self.dir / name).read_bytes() for name in self.names() if name.startswith("data.")}
        old, new = before["data.ofidx-attached"], after["data.ofidx-attached"]
        # What a kill leaves after each step: the next columns written, the index published, the columns renamed.
        for index, attached, following in ((before, old, new), (after, old, new), (after, None, new)):
            (self.dir / "data.ofidx").write_bytes(index["data.ofidx"])
            (self.dir / "data.ofidx-attached-next").write_bytes(following)
            (self.dir / "data.ofidx-attached").unlink(missing_ok=True)
            if attached is not None:
                (self.dir / "data.ofidx-attached").write_bytes(attached)
            self.assertEqual(self.values("score"), expected)
            self.attach(self.scores("t.csv", range(50), "other"), "name")
            self.assertEqual(self.values("other"), expected)
            self.assertEqual(self.values("score"), expected)
            self.assertNotIn("data.ofidx-attached-next", self.names())
