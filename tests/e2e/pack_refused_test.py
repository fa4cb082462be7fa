"""pack: what is refused, with file, byte, line, cause and hint."""

from __future__ import annotations

import os
import re
import resource
import subprocess

from e2e import written
from e2e.packing import OFRECORD, PackTest


class ErrorsTest(PackTest):
    def test_an_error_gives_file_byte_line_cause_and_hint_and_leaves_no_output(self) -> None:
        good = '{"a":1}\n'
        table: list[tuple[str, str | bytes, int, int, str]] = [
            ("r.jsonl", good + "{\n", 8, 2, "JSON"),
            ("r.jsonl", good + "\n\n[1]\n", 10, 4, "object"),
            ("r.jsonl", good + '{"a":"x"}\n', 8, 2, "both text and numbers"),
            ("r.jsonl", good + '{"a":[null]}\n', 8, 2, "null inside a list"),
            ("r.jsonl", good + '{"a":18446744073709551615}\n', 8, 2, "does not fit an int64"),
            ("r.jsonl", good + '{"a":1e400}\n', 8, 2, "64 bits"),
            ("r.jsonl", good + '{"a":' + "9" * 400 + "}\n", 8, 2, "64 bits"),
            ("r.jsonl", good + '{"b":"\\ud800"}\n', 8, 2, "JSON"),
            ("r.jsonl", (good + '{"b":"').encode() + b'\xff"}\n', 8, 2, "JSON"),
            ("r.jsonl", good + '{"b":{"base64":"*"}}\n', 8, 2, "base64"),
            ("r.jsonl", good + '{"b":1,"b":2}\n', 8, 2, "twice"),
            ("r.jsonl", good + '{"b":{"c":1},"b.c":[2]}\n', 8, 2, "twice"),
            ("r.jsonl", good + "[" * 100_000 + "]" * 100_000 + "\n", 8, 2, "JSON"),
            ("r.jsonl", good + '{"a":' * 100_000 + "1" + "}" * 100_000 + "\n", 8, 2, "JSON"),
            ("r.csv", "", 0, 0, "empty"),
            ("r.csv", "a,a\n", 0, 1, "two columns"),
            ("r.csv", "\na,a\n", 1, 2, "two columns"),
            ("r.csv", '"a\n1\n', 0, 1, "never closed"),
            ("r.csv", "a,b\n1,2\n3\n", 8, 3, "expected 2 fields"),
            ("r.csv", "a,b\n1,2,3\n", 4, 2, "expected 2 fields"),
            ("r.csv", 'a\n"x\ny"\n"open\n', 8, 4, "never closed"),
            ("r.csv", 'a,b\n1,x"y"\n', 4, 2, "quotes"),
            ("r.csv", "a\n1\r2\n", 2, 2, "carriage return"),
            ("r.csv", b"\x1f\x8b\x08\x00", 0, 0, "compressed"),
            ("r.csv", "a,\n1,\n", 0, 1, "column 2 of the header has no name; expected a name"),
            ("r.csv", '"",b\n1,2\n', 0, 1, "column 1 of the header has no name"),
            ("r.csv", '\n"a\tb"\n1\n', 1, 2, r"the name of column 1 of the header, 'a\x09b', has a control character"),
            ("r.csv", "a\0b\n1\n", 0, 1, "a control character"),
            ("r.csv", "a\x85\n1\n", 0, 1, "a control character"),
            ("r.csv", b"a,\xff\n1,2\n", 0, 1, "the name of column 2 of the header, '\\xff', is not UTF-8"),
            ("r.tsv", "a\t\n1\t\n", 0, 1, "column 2 of the header has no name"),
            ("r.jsonl", good + '{"":1}\n', 8, 2, "a key has no name; expected a name"),
            ("r.jsonl", good + '{"":{"base64":""}}\n', 8, 2, "a key has no name"),
            ("r.jsonl", good + '{"":[]}\n', 8, 2, "a key has no name"),
            ("r.jsonl", good + '{"a\\nb":1}\n', 8, 2, r"the name of a key, 'a\x0ab', has a control character"),
            ("r.jsonl", good + '{"b":{"\\u0000":[1]}}\n', 8, 2, "a control character"),
            ("r.jsonl", good + '{"b\\u0000":{"c":[1]}}\n', 8, 2, "a control character"),
        ]
        for name, content, byte, line, cause in table:
            for args in ((), ("--seed", "1")):
                with self.subTest(content=content[:60], args=args):
                    self.write(name, content)
                    failed = self.assert_refused(3, name, "--to", "tfrecord", "-o", "out/deep", *args)
                    place = f"{re.escape(name)}@{byte}: " + (f"line {line}: " if line else "")
                    self.assertRegex(failed.stderr, "^ofindex: " + place)
                    self.assertIn(cause, failed.stderr.splitlines()[0])
                    self.assertNotRegex(failed.stderr, "see `ofindex .*--help`")

    def test_an_error_in_a_schema_names_its_file(self) -> None:
        self.write_rows("r.jsonl", [{"a": 1}])
        table = ["[]", "{",
                 '{"a":"number"}', '{"a":3}', '{"a":"array<>"}', '{"a":{"b":"map<map<int>>"}}', '{"b":"int"}',
                 '{"a":' * 100_000 + "1" + "}" * 100_000]  # fmt: skip
        for schema in table:
            with self.subTest(schema=schema[:60]):
                self.write("s.json", schema)
                failed = self.assert_refused(3, "r.jsonl", "--schema", "s.json", "--to", "tfrecord", "-o", "out")
                self.assertRegex(failed.stderr, r"^ofindex: (s\.json|r\.jsonl@0: line 1): ")
        self.assert_refused(5, "r.jsonl", "--schema", "none.json", "--to", "tfrecord", "-o", "out")

    def test_a_row_without_values_cannot_be_an_ofrecord(self) -> None:
        self.write("r.jsonl", '{"a":1}\n{}\n')
        failed = self.assert_refused(3, "r.jsonl", "--to", "ofrecord", "-o", "out")
        self.assertIn("r.jsonl@8: line 2: ", failed.stderr)

    def test_lists_and_lists_of_lists_do_not_mix_in_a_sequence_example(self) -> None:
        for row in ('{"a":[[1],2]}', '{"a":[1,2]}', '{"a":3}', '{"a":[[1],null]}'):
            with self.subTest(row):
                self.write("r.jsonl", '{"a":[[1]]}\n' + row + "\n")
                args = ("r.jsonl", "--payload", "sequence_example", "--to", "tfrecord", "-o", "out")
                self.assertIn("r.jsonl@12: line 2: ", self.assert_refused(3, *args).stderr)

    def test_invalid_arguments_are_refused(self) -> None:
        self.write_rows("r.jsonl", [{"a": 1}])
        self.write("r.csv", "a\n1\n")
        self.write("x.parquet", "PAR1")
        for args in (
            ("r.jsonl", "r.csv", "--to", "tfrecord", "-o", "out"),
            ("x.parquet", "--to", "tfrecord", "-o", "out"),
            ("r.jsonl", "--to", "ofrecord", "-o", "out.tfrecord"),
            ("r.jsonl", "--to", "tfrecord", "-o", "out.ofrecord"),
            ("r.jsonl", "--to", "tfrecord", "-o", "out", "--payload", "ofrecord"),
            ("r.jsonl", "--to", "ofrecord", "-o", "out", "--payload", "example"),
            ("r.jsonl", "--to", "tfrecord", "-o", "out", "--shards", "0"),
            ("r.jsonl", "--to", "tfrecord", "-o", "out", "--shards", "100000"),
            ("r.jsonl", "--to", "tfrecord", "-o", "out", "--seed", "x"),
            ("r.jsonl", "--to", "tfrecord", "-o", ""),
            ("r.jsonl", "--to", "tfrecord", "-o", "/dev/null"),
            ("r.jsonl", "--to", "tfrecord", "-o", "r.csv"),
        ):
            with self.subTest(args):
                self.assert_refused(2, *args)

    def test_the_hint_for_parquet_and_avro_is_a_call_for_any_path(self) -> None:
        (self.dir / "module").mkdir()
        self.write("module/ofindex.py", "import os\ndef pack(*paths, to): print(list(map(os.fsencode, paths)), to)\n")
        names = ("a b.parquet", "it's \"b\".avro", "back\\n.parquet", "$HOME `!.AVRO", "new\nline.parquet", "\udcff é.avro")
        for name in names:
            with self.subTest(name):
                self.write(name, "PAR1")
                hint = self.assert_refused(2, name, "--to", "tfrecord", "-o", "out").stderr.splitlines()[1]
                call = hint.removeprefix("hint: ").split(", or use --from files")[0]
                environment = {**self.environment, "PYTHONPATH": "module", "LC_ALL": "C.UTF-8"}
                printed = subprocess.check_output(call, shell=True, cwd=self.dir, env=environment, text=True)
                self.assertEqual(printed, f"{[os.fsencode(name), b'OUT']} tfrecord\n")

    def test_standard_input_needs_a_form_of_rows_and_errors_name_it(self) -> None:
        out = ("--to", "tfrecord", "-o", "out")
        for code, args, text, what in (
            (2, ("-",), "a\n1\n", "--from"),
            (2, ("-", "--from", "files"), "a\n1\n", "expected rows"),
            (2, ("-", "-", "--from", "csv"), "a\n1\n", "more than once"),
            (3, ("-", "--from", "csv"), "", "standard input@0: "),
            (3, ("-", "--from", "csv"), "a,b\n1,2\n3\n", "standard input@8: line 3: "),
            (3, ("-", "--from", "jsonl"), '{"a":1}\n{"a":"x"}\n', "standard input@8: line 2: "),
        ):
            with self.subTest(args=args, text=text):
                before = self.names()
                failed = self.expect_error(code, "pack", *args, *out, stdin=text.encode())
                self.assertIn(what, failed.stderr)
                self.assertEqual(self.names(), before)


class HostileTest(PackTest):
    """Sources that are hard to read and outputs that are hard to write are reported at once, and leave no files."""

    def test_unreadable_input_is_reported(self) -> None:
        os.mkfifo(self.dir / "pipe")
        os.mkfifo(self.dir / "pipe.jsonl")
        (self.dir / "loop").symlink_to("loop")
        for code, name in ((5, "pipe"), (5, "pipe.jsonl"), (5, "loop"), (2, "none"), (2, "none.csv")):
            with self.subTest(name):
                self.assert_refused(code, name, "--to", "tfrecord", "-o", "out")
        self.write("secret.jsonl", '{"a":1}\n').chmod(0)
        if os.geteuid() != 0:
            self.assert_refused(5, "secret.jsonl", "--to", "tfrecord", "-o", "out")

    def test_loops_and_pipes_in_a_folder_are_ignored(self) -> None:
        self.write("data/a/x", "1")
        (self.dir / "data" / "a" / "up").symlink_to("..")
        (self.dir / "data" / "self").symlink_to("self")
        os.mkfifo(self.dir / "data" / "pipe")
        self.expect(0, "pack", "data", "--to", "tfrecord", "-o", "out")
        self.assertEqual(len(written.payloads_in(self.dir / "out")), 1)

    def test_an_earlier_output_in_the_source_folder_is_ignored(self) -> None:
        self.write("data/x", "1")
        self.expect(0, "pack", "data", "--to", "tfrecord", "-o", "data")
        before = sorted((path.name, path.read_bytes()) for path in (self.dir / "data").iterdir())
        self.assert_refused(2, "data", "--to", "tfrecord", "-o", "data", "--force")
        self.assertEqual(sorted((path.name, path.read_bytes()) for path in (self.dir / "data").iterdir()), before)

    def test_a_temporary_file_that_a_killed_writer_left_in_the_source_is_ignored(self) -> None:
        self.write("data/x", "1")
        self.write("data/data-00000-of-00001.tfrecord.ofindex-draft", b"half a shard")
        self.expect(0, "pack", "data", "--to", "tfrecord", "-o", "data")
        self.assertEqual(len(written.payloads_in(self.dir / "data")), 1)
        self.assertEqual(self.names(self.dir / "data"), ["data-00000-of-00001.tfrecord", "x"])

    def test_a_source_is_never_overwritten(self) -> None:
        content = b'{"a":1}\n'
        self.write("part-0", content)
        (self.dir / "link.ofrecord").symlink_to("part-0")
        for out in ("part-0", "./part-0", "link.ofrecord"):
            self.assert_refused(2, "part-0", "--from", "jsonl", "--to", "ofrecord", "-o", out, "--force")
        self.assertEqual((self.dir / "part-0").read_bytes(), content)

    def test_a_row_with_ten_thousand_names_and_a_table_with_more_columns_are_packed_in_seconds(self) -> None:
        self.write_rows("r.jsonl", [{f"k{number}": number for number in range(10_000)}] * 3)
        schema = self.write_schema({"m": "map<long>"})
        self.write_rows("m.jsonl", [{"m": {f"k{row}-{number}": number for number in range(2000)}} for row in range(5)])
        for args in (("r.jsonl",), ("m.jsonl", "--schema", schema)):
            self.expect(0, "pack", *args, "--to", "tfrecord", "-o", "out", "--force", timeout=20)
        count = 100_000
        self.write("r.csv", ",".join(f"c{n}" for n in range(count)) + "\n" + ",".join(map(str, range(count))) + "\n")
        self.expect(0, "pack", "r.csv", "--to", "tfrecord", "-o", "wide.tfrecord", timeout=20)
        (payload,) = written.payloads(self.dir / "wide.tfrecord")
        self.assertEqual(len(written.features(payload, "example")), count)

    def test_a_line_of_a_hundred_megabytes_is_a_row(self) -> None:
        self.write("r.jsonl", '{"a":"' + "x" * 100_000_000 + '"}\n{"a":"y"}\n')
        self.expect(0, "pack", "r.jsonl", "--to", "tfrecord", "-o", "long.tfrecord")
        self.assertGreater((self.dir / "long.tfrecord").stat().st_size, 100_000_000)

    def test_numbers_at_the_limits_are_read_as_by_python(self) -> None:
        self.write("r.jsonl", '{"a":-0.0,"b":1e-400,"c":-0,"d":9223372036854775807,"e":2e38,"f":1E2}\n')
        (found,) = self.pack("r.jsonl", to=OFRECORD)
        self.assertEqual(str(found["a"][1][0]), "-0.0")
        self.assertEqual(found["b"], ("double", [0.0]))
        self.assertEqual(found["c"], ("int64", [0]))
        self.assertEqual(found["d"], ("int64", [2**63 - 1]))
        self.assertEqual((found["e"], found["f"]), (("double", [2e38]), ("double", [100.0])))

    def test_nul_bytes_are_kept(self) -> None:
        self.write("r.jsonl", '{"a":"c\\u0000d"}\n')
        self.assertEqual(self.pack("r.jsonl"), [{"a": ("bytes", [b"c\0d"])}])
        self.write("r.csv", b"a,c\nx\0y,1\n")
        self.assertEqual(self.pack("r.csv"), [{"a": ("bytes", [b"x\0y"]), "c": ("int64", [1])}])

    def test_a_name_that_a_build_does_not_take_is_refused_in_each_format(self) -> None:
        schema = self.write_schema({"a": "int", "": "int", "m": "map<int>"})
        self.write_rows("r.jsonl", [{"a": 1, "": 2}])
        self.write_rows("m.jsonl", [{"a": 1, "m": {"\n": 2}}])
        self.write("r.csv", "a,\n1,2\n")
        for name in ("r.jsonl", "m.jsonl", "r.csv"):
            for to in ("tfrecord", "ofrecord"):
                failed = self.assert_refused(3, name, "--schema", schema, "--to", to, "-o", "out")
                self.assertIn("hint: give it a name", failed.stderr)

    def test_the_names_of_objects_are_the_begins_of_names(self) -> None:
        self.write_rows("r.jsonl", [{"": {"a": 1}, "b": {"": 2}}])
        self.assertEqual(self.pack("r.jsonl"), [{".a": ("int64", [1]), "b.": ("int64", [2])}])

    def test_more_shards_than_descriptors_can_be_written(self) -> None:
        self.write("r.jsonl", '{"a":1}\n')
        few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))}
        self.expect(0, "pack", "r.jsonl", "--to", "tfrecord", "-o", "out", "--shards", "300", **few)
        self.assertEqual(len(written.shards(self.dir / "out")), 300)
