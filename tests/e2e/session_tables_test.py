"""`ofindex sql --table NAME=FILE` and `--index NAME=INDEX`: what a session reads besides one index."""

from __future__ import annotations

import csv
import json
import random
import subprocess

from e2e.command import CommandTest
from e2e.samples import write_parts


class SessionCase(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", (3, 2))
        self.expect(0, "build", "data", "-q")

    def rows(self, *args: str) -> list[dict[str, object]]:
        return self.expect(0, "sql", *args, "--jsonl").jsonl

    def write(self, name: str, text: str) -> str:
        (self.dir / name).write_text(text, encoding="utf-8")
        return name


class TableTest(SessionCase):
    """Files as tables."""

    def test_a_csv_file_has_the_types_that_all_its_rows_allow(self) -> None:
        text = 'i,r,b,t,e,z,"a b"\n1,1,true,x,,007,"p ""q"", r"\n-2,0.5,false,1,,8,\n,,,"",,9,\n'
        rows = self.rows("data", "--table", f"t={self.write('t.csv', text)}", "SELECT * FROM t")
        first = {"i": 1, "r": 1.0, "b": 1, "t": "x", "e": None, "z": "007", "a b": 'p "q", r'}
        second = {"i": -2, "r": 0.5, "b": 0, "t": "1", "e": None, "z": "8", "a b": None}
        third = {"i": None, "r": None, "b": None, "t": "", "e": None, "z": "9", "a b": None}
        self.assertEqual(rows, [first, second, third])

    def test_tsv_and_json_lines_are_tables_too(self) -> None:
        tsv = self.write("t.tsv", "a\tb\n1\tx,y\n")
        self.assertEqual(self.rows("data", "--table", f"t={tsv}", "SELECT * FROM t"), [{"a": 1, "b": "x,y"}])
        rows = [
            {"id": 7, "box": {"x": 1.5, "y": 2}, "tags": ["a", 1.5], "ok": True, "raw": {"base64": "/wA="}},
            {"id": 8, "box": {"x": 2}, "tags": [], "late": "é"},
        ]
        lines = self.write("t.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        found = self.rows("data", "--table", f"t={lines}", "SELECT *, typeof(ok) AS type FROM t")
        first = {"id": 7, "box.x": 1.5, "box.y": 2, "tags": '["a",1.5]', "ok": 1, "raw": {"base64": "/wA="}, "late": None}
        second = {"id": 8, "box.x": 2.0, "box.y": None, "tags": "[]", "ok": None, "raw": None, "late": "é"}
        self.assertEqual(found, [{**first, "type": "integer"}, {**second, "type": "null"}])
        query = "SELECT t.id, e.value AS tag FROM t, json_each(tags) e"
        self.assertEqual(self.rows("data", "--table", f"t={lines}", query), [{"id": 7, "tag": "a"}, {"id": 7, "tag": 1.5}])

    def test_standard_input_is_a_table_whose_form_is_given_or_told_by_its_first_line(self) -> None:
        args = ("sql", "data", "--table", "t=-", "SELECT * FROM t", "--jsonl")
        for text, expected in (
            (b"a,b\n1,x\n", {"a": 1, "b": "x"}),
            (b"\xef\xbb\xbf\r\na,b\r\n1,x\r\n", {"a": 1, "b": "x"}),
            (b"a\tb\n1\tx,y\n", {"a": 1, "b": "x,y"}),
            (b'\n  {"a": 1, "b": "x\\ty"}\n', {"a": 1, "b": "x\ty"}),
        ):
            with self.subTest(text):
                self.assertEqual(self.expect(0, *args, stdin=text).jsonl, [expected])
        tabs = self.expect(0, *args, "--table-format", "csv", stdin=b"a\tb,c\n1,2\n").jsonl
        self.assertEqual(tabs, [{"a\tb": 1, "c": 2}])
        query = "SELECT count(*) AS n FROM records JOIN t USING (label)"
        joined = self.expect(0, "sql", "data", "--table", "t=-", query, "--jsonl", stdin=b"label\n1\n").jsonl
        self.assertEqual(joined, [{"n": 1}])

    def test_the_form_of_a_file_whose_name_does_not_tell_it_is_an_option(self) -> None:
        rows = self.write("rows.txt", "a\tb\n1\tx\n")
        csv_rows = self.write("t.csv", "c\n7\n")
        refused = self.expect_error(2, "sql", "data", "--table", f"t={rows}", "SELECT * FROM t")
        self.assertIn("--table-format csv, tsv or jsonl", refused.stderr)
        args = ("data", "--table", f"t={rows}", "--table", f"u={csv_rows}", "--table-format", "tsv")
        self.assertEqual(self.rows(*args, "SELECT * FROM t, u"), [{"a": 1, "b": "x", "c": 7}])

    def test_a_single_argument_is_the_index_if_it_is_a_path_that_exists_and_otherwise_the_query(self) -> None:
        args = ("sql", "--index", "b=data", "--jsonl")
        query = b"SELECT (SELECT count(*) FROM records) + (SELECT count(*) FROM b.records) AS n"
        for index in ("data", "data.ofidx"):
            self.assertEqual(self.expect(0, *args, index, stdin=query).jsonl, [{"n": 10}])
        self.assertEqual(self.rows("--index", "b=data", "SELECT count(*) AS n FROM b.records"), [{"n": 5}])

    def test_standard_input_is_one_table_and_not_the_query_as_well(self) -> None:
        for args in (
            ("--table", "t=-"),
            ("--table", "t=-", "-"),
            ("--table", "t=-", "--table", "u=-", "SELECT 1"),
            ("--table-format", "csv", "SELECT 1"),
        ):
            with self.subTest(args):
                self.expect_error(2, "sql", "data", *args, stdin=b"a\n1\n")
        empty = self.expect_error(3, "sql", "data", "--table", "t=-", "SELECT 1", stdin=b"")
        self.assertIn("standard input@0: empty", empty.stderr)

    def test_a_file_whose_name_ends_like_standard_input_is_a_file(self) -> None:
        rows = self.write("b=-", "a\n1\n")
        args = ("sql", "data", "--table", f"a={rows}", "--table-format", "csv", "--jsonl")
        self.assertEqual(self.expect(0, *args, stdin=b"SELECT * FROM a").jsonl, [{"a": 1}])
        self.assertIn("a name, = and a path", self.expect_error(2, "sql", "data", "--table", "-", stdin=b"SELECT 1").stderr)

    def test_a_column_of_numbers_with_other_texts_is_text_and_a_note_says_why(self) -> None:
        query = ("sql", "data", "--table", "t=t.csv", "SELECT typeof(a) AS type FROM t LIMIT 1", "--jsonl")
        for values, line, first, cast in (
            (("1", "n/a", "3"), 3, "n/a", True),
            (("1.5", "", "-", "2", "-", "7"), 4, "-", True),
            (("1", "2", "it's", "3"), 4, "it's", True),
            (("1", "NA", "3", "null", "5"), 3, "NA", False),
            (("nan", "1", "2"), 2, "nan", True),
            (("1", '"a\nb"', "2", "3"), 3, r"a\x0ab", True),
            (("1", "2", "x" * 100), 4, "xxxx", False),
            (("1", "2", "12345678901234567890"), 0, "", False),  # would lose digits as a number
            (("1", "007", "3"), 0, "", False),
            (("1", "2", "2026-01-02"), 0, "", False),
            (("1", "n/a"), 0, "", False),  # as many texts as numbers
            (("a", "b", "1"), 0, "", False),
            (("1", "2.5", ""), 0, "", False),
            (("true", "false"), 0, "", False),
        ):
            with self.subTest(values=values):
                self.write("t.csv", "a,b\n" + "".join(f"{value},x\n" for value in values))
                found = self.expect(0, *query)
                self.assertEqual("note: " in found.stderr, line > 0, found.stderr)
                if line == 0:
                    continue
                self.assertEqual(found.jsonl, [{"type": "text"}])
                self.assertIn(f"note: table t: column \"a\" is text, not numbers, because of '{first}", found.stderr)
                self.assertIn(f"in line {line};", found.stderr)
                self.assertEqual("CAST(" in found.stderr, cast)
                self.assertEqual(self.expect(0, *query, "-q").stderr, "")
        self.write("t.csv", "a\n10\nn/a\n9\n")
        noted = self.expect(0, *query).stderr
        cast = noted[noted.index("CAST(") :].strip()
        self.assertEqual(self.rows("data", "--table", "t=t.csv", f"SELECT max({cast}) AS m FROM t"), [{"m": 10}])

    def test_a_header_of_numbers_is_noted_with_the_way_to_read_it_as_a_row(self) -> None:
        self.write("my ids", "3\n1\n4\n")
        args = ("sql", "data", "--table", "t=my ids", "--table-format", "csv", "SELECT count(*) AS n FROM t", "--jsonl")
        found = self.expect(0, *args)
        self.assertEqual(found.jsonl, [{"n": 2}])
        self.assertIn("note: table t: the first line names the columns, but has numbers only, such as '3'", found.stderr)
        self.assertIn("{ echo _id; cat -- 'my ids'; } | ofindex sql ... --table t=-", found.stderr)
        query = "SELECT count(*) AS n FROM records JOIN t USING (_id)"
        listed = self.expect(0, "sql", "data", "--table", "t=-", query, "--jsonl", stdin=b"_id\n3\n1\n4\n")
        self.assertEqual((listed.jsonl, listed.stderr), ([{"n": 3}], ""))
        for header, noted in (("label,2019,2020", False), ("2019,2020,label", False), (",0,1", False), ("0,-1.5,2", True)):
            stdin = f"{header}\n1,2,3\n".encode()
            found = self.expect(0, "sql", "data", "--table", "t=-", "SELECT 1 FROM t", stdin=stdin)
            self.assertEqual("has numbers only" in found.stderr, noted, header)

    def test_the_command_that_puts_names_before_a_table_of_numbers_makes_its_first_line_a_row(self) -> None:
        for name, divider, columns in (("-d.csv", ",", 3), ("t.tsv", "\t", 3), ("w.csv", ",", 30), ("w.tsv", "\t", 30)):
            with self.subTest(name):
                rows = [divider.join(str(row * columns + i) for i in range(columns)) for row in range(2)]
                self.write(name, "\n".join(rows) + "\n")
                noted = self.expect(0, "sql", "data", "--table", f"t={name}", "SELECT count(*) FROM t").stderr
                command, _, options = noted[noted.index("{ ") :].strip().partition(" | ofindex sql ... ")
                stdin = subprocess.run(["sh", "-c", command], cwd=self.dir, stdout=subprocess.PIPE, check=True).stdout
                query = f"SELECT count(*) AS n, max(c{columns}) AS last FROM t"
                found = self.expect(0, "sql", "data", *options.split(), query, "--jsonl", stdin=stdin)
                self.assertEqual((found.jsonl, found.stderr), ([{"n": 2, "last": 2 * columns - 1}], ""))

    def test_a_table_has_at_most_as_many_columns_as_sqlite_takes(self) -> None:
        for count, code in ((2000, 0), (2001, 7), (20_000, 7)):
            for name, text in (
                ("t.csv", ",".join(f"c{i}" for i in range(count)) + "\n" + ",".join("1" * count) + "\n"),
                ("t.jsonl", json.dumps({f"c{i}": 1 for i in range(count)}) + "\n"),
            ):
                self.write(name, text)
                found = self.run_command("sql", "data", "--table", f"t={name}", "SELECT count(*) FROM t")
                self.assertEqual(found.code, code, found.stderr)
                if code != 0:
                    self.assertIn(f"{name}", found.stderr)
                    self.assertIn("expected at most 2,000 columns", found.stderr)

    def test_tables_are_joined_with_the_records_and_with_each_other(self) -> None:
        names = self.write("names.csv", "label,name\n1,one\n4,four\n9,nine\n")
        query = "SELECT _id, name FROM records LEFT JOIN names USING (label) ORDER BY _id"
        found = [row["name"] for row in self.rows("data", "--table", f"names={names}", query)]
        self.assertEqual(found, [None, "one", None, None, "four"])
        query = "SELECT count(*) AS n FROM a JOIN b USING (name) JOIN records ON records.label = a.label"
        self.assertEqual(self.rows("data", "--table", f"a={names}", "--table", f"b={names}", query), [{"n": 2}])

    def test_random_joins_agree_with_python(self) -> None:
        random_ = random.Random(3)
        table = [(random_.randrange(8), random_.random()) for _ in range(5000)]
        with open(self.dir / "t.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("label", "score"), *table])
        query = "SELECT label, count(*) AS n, max(score) AS best FROM t JOIN records USING (label) GROUP BY 1 ORDER BY 1"
        expected = []
        for label in range(5):
            scores = [score for other, score in table if other == label]
            expected.append({"label": label, "n": len(scores), "best": max(scores)})
        self.assertEqual(self.rows("data", "--table", "t=t.csv", query), expected)

    def test_a_join_by_a_column_of_a_file_uses_an_index(self) -> None:
        names = self.write("names.csv", "label,name\n1,one\n")
        query = "EXPLAIN QUERY PLAN SELECT count(*) FROM names JOIN names other USING (name)"
        plan = " ".join(str(row["detail"]) for row in self.rows("data", "--table", f"names={names}", query))
        self.assertIn("AUTOMATIC COVERING INDEX (name=?)", plan)

    def test_aggregates_over_records_alone_are_grouped_with_a_table_in_the_session(self) -> None:
        names = self.write("names.csv", "label,name\n1,one\n")
        query = "EXPLAIN QUERY PLAN SELECT label, count(*) FROM records GROUP BY 1"
        plan = " ".join(str(row["detail"]) for row in self.rows("data", "--table", f"names={names}", query))
        self.assertIn("one row for each label", plan)

    def test_a_table_can_only_be_read(self) -> None:
        names = self.write("names.csv", "label,name\n1,one\n")
        for statement in ("INSERT INTO t VALUES (1, 2)", "DROP TABLE t", "SELECT * FROM temp.sqlite_schema"):
            error = self.expect_error(2, "sql", "data", "--table", f"t={names}", statement).stderr
            self.assertIn("refused", error, statement)
        self.assertEqual((self.dir / "names.csv").read_text(encoding="utf-8"), "label,name\n1,one\n")

    def test_errors_name_the_file_the_line_and_the_byte(self) -> None:
        for name, text, words in (
            ("t.csv", "a,b\n1,2\n3\n", "t.csv@8: line 3: expected 2 fields"),
            ("t.csv", "a,a\n1,2\n", "t.csv@0: line 1: two columns are called 'a'"),
            ("t.csv", "", "t.csv"),
            ("t.csv", "a,A\n1,2\n", "duplicate column name: A"),
            ("t.jsonl", '{"a": 1}\n{"a": }\n', "t.jsonl@9: line 2: no JSON"),
            ("t.jsonl", '{"a": 1}\n{"a": "x"}\n', "t.jsonl@9: line 2: feature 'a': both text and numbers"),
            ("t.jsonl", "\n", "t.jsonl@0: expected at least one row"),
        ):
            self.write(name, text)
            error = self.run_command("sql", "data", "--table", f"t={name}", "SELECT 1")
            self.assertIn(words, error.stderr)
            self.assertIn("hint: ", error.stderr)
            self.assertNotEqual(error.code, 0)

    def test_wrong_names_and_files_are_usage_errors(self) -> None:
        names = self.write("names.csv", "label,name\n1,one\n")
        self.write("names.txt", "label,name\n1,one\n")
        for table, words in (
            ("records=" + names, "'records' cannot be the name of a table or an index"),
            ("BAD=" + names, "'BAD' cannot be the name"),
            ("group=" + names, "it is a word of SQL"),
            ("a-b=" + names, "expected letters, digits and _"),
            (names, "expected a name, = and a path"),
            ("t=", "expected a name, = and a path"),
            ("t=names.txt", "expected a name that ends in .csv"),
        ):
            self.assertIn(words, self.expect_error(2, "sql", "data", "--table", table, "SELECT 1").stderr)
        twice = ("--table", f"t={names}", "--table", f"T={names}")
        self.assertIn("already", self.expect_error(2, "sql", "data", *twice, "SELECT 1").stderr)
        error = self.expect_error(2, "sql", "data", "--table", f"names={names}", "SELECT nmae FROM names").stderr
        self.assertIn('did you mean "name"?', error)
        error = self.expect_error(2, "sql", "data", "--table", f"names={names}", "SELECT * FROM namse").stderr
        self.assertIn('did you mean "names"?', error)


class IndexesTest(SessionCase):
    """Several indexes in one statement."""

    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "more", (4, 4))
        self.expect(0, "build", "more", "-q")

    def test_tables_of_several_indexes_have_their_names_in_front(self) -> None:
        both = ("--index", "a=data", "--index", "b=more")
        query = "SELECT a.records._id AS x, b.records._id AS y FROM a.records JOIN b.records USING (label) WHERE x > 2"
        self.assertEqual(self.rows(*both, query), [{"x": 3, "y": 3}, {"x": 4, "y": 4}])
        query = "SELECT (SELECT count(*) FROM a.shards) AS a, (SELECT sum(records) FROM b.shards) AS b, count(*) AS f FROM b.features"
        self.assertEqual(self.rows(*both, query), [{"a": 2, "b": 8, "f": 2}])
        query = "SELECT label FROM b.records EXCEPT SELECT label FROM a.records"
        self.assertEqual(self.rows(*both, query), [{"label": 5}, {"label": 6}, {"label": 7}])

    def test_a_table_without_a_name_in_front_is_that_of_the_first_index(self) -> None:
        count = "SELECT count(*) AS n FROM records"
        self.assertEqual(self.rows("--index", "b=more", "--index", "a=data", count), [{"n": 8}])
        self.assertEqual(self.rows("data", "--index", "b=more", count), [{"n": 5}])
        query = "SELECT (SELECT count(*) FROM records) AS a, (SELECT max(label) FROM b.records) AS b"
        self.assertEqual(self.rows("data", "--index", "b=more", query), [{"a": 5, "b": 7}])

    def test_a_note_says_which_index_is_meant_if_each_has_a_name(self) -> None:
        both = ("sql", "--index", "b=more", "--index", "a=data")
        note = "note: {0} is b.{0}, of the first index; a.{0} is that of the next\n".format
        for query, tables in (
            ("SELECT count(*) FROM records", ["records"]),
            ("SELECT records._id FROM Records WHERE records._id < 2", ["records"]),
            ("SELECT count(*) FROM a.records JOIN records r USING (label)", ["records"]),
            ("SELECT count(*) FROM a.records, shards, records", ["records", "shards"]),
            ("SELECT 1 FROM a.records WHERE _id IN (SELECT record FROM bad)", ["bad"]),
            ("SELECT a.records._id FROM a.records JOIN b.records USING (label)", []),
            ("SELECT path, records FROM a.shards WHERE records > 1", []),
            ("WITH records AS (SELECT 1) SELECT * FROM records", []),
        ):
            with self.subTest(query):
                self.assertEqual(self.expect(0, *both, query).stderr, "".join(map(note, tables)))
                self.assertEqual(self.expect(0, *both, query, "-q").stderr, "")
        for args in (("data", "--index", "b=more"), ("--index", "b=more")):
            self.assertEqual(self.expect(0, "sql", *args, "SELECT count(*) FROM records").stderr, "")

    def test_aggregates_are_the_same_as_over_each_index_alone_and_as_fast(self) -> None:
        both = ("--index", "a=data", "--index", "b=more")
        for query in (
            "SELECT label % 3 AS k, count(*) AS n, sum(label) AS s FROM {}records GROUP BY label % 3 ORDER BY 1",
            "SELECT label, count(*) AS n FROM {}records GROUP BY label",
            "SELECT count(DISTINCT label) AS n, max(_length) AS m, median(label) AS h FROM {}records WHERE label > 1",
            "SELECT _id, label FROM {}records ORDER BY label DESC LIMIT 3",
            "SELECT DISTINCT _shard LIKE '%0' AS z FROM {}records",
        ):
            self.assertEqual(self.rows(*both, query.format("a.")), self.rows("data", query.format("")))
            self.assertEqual(self.rows(*both, query.format("b.")), self.rows("more", query.format("")))
        for name in ("", "a.", "b.", '"B".'):
            query = f"EXPLAIN QUERY PLAN SELECT label, count(*) FROM {name}records GROUP BY label"
            self.assertIn("one row for each label", str(self.rows(*both, query)), name)
        mixed = "SELECT x.n + y.n AS n FROM (SELECT count(*) AS n FROM a.records) x, (SELECT count(*) AS n FROM b.records) y"
        self.assertEqual(self.rows(*both, mixed), [{"n": 13}])

    def test_tables_and_indexes_go_together(self) -> None:
        names = self.write("names.csv", "label,name\n1,one\n6,six\n")
        query = "SELECT name, b.records._id AS id FROM names JOIN b.records USING (label) ORDER BY 2"
        rows = self.rows("data", "--index", "b=more", "--table", f"names={names}", query)
        self.assertEqual(rows, [{"name": "one", "id": 1}, {"name": "six", "id": 6}])

    def test_the_session_still_reads_nothing_else(self) -> None:
        both = ("--index", "a=data", "--index", "b=more")
        for statement in (
            "SELECT * FROM a.sqlite_schema", "SELECT * FROM sqlite_schema", "DROP TABLE a.records", "DETACH a",
            "CREATE TABLE a.t(x)", "DELETE FROM b.shards", "ATTACH ':memory:' AS c", "PRAGMA a.table_info(records)",
        ):  # fmt: skip
            error = self.expect_error(2, "sql", *both, statement).stderr
            self.assertRegex(error, "refused|may not be modified", statement)
        error = self.expect_error(2, "sql", *both, "SELECT * FROM b.recrods").stderr
        self.assertIn('did you mean "b.records"', error)
        self.assertIn("no such", self.expect_error(2, "sql", *both, "SELECT * FROM c.records").stderr)

    def test_wrong_names_and_indexes_are_errors(self) -> None:
        for index, code, words in (
            ("main=data", 2, "'main' cannot be the name"),
            ("records=data", 2, "'records' cannot be the name"),
            ("data", 2, "expected a name, = and a path"),
            ("a=nothing", 4, "nothing: no such file or folder, and no index nothing.ofidx"),
        ):
            self.assertIn(words, self.expect_error(code, "sql", "--index", index, "SELECT 1").stderr)
        self.assertIn("SELECT 1: no such file or folder, and no index SELECT 1.ofidx", self.expect_error(4, "sql", "SELECT 1").stderr)
        self.assertIn("INDEX is missing", self.expect_error(2, "sql").stderr)
        many = [word for i in range(11) for word in ("--index", f"x{i}=data")]
        self.assertIn("query fewer indexes", self.expect_error(7, "sql", *many, "SELECT 1").stderr)
