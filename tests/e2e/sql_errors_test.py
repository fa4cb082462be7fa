"""What wrong SQL is told: where it goes wrong, and what to write instead."""

from __future__ import annotations

from e2e.command import CommandTest
from oracle import messages, records

# Columns that are easily written wrong: a word of SQL, a space, a double quote, a digit first.
RECORD = messages.encode(
    "example",
    {
        name: ("int64", [3])
        for name in ("age", "order", "key", "row", "case", "eye colour", 'a"b', "3d")
    },
)

# A wrong expression of `where`, its error, and its hint.
EXPRESSIONS = (
    ("age >", "SQL@5: the expression ends too early, after `age >`", "write what is missing at its end"),
    ("age > -- years", "SQL@5: the expression ends too early, after `age >`", "write what is missing at its end"),
    ("(age > 3", "SQL@8: the expression ends too early, after `(age > 3`", "close each parenthesis that is open"),
    ("", "SQL@0: the expression is empty; expected one, as after WHERE", "write one, such as"),
    ("age > 3)", 'SQL@7: near ")": syntax error', "open the parenthesis that is closed here"),
    ("age > 3 && age < 5", 'SQL@9: near "&": syntax error', "write AND, OR and NOT"),
    ("age => 3", 'SQL@5: near ">": syntax error', "write comparisons as"),
    ("age > 3;", 'SQL@7: near ";": syntax error', "leave out the semicolon"),
    ("age = 3, age = 4", "row value misused", "join conditions with AND or OR"),
    ("(age, _id) = 3", "row value misused", "compare one value with one"),
    ("age > (SELECT 1, 2)", "row value misused", "compare one value with one"),
    ("json_extract('{}', 'age') = 1", "JSON path error near 'age'", "write a path as '$.name'"),
    ("json_extract('{', '$.age') = 1", "malformed JSON", "`json_valid(x)` is 1 if x is JSON"),
    ("substr(age) = 1", "wrong number of arguments to function substr()", "/lang_corefunc.html"),
    ("age = 1 COLLATE foo", "no such collation sequence: foo", "the collations are BINARY, NOCASE and RTRIM"),
    ("age IN (SELECT 1, 2)", "sub-select returns 2 columns", "/lang_expr.html"),
    ("age > 3 /* x", "SQL@8: a comment begins here and does not end", "close it with */"),
    ("/* x", "SQL@0: a comment begins here and does not end", "close it with */"),
    ("age > -- /* x", "SQL@5: the expression ends too early, after `age >`", "write what is missing at its end"),
    ("age > /* x */ --", "SQL@5: the expression ends too early, after `age >`", "write what is missing at its end"),
    ("key 5", 'SQL@4: near "5": syntax error', "check what follows `key`"),
    ("age = row 5", 'SQL@10: near "5": syntax error', "check what follows `age = row`"),
    ("case = 3", 'SQL@5: near "=": syntax error', 'write the column in double quotes: "case"'),
    ('age = "x', "SQL@6: a name begins here and does not end", "write a string in single quotes; if it is a name, close"),
    ('age LIKE "x', "SQL@9: a name begins here and does not end", "write a string in single quotes"),
    ("WHERE age > 3", 'SQL@0: near "WHERE": syntax error', "leave it out, and give the expression alone"),
    ("age > 3 ORDER BY age", 'SQL@8: near "ORDER": syntax error', "`ofindex sql` answers whole queries"),
    ("order > 3", 'SQL@0: near "order": syntax error', 'write the column in double quotes: "order"'),
    ("age > order", 'SQL@6: near "order": syntax error', 'write the column in double quotes: "order"'),
    ("eye colour = 3", 'SQL@4: near "colour": syntax error', 'write the column in double quotes: "eye colour"'),
    ("3d = 3", 'unrecognized token: "3d"', "a name that begins with a digit in double quotes"),
    ("age = 'x", "SQL@6: a string begins here and does not end", "close it with a single quote"),
    ('"age = 3', "SQL@0: a name begins here and does not end", 'close it with "'),
    ("age BETWEN 1 AND 3", 'SQL@4: near "BETWEN": syntax error', "write BETWEEN instead of betwen"),
    ("age = 'it's'", 'SQL@10: near "s": syntax error', "double a single quote inside a string: 'it''s'"),
    ("age is bigger than 3", 'SQL@14: near "than": syntax error', "check what follows `age is bigger`"),
)

# The same of queries.
QUERIES = (
    ("SELECT age FROM", "SQL@15: the statement ends too early, after `SELECT age FROM`", "write what is missing"),
    ("  SELECT count(*", "SQL@16: the statement ends too early, after `SELECT count(*`", "close each parenthesis"),
    ("SELECT * FORM records", 'SQL@9: near "FORM": syntax error', "write FROM instead of form"),
    ("SELECT 1 FROM records WHER age = 1", 'SQL@27: near "age": syntax error', "write WHERE instead of wher"),
    ("SELECT 1 FROM records ORDER age", 'SQL@28: near "age": syntax error', "write BY after ORDER"),
    ("DELETE FROM records", "table records may not be modified", "write a SELECT"),
    ("SHOW TABLES", 'SQL@0: near "SHOW": syntax error', "begin a statement with SELECT"),
    ("SELECT order FROM records", 'SQL@7: near "order": syntax error', 'in double quotes: "order"'),
    ("SELECT age FROM records GROUP BY count(*)", "aggregate functions are not allowed", "write aggregates after SELECT"),
    ("SELECT 1 FROM records WHERE count(*) > 1", "misuse of aggregate", "write aggregates after SELECT or HAVING"),
    ("SELECT 1 FROM records ORDER BY 9", "ORDER BY term out of range", "/lang_select.html"),
    ("SELECT age FROM /* x", "SQL@16: a comment begins here and does not end", "close it with */"),
    ("SELECT _id FROM records a, records b", "ambiguous column name: _id", "write the name of the table before"),
)

# A feature without a column of its values: its lists have several in each record.
LISTS = messages.encode("example", {'l"s': ("int64", [1, 2])})

# A column that a query's tables do not have, what is meant, and the hint.
COLUMNS = (
    ("SELECT shard FROM records", 'no such column: "shard"; did you mean "_shard"?', "lists the features"),
    ("SELECT _id FROM bad", 'no such column: "_id"\n', "the columns of bad are record, shard, offset, reason"),
    ("SELECT _shard FROM damage", '"_shard"; did you mean "shard"?', "the columns of damage are shard, begin, end, reason"),
    ("SELECT record FROM records", 'no such column: "record"\n', "lists the features"),
    ("SELECT eye colour FROM records", '"eye"; did you mean "eye colour"?', 'in double quotes: "eye colour"'),
    ("SELECT eye lid FROM records", 'no such column: "eye"\n', "lists the features"),
    ("SELECT ab FROM records", 'no such column: "ab"; did you mean "a""b"', "lists the features"),
    ("SELECT 1 FROM records WHERE age IN (youngest, 3)", 'no such column: "youngest"', "age IN ('youngest', 3)"),
    ("SELECT 1 FROM records WHERE age BETWEEN 3 AND oldest", 'no such column: "oldest"', "3 AND 'oldest'"),
)


class SqlErrorsTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        records.write_tfrecord(self.dir / "data", [RECORD])
        self.expect(0, "build", "data", "-q")

    def test_an_expression_that_is_no_sql_is_told_where_it_goes_wrong_and_what_to_write(self) -> None:
        for expression, message, hint in EXPRESSIONS:
            with self.subTest(expression):
                error = self.expect_error(2, "where", "data", expression).stderr
                self.assertIn(message, error)
                self.assertIn(hint, error)
                self.assertNotIn("`ofindex schema", error)

    def test_so_is_a_query(self) -> None:
        for query, message, hint in QUERIES:
            with self.subTest(query):
                error = self.expect_error(2, "sql", "data", query).stderr
                self.assertIn(message, error)
                self.assertIn(hint, error)
                self.assertNotIn("`ofindex schema", error)

    def test_a_column_of_other_tables_than_those_named_is_not_suggested(self) -> None:
        for query, message, hint in COLUMNS:
            with self.subTest(query):
                error = self.expect_error(2, "sql", "data", query).stderr
                self.assertIn(message, error)
                self.assertIn(hint, error)

    def test_a_column_that_is_suggested_instead_of_a_feature_has_its_double_quotes_doubled(self) -> None:
        records.write_tfrecord(self.dir / "lists", [LISTS])
        self.expect(0, "build", "lists", "-q")
        error = self.expect_error(2, "sql", "lists", 'SELECT "l""s" FROM records').stderr
        self.assertIn('the feature has the column "l""s#count", the number of its values, only', error)
        self.expect(0, "sql", "lists", 'SELECT "l""s#count" FROM records')

    def test_no_error_suggests_what_was_written(self) -> None:
        for query, name in (
            ("SELECT shard FROM records", "shard"),
            ("SELECT path FROM records WHERE _id IN (SELECT record FROM bad, shards)", "path"),
            ("SELECT PATH FROM records WHERE _id IN (SELECT record FROM bad, shards)", "path"),
        ):
            with self.subTest(query):
                error = self.expect_error(2, "sql", "data", query).stderr
                self.assertNotIn(f'mean "{name}"', error)

    def test_a_wrong_table_in_a_subquery_of_an_expression_is_told_all_tables(self) -> None:
        error = self.expect_error(2, "where", "data", "_id IN (SELECT record FROM bads)").stderr
        self.assertIn('no such table: "bads"; did you mean "bad"?', error)
        self.assertIn("the tables are records, shards, features, bad, damage, json_each", error)


if __name__ == "__main__":
    import unittest

    unittest.main()
