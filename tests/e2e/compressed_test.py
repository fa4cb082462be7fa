"""Compressed shards, indexed in place: every answer is the same as for the inflated file."""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any

from e2e.command import CommandTest
from e2e.compressing import COMPRESS, GZIP, OPTIONS, ZLIB, framed, gzip_member, many_bytes, many_payloads, zlib_stream
from e2e.samples import payloads
from oracle import records
from oracle.fixtures import Fixture, fixtures, needs_fixtures

TFRECORD, OFRECORD = records.TFRECORD, records.OFRECORD


class CompressedTest(CommandTest):
    def write(self, name: str, data: bytes) -> Path:
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def raw(self, data: str | Path, *options: str) -> bytes:
        return self.expect(0, "cat", data, "--to", "raw", *options).stdout

    def checkpoints(self, index: str) -> int:
        database = sqlite3.connect(f"file:{self.dir / index}?mode=ro&immutable=1", uri=True)
        self.addCleanup(database.close)
        return database.execute("SELECT count(*) FROM checkpoint").fetchone()[0]

    def answers(self, folder: str, name: str, count: int) -> dict[str, Any]:
        """The output of each verb for `name` in `folder`, without ids, file sizes and times."""
        some = [str(ordinal) for ordinal in (count - 1, 0, count // 2, count // 3, -1)]
        asked = [("get", name, *some, form) for form in ("--json", "--jsonl", "--raw", "--wire")]
        asked += [("cat", name, "--to", to) for to in ("raw", "tfrecord", "ofrecord", "jsonl")]
        asked += [("where", name, "_id % 3 = 1 AND _length > 0"), ("where", name, "_offset % 2 = 0", "--count")]
        asked += [("sql", name, f"SELECT * FROM {table}", "--jsonl") for table in ("records", "features", "bad")]
        asked += [("stats", name, "--json"), ("schema", name, "--json"), ("sample", name, "--seed", "7")]
        asked += [("verify", name, "--json"), ("verify", name)]
        at = self.dir / folder
        found: dict[str, Any] = {" ".join(args): self.shown(*args, cwd=at) for args in asked}
        for to in records.FRAME:
            shutil.rmtree(at / "out", ignore_errors=True)
            args = ("convert", name, "--to", to, "-o", "out", "--shards", "2", "--shuffle", "3")
            found[" ".join(args)] = self.shown(*args, cwd=at), *(file.read_bytes() for file in sorted(at.glob("out/*")))
        return found

    def shown(self, *args: str, **options: Any) -> tuple[int, bytes, str]:
        done = self.run_command(*args, **options)
        self.assertIn(done.code, (0, 2) if args[0] == "convert" else (0,), done)  # some payloads cannot be converted
        return done.code, re.sub(rb'"(id|index)":"[^"]*"|"seconds":[0-9.e-]+', b"", done.stdout), done.stderr

    def assert_alike(self, compressed: dict[str, Any], plain: dict[str, Any]) -> None:
        for asked, expected in plain.items():
            self.assert_same(compressed[asked], expected, asked)


@needs_fixtures
class FixturesTest(CompressedTest):
    def test_every_compressed_file_matches_its_manifest_and_the_oracle(self) -> None:
        tried = [fixture for fixture in fixtures() if fixture.compressed]
        self.assertEqual(len(tried), 9)
        for fixture in tried:
            with self.subTest(fixture.path.name):
                name = fixture.path.name
                shutil.copyfile(fixture.path, self.dir / name)
                self.check_totals(fixture)
                expected = fixture.walk().payloads
                self.assert_same(self.raw(name), b"".join(expected), "raw")
                for to, walk in records.WALK.items():
                    written = walk(self.expect(0, "cat", name, "--to", to).stdout)
                    self.assertEqual(written.damage, [], to)
                    self.assert_same(written.payloads, expected, to)
                self.assertIn("clean", self.expect(0, "verify", name).text)

    def check_totals(self, fixture: Fixture) -> None:
        size = fixture.path.stat().st_size
        expected = {"records": fixture.records, "payload_bytes": fixture.payload_bytes, "data_bytes": size}
        expected.update(bad=[], damage=[])
        built = self.expect(0, "build", fixture.path.name, "--json").json
        info = self.expect(0, "info", fixture.path.name, "--json").json
        for document in (built, info):
            self.assertEqual({key: document[key] for key in expected}, expected)
        (shard,) = info["shards"]
        promised = ("format", "compression", "payload", "records", "bytes", "payload_bytes")
        self.assertEqual(
            [shard[key] for key in promised],
            [fixture.format, "gzip", fixture.payload, fixture.records, size, fixture.payload_bytes],
        )

    def test_every_compressed_file_gives_the_same_answers_as_its_inflated_copy(self) -> None:
        for fixture in fixtures():
            if fixture.compressed and fixture.records < 1000:
                with self.subTest(fixture.path.name):
                    data = fixture.path.read_bytes()
                    self.write("plain/data", records.inflate(data))
                    self.write("compressed/data", data)
                    found = []
                    for folder in ("plain", "compressed"):
                        self.expect(0, "build", "data", "--force", cwd=self.dir / folder)
                        found.append(self.answers(folder, "data", fixture.records))
                    self.assert_alike(found[1], found[0])

    def test_the_plain_and_the_compressed_fixture_of_the_same_records_give_the_same_answers(self) -> None:
        twins = {fixture.path.name: fixture for fixture in fixtures() if fixture.path.name.startswith("test_features.")}
        found = []
        for name, fixture in sorted(twins.items()):
            shutil.copyfile(fixture.path, self.write(f"{name}.d/data", b""))
            self.expect(0, "build", "data", cwd=self.dir / f"{name}.d")
            found.append(self.answers(f"{name}.d", "data", fixture.records))
        self.assert_alike(*found)


class TwinsTest(CompressedTest):
    def test_shards_with_several_checkpoints_give_the_same_answers_as_plain_ones(self) -> None:
        for framing in (TFRECORD, OFRECORD):
            count = len(many_payloads(framing))
            self.write(f"{framing}/plain/data", many_bytes(framing))
            self.expect(0, "build", "data", "--verify", cwd=self.dir / framing / "plain")
            expected = self.answers(f"{framing}/plain", "data", count)
            for compression, compress in COMPRESS.items():
                with self.subTest(f"{framing}, {compression}"):
                    folder = f"{framing}/{compression}"
                    self.write(f"{folder}/data", compress(many_bytes(framing), level=1))
                    options = ("--verify", "--checkpoint-every", "1", *OPTIONS[compression])
                    self.expect(0, "build", "data", *options, cwd=self.dir / folder)
                    self.assertGreaterEqual(self.checkpoints(f"{folder}/data.ofidx"), 3)
                    self.assert_alike(self.answers(folder, "data", count), expected)

    def test_compressed_and_plain_shards_may_share_a_folder(self) -> None:
        parts = [payloads(30, first=first) for first in (0, 30, 60, 90)]
        makes = ("none", GZIP, ZLIB, "none")
        for number, (part, make) in enumerate(zip(parts, makes, strict=True)):
            self.write(f"plain/data/part-{number}", framed(part))
            self.write(f"mixed/data/part-{number}", COMPRESS.get(make, bytes)(framed(part)))
        for folder in ("mixed", "plain"):
            self.expect(0, "build", "data", cwd=self.dir / folder)
        self.assert_alike(self.answers("mixed", "data", 120), self.answers("plain", "data", 120))
        shards = self.expect(0, "info", "mixed/data", "--json").json["shards"]
        self.assertEqual([shard["compression"] for shard in shards], list(makes))


class SameBytesTest(CompressedTest):
    def test_any_number_of_threads_gives_the_same_index_and_map(self) -> None:
        self.write("data/part-0", gzip_member(many_bytes(), level=1))
        self.write("data/part-1", framed(payloads(300)))
        self.write("data/part-2", zlib_stream(framed(payloads(3000)) + b"torn"))
        self.write("data/part-3", gzip_member(many_bytes(), level=4)[:-100])
        self.write("data/part-4", b"")
        for mode in ((), ("--verify",), ("--checkpoint-every", "1")):
            found = []
            for threads in ("1", "4"):
                self.expect(3, "build", "data", "--force", "-j", threads, *mode)
                found.append([(self.dir / name).read_bytes() for name in ("data.ofidx", "data.ofidx-map")])
            self.assert_same(found[1], found[0], mode)


class ReadingTest(CompressedTest):
    """Every way of reading a compressed shard returns the same records."""

    def setUp(self) -> None:
        super().setUp()
        self.write("data", gzip_member(many_bytes(), level=1))
        self.expect(0, "build", "data", "--checkpoint-every", "1")

    def test_a_small_cache_and_pread_give_the_same_records(self) -> None:
        expected = many_payloads()
        ordinals = random.Random(2).sample(range(len(expected)), 300)
        listed = "".join(f"{ordinal}\n" for ordinal in ordinals).encode()
        for options in ((), ("--cache", "1"), ("--io", "pread"), ("--io", "mmap", "--cache", "1")):
            with self.subTest(options):
                self.assert_same(self.raw("data", *options), b"".join(expected), "cat")
                shown = self.expect(0, "cat", "data", "--to", "raw", "--ids", "-", *options, stdin=listed)
                self.assert_same(shown.stdout, b"".join(expected[n] for n in ordinals), "cat --ids")
                shown = self.expect(0, "get", "data", *map(str, ordinals), "--raw", *options)
                self.assert_same(shown.stdout, b"".join(expected[n] for n in ordinals), "get")

    def test_a_record_larger_than_the_cache_is_read_whole(self) -> None:
        large = [b"\x0a\x00", random.Random(3).randbytes(20 << 20), b"end"]
        self.write("large", gzip_member(framed(large, OFRECORD), level=1))
        self.expect(0, "build", "large", "--format", "ofrecord", "--payload", "opaque", "--verify")
        for ordinal in (2, 1, 0):
            shown = self.expect(0, "get", "large", str(ordinal), "--raw", "--cache", "1")
            self.assert_same(shown.stdout, large[ordinal], ordinal)
        self.expect(0, "verify", "large")

    def test_a_missing_or_foreign_map_is_rebuilt_with_its_checkpoints(self) -> None:
        self.write("other", gzip_member(framed(payloads(9))))
        self.expect(0, "build", "other")
        original = (self.dir / "data.ofidx-map").read_bytes()
        (self.dir / "data.ofidx-map").unlink()
        for _ in ("lost", "foreign"):
            shown = self.expect(0, "get", "data", "-1", "--raw")
            self.assertEqual((shown.stdout, shown.stderr), (many_payloads()[-1], ""))
            self.assert_same((self.dir / "data.ofidx-map").read_bytes(), original, "map")
            shutil.copyfile(self.dir / "other.ofidx-map", self.dir / "data.ofidx-map")

    def test_data_without_an_index_can_be_converted(self) -> None:
        self.write("new/data", gzip_member(framed(payloads(50))))
        self.expect(0, "convert", "new/data", "--to", "ofrecord", "-o", "new/out.ofrecord")
        self.assertEqual(self.names(self.dir / "new"), ["data", "out.ofrecord"])
        walk = records.walk_ofrecord((self.dir / "new" / "out.ofrecord").read_bytes())
        self.assertEqual((walk.payloads, walk.damage), (payloads(50, OFRECORD), []))


class ChangedTest(CompressedTest):
    """A shard that is no longer the indexed file is refused, or `verify` reports it."""

    def build(self, framing: str, compression: str) -> bytes:
        data = COMPRESS[compression](many_bytes(framing), level=1)
        self.write("data", data)
        self.expect(0, "build", "data", "--verify", "--force", *OPTIONS[compression])
        return data

    def test_a_shard_that_was_truncated_grew_or_was_replaced_is_refused(self) -> None:
        for compression in COMPRESS:
            data = self.build(TFRECORD, compression)
            plain = many_bytes()
            changes = {
                "cut": data[:-1],
                "cut in half": data[: len(data) // 2],
                "emptied": b"",
                "one byte more": data + b"\0",
                "one member more": data + gzip_member(framed(payloads(1))),
                "inflated": plain,
                "inflated, cut to the same size": plain[: len(data)],
                "compressed otherwise": COMPRESS[compression](plain, level=2),
                "its first byte": bytes([data[0] ^ 1]) + data[1:],
                "its last byte": data[:-1] + bytes([data[-1] ^ 1]),
            }
            for name, changed in changes.items():
                with self.subTest(f"{compression}: {name}"):
                    os.utime(self.write("data", changed), ns=(0, 10**18))
                    for args in (("get", "data", "0"), ("cat", "data", "--to", "raw"), ("build", "data")):
                        self.assertIn("data", self.expect_error(4, *args).stderr)
                    self.assertEqual(len(self.expect(1, "verify", "data", "--json").json["stale"]), 1)
            self.write("data", data)
            self.assert_same(self.raw("data"), b"".join(many_payloads()), "restored")
            (self.dir / "data").unlink()
            self.expect_error(4, "get", "data", "0")

    @staticmethod
    def beside_the_fingerprint(size: int, source: random.Random) -> int:
        """A random byte that the fingerprint of a file of `size` bytes does not cover (docs/index_format.md)."""
        pages = [(16384 + i * ((size - 32768) // 9)) // 4096 for i in range(1, 9)]
        while (at := source.randrange(16384, size - 16384)) // 4096 in pages:
            pass
        return at

    def test_a_change_in_place_outside_the_fingerprint_is_reported_by_verify(self) -> None:
        source = random.Random(4)
        for framing in (TFRECORD, OFRECORD):
            for compression in COMPRESS:
                data = self.build(framing, compression)
                times = (self.dir / "data").stat()
                for _ in range(12):
                    at = self.beside_the_fingerprint(len(data), source)
                    self.write("data", data[:at] + bytes([data[at] ^ 1 << source.randrange(8)]) + data[at + 1 :])
                    os.utime(self.dir / "data", ns=(times.st_atime_ns, times.st_mtime_ns))
                    with self.subTest(f"{framing}, {compression}: byte {at}"):
                        verified = self.expect(1, "verify", "data", "--json").json
                        self.assertTrue(verified["bad"] or verified["stale"], verified)
                        shown = self.run_command("cat", "data", "--to", "raw")
                        self.assertIn(shown.code, (0, 4), shown)
                        first = self.run_command("get", "data", "0", "--raw")
                        self.assertEqual((first.code, first.stdout), (0, many_payloads(framing)[0]), first)
