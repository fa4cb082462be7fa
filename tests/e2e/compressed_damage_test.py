"""Damaged compressed shards: records in sound blocks are indexed; damage is reported with its position in the file and
in the inflated bytes."""

from __future__ import annotations

import os
import random
import struct
import zlib
from dataclasses import dataclass
from typing import Any

from e2e import compressing, damage_test
from e2e.command import CommandTest
from e2e.compressing import (
    COMPRESS,
    DEFLATE,
    GZIP,
    HEADER,
    OPTIONS,
    ZLIB,
    framed,
    gzip_header,
    gzip_member,
    gzip_trailer,
    zlib_stream,
    zlib_trailer,
)
from e2e.samples import payloads
from oracle import records

TFRECORD, OFRECORD = records.TFRECORD, records.OFRECORD
CUT, BAD_DEFLATE, BAD_CHECKSUM = "cut_stream", "bad_deflate", "bad_stream_checksum"
TRAILING, SECOND = "trailing_bytes", "second_stream"

SOME = payloads(7)
WHOLE = framed(SOME)
SIZE = len(WHOLE)
TRAILER_BYTES = {GZIP: 8, ZLIB: 4, DEFLATE: 0}

CUT_STEP = int(os.environ.get("OFINDEX_CUT_STEP", "1"))


def cuts(data: bytes) -> list[int]:
    """The sizes to which `data` is cut: every CUT_STEP-th, and all of those within 16 bytes of an end."""
    return [size for size in range(1, len(data)) if size % CUT_STEP == 0 or not 16 < size < len(data) - 16]


def places(document: dict[str, Any]) -> list[tuple[Any, ...]]:
    """For each damaged range: its reason, and its position in the inflated bytes and in the file."""
    keys = ("reason", "begin", "end", "file_begin", "file_end")
    return [tuple(found[key] for key in keys) for found in document["damage"]]


class DamagedTest(CommandTest):
    def build(self, data: bytes, *options: str, code: int = 3, compression: str = GZIP) -> dict[str, Any]:
        """Builds the index of a shard with the bytes `data`; returns an empty object if no index is written."""
        for path in self.dir.iterdir():
            path.unlink()
        (self.dir / "data").write_bytes(data)
        built = self.expect(code, "build", "data", "--json", *OPTIONS[compression], *options)
        if "data.ofidx" in self.names():
            return built.json
        self.assertEqual((built.stdout, len(built.stderr.splitlines())), (b"", 2), built)
        self.assertIn("data@0: not a record file", built.stderr)
        return {}

    def raw(self, *args: str) -> bytes:
        return self.expect(0, "cat", "data", "--to", "raw", *args).stdout


class CutTest(DamagedTest):
    def test_a_stream_cut_at_any_byte_keeps_the_records_before_the_cut(self) -> None:
        for compression, compress in COMPRESS.items():
            whole = compress(WHOLE)
            for size in cuts(whole):
                with self.subTest(f"{compression} cut at {size}"):
                    body = whole[len(HEADER[compression]) : min(size, len(whole) - TRAILER_BYTES[compression])]
                    self.check_cut(whole[:size], compressing.inflate_what_is_there(body), compression)

    def test_a_second_gzip_member_cut_at_any_byte_keeps_the_first_one(self) -> None:
        half = SIZE // 2
        first, second = gzip_member(WHOLE[:half]), gzip_member(WHOLE[half:], gzip_header(name=b"two", checked=True))
        header = len(second) - len(gzip_member(WHOLE[half:])) + len(HEADER[GZIP])
        for size in cuts(second):
            with self.subTest(f"second member cut at byte {size}"):
                inflated = compressing.inflate_what_is_there(second[header : min(size, len(second) - 8)])
                self.check_cut(first + second[:size], WHOLE[:half] + inflated, GZIP)

    def test_an_ofrecord_stream_cut_at_any_byte_keeps_the_records_before_the_cut(self) -> None:
        whole = zlib_stream(framed(payloads(7, OFRECORD), OFRECORD))
        for size in cuts(whole):
            with self.subTest(f"cut at {size}"):
                inflated = compressing.inflate_what_is_there(whole[2 : min(size, len(whole) - 4)])
                self.check_cut(whole[:size], inflated, ZLIB, OFRECORD)

    def check_cut(self, data: bytes, inflated: bytes, compression: str, framing: str = TFRECORD) -> None:
        walk = records.WALK[framing](inflated)
        built = self.build(data, compression=compression)
        if not built:
            known = len(inflated) >= 12 if framing == TFRECORD else len(walk.records) > 0
            self.assertFalse(known, f"no index of {len(walk.records)} records")
            return
        end = len(framed(walk.payloads, framing))
        self.assertEqual(built["records"], len(walk.records))
        ((reason, begin, behind, file_begin, file_end),) = places(built)
        self.assertEqual((reason, begin, behind, file_end), (CUT, end, len(inflated), len(data)))
        self.assertLessEqual(file_begin, file_end)
        self.assertEqual(self.raw(), b"".join(walk.payloads))


@dataclass(frozen=True)
class Case:
    """A stream with all the records, and the position of its fault in the file."""

    name: str
    compression: str
    data: bytes
    reason: str
    file_begin: int
    file_end: int


def wrong_trailer(name: str, compression: str, trailer: bytes) -> Case:
    data = COMPRESS[compression](WHOLE)[: -len(trailer)] + trailer
    return Case(name, compression, data, BAD_CHECKSUM, len(data) - len(trailer), len(data))


def behind(name: str, compression: str, rest: bytes, reason: str) -> Case:
    data = COMPRESS[compression](WHOLE)
    return Case(f"{compression} and {name}", compression, data + rest, reason, len(data), len(data) + len(rest))


MEMBER = gzip_member(WHOLE)
CRC, ISIZE = struct.unpack("<II", gzip_trailer(WHOLE))
(ADLER,) = struct.unpack(">I", zlib_trailer(WHOLE))

STREAMS = [
    wrong_trailer("gzip: CRC32", GZIP, struct.pack("<II", CRC ^ 1, ISIZE)),
    wrong_trailer("gzip: ISIZE", GZIP, struct.pack("<II", CRC, ISIZE + 1)),
    wrong_trailer("gzip: ISIZE of zero", GZIP, struct.pack("<II", CRC, 0)),
    wrong_trailer("gzip: both", GZIP, bytes(8)),
    wrong_trailer("zlib: Adler32", ZLIB, struct.pack(">I", ADLER ^ 1)),
    wrong_trailer("zlib: Adler32 in the other byte order", ZLIB, struct.pack("<I", ADLER)),
    *(
        behind(name, compression, rest, TRAILING)
        for compression in COMPRESS
        for name, rest in {"a byte": b"x", "junk": b"junk " * 99, "a zero": b"\0", "zeros": bytes(512)}.items()
    ),
    behind("one byte of a header", GZIP, gzip_header()[:1], CUT),
    behind("half a header", GZIP, gzip_header()[:5], CUT),
    behind("half a name", GZIP, gzip_header(name=b"name")[:12], CUT),
    Case("gzip and a second header alone", GZIP, MEMBER + HEADER[GZIP], CUT, len(MEMBER) + 10, len(MEMBER) + 10),
    behind("a header of unknown flags", GZIP, b"\x1f\x8b\x08\xe0" + bytes(20), TRAILING),
    behind("a header of another method", GZIP, b"\x1f\x8b\x07" + bytes(20), TRAILING),
    behind("a zlib stream", GZIP, zlib_stream(WHOLE), TRAILING),
    behind("a second zlib stream", ZLIB, zlib_stream(WHOLE), SECOND),
    behind("an empty zlib stream", ZLIB, zlib_stream(b""), SECOND),
    behind("a gzip member", ZLIB, gzip_member(WHOLE), TRAILING),
    behind("a second stream", DEFLATE, compressing.deflate(WHOLE), TRAILING),
]


class StreamTest(DamagedTest):
    def test_every_record_of_a_damaged_stream_is_kept_and_the_damage_is_reported(self) -> None:
        for case in STREAMS:
            for mode in ((), ("--verify",)):
                with self.subTest(case.name, mode=mode):
                    built = self.build(case.data, *mode, compression=case.compression)
                    expected = [(case.reason, SIZE, SIZE, case.file_begin, case.file_end)]
                    self.assertEqual((built["records"], built["bad"], places(built)), (len(SOME), [], expected))
                    self.assertEqual(places(self.expect(0, "info", "data", "--json").json), expected)
                    self.assertEqual(places(self.expect(1, "verify", "data", "--json").json), expected)
                    self.assertEqual(self.raw(), b"".join(SOME))
                    done = self.expect(3, "convert", "data", "--to", "tfrecord", "-o", "out.tfrecord")
                    self.assertIn(case.reason, done.stderr)
                    self.assertEqual((self.dir / "out.tfrecord").read_bytes(), WHOLE)

    def test_a_wrong_checksum_of_one_member_is_reported_at_the_end_of_the_member(self) -> None:
        half = SIZE // 2
        first = gzip_member(WHOLE[:half])[:-8] + bytes(8)
        built = self.build(first + gzip_member(WHOLE[half:]))
        self.assertEqual(places(built), [(BAD_CHECKSUM, half, half, len(first) - 8, len(first))])
        self.assertEqual(self.raw(), b"".join(SOME))

    def test_several_gzip_members_are_not_damage(self) -> None:
        self.assertEqual(self.build(gzip_member(WHOLE) * 3, code=0)["records"], 3 * len(SOME))
        self.assertEqual(self.raw(), b"".join(SOME * 3))

    def test_blocks_that_do_not_inflate_end_the_shard(self) -> None:
        for compression, header in HEADER.items():
            sound = header + compressing.deflate(WHOLE, flush=zlib.Z_SYNC_FLUSH, every=SIZE)[:-2]  # no last block
            built = self.build(sound + b"\x07" * 50, compression=compression)  # a block of type 3, which does not exist
            self.assertEqual(built["records"], len(SOME))
            self.assertEqual(places(built), [(BAD_DEFLATE, SIZE, SIZE, len(sound), len(sound) + 50)], compression)
            self.assertEqual(self.raw(), b"".join(SOME))


def begins_with_a_record(case: damage_test.Case) -> bool:
    found = records.WALK[case.format](case.data).records
    return len(found) > 0 and found[0].offset == 0


class InsideTest(DamagedTest):
    """Damaged records in a sound compressed stream are handled as in a plain shard."""

    def test_damage_has_the_same_effect_in_plain_and_compressed_shards(self) -> None:
        for case in damage_test.CASES:
            if begins_with_a_record(case):
                self.check_case(case)

    def test_a_format_given_as_an_option_is_trusted_for_compressed_shards_too(self) -> None:
        for case in damage_test.CASES:
            if not begins_with_a_record(case):
                self.check_case(case)

    def check_case(self, case: damage_test.Case) -> None:
        for compression, compress in COMPRESS.items():
            with self.subTest(f"{compression}: {case.name}"):
                data = compress(case.data)
                options = ("--format", case.format, "--payload", "opaque", "--compression", compression, "--verify")
                built = self.build(data, *options, code=3 if case.damage or case.bad else 0)
                self.assertTrue(built, "there is no index")
                expected = [(damage.reason, damage.begin, damage.end) for damage in case.damage]
                self.assertEqual([found[:3] for found in places(built)], expected)
                self.assertEqual([bad["record"] for bad in built["bad"]], case.bad)
                self.assertEqual({bad["reason"] for bad in built["bad"]}, {"payload_crc"} if case.bad else set())
                for *_, file_begin, file_end in places(built):
                    self.assertTrue(0 <= file_begin < file_end <= len(data), built)

    def test_a_wrong_payload_checksum_is_found_by_a_verifying_build_and_by_verify(self) -> None:
        data = bytearray(WHOLE)
        data[SIZE - 5] ^= 1
        self.assertEqual(self.build(gzip_member(bytes(data)), code=0)["bad"], [])
        for bad in (
            self.expect(1, "verify", "data", "--json").json["bad"],
            self.build(gzip_member(bytes(data)), "--verify")["bad"],
        ):
            self.assertEqual([(found["record"], found["reason"]) for found in bad], [(len(SOME) - 1, "payload_crc")])
        self.expect_error(3, "get", "data", "-1", "--raw")


class FlipTest(DamagedTest):
    def test_a_flipped_bit_is_reported_or_changes_no_record(self) -> None:
        source = random.Random(7)
        for framing in (TFRECORD, OFRECORD):
            some = payloads(40, framing)
            for compression in COMPRESS if framing == TFRECORD else (GZIP, ZLIB):
                whole = COMPRESS[compression](framed(some, framing))
                for bit in source.sample(range(8 * len(whole)), 60):
                    data = bytearray(whole)
                    data[bit // 8] ^= 1 << bit % 8
                    with self.subTest(f"{framing}, {compression}: bit {bit}"):
                        self.check(bytes(data), framing, compression, some)

    def check(self, data: bytes, framing: str, compression: str, some: list[bytes]) -> None:
        for path in self.dir.iterdir():
            path.unlink()
        (self.dir / "data").write_bytes(data)
        done = self.run_command("build", "data", "--verify", "--json", *OPTIONS[compression])
        self.assertIn(done.code, (0, 3), done)
        if done.code == 0:
            self.assertEqual(self.raw(), b"".join(some))
        elif done.stdout:
            self.assertTrue(done.json["damage"] or done.json["bad"], done)
            bad = [found["record"] for found in done.json["bad"]]
            intact = "".join(f"{ordinal}\n" for ordinal in range(done.json["records"]) if ordinal not in bad)
            shown = self.expect(0, "cat", "data", "--to", "tfrecord", "--ids", "-", stdin=intact.encode()).stdout
            found = records.walk_tfrecord(shown).payloads
            self.assertEqual(len(found), done.json["records"] - len(bad))
            if framing == TFRECORD:
                self.assertEqual([one for one in found if one not in some], [])
            for ordinal in bad[:1]:
                self.expect_error(3, "get", "data", str(ordinal), "--raw")
