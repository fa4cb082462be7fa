"""`ofindex sql`: its answers and output formats, and that an untrusted statement can only read the index."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from e2e.bounded import is_address_sanitized, run_bounded
from e2e.command import COMMAND, TIMEOUT_SECONDS, CommandTest, Finished
from e2e.samples import write_parts
from oracle import messages, records

# What is wrong in a query on pictures, what exists instead, and a part of the hint.
PICTURE = messages.encode(
    "example",
    {
        "image/height": ("int64", [300]),
        "image/class/label": ("int64", [7]),
        "image/encoded": ("bytes", [b"JFIF" * 99]),
        "image/bbox": ("float", [0.5, 1.5]),
        "format": ("bytes", [b"jpeg"]),
        "audio": ("bytes", [bytes(1 << 17)]),
    },
)
MEANT = {
    "SELECT image/height FROM records": ('SQL@7: no such column: "image"; did you mean "image/height"?', "double quotes"),
    "SELECT 1 + image/heigth FROM records": ('"image"; did you mean "image/height"?', "double quotes"),
    "SELECT label FROM records": ('"label"; did you mean "image/class/label"?', "lists the features"),
    "SELECT class/LABEL FROM records": ('"class"; did you mean "image/class/label"?', "double quotes"),
    "SELECT r.height FROM records r": ('"r.height"; did you mean "image/height"?', "lists the features"),
    "SELECT other/thing FROM records": ('no such column: "other"', "double quotes"),
    'SELECT 1 FROM records WHERE format = "jpeg"': ('no such column: "jpeg"', "a string is in single quotes: 'jpeg'"),
    'SELECT "image/encoded" FROM records': (
        '"image/encoded"; the feature has the column "image/encoded#bytes", the size of its values, only',
        "`ofindex build DATA --force --columns auto,NAME` stores its values as a column",
    ),
    'SELECT "image/bbox" FROM records': ('"image/bbox#count", the number of its values, only', "--columns auto,NAME"),
    "SELECT audio FROM records": ('"audio#bytes", the size of its values, only', "exceed 64 KiB"),
    "SELECT 1 FROM record": ('no such table: "record"; did you mean "records"?', "the tables are records, shards"),
    "SELECT image/bbox#count FROM records": (
        '; did you mean "image/bbox#count"?', "double quotes",
    ),
    "SELECT 1 FROM records WHERE format = jpeg": (
        'no such column: "jpeg"', '''in single quotes, within the quotes of the shell or of Python: "SELECT 1 FROM records WHERE format = 'jpeg'"''',
    ),
    "SELECT 1 FROM records WHERE format LIKE jp-eg AND 1": (
        'no such column: "jp"', '''"SELECT 1 FROM records WHERE format LIKE 'jp-eg' AND 1"''',
    ),
    "SELECT cuont(*) FROM records": ('no such function: "cuont"; did you mean "count"?', "functions of SQLite"),
}

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
DAMAGE_COLUMNS = ["shard", "begin", "end", "reason"]

# Attacks on files: to write, read or run them. tests/query/sql/sql_session_test.cc has the attacks that name no file.
ATTACKS = (
    "ATTACH 'new.db' AS a",
    "ATTACH 'file:new.db?mode=rwc' AS a",
    "ATTACH 'secret.db' AS a",
    "ATTACH 'file:secret.db?mode=ro&immutable=1' AS a",
    "VACUUM INTO 'new.db'",
    "VACUUM main INTO 'file:new.db?mode=rwc'",
    "SELECT readfile('secret.db')",
    "SELECT writefile('new.db', 'x')",
    "SELECT edit('x', 'touch new.db')",
    "SELECT * FROM fsdir('.')",
    "SELECT * FROM csv('secret.db')",
    "SELECT load_extension('./secret.db')",
    "SELECT load_extension('./secret.db', 'entry')",
    "CREATE VIRTUAL TABLE temp.t USING ofindex('secret.db')",
    "PRAGMA temp_store_directory = '.'",
    "PRAGMA data_store_directory = '.'",
    "SELECT 1; ATTACH 'new.db' AS a",
    "SELECT 1; -- hidden\nVACUUM INTO 'new.db'",
    "; ; VACUUM INTO 'new.db'",
    ".open new.db",
    ".shell touch new.db",
)

# Statements that would take all memory.
MEMORY_BOMBS = (
    ENDLESS + "SELECT count(*) FROM (SELECT DISTINCT i || printf('%.*c', 9999, 'x') FROM n)",
    ENDLESS + ", m AS MATERIALIZED (SELECT hex(zeroblob(1000000)) AS x FROM n) SELECT count(*) FROM m",
    ENDLESS + "SELECT group_concat(hex(zeroblob(1000000))) FROM (SELECT i FROM n LIMIT 99)",
    "SELECT " + ", ".join(f"hex(zeroblob({30_000_000 + i}))" for i in range(200)),
    ENDLESS
    + "SELECT "
    + ", ".join(f"string_agg(x, '{i}')" for i in range(30))
    + " FROM (SELECT hex(zeroblob(1000000)) AS x FROM n LIMIT 31)",
    "SELECT zeroblob(1000000000)",
    "SELECT randomblob(900000000)",
    "SELECT length(printf('%.*c', 60000000, 'x') || printf('%.*c', 60000000, 'x'))",
    "WITH c0 AS (SELECT 1)"
    + "".join(f", c{i} AS (SELECT 1 FROM c{i - 1} a, c{i - 1} b)" for i in range(1, 60))
    + " SELECT count(*) FROM c59",
    "SELECT '" + "x" * 99_000 + "' || '" + "x" * 9_000 + "'",
)

# Statements that would run for hours, some of them in one call that SQLite cannot interrupt.
BIG = "hex(zeroblob(30000000))"
MANY = "json_each('[1,2,3,4,5,6,7,8,9]'), json_each('[1,2,3,4,5,6,7,8,9]')"
TIME_BOMBS = (
    ENDLESS + "SELECT max(i) FROM n",
    ENDLESS + "SELECT i FROM n LIMIT 1 OFFSET 100000000000",
    "SELECT count(*) FROM " + ", ".join(f"json_each('[1,2,3,4,5,6,7,8,9,0]') j{i}" for i in range(20)),
    f"SELECT instr({BIG}, hex(zeroblob(10000000)) || '1') FROM {MANY}",
    f"SELECT {BIG} LIKE '%{'0' * 900}1%'",
    f"SELECT {BIG} GLOB '*{'0' * 900}1*'",
    f"SELECT {BIG} REGEXP '(0|0)*1'",
    f"SELECT trim({BIG}, '123456789abcdef0') FROM {MANY}",
    f"SELECT replace({BIG}, '0', '') FROM {MANY}",
)

OPEN = re.compile(r'(?:open|openat|creat|open_by_handle_at)\((?:AT_FDCWD, )?"([^"]*)"(?:, ([A-Z_|]+))?')
CHANGING = re.compile(
    r"\b(creat|unlink|unlinkat|rename|renameat2?|mkdir|mkdirat|rmdir|link|linkat|symlink|symlinkat|truncate|ftruncate"
    r"|fallocate|chmod|fchmodat|socket|connect|fork|vfork|mknod|mknodat)\("
)
SYSTEM_FILES = ("/lib", "/usr/lib", "/etc/ld.so", "/proc/", "/sys/", "/dev/", "/usr/share")


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything below `folder`: size, mtime and content."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns, path.read_bytes()) for path in files}


class SqlCase(CommandTest):
    """A small dataset with an index; one shard is torn."""

    def setUp(self) -> None:
        super().setUp()
        write_parts(self.dir / "data", (3, 2))
        with open(self.dir / "data" / "part-1", "ab") as shard:
            shard.write(b"torn")
        self.expect(3, "build", "data", "-q")

    def rows(self, query: str, *options: str) -> list[dict[str, object]]:
        return self.expect(0, "sql", "data", query, "--jsonl", *options).jsonl

    def refused(self, query: str, *options: str, code: int = 2) -> str:
        return self.expect_error(code, "sql", "data", query, *options).stderr


class AnswerTest(SqlCase):
    """Rows in every form."""

    QUERY = "SELECT NULL AS n, 1 AS i, 0.5 AS r, 'a,\"b\"' AS t, x'ff00' AS b, '' AS e, x'61' AS u, 9e999 AS x"

    def test_json_is_one_document_with_columns_rows_and_truncated(self) -> None:
        document = self.expect(0, "sql", "data", self.QUERY, "--json").json
        self.assertEqual(list(document), ["schema", "columns", "rows", "truncated"])
        self.assertEqual(document["schema"], "ofindex.sql/1")
        self.assertEqual(document["columns"], list("nirtbeux"))
        expected = {"n": None, "i": 1, "r": 0.5, "t": 'a,"b"', "b": {"base64": "/wA="}, "e": "", "u": "a"}
        self.assertEqual(document["rows"], [{**expected, "x": "Infinity"}])
        self.assertIs(document["truncated"], False)

    def test_json_without_rows_is_still_a_document(self) -> None:
        document = self.expect(0, "sql", "data", "SELECT * FROM damage WHERE 0", "--json").json
        self.assertEqual((document["columns"], document["rows"]), (DAMAGE_COLUMNS, []))

    def test_jsonl_is_one_object_per_line(self) -> None:
        self.assertEqual(self.rows("VALUES (1), (2)"), [{"column1": 1}, {"column1": 2}])

    def test_csv_follows_rfc_4180(self) -> None:
        shown = self.expect(0, "sql", "data", self.QUERY, "--csv")
        self.assertEqual((shown.stdout.count(b"\n"), shown.stdout.count(b"\r")), (2, 0))
        header, row = csv.reader(io.StringIO(shown.text, newline=""))
        self.assertEqual(header, list("nirtbeux"))
        self.assertEqual(row, ["", "1", "0.5", 'a,"b"', '{"base64":"/wA="}', "", "a", "Infinity"])
        self.assertIn(b',"",a,', shown.stdout)  # an empty text is not NULL

    def test_csv_without_a_header_has_the_same_rows(self) -> None:
        for args in (("sql", "data", self.QUERY), ("stats", "data"), ("stats", "data", "_length", "--by", "_shard")):
            with self.subTest(args=args):
                header, rows = self.expect(0, *args, "--csv").text.split("\n", 1)
                self.assertEqual(self.expect(0, *args, "--csv", "--no-header").text, rows)
                self.assertNotIn("\r", header + rows)
                self.expect_error(2, *args, "--no-header")

    def test_csv_preserves_every_text(self) -> None:
        texts = ["\r\n", '"', ",", " a ", "é", "=1+1", '""', "a\nb", "'"]
        query = "SELECT value FROM json_each(:t)"
        shown = self.expect(0, "sql", "data", query, "--csv", "-p", f"t={json.dumps(texts)}")
        found = [row[0] for row in csv.reader(io.StringIO(shown.text, newline=""))]
        self.assertEqual(found, ["value", *texts])

    def test_a_table_is_the_default_output(self) -> None:
        shown = self.expect(0, "sql", "data", "SELECT path, records FROM shards")
        self.assertEqual(shown.text.splitlines(), ["path         records", "data/part-0  3", "data/part-1  2"])

    def test_a_table_escapes_control_characters_and_in_a_pipe_has_whole_values(self) -> None:
        query = "SELECT char(27) || '[31m', hex(zeroblob(500)), zeroblob(600), 'é' AS \"\x1b\""
        shown = self.expect(0, "sql", "data", query)
        self.assertNotIn("\x1b", shown.text)
        self.assertIn(r"\x1b[31m", shown.text)
        self.assertIn("0" * 1000 + "  x'" + "0" * 1200 + "'  é\n", shown.text)

    def test_a_table_in_a_pipe_is_written_as_rows_arrive_however_many_there_are(self) -> None:
        rows = ENDLESS + "SELECT i, CASE i WHEN 2500 THEN printf('%.*c', 300, 'x') ELSE 'a' END AS t, 5 AS n FROM n"
        lines = self.expect(0, "sql", "data", f"{rows} LIMIT 3000").text.splitlines()
        self.assertEqual(len(lines), 3001)
        self.assertEqual((lines[0], lines[1], lines[2000]), ("   i  t  n", "   1  a  5", "2000  a  5"))
        self.assertEqual(lines[2500], f"2500  {'x' * 300}  5")  # widths are those of the first rows
        process = self.start("sql", "data", rows)
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline().split(), [b"i", b"t", b"n"])
        process.stdout.close()
        self.assertEqual(process.wait(60), 0)

    def test_a_huge_value_in_a_table_does_not_widen_the_other_rows(self) -> None:
        query = "SELECT iif(value = 2, printf('%.*c', 5000000, 'x'), 'a') AS t, 1 AS n FROM json_each('[1, 2, 3]')"
        lines = self.expect(0, "sql", "data", query).text.splitlines()
        self.assertEqual([len(line) for line in lines], [203, 203, 5_000_003, 203])

    def test_columns_with_the_same_name_are_distinguished(self) -> None:
        [row] = self.rows("SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a")
        self.assertEqual(row, {"a": 1, "a_3": 2, "a_2": 3, "a_4": 4})

    def test_omitted_rows_are_reported(self) -> None:
        document = self.expect(0, "sql", "data", "VALUES (1), (2), (3)", "--json", "--max-rows", "2").json
        self.assertEqual((len(document["rows"]), document["truncated"]), (2, True))
        for form in ((), ("--csv",), ("--jsonl",)):
            shown = self.expect(0, "sql", "data", "VALUES (1), (2), (3)", *form, "--max-rows", "2")
            self.assertIn("truncated", shown.stderr, form)
            whole = self.expect(0, "sql", "data", "VALUES (1), (2), (3)", *form, "--max-rows", "3")
            self.assertEqual(whole.stderr, "", form)

    def test_without_a_terminal_no_form_is_limited_to_a_number_of_rows(self) -> None:
        many = ENDLESS.replace("FROM n", "FROM n WHERE i < 2500") + "SELECT i FROM n"
        self.assertEqual(len(self.expect(0, "sql", "data", many, "--max-rows", "2000").text.splitlines()), 2001)
        for form, lines in (("--quiet", 2501), ("--csv", 2501), ("--jsonl", 2500)):
            self.assertEqual(len(self.expect(0, "sql", "data", many, form).text.splitlines()), lines)
        self.assertEqual(len(self.expect(0, "sql", "data", many, "--json").json["rows"]), 2500)

    def test_the_tables_match_info(self) -> None:
        info = self.expect(0, "info", "data", "--json").json
        for table in ("shards", "bad", "damage"):
            self.assertEqual(self.rows(f"SELECT * FROM {table}"), info[table], table)
        keys = ("name", "present", "values_min", "values_max", "column", "type")
        features = [{key: feature[key] for key in keys} for feature in info["features"]]
        quoted = ", ".join(f'"{key}"' for key in keys)
        self.assertEqual(self.rows(f"SELECT {quoted} FROM features"), features)
        self.assertEqual(self.rows("SELECT records FROM damage JOIN shards ON shard = path"), [{"records": 2}])

    def test_the_query_may_be_read_from_standard_input(self) -> None:
        self.assertEqual(self.expect(0, "sql", "data", "-", "--jsonl", stdin=b"SELECT 1 AS a;\n").jsonl, [{"a": 1}])
        self.expect_error(2, "sql", "data", "-", stdin=b"")
        self.expect_error(7, "sql", "data", "-", stdin=b"SELECT 1 " + b" " * 200_000)
        self.expect_error(2, "sql", "data", "-", stdin=b"SELECT 1\0; VACUUM")

    def test_a_missing_index_exits_with_4(self) -> None:
        self.expect_error(4, "sql", "data/part-0", "SELECT 1")

    def test_a_reader_that_closes_the_pipe_ends_the_command_with_0(self) -> None:
        process = self.start("sql", "data", ENDLESS + "SELECT i FROM n", "--jsonl")
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(60), 0)


class ParameterTest(SqlCase):
    """-p NAME=VALUE."""

    def test_values_have_the_types_of_json_scalars(self) -> None:
        cases = {
            "5": (5, "integer"),
            "-9223372036854775808": (-(2**63), "integer"),
            "9223372036854775808": (2.0**63, "real"),
            "0.5": (0.5, "real"),
            "1e3": (1000.0, "real"),
            '"5"': ("5", "text"),
            "true": (1, "integer"),
            "false": (0, "integer"),
            "null": (None, "null"),
            "abc": ("abc", "text"),
            "": ("", "text"),
            "[1]": ("[1]", "text"),
            '{"a": 1}': ('{"a": 1}', "text"),
            "0x10": ("0x10", "text"),
            "1 2": ("1 2", "text"),
            "a=b": ("a=b", "text"),
            "[" * 5000: ("[" * 5000, "text"),
        }
        for text, (value, kind) in cases.items():
            with self.subTest(text[:20]):
                found = self.rows("SELECT :x AS v, typeof(:x) AS t", "-p", f"x={text}")
                self.assertEqual(found, [{"v": value, "t": kind}])

    def test_parameters_have_names_or_numbers(self) -> None:
        self.assertEqual(self.rows("SELECT ? AS a, ? AS b", "-p", "2=y", "-p", "1=x"), [{"a": "x", "b": "y"}])
        self.assertEqual(self.rows("SELECT @a AS a, $b AS b", "-p", "a=1", "-p", "b=2"), [{"a": 1, "b": 2}])

    def test_parameters_must_match_the_statement(self) -> None:
        self.refused("SELECT :x")
        self.refused("SELECT 1", "-p", "x=1")
        self.refused("SELECT :x", "-p", "x=1", "-p", "x=2")
        self.refused("SELECT :x", "-p", "x")
        self.refused("SELECT :x", "-p", "=1")

    def test_a_hostile_parameter_is_only_a_value(self) -> None:
        for text in ("'; DROP TABLE shards; --", '" OR 1=1 --', "%", "\\", "\x1b[31m", "x') UNION SELECT 1 --"):
            with self.subTest(text):
                self.assertEqual(self.rows("SELECT :x AS v", "-p", f"x={text}"), [{"v": text}])
                self.assertEqual(self.rows("SELECT * FROM shards WHERE path = :x", "-p", f"x={text}"), [])


class WrongStatementTest(SqlCase):
    """A wrong statement exits with 2; the error gives the byte position and the nearest names."""

    def test_an_error_about_a_name_says_what_was_meant(self) -> None:
        records.write_tfrecord(self.dir / "pictures", [PICTURE])
        self.expect(0, "build", "pictures", "-q")
        for query, (message, hint) in MEANT.items():
            with self.subTest(query):
                refused = self.expect_error(2, "sql", "pictures", query)
                self.assertIn(message, refused.stderr.splitlines()[0] + "\n")
                self.assertIn(hint, refused.stderr.splitlines()[1])
        self.assertIn('did you mean "image/height"?', self.expect_error(2, "where", "pictures", "image/height > 3").stderr)
        bare = self.expect_error(2, "where", "pictures", "format = jpeg").stderr
        self.assertIn('''shell or of Python: "format = 'jpeg'"\n''', bare)
        quoted = self.expect_error(2, "where", "pictures", '"format" = jpeg').stderr
        self.assertIn('''shell or of Python: "format" = 'jpeg'\n''', quoted)
        long = self.expect_error(2, "where", "pictures", "format = jpeg" + " AND 1" * 20).stderr
        self.assertIn("shell or of Python: 'jpeg'\n", long)
        (self.dir / "scores.csv").write_text("image,score\n1,2\n", encoding="utf-8")
        query = "SELECT 1 FROM records JOIN scores s ON _id = {}.ordinal"
        for name in ("scores", "s", "S"):
            refused = self.expect_error(2, "sql", "pictures", "--table", "scores=scores.csv", query.format(name)).stderr
            self.assertIn("no such column", refused)
            self.assertNotIn("single quotes", refused)
        stats = self.expect_error(2, "stats", "pictures", "label").stderr
        self.assertIn("there is no column 'label'; did you mean 'image/class/label'?", stats)

    def test_a_column_in_single_quotes_is_text_and_a_note_says_so(self) -> None:
        records.write_tfrecord(self.dir / "pictures", [PICTURE])
        self.expect(0, "build", "pictures", "-q")
        wrong = "'image/height' = 300"
        note = """note: 'image/height' in single quotes is text; the column is "image/height"\n"""
        for args, code in (
            (("where", "pictures", wrong), 1),
            (("get", "pictures", "--where", wrong), 0),
            (("cat", "pictures", "--where", wrong), 0),
            (("sample", "pictures", "--where", wrong), 0),
            (("sql", "pictures", f"SELECT _id FROM records WHERE {wrong}"), 0),
            (("sql", "pictures", "SELECT avg('image/height') FROM records"), 0),
            (("where", "pictures", "'image/height' IS NULL"), 1),
            (("where", "pictures", "'IMAGE/Height' IN (300)"), 1),
            (("where", "pictures", "'image/height' BETWEEN 100 AND 400"), 1),
            (("where", "pictures", "'image/height' LIKE '3%'"), 1),
            (("where", "pictures", "'image/height' GLOB '3*'"), 1),
        ):
            with self.subTest(args):
                self.assertEqual(self.expect(code, *args).stderr, note)
                self.assertEqual(self.expect(code, *args, "-q").stderr, "")
        self.assertEqual(self.expect(1, "where", "pictures", "format = 'image/height'").stderr, "")
        labels = """SELECT 'image/height', count("image/height") FROM records UNION ALL SELECT 'format', count(format) FROM records"""
        self.assertEqual(self.expect(0, "sql", "pictures", labels).stderr, "")

    def test_a_hint_to_store_a_feature_as_a_column_helps(self) -> None:
        records.write_tfrecord(self.dir / "pictures", [PICTURE])
        self.expect(0, "build", "pictures", "-q")
        self.expect(0, "build", "pictures", "--force", "--columns", "auto,image/encoded", "-q")
        size = self.expect(0, "sql", "pictures", 'SELECT length("image/encoded") AS n FROM records', "--json").json
        self.assertEqual(size["rows"], [{"n": 4 * 99}])

    def test_the_error_of_a_misspelt_name_suggests_the_nearest_names(self) -> None:
        cases = {
            "SELECT paht FROM shards": 'SQL@7: no such column: "paht"; did you mean "path"?',
            "SELECT 1 FROM shardz": 'no such table: "shardz"; did you mean "shards"?',
            "SELECT uper('a')": 'no such function: "uper"; did you mean "upper"?',
            'SELECT count(*) FROM shards WHERE "recrods" > 1': 'no such column: "recrods"; did you mean "records"',
        }
        for query, message in cases.items():
            with self.subTest(query):
                self.assertIn(message, self.refused(query))

    def test_a_double_quoted_name_is_never_a_string(self) -> None:
        self.refused('SELECT count(*) FROM shards WHERE "no such name" > 50')
        self.refused('SELECT "hello"')

    def test_more_or_less_than_one_statement_is_an_error(self) -> None:
        self.assertIn("byte 10", self.refused("SELECT 1; SELECT 2"))
        self.refused("SELECT 1; -- x\n SELECT 2")
        self.refused("")
        self.refused("-- nothing")
        self.assertEqual(self.rows("SELECT 1 AS a; -- the end"), [{"a": 1}])

    def test_reaching_a_limit_exits_with_7(self) -> None:
        self.refused("SELECT zeroblob(100000000)", code=7)
        self.refused("SELECT '" + "x" * 100_000 + "'", code=7)

    def test_a_timeout_must_be_above_0(self) -> None:
        for text in ("0", "-1", "nan", "x", ""):
            with self.subTest(text):
                self.refused("SELECT 1", f"--timeout={text}")
        self.rows("SELECT 1", "--timeout", "1e300")


class AttackTest(SqlCase):
    """Untrusted statements, judged by their effects."""

    def setUp(self) -> None:
        super().setUp()
        (self.dir / "secret.db").write_bytes(b"SQLite format 3\0" + b"secret" * 100)
        self.before = snapshot(self.dir)

    def assert_untouched(self, finished: Finished) -> None:
        self.assertEqual(snapshot(self.dir), self.before, finished)
        self.assertNotIn("secretsecret", finished.text + finished.stderr)

    def test_a_statement_about_files_is_refused_and_has_no_effect(self) -> None:
        """If strace is installed, no file but the index may be opened, and no file for writing."""
        self.assertGreaterEqual(len(set(ATTACKS)), 20)
        traced = self.can_trace()
        for query in ATTACKS:
            with self.subTest(query):
                refused, calls = self.run_traced(query) if traced else (self.run_command("sql", "data", query), [])
                self.assertEqual((refused.code, refused.stdout), (2, b""), refused)
                self.assertEqual([line.partition(":")[0] for line in refused.stderr.splitlines()], ["ofindex", "hint"])
                self.assert_untouched(refused)
                for call in calls:
                    self.check_call(call)

    def can_trace(self) -> bool:
        if shutil.which("strace") is None:
            return False
        return any("data.ofidx" in call for call in self.run_traced("SELECT 1")[1])

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_a_valid_statement_opens_only_the_index_and_writes_nothing(self) -> None:
        if not self.can_trace():
            self.skipTest("strace may not trace here")
        for query in ("SELECT * FROM shards, features, bad, damage", "SELECT * FROM records ORDER BY _length"):
            with self.subTest(query):
                for call in self.run_traced(query)[1]:
                    self.check_call(call)

    def run_traced(self, query: str) -> tuple[Finished, list[str]]:
        """Runs the statement; also returns the system calls about files, sockets and processes."""
        log = self.dir.parent / "trace"
        calls = "trace=%file,%network,ftruncate,fallocate,fork,vfork"
        args = ("sql", "data.ofidx", query)
        # LeakSanitizer does not work under a tracer.
        ran = subprocess.run(
            ["strace", "-f", "-qq", "-s", "4096", "-e", calls, "-o", str(log), str(COMMAND), *args],
            cwd=self.dir,
            env={**self.environment, "ASAN_OPTIONS": "detect_leaks=0"},
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
        )
        finished = Finished(args, ran.returncode, ran.stdout, ran.stderr.decode("utf-8", "backslashreplace"))
        return finished, log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []

    def check_call(self, line: str) -> None:
        self.assertIsNone(CHANGING.search(line), line)
        call = OPEN.search(line)
        if call is None or " = -1 " in line:
            return
        self.assertNotRegex(call[2] or "", "O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND", line)
        path = os.path.normpath(self.dir / call[1])
        if not path.startswith(SYSTEM_FILES):
            self.assertIn(path, {str(self.dir / name) for name in ("data.ofidx", "data.ofidx-map")}, line)

    def test_memory_is_bounded(self) -> None:
        if is_address_sanitized():
            self.skipTest("AddressSanitizer keeps freed memory for a while")
        for query in MEMORY_BOMBS:
            with self.subTest(query[:80]):
                bounded = run_bounded(self, ("sql", "data", query, "--jsonl"))
                self.assertEqual(bounded.finished.code, 7, bounded.finished)
                self.assertLess(bounded.peak_bytes, 3 << 29)
                self.assert_untouched(bounded.finished)

    def test_the_deadline_ends_any_statement(self) -> None:
        for query in TIME_BOMBS:
            with self.subTest(query[:80]):
                late = self.expect_error(7, "sql", "data", query, "--timeout", "0.2", timeout=60)
                self.assertIn("took longer than", late.stderr)
                self.assert_untouched(late)

    def test_an_interrupt_ends_any_statement(self) -> None:
        for query in (TIME_BOMBS[0], TIME_BOMBS[2]):
            with self.subTest(query[:80]):
                process = self.start("sql", "data", query)
                time.sleep(0.3)
                process.send_signal(signal.SIGINT)
                self.assertEqual(self.finish(process, timeout=60).code, 130)


if __name__ == "__main__":
    unittest.main()
