#!/usr/bin/env python3
"""The table of lines that no fuzz target reaches names lines that exist, and is read as it says."""

from __future__ import annotations

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "fuzz"))
import parser_lines  # noqa: E402

TABLE = """Only a full disk.
  a.cc: return full;
  a.cc +1-2: if (other) {
"""
SOURCE = ["if (disk) {", "  return full;", "}", "if (other) {", "  Log();", "  return nothing;", "}"]


def lines(reached: set[int], missed: set[int]) -> parser_lines.Lines:
    return parser_lines.Lines(reached, missed)


class TableTest(unittest.TestCase):
    def test_each_explanation_names_lines_of_a_source(self) -> None:
        table = parser_lines.read_table(parser_lines.TABLE.read_text())
        self.assertGreater(len(table), 10)
        for each in table:
            with self.subTest(source=each.source, text=each.text):
                text = (ROOT / each.source).read_text().splitlines()
                self.assertTrue(each.numbers(text), "the source does not have this line once")

    def test_explained_lines_are_those_named(self) -> None:
        found = lines({1, 4}, {2, 5, 6})
        self.assertEqual(parser_lines.explain(parser_lines.read_table(TABLE), "a.cc", found, SOURCE), [])
        self.assertEqual(found.explained, {2, 5, 6})

    def test_a_line_that_is_reached_must_not_be_explained(self) -> None:
        found = lines({1, 2, 4}, {5, 6})
        wrong = parser_lines.explain(parser_lines.read_table(TABLE), "a.cc", found, SOURCE)
        self.assertEqual(len(wrong), 1)
        self.assertIn("a.cc:2 is reached, but explained: return full;", wrong[0])

    def test_a_line_that_is_gone_or_there_twice_must_be_explained_again(self) -> None:
        for source in (SOURCE[2:], [*SOURCE, *SOURCE[:3]]):
            wrong = parser_lines.explain(parser_lines.read_table(TABLE), "a.cc", lines(set(), {2}), source)
            self.assertEqual(len(wrong), 1)
            self.assertIn("a.cc does not have this line once: return full;", wrong[0])

    def test_a_line_without_a_reason_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            parser_lines.read_table("  a.cc: return full;\n")

    def test_lines_are_read_from_lcov(self) -> None:
        text = f"SF:{ROOT}/a.cc\nFN:1,f\nDA:1,7\nDA:2,0\nend_of_record\nSF:{ROOT}/b.h\nDA:9,1\nend_of_record\n"
        found = parser_lines.parse_lcov(text)
        self.assertEqual(found, {"a.cc": lines({1}, {2}), "b.h": lines({9}, set())})


if __name__ == "__main__":
    unittest.main()
