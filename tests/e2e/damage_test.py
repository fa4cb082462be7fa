"""Damaged shards, case by case: which records are left, which bytes are damage, and the exit code.

Every expectation is written next to its bytes, and the oracle must agree with it.
"""

from __future__ import annotations

import os
import unittest
from dataclasses import astuple, dataclass, field
from typing import Any

from e2e.bounded import is_address_sanitized, run_bounded
from e2e.command import CommandTest
from oracle import records
from oracle.records import BAD_LENGTH, BAD_LENGTH_CRC, OFRECORD, TFRECORD, TORN_TAIL, ZERO_HEAD, Damage

# Three records that begin at 0, 21, 58 and end at 79 (TFRecord), or at 0, 13, 42 and end at 55 (OFRecord).
PAYLOADS = [b"first", b"second, the longest..", b"third"]
TF = b"".join(map(records.frame_tfrecord, PAYLOADS))
OF = b"".join(map(records.frame_ofrecord, PAYLOADS))
GOOD = {TFRECORD: TF, OFRECORD: OF}


@dataclass(frozen=True)
class Case:
    """One damaged shard. `records` is how many records keep an ordinal; `bad` lists the records with a wrong payload
    checksum."""

    name: str
    format: str
    data: bytes
    records: int
    damage: list[Damage] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)


def flipped(data: bytes, offset: int) -> bytes:
    return data[:offset] + bytes([data[offset] ^ 0x10]) + data[offset + 1 :]


def damage_in(document: dict[str, Any]) -> list[tuple[str, int, int, str]]:
    return [(found["shard"], found["begin"], found["end"], found["reason"]) for found in document["damage"]]


def tail(begin: int, size: int) -> list[Damage]:
    return [Damage(begin, size, TORN_TAIL)]


# A header with a correct checksum, followed by a wrong body: a resynchronization must not take it for a record.
DECOY = records.tfrecord_header(4) + b"data" + b"\0\0\0\0"

CASES = [
    Case("TFRecord: one byte of a header", TFRECORD, TF + TF[:1], 3, tail(79, 80)),
    Case("TFRecord: all but one byte of a header", TFRECORD, TF + TF[:11], 3, tail(79, 90)),
    Case("TFRecord: a header and no body", TFRECORD, TF + TF[:12], 3, tail(79, 91)),
    Case("TFRecord: part of a body", TFRECORD, TF + TF[:15], 3, tail(79, 94)),
    Case("TFRecord: a body without its footer", TFRECORD, TF + TF[:17], 3, tail(79, 96)),
    Case("TFRecord: all but one byte of a footer", TFRECORD, TF + TF[:20], 3, tail(79, 99)),
    Case("TFRecord: nothing but a torn header", TFRECORD, TF[:7], 0, tail(0, 7)),
    Case("TFRecord: zeros to the end", TFRECORD, TF + bytes(4096), 3, tail(79, 79 + 4096)),
    Case("TFRecord: fewer zeros than a header", TFRECORD, TF + bytes(5), 3, tail(79, 84)),
    Case("TFRecord: nothing but zeros", TFRECORD, bytes(100), 0, tail(0, 100)),
    Case("TFRecord: a hole between records", TFRECORD, TF + bytes(4096) + TF, 6, [Damage(79, 4175, BAD_LENGTH_CRC)]),
    Case("TFRecord: the first length", TFRECORD, flipped(TF, 0), 2, [Damage(0, 21, BAD_LENGTH_CRC)]),
    Case("TFRecord: a length in the middle", TFRECORD, flipped(TF, 21), 2, [Damage(21, 58, BAD_LENGTH_CRC)]),
    Case("TFRecord: a length checksum in the middle", TFRECORD, flipped(TF, 30), 2, [Damage(21, 58, BAD_LENGTH_CRC)]),
    Case("TFRecord: the last length", TFRECORD, flipped(TF, 58), 2, [Damage(58, 79, BAD_LENGTH_CRC)]),
    Case("TFRecord: two lengths in a row", TFRECORD, flipped(flipped(TF, 0), 21), 1, [Damage(0, 58, BAD_LENGTH_CRC)]),
    Case("TFRecord: two lengths apart", TFRECORD, flipped(flipped(TF, 0), 58), 1,
         [Damage(0, 21, BAD_LENGTH_CRC), Damage(58, 79, BAD_LENGTH_CRC)]),
    Case("TFRecord: text between records", TFRECORD, TF + b"not a record at all" + TF, 6,
         [Damage(79, 98, BAD_LENGTH_CRC)]),
    Case("TFRecord: a decoy between records", TFRECORD, TF + b"junk junk junk" + DECOY + TF, 6,
         [Damage(79, 79 + 14 + 20, BAD_LENGTH_CRC)]),
    Case("TFRecord: a bad length and then a torn tail", TFRECORD, flipped(TF, 0) + TF[:9], 2,
         [Damage(0, 21, BAD_LENGTH_CRC), *tail(79, 88)]),
    Case("TFRecord: a torn record whose payload contains records", TFRECORD, TF + records.tfrecord_header(1000) + TF, 3,
         tail(79, 79 + 12 + 79)),
    Case("TFRecord: a length that no file can have", TFRECORD, TF + records.tfrecord_header(2**63) + TF, 3,
         [Damage(79, 79 + 12 + 79, BAD_LENGTH)]),
    Case("TFRecord: a payload", TFRECORD, flipped(TF, 33), 3, bad=[1]),
    Case("TFRecord: a payload checksum", TFRECORD, flipped(TF, 78), 3, bad=[2]),
    Case("TFRecord: zeros instead of a payload", TFRECORD, TF[:33] + bytes(21) + TF[54:], 3, bad=[1]),
    Case("TFRecord: empty records are records, the last one too", TFRECORD, TF + records.frame_tfrecord(b"") * 2, 5),
    Case("TFRecord: lengths in the other byte order", TFRECORD, bytes(7) + b"\x05" + TF[8:21], 0,
         [Damage(0, 21, BAD_LENGTH_CRC)]),
    Case("OFRecord: one byte of a header", OFRECORD, OF + OF[:1], 3, tail(55, 56)),
    Case("OFRecord: all but one byte of a header", OFRECORD, OF + OF[:7], 3, tail(55, 62)),
    Case("OFRecord: a header and no body", OFRECORD, OF + OF[:8], 3, tail(55, 63)),
    Case("OFRecord: part of a body", OFRECORD, OF + OF[:12], 3, tail(55, 67)),
    Case("OFRecord: nothing but a torn header", OFRECORD, OF[:3], 0, tail(0, 3)),
    Case("OFRecord: zeros to the end", OFRECORD, OF + bytes(4096), 3, tail(55, 55 + 4096)),
    Case("OFRecord: zeros to the end, not a multiple of a header", OFRECORD, OF + bytes(4099), 3, tail(55, 55 + 4099)),
    Case("OFRecord: fewer zeros than a header", OFRECORD, OF + bytes(5), 3, tail(55, 60)),
    Case("OFRecord: nothing but zeros", OFRECORD, bytes(800), 0, tail(0, 800)),
    Case("OFRecord: a length beyond the end, nothing found after it", OFRECORD, OF[:13] + b"\xff" + OF[14:], 1,
         tail(13, 55)),
    Case("OFRecord: a length that no message can have", OFRECORD, OF[:17] + b"\xff" + OF[18:], 1,
         [Damage(13, 55, BAD_LENGTH)]),
    Case("OFRecord: a hole that shifts the next header", OFRECORD, OF + bytes(20) + OF, 5,
         [Damage(71, 130, BAD_LENGTH)]),
    Case("OFRecord: lengths in the other byte order", OFRECORD, bytes(7) + b"\x05" + OF[8:], 0,
         [Damage(0, 55, BAD_LENGTH)]),
    Case("OFRecord: zeros at the front", OFRECORD, bytes(24) + OF, 3, [Damage(0, 24, ZERO_HEAD)]),
    Case("OFRecord: zeros at the front, not a multiple of a header", OFRECORD, bytes(21) + OF, 0,
         [Damage(0, 16, ZERO_HEAD), Damage(16, 21 + 55, BAD_LENGTH)]),
    Case("OFRecord: empty records between others are records", OFRECORD, OF + bytes(24) + OF, 9),
]


class DamageTest(CommandTest):
    def test_the_oracle_agrees_with_the_table(self) -> None:
        for case in CASES:
            walk = records.WALK[case.format](case.data)
            bad = [ordinal for ordinal, record in enumerate(walk.records) if not record.sound]
            self.assertEqual((len(walk.records), walk.damage, bad), (case.records, case.damage, case.bad), case.name)

    def test_a_quick_build_finds_damaged_framing_and_keeps_every_other_record(self) -> None:
        for case in CASES:
            with self.subTest(case.name):
                built = self.build(case, 3 if case.damage else 0)
                self.assertEqual(built["bad"], [])
                self.assert_damage(built, case)
                self.assert_records(case, readable=range(case.records))

    def test_a_verifying_build_marks_wrong_checksums_too(self) -> None:
        for case in CASES:
            with self.subTest(case.name):
                built = self.build(case, 3 if case.damage or case.bad else 0, "--verify")
                self.assert_damage(built, case)
                self.assert_bad(built, case)
                self.assert_records(case, readable=[n for n in range(case.records) if n not in case.bad])
                for ordinal in case.bad:
                    self.assertIn("shard", self.expect_error(3, "get", "shard", str(ordinal), "--raw").stderr)

    def test_info_reports_damage_and_exits_with_0(self) -> None:
        for case in CASES:
            with self.subTest(case.name):
                self.build(case, 3 if case.damage or case.bad else 0, "--verify")
                info = self.expect(0, "info", "shard", "--json").json
                self.assert_damage(info, case)
                self.assert_bad(info, case)

    def test_verify_reports_damage_and_wrong_checksums_and_exits_with_1(self) -> None:
        for case in CASES:
            with self.subTest(case.name):
                self.build(case, 3 if case.damage else 0)
                verified = self.expect(1 if case.damage or case.bad else 0, "verify", "shard", "--json").json
                self.assertEqual(verified["stale"], [])
                self.assert_damage(verified, case)
                self.assert_bad(verified, case)

    def test_the_shard_of_a_damaged_range_is_named(self) -> None:
        folder = self.dir / "data"
        folder.mkdir()
        for name, data in (("part-0", TF), ("part-1", flipped(TF, 21)), ("part-10", TF + b"x"), ("part-2", TF)):
            (folder / name).write_bytes(data)
        built = self.expect(3, "build", "data", "--payload", "opaque", "--json").json
        self.assertEqual(built["records"], 11)
        expected = [("data/part-1", 21, 58, BAD_LENGTH_CRC), ("data/part-10", 79, 80, TORN_TAIL)]
        self.assertEqual(damage_in(built), expected)
        self.assertEqual(damage_in(self.expect(0, "info", "data", "--json").json), expected)

    def test_cat_stops_at_a_bad_record_and_names_it(self) -> None:
        case = Case("a payload", TFRECORD, flipped(TF, 33), 3, bad=[1])
        self.build(case, 3, "--verify")
        stopped = self.expect(3, "cat", "shard", "--to", "raw")
        self.assertTrue(stopped.stderr.startswith("ofindex: "), stopped)
        self.assertIn("shard", stopped.stderr)

    def test_a_byte_changed_in_an_ofrecord_shard_is_found_if_its_build_verified(self) -> None:
        (self.dir / "shard").write_bytes(OF)
        self.expect(0, "build", "shard", "--format", "ofrecord", "--verify")
        times = (self.dir / "shard").stat()
        (self.dir / "shard").write_bytes(flipped(OF, 25))
        os.utime(self.dir / "shard", ns=(times.st_atime_ns, times.st_mtime_ns))
        verified = self.expect(1, "verify", "shard", "--json").json
        self.assertTrue(verified["bad"] or verified["stale"], verified)

    def test_a_sparse_tail_takes_little_time_and_adds_no_records(self) -> None:
        for name, data in GOOD.items():
            shard = self.dir / name
            shard.write_bytes(data)
            os.truncate(shard, 1 << 28)
            built = self.expect(3, "build", name, "--format", name, "--json", timeout=20).json
            self.assertEqual(built["records"], 3)
            self.assertEqual(damage_in(built), [(name, len(data), 1 << 28, TORN_TAIL)])

    def build(self, case: Case, code: int, *options: str) -> dict[str, Any]:
        (self.dir / "shard").write_bytes(case.data)
        asked = ("--format", case.format, "--payload", "opaque", "--force", "--json")
        built = self.expect(code, "build", "shard", *asked, *options).json
        self.assertEqual(built["records"], case.records)
        return built

    def assert_damage(self, document: dict[str, Any], case: Case) -> None:
        self.assertEqual(damage_in(document), [("shard", *astuple(damage)) for damage in case.damage])

    def assert_bad(self, document: dict[str, Any], case: Case) -> None:
        walk = records.WALK[case.format](case.data)
        expected = [{"record": n, "shard": "shard", "offset": walk.records[n].offset} for n in case.bad]
        keys = ("record", "shard", "offset")
        self.assertEqual([{key: found[key] for key in keys} for found in document["bad"]], expected)
        self.assertTrue(all(found["reason"] for found in document["bad"]))

    def assert_records(self, case: Case, readable: Any) -> None:
        payloads = records.WALK[case.format](case.data).payloads
        ordinals = [str(ordinal) for ordinal in readable]
        if ordinals:
            shown = self.expect(0, "get", "shard", *ordinals, "--raw").stdout
            self.assertEqual(shown, b"".join(payloads[int(ordinal)] for ordinal in ordinals))


HOSTILE_LENGTHS = {
    "0": 0,
    "1": 1,
    "2^31 - 1": 2**31 - 1,
    "2^31": 2**31,
    "2^32": 2**32,
    "2^63 - 1": 2**63 - 1,
    "2^63": 2**63,
    "2^64 - 1": 2**64 - 1,
    "remaining": 100,
    "remaining + 1": 101,
}
ADDRESS_SPACE = 262144 * 1024  # ulimit -v 262144
PEAK_BYTES = 64 << 20


@unittest.skipIf(is_address_sanitized(), "AddressSanitizer reserves more addresses than the limit allows")
class HostileLengthTest(CommandTest):
    """A length is untrusted: whatever its value, memory stays small and every other record is read."""

    def hostile(self, framing: str, length: int, rest: int = 100) -> bytes:
        """Three records, then a header with the length `length`, followed by only `rest` bytes of payload."""
        behind_header = records.FRAME[framing](b"\xab" * rest)[len(records.HEADER[framing](0)) :]
        return GOOD[framing] + records.HEADER[framing](length) + behind_header

    def run_small(self, code: int, *args: str) -> Any:
        bounded = run_bounded(self, args, address_space_bytes=ADDRESS_SPACE)
        self.assertEqual(bounded.finished.code, code, bounded.finished)
        self.assertLess(bounded.peak_bytes, PEAK_BYTES, bounded.finished)
        return bounded.finished

    def check(self, framing: str, data: bytes) -> None:
        walk = records.WALK[framing](data)
        wrong = any(not record.sound for record in walk.records)
        (self.dir / "shard").write_bytes(data)
        asked = ("build", "shard", "--format", framing, "--payload", "opaque", "--force", "--json")
        for mode, code in (((), 3 if walk.damage else 0), (("--verify",), 3 if walk.damage or wrong else 0)):
            built = self.run_small(code, *asked, *mode).json
            self.assertEqual(built["records"], len(walk.records))
            self.assertEqual(damage_in(built), [("shard", *astuple(damage)) for damage in walk.damage])
        self.run_small(1 if walk.damage or wrong else 0, "verify", "shard")
        for ordinal in [n for n, record in enumerate(walk.records) if record.sound]:
            shown = self.run_small(0, "get", "shard", str(ordinal), "--raw")
            self.assertEqual(shown.stdout, walk.payloads[ordinal])
        self.run_small(2, "get", "shard", str(len(walk.records)))

    def test_a_hostile_length_after_good_records_takes_little_memory(self) -> None:
        for framing in (TFRECORD, OFRECORD):
            for name, length in HOSTILE_LENGTHS.items():
                with self.subTest(f"{framing}: {name}"):
                    self.check(framing, self.hostile(framing, length))

    def test_a_hostile_first_length_takes_little_memory(self) -> None:
        for framing, good in GOOD.items():
            for name, length in HOSTILE_LENGTHS.items():
                with self.subTest(f"{framing}: {name}"):
                    self.check(framing, self.hostile(framing, length)[len(good) :])

    def test_hostile_headers_one_after_another_do_not_make_the_search_quadratic(self) -> None:
        # Each header claims nearly all remaining bytes: a naive search would checksum them again for every header.
        count = 1 << 14
        headers = [records.tfrecord_header(12 * (count - number) - 32) for number in range(count - 8)]
        (self.dir / "shard").write_bytes(TF + b"?" + b"".join(headers) + b"?" * 200)
        args = ("build", "shard", "--format", "tfrecord", "--payload", "opaque")
        bounded = run_bounded(self, args, address_space_bytes=ADDRESS_SPACE, timeout=10)
        self.assertEqual(bounded.finished.code, 3, bounded.finished)
        self.assertLess(bounded.peak_bytes, PEAK_BYTES)
