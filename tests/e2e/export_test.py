"""`ofindex export`: one text index per shard, never written over a shard or an index."""

from __future__ import annotations

import os

from e2e.command import CommandTest
from e2e.samples import write_parts
from oracle import records


class ExportTest(CommandTest):
    def export(self, code: int, index: str, folder: str, *options: str) -> str:
        """Exports to `folder`; returns the output of the command, or its error."""
        args = ("export", index, "--to", "tfrecord2idx", "-o", folder, *options)
        return self.expect(0, *args).text if code == 0 else self.expect_error(code, *args).stderr

    def contents(self) -> dict[str, bytes]:
        """Every file below the test's folder, by path."""
        return {str(path.relative_to(self.dir)): path.read_bytes() for path in self.dir.rglob("*") if path.is_file()}

    def assert_refused(self, index: str, folder: str, *named: str) -> None:
        before = self.contents()
        message = self.export(2, index, folder)
        for name in named:
            self.assertIn(name, message)
        self.assertEqual(self.contents(), before)

    def write_one(self, *paths: str) -> None:
        for path in paths:
            (self.dir / path).parent.mkdir(parents=True, exist_ok=True)
            records.write_tfrecord(self.dir / path, [path.encode()])

    def test_a_text_index_may_be_rewritten_next_to_the_shards(self) -> None:
        write_parts(self.dir / "data", (3, 0, 2))
        self.expect(0, "build", "data")
        for folder, *force in (("text",), ("data",), ("text", "--force")):
            listed = self.export(0, "data", folder, *force).splitlines()
            self.assertEqual(listed, [f"{folder}/part-{number}.idx" for number in range(3)])
            first, empty, _ = ((self.dir / name).read_text() for name in listed)
            self.assertEqual((first.count("\n"), empty), (3, ""))

    def test_the_text_index_of_a_damaged_shard_may_be_rewritten(self) -> None:
        for name, lengths, damaged in (
            ("one", (20,), ()),
            ("head", (20, 30), (0,)),
            ("middle", (20, 30, 40), (1,)),
            ("both", (20, 30, 40, 50), (0, 2)),
        ):
            with self.subTest(name):
                records.write_tfrecord(self.dir / name, [bytes([65 + n]) * n for n in lengths])
                data = bytearray((self.dir / name).read_bytes())
                for number in damaged:
                    begin = sum(n + 16 for n in lengths[:number])
                    data[begin : begin + 12] = bytes(range(200, 212))
                (self.dir / name).write_bytes(data)
                args = ("--format", "tfrecord", "--payload", "opaque")
                self.expect(3 if damaged else 0, "build", name, *args)
                done = self.run_command("export", name, "--to", "tfrecord2idx", "-o", "text")
                lines = (self.dir / "text" / f"{name}.idx").read_text().splitlines()
                self.assertEqual(len(lines), len(lengths) - len(damaged))
                again = self.run_command("export", name, "--to", "tfrecord2idx", "-o", "text", "--force")
                self.assertEqual((again.code, again.stdout), (done.code, done.stdout), again)

    def test_two_shards_with_the_same_output_name_are_refused(self) -> None:
        self.write_one("part-0", "in/part-0")
        self.expect(0, "build", "part-0", "in/part-0", "-o", "in/all.ofidx", "--payload", "opaque")
        self.assert_refused("in/all.ofidx", "text", "part-0")

    def test_two_output_folders_that_are_the_same_through_a_link_are_refused(self) -> None:
        self.write_one("data/a/part-0", "data/b/part-0")
        self.expect(0, "build", "data", "--payload", "opaque")
        (self.dir / "text" / "a").mkdir(parents=True)
        os.symlink("a", self.dir / "text" / "b")
        self.assert_refused("data", "text", "part-0")

    def test_a_shard_of_the_dataset_is_never_overwritten(self) -> None:
        self.write_one("data/part-0", "data/part-0.idx")
        self.expect(0, "build", "data", "--payload", "opaque")
        os.symlink("data", self.dir / "link")
        for folder in ("data", "./data/", "link", str(self.dir / "data")):
            with self.subTest(folder):
                self.assert_refused("data", folder, "part-0.idx")

    def test_the_index_itself_is_never_overwritten(self) -> None:
        self.write_one("part-0")
        self.expect(0, "build", "part-0", "-o", "part-0.idx", "--payload", "opaque")
        self.assert_refused("part-0.idx", ".", "part-0.idx")

    def test_a_folder_is_not_replaced_by_a_text_index(self) -> None:
        self.write_one("data/part-0")
        self.expect(0, "build", "data", "--payload", "opaque")
        (self.dir / "text" / "part-0.idx").mkdir(parents=True)
        self.assert_refused("data", "text", "part-0.idx")

    def test_ofrecords_are_refused(self) -> None:
        write_parts(self.dir / "data", (3,), records.OFRECORD)
        self.expect(0, "build", "data")
        self.assert_refused("data", "text", "OFRecord")
