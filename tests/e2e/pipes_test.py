"""Lists of ordinals: every verb's output that names records is a list for `--ids`, in each of its forms."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import unittest

from e2e import samples
from e2e.bounded import is_address_sanitized, run_bounded
from e2e.command import CommandTest
from oracle import records

COUNT = 60


class PipesCase(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.payloads = samples.write_parts(self.dir / "data", [COUNT // 2, COUNT // 2])
        self.expect(0, "build", "data", "-q")

    def listed(self, text: bytes | str) -> list[int]:
        """The ordinals that `cat --ids -` reads from `text`."""
        stdin = text if isinstance(text, bytes) else text.encode()
        found = self.expect(0, "cat", "data", "--ids", "-", "--feature", "label", stdin=stdin).jsonl
        self.assertEqual([record["features"]["label"]["values"] for record in found], [[r["_id"]] for r in found])
        return [record["_id"] for record in found]


class WrittenListsTest(PipesCase):
    def test_what_verbs_write_is_a_list_for_ids(self) -> None:
        seven = [number for number in range(COUNT) if number % 7 == 0]
        shuffled = [int(line) for line in self.expect(0, "sample", "data", "--seed", "3").text.split()]
        packing = ("sample", "data", "--seed", "3", "--pack", "1000")
        packed = [int(word) for word in self.expect(0, *packing).text.split()]
        self.assertEqual(sorted(packed), sorted(shuffled))
        by_sql = "SELECT _id FROM records WHERE label % 7 = 0"
        for args, expected in (
            (("where", "data", "label % 7 = 0"), seven),
            (("where", "data", "label % 7 = 0", "--jsonl"), seven),
            (("where", "data", "label % 7 = 0", "--json"), seven),
            (("sample", "data", "--seed", "3"), shuffled),
            (("sample", "data", "--seed", "3", "--jsonl"), shuffled),
            (("sample", "data", "--seed", "3", "--json"), shuffled),
            (("sample", "data", "--seed", "3", "--batch-total", "100"), shuffled),
            (("sample", "data", "--seed", "3", "--batch-total", "100", "--jsonl"), shuffled),
            (("sample", "data", "--seed", "3", "--batch-total", "100", "--json"), shuffled),
            (packing, packed),
            ((*packing, "--jsonl"), packed),
            ((*packing, "--json"), packed),
            (("sql", "data", by_sql), seven),
            (("sql", "data", by_sql, "--csv"), seven),
            (("sql", "data", by_sql, "--csv", "--no-header"), seven),
            (("sql", "data", "SELECT label AS 'a,b', _id FROM records WHERE label % 7 = 0", "--csv"), seven),
            (("sql", "data", "SELECT label, _id AS ordinal FROM records WHERE label % 7 = 0", "--csv"), seven),
            (("cat", "data", "--where", "label % 7 = 0", "--to", "csv"), seven),
            (("sql", "data", "SELECT label AS _label, _id FROM records WHERE label % 7 = 0", "--jsonl"), seven),
            (("sql", "data", by_sql, "--json"), seven),
            (("get", "data", "9", "2:4", "--jsonl"), [9, 2, 3]),
            (("get", "data", "9", "2:4", "--json"), [9, 2, 3]),
            (("get", "data", "--where", "label % 7 = 0", "--json"), seven),
            (("cat", "data", "--where", "label % 7 = 0"), seven),
            (("cat", "data", "--range", ":9", "--to", "csv", "--feature", "label", "--no-header"), None),
        ):
            with self.subTest(args=args):
                text = self.expect(0, *args).stdout
                if expected is None:  # two columns of ordinals, here equal
                    expected = [number for number in range(9) for _ in range(2)]
                self.assertEqual(self.listed(text), expected)

    def test_ids_select_the_records_of_sample_and_convert(self) -> None:
        chosen = [50, 3, 7, 3, 20]
        (self.dir / "ids").write_text("".join(f"{number}\n" for number in chosen))
        sampled = self.expect(0, "sample", "data", "--ids", "ids", "--seed", "1").text.split()
        self.assertEqual(sorted(map(int, sampled)), sorted(set(chosen)))
        self.expect(0, "convert", "data", "--ids", "ids", "-o", "out.ofrecord", "--to", "ofrecord", "-q")
        expected = [samples.payload(number, records.OFRECORD) for number in chosen]
        self.expect(0, "build", "out.ofrecord", "-q")
        self.assertEqual(self.expect(0, "cat", "out.ofrecord", "--to", "raw").stdout, b"".join(expected))
        self.expect_error(2, "convert", "data", "--ids", "ids", "-o", "o2.ofrecord", "--to", "ofrecord", "--where", "1")


    def test_ids_select_the_records_of_get_in_the_order_of_the_list(self) -> None:
        lines = [f'{{"_id":{number}}}' for number in (50, 3, 7, 3)]
        shown = self.expect(0, "get", "data", "--ids", "-", "--jsonl", stdin="\n".join(lines).encode()).jsonl
        self.assertEqual([record["_id"] for record in shown], [50, 3, 7, 3])
        self.assertEqual(self.expect(0, "get", "data", "--ids", "-", stdin=b"").stdout, b"")
        self.expect_error(2, "get", "data", "--ids", "-", stdin=b"60")

    def test_an_empty_name_of_a_list_is_an_error(self) -> None:
        for args in (("get", "data"), ("cat", "data"), ("where", "data", "1"), ("stats", "data"), ("sample", "data"),
                     ("convert", "data", "-o", "out.ofrecord", "--to", "ofrecord")):
            with self.subTest(args=args):
                self.assertIn("--ids: is empty", self.expect_error(2, *args, "--ids", "").stderr)
        self.assertFalse((self.dir / "out.ofrecord").exists())

    def test_a_document_begins_after_its_list_was_read(self) -> None:
        for wrong in ("seven", "60"):
            self.expect_error(2, "get", "data", "--json", "--ids", "-", stdin=f"5\n{wrong}\n".encode())
        shown = self.expect(2, "get", "data", "--jsonl", "--ids", "-", stdin=b"5\nseven\n").jsonl
        self.assertEqual([record["_id"] for record in shown], [5])
        document = self.expect(0, "get", "data", "--json", "--ids", "-", stdin=b"7 5 7").json
        self.assertEqual([record["_id"] for record in document["records"]], [7, 5, 7])

    def test_ids_limit_where_and_stats_to_the_records_of_the_list(self) -> None:
        chosen = [50, 3, 7, 3, 20, 33]
        (self.dir / "ids").write_text("ordinal,score\n" + "".join(f"{number},0.5\n" for number in chosen))
        ids = ("--ids", "ids")
        found = self.expect(0, "where", "data", "label > 5", *ids).text.split()
        self.assertEqual(found, ["7", "20", "33", "50"])
        self.assertEqual(self.expect(0, "where", "data", "label > 5", "--count", *ids).text, "4\n")
        self.assertEqual(self.expect(0, "where", "data", "1", "--json", *ids).json["ids"], sorted(set(chosen)))
        self.assertEqual(self.expect(1, "where", "data", "label = 8", *ids).text, "")
        document = self.expect(0, "stats", "data", "label", "--json", *ids).json
        [column] = document["columns"]
        self.assertEqual((document["rows"], column["rows"], column["count"]), (5, 5, 5))
        self.assertEqual((column["min"], column["max"]), (3, 50))
        self.assertEqual(column["mean"], (50 + 3 + 7 + 20 + 33) / 5)
        grouped = self.expect(0, "stats", "data", "_id", "--by", "label", "--json", *ids).json
        self.assertEqual(grouped["rows"], 5)
        self.assertEqual(sorted(group["value"] for group in grouped["groups"]), sorted(set(chosen)))
        for group in grouped["groups"]:
            [sums] = group["columns"]
            self.assertEqual((group["rows"], sums["count"], sums["min"]), (1, 1, group["value"]))
        for by in ((), ("--by", "label")):
            none = self.expect(0, "stats", "data", *by, "--json", "--ids", "-", stdin=b"").json
            self.assertEqual(none["rows"], 0)
        for verb in (("where", "data", "1"), ("stats", "data")):
            self.expect_error(2, *verb, "--ids", "-", stdin=b"60")


class FormsOfListsTest(PipesCase):
    def test_any_separator_divides_text(self) -> None:
        for text in (
            "5 7 9",
            "5\n7\n9\n",
            "5\r\n7\r\n\r\n9",
            "5,7,9",
            "5\t7 ,\n 9",
            "5\x007\x009\x00",
            "\ufeff5 7 9",
            "_id\n5\n7\n9\n",
            "\ufeff_id\n5\n7\n9",
            "\n ordinal\n5\n7 9",
            '"_id"\n"5"\r\n"7"\r\n9',
            "_id,label\n5,1\n7,2\n\n9,3\n",
            "\ufeffname,ordinal,x\r\n,5,1\r\n\"a,\"\"b\"\"\nc\",7,2\r\nx,9,3",
            ",ordinal\n0,5\n1,7\n2,9\n",
            "name, _id\na, 5\nb, 7\nc, 9\n",
            '{"x":0.' + "1" * 200 + ',"_id":5} 7 9',
            "0" * 63 + "5 7\n9",
            "_id,x\n" + "0" * 63 + "5,\n7,\n9,\n",
            "x,_id\r\n," + "0" * 63 + "5\r\n,7\r\n,9\r\n",
            "_id,5,7,9\n",  # one line of text: numbers are not names of columns
            "ordinal, 5, 7\n9",
            "_id,-55,7,9",
            "_id 5 7 9\n",
            "_id\t5\t7\t9\n",
            "ordinal 5\n7 9",
            "_id\x005\x007\x009\x00",
            "_id\r\n5\r\n7\r\n9\r\n",
            "_id,\n5,\n7,\n9,\n",
            "_id, label\n5,1\n7,2\n9,3",
            '"_id",5\n5,0\n7,0\n9,0\n',  # quotes are those of CSV
            'a 2" b,_id\nx 2" y,5\n""x,7\n"a""","9"\n',
            "5 -53 9",
            "[5,7,9]",
            ' [ 5 , [7] , {"_id":9} ] ',
            '{"_id":5}\n{"a":[{"_id":1},"}"],"_id":7}\n9',
            '{"x\\"_id":{"_id":3},"_id":5} 7 [9]',
            '{"ids":[5],"rows":[{"_id":7,"ids":[1]}],"n":null,"t":-1.5e3,"records":[{"_id":9}]}',
        ):
            with self.subTest(text=text):
                self.assertEqual(self.listed(text), [5, 7, 9])
        for text in ("", "_id", "_id\n", "_id,", "ordinal\x00", '"_id"', "_id,label\n"):
            self.assertEqual(self.listed(text), [], text)
        self.assertEqual(self.listed(' \n[]{"ids":[]}\n'), [])

    def test_headers_may_be_as_long_as_the_limits(self) -> None:
        row = "x," * 9_999
        self.assertEqual(self.listed("c," * 9_999 + f"_id\n{row}5\n{row}7\n"), [5, 7])
        self.assertEqual(self.listed("_id," + "c" * 65_536 + "\n5,x\n7,y\n"), [5, 7])

    def test_random_csv_is_read_as_written(self) -> None:
        chance = random.Random(22)
        for _ in range(30):
            names = ["_id", *chance.sample(["a,b", 'say "x"', "line\nend", "", " spaced", "é", "a 2\" b"], 4)]
            chance.shuffle(names)
            ids = [chance.randrange(COUNT) for _ in range(20)]
            text = io.StringIO()
            out = csv.DictWriter(text, names, lineterminator=chance.choice(["\n", "\r\n"]),
                                 quoting=chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
            out.writeheader()
            for one in ids:
                row = {name: chance.choice(['"', '""', ',"', '"\n"', "x", "", " 7"]) for name in names}
                out.writerow(row | {"_id": one})
            self.assertEqual(self.listed(text.getvalue()), ids, text.getvalue())

    def test_random_mixes_of_all_forms_are_read_as_written(self) -> None:
        chance = random.Random(21)
        forms = (
            lambda ids: "".join(f"{one}{chance.choice([' ', chr(10), ',', chr(0)])}" for one in ids),
            lambda ids: "".join(
                json.dumps({"x": [{}, "]", 1], "_id": one}, indent=chance.choice([None, 2])) for one in ids
            ),
            lambda ids: json.dumps({"schema": "s", "count": len(ids), "ids": ids}),
            lambda ids: json.dumps(ids),
        )
        for _ in range(20):
            parts = [[chance.randrange(COUNT) for _ in range(chance.randrange(5))] for _ in range(6)]
            text = "\n".join(chance.choice(forms)(part) for part in parts)
            self.assertEqual(self.listed(text), [one for part in parts for one in part], text)

    def test_a_list_may_be_a_pipe_that_stays_open(self) -> None:
        reader, writer = os.pipe()
        process = self.start("cat", "data", "--ids", "-", "--feature", "label", stdin=reader)
        os.close(reader)
        os.write(writer, b"5 6")
        os.close(writer)
        self.assertEqual([record["_id"] for record in self.finish(process).jsonl], [5, 6])

    def test_what_is_wrong_is_named_with_file_byte_and_line(self) -> None:
        for text, code, place, what in (
            ("5\nseven\n", 2, "@2: line 2: ", "expected an ordinal, got 'seven'"),
            ("5 1:2", 2, "@2: line 1: ", "range"),
            ("5 60", 2, "@2: line 1: ", "record 60 is not in the dataset"),
            ("1.5", 2, "@0: line 1: ", "got '1.5'"),
            ('{"_id":5}\n{"id":7}', 2, "@17: line 2: ", "without _id"),
            ('{"_id":"7"}', 2, "@7: line 1: ", "text"),
            ('{"_id":null}', 2, "@7: line 1: ", "got 'null'"),
            ('{"_id":[7]}', 2, "@7: line 1: ", "expected an ordinal"),
            ("[5,]", 2, "@3: line 1: ", "expected an ordinal"),
            ("[5 6]", 2, "@3: line 1: ", "comma"),
            ("[5\n", 2, "@3: line 2: ", "ends"),
            ('{"a":"x', 2, "@5: line 1: ", "not closed"),
            ('{"a" 5}', 2, "@5: line 1: ", "colon"),
            ("{5:6}", 2, "@1: line 1: ", "name"),
            ("[[[[[[[[[", 2, "@8: line 1: ", "within"),
            ("x" * 100_000, 2, "@0: line 1: ", "got 'xxx"),
            ("name,label\n5,7\n", 2, "@0: line 1: ", "'ordinal' or '_id' among the 2 columns, got 'name', 'label'"),
            ("c," * 99 + "c", 2, "@0: line 1: ", "'c' and 90 more"),
            ("a,_id\n1,5\n1\n", 2, "@10: line 3: ", "expected an ordinal in column 2, got 1 field"),
            ("a,_id\n1,x\n", 2, "@8: line 2: ", "expected an ordinal, got 'x'"),
            ("a,_id\n1,60\n", 2, "@8: line 2: ", "record 60 is not in the dataset"),
            ("_id 5col", 2, "@4: line 1: ", "got '5col'"),
            ("_id,5col\n1,2", 2, "@4: line 1: ", "got '5col'"),
            ("_id label\n5 1", 2, "@4: line 1: ", "got 'label'"),
            ("_ids 5", 2, "@0: line 1: ", "got '_ids'"),
            ('_id,note\n5,"cut off\n6,b\n7,c\n', 2, "@11: line 2: ", "a quote is not closed"),
            ('note,_id\na,5\n"b,6\n', 2, "@13: line 3: ", "a quote is not closed"),
            ('note,_id\na,"5', 2, "@11: line 2: ", "a quote is not closed"),
            ('_id,"note\n5,1\n', 2, "@4: line 1: ", "a quote is not closed"),
            ('"_id\n5\n', 2, "@0: line 1: ", "a quote is not closed"),
            ("_id" + ",c" * 10_000 + "\n5", 7, "@20002: line 1: ", "a header of over 10,000 columns"),
            ("_id," + "c" * 65_537 + "\n5", 7, "@4: line 1: ", "the name of column 2 is too long"),
            ('"' + "c" * 65_536 + '",_id\n1,5', 7, "@0: line 1: ", "the name of column 1 is too long"),
            ("\x1b[31m", 2, "@0: line 1: ", r"\x1b"),
            ("0" * 64 + "12 3\n", 2, "@0: line 1: ", "expected an ordinal of at most 64 bytes, got '0000"),
            ("a,_id\n1," + "0" * 64 + "12\n", 2, "@8: line 2: ", "at most 64 bytes, got '0000"),
            ("a,_id\n1," + "0" * 64 + "\r1\r\n", 2, "@8: line 2: ", "at most 64 bytes, got '0000"),
            ('{"_id":' + "0" * 64 + "12}", 2, "@7: line 1: ", "at most 64 bytes, got '0000"),
            ("[5," + "0" * 64 + "12]", 2, "@3: line 1: ", "at most 64 bytes, got '0000"),
        ):
            with self.subTest(text=text[:20]):
                (self.dir / "list").write_text(text)
                for path, name in (("list", "list"), ("-", "standard input")):
                    shown = self.expect(code, "cat", "data", "--ids", path, "--to", "raw", stdin=text.encode()).stderr
                    self.assertTrue(shown.startswith(f"ofindex: {name}{place}"), shown)
                    self.assertIn(what, shown)
                    self.assertLess(len(shown), 400)
        self.expect_error(5, "cat", "data", "--ids", "nowhere")
        self.expect_error(5, "cat", "data", "--ids", "data")


    def test_utf_16_is_an_error_and_no_digit_of_it_is_an_ordinal(self) -> None:
        for text in ("12\n3\n", "5 7\r\n", "1,2,3", "_id\n5\n", "a,_id\n1,2\n", "-5\n", "[5]", '{"_id":5}', '"_id"\n5\n'):
            for encoding in ("utf-16-le", "utf-16-be", "utf-16"):
                with self.subTest(text=text, encoding=encoding):
                    failed = self.expect_error(2, "cat", "data", "--ids", "-", stdin=text.encode(encoding))
                    self.assertIn("standard input@0: line 1: NUL bytes or a byte order mark as in UTF-16", failed.stderr)
                    self.assertIn("iconv", failed.stderr)
                    self.assertEqual(failed.stdout, b"")
        later = b"5\n" + "12\n3\n".encode("utf-16-le")  # appended by another program
        self.assertIn("@7: line 3: NUL bytes", self.expect(2, "cat", "data", "--ids", "-", stdin=later).stderr)
        for separated in (b"5\0", b"5\x007\x00", b"5\x007\x0012\x00", b"5\x007\n"):
            self.assertEqual(self.listed(separated), [int(one) for one in separated.replace(b"\0", b" ").split()])


class MemoryOfListsTest(PipesCase):
    @unittest.skipIf(is_address_sanitized(), "AddressSanitizer takes memory of its own")
    def test_a_list_that_is_a_set_takes_no_memory_for_its_length(self) -> None:
        (self.dir / "ids").write_bytes(b"5\n7\n" * 3_000_000)  # 48 MB of ordinals
        for args, shown in (
            (("where", "data", "1"), b"5\n7\n"),
            (("sample", "data", "--weights", "label", "-n", "0"), b""),
            (("stats", "data", "label", "--csv", "--no-header"), None),
        ):
            bounded = run_bounded(self, (*args, "--ids", "ids"))
            self.assertEqual(bounded.finished.code, 0, bounded.finished)
            self.assertLess(bounded.peak_bytes, 40 << 20, args)
            if shown is not None:
                self.assertEqual(bounded.finished.stdout, shown)

    def test_ordinals_far_apart_and_in_any_order_are_one_set(self) -> None:
        count = 200_000
        records.write_tfrecord(self.dir / "many", [b""] * count)
        self.expect(0, "build", "many", "--payload", "opaque", "-q")
        chance = random.Random(25)
        chosen = [chance.choice([0, 63, 64, 32_767, 32_768, 65_536, count - 1, chance.randrange(count)]) for _ in range(5000)]
        stdin = "\n".join(map(str, chosen)).encode()
        found = self.expect(0, "where", "many", "1", "--ids", "-", stdin=stdin).text.split()
        self.assertEqual([int(one) for one in found], sorted(set(chosen)))


class GetHintsTest(PipesCase):
    def test_an_argument_that_is_a_list_gets_a_hint_on_ids(self) -> None:
        (self.dir / "my ids").write_text("5\n7\n")
        for argument, hint in (
            ("my ids", "hint: --ids 'my ids' reads a list of ordinals"),
            ("-", "hint: --ids - reads a list of ordinals"),
            ("5,7", "hint: put spaces between ordinals; --ids FILE reads a list of them"),
            ("[5, 7]", "hint: put spaces between ordinals; --ids FILE reads a list of them"),
            ("nothing", "hint: records are numbered from 0"),
            ("data", "hint: records are numbered from 0"),  # a folder
            ("60", "hint: `ofindex info` shows"),
        ):
            with self.subTest(argument=argument):
                self.assertIn(hint, self.expect_error(2, "get", "data", argument).stderr)
        self.assertEqual([record["_id"] for record in self.expect(0, "get", "data", "--ids", "my ids", "--jsonl").jsonl], [5, 7])

    def test_a_path_without_a_name_gets_a_hint_that_every_verb_can_follow(self) -> None:
        for args in (("get", "/", "5"), ("where", "/", "1"), ("build", "/")):
            self.assertIn("`ofindex build DATA -o NAME.ofidx`; the other verbs take NAME.ofidx", self.expect_error(2, *args).stderr)


class GetWhereTest(PipesCase):
    def shown(self, *args: str) -> list[int]:
        return [record["_id"] for record in self.expect(0, "get", "data", *args, "--jsonl").jsonl]

    def test_where_selects_records_alone_or_among_the_ordinals(self) -> None:
        self.assertEqual(self.shown("--where", "label % 20 = 3"), [3, 23, 43])
        self.assertEqual(self.shown("--where", "label % 20 = 3", "40:", "-37", "5"), [43, 23])
        self.assertEqual(self.shown("--where", "0"), [])
        raw = self.expect(0, "get", "data", "--where", "label = 23", "--raw").stdout
        self.assertEqual(raw, self.payloads[23])

    def test_records_must_be_named(self) -> None:
        self.assertIn("--where", self.expect_error(2, "get", "data").stderr)
        self.expect_error(2, "get", "data", "--where", "nothing = 1")
        self.expect_error(2, "get", "data", "--where", "1", "60")
