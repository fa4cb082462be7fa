"""`cat --feature` and the tables of `cat`: CSV as Python's csv module reads it, and what is said of Arrow and Parquet.

tests/python/cat_arrow_test.py reads the Arrow output with Arrow's own libraries.
"""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

from e2e.command import CommandTest, Finished
from oracle import messages, records

COUNT = 40


def features(number: int) -> dict[str, tuple[str, list[Any]]]:
    """Features of all kinds, each absent, empty, single or a list in some record."""
    found: dict[str, tuple[str, list[Any]]] = {
        "label": ("int64", [number - 5]),
        "score": ("float", [[0.25, math.nan, -math.inf][number % 3]]),
        "text": ("bytes", [[b"plain", b'a,"b"', b"two\r\nlines", "é".encode(), b""][number % 5]]),
        "blob": ("bytes", [bytes([number, 0xFF])]),
        "boxes": ("float", [box / 2 for box in range(number % 4)]),
        "a,b": ("int64", [1]),
        "_id": ("int64", [number * 2]),
    }
    if number % 3 == 0:
        found["sometimes"] = ("bytes", [b"x", b"\xff"][: number % 2 + 1])
    if number % 7 == 0:
        found["kindless"] = ("none", [])
    return found


def cell(feature: dict[str, Any] | None) -> str:
    """What a cell of CSV shows of a feature, as the oracle's JSON has it."""
    if feature is None or not feature["values"]:
        return ""
    values = feature["values"]
    shown = values[0] if len(values) == 1 else values
    return shown if isinstance(shown, str) else json.dumps(shown, separators=(",", ":"))


class FormsCase(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.payloads = [messages.encode("example", features(number)) for number in range(COUNT)]
        records.write_tfrecord(self.dir / "data.tfrecord", self.payloads)
        self.expect(0, "build", "data.tfrecord", "-q")
        self.decoded = [messages.features_json(payload, "example") for payload in self.payloads]

    def cat(self, *args: str) -> Finished:
        return self.expect(0, "cat", "data.tfrecord", *args)


class CsvTest(FormsCase):
    def rows(self, *args: str) -> list[list[str]]:
        text = self.cat("--to", "csv", *args).text
        return list(csv.reader(io.StringIO(text, newline="")))

    def test_each_record_is_a_row_and_each_feature_a_column(self) -> None:
        header, *rows = self.rows()
        names = sorted(set().union(*self.decoded))
        self.assertEqual(header, ["_id", *("_id_2" if name == "_id" else name for name in names)])
        expected = [
            [str(number), *(cell(record.get(name)) for name in names)] for number, record in enumerate(self.decoded)
        ]
        self.assertEqual(rows, expected)

    def test_lines_end_with_a_line_feed_alone(self) -> None:
        text = self.cat("--to", "csv", "--feature", "label").text
        self.assertEqual(text.splitlines(keepends=True)[:2], ["_id,label\n", "0,-5\n"])
        self.assertNotIn("\r", text)

    def test_named_features_are_the_columns_in_their_order(self) -> None:
        for given in (("--feature", "text,label"), ("--feature", "text", "--feature", "label,text")):
            header, *rows = self.rows(*given)
            self.assertEqual(header, ["_id", "text", "label"])
            self.assertEqual([row[2] for row in rows], [str(number - 5) for number in range(COUNT)])

    def test_a_comma_in_a_name_is_escaped(self) -> None:
        self.assertEqual(self.rows("--feature", "a\\,b", "--range", "3:4"), [["_id", "a,b"], ["3", "1"]])

    def test_no_header_leaves_out_the_header_alone(self) -> None:
        self.assertEqual(self.rows("--no-header"), self.rows()[1:])
        self.expect_error(2, "cat", "data.tfrecord", "--no-header")

    def test_steps_of_a_feature_list_are_a_json_array(self) -> None:
        payload = messages.encode_sequence({"title": ("bytes", [b"t"])}, {"f": [("int64", [1, 2]), ("int64", [3])]})
        records.write_tfrecord(self.dir / "clips", [payload])
        self.expect(0, "build", "clips", "-q")
        shown = self.expect(0, "cat", "clips", "--to", "csv").text
        self.assertEqual(list(csv.reader(io.StringIO(shown))), [["_id", "f[]", "title"], ["0", "[[1,2],[3]]", "t"]])

    def test_an_index_without_features_needs_their_names(self) -> None:
        self.expect(0, "build", "data.tfrecord", "--columns", "none", "-o", "bare.ofidx", "-q")
        refused = self.expect_error(2, "cat", "bare.ofidx", "--to", "csv").stderr
        self.assertIn("--feature", refused)
        shown = self.expect(0, "cat", "bare.ofidx", "--to", "csv", "--feature", "label", "--range", ":1").text
        self.assertEqual(shown, "_id,label\n0,-5\n")


class FeatureTest(FormsCase):
    def test_json_lines_have_only_the_named_features(self) -> None:
        found = self.cat("--feature", "sometimes,label").jsonl
        for record, decoded in zip(found, self.decoded, strict=True):
            expected = {name: decoded[name] for name in ("sometimes", "label") if name in decoded}
            self.assertEqual(record["features"], expected)
            self.assertEqual(list(record["features"]), list(expected))

    def test_raw_has_the_values_of_the_named_features(self) -> None:
        blobs = b"".join(bytes([number, 0xFF]) + (1).to_bytes(8, "little") for number in range(COUNT))
        self.assertEqual(self.cat("--to", "raw", "--feature", "blob,a\\,b").stdout, blobs)

    def test_whole_payloads_have_no_features_to_choose(self) -> None:
        for form in ("tfrecord", "ofrecord"):
            self.expect_error(2, "cat", "data.tfrecord", "--to", form, "--feature", "label")

    def test_a_feature_that_no_record_has_is_an_error_with_the_nearest_names(self) -> None:
        for form in ("jsonl", "csv", "raw", "arrow"):
            shown = self.expect_error(2, "cat", "data.tfrecord", "--to", form, "--feature", "labl").stderr
            self.assertIn("did you mean 'label'?", shown)
        self.assertIn("empty name", self.expect_error(2, "cat", "data.tfrecord", "--feature", "label,").stderr)

    def test_words_after_feature_are_ordinals(self) -> None:
        for args in (
            ("--feature", "label", "2", "3"),
            ("2", "--feature", "label", "3"),
            ("2", "3", "--feature", "label"),
        ):
            found = self.expect(0, "get", "data.tfrecord", *args, "--jsonl").jsonl
            self.assertEqual([record["_id"] for record in found], [2, 3])

    def test_get_takes_several_features(self) -> None:
        [record] = self.expect(0, "get", "data.tfrecord", "2", "--feature", "text,label", "--jsonl").jsonl
        self.assertEqual(list(record["features"]), ["text", "label"])
        lines = self.expect(0, "get", "data.tfrecord", "2", "--feature", "text", "--feature", "label").text.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["record", "feature", "label", "text"])
        raw = self.expect(0, "get", "data.tfrecord", "2", "--raw", "--feature", "blob,label").stdout
        self.assertEqual(raw, b"\x02\xff" + (-3).to_bytes(8, "little", signed=True))
        wire = self.expect(0, "get", "data.tfrecord", "2", "--wire", "--feature", "label,blob").text
        self.assertLess(wire.index('"label"'), wire.index('"blob"'))
        self.expect_error(2, "get", "data.tfrecord", "2", "--feature", "label,sometimes")


class OutputTest(FormsCase):
    def test_force_replaces_a_table_by_a_table_of_the_same_form_alone(self) -> None:
        for form, other in (("csv", "arrow"), ("arrow", "csv")):
            with self.subTest(form=form):
                out = ("--to", form, "-o", f"out.{form}")
                self.cat(*out, "--range", ":5")
                before = (self.dir / f"out.{form}").read_bytes()
                self.expect_error(2, "cat", "data.tfrecord", *out)
                self.expect_error(2, "cat", "data.tfrecord", "--to", other, "-o", f"out.{form}", "--force")
                self.assertEqual((self.dir / f"out.{form}").read_bytes(), before)
                self.cat(*out, "--force")
                self.assertGreater(len((self.dir / f"out.{form}").read_bytes()), len(before))

    def test_the_name_of_a_file_chooses_the_form(self) -> None:
        for name, form in (
            ("a.csv", "csv"),
            ("a.arrow", "arrow"),
            ("a.tfrecord", "tfrecord"),
            ("a.ofrecord", "ofrecord"),
            ("a.jsonl", "jsonl"),
            ("a", "jsonl"),
        ):
            with self.subTest(name):
                self.expect(0, "cat", "data.tfrecord", "-o", name)
                self.expect(0, "cat", "data.tfrecord", "--to", form, "-o", "b")
                self.assertEqual((self.dir / name).read_bytes(), (self.dir / "b").read_bytes())
                (self.dir / "b").unlink()
        for name, form in (("b.csv", "arrow"), ("b.tfrecord", "jsonl"), ("b.arrow", "tfrecord"), ("part-0", "csv")):
            with self.subTest(f"{name} as {form}"):
                refused = self.expect_error(2, "cat", "data.tfrecord", "--to", form, "-o", name).stderr
                self.assertIn("expected a name for that", refused)
                self.assertFalse((self.dir / name).exists())

    def test_a_file_of_another_making_is_kept(self) -> None:
        (self.dir / "mine.csv").write_text("id,label\n1,2\n")
        for form in ("csv", "arrow"):
            self.expect_error(2, "cat", "data.tfrecord", "--to", form, "-o", "mine.csv", "--force")
        self.assertEqual((self.dir / "mine.csv").read_text(), "id,label\n1,2\n")

    def test_an_output_that_fails_leaves_no_file(self) -> None:
        before = self.names()
        for form in ("csv", "arrow"):
            self.expect_error(2, "cat", "data.tfrecord", "--to", form, "-o", "out", "--ids", "-", stdin=b"1 2 x")
        self.assertEqual(self.names(), before)

    def test_a_feature_of_several_kinds_is_no_column_of_arrow(self) -> None:
        mixed = [messages.encode("example", {"x": value}) for value in (("int64", [1]), ("bytes", [b"a"]))]
        records.write_tfrecord(self.dir / "mixed", mixed)
        self.expect(0, "build", "mixed", "-q")
        shown = self.expect_error(2, "cat", "mixed", "--to", "arrow").stderr
        self.assertIn("'x'", shown)
        self.assertIn("bytes,int64", shown)

    def test_a_payload_with_a_wrong_checksum_gets_no_new_one(self) -> None:
        payloads = [messages.encode("example", {"n": ("int64", [number])}) for number in range(3)]
        hurt = bytearray().join(records.frame_tfrecord(payload) for payload in payloads)
        hurt[hurt.index(payloads[1]) + len(payloads[1]) - 1] ^= 1
        (self.dir / "hurt").write_bytes(hurt)
        for code, options in ((0, ()), (3, ("--verify", "--force"))):
            self.expect(code, "build", "hurt", "-q", *options)
            for form, frame in (("tfrecord", records.frame_tfrecord), ("ofrecord", records.frame_ofrecord)):
                with self.subTest(options=options, form=form):
                    shown = self.run_command("cat", "hurt", "--to", form)
                    self.assertEqual((shown.code, shown.stdout), (3, frame(payloads[0]) + frame(payloads[2])), shown)
                    self.assertIn("record 1", shown.stderr)

    def test_every_form_of_get_and_cat_treats_a_wrong_checksum_alike(self) -> None:
        payloads = [messages.encode("example", {"text": ("bytes", [b"word"])}) for _ in range(2)]
        hurt = bytearray().join(records.frame_tfrecord(payload) for payload in payloads)
        hurt[hurt.index(b"word")] ^= 1
        (self.dir / "hurt").write_bytes(hurt)
        # Without --verify, only new frames need the checksum; with it, the index knows the bad record.
        for code, options in ((0, ()), (3, ("--verify", "--force"))):
            self.expect(code, "build", "hurt", "-q", *options)
            for args in (
                ("get", "hurt", "0"),
                ("get", "hurt", "0", "--json"),
                ("get", "hurt", "0", "--raw"),
                ("get", "hurt", "0", "--feature", "text"),
                ("get", "hurt", "0", "--feature", "text", "--jsonl"),
                ("get", "hurt", "0", "--feature", "text", "--raw"),
                ("cat", "hurt", "--range", ":1"),
                ("cat", "hurt", "--range", ":1", "--feature", "text"),
                ("cat", "hurt", "--range", ":1", "--to", "csv"),
                ("cat", "hurt", "--range", ":1", "--to", "raw", "--feature", "text"),
            ):
                with self.subTest(args=args, options=options):
                    shown = self.expect(code, *args)
                    self.assertEqual(b"vord" in shown.stdout, code == 0, shown)
                    self.assertEqual("hurt@0: record 0 is marked bad" in shown.stderr, code == 3, shown)

    def test_parquet_is_refused_with_the_call_that_writes_it(self) -> None:
        shown = self.expect_error(2, "cat", "data.tfrecord", "--to", "parquet").stderr
        self.assertIn("pyarrow.parquet.write_table(", shown)
        self.assertIn('ofindex.open("data.tfrecord")', shown)
