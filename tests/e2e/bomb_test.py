"""Decompression bombs: a file that inflates to far more than any real shard is stopped at once, in little memory."""

from __future__ import annotations

import os
import struct
import unittest
import zlib

from e2e.bounded import is_address_sanitized, run_bounded
from e2e.command import CommandTest, Finished
from e2e.compressing import COMPRESS, GZIP, HEADER, OPTIONS, ZLIB, gzip_member
from e2e.samples import payload
from oracle import records

MIB = 1 << 20
PEAK_BYTES = 64 * MIB
FIRST = records.frame_tfrecord(payload(1))
FIRST_OF = records.frame_ofrecord(payload(1, records.OFRECORD))


def bomb(compression: str, head: bytes, mebibytes: int, trailer: bytes = b"") -> bytes:
    """A compressed stream of `head` followed by `mebibytes` MiB of zeros. Without `trailer`, its checksum is wrong.

    After a full flush, a deflate stream does not refer to earlier bytes, so the block of one MiB can be repeated.
    """
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    begin = stream.compress(head) + stream.flush(zlib.Z_FULL_FLUSH)
    block = stream.compress(bytes(MIB)) + stream.flush(zlib.Z_FULL_FLUSH)
    whole = HEADER[compression] + begin + block * mebibytes + stream.flush()
    return whole + (trailer or {GZIP: bytes(8), ZLIB: bytes(4)}.get(compression, b""))


def gzip_bomb(mebibytes: int) -> bytes:
    """A bomb followed by the right checksum."""
    checksum = zlib.crc32(FIRST)
    for _ in range(mebibytes):
        checksum = zlib.crc32(bytes(MIB), checksum)
    return bomb(GZIP, FIRST, mebibytes, struct.pack("<II", checksum, len(FIRST) + mebibytes * MIB))


@unittest.skipIf(is_address_sanitized(), "AddressSanitizer keeps freed memory for a while")
class BombTest(CommandTest):
    def run_small(self, code: int, *args: str) -> Finished:
        bounded = run_bounded(self, args)
        self.assertEqual(bounded.finished.code, code, bounded.finished)
        self.assertLess(bounded.peak_bytes, PEAK_BYTES, bounded.finished)
        return bounded.finished

    def assert_stopped(self, option: str, *args: str) -> None:
        """The command exits with 7, names the option that would accept the file, and leaves no files."""
        before = self.names()
        stopped = self.run_small(7, *args)
        error, hint = stopped.stderr.splitlines()
        self.assertRegex(error, r"^ofindex: bomb@\d+: it has inflated to [\d,]+ bytes so far", stopped)
        self.assertIn(option, hint)
        self.assertEqual((stopped.stdout, self.names()), (b"", before))

    def write(self, data: bytes) -> None:
        (self.dir / "bomb").write_bytes(data)

    def test_ten_megabytes_that_inflate_to_ten_gigabytes_of_zeros_stop_the_build(self) -> None:
        for compression in COMPRESS:
            with self.subTest(compression):
                self.write(bomb(compression, FIRST, 10_000))
                self.assertLess((self.dir / "bomb").stat().st_size, 11 * MIB)
                for mode in ((), ("--verify",), ("-j", "1"), ("--checkpoint-every", "1"), ("--columns", "none")):
                    self.assert_stopped("--max-ratio", "build", "bomb", *OPTIONS[compression], *mode)

    def test_one_record_with_a_huge_length_stops_the_build(self) -> None:
        for front, framing in ((FIRST, records.TFRECORD), (b"", records.TFRECORD), (FIRST_OF, records.OFRECORD)):
            for length in (10_000 * MIB, 2**31 - 1, 2**62):
                with self.subTest(f"{framing}, {length} bytes, behind {len(front)}"):
                    self.write(bomb(GZIP, front + records.HEADER[framing](length), 10_000))
                    self.assert_stopped("--max-ratio", "build", "bomb")

    def test_zeros_instead_of_records_stop_the_build(self) -> None:
        self.write(bomb(GZIP, FIRST_OF, 10_000))
        self.assert_stopped("--max-ratio", "build", "bomb")

    def test_many_members_of_a_megabyte_stop_the_build(self) -> None:
        self.write(gzip_member(FIRST) + gzip_member(bytes(MIB), level=9) * 10_000)
        self.assert_stopped("--max-ratio", "build", "bomb")

    def test_a_bomb_stops_a_conversion_without_an_index(self) -> None:
        self.write(bomb(GZIP, FIRST, 10_000))
        self.assert_stopped("--max-ratio", "convert", "bomb", "--to", "ofrecord", "-o", "out")

    def test_one_bomb_among_shards_is_named(self) -> None:
        data = self.dir / "data"
        data.mkdir()
        for number in range(4):
            (data / f"part-{number}").write_bytes(bomb(GZIP, FIRST, 10_000) if number == 2 else gzip_member(FIRST))
        stopped = self.run_small(7, "build", "data")
        self.assertIn("data/part-2@", stopped.stderr)
        self.assertEqual(self.names(), ["data"])

    def test_a_bomb_that_is_new_stops_an_update(self) -> None:
        (self.dir / "data").mkdir()
        (self.dir / "data" / "part-0").write_bytes(gzip_member(FIRST))
        self.expect(0, "build", "data")
        before = (self.dir / "data.ofidx").read_bytes()
        (self.dir / "data" / "part-1").write_bytes(bomb(GZIP, FIRST, 10_000))
        stopped = self.run_small(7, "update", "data")
        self.assertIn("data/part-1@", stopped.stderr)
        self.assertIn("--max-ratio", stopped.stderr)
        self.assert_same((self.dir / "data.ofidx").read_bytes(), before, "index")

    def test_an_existing_index_is_kept_when_the_build_stops(self) -> None:
        self.write(gzip_member(FIRST))
        self.expect(0, "build", "bomb")
        before = (self.dir / "bomb.ofidx").read_bytes()
        self.write(bomb(GZIP, FIRST, 10_000))
        self.assert_stopped("--max-ratio", "build", "bomb", "--force")
        self.assert_same((self.dir / "bomb.ofidx").read_bytes(), before, "index")

    def test_a_limit_in_bytes_is_obeyed(self) -> None:
        self.write(bomb(GZIP, FIRST, 10_000))
        self.assert_stopped("--max-inflated", "build", "bomb", "--max-inflated", "1")
        self.write(gzip_bomb(200))
        self.assert_stopped("--max-inflated", "build", "bomb", "--max-ratio", "2000", "--max-inflated", "200")
        self.write(gzip_member(FIRST + os.urandom(MIB - len(FIRST))))
        self.expect(3, "build", "bomb", "--max-inflated", "1")

    def test_a_large_file_is_accepted_if_the_limit_is_raised(self) -> None:
        self.write(gzip_bomb(200))
        self.assert_stopped("--max-ratio", "build", "bomb")
        for mode in ((), ("--verify",)):
            built = self.run_small(3, "build", "bomb", "--max-ratio", "2000", "--force", "--json", *mode).json
            self.assertEqual(built["records"], 1)
            (damage,) = built["damage"]
            places = [damage[key] for key in ("reason", "begin", "end")]
            self.assertEqual(places, ["torn_tail", len(FIRST), len(FIRST) + 200 * MIB])
        self.assertEqual(self.run_small(0, "get", "bomb", "0", "--raw").stdout, payload(1))
        self.run_small(1, "verify", "bomb")

    def test_a_large_record_of_zeros_is_checked_in_little_memory(self) -> None:
        self.write(bomb(ZLIB, FIRST_OF + records.ofrecord_header(100 * MIB), 100))
        options = ("--max-ratio", "2000", "--verify", "--payload", "opaque", "--json")
        built = self.run_small(3, "build", "bomb", *options).json
        self.assertEqual(built["records"], 2)
        self.assertEqual([found["reason"] for found in built["damage"]], ["bad_stream_checksum"])
        self.run_small(1, "verify", "bomb")

    def test_the_first_64_mebibytes_are_always_allowed(self) -> None:
        self.write(gzip_bomb(63))
        self.expect(3, "build", "bomb")
