"""`ofindex audit`: groups of equal records, conflicts and leaks, compared with a dict over the payloads."""

from __future__ import annotations

import collections
import csv
import gzip
import math
import os
import random
import signal
import struct
import time
import unittest
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from e2e.command import CommandTest
from e2e.samples import KINDS
from oracle import messages, records

Place = tuple[int, int]  # the number of an index, and an ordinal


def equal(contents: Iterable[tuple[Place, bytes | None]]) -> list[list[Place]]:
    """The places with the same content, in groups of two and more; None is equal to nothing."""
    places: dict[bytes, list[Place]] = collections.defaultdict(list)
    for place, content in contents:
        if content is not None:
            places[content].append(place)
    return sorted(group for group in places.values() if len(group) > 1)


def groups_of(document: Any) -> list[list[Place]]:
    return sorted([(record["index"], record["_id"]) for record in group["records"]] for group in document["groups"])


def scene(seed: int, width: int, height: int) -> bytes:
    """A gray PNG of soft random shapes, the same in every size; seed 0 is a plain one."""
    rng = random.Random(seed)
    waves = [(rng.randrange(12), rng.randrange(12), rng.uniform(0, 6), rng.uniform(3, 9)) for _ in range(40)]

    def level(x: float, y: float) -> int:
        light = sum(a * math.cos(math.pi * (h * x + v * y) + phase) for h, v, phase, a in waves) if seed else 0
        return max(0, min(255, round(128 + light)))

    rows = (bytes(level((x + 0.5) / width, (y + 0.5) / height) for x in range(width)) for y in range(height))
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    chunks = ((b"IHDR", struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0)), (b"IDAT", pixels), (b"IEND", b""))
    packed = (struct.pack(">I", len(c)) + name + c + struct.pack(">I", zlib.crc32(name + c)) for name, c in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


class AuditTest(CommandTest):
    def write(
        self, name: str, rows: Sequence[dict[str, Any]], framing: str = records.TFRECORD, *build: str
    ) -> list[bytes]:
        """Writes shards of `rows`, whose values are bytes, None or numbers, and builds their index."""
        payloads = []
        for row in rows:
            features = {
                key: ("bytes", [value]) if isinstance(value, bytes) else ("int64", [value])
                for key, value in row.items()
                if value is not None
            }
            payloads.append(messages.encode(KINDS[framing], features))
        (self.dir / name).mkdir()
        half = len(payloads) // 2
        records.WRITE[framing](self.dir / name / "part-0", payloads[:half])
        records.WRITE[framing](self.dir / name / "part-1", payloads[half:])
        self.expect(0, "build", name, "-q", *build)
        return payloads

    def audit(self, *args: str) -> Any:
        return self.expect(0, "audit", *args, "--json").json

    def test_groups_are_those_of_a_dict_over_the_payloads(self) -> None:
        rng = random.Random(1)
        rows = [{"image": bytes(rng.randrange(256) for _ in range(rng.randrange(40))), "n": n} for n in range(400)]
        planted = [dict(rng.choice(rows)) for _ in range(40)]
        payloads = self.write("data", [*rows, *planted], records.TFRECORD, "--verify")
        found = self.audit("data")
        self.assertEqual(groups_of(found), equal(((0, n), payload) for n, payload in enumerate(payloads)))
        self.assertEqual((found["schema"], found["on"], found["trusted"]), ("ofindex.audit/1", None, False))
        [index] = found["indexes"]
        self.assertEqual((index["records"], index["read"], index["repeats"]), (440, 0, 440 - len(set(payloads))))
        self.expect(0, "build", "data", "-q", "--force", "--columns", "none")  # without hashes
        again = self.audit("data", "-j", "1")
        self.assertEqual((groups_of(again), again["indexes"][0]["read"]), (groups_of(found), 440))
        lines = self.expect(0, "audit", "data", "--jsonl").jsonl
        self.assertEqual(groups_of({"groups": lines}), groups_of(found))
        self.assertEqual(len(self.audit("data", "--top", "1")["groups"]), 1)
        self.assertIn("smaller group", self.expect(0, "audit", "data", "--top", "1").text)

    def test_the_same_feature_is_found_in_other_formats_labels_and_parts(self) -> None:
        rows = [
            {"name": b"name %d" % (n % 30), "label": n % 4, "part": b"val" if n == 31 else b"train"} for n in range(50)
        ]
        rows += [{"name": None, "label": 1, "part": None}] * 3
        self.write("a", rows)
        others = [{"name": b"name %d" % n, "label": 9, "part": b"train"} for n in range(25, 35)]
        self.write("b", others, records.OFRECORD, "--derive", "name:hash")
        names = [((0, n), row["name"]) for n, row in enumerate(rows)] + [
            ((1, n), row["name"]) for n, row in enumerate(others)
        ]
        found = self.audit("a", "b", "--on", "name", "--label", "label", "--split", "part")
        self.assertEqual(groups_of(found), equal(names))
        self.assertEqual([(each["without"], each["read"]) for each in found["indexes"]], [(3, 53), (0, 0)])
        labels = {(0, n): row["label"] for n, row in enumerate(rows)} | {(1, n): 9 for n in range(10)}
        for group in found["groups"]:
            places = [(record["index"], record["_id"]) for record in group["records"]]
            self.assertEqual([record["label"] for record in group["records"]], [labels[place] for place in places])
            self.assertEqual(group["conflict"], len({labels[place] for place in places}) > 1)
            parts = {(place[0], b"val" if place == (0, 31) else b"train") for place in places}
            self.assertEqual(group["leak"], len(parts) > 1)
        self.assertEqual(found["leak_count"], 6)  # names 25 to 29 are in both, and 1 is in two parts
        text = self.expect(0, "audit", "a", "b", "--on", "name").text
        self.assertIn("[2] b.ofidx: 10 records, hashes from the index", text)

    def test_the_table_gives_columns_to_drop_and_to_weigh_by(self) -> None:
        rows = [{"name": name} for name in (b"a", b"b", b"a", b"c", b"a", None)]
        self.write("train", rows)
        self.write("val", [{"name": b"b"}, {"name": b"d"}])
        self.expect(0, "audit", "train", "val", "--on", "name", "-o", "train.csv", "-o", "val.csv", "-q")
        with (self.dir / "train.csv").open() as file:
            table = list(csv.DictReader(file))
        self.assertEqual([row["duplicates"] for row in table], ["3", "1", "3", "1", "3", "1"])
        self.assertEqual([row["first"] for row in table], ["1", "1", "0", "1", "0", "1"])
        self.assertEqual([row["leaks"] for row in table], ["0", "1", "0", "0", "0", "0"])
        self.assertEqual(sum(float(row["weight"]) for row in table), 4)
        self.assertIn("already exists", self.expect_error(2, "audit", "train", "-o", "train.csv").stderr)
        self.expect(0, "audit", "train", "--on", "name", "-o", "other.csv", "--label", "name", "-q")
        self.assertIn("conflict", (self.dir / "other.csv").read_text().splitlines()[0])
        for name in ("train", "val"):
            self.expect(0, "attach", name, f"{name}.csv", "--key", "_id", "--as", "audit_")
        kept = self.expect(0, "where", "train", "audit_first AND audit_leaks = 0").text.split()
        self.assertEqual(kept, ["0", "3", "5"])
        drawn = self.expect(0, "sample", "train", "--where", "audit_first", "--seed", "1").text.split()
        self.assertEqual(sorted(drawn), ["0", "1", "3", "5"])
        self.expect(0, "sample", "train", "--weights", "audit_weight", "--seed", "1")

    def test_outputs_never_replace_an_input_or_each_other(self) -> None:
        self.write("data", [{"name": b"a"}] * 4)
        before = (self.dir / "data" / "part-0").read_bytes()
        self.expect_error(2, "audit", "data", "-o", "data/part-0", "--force")
        self.expect_error(2, "audit", "data", "-o", "data.ofidx", "--force")
        self.assertEqual((self.dir / "data" / "part-0").read_bytes(), before)
        self.expect_error(2, "audit", "data", "-o", "a.csv", "-o", "b.csv")
        self.write("more", [{"name": b"a"}] * 4)
        self.assertNotEqual(self.run_command("audit", "data", "more", "-o", "a.csv", "-o", "a.csv").code, 0)
        self.assertEqual([path.name for path in self.dir.glob("*.csv*")], [])

    def test_hashes_that_lie_make_no_duplicates(self) -> None:
        """The bytes of a record are changed in a way that no fingerprint notices, so that its stored hash is wrong."""
        rows = [{"name": b"%04d" % (n % 50) + b"x" * 3000} for n in range(100)]
        self.write("data", rows, records.OFRECORD, "--verify")
        self.assertEqual(self.audit("data")["group_count"], 50)
        shard = self.dir / "data" / "part-1"
        stat, content = shard.stat(), bytearray(shard.read_bytes())
        at = content.index(b"0030x")
        content[at : at + 4] = b"9999"
        with shard.open("r+b") as file:
            file.write(content)
        os.utime(shard, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        found = self.audit("data")
        self.assertEqual((found["group_count"], found["collision_count"]), (49, 1))
        self.assertEqual(self.audit("data", "--trust-hashes")["group_count"], 50)

    def test_bad_records_are_left_out_and_changed_shards_refused(self) -> None:
        payloads = self.write("data", [{"name": b"name %d" % (n % 5)} for n in range(20)])
        shard = self.dir / "data" / "part-1"
        content = bytearray(shard.read_bytes())
        content[-5] ^= 1  # in the payload of the last record, or in its checksum
        shard.write_bytes(content)
        self.expect(3, "build", "data", "-q", "--force", "--verify")
        found = self.audit("data")
        self.assertEqual((found["indexes"][0]["bad"], found["indexes"][0]["compared"]), (1, 19))
        self.assertEqual(groups_of(found), equal(((0, n), payload) for n, payload in enumerate(payloads[:-1])))
        shard.write_bytes(content[: len(content) // 2])
        self.assertIn("update", self.expect_error(4, "audit", "data").stderr)
        self.assertIn("update", self.expect_error(4, "audit", "data", "--on", "name").stderr)
        self.assertEqual(self.audit("data", "--trust-hashes")["group_count"], found["group_count"])
        shard.unlink()
        self.expect_error(4, "audit", "data")
        self.expect(0, "audit", "data", "--trust-hashes")

    def test_names_that_do_not_exist_are_told_with_the_nearest(self) -> None:
        self.write("data", [{"name": b"a", "label": 1}] * 4)
        self.write("other", [{"title": b"a"}] * 4)
        self.assertIn("did you mean 'name'?", self.expect_error(2, "audit", "data", "--on", "nam").stderr)
        self.assertIn("byte strings", self.expect_error(2, "audit", "data", "--on", "label").stderr)
        self.assertIn("did you mean 'label'?", self.expect_error(2, "audit", "data", "--label", "lable").stderr)
        self.assertIn("other.ofidx", self.expect_error(2, "audit", "data", "other", "--on", "name").stderr)
        self.assertIn("given twice", self.expect_error(2, "audit", "data", "data.ofidx").stderr)
        self.assertIn("--attach", self.expect_error(2, "audit", "data", "other", "--attach", "x").stderr)
        self.assertIn("--root", self.expect_error(2, "audit", "data", "other", "--root", ".").stderr)
        self.expect_error(4, "audit", "data", "nothing")

    def test_like_images_are_found_in_other_sizes_and_what_cannot_be_compared_is_told(self) -> None:
        rows = [{"image": scene(seed, 64, 48), "label": seed} for seed in range(1, 6)]
        rows += [{"image": scene(2, 80, 60), "label": 2}, {"image": scene(3, 40, 40), "label": 9}]
        rows += [{"image": scene(0, 50, 50), "label": 0}, {"image": b"GIF89a", "label": 0}, {"label": 0}]
        rows.append({"image": scene(1, 30, 30)[:-40], "label": 0})
        self.write("data", rows)
        self.write("val", [{"image": scene(5, 90, 70), "label": 5}, {"image": scene(8, 64, 48), "label": 8}])
        found = self.audit("data", "val", "--on", "image", "--near", "--label", "label", "-o", "a.csv", "-o", "b.csv")
        self.assertEqual(groups_of(found), [[(0, 1), (0, 5)], [(0, 2), (0, 6)], [(0, 4), (1, 0)]])
        self.assertEqual((found["near"], found["conflict_count"], found["leak_count"]), (20, 1, 1))
        distances = [record["distance"] for group in found["groups"] for record in group["records"]]
        self.assertTrue(all(0 <= distance <= 20 for distance in distances), distances)
        index = found["indexes"][0]
        counts = [index[name] for name in ("records", "compared", "undecodable", "plain", "without", "read")]
        self.assertEqual(counts, [11, 10, 2, 1, 1, 11])
        self.assertEqual(index["first_undecodable"], 8)
        self.assertRegex(index["cause"], "a GIF image; expected")
        other = found["indexes"][1]
        self.assertEqual((other["undecodable"], other["first_undecodable"], other["cause"]), (0, None, None))
        rows_of_table = list(csv.DictReader((self.dir / "a.csv").open()))
        self.assertEqual([row["_id"] for row in rows_of_table if row["distance"]], ["1", "2", "4", "5", "6"])
        self.assertEqual([row["_id"] for row in rows_of_table if row["first"] == "0"], ["5", "6"])
        self.expect(0, "attach", "data", "a.csv", "--key", "_id")
        self.assertEqual(self.expect(0, "where", "data", "distance IS NULL", "--count").text.strip(), "6")
        shown = self.expect(0, "audit", "data", "--on", "image", "--near", "--distance", "0").text
        self.assertIn("2 not decoded and compared by their bytes alone, the first of which is record 8 (a GIF image; expected", shown)
        self.assertIn("1 too plain to compare except by their bytes", shown)
        self.assertIn("like images in image, up to 0 bits of 128 apart", shown)
        self.assertEqual(self.audit("data", "--on", "image")["near"], None)

    def test_options_of_near_need_each_other(self) -> None:
        self.write("data", [{"image": scene(1, 20, 20)}])
        for wrong, expected in (
            (("--near",), "--on"),
            (("--distance", "3"), "--near"),
            (("--near", "--on", "image", "--distance", "32"), "from 0 to 31"),
            (("--near", "--on", "image", "--trust-hashes"), "exclude each other"),
        ):
            self.assertIn(expected, self.expect_error(2, "audit", "data", *wrong).stderr)

    def test_an_empty_dataset_and_opaque_records_have_their_duplicates(self) -> None:
        (self.dir / "empty").mkdir()
        (self.dir / "empty" / "part-0").write_bytes(b"")
        self.expect(0, "build", "empty", "-q", "--format", "tfrecord")
        self.assertEqual(self.audit("empty")["group_count"], 0)
        records.write_tfrecord(self.dir / "opaque", [b"\xff\xfe", b"", b"\xff\xfe", b""])
        self.expect(0, "build", "opaque", "-q", "--payload", "opaque")
        self.assertEqual(groups_of(self.audit("opaque", "empty")), [[(0, 0), (0, 2)], [(0, 1), (0, 3)]])

    def test_compressed_shards_are_read_like_others(self) -> None:
        payloads = self.write("data", [{"name": b"name %d" % (n % 30)} for n in range(70)])
        for shard in list((self.dir / "data").iterdir()):
            shard.with_suffix(".gz").write_bytes(gzip.compress(shard.read_bytes()))
            shard.unlink()
        expected = equal(((0, n), payload) for n, payload in enumerate(payloads))
        for verify in ((), ("--verify",)):
            self.expect(0, "build", "data", "-q", "--force", *verify)
            self.assertEqual(groups_of(self.audit("data")), expected)
            self.assertEqual(groups_of(self.audit("data", "--on", "name", "--io", "pread")), expected)

    def test_ctrl_c_ends_an_audit_whose_reader_does_not_read(self) -> None:
        records.write_ofrecord(self.dir / "large", [b"%05d" % (n // 2) for n in range(20_000)])
        self.expect(0, "build", "large", "-q", "--format", "ofrecord")
        process = self.start("audit", "large", "--json")
        assert process.stdout is not None
        self.assertEqual(process.stdout.read(10), b'{"schema":')  # the pipe is full, or nearly
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 130)


if __name__ == "__main__":
    unittest.main()
