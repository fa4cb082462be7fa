"""`--index-dir` and OFINDEX_INDEX_DIR: indexes of data whose own folder cannot be written to."""

from __future__ import annotations

import os
import shlex
import shutil

from e2e import samples
from e2e.command import CommandTest, Finished

NOBODY = 65534


class IndexDirTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.payloads = samples.write_parts(self.dir / "data" / "train", [5, 5])
        self.index = self.dir / "idx" / str(self.dir / "data" / "train.ofidx").lstrip("/")

    def set_variable(self, folder: str) -> None:
        self.environment = {**self.environment, "OFINDEX_INDEX_DIR": folder}

    def test_the_option_and_the_variable_place_the_index_below_the_folder(self) -> None:
        for option in (True, False):
            with self.subTest(option=option):
                if option:
                    self.expect(0, "build", "data/train", "-q", "--index-dir", "idx")
                else:
                    self.set_variable("idx")
                    self.expect(0, "build", "data/train", "-q")
                self.assertEqual(self.names(self.index.parent), ["train.ofidx", "train.ofidx-map"])
                self.assertEqual(self.names(self.dir / "data"), ["train"])
                shutil.rmtree(self.dir / "idx")

    def test_every_verb_finds_the_index_there(self) -> None:
        self.expect(0, "build", "data/train", "-q", "--index-dir", "idx")
        for args in (
            ("info", "data/train"),
            ("schema", "data/train"),
            ("stats", "data/train"),
            ("where", "data/train", "1"),
            ("sample", "data/train"),
            ("sql", "data/train", "SELECT 1"),
            ("verify", "data/train"),
            ("get", "data/train", "0"),
            ("cat", "data/train"),
            ("split", "data/train", "a=1", "-o", "parts"),
            ("convert", "data/train", "--to", "ofrecord", "-o", "converted"),
            ("export", "data/train", "--to", "tfrecord2idx", "-o", "exported"),
            ("update", "data/train"),
            ("merge", "data/train", "-o", "merged.ofidx"),
        ):
            with self.subTest(args=args):
                self.expect(0, *args, "--index-dir", "idx")
        self.assertEqual(self.names(self.dir / "data"), ["train"])
        shown = self.expect(0, "cat", "data/train", "--to", "raw", "--index-dir", "idx").stdout
        self.assertEqual(shown, b"".join(self.payloads))

    def test_the_same_data_have_the_same_index_by_any_name(self) -> None:
        (self.dir / "link").symlink_to("data")
        self.expect(0, "build", "link/train/", "-q", "--index-dir", "idx")
        self.assertTrue(self.index.is_file())
        for name, folder, work in (
            ("data/./train", "idx", self.dir),
            (str(self.dir / "data/train"), "idx", self.dir),
            (".", "../../idx", self.dir / "data" / "train"),
        ):
            self.expect(0, "get", name, "0", "--index-dir", folder, cwd=work)

    def test_the_folder_comes_before_the_place_next_to_the_data(self) -> None:
        self.expect(0, "build", "data/train", "-q")
        self.assertEqual(self.shown_index("idx"), "data/train.ofidx")
        self.expect(0, "build", "data/train", "-q", "--index-dir", "idx")
        self.assertEqual(self.shown_index("idx"), os.path.relpath(self.index, self.dir))
        self.assertEqual(self.expect(0, "info", "data/train", "--json").json["index"], "data/train.ofidx")

    def shown_index(self, folder: str) -> str:
        return self.expect(0, "info", "data/train", "--json", "--index-dir", folder).json["index"]

    def test_the_option_comes_before_the_variable_and_o_before_both(self) -> None:
        self.set_variable("variable")
        self.expect(0, "build", "data/train", "-q", "--index-dir", "idx")
        self.assertTrue(self.index.is_file())
        self.expect(0, "build", "data/train", "-q", "-o", "named.ofidx")
        self.assertFalse((self.dir / "variable").exists())

    def test_an_index_that_is_nowhere_is_an_error_with_both_places(self) -> None:
        shown = self.expect_error(4, "get", "data/train", "0", "--index-dir", "idx").stderr
        self.assertIn(os.path.relpath(self.index, self.dir), shown)
        self.assertIn("at data/train.ofidx", shown)

    def test_an_index_that_only_the_folder_has_is_not_found_without_it_and_the_hint_says_how(self) -> None:
        self.expect(0, "build", "data/train", "-q", "--index-dir", "idx")
        for verb in (("get", "data/train", "0"), ("sql", "data/train", "SELECT 1"), ("update", "data/train")):
            shown = self.expect_error(4, *verb).stderr
            self.assertIn("data/train.ofidx: there is no index", shown)
            self.assertIn("`ofindex build data/train`", shown)
            self.assertIn("`ofindex build --index-dir DIR`", shown)
            self.assertIn("OFINDEX_INDEX_DIR", shown)

    def test_the_hint_builds_the_index_by_any_name(self) -> None:
        for name in ("my data", "it's", "$x", "-q"):
            samples.write_parts(self.dir / name, [3])
            given = f"./{name}" if name.startswith("-") else name
            shown = self.expect_error(4, "info", given).stderr
            command = shown.split("`")[1].removeprefix("ofindex ")
            self.expect(0, *shlex.split(command), "-q")
            self.expect(0, "info", given)

    def test_misspelt_data_are_named_with_what_was_meant(self) -> None:
        self.expect(0, "build", "data/train", "-q")
        for name, meant in (("data/trian", "data/train"), ("dtaa/train", "data/train"), ("data/Train", "data/train")):
            shown = self.expect_error(4, "get", name, "0").stderr
            self.assertIn(f"ofindex: {name}: no such file or folder, and no index {name}.ofidx", shown)
            self.assertIn(f"hint: did you mean '{meant}'?", shown)
            self.assertIn(f"hint: did you mean '{meant}'?", self.expect_error(2, "build", name, "-o", "x").stderr)
        shutil.rmtree(self.dir / "data" / "train")  # the index alone
        self.assertIn("'data/train'", self.expect_error(4, "info", "data/trian").stderr)

    def test_paths_are_shown_as_the_user_can_use_them_and_documents_have_them_as_stored(self) -> None:
        (self.dir / "named").mkdir()
        for folder, option in (("idx", ("--index-dir", "idx")), ("named", ())):
            index = "data/train" if option else "named/a.ofidx"
            (self.dir / "data" / "train" / "notes.txt").write_text("no records")
            built = self.expect(0, "build", "data/train", *(option or ("-o", index)))
            self.assertIn("skipped data/train/notes.txt: ", built.stderr)
            shown = self.expect(0, "info", index, *option).text
            self.assertIn(" data/train/part-0\n", shown)
            self.assertIn("skipped data/train/notes.txt: ", shown)
            self.assertTrue(
                self.expect(0, "get", index, "0", *option).text.startswith("record 0 of data/train/part-0@0,")
            )
            below = {"cwd": self.dir / folder}  # the data are not below it
            there = (f"../{index}", "--index-dir", ".") if option else ("a.ofidx",)
            shown = self.expect(0, "info", *there, **below).text
            self.assertIn(f" {self.dir / 'data/train/part-0'}\n", shown)
            stored = self.expect(0, "info", index, "--json", *option).json["shards"][0]["path"]
            self.assertTrue(stored.startswith("../"), stored)
            (self.dir / "data" / "train" / "part-7").write_bytes((self.dir / "data" / "train" / "part-0").read_bytes())
            self.assertIn("new data/train/part-7: 5 records", self.expect(0, "update", index, *option).stderr)
            (self.dir / "data" / "train" / "part-1").unlink()
            self.assertIn("missing data/train/part-1: ", self.expect(0, "update", index, *option).stderr)
            (self.dir / "data" / "train" / "part-9").write_bytes((self.dir / "data" / "train" / "part-0").read_bytes())
            self.assertIn("stale   data/train/part-9: ", self.expect(1, "verify", index, *option).text)
            shutil.rmtree(self.dir / "data")
            self.payloads = samples.write_parts(self.dir / "data" / "train", [5, 5])

    def test_a_build_that_fails_leaves_no_folders(self) -> None:
        (self.dir / "texts").mkdir()
        (self.dir / "texts" / "notes.txt").write_text("no records")
        self.expect(3, "build", "texts", "--index-dir", "idx")
        self.assertFalse((self.dir / "idx").exists())

    def test_convert_still_indexes_data_without_an_index(self) -> None:
        self.expect(0, "convert", "data/train", "--to", "ofrecord", "-o", "out", "--index-dir", "idx")
        self.assertFalse((self.dir / "idx").exists())

    def test_parts_lie_there_too_and_merge_puts_them_together(self) -> None:
        for part in ("1/2", "2/2"):
            self.expect(0, "build", "data/train", "-q", "--part", part, "--index-dir", "idx")
        parts = [str(self.index).replace(".ofidx", f".part-{part}-of-2.ofidx") for part in (1, 2)]
        self.expect(0, "merge", *parts, "-o", str(self.index), "-q")
        self.expect(0, "build", "data/train", "-o", "once.ofidx", "-q")
        shown = self.expect(0, "info", "data/train", "--json", "--index-dir", "idx").json
        self.assertEqual(shown["id"], self.expect(0, "info", "once.ofidx", "--json").json["id"])

    def as_anyone(self, *args: str) -> Finished:
        """Runs the command as a user who may not write everywhere, as root may."""
        user = NOBODY if os.geteuid() == 0 else None
        for path in (self.dir.parent, self.dir):
            path.chmod(0o755)
        return self.run_command(*args, user=user, group=user)

    def test_a_build_in_a_folder_that_cannot_be_written_to_names_the_option(self) -> None:
        (self.dir / "idx").mkdir()
        (self.dir / "idx").chmod(0o777)
        (self.dir / "data").chmod(0o555)
        self.addCleanup((self.dir / "data").chmod, 0o755)
        refused = self.as_anyone("build", "data/train")
        self.assertEqual(refused.code, 5, refused)
        self.assertIn("hint: write the index below another folder with --index-dir DIR", refused.stderr)
        built = self.as_anyone("build", "data/train", "-q", "--index-dir", "idx")
        self.assertEqual(built.code, 0, built)
        self.assertEqual(
            self.as_anyone("get", "data/train", "0", "--raw", "--index-dir", "idx").stdout, self.payloads[0]
        )
