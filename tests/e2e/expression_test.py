"""Expressions of `where`, and of --where: a dash at the beginning, parameters, and files."""

from __future__ import annotations

import shlex

from e2e.command import CommandTest
from e2e.samples import write_parts

# Verbs with an expression, and the arguments around it. Each prints ordinals, or records, or counts them.
VERBS = (
    (("where", "data"), ()),
    (("cat", "data", "--where"), ()),
    (("sample", "data", "--where"), ()),
    (("get", "data", "--jsonl", "--where"), ()),
    (("convert", "data", "--to", "tfrecord", "-o", "out.tfrecord", "--force", "--json", "--where"), ()),
)


class ExpressionTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", (3, 2))
        self.expect(0, "build", "data", "-q")

    def selected(self, expression: str, *options: str) -> list[int]:
        """The number of records that each verb selects."""
        counts = []
        for before, after in VERBS:
            finished = self.expect(0, *before, expression, *after, *options)
            counts.append(finished.json["records"] if before[0] == "convert" else len(finished.text.splitlines()))
        return counts

    def test_an_expression_may_begin_with_a_dash(self) -> None:
        for expression in ("-label < -2", "-label<-2", "-(label) < -2", "-label = -3 OR -label = -4"):
            self.assertEqual(self.selected(expression), [2] * len(VERBS), expression)
        # -p and -q are options.
        for expression in ("-price < 0", "-price(1) < 0", "-quality <= 1"):
            self.assertIn("no such", self.expect_error(2, "where", "data", expression).stderr)
        self.assertEqual(self.expect(0, "where", "data", "-label < -2", "--count").text, "2\n")
        self.assertEqual(self.expect(0, "where", "--count", "data", "-label < -2").text, "2\n")
        self.assertEqual(self.expect(0, "where", "data", "--", "-label < -2").text, "3\n4\n")
        self.assertEqual(self.expect(0, "where", "data", "-- all\n1", "--count").text, "5\n")

    def test_arguments_in_the_wrong_order_are_told_the_command_in_the_right_one(self) -> None:
        (self.dir / "raw data").mkdir()
        for line, right in (
            ("where 'label > 3' data", "where data 'label > 3'"),
            ("where -p n=1 'label > :n' data --count", "where data -p n=1 'label > :n' --count"),
            ("sql 'SELECT label FROM records' data.ofidx", "sql data.ofidx 'SELECT label FROM records'"),
            ("sql 'SELECT 1' 'raw data'", "sql 'raw data' 'SELECT 1'"),  # which has no index yet
            ("get 2 data", "get data 2"),
            ("get 0 1:3 data --raw", "get data 0 1:3 --raw"),
            ("stats label data", "stats data label"),
        ):
            with self.subTest(line):
                words = shlex.split(right)
                wrong = next(word for word in shlex.split(line)[1:] if word not in ("-p", "n=1"))
                message, hint = self.expect_error(2, *shlex.split(line)).stderr.splitlines()
                self.assertEqual(message, f"ofindex: '{wrong}' is no index and no data, but '{words[1]}' is; expected INDEX first")
                command = shlex.split(hint.removeprefix("hint: run `ofindex ").removesuffix("`"))
                self.assertEqual(command, words)
                self.expect(4 if words[1] == "raw data" else 0, *command)

    def test_only_the_argument_moves_to_the_front(self) -> None:
        (self.dir / "-x.tfrecord").write_bytes((self.dir / "data" / "part-0").read_bytes())
        self.expect(0, "build", "./-x.tfrecord", "-q")
        for line, right in (
            ("get --root data 0 data", "get data --root data 0"),  # a value of the same name
            ("get 0 data --root data", "get data 0 --root data"),
            ("where 'label > 3' -- -x.tfrecord", "where ./-x.tfrecord 'label > 3'"),
            ("where 'label > 3' -x.tfrecord", "where ./-x.tfrecord 'label > 3'"),
            ("where -- 'label > 3' -x.tfrecord", "where ./-x.tfrecord -- 'label > 3'"),
        ):
            with self.subTest(line):
                hint = self.expect_error(2, *shlex.split(line)).stderr.splitlines()[1]
                self.assertEqual(hint, f"hint: run `ofindex {right}`")
                self.assertLess(self.run_command(*shlex.split(right)).code, 2)

    def test_arguments_in_the_right_order_keep_their_errors(self) -> None:
        (self.dir / "5").mkdir()
        (self.dir / "raw data").mkdir()
        (self.dir / "rows.jsonl").write_text("{}\n")
        for args in (
            ("where", "dota", "label > 3"),  # no such dataset
            ("sql", "dota", "SELECT 1"),
            ("get", "dota", "2"),
            ("get", "dota", "5"),  # a folder without an index
            ("where", "label > 3", "dota"),
            ("stats", "raw daata", "rows.jsonl"),  # near "raw data"
            ("stats", "other data", "rows.jsonl"),  # which is no dataset
            ("update", "dota", "data"),  # DATA to take in
        ):
            with self.subTest(args):
                error = self.expect_error(4, *args).stderr
                self.assertIn(f"{args[1]}: no such file or folder", error)

    def test_options_stay_options_next_to_such_an_expression(self) -> None:
        self.assertEqual(self.expect(0, "where", "data", "-label < -:n", "-pn=2", "-q").text, "3\n4\n")
        self.assertEqual(self.expect(0, "where", "data", "-p", "n=-2", "-label < :n", "--progress=none").text, "3\n4\n")
        for word in ("--cuont", "--count-all=3", "-x", "-xyz"):
            error = self.expect_error(2, "where", "data", "label > 1", word).stderr
            self.assertIn(word.split("=")[0], error)

    def test_a_query_may_begin_with_a_comment(self) -> None:
        for query in ("-- one\nSELECT 7 AS n", "--one\nSELECT 7 AS n"):
            self.assertEqual(self.expect(0, "sql", "data", query, "--jsonl").jsonl, [{"n": 7}])
            self.assertEqual(self.expect(0, "sql", "--jsonl", "data", query).jsonl, [{"n": 7}])

    def test_parameters_stand_for_values(self) -> None:
        self.assertEqual(self.selected("label > :least AND label < ?2", "-p", "least=1", "--param", "2=4"), [2] * len(VERBS))
        self.assertEqual(self.expect(0, "where", "data", "_shard LIKE :name", "-p", "name=%part-1").text, "3\n4\n")
        self.assertEqual(self.expect(0, "where", "data", "label = :x", "-p", 'x="3"').text, "3\n")
        for before, after in VERBS:
            error = self.expect_error(2, *before, "label > :least", *after).stderr
            self.assertIn("parameter least has no value", error)
            error = self.expect_error(2, *before, "label > 1", *after, "-p", "least").stderr
            self.assertIn("expected NAME=VALUE", error)
        error = self.expect_error(2, "cat", "data", "-p", "a=1").stderr
        self.assertIn("--param: expected only together with --where", error)

    def test_a_file_holds_an_expression_or_a_query(self) -> None:
        (self.dir / "e.sql").write_text("-- the last two\nlabel > :least\n", encoding="utf-8")
        self.assertEqual(self.selected("@e.sql", "-p", "least=2"), [2] * len(VERBS))
        (self.dir / "q.sql").write_text("SELECT count(*) AS n FROM records;\n", encoding="utf-8")
        self.assertEqual(self.expect(0, "sql", "data", "@q.sql", "--jsonl").jsonl, [{"n": 5}])
        for before, after in (*VERBS, (("sql", "data"), ())):
            error = self.expect_error(5, *before, "@none.sql", *after).stderr
            self.assertIn("none.sql: cannot open", error)
        (self.dir / "long.sql").write_bytes(b" " * (1 << 20))
        self.assertIn("too long", self.expect_error(7, "where", "data", "@long.sql").stderr)
        (self.dir / "wrong.sql").write_text("label >", encoding="utf-8")
        self.expect_error(2, "where", "data", "@wrong.sql")
