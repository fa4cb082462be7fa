"""Which files become shards, in what order, and which are refused."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from typing import Any

from e2e.command import CommandTest
from e2e.samples import payloads, write_parts
from oracle import records

LFS_POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 12345\n"
)


class ShardSetTest(CommandTest):
    def write(self, *paths: str) -> None:
        """Writes files of one record each. The payload of the record is the path of its file."""
        for path in paths:
            (self.dir / path).parent.mkdir(parents=True, exist_ok=True)
            records.write_tfrecord(self.dir / path, [path.encode()])

    def build(self, *args: str | Path, **options: Any) -> dict[str, Any]:
        """Builds all.ofidx with opaque payloads and returns the output of the command."""
        return self.expect(0, "build", *args, "-o", "all.ofidx", "--payload", "opaque", "--json", **options).json

    def order(self) -> list[str]:
        """The payloads of all.ofidx in order, which are the paths of its files."""
        return [path.decode() for path in records.walk_tfrecord(self.stream()).payloads]

    def stream(self) -> bytes:
        return self.expect(0, "cat", "all.ofidx", "--to", "tfrecord").stdout

    def assert_skipped(self, built: dict[str, Any], *names: str) -> None:
        self.assertEqual(len(built["skipped"]), len(names), built["skipped"])
        for name in names:
            self.assertTrue(any(name in str(entry) for entry in built["skipped"]), f"{name}: {built['skipped']}")


class OrderTest(ShardSetTest):
    def test_a_folder_is_searched_recursively(self) -> None:
        self.write("data/b/part-0", "data/a/deep/er/part-0", "data/part-0")
        self.assertEqual(self.build("data")["shards"], 3)
        self.assertEqual(sorted(self.order()), ["data/a/deep/er/part-0", "data/b/part-0", "data/part-0"])

    def test_files_are_ordered_by_the_numbers_in_their_names(self) -> None:
        self.write(*[f"data/part-{number}" for number in (10, 2, 1, 0, 11, 100)])
        self.build("data")
        self.assertEqual(self.order(), [f"data/part-{number}" for number in (0, 1, 2, 10, 11, 100)])

    def test_folders_are_ordered_by_the_numbers_in_their_names(self) -> None:
        self.write("data/day=10/part-0", "data/day=9/part-1", "data/day=9/part-0")
        self.build("data")
        self.assertEqual(self.order(), ["data/day=9/part-0", "data/day=9/part-1", "data/day=10/part-0"])

    def test_a_glob_takes_its_matches_in_numeric_order(self) -> None:
        self.write("data/part-10", "data/part-9", "data/other-1")
        self.build("data/part-*")
        self.assertEqual(self.order(), ["data/part-9", "data/part-10"])

    def test_a_list_names_the_files_in_a_file_or_on_standard_input(self) -> None:
        self.write("data/part-0", "data/part-1", "data/part-2")
        listed = "data/part-2\ndata/part-0\n"
        (self.dir / "list").write_text(listed)
        self.build("@list")
        self.assertEqual(self.order(), ["data/part-0", "data/part-2"])
        self.build("@-", "--force", stdin=listed.encode())
        self.assertEqual(self.order(), ["data/part-0", "data/part-2"])

    def test_verify_of_an_index_built_from_a_list_checks_the_listed_files(self) -> None:
        self.write("data/part-0", "data/part-1")
        (self.dir / "list").write_text("part-0\npart-1\n", encoding="utf-8")
        self.expect(0, "build", "@../list", "-o", "../all.ofidx", cwd=self.dir / "data")
        self.expect(0, "verify", "all.ofidx")
        (self.dir / "data" / "part-1").unlink()
        verified = self.expect(1, "verify", "all.ofidx", "--json").json
        self.assertEqual([stale["shard"] for stale in verified["stale"]], ["data/part-1"])

    def test_verify_also_reports_data_that_a_build_would_refuse(self) -> None:
        self.write("data/part-0", "data/part-1")
        self.expect(0, "build", "data", "-o", "all.ofidx")
        self.write("data/part-01")
        verified = self.expect(1, "verify", "all.ofidx", "--json").json
        self.assertEqual(verified["records_checked"], 2)
        self.assertIn("part-01", str(verified["stale"]))

    def test_several_arguments_are_one_dataset(self) -> None:
        self.write("b/part-0", "a/part-1", "c")
        self.assertEqual(self.build("c", "b", "a/part-1")["shards"], 3)
        self.assertEqual(sorted(self.order()), ["a/part-1", "b/part-0", "c"])


class FoundTest(ShardSetTest):
    """Files that a folder may hold next to shards."""

    def test_names_that_begin_with_a_dot_or_an_underscore_are_skipped(self) -> None:
        self.write("data/part-0", "data/.part-1.crc", "data/_temporary/part-0", "data/.hidden/part-9")
        (self.dir / "data" / "_SUCCESS").touch()
        built = self.build("data")
        self.assertEqual((self.order(), built["skipped"]), (["data/part-0"], []))

    def test_indexes_in_the_folder_are_skipped(self) -> None:
        self.write("data/part-0", "data/part-1")
        self.expect(0, "build", "data/part-0", "--payload", "opaque")
        built = self.build("data")
        self.assertEqual((built["shards"], built["skipped"]), (2, []))

    def test_files_that_are_not_record_files_are_named_and_skipped(self) -> None:
        self.write("data/part-0")
        (self.dir / "data" / "dataset_info.json").write_text('{"name": "a dataset"}\n' * 20)
        (self.dir / "data" / "README.md").write_text("# A dataset\n\nIt is one.\n" * 20)
        self.assert_skipped(self.build("data"), "dataset_info.json", "README.md")

    def test_a_git_lfs_pointer_is_reported_as_one(self) -> None:
        self.write("data/part-0")
        (self.dir / "data" / "model").write_text(LFS_POINTER)
        built = self.build("data")
        self.assert_skipped(built, "model")
        self.assertRegex(str(built["skipped"]).lower(), "lfs")

    def test_symlinks_and_hard_links_to_a_shard_do_not_duplicate_it(self) -> None:
        self.write("data/part-0")
        os.symlink("part-0", self.dir / "data" / "part-1")
        os.link(self.dir / "data" / "part-0", self.dir / "data" / "part-2")
        built = self.build("data")
        self.assertEqual((built["shards"], self.order()), (1, ["data/part-0"]))
        self.assert_skipped(built, "part-1", "part-2")

    def test_a_symlink_to_a_file_elsewhere_is_a_shard(self) -> None:
        self.write("store/blob", "data/part-0")
        os.symlink("../store/blob", self.dir / "data" / "part-1")
        self.build("data")
        self.assertEqual(self.order(), ["data/part-0", "store/blob"])

    def test_a_cycle_of_folders_is_searched_once(self) -> None:
        self.write("data/part-0")
        os.symlink("..", self.dir / "data" / "again")
        self.assertEqual(self.build("data", timeout=10)["records"], 1)

    def test_a_build_does_not_wait_for_a_fifo(self) -> None:
        self.write("data/part-0")
        os.mkfifo(self.dir / "data" / "part-1")
        self.assertEqual(self.build("data", timeout=10)["records"], 1)
        self.assertNotEqual(self.run_command("build", "data/part-1", timeout=10).code, 0)

    def test_a_folder_may_have_the_name_of_a_shard(self) -> None:
        self.write("data/part-0", "data/part-1/part-0")
        self.build("data")
        self.assertEqual(self.order(), ["data/part-0", "data/part-1/part-0"])

    def test_a_broken_symlink_is_named_and_skipped(self) -> None:
        self.write("data/part-0")
        os.symlink("nowhere", self.dir / "data" / "link")
        self.assert_skipped(self.build("data"), "link")

    def test_empty_shards_have_no_records_and_keep_their_place_in_the_order(self) -> None:
        self.write("data/part-0", "data/part-2")
        (self.dir / "data" / "part-1").touch()
        self.assertEqual(self.build("data")["shards"], 3)
        info = self.expect(0, "info", "all.ofidx", "--json").json
        self.assertEqual([(s["format"], s["records"]) for s in info["shards"]],
                         [("tfrecord", 1), ("empty", 0), ("tfrecord", 1)])
        self.assertEqual(self.order(), ["data/part-0", "data/part-2"])

    def test_shards_that_are_all_empty_are_an_empty_dataset_if_the_format_is_given(self) -> None:
        (self.dir / "data").mkdir()
        (self.dir / "data" / "part-0").touch()
        self.assertEqual(self.build("data", "--format", "tfrecord")["records"], 0)
        self.assertEqual(self.stream(), b"")
        self.expect_error(2, "get", "all.ofidx", "0")


class SiblingsTest(ShardSetTest):
    """Numbered shards: missing numbers are reported, and a number that occurs twice is refused."""

    def test_missing_shards_of_a_numbered_set_are_named(self) -> None:
        self.write(*[f"data/train-{number:05d}-of-00005" for number in (0, 2, 3)])
        missing = self.build("data")["missing"]
        self.assertEqual(len(missing), 2, missing)
        self.assertIn("train-00001-of-00005", str(missing[0]))
        self.assertIn("train-00004-of-00005", str(missing[1]))
        said = self.expect(0, "build", "data", "-o", "all.ofidx", "--payload", "opaque", "--force").stderr
        self.assertIn("missing 2 shards of data/train-*-of-00005: 1, 4; the other names of the set imply them", said)

    def test_missing_shards_of_a_set_are_one_line(self) -> None:
        self.write(*[f"data/{name}-{number:05d}-of-00100" for name in "ab" for number in (3, 4, 9, 99)])
        said = self.expect(0, "build", "data", "-o", "all.ofidx", "--payload", "opaque").stderr.splitlines()
        ranges = "0 to 2, 5 to 8, 10 to 98; the other names of the set imply them"
        self.assertEqual(said, [f"missing 96 shards of data/{name}-*-of-00100: {ranges}" for name in "ab"])

    def test_sets_in_one_folder_are_counted_separately(self) -> None:
        self.write("data/train-00000-of-00002.tfrecord", "data/train-00001-of-00002.tfrecord",
                   "data/test-00001-of-00002.tfrecord")
        missing = self.build("data")["missing"]
        self.assertEqual(len(missing), 1, missing)
        self.assertIn("test-00000-of-00002.tfrecord", str(missing[0]))

    def test_a_hostile_count_of_shards_does_not_make_the_list_long(self) -> None:
        self.write("data/train-00000-of-99999999999")
        built = self.run_command("build", "data", "--json", "--payload", "opaque", timeout=10)
        self.assertLess(len(built.stdout), 1 << 20)

    def test_the_same_number_written_in_two_ways_is_refused(self) -> None:
        self.write("data/part-1", "data/part-01", "data/part-0")
        refused = self.expect_error(3, "build", "data")
        self.assertIn("part-1", refused.stderr)
        self.assertIn("part-01", refused.stderr)
        self.assertEqual(self.names(), ["data"])


class FormatTest(ShardSetTest):
    def test_mixed_formats_are_refused_unless_one_is_chosen(self) -> None:
        write_parts(self.dir / "data", (2,))
        records.write_ofrecord(self.dir / "data" / "part-1", payloads(2, records.OFRECORD))
        refused = self.expect_error(3, "build", "data")
        self.assertIn("--format", refused.stderr)
        self.assertEqual(self.names(), ["data"])

    def test_a_compressed_shard_may_be_one_of_a_set(self) -> None:
        self.write("data/part-0")
        stream = records.frame_tfrecord(b"payload")
        for compression, compressed in (("gzip", gzip.compress(stream, mtime=0)), ("zlib", zlib.compress(stream))):
            (self.dir / "data" / "part-1").write_bytes(compressed)
            self.expect(0, "build", "data", "--force")
            shards = self.expect(0, "info", "data", "--json").json["shards"]
            self.assertEqual([shard["compression"] for shard in shards], ["none", compression])
            self.assertEqual(self.expect(0, "get", "data", "-1", "--raw").stdout, b"payload")

    def test_a_sequence_of_unknown_payloads_needs_the_format_option(self) -> None:
        records.write_ofrecord(self.dir / "data", [b"one unknown payload", b"another"])
        self.expect_error(3, "build", "data")
        self.expect(0, "build", "data", "--format", "ofrecord")
        self.assertEqual(self.expect(0, "get", "data", "1", "--raw").stdout, b"another")

    def test_payload_kind_and_framing_are_detected_independently(self) -> None:
        records.write_tfrecord(self.dir / "one", payloads(3, records.OFRECORD))
        records.write_ofrecord(self.dir / "other", payloads(3, records.TFRECORD))
        for name, expected in (("one", ("tfrecord", "ofrecord")), ("other", ("ofrecord", "example"))):
            self.expect(0, "build", name)
            shard = self.expect(0, "info", name, "--json").json["shards"][0]
            self.assertEqual((shard["format"], shard["payload"]), expected)
