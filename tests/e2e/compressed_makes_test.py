"""Compressed shards of every variant: whichever program wrote the stream, all its records are found."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator

from e2e.command import CommandTest
from e2e.compressing import COMPRESS, DEFLATE, GZIP, OPTIONS, ZLIB, framed, gzip_header, gzip_member
from e2e.samples import KINDS, payload, payloads
from oracle import messages, records

TFRECORD, OFRECORD = records.TFRECORD, records.OFRECORD
COUNT = 300

STRATEGIES = {"filtered": zlib.Z_FILTERED, "Huffman": zlib.Z_HUFFMAN_ONLY, "runs": zlib.Z_RLE, "fixed": zlib.Z_FIXED}
FLUSHES = {"partial": zlib.Z_PARTIAL_FLUSH, "sync": zlib.Z_SYNC_FLUSH, "full": zlib.Z_FULL_FLUSH, "block": zlib.Z_BLOCK}
HEADERS = {
    "name": gzip_header(name=b"data.tfrecord"),
    "empty name": gzip_header(name=b""),
    "comment": gzip_header(comment=b"no comment"),
    "extra": gzip_header(extra=b"BC\x02\x00\xff\x00"),
    "no extra": gzip_header(extra=b""),
    "most extra": gzip_header(extra=bytes(range(256)) * 255 + bytes(255)),
    "CRC16": gzip_header(checked=True),
    "all": gzip_header(extra=b"AB\x01\x00x", name=b"n\xe4me", comment=b"two\nlines", checked=True),
}
EMPTY = gzip_member(b"")


def cuts(data: bytes, every: int) -> list[bytes]:
    return [data[at : at + every] for at in range(0, len(data), every)]


def members_of(framing: str) -> Iterator[tuple[str, bytes]]:
    """gzip files with many members, which need not end where records end."""
    frames = [records.FRAME[framing](one) for one in payloads(COUNT, framing)]
    whole = b"".join(frames)
    for name, parts in {
        "a member for each record": frames,
        "a member for 100 records": [b"".join(frames[at : at + 100]) for at in range(0, COUNT, 100)],
        "a member for 37 bytes": cuts(whole, 37),
        "200 members of one byte, and one of the rest": [*cuts(whole[:200], 1), whole[200:]],
    }.items():
        members = [gzip_member(part, level=number % 10) for number, part in enumerate(parts)]
        yield name, b"".join(members)
        yield f"{name}, empty ones between", EMPTY + (EMPTY * 2).join(members) + EMPTY
    for name, header in HEADERS.items():
        yield f"header with {name}", b"".join(gzip_member(part, header) for part in (whole[:1000], whole[1000:]))


def makes_of(framing: str) -> Iterator[tuple[str, str, bytes]]:
    """Streams that inflate to the same records. For each: its name, its compression and its bytes."""
    whole = framed(payloads(COUNT, framing), framing)
    for compression, compress in COMPRESS.items():
        for level in range(10):
            yield f"level {level}", compression, compress(whole, level=level)
        for name, strategy in STRATEGIES.items():
            yield f"strategy {name}", compression, compress(whole, strategy=strategy)
        for name, flush in FLUSHES.items():
            yield f"flush {name}", compression, compress(whole, flush=flush)
        yield "flush behind each byte", compression, compress(whole, flush=zlib.Z_SYNC_FLUSH, every=1)
        yield "blocks of every kind", compression, compress(whole, level=0, flush=zlib.Z_FULL_FLUSH, every=7)
    for window in range(9, 16):
        stream = zlib.compressobj(6, zlib.DEFLATED, window)
        yield f"window of 2^{window}", ZLIB, stream.compress(whole) + stream.flush()
    for name, members in members_of(framing):
        yield name, GZIP, members


def large_makes_of(whole: bytes) -> dict[str, tuple[str, bytes]]:
    """Streams with several checkpoints each."""
    members = cuts(whole, 100_001)
    zlibs: dict[str, dict[str, int]] = {
        **{f"level {level}": {"level": level} for level in (0, 1, 9)},
        **{f"strategy {name}": {"level": 1, "strategy": strategy} for name, strategy in STRATEGIES.items()},
        **{f"flush {name}": {"level": 1, "flush": flush, "every": 9999} for name, flush in FLUSHES.items()},
        "small blocks": {"level": 1, "memory": 1},
        "stored between": {"level": 0, "flush": zlib.Z_PARTIAL_FLUSH, "every": 9999},
    }
    return {
        **{name: (ZLIB, COMPRESS[ZLIB](whole, **how)) for name, how in zlibs.items()},
        "bare": (DEFLATE, COMPRESS[DEFLATE](whole, level=1)),
        "members": (GZIP, b"".join(gzip_member(part, level=1) for part in members)),
        "members and empty ones": (GZIP, (EMPTY * 100).join(gzip_member(part, level=1) for part in members)),
        "members with headers": (GZIP, b"".join(gzip_member(part, HEADERS["all"], level=1) for part in members)),
        "members of 997 bytes": (GZIP, b"".join(gzip_member(part, level=1) for part in cuts(whole, 997))),
    }


class MakesTest(CommandTest):
    def test_every_variant_gives_the_original_records(self) -> None:
        for framing in (TFRECORD, OFRECORD):
            expected = payloads(COUNT, framing)
            for name, compression, data in makes_of(framing):
                with self.subTest(f"{framing}, {compression}: {name}"):
                    self.check(framing, compression, data, expected)

    def check(self, framing: str, compression: str, data: bytes, expected: list[bytes]) -> None:
        (self.dir / "data").write_bytes(data)
        self.expect(0, "build", "data", "--force", "--verify", *OPTIONS[compression])
        info = self.expect(0, "info", "data", "--json").json
        (shard,) = info["shards"]
        self.assertEqual((info["damage"], info["bad"]), ([], []))
        found = [shard[key] for key in ("format", "compression", "records", "bytes")]
        self.assertEqual(found, [framing, compression, len(expected), len(data)])
        self.assert_same(self.expect(0, "cat", "data", "--to", "raw").stdout, b"".join(expected), "cat")

    def test_large_variants_can_be_read_from_any_checkpoint(self) -> None:
        source = random.Random(5)
        expected: list[bytes] = []
        for number in range(3000):
            far = number % 4 == 0 and number >= 13  # matches at distances up to nearly the whole window
            expected.append(expected[-13] if far else source.randbytes(1000).hex().encode() + bytes(500))
        asked = source.sample(range(len(expected)), 40)
        for name, (compression, data) in large_makes_of(framed(expected, OFRECORD)).items():
            with self.subTest(name):
                (self.dir / "data").write_bytes(data)
                options = ("--format", "ofrecord", "--payload", "opaque", "--checkpoint-every", "1", "--force")
                self.expect(0, "build", "data", *options, "--compression", compression)
                self.assert_same(self.expect(0, "cat", "data", "--to", "raw").stdout, b"".join(expected), "cat")
                shown = self.expect(0, "get", "data", *map(str, asked), "--raw", "--cache", "1").stdout
                self.assert_same(shown, b"".join(expected[ordinal] for ordinal in asked), "get")


class DetectionTest(CommandTest):
    """The format of a compressed shard is detected as in its inflated copy."""

    def test_an_empty_stream_is_an_empty_shard(self) -> None:
        for compression, compress in COMPRESS.items():
            for count in (1, 3) if compression == GZIP else (1,):
                with self.subTest(f"{compression}: {count}"):
                    (self.dir / "data").write_bytes(compress(b"") * count)
                    built = self.expect(0, "build", "data", "--force", "--json", *OPTIONS[compression]).json
                    self.assertEqual((built["records"], built["damage"]), (0, []))
                    self.assertEqual(self.expect(0, "cat", "data", "--to", "raw").stdout, b"")

    def test_a_bare_deflate_stream_is_detected_only_on_request(self) -> None:
        (self.dir / "data").write_bytes(COMPRESS[DEFLATE](framed(payloads(20))))
        self.assertIn("data", self.expect_error(3, "build", "data").stderr)
        for wrong in (GZIP, ZLIB, "none"):
            self.assertIn("data", self.expect_error(3, "build", "data", "--compression", wrong).stderr)
        self.assertEqual(self.names(), ["data"])
        self.expect(0, "build", "data", "--compression", "deflate")

    def test_a_compressed_file_without_records_is_refused_with_its_name(self) -> None:
        for compression, compress in COMPRESS.items():
            (self.dir / "text").write_bytes(compress(b"not a record at all\n" * 99))
            self.assertIn("text", self.expect_error(3, "build", "text", *OPTIONS[compression]).stderr)
        self.assertEqual(self.names(), ["text"])

    def test_a_format_given_as_an_option_is_trusted_as_for_a_plain_shard(self) -> None:
        for framing in (TFRECORD, OFRECORD):
            whole = framed(payloads(20, framing), framing)
            (self.dir / "plain").write_bytes(whole)
            (self.dir / "gz").write_bytes(gzip_member(whole))
            for asked in (TFRECORD, OFRECORD):
                with self.subTest(f"{framing}, read as {asked}"):
                    found = {}
                    for name in ("plain", "gz"):
                        self.expect(0 if asked == framing else 3, "build", name, "--format", asked, "--force")
                        info = self.expect(0, "info", name, "--json").json
                        damage = [[one[key] for key in ("reason", "begin", "end")] for one in info["damage"]]
                        found[name] = (info["shards"][0]["format"], info["records"], damage)
                    self.assertEqual(found["gz"], found["plain"])

    def test_a_large_first_record_does_not_prevent_detection(self) -> None:
        for framing, mebibytes in ((TFRECORD, 2), (OFRECORD, 2), (OFRECORD, 9)):
            self.check_first_record(framing, mebibytes)

    def test_a_first_record_too_large_to_be_sampled_needs_the_payload_option(self) -> None:
        first = messages.encode("example", {"image": ("bytes", [bytes(17 << 20)]), "label": ("int64", [1])})
        (self.dir / "gz").write_bytes(gzip_member(framed([first, payload(1)]), level=1))
        for options, kind in (((), "opaque"), (("--payload", "example"), "example")):
            self.expect(0, "build", "gz", "--force", "--max-ratio", "2000", *options)
            (shard,) = self.expect(0, "info", "gz", "--json").json["shards"]
            self.assertEqual((shard["payload"], shard["records"]), (kind, 2))

    def test_a_compressed_shard_cannot_be_exported_as_a_text_index(self) -> None:
        (self.dir / "gz").write_bytes(gzip_member(framed(payloads(3))))
        self.expect(0, "build", "gz")
        self.assertIn("compressed", self.expect_error(2, "export", "gz", "--to", "tfrecord2idx", "-o", "i").stderr)

    def check_first_record(self, framing: str, mebibytes: int) -> None:
        """The format of a gzip file whose first record has this many MiB is detected as in its inflated copy."""
        noise = random.Random(6).randbytes(mebibytes << 20)
        first = messages.encode(KINDS[framing], {"image": ("bytes", [noise]), "label": ("int64", [1])})
        whole = framed([first, payload(1, framing)], framing)
        (self.dir / "plain").write_bytes(whole)
        (self.dir / "gz").write_bytes(gzip_member(whole, level=1))
        for options in ((), ("--format", framing)):
            with self.subTest(f"{framing} of {mebibytes} MiB, {options}"):
                found = {}
                for name in ("plain", "gz"):
                    self.expect(0, "build", name, "--force", *options)
                    (shard,) = self.expect(0, "info", name, "--json").json["shards"]
                    found[name] = [shard[key] for key in ("format", "payload", "records", "payload_bytes")]
                self.assertEqual(found["gz"], found["plain"])
