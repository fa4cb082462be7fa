"""`build --derive`: the same columns however an index came to be, and what the command says about them."""

from __future__ import annotations

import gzip
import os
import struct
from pathlib import Path

from e2e.command import CommandTest
from oracle import messages, records
from oracle.fixtures import FIXTURES, needs_fixtures

DERIVE = ("--derive", "image:image", "--derive", "image:hash", "--derive", "image:length")
COLUMNS = ("width", "height", "channels", "format", "length")
QUERY = "SELECT " + ", ".join(f'"image#{name}"' for name in COLUMNS) + " FROM records ORDER BY _id"


def gif(width: int, height: int, tail: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + bytes(tail)


def image_of(number: int) -> list[bytes]:
    """The values of feature `image` in record `number`: usually one, of any size; some are cut off."""
    image = gif(1 + number % 50, 1 + number % 7, (number * 37) % 300)
    if number % 10 == 3:
        image = image[: number % 11]
    if number % 97 == 5:
        image += bytes(100_000)  # read in pages
    return {4: [], 8: [image, b"another"]}.get(number % 20, [image])


def facts_of(number: int) -> tuple[int | str | None, ...]:
    """What the columns of record `number` have, in the order of COLUMNS."""
    values = image_of(number)
    image = values[0] if values else b""
    known = image[:6] == b"GIF89a"
    width = struct.unpack("<H", image[6:8])[0] if known and len(image) >= 8 else None
    height = struct.unpack("<H", image[8:10])[0] if known and len(image) >= 10 else None
    length = sum(len(value) for value in values) if values else None
    # A side of 0 is one that is not known.
    return (width or None, height or None, 3 if known else None, "gif" if known else None, length)


def payload(number: int) -> bytes:
    return messages.encode("example", {"image": ("bytes", image_of(number)), "label": ("int64", [number % 5])})


class DeriveTest(CommandTest):
    COUNTS = (400, 3, 150)

    def setUp(self) -> None:
        super().setUp()
        (self.dir / "data").mkdir()
        number = 0
        for part, count in enumerate(self.COUNTS):
            records.write_tfrecord(self.part(part), [payload(n) for n in range(number, number + count)])
            number += count
        self.records = number

    def part(self, number: int) -> Path:
        return self.dir / "data" / f"part-{number}"

    def check_values(self, index: str = "data") -> None:
        rows = self.expect(0, "sql", index, QUERY, "--json").json["rows"]
        found = [tuple(row[f"image#{name}"] for name in COLUMNS) for row in rows]
        self.assert_same(found, [facts_of(number) for number in range(self.records)], index)

    def test_threads_parts_and_merges_make_the_bytes_of_one_build(self) -> None:
        self.expect(0, "build", "data", *DERIVE, "-j", "1")
        self.check_values()
        before = self.bytes_of("data.ofidx")
        self.expect(0, "build", "data", *DERIVE, "-j", "4", "--force")
        self.assertEqual(self.bytes_of("data.ofidx"), before)
        for part in (1, 2, 3):
            self.expect(0, "build", "data", "--part", f"{part}/3", *DERIVE)
        parts = [f"data.part-{part}-of-3.ofidx" for part in (2, 3, 1)]
        self.expect(0, "merge", *parts, "-o", "merged.ofidx")
        self.assertEqual(self.bytes_of("merged.ofidx"), before)

    def test_a_killed_build_is_resumed_to_the_bytes_of_one_build(self) -> None:
        environment = {**os.environ, "OFINDEX_SAVE_AFTER_MS": "0"}
        self.expect(0, "build", "data", *DERIVE)
        before = (self.dir / "data.ofidx").read_bytes()
        draft = self.dir / ".data.ofidx.saved.ofindex-draft"
        for _ in range(20):
            for name in ("data.ofidx", "data.ofidx-map"):
                (self.dir / name).unlink(missing_ok=True)
            process = self.start("build", "data", *DERIVE, env=environment)
            while process.poll() is None and not (draft.exists() and draft.stat().st_size > 1000):
                pass
            process.kill()
            process.wait()
            process.communicate()
            self.expect(0, "build", "data", *DERIVE, env=environment)
            self.assertEqual((self.dir / "data.ofidx").read_bytes(), before)
            self.assertFalse(draft.exists())

    def test_an_update_keeps_what_was_derived_and_derives_it_from_new_shards(self) -> None:
        extra = self.part(3)
        records.write_tfrecord(extra, [payload(number) for number in range(self.records, self.records + 70)])
        moved = extra.rename(self.dir / "later")
        self.expect(0, "build", "data", *DERIVE)
        moved.rename(extra)
        self.records += 70
        updated = self.expect(0, "update", "data", "--json").json
        self.assertEqual((updated["new_records"], updated["columns_added"]), (70, []))
        self.check_values()
        self.part(1).unlink()
        self.expect(0, "update", "data")
        self.expect(0, "update", "data", "--prune")
        schema = self.expect(0, "schema", "data", "--json").json
        self.assertEqual(schema["derive"], [argument for argument in DERIVE if ":" in argument])
        gone = range(self.COUNTS[0], self.COUNTS[0] + self.COUNTS[1])
        rows = self.expect(0, "sql", "data", QUERY, "--json").json["rows"]
        expected = [facts_of(number) for number in range(self.records) if number not in gone]
        self.assert_same([tuple(row[f"image#{name}"] for name in COLUMNS) for row in rows], expected, "pruned")

    def test_whole_indexes_merge_if_they_derive_the_same(self) -> None:
        for part in range(3):
            self.expect(0, "build", self.part(part), "-o", f"{part}.ofidx", *DERIVE)
        self.expect(0, "merge", "1.ofidx", "0.ofidx", "2.ofidx", "-o", "merged.ofidx")
        self.check_values("merged.ofidx")
        self.expect(0, "build", self.part(1), "-o", "1.ofidx", "--derive", "image:hash", "--force")
        error = self.expect_error(2, "merge", "0.ofidx", "1.ofidx", "-o", "other.ofidx").stderr
        self.assertIn("derive 'image:image,image:hash,image:length' and 'image:hash'", error)

    def test_compressed_shards_and_other_modes_of_columns_derive_the_same(self) -> None:
        self.expect(0, "build", "data", "--columns", "none", *DERIVE)
        self.check_values()
        self.expect(0, "build", "data", "--columns", "label", *DERIVE)
        self.check_values()
        for part in range(3):
            self.part(part).write_bytes(gzip.compress(self.part(part).read_bytes()))
        self.expect(0, "build", "data", "--verify", "--force", *DERIVE)
        self.check_values()

    def test_notes_and_errors_name_the_columns(self) -> None:
        self.expect(0, "build", "data", "--derive", "image:length", "--derive", "image:hash")
        self.assertTrue(self.expect(0, "build", "data", "--json").json["records"])
        self.expect(0, "sql", "data", 'SELECT "image#length" FROM records')  # left alone: nothing else was asked for
        again = self.expect(0, "build", "data", "--force").stderr
        self.assertIn("no longer stored: image#hash, image#length; to keep them, build with", again)
        self.assertIn(" --derive image:hash --derive image:length", again)
        for derive, what in (
            ("label:hash", "no record has bytes in 'label', whose values are int64"),
            ("imag:hash", "no record has bytes in 'imag' (did you mean 'image'?)"),
            ("image", "'image'; expected NAME:image, NAME:hash or NAME:length"),
            ("image:size", "'image:size'; expected NAME:image, NAME:hash or NAME:length"),
        ):
            self.assertIn(what, self.expect_error(2, "build", "data", "--derive", derive).stderr)
        note = self.expect(0, "build", "data", "--derive", "label:hash", "--columns-optional").stderr
        self.assertIn("derive: no record has bytes in 'label'", note)

    def test_a_feature_with_the_name_of_a_derived_column_gets_another_name(self) -> None:
        twins = {"image": ("bytes", [gif(7, 8, 0)]), "image#width": ("int64", [99])}
        records.write_tfrecord(self.dir / "twins", [messages.encode("example", twins)])
        self.expect(0, "build", "twins", "--derive", "image:image")
        query = 'SELECT "image#width" AS derived, "image#width_2" AS stored FROM records'
        self.assertEqual(self.expect(0, "sql", "twins", query, "--json").json["rows"], [{"derived": 7, "stored": 99}])


@needs_fixtures
class RealImagesTest(CommandTest):
    def test_real_images_have_the_size_that_their_records_say(self) -> None:
        shard = FIXTURES / "real" / "ssd-dummy" / "dummy.tfrecord"
        derive = ("--derive", "image/encoded:image", "--derive", "image/encoded:length")
        self.expect(0, "build", shard, "-o", "real.ofidx", "--columns", "auto,image/shape", *derive)
        query = """SELECT count(*) AS n FROM records WHERE "image/encoded#height" = json_extract("image/shape", '$[0]')
                   AND "image/encoded#width" = json_extract("image/shape", '$[1]') AND "image/encoded#channels" = 3
                   AND "image/encoded#length" = "image/encoded#bytes" AND "image/encoded#format" = 'jpeg'"""
        self.assertEqual(self.expect(0, "sql", "real.ofidx", query, "--json").json["rows"], [{"n": 128}])
