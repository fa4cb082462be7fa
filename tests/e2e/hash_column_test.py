"""The column `_hash`: the hash of each payload, as `build --verify` stores it in the index."""

from __future__ import annotations

import sqlite3
import struct

from e2e.command import CommandTest
from e2e.samples import payload, write_parts
from oracle import messages, records


class HashColumnTest(CommandTest):
    """Two indexes of the same records, one with hashes."""

    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", (3, 2, 40))
        records.WRITE[records.TFRECORD](self.dir / "data" / "part-3", [payload(1), payload(7), payload(1)])
        self.expect(0, "build", "data", "-q", "--verify")
        self.expect(0, "build", "data", "-q", "-o", "plain.ofidx")
        index = sqlite3.connect(self.dir / "data.ofidx")
        self.addCleanup(index.close)
        blobs = [row[0] for row in index.execute("SELECT hashes FROM block ORDER BY block")]
        self.hashes = [hash for blob in blobs for (hash,) in struct.iter_unpack("<q", blob)]

    def rows(self, query: str, index: str = "data") -> list[dict[str, object]]:
        return self.expect(0, "sql", index, query, "--jsonl").jsonl

    def test_each_record_has_the_hash_that_the_index_stores(self) -> None:
        self.assertEqual(len(set(self.hashes)), 45)
        found = self.rows("SELECT _id, _hash, printf('%016x', _hash) AS hex FROM records")
        self.assertEqual([row["_hash"] for row in found], self.hashes)
        self.assertEqual([row["hex"] for row in found], [f"{hash % 2**64:016x}" for hash in self.hashes])

    def test_an_index_without_hashes_has_null(self) -> None:
        found = self.rows("SELECT count(*) AS n, count(_hash) AS hashes, max(_hash) AS most FROM records", "plain.ofidx")
        self.assertEqual(found, [{"n": 48, "hashes": 0, "most": None}])
        self.expect(0, "where", "plain.ofidx", "_hash IS NULL", "--count")
        self.expect(1, "where", "plain.ofidx", "_hash = 1", "--count")

    def test_a_note_says_so_once_wherever_the_hash_is_read(self) -> None:
        def note(name: str) -> str:
            return (
                f"note: {name} is NULL in every record, since the index stores no hashes; "
                "`ofindex build DATA --verify` stores them\n"
            )

        both = ("sql", "--index", "a=plain.ofidx", "--index", "b=data")
        for args, code, name in (
            (("where", "plain.ofidx", "_hash = 1"), 1, "_hash"),
            (("where", "plain.ofidx", "_HASH IS NULL", "--count"), 0, "_hash"),
            (("cat", "plain.ofidx", "--where", "_hash = 1"), 0, "_hash"),
            (("sql", "plain.ofidx", "SELECT _id FROM records WHERE _hash = 1"), 0, "_hash"),
            (("sql", "plain.ofidx", "SELECT _hash, count(*) FROM records GROUP BY _hash"), 0, "_hash"),
            (("sql", "plain.ofidx", "SELECT 1 FROM records a JOIN records b USING (_hash)"), 0, "_hash"),
            ((*both, "SELECT 1 FROM a.records JOIN b.records USING (_hash)"), 0, "a.records._hash"),
        ):
            with self.subTest(args):
                self.assertEqual(self.expect(code, *args).stderr, note(name))
                self.assertEqual(self.expect(code, *args, "-q").stderr, "")
        for args in (
            ("sql", "plain.ofidx", "SELECT * FROM records LIMIT 1"),
            ("sql", "plain.ofidx", "SELECT count(*) FROM records WHERE _id = 1"),
            ("sql", "data", "SELECT count(*) FROM records WHERE _hash = 1"),
            ("where", "data", "_hash IS NOT NULL", "--count"),
            (*both, "SELECT count(_hash) FROM b.records"),
        ):
            with self.subTest(args):
                self.assertEqual(self.expect(0, *args).stderr, "")

    def test_the_column_is_read_only_where_it_is_named(self) -> None:
        for index in ("data", "plain.ofidx"):
            self.assertNotIn("_hash", self.rows("SELECT * FROM records LIMIT 1", index)[0])
        natural = "SELECT count(*) AS n FROM records a NATURAL JOIN records b"
        self.assertEqual(self.rows(natural, "plain.ofidx"), self.rows(natural))

    def test_conditions_groups_orders_and_joins_agree_with_the_index(self) -> None:
        first = self.hashes[1]
        same = [i for i, hash in enumerate(self.hashes) if hash == first]
        self.assertEqual(same, [1, 45, 47])
        for condition in (f"_hash = {first}", f"_hash = 0x{first % 2**64:x}", f"_hash IN ({first})", f"_hash = '{first}'"):
            self.assertEqual(self.expect(0, "where", "data", condition).text, "1\n45\n47\n", condition)
        counts = self.rows("SELECT _hash, count(*) AS n FROM records GROUP BY _hash HAVING n > 1 ORDER BY n")
        self.assertEqual(counts, [{"_hash": self.hashes[7], "n": 2}, {"_hash": first, "n": 3}])
        ordered = self.rows("SELECT _hash FROM records ORDER BY _hash LIMIT 5")
        self.assertEqual([row["_hash"] for row in ordered], sorted(self.hashes)[:5])
        (sums,) = self.rows("SELECT min(_hash) AS low, max(_hash) AS high, count(DISTINCT _hash) AS n FROM records")
        self.assertEqual(sums, {"low": min(self.hashes), "high": max(self.hashes), "n": 45})
        pairs = "SELECT count(*) AS n FROM records a JOIN records b USING (_hash) WHERE a._id < b._id"
        self.assertEqual(self.rows(pairs), [{"n": 4}])
        below = [i for i, hash in enumerate(self.hashes) if hash < 0]
        self.assertEqual([row["_id"] for row in self.rows("SELECT _id FROM records WHERE _hash < 0")], below)

    def test_a_feature_with_its_name_gets_a_suffix(self) -> None:
        one = messages.encode("example", {"_hash": ("int64", [5])})
        records.WRITE[records.TFRECORD](self.dir / "named.tfrecord", [one])
        self.expect(0, "build", "named.tfrecord", "-q")
        self.assertEqual(self.rows("SELECT _hash, _hash_2 FROM records", "named.tfrecord"), [{"_hash": None, "_hash_2": 5}])

    def test_stats_know_it_and_its_name_is_suggested(self) -> None:
        self.assertIn("45 distinct", self.expect(0, "stats", "data", "_hash").text)
        self.assertIn('did you mean "_hash"?', self.expect_error(2, "sql", "data", "SELECT _hsh FROM records").stderr)
