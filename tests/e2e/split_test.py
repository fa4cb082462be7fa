"""`ofindex split`: parts are disjoint, whole, the same every time, and the same as the Python package's."""

from __future__ import annotations

from collections import Counter

from e2e.command import CommandTest
from oracle import messages, records

COUNT = 2000


class SplitTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        payloads = [
            messages.encode("example", {"user": ("int64", [number % 97]), "label": ("int64", [number % 4 // 3])})
            for number in range(COUNT)
        ]
        records.write_tfrecord(self.dir / "data", payloads)
        self.expect(0, "build", "data", "-q")

    def split(self, parts: str, *args: str) -> dict[str, list[int]]:
        """The ordinals of each part, checked against the summary and the document."""
        document = self.expect(0, "split", "data", parts, "-o", "parts", "--force", "--json", *args).json
        self.assertEqual(document["schema"], "ofindex.split/1")
        self.assertEqual(document["records"], COUNT)
        found = {}
        for part in document["parts"]:
            text = (self.dir / part["file"]).read_text()
            self.assertEqual(part["file"], f"parts/{part['name']}.ids")
            found[part["name"]] = [int(line) for line in text.splitlines()]
            self.assertEqual(text, "".join(f"{ordinal}\n" for ordinal in sorted(set(found[part["name"]]))))
            self.assertEqual(part["records"], len(found[part["name"]]))
        self.assertEqual(document["in_no_part"], COUNT - sum(map(len, found.values())))
        self.assertEqual(max(Counter(one for part in found.values() for one in part).values()), 1)
        return found

    def test_parts_have_about_their_shares_and_repeat(self) -> None:
        found = self.split("train=0.8,val=0.1,test=0.1")
        self.assertEqual(sum(map(len, found.values())), COUNT)
        for name, share in (("train", 0.8), ("val", 0.1), ("test", 0.1)):
            self.assertLess(abs(len(found[name]) - share * COUNT), 5 * (share * (1 - share) * COUNT) ** 0.5)
        self.assertEqual(self.split("train=0.8,val=0.1,test=0.1"), found)
        self.assertNotEqual(self.split("train=0.8,val=0.1,test=0.1", "--seed", "1"), found)

    def test_stratify_keeps_the_shares_in_each_value(self) -> None:
        found = self.split("train=0.9,val=0.1", "--stratify", "label")
        for label, count in ((0, COUNT * 3 // 4), (1, COUNT // 4)):
            of_label = [ordinal for ordinal in found["val"] if ordinal % 4 // 3 == label]
            self.assertLessEqual(abs(len(of_label) - count / 10), 1)

    def test_by_keeps_records_of_one_value_together(self) -> None:
        found = self.split("train=0.5,val=0.5", "--by", "user")
        users = {name: {ordinal % 97 for ordinal in part} for name, part in found.items()}
        self.assertFalse(users["train"] & users["val"])
        self.assertEqual(len(users["train"] | users["val"]), 97)

    def test_by_and_stratify_keep_groups_whole_and_the_shares_of_each_value(self) -> None:
        found = self.split("train=0.8,val=0.2", "--by", "user", "--stratify", "label")
        users = {name: {ordinal % 97 for ordinal in part} for name, part in found.items()}
        self.assertFalse(users["train"] & users["val"])
        for label in (0, 1):
            count = sum(number % 4 // 3 == label for number in range(COUNT))
            of_label = [ordinal for ordinal in found["val"] if ordinal % 4 // 3 == label]
            self.assertLessEqual(abs(len(of_label) - count / 5), 21)  # records of a user
        self.assertEqual(self.split("train=0.8,val=0.2", "--by", "user", "--stratify", "label"), found)

    def test_a_stratified_split_shows_the_classes_of_each_part(self) -> None:
        args = ("split", "data", "train=0.9,val=0.1", "--stratify", "label", "-o", "parts", "--force")
        lines = self.expect(0, *args).text.splitlines()
        self.assertEqual([line.split() for line in lines[2:]],
                         [[], ["label", "train", "val"], ["0", "1,350", "150"], ["1", "450", "50"]])
        document = self.expect(0, *args, "--json").json
        self.assertEqual(document["classes"], [
            {"value": 0, "records": 1500, "parts": [1350, 150]}, {"value": 1, "records": 500, "parts": [450, 50]},
        ])
        self.assertEqual(document["other_classes"], 0)
        by_user = self.expect(0, *args[:3], "--stratify", "user", "-o", "parts", "--force").text.splitlines()
        self.assertEqual((len(by_user), by_user[-1]), (2 + 2 + 20 + 1, "and 77 more"))
        self.assertIsNone(self.expect(0, *args[:3], "-o", "parts", "--force", "--json").json["classes"])
        self.assertEqual(self.expect(0, *args, "-q").text, "")

    def test_shares_below_1_leave_records_in_no_part(self) -> None:
        found = self.split("few=0.1", "--stratify", "label")
        self.assertEqual(len(found["few"]), COUNT // 10)
        self.assertIn("in no part: ", self.expect(0, "split", "data", "few=0.1", "-o", "parts", "--force").text)

    def test_parts_are_lists_for_the_other_verbs(self) -> None:
        found = self.split("train=0.9,val=0.1")
        listed = self.expect(0, "cat", "data", "--ids", "parts/val.ids").jsonl
        self.assertEqual([record["_id"] for record in listed], found["val"])
        sampled = self.expect(0, "sample", "data", "--ids", "parts/val.ids").text.split()
        self.assertEqual(sorted(map(int, sampled)), found["val"])

    def test_only_lists_are_replaced_and_only_by_force(self) -> None:
        self.expect(0, "split", "data", "a=0.5,b=0.5", "-o", "parts", "-q")
        before = (self.dir / "parts" / "a.ids").read_bytes()
        self.expect_error(2, "split", "data", "a=1", "-o", "parts")
        (self.dir / "parts" / "b.ids").write_text("3\n2\n")
        self.expect_error(2, "split", "data", "a=0.1,b=0.1", "-o", "parts", "--force")
        self.assertEqual((self.dir / "parts" / "a.ids").read_bytes(), before)
        self.assertEqual((self.dir / "parts" / "b.ids").read_text(), "3\n2\n")

    def test_a_split_that_fails_leaves_no_folder_that_it_made(self) -> None:
        long = "x" * 251  # as a list, a name of 255 bytes: one that is written first is longer
        (self.dir / "there").mkdir()
        for folder, left in (("new", "new"), ("a/b/c", "a"), ("there/b/", "there/b"), ("./d/../e", "e")):
            with self.subTest(folder=folder):
                self.expect_error(5, "split", "data", f"a=0.5,{long}=0.5", "-o", folder)
                self.assertFalse((self.dir / left).exists())
        self.expect_error(5, "split", "data", f"a=0.5,{long}=0.5", "-o", "there")
        self.assertEqual(list((self.dir / "there").iterdir()), [])
        self.expect(0, "split", "data", "a=0.5", "-o", "f/g/", "-q")
        self.assertTrue((self.dir / "f/g/a.ids").exists())

    def test_the_number_or_size_of_values_groups_records_only_under_its_own_name(self) -> None:
        payloads = [
            messages.encode("example", {"tags": ("int64", list(range(2 + i % 3))), "blob": ("bytes", [b"x" * (900 + i % 3)])})
            for i in range(30)
        ]
        records.write_tfrecord(self.dir / "lists", payloads)
        self.expect(0, "build", "lists", "-q")
        parts = ("split", "lists", "a=0.5,b=0.5", "-o", "of lists", "--force", "-q")
        sample = ("sample", "lists", "-n", "1")
        for feature, column, what in (("tags", "tags#count", "number"), ("blob", "blob#bytes", "size")):
            for args in (
                *((*parts, option) for option in ("--by", "--stratify")),
                *((*sample, option) for option in ("--balance", "--weights", "--quality")),
            ):
                with self.subTest(args=args, feature=feature):
                    refused = self.expect_error(2, *args, feature).stderr
                    self.assertIn(f"feature '{feature}' has no column of its values, only '{column}', the {what}", refused)
                    self.assertIn(f"name '{column}' if", refused)
                    self.expect(0, *args, column)
        self.assertIn("there is no column 'nix'", self.expect_error(2, *sample, "--weights", "nix").stderr)

    def test_wrong_parts_are_refused_and_nothing_is_written(self) -> None:
        for parts in (
            "train",
            "train=",
            "=1",
            "train=x",
            "train=0",
            "train=-1",
            "train=2",
            "a=0.6,b=0.6",
            "a=0.5,a=0.5",
            "a=nan",
            "a/b=1",
            ".=1",
            "",
            "a=0.5,",
        ):
            with self.subTest(parts=parts):
                self.expect_error(2, "split", "data", parts, "-o", "parts")
        self.expect_error(2, "split", "data", "a=1", "--by", "usr", "-o", "parts")
        self.assertFalse((self.dir / "parts").exists())

    def test_shares_in_percent_are_refused_with_the_shares_that_were_meant(self) -> None:
        for parts, meant in (
            ("train=90,val=10", "train=0.9,val=0.1"),
            ("train=90%,val=5%", "train=0.9,val=0.05"),
            ("train=0.5%", "train=0.005"),
            ("train=80%,val=0.2", "train=0.8,val=0.2"),
            ("train=90%,val=30%", "train=0.75,val=0.25"),
            ("train=0.9,val=0.3", "train=0.75,val=0.25"),
            ("train=60,val=20", "train=0.6,val=0.2"),
            ("a\\,b=8,c=2", "a\\,b=0.8,c=0.2"),
            ("a=300,b=100", "a=0.75,b=0.25"),
        ):
            refused = self.expect_error(2, "split", "data", parts, "-o", "parts").stderr
            self.assertIn("at most 1", refused)
            self.assertIn(f"hint: shares are parts of 1, as in {meant}\n", refused)
            self.assertTrue(self.split(meant))

    def test_a_name_may_have_a_comma_and_an_equals_sign(self) -> None:
        self.assertEqual(list(self.split("a\\,b=0.5,c=d=0.5")), ["a,b", "c=d"])
