"""Command lines of which it is plain what was meant: the hint says how to write that."""

from __future__ import annotations

import json
from pathlib import Path

from e2e.command import CommandTest
from e2e.output_folder import ROWS, OutputFolderTest
from e2e.samples import write_parts


class MeantTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", (3, 2))
        self.expect(0, "build", "data", "-q")

    def assert_hint(self, hint: str, code: int, *args: str | Path) -> None:
        with self.subTest(args):
            refused = self.expect_error(code, *args)
            self.assertIn(hint, refused.stderr.splitlines()[1])

    def test_names_with_spaces_between_them_are_shown_with_commas(self) -> None:
        for args, list_ in (
            (("get", "data", "0", "--feature", "label", "image"), "--feature label,image"),
            (("get", "data", "--feature=label", "image", "--json"), "--feature=label,image"),
            (("cat", "data", "--feature", "label", "image"), "--feature label,image"),
            (("cat", "data", "--feature", "label,", "image"), "--feature label,image"),
            (("cat", "data", "--to", "csv", "--feature", "label", "image", "x"), "--feature label,image,x"),
            (("build", "data", "--columns", "label", "image"), "--columns label,image"),
            (("build", "data", "-o", "x.ofidx", "--columns", "label", "image"), "--columns label,image"),
        ):
            self.assert_hint(f"hint: did you mean '{list_.replace('=', ' ')}'?", 2, *args)
        for args in (
            ("get", "data", "--feature", "lable", "0"),
            ("get", "data", "--feature", "label", "99"),
            ("build", "--columns", "label", "data", "data/part-0"),
            ("cat", "data", "--feature", "label", "--to", "xml"),
            # The words after the list are the arguments.
            ("get", "--feature", "label", "data", "1x"),
            ("get", "--feature", "data", "0", "data"),
            ("get", "--io", "mmap", "--feature", "label", "data", "99"),
            ("cat", "--feature", "label", "data", "--to", "xml"),
        ):
            self.assertNotIn("did you mean '--", self.expect_error(2, *args).stderr)

    def test_arguments_after_a_list_of_names_keep_their_hints(self) -> None:
        for code, args in (
            (4, ("get", "--feature", "label", "datta", "1")),
            (4, ("cat", "--feature", "label", "datta", "--to", "csv")),
            (4, ("cat", "--io=mmap", "--feature=label", "datta")),
            (2, ("build", "--columns", "label", "datta")),
        ):
            self.assert_hint("hint: did you mean 'data'?", code, *args)

    def test_an_index_is_no_data(self) -> None:
        before = self.bytes_of("data.ofidx")
        self.assert_hint("`ofindex update data.ofidx`", 2, "build", "data.ofidx")
        self.assert_hint("`ofindex update data.ofidx`", 2, "build", "data.ofidx", "--force")
        self.assert_hint("`ofindex update data.ofidx`", 2, "build", "data", "data.ofidx", "-o", "x.ofidx")
        self.assertEqual(self.bytes_of("data.ofidx"), before)

    def test_a_folder_is_no_index_to_write(self) -> None:
        (self.dir / "my folder").mkdir()
        self.assert_hint("such as 'my folder/NAME.ofidx'", 2, "build", "data", "-o", "my folder")
        self.assert_hint("such as data/NAME.ofidx", 2, "build", "data", "-o", "data/", "--force")

    def test_a_schema_on_the_command_line_is_told_to_be_a_file(self) -> None:
        (self.dir / "rows.jsonl").write_text('{"a": 1}\n')
        schema = json.dumps({"a": "int64"})
        args = ("pack", "rows.jsonl", "--to", "tfrecord", "-o", "out", "--schema")
        self.assert_hint("hint: write the JSON into a file, and name that", 2, *args, schema)
        (self.dir / schema).write_text(schema)
        self.expect(0, *args, schema)  # such a file may exist

    def test_an_error_without_a_hint_of_its_own_names_the_help_of_its_verb(self) -> None:
        self.assert_hint("hint: see `ofindex sample --help`", 2, "sample", "data", "--block", "many")
        self.assert_hint("hint: see `ofindex get --help`", 2, "get", "data")
        self.assert_hint("hint: see `ofindex --help`", 2, "frobnicate")


class NumberedNamesTest(OutputFolderTest):
    """A name with a number next to one that differs only in it."""

    def test_names_that_a_person_numbered_are_no_set(self) -> None:
        (self.dir / "mine").mkdir()
        for first, second in (("exp1", "exp2"), ("run-1", "run-12"), ("v9_b", "v10_b")):
            for args in (("pack", ROWS), ("convert", "data"), ("cat", "data")):
                with self.subTest(first, verb=args[0]):
                    for name in (first, second):
                        self.expect(0, *args, "--to", "tfrecord", "-o", f"mine/{name}.tfrecord", "--force")
                    self.expect(0, "build", f"mine/{first}.tfrecord", "-q", "--force")
                    (self.dir / "mine" / f"{second}.tfrecord").unlink()
                    # An index of the first file alone never reads the second.
                    self.expect(0, *args, "--to", "tfrecord", "-o", f"mine/{second}.tfrecord")
            for path in (self.dir / "mine").iterdir():
                path.unlink()

    def test_they_are_a_set_if_an_index_would_read_the_new_one(self) -> None:
        (self.dir / "mine").mkdir()
        for name in ("exp1", "exp2"):
            self.expect(0, "cat", "data", "-o", f"mine/{name}.tfrecord", "-q")
        for data, index in (
            ("mine", "mine.ofidx"),
            ("mine/exp*", "mine/both.ofidx"),
            ("mi*e", "mine/outer.ofidx"),
            ("mine/exp?.*", "mine/one.ofidx"),
            ("mine", "elsewhere/i.ofidx"),
        ):
            (self.dir / index).parent.mkdir(exist_ok=True)
            self.expect(0, "build", data, "-o", index, "-q")
            for args in (("pack", ROWS), ("convert", "data"), ("cat", "data")):
                with self.subTest(data, verb=args[0]):
                    out = (*args, "--to", "tfrecord", "-o", "mine/exp3.tfrecord")
                    if index.startswith("elsewhere"):
                        self.expect(0, *out)  # it cannot be found
                        (self.dir / "mine" / "exp3.tfrecord").unlink()
                    else:
                        self.assertRegex(self.assert_refused(2, *out).stderr, "of the set that mine/exp[12].tfrecord")
            (self.dir / index).unlink()
            (self.dir / f"{index}-map").unlink()

    def test_they_are_a_set_if_the_index_of_a_folder_further_up_would_read_the_new_one(self) -> None:
        (self.dir / "tree" / "y2024" / "may").mkdir(parents=True)
        for folder in ("tree/y2024", "tree/y2024/may"):
            self.expect(0, "cat", "data", "-o", f"{folder}/exp1.tfrecord", "-q")
        self.expect(0, "build", "tree", "-q")
        for folder in ("tree/y2024", "tree/y2024/may"):
            for args in (("pack", ROWS), ("convert", "data"), ("cat", "data")):
                with self.subTest(folder, verb=args[0]):
                    out = (*args, "--to", "tfrecord", "-o", f"{folder}/exp2.tfrecord")
                    self.assertIn(f"of the set that {folder}/exp1", self.assert_refused(2, *out).stderr)

    def test_they_are_no_set_if_the_glob_of_an_index_does_not_match_the_new_one(self) -> None:
        (self.dir / "mine").mkdir()
        (self.dir / "other").mkdir()
        for name in ("mine/exp1", "other/exp1"):
            self.expect(0, "cat", "data", "-o", f"{name}.tfrecord", "-q")
        for glob in ("other/*.tfrecord", "mine/exp1*", "mine/*1.tf*", "oth*"):
            self.expect(0, "build", glob, "-o", "mine/x.ofidx", "-q", "--force")
            for args in (("pack", ROWS), ("convert", "data"), ("cat", "data")):
                with self.subTest(glob, verb=args[0]):
                    self.expect(0, *args, "--to", "tfrecord", "-o", "mine/exp2.tfrecord")
                    self.assertIn("up to date", self.expect(0, "update", "mine/x.ofidx").text)
                    (self.dir / "mine" / "exp2.tfrecord").unlink()
