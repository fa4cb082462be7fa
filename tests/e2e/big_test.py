"""Extremes of size: shards beyond 4 GiB, records of 2.2 GiB, a record larger than memory, 5,000 tiny shards.

The large files consist mostly of holes and take no space on file systems with sparse files.
"""

from __future__ import annotations

import subprocess
import unittest

from e2e.bounded import Bounded, is_address_sanitized, run_bounded
from e2e.command import CommandTest
from e2e.holes import MIB, skip_without_holes, write_with_holes
from oracle import records
from oracle.records import OFRECORD, TFRECORD

HUGE = int(2.2 * 2**30)
SMALL = [b"small record %d" % number * (number + 1) for number in range(5)]

# A small record, two that are holes of 2.2 GiB, and four small ones beyond 4 GiB.
PAYLOADS: list[bytes | int] = [SMALL[0], HUGE, HUGE, *SMALL[1:]]


class HugeShardTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        skip_without_holes(self, self.dir)

    def write_and_build(self, framing: str) -> list[tuple[int, int]]:
        places = write_with_holes(self.dir / framing, framing, PAYLOADS)
        built = self.expect(0, "build", framing, "--format", framing, "--payload", "opaque", "--json").json
        self.assertEqual(built["records"], len(places))
        self.assertEqual(built["payload_bytes"], sum(length for _, length in places))
        return places

    def test_records_beyond_4_gib_are_found(self) -> None:
        for framing in (TFRECORD, OFRECORD):
            places = self.write_and_build(framing)
            self.assertGreater(places[3][0], 2**32)
            for ordinal, payload in ((0, SMALL[0]), (3, SMALL[1]), (4, SMALL[2]), (-1, SMALL[4])):
                shown = self.expect(0, "get", framing, str(ordinal), "--raw")
                self.assertEqual(shown.stdout, payload, (framing, ordinal))
            places_shown = self.expect(0, "get", framing, "0", "3:7", "--jsonl").jsonl
            found = [(record["_offset"], record["_length"]) for record in places_shown]
            self.assertEqual(found, [places[0], *places[3:]], framing)

    def test_a_record_of_more_than_2_gib_is_returned_whole(self) -> None:
        self.write_and_build(OFRECORD)
        process = self.start("get", OFRECORD, "1", "--raw", stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        zeros = bytes(1 << 20)
        size = 0
        while part := process.stdout.read(len(zeros)):
            self.assertEqual(part, zeros[: len(part)])
            size += len(part)
        self.assertEqual((process.wait(timeout=60), size), (0, HUGE))

    def test_the_exported_text_index_has_offsets_beyond_4_gib(self) -> None:
        places = self.write_and_build(TFRECORD)
        self.expect(0, "export", TFRECORD, "--to", "tfrecord2idx", "-o", "text")
        expected = "".join(f"{offset} {length + 16}\n" for offset, length in places)
        self.assertEqual((self.dir / "text" / f"{TFRECORD}.idx").read_text(), expected)


@unittest.skipIf(is_address_sanitized(), "AddressSanitizer reserves more addresses than the limit allows")
class LittleMemoryTest(CommandTest):
    """Reads a shard with a record of 400 MiB in an address space of 256 MiB."""

    def setUp(self) -> None:
        super().setUp()
        skip_without_holes(self, self.dir)
        write_with_holes(self.dir / "shard", TFRECORD, [b"before", 400 * MIB, b"behind"])

    def run_small(self, *args: str) -> Bounded:
        return run_bounded(self, args, address_space_bytes=256 * MIB)

    def test_a_list_in_whose_order_a_document_is_written_has_a_limit(self) -> None:
        self.expect(0, "build", "shard", "--payload", "opaque")
        with open(self.dir / "ids", "wb") as file:
            for _ in range(100):
                file.write(b"0\n" * 1_000_000)
            file.write(b"0\n")
        for args in (("get", "shard", "--json"), ("convert", "shard", "--to", "tfrecord", "-o", "out")):
            failed = self.expect_error(7, *args, "--ids", "ids")
            self.assertIn("ids: expected at most 100,000,000 ordinals", failed.stderr)
            self.assertIn("hint: ", failed.stderr)
        self.assertFalse((self.dir / "out").exists())

    def test_building_and_verifying_need_no_memory_for_a_whole_record(self) -> None:
        for args, code in (
            (("build", "shard", "--payload", "opaque"), 0),
            (("verify", "shard"), 1),
            (("build", "shard", "--payload", "opaque", "--verify", "--force"), 3),
        ):
            bounded = self.run_small(*args)
            self.assertEqual(bounded.finished.code, code, bounded.finished)
            self.assertLess(bounded.peak_bytes, 64 * MIB, args)

    def test_a_record_that_does_not_fit_in_memory_is_a_limit_error_and_the_records_next_to_it_are_read(self) -> None:
        self.expect(0, "build", "shard", "--payload", "opaque")
        for ordinal, payload in (("0", b"before"), ("2", b"behind")):
            self.assertEqual(self.run_small("get", "shard", ordinal, "--raw").finished.stdout, payload)
        for args in (
            ("get", "shard", "1", "--raw"),
            ("get", "shard", "1", "--json"),
            ("get", "shard", "1", "--jsonl"),
            ("cat", "shard", "--to", "raw"),
            ("cat", "shard", "--to", "ofrecord"),
            ("cat", "shard", "--to", "jsonl"),
        ):
            with self.subTest(args):
                finished = self.run_small(*args, "-q").finished
                self.assertIn(finished.code, (0, 7), finished)  # 0 if the verb needs no memory for a whole record
                if finished.code == 7:
                    self.assertRegex(finished.stderr, r"\Aofindex: .*\nhint: .*\n\Z")


class ManyShardsTest(CommandTest):
    """Reads 5,000 shards of one to three records with at most 128 open files."""

    COUNT = 5000
    DESCRIPTORS = 128

    def setUp(self) -> None:
        super().setUp()
        self.payloads: list[bytes] = []
        (self.dir / "data").mkdir()
        for part in range(self.COUNT):
            written = [b"part %d record %d" % (part, number) for number in range(part % 3 + 1)]
            records.write_tfrecord(self.dir / "data" / f"part-{part}", written)
            self.payloads += written

    def test_more_shards_than_file_descriptors_can_be_indexed_read_and_verified(self) -> None:
        for args, expected in (
            (("build", "data", "--payload", "opaque", "-q"), b""),
            (("cat", "data", "--to", "raw"), b"".join(self.payloads)),
            (("get", "data", *map(str, range(0, len(self.payloads), 7)), "--raw"), b"".join(self.payloads[::7])),
            (("verify", "data", "-q"), b""),
        ):
            with self.subTest(args[0]):
                bounded = run_bounded(self, args, descriptors=self.DESCRIPTORS)
                self.assertEqual(bounded.finished.code, 0, bounded.finished)
                self.assert_same(bounded.finished.stdout, expected, args[0])
