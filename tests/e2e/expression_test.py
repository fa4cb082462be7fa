"""Expressions of `where`, and of --where: a dash at the beginning, parameters, and files."""

from __future__ import annotations

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
