"""get and cat: how to request records, and the forms of output."""

from __future__ import annotations

from e2e.command import CommandTest
from e2e.samples import write_parts
from oracle import messages, records


class GetTest(CommandTest):
    """How to request records, and the forms of output."""

    def setUp(self) -> None:
        super().setUp()
        self.payloads = write_parts(self.dir / "data", (4, 4, 4), records.OFRECORD)
        self.expect(0, "build", "data")

    def raw(self, *ordinals: str) -> bytes:
        return self.expect(0, "get", "data", *ordinals, "--raw").stdout

    def test_a_negative_ordinal_counts_from_the_end(self) -> None:
        self.assertEqual(self.raw("-1"), self.payloads[11])
        self.assertEqual(self.raw("-12"), self.payloads[0])

    def test_a_range_is_half_open_and_may_span_shards(self) -> None:
        self.assertEqual(self.raw("3:6"), b"".join(self.payloads[3:6]))
        self.assertEqual(self.raw("-3:-1"), b"".join(self.payloads[9:11]))

    def test_records_come_in_the_requested_order(self) -> None:
        self.assertEqual(self.raw("9", "0", "9"), self.payloads[9] + self.payloads[0] + self.payloads[9])
        shown = self.expect(0, "get", "data", "9", "0:2", "-1", "--jsonl").jsonl
        self.assertEqual([record["_id"] for record in shown], [9, 0, 1, 11])

    def test_the_index_may_be_named_by_its_data(self) -> None:
        for name in ("data", "data/", "data.ofidx", str(self.dir / "data"), str(self.dir / "data.ofidx")):
            self.assertEqual(self.expect(0, "get", name, "5", "--raw").stdout, self.payloads[5], name)

    def test_one_feature_can_be_shown_alone(self) -> None:
        shown = self.expect(0, "get", "data", "5", "--feature", "label", "--json").json["records"]
        self.assertEqual(shown[0]["features"], {"label": {"kind": "int64", "values": [5]}})

    def test_the_bytes_of_one_feature_can_be_written_raw(self) -> None:
        image = self.expect(0, "get", "data", "5", "--feature", "image", "--raw").stdout
        self.assertEqual(image, bytes([5, 0xFF]) * 6)

    def test_an_opaque_payload_is_shown_as_a_hexdump(self) -> None:
        records.write_tfrecord(self.dir / "text", [b"hello world"])
        self.expect(0, "build", "text", "--payload", "opaque")
        shown = self.expect(0, "get", "text", "0").text
        self.assertRegex(shown.replace(" ", ""), "68656c6c6f")
        self.assertIn("hello", shown)

    def test_a_long_list_is_cut_and_the_number_of_its_other_values_is_shown(self) -> None:
        record = messages.encode("example", {"few": ("int64", [1, 2]), "many": ("int64", list(range(1000, 1100)))})
        records.write_tfrecord(self.dir / "long", [record])
        self.expect(0, "build", "long", "-q")
        few, many = self.expect(0, "get", "long", "0").text.splitlines()[2:]
        self.assertEqual(few.split(), ["few", "int64", "2", "1", "2"])
        shown, _, rest = many.partition(" ... ")
        self.assertEqual(rest, f"{100 - len(shown.split()[3:])} more")
        whole = self.expect(0, "get", "long", "0", "--jsonl").jsonl[0]["features"]["many"]["values"]
        self.assertEqual(whole, list(range(1000, 1100)))

    def test_ordinals_out_of_range_are_usage_errors(self) -> None:
        for ordinal in ("12", "-13", "99999999999999999999", "one", "1.5", ""):
            self.expect_error(2, "get", "data", ordinal)


class CatTest(CommandTest):
    """The whole stream, or a part of it, in every form."""

    def setUp(self) -> None:
        super().setUp()
        self.payloads = write_parts(self.dir / "data", (3, 2))
        self.expect(0, "build", "data")

    def test_cat_writes_the_same_to_a_file_as_to_stdout(self) -> None:
        for to in ("raw", "jsonl", "tfrecord", "ofrecord"):
            self.assertEqual(self.expect(0, "cat", "data", "--to", to, "-o", f"out.{to}").stdout, b"")
            self.assertEqual((self.dir / f"out.{to}").read_bytes(), self.expect(0, "cat", "data", "--to", to).stdout)

    def test_cat_to_a_file_says_how_much_it_wrote(self) -> None:
        for args, records in (((), "5 records"), (("--range", "1:2"), "1 record"), (("--where", "0"), "0 records")):
            name = f"{records[0]}.raw"
            wrote = self.expect(0, "cat", "data", "--to", "raw", "-o", name, *args).stderr
            self.assertEqual(wrote, f"wrote {records}, {(self.dir / name).stat().st_size} B to {name}\n")
        self.assertEqual(self.expect(0, "cat", "data", "-o", "out.jsonl", "-q").stderr, "")
        self.assertEqual(self.expect(0, "cat", "data").stderr, "")

    def test_cat_of_a_range_is_that_part_of_the_stream(self) -> None:
        for text, part in (("1:4", slice(1, 4)), ("0:5", slice(0, 5)), ("-2:-1", slice(3, 4))):
            shown = self.expect(0, "cat", "data", "--to", "raw", f"--range={text}").stdout
            self.assertEqual(shown, b"".join(self.payloads[part]), text)

    def test_cat_of_listed_ids_follows_the_list(self) -> None:
        (self.dir / "ids").write_text("4\n0\n4\n")
        expected = self.payloads[4] + self.payloads[0] + self.payloads[4]
        self.assertEqual(self.expect(0, "cat", "data", "--to", "raw", "--ids", "ids").stdout, expected)
        listed = self.expect(0, "cat", "data", "--to", "raw", "--ids", "-", stdin=b"4\n0\n4\n")
        self.assertEqual(listed.stdout, expected)
