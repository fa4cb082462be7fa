"""pack: the order and the names of the records written from CSV, JSON lines and files."""

from __future__ import annotations

import csv
import io
import json

from e2e import written
from e2e.packing import KINDS, OFRECORD, TFRECORD, PackTest


class CsvTest(PackTest):
    def test_fields_are_parsed_as_by_the_csv_module_of_python(self) -> None:
        rows = [
            ["id", "text", "other"],
            ["1", "two\nlines", "a"],
            ["2", 'she said "so"', "b,c"],
            ["3", "crlf\r\nin quotes", "\n\n"],
            ["4", "  blanks  ", "\ttab"],
            ["5", "\u00fc\u4e2d", '"'],
        ]
        text = {
            "lf": {"lineterminator": "\n"},
            "crlf": {"lineterminator": "\r\n"},
            "all quoted": {"quoting": csv.QUOTE_ALL},
        }
        for name, dialect in text.items():
            for mark in (b"", b"\xef\xbb\xbf"):
                with self.subTest(name, mark=mark):
                    path = self.write_csv("rows.csv", rows, **dialect)
                    read = list(csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")))
                    self.write("rows.csv", mark + path.read_bytes())
                    expected = [
                        {key: ("bytes", [value.encode()]) for key, value in row.items() if key != "id"}
                        | {"id": ("int64", [int(row["id"])])}
                        for row in read
                    ]
                    self.assertEqual(self.pack("rows.csv"), expected)
                    shuffled = self.pack("rows.csv", "--seed", "1")
                    self.assertEqual(sorted(shuffled, key=lambda row: row["id"]), expected)

    def test_tsv_fields_are_separated_by_tabs_and_may_be_empty(self) -> None:
        self.write("rows.tsv", "a\tb\tc\n1\tx,y\t\n\t\t\n2\t\tz\n")
        expected = [{"a": ("int64", [1]), "b": ("bytes", [b"x,y"])}, {}, {"a": ("int64", [2]), "c": ("bytes", [b"z"])}]
        self.assertEqual(self.pack("rows.tsv"), expected)
        (self.dir / "rows.tsv").rename(self.dir / "rows.txt")
        self.assertEqual(self.pack("rows.txt", "--from", "tsv"), expected)

    def test_blank_lines_are_skipped_and_the_last_line_may_lack_its_end(self) -> None:
        self.write("rows.csv", "\n\na\n\n1\n\r\n2")
        self.assertEqual(self.pack("rows.csv"), [{"a": ("int64", [1])}, {"a": ("int64", [2])}])
        self.write("rows.jsonl", '\n \t\r\n{"a":1}\n\n{"a":2}')
        self.assertEqual(self.pack("rows.jsonl"), [{"a": ("int64", [1])}, {"a": ("int64", [2])}])
        self.write("rows.jsonl", b'\xef\xbb\xbf{"a":1}\r\n{"a":2}\r\n')
        self.assertEqual(self.pack("rows.jsonl"), [{"a": ("int64", [1])}, {"a": ("int64", [2])}])

    def test_several_csv_files_are_one_source_and_each_has_a_header(self) -> None:
        self.write("a.csv", "x,y\n1,2\n")
        self.write("b.csv", "y,x\n3,4\n")
        self.expect(0, "pack", "a.csv", "b.csv", "--to", "tfrecord", "-o", "p.tfrecord")
        found = [written.features(one, "example") for one in written.payloads(self.dir / "p.tfrecord")]
        self.assertEqual(
            found, [{"x": ("int64", [1]), "y": ("int64", [2])}, {"x": ("int64", [4]), "y": ("int64", [3])}]
        )

    def test_rows_from_standard_input_are_those_of_a_file(self) -> None:
        for form, text in (
            ("csv", '\ufeffx,y\n1,"a\nb"\n\n2,c'),
            ("tsv", "x\ty\n1\ta\n2\t\n"),
            ("jsonl", "".join(json.dumps({"x": number, "y": [number]}) + "\n" for number in range(50_000))),
        ):
            for seed in ((), ("--seed", "5")):
                with self.subTest(form=form, seed=seed):
                    self.write(f"rows.{form}", text)
                    for source, out in ((f"rows.{form}", "file.tfrecord"), ("-", "pipe.tfrecord")):
                        options = ("--from", form, "--to", "tfrecord", "-o", out, "--force", *seed)
                        self.expect(0, "pack", source, *options, stdin=text.encode())
                    self.assertEqual(*((self.dir / f"{name}.tfrecord").read_bytes() for name in ("file", "pipe")))

    def test_standard_input_and_files_are_one_source(self) -> None:
        self.write("a.csv", "x\n1\n")
        self.expect(0, "pack", "a.csv", "-", "--from", "csv", "--to", "tfrecord", "-o", "p.tfrecord", stdin=b"x\n2\n")
        found = [written.features(one, "example") for one in written.payloads(self.dir / "p.tfrecord")]
        self.assertEqual(found, [{"x": ("int64", [1])}, {"x": ("int64", [2])}])


class OutputTest(PackTest):
    def rows(self, count: int) -> list[dict[str, int]]:
        return [{"id": number} for number in range(count)]

    def ids(self, folder: str, framing: str = TFRECORD) -> list[list[int]]:
        """The ids of each shard's records."""
        found = []
        for shard in written.shards(self.dir / folder):
            one = [
                written.features(payload, KINDS[framing])["id"][1][0] for payload in written.payloads(shard, framing)
            ]
            found.append(one)
        return found

    def test_shards_divide_the_records_in_order(self) -> None:
        self.write_rows("rows.jsonl", self.rows(10))
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "set", "--shards", "4")
        self.assertEqual(self.names(self.dir / "set"), [f"set-0000{n}-of-00004.tfrecord" for n in range(4)])
        self.assertEqual(self.ids("set"), [[0, 1], [2, 3, 4], [5, 6], [7, 8, 9]])
        self.expect(0, "pack", "rows.jsonl", "--to", "ofrecord", "-o", "parts", "--shards", "12")
        self.assertEqual(self.names(self.dir / "parts"), sorted(f"part-{n}" for n in range(12)))
        parts = self.ids("parts", OFRECORD)
        self.assertEqual([number for part in parts for number in part], list(range(10)))
        self.assertEqual(sorted(map(len, parts)), [0] * 2 + [1] * 10)

    def test_a_seed_shuffles_across_all_shards(self) -> None:
        self.write_rows("rows.jsonl", self.rows(1000))
        self.write_csv("rows.csv", [["id"], *([str(number)] for number in range(1000))])
        orders = {}
        for source in ("rows.jsonl", "rows.csv"):
            for seed in ("1", "2"):
                for out in ("a", "b"):
                    self.expect(
                        0, "pack", source, "--to", "tfrecord", "-o", out, "--shards", "4", "--seed", seed, "--force"
                    )
                shards = self.ids("a")
                self.assertEqual(shards, self.ids("b"), "the same seed, the same order")
                self.assertEqual([len(shard) for shard in shards], [250] * 4)
                order = [number for shard in shards for number in shard]
                self.assertEqual(sorted(order), list(range(1000)))
                for shard in shards:
                    quarters = [sum(number // 250 == quarter for number in shard) for quarter in range(4)]
                    self.assertGreater(min(quarters), 30, "records cross shards")
                orders[source, seed] = order
        self.assertEqual(orders["rows.jsonl", "1"], orders["rows.csv", "1"])
        self.assertNotEqual(orders["rows.csv", "1"], orders["rows.csv", "2"])

    def test_gzip_output_is_one_complete_file_of_whole_records(self) -> None:
        self.write_rows("rows.jsonl", self.rows(5000))
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "z", "--shards", "2", "--compress", "gzip")
        self.assertEqual(self.names(self.dir / "z"), ["z-00000-of-00002.tfrecord.gz", "z-00001-of-00002.tfrecord.gz"])
        self.assertEqual([number for shard in self.ids("z") for number in shard], list(range(5000)))
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "one.tfrecord.gz", "--compress", "gzip")
        self.assertEqual(len(written.payloads(self.dir / "one.tfrecord.gz")), 5000)
        self.assert_refused(2, "rows.jsonl", "--to", "ofrecord", "-o", "of", "--compress", "gzip")
        self.assert_refused(2, "rows.jsonl", "--to", "tfrecord", "-o", "two.tfrecord.gz")

    def test_existing_files_are_replaced_only_with_force(self) -> None:
        self.write_rows("rows.jsonl", self.rows(6))
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "set", "--shards", "3")
        (self.dir / "set" / "notes.txt").write_text("mine")
        before = {path.name: path.read_bytes() for path in (self.dir / "set").iterdir()}
        failed = self.assert_refused(2, "rows.jsonl", "--to", "tfrecord", "-o", "set", "--shards", "2")
        self.assertIn("--force", failed.stderr)
        self.assertEqual({path.name: path.read_bytes() for path in (self.dir / "set").iterdir()}, before)
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "set", "--shards", "2", "--force")
        names = ["notes.txt", "set-00000-of-00002.tfrecord", "set-00001-of-00002.tfrecord"]
        self.assertEqual(self.names(self.dir / "set"), names)
        self.write_rows("bad.jsonl", [{"id": 1}, {"id": "x"}])
        after = {path.name: path.read_bytes() for path in (self.dir / "set").iterdir()}
        self.assert_refused(3, "bad.jsonl", "--to", "tfrecord", "-o", "set", "--force")
        self.assertEqual({path.name: path.read_bytes() for path in (self.dir / "set").iterdir()}, after)

    def test_no_records_give_empty_shards(self) -> None:
        for name, content in {"rows.jsonl": "", "rows.csv": "a,b\n", "blank.jsonl": "\n\n"}.items():
            with self.subTest(name):
                self.write(name, content)
                self.expect(0, "pack", name, "--to", "tfrecord", "-o", "none", "--shards", "3", "--force")
                self.assertEqual([path.stat().st_size for path in written.shards(self.dir / "none")], [0, 0, 0])

    def test_folders_created_by_a_failed_pack_are_removed(self) -> None:
        self.write_rows("rows.jsonl", [{"a": 1}, {"a": "x"}])
        schema = self.write_schema({"a": "long"})
        self.assert_refused(3, "rows.jsonl", "--schema", schema, "--to", "tfrecord", "-o", "new/deep/set")
        self.assert_refused(3, "rows.jsonl", "--schema", schema, "--to", "tfrecord", "-o", "new/deep/one.tfrecord")

    def test_the_report_is_one_json_object(self) -> None:
        self.write_rows("rows.jsonl", [{"a": 1, "b": "x", "c": [0.5]}])
        done = self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "set", "--json").json
        size = (self.dir / "set" / "set-00000-of-00001.tfrecord").stat().st_size
        self.assertGreaterEqual(done.pop("seconds"), 0)
        features = [{"name": "a", "kind": "int64"}, {"name": "b", "kind": "bytes"}, {"name": "c", "kind": "float"}]
        shards = ["set/set-00000-of-00001.tfrecord"]
        expected = {"schema": "ofindex.pack/1", "files": shards, "records": 1, "bytes": size, "features": features}
        self.assertEqual(done, expected)


class ShuffledTest(PackTest):
    def test_the_shuffled_order_is_the_order_that_sample_prints(self) -> None:
        self.write_rows("rows.jsonl", [{"n": number} for number in range(1000)])
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "plain.tfrecord")
        self.expect(0, "build", "plain.tfrecord")
        for seed in ("0", "4"):
            found = [one["n"][1][0] for one in self.pack("rows.jsonl", "--seed", seed)]
            expected = self.expect(0, "sample", "plain.tfrecord", "--seed", seed).stdout.split()
            self.assertEqual(found, [int(ordinal) for ordinal in expected])

    def test_a_seed_must_be_a_whole_number(self) -> None:
        self.write_rows("rows.jsonl", [{"n": 1}])
        for seed in ("-1", "1.5", "18446744073709551616", "x"):
            self.assert_refused(2, "rows.jsonl", "--to", "tfrecord", "-o", "out", "--seed", seed)


class FilesTest(PackTest):
    def setUp(self) -> None:
        super().setUp()
        for name in ("rose/1.png", "rose/10.png", "rose/2.png", "lily/a.png", "top.png", ".hidden/x", "rose/.y"):
            self.write(f"images/{name}", b"\x89" + name.encode())

    def test_a_file_becomes_a_record_and_its_folder_a_label(self) -> None:
        for to in (TFRECORD, OFRECORD):
            self.expect(0, "pack", "images", "--to", to, "-o", to)
            found = [written.features(one, KINDS[to]) for one in written.payloads_in(self.dir / to, to)]
            names = ["lily/a.png", "rose/1.png", "rose/2.png", "rose/10.png", "top.png"]
            self.assertEqual([one["filename"] for one in found], [("bytes", [name.encode()]) for name in names])
            contents = [("bytes", [b"\x89" + name.encode()]) for name in names]
            self.assertEqual([one["content"] for one in found], contents)
            labels = dict(line.split("\t")[::-1] for line in (self.dir / to / "_labels.tsv").read_text().splitlines())
            self.assertEqual(labels, {"lily": "0", "rose": "1"})
            expected = [("int64", [int(labels[name.split("/")[0]])]) if "/" in name else None for name in names]
            self.assertEqual([one.get("label") for one in found], expected)

    def test_the_content_has_the_requested_name_which_no_other_feature_may_have(self) -> None:
        self.expect(0, "pack", "images/top.png", "--to", "tfrecord", "-o", "one.tfrecord", "--field", "image/encoded")
        (payload,) = written.payloads(self.dir / "one.tfrecord")
        expected = {"image/encoded": ("bytes", [b"\x89top.png"]), "filename": ("bytes", [b"top.png"])}
        self.assertEqual(written.features(payload, "example"), expected)
        self.assertEqual(self.names(), ["images", "one.tfrecord"], "a file without a label leaves no _labels.tsv")
        for name in ("filename", "label"):
            self.assert_refused(2, "images", "--to", "tfrecord", "-o", "x", "--field", name)

    def test_labels_of_another_set_are_not_overwritten(self) -> None:
        self.write("out/_labels.tsv", "mine\n")
        self.assert_refused(2, "images", "--to", "tfrecord", "-o", "out")
        self.assertEqual((self.dir / "out" / "_labels.tsv").read_text(), "mine\n")

    def test_outputs_in_one_folder_share_a_label_file_if_their_labels_are_equal(self) -> None:
        for name in ("train", "val"):
            self.expect(0, "pack", "images", "--to", "tfrecord", "-o", f"{name}.tfrecord")
        labels = (self.dir / "_labels.tsv").read_text()
        self.write("more/tulip/1.png", b"x")
        self.assert_refused(2, "more", "--to", "tfrecord", "-o", "test.tfrecord", "--force")
        self.assertEqual((self.dir / "_labels.tsv").read_text(), labels)

    def test_links_are_followed_and_omitted_files_are_reported(self) -> None:
        self.write("elsewhere/fern/1.png", b"green")
        (self.dir / "images" / "fern").symlink_to("../elsewhere/fern")
        (self.dir / "images" / "round").symlink_to(".")
        (self.dir / "images" / "gone.png").symlink_to("nowhere")
        done = self.expect(0, "pack", "images", "--to", "tfrecord", "-o", "all.tfrecord")
        found = [written.features(one, "example")["filename"] for one in written.payloads(self.dir / "all.tfrecord")]
        self.assertIn(("bytes", [b"fern/1.png"]), found)
        self.assertEqual(len(found), 6)
        self.assertIn("skipped images/gone.png: a dangling link", done.stderr)
        self.assertIn("skipped images/round: a folder that was searched already", done.stderr)

    def test_the_labels_of_a_replaced_set_are_removed_with_it(self) -> None:
        self.expect(0, "pack", "images", "--to", "tfrecord", "-o", "out")
        self.write_rows("rows.jsonl", [{"a": 1}])
        self.expect(0, "pack", "rows.jsonl", "--to", "tfrecord", "-o", "out", "--force")
        self.assertEqual(self.names(self.dir / "out"), ["out-00000-of-00001.tfrecord"])

    def test_an_empty_folder_is_an_error(self) -> None:
        (self.dir / "empty").mkdir()
        self.assert_refused(3, "empty", "--to", "tfrecord", "-o", "out")
