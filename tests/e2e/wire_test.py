"""`get --wire` explains every byte of a payload, each once. The dump of a real Example is compared with a file."""

from __future__ import annotations

import re
import unittest
from collections.abc import Iterable, Sequence
from pathlib import Path

from e2e.bounded import is_address_sanitized, run_bounded
from e2e.command import CommandTest
from e2e.features_test import WIRE, entry, int64_list, length_delimited
from oracle import records
from oracle.fixtures import FIXTURES, fixtures, needs_fixtures

GOLDEN = Path(__file__).with_name("mnist_example.wire.txt")


def bytes_of_line(line: str) -> bytes:
    """The bytes of one line. Words start in column 41, or in column 60 of a wide row, which has a gap before its ninth
    byte. """
    wide = len(line) > 35 and line[34] == " " and line[35] != " "
    return bytes.fromhex(line[10 : 59 if wide else 40])


def bytes_of_dump(lines: Sequence[str]) -> bytes:
    """The bytes on `lines`, the lines after a record's heading, with folded lines unfolded."""
    found, row = bytearray(), b""
    for number, line in enumerate(lines):
        if line == "*":
            end = int(lines[number + 1][:8], 16)
            repeats, left = divmod(end - len(found), len(row))
            assert left == 0, line
            found += row * repeats
        else:
            assert int(line[:8], 16) == len(found), line
            row = bytes_of_line(line)
            found += row
    return bytes(found)


def dumps(text: str) -> list[list[str]]:
    """The lines of each record without its heading."""
    return [part.rstrip("\n").split("\n")[1:] for part in re.split(r"\n\n(?=record )", text)]


class WireTest(CommandTest):
    def build(self, payloads: Iterable[bytes], kind: str) -> None:
        """Builds an index without columns, so that payloads are not examined and no record is marked bad."""
        records.write_tfrecord(self.dir / "data", payloads)
        self.expect(0, "build", "data", "--payload", kind, "--columns", "none", "--force")

    def test_every_byte_appears_in_the_dump_once_for_every_payload_kind(self) -> None:
        for kind in ("example", "sequence_example", "ofrecord", "opaque"):
            self.build(WIRE.values(), kind)
            shown = dumps(self.run_command("get", "data", ":", "--wire").text)
            self.assertEqual([bytes_of_dump(lines) for lines in shown], list(WIRE.values()), kind)

    def test_a_malformed_message_is_explained_up_to_the_fault_and_exits_with_3(self) -> None:
        whole = entry("label", int64_list(300, 5))
        cuts = [whole[:size] for size in range(1, len(whole))]
        self.build([*cuts, whole], "example")
        for number, cut in enumerate(cuts):
            shown = self.expect(3, "get", "data", str(number), "--wire")
            self.assertEqual(shown.stderr, self.expect_error(3, "get", "data", str(number)).stderr)
            [lines] = dumps(shown.text)
            self.assertEqual(bytes_of_dump(lines), cut)
            self.assertEqual(sum("malformed: " in line for line in lines), 1)
            self.assertIn("hint: ", shown.stderr)
        several = self.expect(3, "get", "data", "0", "-1", "--wire")
        self.assertIn('"label"', several.text)

    def test_a_record_marked_bad_is_explained_and_exits_with_3(self) -> None:
        whole = entry("label", int64_list(300, 5))
        frames = [bytearray(records.frame_tfrecord(payload)) for payload in (whole, whole + b"\x0a\x09", whole)]
        frames[2][-1] ^= 1
        (self.dir / "data").write_bytes(b"".join(frames))
        self.expect(3, "build", "data", "--verify", "--payload", "example")
        for ordinal, reason in (("1", "malformed message: "), ("2", "marked bad: ")):
            shown = self.expect(3, "get", "data", ordinal, "--wire")
            self.assertIn('"label"', shown.text)
            self.assertRegex(shown.stderr, rf"\Aofindex: data@\d+: record {ordinal}: .*{reason}.*\nhint: .*\n\Z")

    def test_one_feature_is_shown_with_all_its_entries(self) -> None:
        self.build([entry("a", int64_list(1)) + entry("b", int64_list(2)) + entry("a", int64_list(3))], "example")
        shown = self.expect(0, "get", "data", "0", "--wire", "--feature", "a").text
        self.assertEqual(re.findall(r"\"\w\"", shown), ['"a"', '"a"'])
        self.assertLess(set(shown.splitlines()), set(self.expect(0, "get", "data", "0", "--wire").text.splitlines()))
        missing = self.expect_error(2, "get", "data", "0", "--wire", "--feature", "c")
        self.assertIn("hint: it has a, b", missing.stderr)

    def test_a_feature_of_an_opaque_or_malformed_payload_is_an_error(self) -> None:
        self.build([b"\x08\x01"], "opaque")
        self.expect_error(2, "get", "data", "0", "--wire", "--feature", "a")
        self.build([entry("a", b"") + b"\x0a\x09"], "example")
        self.expect_error(3, "get", "data", "0", "--wire", "--feature", "b")
        shown = self.expect(3, "get", "data", "0", "--wire", "--feature", "a").text
        self.assertIn('"a"', shown)
        self.assertNotIn("malformed", shown)

    def test_wire_excludes_the_other_output_formats(self) -> None:
        self.build([b""], "example")
        for form in ("--raw", "--json", "--jsonl"):
            self.expect_error(2, "get", "data", "0", "--wire", form)
        self.assertEqual(self.expect(0, "get", "data", "0", "--wire").text, "record 0 of data@0, 0 bytes, example\n")

    def test_a_key_that_parses_as_a_message_is_not_explained_as_a_message(self) -> None:
        self.build([entry("image_raw", int64_list(1))], "opaque")
        [lines] = dumps(self.expect(0, "get", "data", "0", "--wire").text)
        self.assertEqual(len(re.findall("field", "\n".join(lines))), 1)

    @unittest.skipIf(is_address_sanitized(), "AddressSanitizer takes additional memory")
    def test_memory_is_bounded_by_the_size_of_the_payload(self) -> None:
        values = bytes(range(1, 101)) * 80_000
        self.build([entry("a", length_delimited(3, length_delimited(1, values)))], "example")
        shown = run_bounded(self, ("get", "data", "0", "--wire"))
        self.assertEqual(shown.finished.code, 0)
        self.assertLess(shown.peak_bytes, len(values) + (24 << 20))


@needs_fixtures
class WireOfFixturesTest(CommandTest):
    def test_the_first_record_of_every_file_appears_in_its_dump_byte_by_byte(self) -> None:
        for fixture in fixtures():
            payloads = fixture.walk().payloads[:1]
            for kind in {fixture.payload, "opaque"}:
                with self.subTest(f"{fixture.path.name} as {kind}"):
                    records.WRITE[fixture.format](self.dir / "data", payloads)
                    self.expect(0, "build", "data", "--format", fixture.format, "--payload", kind, "--force")
                    [lines] = dumps(self.expect(0, "get", "data", "0", "--wire").text)
                    self.assert_same(bytes_of_dump(lines), payloads[0], fixture.path.name)

    def test_the_example_of_a_digit_is_explained_as_expected(self) -> None:
        payload = (FIXTURES / "mnist_example.pb").read_bytes()
        records.write_tfrecord(self.dir / "digit", [payload])
        self.expect(0, "build", "digit")
        shown = self.expect(0, "get", "digit", "0", "--wire").text
        self.assertEqual(shown, GOLDEN.read_text(encoding="utf-8"))
        self.assertEqual(bytes_of_dump(dumps(shown)[0]), payload)
