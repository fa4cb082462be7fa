"""Shards whose head is damaged: every bit of the first 64 bytes, heads of zeros, missing heads.

No such shard may be taken for a foreign file. Every intact record that can be located is in the index; the rest of the
shard is damage or an error, and the other shards of its set are whole. OFINDEX_HEADS is the number of cases to try
(default: 100 of about 5,000, the same in every run).
"""

from __future__ import annotations

import gzip
import os
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.command import CommandTest
from e2e.samples import payloads
from e2e.set_folder import RECORDS, SetFolderTest
from oracle import records
from oracle.records import OFRECORD, TFRECORD

HEADS = int(os.environ.get("OFINDEX_HEADS", "100"))
HEAD_BYTES = 64
SET_SIZES = (1, 2, 8)
LENGTHS = (1, 3, 4, 7, 8, 11, 12, 13, 16, 20, 24, 32, 40, 48, 56, 63, 64, 100, 128, 256)

# One set for each naming scheme.
NAMES = {
    "of": lambda number, count: f"train-{number:05d}-of-{count:05d}",
    "part": lambda number, count: f"part-{number}",
    "extension": lambda number, count: f"{'abcdefgh'[number]}{number}.records",
    "digits": lambda number, count: f"x_{number:02d}",
    "number": lambda number, count: f"val.tfrecord.{number}",
}


@dataclass(frozen=True)
class Case:
    """One shard of a set whose head is damaged in one way."""

    framing: str
    shards: int
    kind: str  # flip, zeros or cut
    at: int  # the bit that is flipped, or how many bytes are zero or missing
    names: str = "part"
    compressed: bool = False

    def damage(self, data: bytes) -> bytes:
        if self.kind == "flip":
            byte, bit = divmod(self.at, 8)
            return data[:byte] + bytes([data[byte] ^ 1 << bit]) + data[byte + 1 :]
        return bytes(self.at) + data[self.at :] if self.kind == "zeros" else data[self.at :]


def cases() -> Iterator[Case]:
    for framing in (TFRECORD, OFRECORD):
        for shards in SET_SIZES:
            for at in range(8 * HEAD_BYTES):
                yield Case(framing, shards, "flip", at, list(NAMES)[at % len(NAMES)])
            for kind in ("zeros", "cut"):
                for at in LENGTHS:
                    for names in NAMES:
                        yield Case(framing, shards, kind, at, names)
    for shards in SET_SIZES:
        for at in range(8 * HEAD_BYTES):
            yield Case(TFRECORD, shards, "flip", at, "part", compressed=True)
        for kind in ("zeros", "cut"):
            for at in LENGTHS:
                yield Case(TFRECORD, shards, kind, at, "part", compressed=True)


def chosen(count: int) -> list[Case]:
    every = list(cases())
    return every if count >= len(every) else random.Random(1).sample(every, count)


class DamagedHeadsTest(CommandTest):
    """Builds an index of each damaged set. The outcomes are counted, and printed if OFINDEX_HEADS is at least 2,000."""

    def test_a_damaged_head_never_loses_anything_silently(self) -> None:
        outcomes: Counter[str] = Counter()
        for case in chosen(HEADS):
            with self.subTest(case):
                outcomes[f"{case.framing}{', gzip' if case.compressed else ''}, {case.kind}: {self.outcome(case)}"] += 1
        if HEADS >= 2000:
            for outcome, count in sorted(outcomes.items()):
                print(f"{count:6} {outcome}")

    def outcome(self, case: Case) -> str:
        shutil.rmtree(self.dir / "set", ignore_errors=True)
        (self.dir / "set").mkdir()
        (self.dir / "set.ofidx").unlink(missing_ok=True)
        victim = case.shards // 2
        written: list[list[bytes]] = []
        path = Path()
        for number in range(case.shards):
            written.append(payloads(RECORDS, case.framing, first=RECORDS * number))
            data = b"".join(map(records.FRAME[case.framing], written[-1]))
            if case.compressed:
                data = gzip.compress(data, mtime=0)
            name = NAMES[case.names](number, case.shards)
            if number == victim:
                path, whole = self.dir / "set" / name, data
                data = case.damage(data)
            (self.dir / "set" / name).write_bytes(data)
        done = self.run_command("build", "set", "--verify", "--json")
        if done.code == 3 and not done.stdout:
            # There is no other shard to identify this one.
            self.assertEqual(case.shards, 1, done)
            self.assertIn(path.name, done.stderr)
            self.assertFalse((self.dir / "set.ofidx").exists())
            self.assert_nothing_was_recoverable(case, path)
            return "an error, no index"
        self.assertIn(done.code, (0, 3), done)
        return self.check(case, done.json, done.code, written, victim, path, whole)

    def assert_nothing_was_recoverable(self, case: Case, path: Path) -> None:
        if case.framing == TFRECORD and not case.compressed:
            self.assertEqual(records.walk_tfrecord(path.read_bytes()).records, [])

    def check(
        self,
        case: Case,
        built: dict[str, Any],
        code: int,
        written: list[list[bytes]],
        victim: int,
        path: Path,
        whole: bytes,
    ) -> str:
        self.assertEqual(code, 3 if built["damage"] or built["bad"] else 0)
        self.assertEqual({damage["shard"] for damage in built["damage"]} - {f"set/{path.name}"}, set())
        info = self.expect(0, "info", "set", "--json").json
        self.assertEqual(len(info["shards"]), case.shards)
        self.assertEqual(info["shards"][victim]["path"], f"set/{path.name}")
        bad = {entry["record"] for entry in built["bad"]}
        found = self.payloads_of(info, bad)
        for number, shard in enumerate(info["shards"]):
            if number != victim:
                self.assertEqual(found[number], written[number], shard)
        if case.compressed:
            return self.check_compressed(found[victim], written[victim], code, path, whole)
        if case.framing == TFRECORD:
            return self.check_tfrecord(built, found[victim], code, path)
        return self.check_ofrecord(case, built, found[victim], written[victim], code, path, whole)

    def payloads_of(self, info: dict[str, Any], bad: set[int]) -> list[list[bytes]]:
        """The payloads that the index returns for each shard, without bad records."""
        rows = {
            row["_id"]: row
            for row in self.expect(0, "sql", "set", "SELECT _id, _shard, _length FROM records", "--json").json["rows"]
        }
        good = [ordinal for ordinal in sorted(rows) if ordinal not in bad]
        ids = "".join(f"{ordinal}\n" for ordinal in good).encode()
        stream = self.expect(0, "cat", "set", "--to", "raw", "--ids", "-", stdin=ids).stdout
        by_shard: dict[str, list[bytes]] = {shard["path"]: [] for shard in info["shards"]}
        at = 0
        for ordinal in good:
            length = rows[ordinal]["_length"]
            by_shard[rows[ordinal]["_shard"]].append(stream[at : at + length])
            at += length
        self.assertEqual(at, len(stream))
        return list(by_shard.values())

    def check_tfrecord(self, built: dict[str, Any], found: list[bytes], code: int, path: Path) -> str:
        """A TFRecord has two checksums, so the oracle knows exactly which records can be found."""
        walk = records.walk_tfrecord(path.read_bytes())
        self.assertEqual(found, [record.payload for record in walk.records if record.sound])
        self.assertEqual(
            [(damage["begin"], damage["end"]) for damage in built["damage"]],
            [(damage.begin, damage.end) for damage in walk.damage],
        )
        self.assertEqual(len(built["bad"]), sum(not record.sound for record in walk.records))
        if code == 0:  # cut between two records: the bytes do not show the loss
            self.assertEqual((walk.damage, len(built["bad"])), ([], 0))
            return "whole records; the bytes do not show the loss"
        return "damage" if walk.damage else "a bad record"

    def check_ofrecord(
        self,
        case: Case,
        built: dict[str, Any],
        found: list[bytes],
        written: list[bytes],
        code: int,
        path: Path,
        whole: bytes,
    ) -> str:
        """An OFRecord has no checksum: a wrong length shows in later bytes, a wrong payload only in its message."""
        data = path.read_bytes()
        starts = [sum(8 + len(payload) for payload in written[:number]) for number in range(len(written) + 1)]
        if len(data) == len(whole):
            in_payload = all(data[start : start + 8] == whole[start : start + 8] for start in starts[:-1])
            if in_payload:  # every length is right: all records are found, whatever their payloads
                self.assertEqual(built["damage"], [])
                self.assertEqual(len(found) + len(built["bad"]), len(written))
                self.assertGreaterEqual(sum(a == b for a, b in zip(found[::-1], written[::-1])), len(written) - 4)
                return "every record, a changed payload"
        elif case.at in starts:  # cut between two records
            self.assertEqual((code, found), (0, written[starts.index(case.at) :]))
            return "whole records; the bytes do not show the loss"
        self.assertEqual(code, 3, built)
        self.assertTrue(built["damage"], built)
        # The record with the wrong length may include bytes of the next one, just before the damage.
        unknown = [payload for payload in found if payload not in written]
        self.assertIn(unknown, ([], found[-1:]), built)
        self.assertEqual(built["damage"][-1]["end"], len(data))
        return "damage after a record with a wrong length" if unknown else "damage"

    def check_compressed(self, found: list[bytes], written: list[bytes], code: int, path: Path, whole: bytes) -> str:
        for payload in found:
            self.assertIn(payload, written)
        if code == 0:  # time, level and system in the header are not data
            self.assertEqual(found, written)
            return "every record; only unused header fields changed"
        return f"damage, {'some' if found else 'no'} records"


class SetTest(SetFolderTest):
    """How a shard with a damaged head is recognised, and which other files are skipped."""

    def test_an_ofrecord_shard_whose_name_differs_only_in_digits_belongs_to_the_set(self) -> None:
        for names in (("train-0", "train-1"), ("x_00", "x_01"), ("data1", "data2"), ("v.of.0", "v.of.1"), ("7", "8")):
            for head in (b"\xff" * 8, bytes(8)):
                with self.subTest(names, head=head):
                    shutil.rmtree(self.dir / "data", ignore_errors=True)
                    self.write(f"data/{names[0]}", OFRECORD)
                    data = self.write(f"data/{names[1]}", OFRECORD)
                    (self.dir / "data" / names[1]).write_bytes(head + data[8:])
                    built = self.build(3, "data")
                    self.assertEqual((built["shards"], built["skipped"]), (2, []))
                    self.assertEqual({damage["shard"] for damage in built["damage"]}, {f"data/{names[1]}"})

    def test_a_damaged_head_in_one_of_eight_shards_loses_one_record(self) -> None:
        for number in range(8):
            self.write(f"data/train-{number:05d}-of-00008", first=number * RECORDS, damaged=number == 3)
        built = self.build(3, "data")
        self.assertEqual((built["records"], built["shards"], built["skipped"]), (8 * RECORDS - 1, 8, []))
        self.assertEqual([damage["begin"] for damage in built["damage"]], [0])
        self.expect(1, "verify", "data")

    def test_a_damaged_shard_is_recognised_by_its_own_records(self) -> None:
        self.write("alone", damaged=True)
        self.assertEqual(self.build(3, "alone")["records"], RECORDS - 1)
        (self.dir / "other").mkdir()
        self.write("other/anything", damaged=True)
        self.write("other/sound.tfrecord")
        self.assertEqual(self.build(3, "other")["records"], 2 * RECORDS - 1)

    def test_an_ofrecord_shard_recognised_only_by_its_name_is_damage_from_its_first_byte(self) -> None:
        for names in (("part-0", "part-1"), ("a.of", "b.of"), ("x-0-of-2.rec", "x-1-of-2.rec")):
            with self.subTest(names):
                shutil.rmtree(self.dir / "data", ignore_errors=True)
                self.write(f"data/{names[0]}", OFRECORD)
                data = self.write(f"data/{names[1]}", OFRECORD, damaged=True)
                built = self.build(3, "data")
                self.assertEqual((built["records"], built["shards"]), (RECORDS, 2))
                self.assertEqual(
                    [(damage["shard"], damage["begin"], damage["end"]) for damage in built["damage"]],
                    [(f"data/{names[1]}", 0, len(data))],
                )

    def test_zero_bytes_before_sound_ofrecords_are_the_only_damage(self) -> None:
        for zeros in (16, 128, 4096, 65536):
            with self.subTest(zeros):
                self.write("data/part-0", OFRECORD)
                data = self.write("data/part-1", OFRECORD)
                (self.dir / "data" / "part-1").write_bytes(bytes(zeros) + data)
                built = self.build(3, "data")
                self.assertEqual(built["records"], 2 * RECORDS)
                self.assertEqual(
                    [(damage["begin"], damage["end"], damage["reason"]) for damage in built["damage"]],
                    [(0, zeros, "zero_head")],
                )

    def test_an_ofrecord_shard_with_sound_lengths_is_indexed_even_if_its_payloads_are_not_messages(self) -> None:
        self.write("data/part-0", OFRECORD)
        (self.dir / "data" / "part-1").write_bytes(records.frame_ofrecord(b"\xff" * 40) * 3)
        built = self.build(0, "data", "--columns", "none")
        self.assertEqual((built["records"], built["shards"]), (RECORDS + 3, 2))

    def test_a_git_lfs_pointer_in_a_set_is_a_lost_shard(self) -> None:
        pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"
        self.write("data/part-0")
        (self.dir / "data" / "part-1").write_bytes(pointer)
        built = self.build(3, "data")
        self.assertEqual(
            [(damage["shard"], damage["end"], damage["reason"]) for damage in built["damage"]],
            [("data/part-1", len(pointer), "lfs_pointer")],
        )
        self.assertEqual((built["records"], built["skipped"]), (RECORDS, []))

    def test_git_lfs_pointers_alone_are_reported_as_pointers(self) -> None:
        pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"
        (self.dir / "data").mkdir()
        (self.dir / "data" / "README.md").write_text("a dataset\n")
        for count, data in ((1, "data"), (3, "data"), (3, "data/part-2")):
            with self.subTest(count=count, data=data):
                for number in range(count):
                    (self.dir / "data" / f"part-{number}").write_bytes(pointer)
                failed = self.expect_error(3, "build", data)
                self.assertIn("a Git-LFS pointer, not the file", failed.stderr)
                self.assertIn("hint: run `git lfs pull`", failed.stderr)
                self.assertNotIn("--format", failed.stderr)

    def test_foreign_files_next_to_shards_are_skipped(self) -> None:
        self.write("data/part-0")
        self.write("data/a.tfrecord", first=RECORDS)
        foreign = ("README.md", "labels.txt", "dataset_info.json", "vocab.bin", "NOTES", "part-list", "image.png")
        for number, name in enumerate(foreign):
            (self.dir / "data" / name).write_bytes(
                random.Random(number).randbytes(5000) if number % 2 else b"text " * 99
            )
        (self.dir / "data" / "_SUCCESS").touch()
        built = self.build(0, "data")
        self.assertEqual(
            sorted(entry["path"] for entry in built["skipped"]), sorted(f"data/{name}" for name in foreign)
        )
        self.assertEqual(built["records"], 2 * RECORDS)

    def test_a_search_for_records_ends_after_64_mib(self) -> None:
        record = records.frame_tfrecord(payloads(1)[0])
        for hole, code in ((64 << 20, 3), ((64 << 20) - 1000, 3)):
            with open(self.dir / "sparse", "wb") as file:
                file.write(b"\x01")
                file.seek(hole)
                file.write(record * 3)
            found = self.expect(code, "build", "sparse", "--force", "--json")
            self.assertEqual(bool(found.stdout), hole < 64 << 20, found)

    def test_a_shard_whose_head_parses_as_another_format_has_the_format_of_its_set(self) -> None:
        of_record = records.frame_ofrecord(payloads(1, OFRECORD)[0])
        for number in range(3):
            self.write(f"data/part-{number}", first=number * RECORDS)
        shard = self.dir / "data" / "part-1"
        shard.write_bytes(of_record + shard.read_bytes())
        built = self.build(3, "data")
        self.assertEqual(built["records"], 3 * RECORDS)
        self.assertEqual([(damage["begin"], damage["end"]) for damage in built["damage"]], [(0, len(of_record))])

    def test_the_payload_kind_of_a_damaged_shard_is_decided_by_its_records(self) -> None:
        for options in ((), ("--format", "tfrecord")):
            self.write("data/part-0")
            self.write("data/part-1", damaged=True, first=RECORDS)
            self.build(3, "data", *options)
            info = self.expect(0, "info", "data", "--json").json
            self.assertEqual([shard["payload"] for shard in info["shards"]], ["example", "example"])

    def test_the_index_is_the_same_on_any_number_of_threads(self) -> None:
        for number in range(6):
            self.write(f"data/part-{number}", damaged=number % 2 == 0)
        (self.dir / "data" / "README.md").write_text("a dataset\n")
        made = []
        for threads in ("1", "2", "7"):
            self.build(3, "data", "-j", threads)
            made.append((self.dir / "data.ofidx").read_bytes() + (self.dir / "data.ofidx-map").read_bytes())
        self.assertEqual(len(set(made)), 1)
