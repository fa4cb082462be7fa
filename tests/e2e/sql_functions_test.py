"""The functions that sessions have and SQLite 3.40 does not: compared with Python's `re` and `statistics`."""

from __future__ import annotations

import json
import math
import random
import re
import statistics

from e2e.sql_test import SqlCase

# Patterns for which PCRE2 and `re` must agree, and texts to search.
PATTERNS = (
    "", "a", "^a", "a$", "^$", "a|b", "(ab)+", "a{2,3}", "[a-c]x?", "[^a]", "\\d+", "\\w+\\s\\w+", "\\bcat\\b", "(?i)CAT",
    "(?s)a.b", "(?m)^b", "a.b", "a*?b", "(?=a)a", "(?<=a)b", "(a)\\1", "é", "^.$", "^\\w$", "[é-ü]", "x\\.y", "日本", "^\\S+$",
    "\\A\\d", "(?:a|ab)(?:c|bcd)(?:d*)$",
)  # fmt: skip
TEXTS = (
    "", "a", "b", "ab", "aa", "aab", "abab", "abcd", "a\nb", "b\na", "cat", "concatenate", "a cat.", "CAT", "é", "ü", "日本語",
    "7", "12 34", "x.y", "xy", "_", " ", "a1 b2", "ac", "\t",
)  # fmt: skip


class RegexpTest(SqlCase):
    """`regexp(pattern, text)` and the operator."""

    def test_a_pattern_finds_what_pythons_re_finds(self) -> None:
        query = "SELECT p.value AS p, t.value AS t, t.value REGEXP p.value AS found FROM json_each(:p) p, json_each(:t) t"
        rows = self.rows(query, "-p", f"p={json.dumps(json.dumps(PATTERNS))}", "-p", f"t={json.dumps(json.dumps(TEXTS))}")
        self.assertEqual(len(rows), len(PATTERNS) * len(TEXTS))
        for row in rows:
            with self.subTest(pattern=row["p"], text=row["t"]):
                self.assertEqual(row["found"], int(re.search(str(row["p"]), str(row["t"])) is not None))

    def test_null_gives_null_a_number_is_text_and_a_blob_matches_nothing(self) -> None:
        query = "SELECT NULL REGEXP 'a' a, 'a' REGEXP NULL b, 12 REGEXP '^1' c, x'61' REGEXP 'a' d, regexp('b', 'abc') e"
        self.assertEqual(self.rows(query), [{"a": None, "b": None, "c": 1, "d": 0, "e": 1}])

    def test_a_column_is_searched_in_where_and_in_sql(self) -> None:
        self.assertEqual(self.expect(0, "where", "data", "label REGEXP '^[13]$'").text, "1\n3\n")
        self.assertEqual(self.rows("SELECT count(*) AS n FROM records WHERE NOT label REGEXP '[13]'"), [{"n": 3}])

    def test_a_malformed_pattern_is_an_error_with_its_byte(self) -> None:
        for pattern, place in (("a(b", "at byte 3"), ("[z-a]", "at byte 3"), ("*", "at byte 0")):
            error = self.refused(f"SELECT 'a' REGEXP '{pattern}'")
            self.assertIn("SQL: regexp(pattern, text): ", error)
            self.assertIn(place, error)
            self.assertIn("hint: write the pattern as for Perl or Python", error)

    def test_a_pattern_that_takes_exponential_time_is_an_error_at_once(self) -> None:
        for pattern in ("(a+)+$", "(a|aa)+$", "(a|a?)+$"):
            error = self.refused(f"SELECT '{'a' * 60}b' REGEXP '{pattern}'")
            self.assertIn("goes back too often in a text of 61 bytes", error)

    def test_a_search_ends_with_the_timeout(self) -> None:
        for pattern in ("0*1", "(0|1)*2", "0*?(?s:.*+)1", "(0*)*1"):
            self.refused(f"SELECT hex(zeroblob(30000000)) REGEXP '{pattern}'", "--timeout", "0.2", code=7)

    def test_patterns_that_would_take_much_memory_are_refused(self) -> None:
        nested = "0"
        for _ in range(6):
            nested = f"({nested}{{1,99}})"
        self.assertIn("too large", self.refused(f"SELECT '0' REGEXP '{nested}'"))
        self.refused(f"SELECT '0' REGEXP '{'(' * 400 + ')' * 400}'")


class AggregateTest(SqlCase):
    """median, percentile, stddev, variance and string_agg."""

    def of(self, expression: str, values: list[object]) -> object:
        query = f"SELECT {expression} AS found FROM json_each(:values)"
        return self.rows(query, "-p", f"values={json.dumps(json.dumps(values))}")[0]["found"]

    def test_numbers_agree_with_pythons_statistics(self) -> None:
        random_ = random.Random(7)
        for count in (2, 3, 4, 10, 101, 1000):
            for values in (
                [random_.randrange(-50, 50) for _ in range(count)],
                [random_.gauss(1e6, 1e-3) for _ in range(count)],
                [random_.choice([random_.random(), random_.randrange(9)]) for _ in range(count)],
            ):
                query = (
                    "SELECT median(value) m, percentile(value, 25) q, percentile(value, 50) h, percentile(value, 100) x,"
                    " stddev(value) s, variance(value) v FROM json_each(:values)"
                )
                (found,) = self.rows(query, "-p", f"values={json.dumps(json.dumps(values))}")
                expected = {
                    "m": statistics.median(values),
                    "q": statistics.quantiles(values, n=4, method="inclusive")[0],
                    "h": statistics.median(values),
                    "x": max(values),
                    "s": statistics.stdev(values),
                    "v": statistics.variance(values),
                }
                for name, number in expected.items():
                    self.assertTrue(math.isclose(found[name], number, rel_tol=1e-10), (name, found[name], number))

    def test_nulls_are_left_out_and_too_few_numbers_give_null(self) -> None:
        functions = ("median(value)", "percentile(value, 10)", "stddev(value)", "variance(value)", "string_agg(value, ',')")
        for function in functions:
            self.assertIsNone(self.of(function, []), function)
            self.assertIsNone(self.of(function, [None, None]), function)
        self.assertEqual(self.of("median(value)", [None, 3, None, 1]), 2.0)
        self.assertEqual(self.of("median(value)", [3]), 3.0)
        self.assertIsNone(self.of("stddev(value)", [3]))
        self.assertIsNone(self.of("variance(value)", [None, 3]))
        self.assertEqual(self.of("variance(value)", [5, 5]), 0.0)

    def test_infinities_are_kept_or_give_null(self) -> None:
        one = "SELECT median(v) m, stddev(v) s FROM (SELECT 9e999 AS v UNION ALL SELECT 1 UNION ALL SELECT 2)"
        self.assertEqual(self.rows(one), [{"m": 2.0, "s": None}])
        both = "SELECT median(v) m FROM (SELECT 9e999 AS v UNION ALL SELECT -9e999)"
        self.assertEqual(self.rows(both), [{"m": None}])

    def test_texts_are_joined_with_their_separators(self) -> None:
        self.assertEqual(self.of("string_agg(value, '-')", ["a", None, 1, "", 2.5]), "a-1--2.5")
        self.assertEqual(self.of("string_agg(value, value)", ["a", "b", "c"]), "abbcc")
        self.assertEqual(self.of("string_agg(value, NULL)", ["a", "b"]), "ab")
        self.assertEqual(self.of("string_agg(value, ',')", [""]), "")

    def test_groups_of_records_and_distinct_work(self) -> None:
        query = "SELECT label % 2 AS k, median(label) m, string_agg(label, ' ') t, count(*) n FROM records GROUP BY 1"
        expected = [{"k": 0, "m": 2.0, "t": "0 2 4", "n": 3}, {"k": 1, "m": 2.0, "t": "1 3", "n": 2}]
        self.assertEqual(self.rows(query), expected)
        self.assertEqual(self.of("median(DISTINCT value)", [1, 1, 1, 2, 3]), 2.0)
        self.assertEqual(self.of("median(value) FILTER (WHERE value > 1)", [1, 2, 4]), 3.0)

    def test_wrong_arguments_are_errors(self) -> None:
        for expression, words in (
            ("median('x')", "expected numbers, got text or bytes"),
            ("stddev(x'00')", "expected numbers, got text or bytes"),
            ("percentile(1, 101)", "expected a number from 0 to 100 as p"),
            ("percentile(1, -0.5)", "expected a number from 0 to 100 as p"),
            ("percentile(1, NULL)", "expected a number from 0 to 100 as p"),
            ("percentile(1)", "wrong number of arguments to function percentile()"),
            ("regex('a', 'b')", 'did you mean "regexp"?'),
            ("medain(1)", 'did you mean "median"?'),
        ):
            self.assertIn(words, self.refused(f"SELECT {expression}"))
        for expression, hint in (
            ("sum(value) FROM json_each('[9223372036854775807, 1]')", "total() adds numbers of any size"),
            ("'a' LIKE 'b' ESCAPE 'cc'", "write the character in single quotes"),
        ):
            self.assertIn(hint, self.refused(f"SELECT {expression}"))
        error = self.refused("SELECT percentile(value, value) FROM json_each('[1, 2]')")
        self.assertIn("expected the same p in all rows of a group", error)
