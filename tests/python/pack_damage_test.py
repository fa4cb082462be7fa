"""ofindex.pack: an error about a truncated, corrupted or foreign Parquet or Avro file names the file."""

from __future__ import annotations

import unittest
from pathlib import Path

import ofindex
from python.packing import (
    PackCase,
    fastavro,
    needs_fastavro,
    needs_pyarrow,
    pa,
    pq,
)


class DamageCase(PackCase):
    def assert_refused(self, path: Path) -> None:
        """Packing the file raises a FormatError with the file's name, the reader's reason and a hint, and leaves no
        files."""
        with self.assertRaises(ofindex.FormatError) as caught:
            self.packed(path, "example")
        first, hint = str(caught.exception).split("\n")
        self.assertRegex(first, f"^{path}: truncated or damaged (Parquet|Avro): [A-Z].*")
        self.assertEqual(caught.exception.hint, hint)
        self.assertIn("copy it again", hint)
        self.assertEqual(self.beside(), [path.name])

    def assert_hurt(self, path: Path) -> None:
        """Truncates the file at every length and changes it at every position: it is read, or an error names it."""
        whole = path.read_bytes()
        for size in range(4, len(whole)):
            path.write_bytes(whole[:size])
            self.pack_hurt(path)
        for place in range(4, len(whole)):
            for value in (0, 255, whole[place] ^ 1):
                path.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
                self.pack_hurt(path)

    def pack_hurt(self, path: Path) -> None:
        output = self.dir / "out.tfrecord"
        try:
            ofindex.pack(path, output, "tfrecord", force=True, allow_nan=True)
        except (ofindex.FormatError, ofindex.FeatureError) as error:
            self.assertIn(str(path), str(error))
        except ImportError as error:  # the change gave the name of another codec
            self.assertIn("install", str(error))
        except ValueError as error:
            self.assertRegex(str(error), "that were counted|no record|is not UTF-8")


@needs_pyarrow
class HurtParquetTest(DamageCase):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.dir / "table.parquet"
        pq.write_table(pa.table({"x": list(range(9)), "y": [["a", "bc"]] * 9}), self.path)

    def test_a_truncated_or_foreign_file_is_a_format_error(self) -> None:
        whole = self.path.read_bytes()
        for content in (
            whole[:-1],
            whole[:100],
            b"PAR1",
            b"PAR1 is a word",
            whole[:4] + bytes(len(whole) - 8) + b"PAR1",
        ):
            self.path.write_bytes(content)
            self.assert_refused(self.path)
        self.path.write_bytes(b"")
        with self.assertRaisesRegex(ofindex.FormatError, "table.parquet: does not begin as Parquet"):
            self.packed(self.path, "example")

    def test_a_file_corrupted_anywhere_is_read_or_an_error_names_the_file(self) -> None:
        self.assert_hurt(self.path)


@needs_fastavro
class HurtAvroTest(DamageCase):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.dir / "records.avro"
        schema = {
            "type": "record",
            "name": "R",
            "fields": [{"name": "x", "type": "long"}, {"name": "y", "type": "string"}],
        }
        with open(self.path, "wb") as file:
            fastavro.writer(file, schema, [{"x": number, "y": "abc"} for number in range(9)], codec="deflate")

    def test_a_truncated_or_foreign_file_is_a_format_error(self) -> None:
        whole = self.path.read_bytes()
        for content in (whole[:-1], whole[:100], b"Obj\x01", b"Obj\x01 is none", whole[:-40] + bytes(40)):
            self.path.write_bytes(content)
            self.assert_refused(self.path)
        one_key_of_2_to_the_50_bytes = b"Obj\x01\x02" + b"\x80" * 7 + b"\x04"  # lengths are zigzag varints
        self.path.write_bytes(one_key_of_2_to_the_50_bytes + whole[5:])
        self.assert_refused(self.path)
        self.path.write_bytes(b"{}")
        with self.assertRaisesRegex(ofindex.FormatError, "records.avro: does not begin as Avro"):
            self.packed(self.path, "example")

    def test_a_file_corrupted_anywhere_is_read_or_an_error_names_the_file(self) -> None:
        self.assert_hurt(self.path)


if __name__ == "__main__":
    unittest.main()
