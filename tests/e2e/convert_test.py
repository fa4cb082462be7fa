"""convert: every record is written in the other format, in order, and no existing file is at risk."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import Any

from e2e import written
from e2e.command import CommandTest, Finished
from e2e.samples import payload, payloads, write_parts
from oracle import messages, records
from oracle.fixtures import fixtures, needs_fixtures

TFRECORD, OFRECORD = records.TFRECORD, records.OFRECORD
KINDS = {TFRECORD: "example", OFRECORD: "ofrecord"}
OTHER = {TFRECORD: OFRECORD, OFRECORD: TFRECORD}

# A feature of every kind, an empty list, and a feature without a kind.
OF_BOTH: dict[str, tuple[str, list[Any]]] = {
    "b": ("bytes", [b"", b"\x00\xff", "\u00fc".encode()]),
    "f": ("float", [0.5, -0.0, float("inf")]),
    "i": ("int64", [-(2**63), 2**63 - 1, 0]),
    "e": ("int64", []),
    "n": ("none", []),
    "": ("bytes", [b"of no name"]),
}


class ConvertTest(CommandTest):
    def convert(self, data: str | Path, to: str, *args: str, code: int = 0) -> list[bytes]:
        """Converts into a new folder `out`, and returns the new payloads."""
        shutil.rmtree(self.dir / "out", ignore_errors=True)
        done = self.run_command("convert", data, "--to", to, "-o", "out", "--force", *args)
        self.assertEqual(done.code, code, done)
        return written.payloads_in(self.dir / "out", to)

    def assert_refused(self, code: int, *args: str | Path) -> Finished:
        """The command fails, and every file is unchanged."""
        before = self.contents()
        failed = self.expect_error(code, "convert", *args)
        self.assertEqual(self.contents(), before, failed)
        return failed

    def contents(self) -> dict[str, bytes | None]:
        return {str(path): path.read_bytes() if path.is_file() else None for path in self.dir.rglob("*")}


class BothWaysTest(ConvertTest):
    def test_features_keep_names_kinds_and_values_and_records_keep_their_order(self) -> None:
        for source, to in OTHER.items():
            with self.subTest(to=to):
                expected = [OF_BOTH, *({"n": ("int64", [number])} for number in range(100))]
                encoded = [messages.encode(KINDS[source], features) for features in expected]
                records.WRITE[source](self.dir / "data", encoded)
                found = [written.features(one, KINDS[to]) for one in self.convert("data", to)]
                self.assertEqual(found, expected)
                self.assertEqual(self.convert("data", source), encoded, "the same format: no payload changes")
                shutil.rmtree(self.dir / "out")

    def test_each_input_shard_becomes_one_output_shard_by_default(self) -> None:
        for source, to in OTHER.items():
            with self.subTest(to=to):
                before = write_parts(self.dir / source, (3, 0, 2, 5), source)
                after = self.convert(source, to)
                self.assertEqual(after, payloads(len(before), to))
                shards = [len(written.payloads(shard, to)) for shard in written.shards(self.dir / "out")]
                self.assertEqual(shards, [3, 0, 2, 5])
                self.convert(source, to, "--shards", "3")
                shards = [len(written.payloads(shard, to)) for shard in written.shards(self.dir / "out")]
                self.assertEqual(shards, [3, 3, 4])
                shutil.rmtree(self.dir / "out")

    def test_a_conversion_needs_no_index_and_builds_none(self) -> None:
        write_parts(self.dir / "data", (3, 4))
        without = self.convert("data", OFRECORD)
        self.assertEqual(self.names(), ["data", "out"])
        self.assertEqual(self.names(self.dir / "data"), ["part-0", "part-1"])
        self.expect(0, "build", "data")
        for data in ("data", "data.ofidx"):
            self.assertEqual(self.convert(data, OFRECORD), without)
        self.assertEqual(self.convert("data/part-1", OFRECORD), without[3:])

    def test_files_left_out_of_a_folder_are_reported(self) -> None:
        write_parts(self.dir / "data", (2,))
        (self.dir / "data" / "note.txt").write_text("no records\n" * 9)
        done = self.expect(0, "convert", "data", "--to", "ofrecord", "-o", "out")
        self.assertIn("skipped data/note.txt: ", done.stderr)

    def test_values_that_the_other_format_cannot_hold_are_refused_unless_loss_is_allowed(self) -> None:
        for kind, values, expected in (
            ("int32", [-(2**31), 5], ("int64", [-(2**31), 5])),
            ("double", [0.1, 1e300], ("float", [struct.unpack("<f", struct.pack("<f", 0.1))[0], float("inf")])),
        ):
            with self.subTest(kind):
                encoded = [payload(0, OFRECORD), messages.encode("ofrecord", {"odd name": (kind, values)})]
                records.write_ofrecord(self.dir / "data.ofrecord", encoded)
                for args in ((), ("--lossy", "refuse")):
                    failed = self.assert_refused(3, "data.ofrecord", "--to", "tfrecord", "-o", "out", *args)
                    self.assertIn("'odd name'", failed.stderr)
                    self.assertIn(f"data.ofrecord@{8 + len(encoded[0]) + 8}: record 1: ", failed.stderr)
                    self.assertIn("--lossy", failed.stderr)
                found = self.convert("data.ofrecord", TFRECORD, "--lossy", "allow")
                self.assertEqual(written.features(found[1], "example"), {"odd name": expected})
                shutil.rmtree(self.dir / "out")

    def test_opaque_payloads_are_reframed_unchanged(self) -> None:
        lines = [b"to be", b"or not to be", b"\xff" * 300_000]
        records.write_tfrecord(self.dir / "lines", lines)
        self.assertEqual(self.convert("lines", OFRECORD), lines)
        records.write_ofrecord(self.dir / "lines.ofrecord", lines)
        self.expect(0, "build", "lines.ofrecord", "--format", "ofrecord", "--payload", "opaque")
        shutil.rmtree(self.dir / "out")
        self.assertEqual(self.convert("lines.ofrecord", TFRECORD), lines)

    def test_feature_lists_cannot_be_converted_to_ofrecord(self) -> None:
        sequence = messages.encode_sequence({"id": ("int64", [1])}, {"s": [("int64", [1]), ("int64", [])]})
        records.write_tfrecord(self.dir / "data", [sequence] * 3)
        self.assertIn("data", self.assert_refused(2, "data", "--to", "ofrecord", "-o", "out").stderr)
        self.assertEqual(self.convert("data", TFRECORD), [sequence] * 3)

    def test_an_empty_record_cannot_be_an_ofrecord_and_is_skipped(self) -> None:
        records.write_tfrecord(self.dir / "data", [payload(0), b"", payload(1)])
        self.assertEqual(self.convert("data", OFRECORD, code=3), payloads(2, OFRECORD))
        done = self.expect(3, "convert", "data", "--to", "ofrecord", "-o", "out", "--force", "--json")
        self.assertEqual([(bad["record"], bad["reason"]) for bad in done.json["bad"]], [(1, "malformed")])
        self.assertIn(f"data@{16 + len(payload(0)) + 12}: record 1: ", done.stderr)
        shutil.rmtree(self.dir / "out")
        self.assertEqual(self.convert("data", TFRECORD), [payload(0), b"", payload(1)])

    def test_an_empty_dataset_becomes_empty_shards(self) -> None:
        write_parts(self.dir / "data", (0, 0))
        self.expect(0, "build", "data", "--format", "tfrecord")
        self.assertEqual(self.convert("data", OFRECORD), [])
        self.assertEqual(self.names(self.dir / "out"), ["part-0", "part-1"])

    @needs_fixtures
    def test_examples_converted_and_converted_back_are_the_same_messages(self) -> None:
        tried = 0
        for fixture in fixtures():
            if fixture.compressed or fixture.format != TFRECORD or fixture.payload != "example":
                continue
            with self.subTest(fixture.path.name):
                there, back = self.dir / "there.ofrecord", self.dir / "back.tfrecord"
                self.expect(0, "convert", fixture.path, "--to", "ofrecord", "-o", there, "--force")
                self.expect(0, "convert", there, "--to", "tfrecord", "-o", back, "--force")
                example = messages.MESSAGES["example"].FromString
                expected = [example(one) for one in fixture.walk().payloads]
                self.assert_same([example(one) for one in written.payloads(back)], expected, fixture.path.name)
                tried += 1
        self.assertGreater(tried, 5)


class SelectedTest(ConvertTest):
    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", (40, 0, 60))

    def labels(self, encoded: list[bytes], framing: str) -> list[int]:
        return [written.features(one, KINDS[framing])["label"][1][0] for one in encoded]

    def test_where_converts_the_matching_records_in_order(self) -> None:
        expected = [number for number in range(100) if number % 7 == 3]
        for build in (False, True):
            if build:
                self.expect(0, "build", "data")
            found = self.convert("data", OFRECORD, "--where", "label % 7 = 3")
            self.assertEqual(self.labels(found, OFRECORD), expected)
        found = self.convert("data", OFRECORD, "--where", "label < 0")
        self.assertEqual(found, [])
        self.assert_refused(2, "data", "--to", "ofrecord", "-o", "no", "--where", "lable = 3")

    def test_a_shuffled_copy_has_the_order_that_sample_prints(self) -> None:
        self.expect(0, "build", "data")
        for args in ((), ("--where", "label >= 50")):
            sampled = self.expect(0, "sample", "data", "--seed", "7", *args).text.split()
            found = self.convert("data", OFRECORD, "--shuffle", "7", "--shards", "3", *args)
            self.assertEqual(self.labels(found, OFRECORD), [int(ordinal) for ordinal in sampled])
            other = self.convert("data", OFRECORD, "--shuffle", "8", "--shards", "3", *args)
            self.assertEqual(sorted(other), sorted(found))
            self.assertNotEqual(other, found)

    def test_gzip_output_is_complete(self) -> None:
        self.assertEqual(self.convert("data", TFRECORD, "--compress", "gzip"), payloads(100))

    def test_the_report_is_one_json_object(self) -> None:
        done = self.expect(0, "convert", "data", "--to", "ofrecord", "-o", "out", "--json").json
        sizes = sum(path.stat().st_size for path in (self.dir / "out").iterdir())
        self.assertGreaterEqual(done.pop("seconds"), 0)
        shards = [f"out/part-{number}" for number in range(3)]
        expected = {
            "schema": "ofindex.convert/1",
            "files": shards,
            "records": 100,
            "bytes": sizes,
            "bad": [],
            "damage": [],
        }
        self.assertEqual(done, expected)


class OverItselfTest(ConvertTest):
    def test_the_input_is_never_written_over(self) -> None:
        write_parts(self.dir / "data", (3, 2))
        self.expect(0, "build", "data")
        (self.dir / "link").symlink_to("data")
        for out in ("data", "./data/", "link", "data/../data"):
            with self.subTest(out):
                failed = self.assert_refused(2, "data", "--to", "ofrecord", "-o", out, "--force")
                self.assertIn("input", failed.stderr)
        for data in ("data", "data/part-0"):
            self.assert_refused(2, data, "--to", "ofrecord", "-o", "data/part-0", "--force")

    def test_existing_files_are_replaced_only_with_force(self) -> None:
        write_parts(self.dir / "data", (3, 2))
        write_parts(self.dir / "out", (1, 1, 1), OFRECORD)
        self.assert_refused(2, "data", "--to", "ofrecord", "-o", "out")
        self.assertEqual(self.convert("data", OFRECORD), payloads(5, OFRECORD))
        self.assertEqual(self.names(self.dir / "out"), ["part-0", "part-1"])


class DamagedTest(ConvertTest):
    def shard(self, hurt: dict[int, int]) -> list[bytes]:
        """Writes a TFRecord file of 20 records; in record n, one bit of byte hurt[n] is flipped. Returns the payloads.
        """
        data = bytearray()
        for number, one in enumerate(payloads(20)):
            begin = len(data)
            data += records.frame_tfrecord(one)
            if number in hurt:
                data[begin + hurt[number]] ^= 1
        (self.dir / "hurt.tfrecord").write_bytes(data)
        return payloads(20, OFRECORD)

    def test_intact_records_of_a_damaged_shard_are_converted_and_the_exit_code_is_3(self) -> None:
        expected = self.shard({4: 8})
        del expected[4]
        for shuffle in ((), ("--shuffle", "1"), ("--shards", "3")):
            found = self.convert("hurt.tfrecord", OFRECORD, *shuffle, code=3)
            self.assertEqual(sorted(found) if "--shuffle" in shuffle else found,
                             sorted(expected) if "--shuffle" in shuffle else expected)  # fmt: skip
        done = self.run_command("convert", "hurt.tfrecord", "--to", "ofrecord", "-o", "out", "--force", "--json")
        (damage,) = done.json["damage"]
        self.assertEqual(damage["reason"], "bad_length_crc")
        self.assertIn("hurt.tfrecord@", done.stderr)

    def test_a_torn_tail_ends_a_shard_but_not_the_set(self) -> None:
        write_parts(self.dir / "data", (3, 4))
        shard = self.dir / "data" / "part-0"
        shard.write_bytes(shard.read_bytes()[:-1])
        expected = payloads(7, OFRECORD)
        self.assertEqual(self.convert("data", OFRECORD, code=3), expected[:2] + expected[3:])
        counts = [len(written.payloads(shard, OFRECORD)) for shard in written.shards(self.dir / "out")]
        self.assertEqual(counts, [2, 4])

    def test_records_marked_bad_are_skipped(self) -> None:
        expected = self.shard({0: 13, 7: 14, 19: 13})
        self.expect(3, "build", "hurt.tfrecord", "--verify")
        intact = [one for number, one in enumerate(expected) if number not in (0, 7, 19)]
        self.assertEqual(self.convert("hurt.tfrecord", OFRECORD, code=3), intact)
        self.assertEqual(self.convert("hurt.tfrecord", OFRECORD, "--shards", "4", code=3), intact)
        found = self.convert("hurt.tfrecord", OFRECORD, "--shuffle", "3", "--shards", "4", code=3)
        self.assertEqual(sorted(found), sorted(intact))

    def test_a_payload_with_a_wrong_checksum_is_skipped_with_or_without_an_index(self) -> None:
        some = payloads(6)
        records.write_tfrecord(self.dir / "data", some)
        whole = bytearray((self.dir / "data").read_bytes())
        whole[sum(16 + len(one) for one in some[:4]) + 12 + len(some[4]) - 1] ^= 1
        (self.dir / "data").write_bytes(whole)
        expected = payloads(6, OFRECORD)
        for build in ((), ("build", "data"), ("build", "data", "--verify", "--force")):
            with self.subTest(build=build):
                if build:
                    self.run_command(*build)
                self.assertEqual(self.convert("data", OFRECORD, code=3), expected[:4] + expected[5:])
                self.assertEqual(self.convert("data", TFRECORD, code=3), some[:4] + some[5:])
        done = self.run_command("convert", "data", "--to", "ofrecord", "-o", "new", "--json")
        self.assertEqual([(bad["record"], bad["reason"]) for bad in done.json["bad"]], [(4, "payload_crc")])

    def test_a_record_that_is_not_a_message_is_skipped_and_named(self) -> None:
        some = payloads(5)
        records.write_tfrecord(self.dir / "data", [*some, b"\x0a\xff", *some])
        self.assertEqual(self.convert("data", OFRECORD, code=3), payloads(5, OFRECORD) * 2)
        done = self.expect(3, "convert", "data", "--to", "ofrecord", "-o", "out", "--force", "--json")
        self.assertEqual([(bad["record"], bad["reason"]) for bad in done.json["bad"]], [(5, "malformed")])
        self.assertIn(f"data@{sum(16 + len(one) for one in some) + 12}: record 5: ", done.stderr)

    def test_missing_and_changed_data_are_refused(self) -> None:
        for code, name in ((2, "none"), (4, "none.ofidx")):
            self.assertIn("hint", self.assert_refused(code, name, "--to", "ofrecord", "-o", "out").stderr)
        write_parts(self.dir / "data", (3,))
        self.expect(0, "build", "data")
        records.write_tfrecord(self.dir / "data" / "part-0", payloads(9))
        self.assert_refused(4, "data", "--to", "ofrecord", "-o", "out")


class NoWayTest(ConvertTest):
    def test_invalid_arguments_are_refused(self) -> None:
        write_parts(self.dir / "data", (3,))
        (self.dir / "file").write_text("x")
        for args in (
            ("--to", "ofrecord", "-o", "out.tfrecord"),
            ("--to", "ofrecord", "-o", "out", "--compress", "gzip"),
            ("--to", "ofrecord", "-o", "file"),
            ("--to", "ofrecord", "-o", "/dev/null"),
            ("--to", "ofrecord", "-o", "out", "--shards", "0"),
            ("--to", "ofrecord", "-o", "out", "--lossy", "maybe"),
            ("--to", "ofrecord", "-o", "out", "--shuffle", "x"),
            ("--to", "parquet", "-o", "out"),
            ("--to", "ofrecord"),
            ("-o", "out"),
        ):
            with self.subTest(args):
                self.assert_refused(2, "data", *args)
