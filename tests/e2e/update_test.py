"""`update`: what it does with every kind of change of a file, what it says, and when it refuses."""

from __future__ import annotations

import fcntl
import gzip
import os
import shutil
import time

from e2e.samples import payload, write_parts
from e2e.unreadable_test import PermissionTest
from e2e.updating import COUNTS, UpdateCase
from oracle import messages, records

STATE = ("st_ino", "st_size", "st_mtime_ns", "st_mode")


class ChangesTest(UpdateCase):
    """The shards are part-0 with records 0 to 4, an empty part-1, part-2 with 5 to 10, and part-3 with 11 to 17."""

    def test_new_shards_get_the_next_ordinals_in_natural_order(self) -> None:
        self.write("part-10", (100, 101))
        self.write("part-9", (90,))
        self.expected |= {18: 90, 19: 100, 20: 101}
        updated = self.update()
        self.assert_lists(updated, new=[{"path": "data/part-9", "records": 1}, {"path": "data/part-10", "records": 2}])
        self.assertEqual((updated["generation"], updated["new_records"], updated["unchanged"]), (2, 3, 4))
        self.expect(0, "verify", "data")

    def test_a_grown_shard_keeps_its_records_and_its_new_ones_are_added(self) -> None:
        self.append("part-0", self.framed((100, 101)))
        self.expected |= {18: 100, 19: 101}
        updated = self.update()
        self.assert_lists(updated, grown=[{"path": "data/part-0", "records": 7, "new_records": 2}])
        self.append("part-0", self.framed((102,)))
        self.append("part-3", self.framed((103,)))
        self.expected |= {20: 102, 21: 103}
        self.assertEqual(self.update()["new_records"], 2)
        shards = self.expect(0, "info", "data", "--json").json["shards"]
        self.assertEqual([shard["records"] for shard in shards], [8, 0, 6, 8])
        self.expect(0, "verify", "data")

    def test_a_record_that_is_torn_is_damage_until_it_is_whole(self) -> None:
        more = self.framed((100, 101))
        self.append("part-2", more[:-9])
        self.expected |= {18: 100}
        updated = self.update(3)
        self.assertEqual([(row["shard"], row["reason"]) for row in updated["damage"]], [("data/part-2", "torn_tail")])
        self.append("part-2", more[-9:])
        self.expected |= {19: 101}
        self.assertEqual(self.update()["damage"], [])
        self.expect(0, "verify", "data")

    def test_a_gzip_shard_grows_by_a_member(self) -> None:
        (self.data / "part-4").write_bytes(gzip.compress(self.framed((40, 41))))
        self.expected |= {18: 40, 19: 41}
        self.update()
        self.append("part-4", gzip.compress(self.framed((42,))))
        self.expected |= {20: 42}
        self.assert_lists(self.update(), grown=[{"path": "data/part-4", "records": 3, "new_records": 1}])
        self.expect(0, "verify", "data")

    def test_an_empty_shard_that_gets_records_is_changed_and_leaves_no_gap(self) -> None:
        self.write("part-1", (50,))
        self.expected |= {18: 50}
        updated = self.update()
        self.assert_lists(updated, changed=[{"path": "data/part-1", "records": 1}])
        self.assertEqual(updated["gone_records"], 0)

    def test_a_changed_or_shortened_shard_is_another_one(self) -> None:
        self.write("part-0", (100, 101))
        whole = self.data / "part-2"
        whole.write_bytes(self.framed((5, 6, 7)))
        self.take_out((0, 1, 2, 3, 4, *range(5, 11)))
        self.expected |= {18: 100, 19: 101, 20: 5, 21: 6, 22: 7}
        updated = self.update()
        changed = [{"path": "data/part-0", "records": 2}, {"path": "data/part-2", "records": 3}]
        self.assert_lists(updated, changed=changed)
        self.assertEqual((updated["new_records"], updated["gone_records"], updated["ordinals"]), (5, 11, 23))
        self.expect(0, "verify", "data")

    def test_a_shard_that_is_overwritten_with_a_text_has_no_records(self) -> None:
        (self.data / "more").mkdir()
        self.write("more/notes", (50,))
        self.expected |= {18: 50}
        self.update()
        (self.data / "more" / "notes").write_text("a text of some words, which is no record\n")
        self.take_out([18])
        updated = self.update()
        self.assert_lists(updated, changed=[{"path": "data/more/notes", "records": 0}])
        self.assertEqual([file["path"] for file in updated["skipped"]], ["data/more/notes"])
        self.assertEqual((updated["gone_records"], updated["ordinals"]), (1, 19))
        self.assertTrue(self.update()["up_to_date"])

    def test_records_keep_their_ordinals_when_files_are_renamed_or_swapped(self) -> None:
        (self.data / "part-0").rename(self.data / "part-7")
        (self.data / "part-2").rename(self.data / "other")
        (self.data / "part-3").rename(self.data / "part-2")
        (self.data / "other").rename(self.data / "part-3")
        updated = self.update()
        self.assert_lists(updated, moved=[
            {"path": "data/part-2", "records": 7, "before": "data/part-3"},
            {"path": "data/part-3", "records": 6, "before": "data/part-2"},
            {"path": "data/part-7", "records": 5, "before": "data/part-0"},
        ])  # fmt: skip
        self.expect(0, "verify", "data")

    def test_a_merge_of_updated_indexes_says_that_it_numbers_again(self) -> None:
        (self.data / "part-0").unlink()
        self.append("part-2", self.framed((100,)))
        self.take_out(range(5))
        self.expected |= {18: 100}
        self.update()
        (self.dir / "more").mkdir()
        (self.dir / "more" / "part-0").write_bytes(self.framed((200, 201)))
        self.expect(0, "build", "more")
        merged = self.expect(0, "merge", "data.ofidx", "more.ofidx", "-o", "merged.ofidx", "--json")
        self.assertIn("records are numbered again", merged.stderr)
        self.assertEqual((merged.json["renumbered"], merged.json["records"]), (True, 16))
        query = "select _id, label from records order by _id"
        rows = self.expect(0, "sql", "merged.ofidx", query, "--json").json["rows"]
        numbers = [*range(5, 11), 100, *range(11, 18), 200, 201]
        self.assertEqual([(row["_id"], row["label"]) for row in rows], list(enumerate(numbers)))
        self.expect(0, "verify", "merged.ofidx")

    def test_a_missing_shard_leaves_a_gap_until_it_is_back(self) -> None:
        (self.data / "part-2").rename(self.dir / "away")
        gone = self.take_out(range(5, 11))
        updated = self.update()
        self.assert_lists(updated, missing=[{"path": "data/part-2", "records": 6}])
        self.assertEqual((updated["gone_records"], updated["ordinals"]), (6, 18))
        self.assertIn("data/part-2", self.expect_error(2, "get", "data", "7").stderr)
        self.assertTrue(self.update()["up_to_date"])
        self.expect(0, "verify", "data")
        self.write("part-5", (100,))
        (self.dir / "away").rename(self.data / "part-2")
        self.expected = dict(sorted((self.expected | gone | {18: 100}).items()))
        restored = self.update()
        self.assert_lists(restored, new=[{"path": "data/part-5", "records": 1}],
                          restored=[{"path": "data/part-2", "records": 6}])  # fmt: skip
        self.assertEqual((restored["generation"], restored["new_records"], restored["gone_records"]), (3, 1, 0))
        self.expect(0, "verify", "data")

    def test_an_empty_shard_that_is_missing_leaves_nothing_behind(self) -> None:
        (self.data / "part-1").unlink()
        updated = self.update()
        self.assert_lists(updated, missing=[{"path": "data/part-1", "records": 0}])
        self.assertEqual((updated["shards"], updated["gone_records"], updated["ordinals"]), (3, 0, 18))

    def test_a_shard_that_cannot_go_on_is_its_copy(self) -> None:
        (self.data / "part-4").write_bytes(gzip.compress(self.framed((40, 41))) + b"trailing")
        self.expected |= {18: 40, 19: 41}
        self.update(3)
        shutil.copy(self.data / "part-4", self.data / "part-5")
        self.append("part-4", b"more")
        self.expected |= {20: 40, 21: 41}
        updated = self.update(3)
        self.assertEqual([shard["path"] for shard in updated["moved"]], ["data/part-5"])
        self.assertEqual(updated["gone_records"], 0)

    def test_a_shard_that_was_copied_and_then_appended_to_goes_on_at_its_path(self) -> None:
        shutil.copy(self.data / "part-0", self.data / "part-4")
        self.append("part-0", self.framed((100,)))
        self.expected |= {18: 100} | {19 + number: number for number in range(5)}
        updated = self.update()
        self.assert_lists(
            updated,
            grown=[{"path": "data/part-0", "records": 6, "new_records": 1}],
            new=[{"path": "data/part-4", "records": 5}],
        )
        self.assertEqual(updated["gone_records"], 0)

    def test_many_changes_at_once(self) -> None:
        (self.data / "part-0").rename(self.data / "part-8")
        self.append("part-2", self.framed((100,)))
        (self.data / "part-3").unlink()
        self.write("part-4", (101, 102))
        self.take_out(range(11, 18))
        self.expected |= {18: 100, 19: 101, 20: 102}
        done = self.expect(0, "update", "data")
        self.assert_records()
        self.assertEqual(done.stderr.splitlines(), [
            "grown data/part-2: 1 new record",
            "missing data/part-3: 7 records, gone until it is restored",
            "new data/part-4: 2 records",
            "moved data/part-8: was data/part-0",
        ])  # fmt: skip
        self.assertRegex(done.text, r"^data\.ofidx: 14 records in 4 shards, generation 2; 3 new, 7 gone; [\d.]+ s\n$")

    def test_features_that_appear_and_values_that_get_long_change_the_columns(self) -> None:
        score = messages.encode("example", {"label": ("int64", [100]), "score": ("float", [0.5])})
        (self.data / "part-4").write_bytes(records.frame_tfrecord(score))
        updated = self.expect(0, "update", "data", "--json").json
        self.assertEqual((updated["columns_added"], updated["columns_removed"]), (["score"], []))
        rows = self.expect(0, "sql", "data", "select _id, score from records where score is not null", "--json").json
        self.assertEqual(rows["rows"], [{"_id": 18, "score": 0.5}])
        long = messages.encode("example", {"label": ("int64", [101]), "image": ("bytes", [b"x" * 65])})
        (self.data / "part-5").write_bytes(records.frame_tfrecord(long))
        updated = self.expect(0, "update", "data", "--json").json
        self.assertEqual((updated["columns_added"], updated["columns_removed"]), (["image#bytes"], ["image"]))
        sizes = self.expect(0, "sql", "data", 'select max("image#bytes") as most from records', "--json").json["rows"]
        self.assertEqual(sizes, [{"most": 65}])
        self.expect(0, "verify", "data")

    def test_data_that_is_added_once_is_followed_from_then_on(self) -> None:
        write_parts(self.dir / "more", (2,))
        self.expected |= {18: 0, 19: 1}
        self.assert_lists(self.update(0, "more"), new=[{"path": "more/part-0", "records": 2}])
        self.assertTrue(self.update(0, "more")["up_to_date"])
        (self.dir / "more" / "part-1").write_bytes(self.framed((100,)))
        self.expected |= {20: 100}
        self.assert_lists(self.update(), new=[{"path": "more/part-1", "records": 1}])

    def test_data_that_is_no_shard_is_named_once(self) -> None:
        (self.dir / "words.txt").write_text("words")
        shutil.copy(self.dir / "data.ofidx", self.dir / "other")
        said = self.expect(0, "update", "data", "words.txt", "other", "data.ofidx-map").stderr
        for name in ("words.txt", "other", "data.ofidx-map"):
            self.assertIn(f"skipped {name}: ", said)
        self.assertEqual(self.expect(0, "update", "data").stderr, "")

    def test_a_shard_that_a_set_lacks_is_named(self) -> None:
        for number in (0, 2):
            (self.data / f"set-{number:05}-of-00003").write_bytes(self.framed((100 + number,)))
        said = self.expect(0, "update", "data").stderr
        self.assertIn("missing data/set-00001-of-00003: the other names of its set imply it\n", said)
        (self.data / "set-00002-of-00003").rename(self.data / "moved")
        self.assertIn("missing 2 shards of data/set-*-of-00003: 1, 2; the other", self.expect(0, "update", "data").stderr)
        (self.data / "moved").rename(self.data / "set-00002-of-00003")
        self.expect(0, "update", "data")
        (self.data / "set-00000-of-00003").unlink()
        self.expected |= {19: 102}
        updated = self.update()
        self.assertEqual(updated["missing_in_sets"], ["data/set-00001-of-00003"])
        self.assert_lists(updated, missing=[{"path": "data/set-00000-of-00003", "records": 1}])

    def test_more_features_than_columns_are_named(self) -> None:
        many = messages.encode("example", {f"f{number:04}": ("int64", [number]) for number in range(1000)})
        (self.data / "part-4").write_bytes(records.frame_tfrecord(many))
        done = self.expect(0, "update", "data", "--json")
        self.assertIn("without a column", done.stderr)
        self.assertGreater(done.json["features_without_column"], 0)

    def test_a_shard_beyond_the_limits_of_inflated_sizes_needs_other_limits(self) -> None:
        numbers = range(100, 200_000)
        (self.data / "part-4").write_bytes(gzip.compress(self.framed(numbers), 1))
        refused = self.expect_error(7, "update", "data", "--max-inflated", "1")
        self.assertIn("data/part-4@", refused.stderr)
        self.assertIn("--max-inflated", refused.stderr)
        updated = self.expect(0, "update", "data", "--max-inflated", "100", "--checkpoint-every", "1", "--json").json
        self.assertEqual(updated["new_records"], len(numbers))

    def test_a_list_and_a_glob_are_read_again(self) -> None:
        (self.dir / "list").write_text("data/part-0\n")
        self.expect(0, "build", "@list", "data/part-[2-9]", "-o", "some.ofidx")
        (self.dir / "list").write_text("data/part-0\ndata/part-1\n")
        self.write("part-1", (100,))
        self.write("part-4", (101,))
        updated = self.expect(0, "update", "some.ofidx", "--json").json
        self.assertEqual([shard["path"] for shard in updated["new"]], ["data/part-1", "data/part-4"])
        self.assertEqual((updated["records"], updated["ordinals"]), (20, 20))

    def test_named_files_lines_of_a_list_and_matches_of_a_glob_may_all_be_gone(self) -> None:
        (self.dir / "list").write_text("data/part-2\n")
        self.expect(0, "build", "data/part-0", "@list", "data/part-3*", "data/part-1", "-o", "some.ofidx")
        for gone, count in (("part-3", 11), ("part-2", 5)):
            (self.data / gone).unlink()
            updated = self.expect(0, "update", "some.ofidx", "--json").json
            self.assertEqual([shard["path"] for shard in updated["missing"]], [f"data/{gone}"])
            self.assertEqual((updated["records"], updated["ordinals"]), (count, 18))
        (self.data / "part-0").rename(self.dir / "away")
        self.assertIn("part-0", self.expect(0, "update", "some.ofidx", "--json").stderr)
        (self.dir / "away").rename(self.data / "part-0")
        self.assertEqual(self.expect(0, "update", "some.ofidx", "--json").json["records"], 5)
        self.expect_error(2, "update", "some.ofidx", "data/part-4*")
        self.expect_error(2, "update", "some.ofidx", "data/part-4")
        self.expect_error(5, "update", "some.ofidx", "@none")
        (self.dir / "list").unlink()
        self.assertIn("its list list is not there", self.expect_error(4, "update", "some.ofidx").stderr)
        (self.dir / "list").touch()
        self.assertTrue(self.expect(0, "update", "some.ofidx", "--json").json["up_to_date"])
        (self.dir / "list").write_text("data/part-0\n")
        self.expect(0, "build", "@list", "-o", "listed.ofidx")
        (self.dir / "list").unlink()
        self.assertNotIn("empty list", self.expect_error(4, "update", "listed.ofidx").stderr)

    def test_an_index_is_updated_from_any_folder(self) -> None:
        self.append("part-0", self.framed((100,)))
        (self.dir / "elsewhere").mkdir()
        for index in ("../data.ofidx", "../data", str(self.dir / "data.ofidx")):
            updated = self.expect(0, "update", index, "--json", cwd=self.dir / "elsewhere").json
            self.assertEqual((updated["records"], updated["generation"]), (19, 2))
        self.expected |= {18: 100}
        self.assert_records()

    def test_payloads_are_checked_if_the_index_was_built_so(self) -> None:
        shard = bytearray(self.framed((100,)))
        shard[20] ^= 1
        self.expect(0, "build", "data", "--verify", "--force")
        (self.data / "part-4").write_bytes(shard)
        updated = self.expect(3, "update", "data", "--json").json
        self.assertEqual([row["shard"] for row in updated["bad"]], ["data/part-4"])


class NotThereTest(UpdateCase):
    """What cannot be seen is not taken for missing."""

    def test_shards_behind_links_that_lead_nowhere_are_kept(self) -> None:
        (self.dir / "disk" / "folder").mkdir(parents=True)
        (self.dir / "disk" / "part-8").write_bytes(self.framed((80,)))
        (self.dir / "disk" / "folder" / "part-9").write_bytes(self.framed((90, 91)))
        (self.data / "part-8").symlink_to("../disk/part-8")
        (self.data / "more").symlink_to("../disk/folder")
        self.expected |= {18: 80, 19: 90, 20: 91}
        self.update()
        (self.dir / "disk").rename(self.dir / "unmounted")
        self.append("part-0", self.framed((100,)))
        done = self.expect(5, "update", "data", "--json")
        self.assertEqual((done.json["gone_records"], done.json["new_records"], done.json["missing"]), (0, 1, []))
        self.assertIn("data/part-8: a dangling link", done.stderr)
        self.assertIn("nothing is pruned", self.expect_error(5, "update", "data", "--prune").stderr)
        (self.dir / "unmounted").rename(self.dir / "disk")
        self.expected |= {21: 100}
        self.assertTrue(self.update()["up_to_date"])

    def test_data_that_is_a_link_must_lead_somewhere(self) -> None:
        self.data.rename(self.dir / "disk")
        self.data.symlink_to("disk")
        self.expect(0, "build", "data", "--force")
        (self.dir / "disk").rename(self.dir / "unmounted")
        refused = self.expect_error(4, "update", "data")
        self.assertIn("its link data leads nowhere; is the disk mounted?", refused.stderr)

    def test_a_folder_of_the_data_that_is_removed_for_good_is_replaced_by_an_empty_one(self) -> None:
        write_parts(self.dir / "more", (2,))
        self.expect(0, "update", "data", "more")
        shutil.rmtree(self.dir / "more")
        self.assertIn("its folder more is not there", self.expect_error(4, "update", "data").stderr)
        (self.dir / "more").mkdir()
        self.assertEqual(self.update()["gone_records"], 2)

    def test_lines_of_a_list_that_lead_nowhere_from_another_folder_are_an_error(self) -> None:
        (self.dir / "list").write_text("data/part-0\ndata/part-3\n")
        self.expect(0, "build", "@list", str(self.data / "part-2"), "-o", "some.ofidx")
        refused = self.expect_error(4, "update", "../some.ofidx", cwd=self.data)
        self.assertIn("data/part-0, a line of a list, leads nowhere", refused.stderr)
        self.assertTrue(self.expect(0, "update", "some.ofidx", "--json").json["up_to_date"])

    def test_paths_from_standard_input_and_names_that_look_like_lists_are_data_from_then_on(self) -> None:
        write_parts(self.dir / "@more", (1,))
        (self.dir / "extra").write_bytes(self.framed((200,)))
        self.expected |= {18: 0, 19: 200}
        self.expect(0, "update", "data", "@-", "./@more", stdin=b"extra\n")
        self.assertTrue(self.update()["up_to_date"])
        (self.dir / "@more" / "part-1").write_bytes(self.framed((201,)))
        self.expected |= {20: 201}
        self.update()

    def test_a_build_with_other_options_does_not_move_ordinals_of_an_updated_index(self) -> None:
        self.append("part-0", self.framed((100,)))
        self.expected |= {18: 100}
        self.update()
        refused = self.expect_error(4, "build", "data", "--verify")
        self.assertIn("it was updated, to generation 2", refused.stderr)
        self.assert_records()
        self.expect(0, "build", "data", "--verify", "--force")

    def test_a_copy_of_the_data_is_found_without_the_first_shard(self) -> None:
        (self.data / "part-0").unlink()
        self.take_out(range(5))
        self.update()
        shutil.move(self.data, self.dir / "copy" / "data")
        read = self.expect(0, "get", "data", *map(str, self.expected), "--raw", "--root", "copy/data")
        self.assertEqual(read.stdout, b"".join(payload(number) for number in self.expected.values()))


class UpToDateTest(UpdateCase):
    def state(self) -> list[object]:
        paths = (self.dir / "data.ofidx", self.dir / "data.ofidx-map")
        return [(path.read_bytes(), *(getattr(path.stat(), field) for field in STATE)) for path in paths]

    def test_nothing_is_written_if_only_times_differ(self) -> None:
        before, names = self.state(), self.names()
        copy = self.dir / "copy"
        for change in ("nothing", "touched", "copied"):
            with self.subTest(change):
                if change == "touched":
                    os.utime(self.data / "part-2", ns=(0, 10**18))
                if change == "copied":
                    shutil.copy(self.data / "part-0", copy)
                    copy.replace(self.data / "part-0")
                updated = self.update()
                self.assertEqual((updated["up_to_date"], updated["generation"], updated["unchanged"]), (True, 1, 4))
                self.assert_lists(updated)
                self.assert_same(self.state(), before, "index and map")
                self.assertEqual(self.names(), names)

    def test_a_damaged_map_is_rebuilt_even_if_nothing_has_changed(self) -> None:
        path = self.dir / "data.ofidx-map"
        whole = path.read_bytes()
        path.write_bytes(whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:])
        done = self.expect(0, "update", "data", "--json")
        self.assertTrue(done.json["up_to_date"])
        self.assertIn("the map was rebuilt", done.stderr)
        self.assert_same(path.read_bytes(), whole, "map")
        self.assertEqual(self.expect(0, "update", "data").stderr, "")

    def test_an_index_among_its_shards_is_not_listed_while_it_is_written(self) -> None:
        self.expect(0, "build", "data", "-o", "data/an_index")
        self.write("part-4", (100,))
        updated = self.expect(0, "update", "data/an_index", "--json").json
        self.assertEqual((updated["skipped"], updated["new_records"]), ([], 1))
        (self.dir / "link").symlink_to("data/an_index")
        self.write("part-5", (101,))
        updated = self.expect(0, "update", "link", "--json").json
        self.assertEqual((updated["skipped"], updated["new_records"]), ([], 1))

    def test_an_updated_index_is_up_to_date_for_a_build(self) -> None:
        self.append("part-0", self.framed((100,)))
        self.expected |= {18: 100}
        self.update()
        before = self.state()
        self.assertTrue(self.expect(0, "build", "data", "--json").json["up_to_date"])
        self.assert_same(self.state(), before, "index and map")

    def test_what_an_interrupted_build_has_saved_is_removed(self) -> None:
        saved = self.dir / ".data.ofidx.saved.ofindex-draft"
        saved.write_bytes(b"ofindex saved 1\n")
        self.append("part-0", self.framed((100,)))
        self.expected |= {18: 100}
        self.update()
        self.assertFalse(saved.exists())

    def test_damage_that_is_known_is_reported_once(self) -> None:
        self.append("part-0", b"torn")
        self.update(3)
        self.assertTrue(self.update(0)["up_to_date"])
        self.write("part-4", (100,))
        self.expected |= {18: 100}
        self.assertEqual(self.update(0)["damage"], [])
        self.assertEqual(len(self.expect(0, "info", "data", "--json").json["damage"]), 1)


class RefusedTest(UpdateCase):
    def refuse(self, code: int, *args: str) -> str:
        """The command fails, and leaves index and map as they are; returns what it says."""
        paths = [self.dir / name for name in ("data.ofidx", "data.ofidx-map")]
        before, names = [path.read_bytes() for path in paths], self.names()
        refused = self.expect_error(code, *args)
        self.assertEqual(([path.read_bytes() for path in paths], self.names()), (before, names))
        return refused.stderr

    def test_exit_codes(self) -> None:
        self.refuse(2, "update")
        self.refuse(4, "update", "nothing.ofidx")
        self.refuse(2, "update", "data", "nothing")
        (self.dir / "broken.ofidx").write_bytes((self.dir / "data.ofidx").read_bytes()[:-70000])
        self.refuse(4, "update", "broken.ofidx")
        (self.dir / "text.ofidx").write_text("a text")
        self.refuse(4, "update", "text.ofidx")
        self.expect(0, "build", "data", "--part", "1/2")
        self.refuse(4, "update", "data.part-1-of-2.ofidx")

    def test_if_all_shards_are_missing_the_index_stays(self) -> None:
        for name in self.names(self.data):
            (self.data / name).unlink()
        self.assertIn("is the disk mounted?", self.refuse(4, "update", "data"))
        self.data.rmdir()
        self.assertIn("folder data is not there; is the disk mounted?", self.refuse(4, "update", "data"))
        write_parts(self.data, COUNTS)
        self.assertTrue(self.update()["up_to_date"])

    def test_a_shard_of_another_format_belongs_into_another_index(self) -> None:
        records.WRITE[records.OFRECORD](self.data / "part-4", [payload(n, records.OFRECORD) for n in range(9)])
        self.assertIn("part-4", self.refuse(3, "update", "data"))

    def test_another_writer_of_the_index_is_not_disturbed(self) -> None:
        self.append("part-0", self.framed((100,)))
        with open(self.dir / "data.ofidx.ofindex-draft", "wb") as draft:
            fcntl.flock(draft, fcntl.LOCK_EX)
            self.assertIn("--wait", self.refuse(6, "update", "data"))
            waiting = self.start("update", "data", "--wait", "--json")
            time.sleep(0.3)
            self.assertIsNone(waiting.poll())
        self.assertEqual(self.finish(waiting).json["new_records"], 1)
        self.expected |= {18: 100}
        self.assertTrue(self.update()["up_to_date"])

    def test_of_many_updates_at_once_each_finishes_or_is_told_of_another(self) -> None:
        self.append("part-0", self.framed((100,)))
        running = [self.start("update", "data", "--json") for _ in range(8)]
        done = [self.finish(process) for process in running]
        self.assertLessEqual({one.code for one in done}, {0, 6}, done)
        finished = [one.json for one in done if one.code == 0]
        self.assertEqual([one["up_to_date"] for one in finished].count(False), 1, done)
        self.expected |= {18: 100}
        self.assertEqual(self.update()["generation"], 2)
        self.assertEqual(self.names(), ["data", "data.ofidx", "data.ofidx-map"])


class PermissionsTest(UpdateCase, PermissionTest):
    def test_an_unreadable_shard_is_kept_and_reported(self) -> None:
        self.forbid(self.data / "part-2")
        self.write("part-4", (100,))
        done = self.expect(5, "update", "data", "--json", **self.bound)
        self.assertEqual([shard["path"] for shard in done.json["unreadable"]], ["data/part-2"])
        self.assertEqual((done.json["records"], done.json["gone_records"]), (19, 0))
        self.assertIn("data/part-2: cannot open: Permission denied", done.stderr)
        (self.data / "part-2").chmod(0o644)
        self.expected |= {18: 100}
        self.assertTrue(self.update()["up_to_date"])

    def test_the_shards_of_a_folder_that_cannot_be_listed_are_kept(self) -> None:
        write_parts(self.data / "more", (2,))
        self.expected |= {18: 0, 19: 1}
        self.update()
        self.forbid(self.data / "more")
        done = self.expect(5, "update", "data", "--json", **self.bound)
        self.assertEqual((done.json["records"], done.json["gone_records"]), (20, 0))
        (self.data / "more").chmod(0o755)
        self.assertTrue(self.update()["up_to_date"])

    def test_a_writer_of_another_user_is_not_bypassed(self) -> None:
        with open(self.dir / "data.ofidx.ofindex-draft", "wb") as draft:
            os.fchmod(draft.fileno(), 0o600)
            fcntl.flock(draft, fcntl.LOCK_EX)
            self.expect_error(5, "update", "data", "--wait", **self.bound)
        (self.dir / "data.ofidx.ofindex-draft").unlink()

    def test_a_damaged_map_in_a_folder_that_cannot_be_written_is_named(self) -> None:
        path = self.dir / "data.ofidx-map"
        path.write_bytes(path.read_bytes()[:-100] + bytes(100))
        self.dir.chmod(0o555)
        self.addCleanup(self.dir.chmod, 0o777)
        self.assertIn("it cannot be rebuilt", self.expect_error(5, "update", "data", **self.bound).stderr)

    def test_in_a_folder_that_cannot_be_written_the_index_stays(self) -> None:
        before = (self.dir / "data.ofidx").read_bytes()
        self.dir.chmod(0o555)
        self.addCleanup(self.dir.chmod, 0o777)
        self.assertTrue(self.expect(0, "update", "data", "--json", **self.bound).json["up_to_date"])
        self.append("part-0", self.framed((100,)))
        self.assertIn("data.ofidx", self.expect_error(5, "update", "data", **self.bound).stderr)
        self.assertEqual((self.dir / "data.ofidx").read_bytes(), before)
        self.assertEqual(self.names(), ["data", "data.ofidx", "data.ofidx-map"])
