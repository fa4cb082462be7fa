"""Records that are much larger than the memory in which they are shown: a value of 300 MiB, and lists of millions."""

from __future__ import annotations

import array
import csv
import io
import json
import os
import unittest

from e2e.bounded import Bounded, is_address_sanitized, run_bounded
from e2e.command import CommandTest
from e2e.holes import MIB, skip_without_holes
from oracle import records
from oracle.records import OFRECORD

#: Memory for what the command holds itself; maps of files do not count.
DATA_BYTES = 72 * MIB

IMAGE_BYTES = 300 * MIB


def varint(value: int) -> bytes:
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def front(number: int, length: int) -> bytes:
    """Tag and length of a field."""
    return bytes([number << 3 | 2]) + varint(length)


def field(number: int, content: bytes) -> bytes:
    return front(number, len(content)) + content


def entry(name: bytes, kind: int, values: bytes) -> bytes:
    return field(1, field(1, name) + field(2, field(kind, values)))


@unittest.skipIf(is_address_sanitized(), "AddressSanitizer takes more memory than the limit allows")
class LargeValueTest(CommandTest):
    """Two records, each with an image of 300 MiB of zeros and a label."""

    def setUp(self) -> None:
        super().setUp()
        skip_without_holes(self, self.dir)
        self.label = entry(b"label", 3, field(1, b"\x07"))
        inner = b""
        sizes = [IMAGE_BYTES]
        for content in (1, 1, 2):  # value, list, feature: each around the last
            inner = front(content, sizes[-1]) + inner
            sizes.append(IMAGE_BYTES + len(inner))
        inner = field(1, b"image") + inner
        inner = front(1, len(inner) + IMAGE_BYTES) + inner
        self.head = front(1, len(inner) + IMAGE_BYTES + len(self.label)) + inner
        self.length = len(self.head) + IMAGE_BYTES + len(self.label)
        with open(self.dir / "data", "wb") as file:
            for _ in range(2):
                file.write(records.HEADER[OFRECORD](self.length) + self.head)
                file.seek(IMAGE_BYTES, os.SEEK_CUR)
                file.write(self.label)
        self.expect(0, "build", "data", "--format", OFRECORD, "--payload", "example", "--columns", "auto")

    def bounded(self, *args: str) -> Bounded:
        bounded = run_bounded(self, args, data_bytes=DATA_BYTES)
        self.assertEqual(bounded.finished.code, 0, (args, bounded.finished.stderr))
        return bounded

    def test_what_is_shown_of_a_large_record_takes_no_memory_for_its_other_bytes(self) -> None:
        whole = self.bounded("get", "data", "1")
        text = whole.finished.stdout.decode()
        self.assertRegex(text, r"image +bytes +1 +<314,572,800 bytes: 0000000000000000\.\.\.>")
        self.assertRegex(text, r"label +int64 +1 +7\n")
        for args, expected in (
            (("get", "data", "0", "--feature", "label", "--raw"), b"\x07" + bytes(7)),
            (("cat", "data", "--feature", "label", "--to", "raw"), 2 * (b"\x07" + bytes(7))),
            (("cat", "data", "--feature", "label", "--to", "csv"), b"_id,label\n0,7\n1,7\n"),
        ):
            self.assert_same(self.bounded(*args).finished.stdout, expected, " ".join(args))
        for args in (
            ("get", "data", "0", "--feature", "label"),
            ("get", "data", "0", "--feature", "label", "--json"),
            ("get", "data", "0", "--feature", "label", "--wire"),
            ("cat", "data", "--feature", "label", "--to", "jsonl"),
            ("cat", "data", "--feature", "label", "--to", "arrow"),
        ):
            bounded = self.bounded(*args)
            self.assertIn(b"label", bounded.finished.stdout, args)
            self.assertLess(bounded.peak_bytes, DATA_BYTES, args)  # pages of the map included

    def test_a_large_record_is_written_in_pieces(self) -> None:
        payload = self.head + bytes(IMAGE_BYTES) + self.label
        for args in (("get", "data", "1", "--raw"), ("cat", "data", "--range", "1:2", "--to", "raw")):
            bounded = self.bounded(*args)
            self.assert_same(bounded.finished.stdout, payload, " ".join(args))
            self.assertLess(bounded.peak_bytes, DATA_BYTES, args)
        image = self.bounded("cat", "data", "--range", "0:1", "--feature", "image", "--to", "raw").finished.stdout
        self.assert_same(image, bytes(IMAGE_BYTES), "the image")
        framed = self.bounded("cat", "data", "--range", "0:1", "--to", OFRECORD).finished.stdout
        self.assert_same(framed, records.HEADER[OFRECORD](self.length) + payload, "the record")

    def test_a_value_that_is_too_long_for_json_is_refused_before_anything_is_written(self) -> None:
        for args in (("get", "data", "1", "--jsonl"), ("cat", "data", "--to", "jsonl")):
            failed = self.expect_error(7, *args)
            self.assertIn(
                "a value of 314,572,800 bytes is too long for JSON; expected at most 67,108,864", failed.stderr
            )
            self.assertEqual(failed.stdout, b"")


@unittest.skipIf(is_address_sanitized(), "AddressSanitizer takes more memory than the limit allows")
class LongListsTest(CommandTest):
    """A record with lists of 4,000,000 numbers and of 3,000,000 texts, between two small ones."""

    def setUp(self) -> None:
        super().setUp()
        self.integers = [n % 100 for n in range(4_000_000)]
        self.reals = [n % 1000 / 8 for n in range(4_000_000)]
        self.texts = [f"{n % 1000:04}" for n in range(3_000_000)]
        large = field(
            1,
            entry(b"integers", 3, field(1, bytes(self.integers)))
            + entry(b"reals", 2, field(1, array.array("f", self.reals).tobytes()))
            + entry(b"texts", 1, b"".join(field(1, text.encode()) for text in self.texts)),
        )
        small = field(1, entry(b"integers", 3, field(1, b"\x05")) + entry(b"texts", 1, field(1, b"one, two")))
        with open(self.dir / "data", "wb") as file:
            for payload in (small, large, small):
                file.write(records.FRAME[OFRECORD](payload))
        self.payload = large
        self.expect(0, "build", "data", "--format", OFRECORD, "--payload", "example", "--columns", "auto")

    def bounded(self, *args: str) -> bytes:
        bounded = run_bounded(self, args, data_bytes=DATA_BYTES)
        self.assertEqual(bounded.finished.code, 0, (args, bounded.finished.stderr))
        return bounded.finished.stdout

    def test_the_values_in_every_form_are_those_of_the_record(self) -> None:
        values = {"integers": self.integers, "reals": self.reals, "texts": self.texts}
        self.assertRegex(self.bounded("get", "data", "1").decode(), r"texts +bytes +3,000,000 +\"0000\" \"0001\" ")
        for args in (
            ("get", "data", "1", "--jsonl"),
            ("cat", "data", "--range", "1:2", "--to", "jsonl"),
            ("cat", "data", "--range", "1:2", "--to", "jsonl", "--io", "pread"),  # a copy, with values in slices
        ):
            shown = json.loads(self.bounded(*args))["features"]
            self.assertEqual({name: one["values"] for name, one in shown.items()}, values, args)
        csv.field_size_limit(2**30)
        rows = list(csv.reader(io.StringIO(self.bounded("cat", "data", "--to", "csv").decode())))
        self.assertEqual(rows[0], ["_id", "integers", "reals", "texts"])
        self.assertEqual(rows[1], ["0", "5", "", "one, two"])
        self.assertEqual([json.loads(cell) for cell in rows[2][1:]], list(values.values()))
        self.assertEqual(rows[3], ["2", "5", "", "one, two"])
        raw = self.bounded("cat", "data", "--range", "1:2", "--feature", "integers,reals,texts", "--to", "raw")
        expected = array.array("q", self.integers).tobytes() + array.array("f", self.reals).tobytes()
        self.assert_same(raw, expected + "".join(self.texts).encode(), "the values")
        arrow = self.bounded("cat", "data", "--to", "arrow")
        for part in (array.array("q", self.integers), array.array("f", self.reals), "".join(self.texts).encode()):
            self.assertIn(bytes(part), arrow)

    def test_the_bytes_are_explained_and_written_without_memory_for_the_lists(self) -> None:
        self.assert_same(self.bounded("get", "data", "1", "--raw"), self.payload, "the payload")
        lines = self.bounded("get", "data", "1", "--wire", "--feature", "integers").count(b"\n")
        self.assertGreater(lines, 10)
