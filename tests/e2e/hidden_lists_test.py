"""A column of single values is NULL in records with several: the command tells them from those without the feature."""

from __future__ import annotations

from e2e.command import CommandTest
from oracle import messages, records

# Value counts of `l`, by record; None: the feature is absent.
COUNTS = (3, 0, 1, 2, None)


class HiddenListsTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        payloads = [
            messages.encode(
                "example",
                {"s": ("int64", [number]), **({} if count is None else {"l": ("int64", list(range(count)))})},
            )
            for number, count in enumerate(COUNTS)
        ]
        records.write_tfrecord(self.dir / "data", payloads)

    def build(self, *args: str) -> str:
        return self.expect(0, "build", "data", *args).stderr

    def test_build_reports_columns_that_are_null_in_records_with_several_values(self) -> None:
        note = (
            "NULL in records with several values: l (up to 3 records); to store lists, as JSON arrays in all "
            "records, build with --columns auto,l\n"
        )
        self.assertEqual(self.build(), note)
        self.assertEqual(self.build("-q", "--force"), "")
        document = self.expect(0, "build", "data", "--force", "--json").json
        self.assertEqual(document["lists_as_null"], [{"name": "l", "column": "l", "present": 4, "single": 1}])
        self.assertEqual(self.build("--columns", "auto,l"), "")

    def test_the_note_names_few_features_and_quotes_them_for_a_shell(self) -> None:
        many = {f"f{number}": ("int64", [1, 2]) for number in range(9)}
        names = {**many, "it's, so": ("int64", [1, 2])}
        single = {name: ("int64", [1]) for name in names}
        records.write_tfrecord(self.dir / "data", [messages.encode("example", one) for one in (names, single)])
        self.assertIn(
            "f0 (1 record), f1 (1 record), f2 (1 record), f3 (1 record), f4 (1 record) and 5 more; "
            "to store lists, as JSON arrays in all records, build with --columns auto,f0,f1,f2,f3,f4\n",
            self.build(),
        )
        few = {name: values for name, values in names.items() if name >= "g"}
        records.write_tfrecord(self.dir / "data", [messages.encode("example", one) for one in (few, single)])
        self.assertIn("build with --columns 'auto,it'\\''s\\, so'\n", self.build("--force"))

    def test_stats_tell_absent_empty_and_several_apart(self) -> None:
        self.build()
        (column,) = self.expect(0, "stats", "data", "l", "--json").json["columns"]
        keys = ("count", "nulls", "absent", "empty", "several")
        self.assertEqual([column[key] for key in keys], [1, 4, 1, 1, 2])
        text = self.expect(0, "stats", "data", "l").text
        self.assertIn("  1 value  4 NULL (1 absent, 1 empty, 2 with several values)  1 distinct\n", text)
        self.assertIn("  5 values  0 NULL  5 distinct\n", self.expect(0, "stats", "data", "s").text)
        header, row = self.expect(0, "stats", "data", "l", "--csv").text.splitlines()
        self.assertTrue(header.endswith(",absent,empty,several"), header)
        self.assertTrue(row.endswith(",1,1,2"), row)
        self.assertTrue(self.expect(0, "stats", "data", "l#count", "--csv", "--no-header").text.endswith(",,,\n"))

    def test_an_expression_on_such_a_column_gets_a_note_unless_it_reads_the_count(self) -> None:
        self.build("-q")
        (self.dir / "ids").write_text("1\n2\n", encoding="utf-8")
        (self.dir / "e.sql").write_text("l IS NULL", encoding="utf-8")
        note = 'note: l is NULL in records with several values, too; "l#count" > 1 finds them\n'
        for args in (
            ("where", "data", "l IS NULL"),
            ("where", "data", "L > 7 OR s = 0"),
            ("where", "data", "_id IN (SELECT _id FROM records WHERE l IS NULL)"),
            ("cat", "data", "--where", "l IS NULL"),
            ("sample", "data", "--where", "l IS NULL"),
            ("sample", "data", "--ids", "ids", "--where", "l IS NULL"),
            ("where", "data", "@e.sql"),
            ("convert", "data", "--where", "l IS NULL", "--to", "ofrecord", "-o", "out.ofrecord"),
            ("sql", "data", "SELECT l FROM records"),
            ("sql", "data", "SELECT count(*) FROM records WHERE l IS NULL"),
            ("sql", "data", "SELECT L, count(*) FROM records GROUP BY L"),
        ):
            with self.subTest(args):
                self.assertEqual(self.expect(0, *args).stderr.count(note), 1)
        for args in (
            ("where", "data", "s = 1"),
            ("where", "data", "l IS NULL", "-q"),
            ("where", "data", 'l IS NULL AND "l#count" > 1'),
            ("where", "data", "s IN ('l')", "--count"),
            ("sql", "data", "SELECT * FROM records"),
            ("sql", "data", "SELECT s, count(*) FROM records GROUP BY s"),
            ("sql", "data", 'SELECT l, "l#count" FROM records'),
            ("sql", "data", "SELECT l FROM records", "-q"),
        ):
            with self.subTest(args):
                self.assertEqual(self.run_command(*args).stderr, "")

    def test_a_name_in_the_note_is_quoted_as_sql_needs_it(self) -> None:
        several = [messages.encode("example", {'a"b': ("int64", values)}) for values in ([1], [1, 2])]
        records.write_tfrecord(self.dir / "data", several)
        self.build("-q")
        for args in (("where", "data", '"a""b" = 1'), ("sql", "data", 'SELECT "a""b" FROM records')):
            self.assertIn('too; "a""b#count" > 1 finds them\n', self.expect(0, *args).stderr)
        text = self.expect(1, "where", "data", "'a\"b' = 1").stderr
        self.assertIn("""'a"b' in single quotes is text; the column is "a""b"\n""", text)

    def test_the_note_of_a_query_names_the_column_of_the_index_that_it_reads(self) -> None:
        self.build("-q")
        records.write_tfrecord(self.dir / "other", [messages.encode("example", {"l": ("int64", [7])})])
        self.expect(0, "build", "other", "-q")
        both = ("sql", "--index", "a=other", "--index", "b=data")
        self.assertEqual(self.expect(0, *both, "SELECT l FROM a.records").stderr, "")
        note = 'note: b.records.l is NULL in records with several values, too; b.records."l#count" > 1 finds them\n'
        self.assertEqual(self.expect(0, *both, "SELECT l FROM b.records").stderr, note)
        found = self.expect(0, *both, 'SELECT s FROM b.records WHERE b.records."l#count" > 1', "--jsonl")
        self.assertEqual(found.jsonl, [{"s": 0}, {"s": 3}])
        twice = ("sql", "--index", "a=data", "--index", "b=data", "SELECT l FROM a.records UNION SELECT l FROM b.records")
        self.assertEqual(self.expect(0, *twice).stderr, note.replace("b.records", "a.records") + note)

    def test_an_expression_reads_every_table_that_a_query_of_sql_reads(self) -> None:
        self.build("-q")
        for expression, found in (
            ("_id IN (SELECT record FROM bad)", []),
            ("_id NOT IN (SELECT record FROM bad)", [0, 1, 2, 3, 4]),
            ("_shard IN (SELECT path FROM shards WHERE records = 5) AND s < 2", [0, 1]),
            ("s = (SELECT count(*) FROM features)", [2]),
            ("EXISTS (SELECT * FROM Damage)", []),
        ):
            with self.subTest(expression):
                code = 0 if found else 1
                self.assertEqual(self.expect(code, "where", "data", expression, "--json").json["ids"], found)
        drawn = self.expect(0, "sample", "data", "--where", "_id NOT IN (SELECT record FROM bad)").text.split()
        self.assertEqual(sorted(map(int, drawn)), [0, 1, 2, 3, 4])
        (self.dir / "ids").write_text("3\n1\n4\n", encoding="utf-8")
        listed = self.expect(0, "sample", "data", "--ids", "ids", "--where", "s > 2").text.split()
        self.assertEqual(sorted(map(int, listed)), [3, 4])
        self.expect_error(2, "where", "data", "_id IN (SELECT record FROM bads)")
        self.expect_error(2, "where", "data", "_id IN (SELECT name FROM sqlite_schema)")


class DroppedColumnsTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        features = {name: ("int64", [1]) for name in ("a", "b", "c")}
        lists = {**features, "l": ("int64", [1, 2])}
        records.write_tfrecord(self.dir / "data", [messages.encode("example", lists)])

    def test_build_names_the_columns_that_it_no_longer_stores_and_how_to_keep_them(self) -> None:
        # Columns before and after, and the note.
        for before, after, expected in (
            ("b,c", "a", "no longer stored: b, c; to keep them, build with --columns a,b,c\n"),
            ("a", "a,b", ""),
            ("auto", "a,l", "no longer stored: b, c; to keep them, build with --columns auto,a,l\n"),
            ("auto,l", "auto", "no longer stored: lists of l; to keep it, build with --columns auto,l\n"),
            ("b", "none", "no longer stored: b; to keep it, build with --columns b\n"),
            ("none", "b", ""),
        ):
            with self.subTest(before=before, after=after):
                self.expect(0, "build", "data", "--columns", before, "--force")
                self.assertEqual(self.expect(0, "build", "data", "--columns", after).stderr, expected)
                self.assertEqual(self.expect(0, "build", "data", "--columns", after).stderr, "")
        self.expect(0, "build", "data", "--columns", "b,c", "--force")
        self.assertEqual(self.expect(0, "build", "data", "--columns", "a", "--json").json["columns_dropped"], ["b", "c"])
        self.assertEqual(self.expect(0, "build", "data", "--columns", "b", "-q").stderr, "")

    def test_columns_of_features_that_the_data_no_longer_have_are_not_reported(self) -> None:
        self.expect(0, "build", "data", "--columns", "b,c")
        records.write_tfrecord(self.dir / "data", [messages.encode("example", {"a": ("int64", [1])})])
        self.assertEqual(self.expect(0, "build", "data", "--columns", "a", "--force").stderr, "")

    def test_a_damaged_index_is_replaced_without_a_word_about_its_columns(self) -> None:
        self.expect(0, "build", "data", "--columns", "b")
        (self.dir / "data.ofidx").write_bytes((self.dir / "data.ofidx").read_bytes()[:70_000])
        self.assertEqual(self.expect(0, "build", "data", "--columns", "a", "--force").stderr, "")
