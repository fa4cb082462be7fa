"""The prompt of `ofindex sql INDEX`, and tables on a terminal, through a pseudo-terminal."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import termios
import time
import unicodedata
import unittest

from e2e.command import CommandTest
from e2e.pseudo_terminal import Prompt, PseudoTerminal

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
# sqlite.org/lang_keywords.html
KEYWORDS = """
    ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN BETWEEN BY CASCADE CASE
    CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME
    CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DEFERRED DELETE DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE
    EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GROUP
    GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY
    LAST LEFT LIKE LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR ORDER OTHERS OUTER
    OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE REFERENCES REGEXP REINDEX RELEASE RENAME
    REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT SELECT SET TABLE TEMP TEMPORARY THEN TIES TO
    TRANSACTION TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT
"""
HOSTILE = "\x1b[31mred\x9b2J\x07\rover\u202e"


def width_of(line: str) -> int:
    """The columns that a line takes on a terminal."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line
    )


class ShellCase(CommandTest):
    """An index of nine records, and prompts on it."""

    FLOWERS = [
        {"name": name, "image/class/label": label, "image/height": 100 + label}
        for label in range(3)
        for name in ("setosa", "versicolor", "virginica")
    ]

    def setUp(self) -> None:
        super().setUp()
        self.pack("flowers", self.FLOWERS)

    def pack(self, name: str, records: list[dict[str, object]], *build: str) -> None:
        """Makes a dataset of `records` with an index."""
        rows = self.dir / f"{name}.jsonl"
        rows.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        self.expect(0, "pack", rows, "-o", name, "--to", "tfrecord")
        self.expect(0, "build", name, "-q", *build)

    def prompt(self, *args: str, index: str = "flowers", **options: object) -> Prompt:
        """A prompt that is ready for its first line."""
        prompt = Prompt(self, "sql", index, *args, **options)  # type: ignore[arg-type]
        self.greeting = prompt.ready()
        return prompt

    @property
    def history(self) -> os.PathLike[str]:
        return self.dir.parent / ".local" / "state" / "ofindex" / "sql_history"


class StatementTest(ShellCase):
    """Statements, their ends and their errors."""

    def test_a_statement_ends_with_a_semicolon_perhaps_lines_later(self) -> None:
        prompt = self.prompt()
        self.assertIn("0.1.0 on flowers\n", self.greeting)
        self.assertEqual(prompt.ask("SELECT count(*) AS n FROM records;"), "n\n9\n")
        prompt.send("SELECT name, count(*) AS n -- a comment; with a semicolon\n")
        prompt.expect(r"^    \.\.\.> $")
        prompt.send("FROM records WHERE name <> ';'\n")
        prompt.expect(r"^    \.\.\.> $")
        shown = prompt.ask("GROUP BY name LIMIT 1; SELECT 2 AS b; SELECT 3 AS c;")
        self.assertEqual(shown, "name    n\nsetosa  3\nb\n2\nc\n3\n")

    def test_ctrl_c_drops_an_unfinished_statement(self) -> None:
        prompt = self.prompt()
        prompt.send("SELECT no such\n")
        prompt.expect(r"^    \.\.\.> $")
        prompt.send("abc\x03")
        prompt.ready()
        self.assertEqual(prompt.ask("SELECT 1 AS a;"), "a\n1\n")

    def test_an_empty_line_keeps_an_unfinished_statement(self) -> None:
        prompt = self.prompt()
        for line in ("SELECT 'a\n", "\n", "  \n"):
            prompt.send(line)
            prompt.expect(r"^    \.\.\.> $")
        self.assertEqual(prompt.ask("' IS char(97, 10, 10, 32, 32, 10) AS kept;"), "kept\n1\n")
        self.assertEqual(prompt.ask(""), "")

    def test_an_error_is_shown_with_its_hint_and_ends_nothing(self) -> None:
        prompt = self.prompt()
        for wrong in ("SELECT nmae FROM records;", "DROP TABLE records;", "SELECT;", "nonsense;", "ATTACH 'x' AS y;"):
            shown = prompt.ask(wrong)
            self.assertRegex(shown, r"^ofindex: .*\nhint: ", wrong)
        self.assertIn('did you mean "name"', prompt.ask("SELECT nmae FROM records;"))
        self.assertEqual(prompt.ask("SELECT 1 AS a;"), "a\n1\n")

    def test_a_column_in_single_quotes_gets_a_note_after_the_rows(self) -> None:
        prompt = self.prompt()
        shown = prompt.ask("SELECT count(*) AS n FROM records WHERE 'name' = 1;")
        self.assertEqual(shown, "n\n0\nnote: 'name' in single quotes is text; the column is \"name\"\n")
        self.assertNotIn("note:", prompt.ask("SELECT nmae FROM records WHERE 'name' = 1;"))

    def test_ctrl_d_quit_and_exit_end_the_prompt_with_0(self) -> None:
        for end in ("\x04", ".quit\n", ".exit\n", "exit\n", "quit;\n", "SELECT\n.quit\n"):
            prompt = self.prompt()
            prompt.send(end)
            self.assertEqual(prompt.wait(), 0, end)

    def interrupt(self, prompt: Prompt, statement: str, end_of_line: str) -> None:
        """Sends a statement and Ctrl-C; again if that came before the statement ran, when it drops the line instead."""
        shown = ""
        for seconds in (0.05, 0.2, 1, 5):
            prompt.send(statement)
            prompt.expect(end_of_line)
            time.sleep(seconds)
            prompt.send("\x03")
            shown = prompt.ready()
            if "interrupted" in shown:
                return
        self.fail(f"the statement was not interrupted: {shown!r}")

    def test_ctrl_c_ends_the_query_and_the_next_one_works(self) -> None:
        prompt = self.prompt()
        for _ in range(2):
            self.interrupt(prompt, ENDLESS + ";\n", "FROM n;\n")
            # One that stops between two rows, too.
            prompt.send(ENDLESS.replace("max(i)", "i") + " WHERE i % 1000000 = 0; SELECT 'not run';\n")
            prompt.expect("not run';\n")
            prompt.send("\x03")
            self.assertNotIn("not run", prompt.ready())
            self.assertEqual(prompt.ask("SELECT name, count(*) AS n FROM records GROUP BY 1 LIMIT 1;"),
                             "name    n\nsetosa  3\n")

    def test_sigterm_ends_the_prompt_and_gives_the_terminal_back(self) -> None:
        for statement in ("SELECT 1", ENDLESS + ";\n"):
            prompt = self.prompt()
            prompt.send(statement)
            prompt.expect(statement[-8:].strip())
            prompt.process.send_signal(signal.SIGTERM)
            self.assertEqual(prompt.wait(), 130)
            self.assertEqual(termios.tcgetattr(prompt.slave), prompt.modes)

    def test_the_options_of_sql_hold_for_every_statement(self) -> None:
        prompt = self.prompt("-p", "x=5", "-p", "unused=1", "--timeout", "0.2", "--max-rows", "2", "--csv")
        self.assertEqual(prompt.ask("SELECT :x AS x;"), "x\n5\n")
        self.assertEqual(prompt.ask("SELECT 1 AS a;"), "a\n1\n")
        self.assertIn("parameter y has no value", prompt.ask("SELECT :y;"))
        self.assertIn("took longer than", prompt.ask(ENDLESS + ";"))
        self.assertRegex(prompt.ask("SELECT _id FROM records;"), r"^_id\n0\n1\ntruncated: .*2 rows")
        self.assertEqual(self.prompt("--jsonl").ask("SELECT 1 AS a;"), '{"a":1}\n')


class EditingTest(ShellCase):
    """Completion, history, and lines on a terminal that changes."""

    def test_tab_completes_words_tables_and_columns(self) -> None:
        prompt = self.prompt()
        cases = {
            "sel\tnam\tfr\treco\tLIM\t1;": "name",
            "SEL\tcount(*) AS n FROM rec\t;": "n",
            "SELECT image/h\tFROM records LIMIT 1;": "image/height",
            'SELECT "image/c\t FROM records LIMIT 1;': "image/class/label",
            "SELECT image/\tclass\tFROM records LIMIT 1;": "image/class/label",
            "SELECT records.IMAGE/H\tFROM records LIMIT 1;": "image/height",
            "SELECT pat\tFROM sha\t;": "path",
            "SELECT upp\t'a') AS u;": "u",
            "\tSELECT 5 AS indented;": "indented",
        }
        for keys, header in cases.items():
            with self.subTest(keys):
                self.assertEqual(prompt.ask(keys).partition("\n")[0].split(), [header])

    def test_tab_lists_what_is_possible(self) -> None:
        prompt = self.prompt()
        prompt.send("SELECT image/\t\t")
        prompt.expect(r'^"image/class/label"  "image/height"\n')
        prompt.send("\x03")
        prompt.ready()
        prompt.send("SELECT * FROM \t")
        prompt.expect(r"^bad +damage +features +records +shards\n")
        prompt.send("\x03")
        prompt.ready()
        prompt.send("SELECT 'image/h\t")  # in a string, nothing is completed
        prompt.send("' AS text;\n")
        self.assertRegex(prompt.ready(), r"text\nimage/h\n$")

    def test_tab_asks_before_it_lists_more_than_the_screen_holds(self) -> None:
        self.pack("wide", [{f"feature/{i:03}": i for i in range(300)}])
        prompt = self.prompt(index="wide")
        for key, listed in (("n", False), ("y", True)):
            prompt.send("SELECT \t")
            prompt.expect(r"^Display all 3\d\d possibilities\? \(y or n\)$")
            prompt.send(key)
            if listed:
                prompt.expect(r"^_id +_length +_offset +_shard\n|^_id ")
                prompt.expect(r'"feature/299"')
            prompt.send("1 AS one;\n")
            self.assertIn("one\n1\n", prompt.ready())
        prompt.send("SELECT \t")
        prompt.expect(r"\(y or n\)$")
        prompt.send("\x03")
        prompt.ready()
        self.assertEqual(prompt.ask("SELECT 2 AS two;"), "two\n2\n")

    def test_tab_completes_the_tables_of_another_index(self) -> None:
        prompt = self.prompt("--index", "b=flowers")
        self.assertEqual(prompt.ask("SELECT count(*) AS n FROM b.rec\t;"), "n\n9\n")
        self.assertEqual(prompt.ask("SELECT b.records.nam\tFROM b.records LIMIT 1;").split("\n")[0], "name")
        self.assertRegex(prompt.ask(".tables"), r"\nb\.records +_id")

    def test_tab_completes_dot_commands_and_their_arguments(self) -> None:
        prompt = self.prompt()
        self.assertIn("records", prompt.ask(".tab\t"))
        self.assertIn("values_min", prompt.ask(".sch\tfea\t"))
        prompt.ask(".mod\tlin\t")
        self.assertEqual(prompt.ask("SELECT 1 AS a;"), "a = 1\n")
        self.assertIn("records", prompt.ask(".exp\tsel\t* fr\treco\t"))

    def test_the_arrow_keys_bring_back_entries_of_earlier_runs(self) -> None:
        prompt = self.prompt()
        prompt.ask("SELECT 41 + 1 AS first;")
        prompt.send("SELECT 5 -- a comment\n")
        prompt.expect(r"\.\.\.> $")
        prompt.ask("AS second;")
        prompt.send("\x04")
        prompt.wait()
        self.assertEqual(stat.S_IMODE(os.stat(self.history).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(self.history)).st_mode), 0o700)
        prompt = self.prompt()
        self.assertRegex(prompt.ask("\x1b[A"), r"second\n5\n$")
        self.assertRegex(prompt.ask("\x1b[A\x1b[A"), r"first\n42\n$")

    def test_the_history_is_bounded_and_its_failure_is_no_error(self) -> None:
        self.prompt().ask("SELECT 0;")
        with open(self.history, "a", encoding="utf-8") as file:
            file.writelines(f"SELECT {i};\n" for i in range(5000))
            file.write("\x1b[31m SELECT 'hostile';\nx" + "x" * 20_000 + "\nwithout an end")
        prompt = self.prompt()
        with open(self.history, encoding="utf-8") as file:
            lines = file.readlines()
        self.assertEqual((len(lines), lines[-2]), (1000, "SELECT 4999;\n"))
        self.assertRegex(prompt.ask("\x1b[A\x1b[A"), r"4999\n4999\n$")
        for folder in ("/dev/null", "/proc/nowhere"):
            prompt = self.prompt(XDG_STATE_HOME=folder)
            self.assertEqual(prompt.ask("SELECT 1 AS a;"), "a\n1\n")

    def test_only_the_prompt_writes_a_history(self) -> None:
        self.expect(0, "sql", "flowers", "SELECT 1")
        self.expect(0, "sql", "flowers", "-", stdin=b"SELECT 1")
        self.assertFalse(os.path.exists(os.path.dirname(self.history)))

    def test_a_resize_keeps_the_line_and_fits_the_next_result(self) -> None:
        prompt = self.prompt()
        query = "SELECT 'a text of thirty-one characters' AS a, 'a text of thirty-one characters' AS b;"
        self.assertIn("characters  a text of thirty-one characters\n", prompt.ask(query))
        prompt.send(query[:40])
        prompt.expect("charact")
        prompt.resize(50)
        prompt.expect("ofindex> ")  # drawn again
        shown = prompt.ask(query[40:])
        self.assertIn("a text of thirty-one ...  a text of thirty-one ...\n", shown)

    def test_a_line_may_have_any_characters_and_be_longer_than_the_terminal(self) -> None:
        prompt = self.prompt()
        self.assertRegex(prompt.ask("SELECT 'é日本x\x7f' AS t;"), r"t\né日本\n$")
        for variables in ({"LC_ALL": "C"}, {"LANG": None}, {"TERM": "no-such-terminal"}):
            self.assertRegex(self.prompt(**variables).ask("SELECT 'é' AS t;"), r"t\né\n$")
        numbers = " + ".join(map(str, range(100)))
        self.assertRegex(prompt.ask(f"SELECT {numbers} AS total;"), r"total\n4950\n$")


class DotCommandTest(ShellCase):
    """Every dot command."""

    def test_tables_and_schema_show_what_there_is(self) -> None:
        prompt = self.prompt()
        tables = prompt.ask(".tables").splitlines()
        self.assertEqual([line.split()[0] for line in tables], ["table", "records", "shards", "features", "bad", "damage"])
        rows = [line.split() for line in prompt.ask(".schema records").splitlines()]
        self.assertEqual(rows[0], ["column", "type"])
        self.assertIn(['"image/class/label"', "INTEGER"], rows)
        self.assertIn(["name", "TEXT"], rows)
        self.assertIn("\nshards    payload_bytes ", prompt.paged(".schema"))
        self.assertEqual(prompt.ask('.schema "Records";'), prompt.ask(".schema records"))
        self.assertIn("did you mean 'records'", prompt.ask(".schema recrods"))

    def test_schema_shows_names_as_a_statement_takes_them(self) -> None:
        names = [*KEYWORDS.lower().split(), "a/b", "1st", "é", "x[]", "with space", 'quo"te', "Order2", "$d"]
        self.pack("odd", [{name: number for number, name in enumerate(names)}])
        shown = self.prompt("-q", index="odd", PAGER="").ask(".schema records").splitlines()
        columns = [re.sub(" +INTEGER$", "", line) for line in shown if line.endswith("INTEGER")][3:]
        self.assertEqual(len(columns), len(names))
        [row] = self.expect(0, "sql", "odd", f"SELECT {', '.join(columns)} FROM records", "--jsonl").jsonl
        self.assertEqual(row, {name: number for number, name in enumerate(names)})
        self.assertLess(sum(column.startswith('"') for column in columns), 80)  # others need no quotes

    def test_mode_changes_the_form_of_results(self) -> None:
        prompt = self.prompt()
        query = "SELECT 1 AS a, NULL AS long_name UNION ALL SELECT 2, 'x';"
        forms = {
            "table": "a  long_name\n1  NULL\n2  x\n",
            "line": "        a = 1\nlong_name = NULL\n\n        a = 2\nlong_name = x\n",
            "csv": "a,long_name\n1,\n2,x\n",
            "json": '{"schema":"ofindex.sql/1","columns":["a","long_name"],'
            '"rows":[{"a":1,"long_name":null},{"a":2,"long_name":"x"}],"truncated":false}\n',
            "jsonl": '{"a":1,"long_name":null}\n{"a":2,"long_name":"x"}\n',
        }
        for form, expected in forms.items():
            with self.subTest(form):
                self.assertEqual(prompt.ask(f".mode {form}"), "")
                self.assertEqual(prompt.ask(query).replace("\n", "").replace("\r", ""), expected.replace("\n", ""))
        self.assertIn("expected table, line, csv, json or jsonl, got 'html'", prompt.ask(".mode html"))

    def test_width_sets_the_width_of_tables(self) -> None:
        prompt = self.prompt()
        query = "SELECT printf('%.*c', 70, 'x') AS x;"
        prompt.ask(".width 30")
        self.assertEqual(prompt.ask(query), f"x\n{'x' * 27}...\n")
        prompt.ask(".width 0")
        self.assertEqual(prompt.ask(query), f"x\n{'x' * 70}\n")
        for wrong in ("5", "-1", "x", ""):
            self.assertIn("expected 0, or a number from 20", prompt.ask(f".width {wrong}"))

    def test_timer_says_how_long_statements_take(self) -> None:
        prompt = self.prompt()
        prompt.ask(".timer on")
        self.assertRegex(prompt.ask("SELECT 1 AS a;"), r"^a\n1\ntime: \d+\.\d{3} s\n$")
        prompt.ask(".timer off")
        self.assertEqual(prompt.ask("SELECT 1 AS a;"), "a\n1\n")
        self.assertIn("expected on or off, got nothing", prompt.ask(".timer"))

    def test_explain_shows_the_plan_as_a_tree(self) -> None:
        prompt = self.prompt()
        self.assertIn("one row for each name", prompt.ask(".explain SELECT name, count(*) FROM records GROUP BY 1;"))
        nested = prompt.ask(".explain SELECT * FROM (SELECT _id FROM records UNION SELECT 1) LIMIT 3")
        self.assertRegex(nested, r"(?m)^\S.*\n  +\S")
        self.assertIn('SQL@7: no such column: "x"', prompt.ask(".explain SELECT x FROM records"))

    def test_help_lists_the_commands_and_a_wrong_one_is_told_the_nearest(self) -> None:
        prompt = self.prompt()
        for ask in (".help", "help", "help;"):
            shown = prompt.ask(ask)
            for command in (".tables", ".schema", ".mode", ".timer", ".width", ".explain", ".help", ".quit"):
                self.assertIn(f"\n{command} ", shown, ask)
            self.assertNotIn("...", shown)
        wrong = prompt.ask(".tabels")
        self.assertIn("there is no command '.tabels'; did you mean '.tables'?", wrong)
        self.assertIn(".explain", wrong)
        self.assertIn("did you mean '.schema'", prompt.ask(".sch"))
        self.assertIn("expected no argument, got 'x'", prompt.ask(".tables x"))
        # What users of other shells enter.
        self.assertIn("there is no command '\\dt'", prompt.ask("\\dt"))
        for ask in ("SHOW TABLES;", "describe records;", "PRAGMA table_info(records);"):
            self.assertIn("`.tables` lists the tables", prompt.ask(ask), ask)

    def test_a_dot_command_answers_in_the_middle_of_a_statement(self) -> None:
        prompt = self.prompt()
        prompt.send("SELECT count(*) AS n\n")
        prompt.expect(r"\.\.\.> $")
        prompt.send(".tables\n")
        self.assertIn("damage", prompt.expect(r"^    \.\.\.> $"))
        self.assertEqual(prompt.ask("FROM records;"), "n\n9\n")


class ScreenTest(ShellCase):
    """Results on the screen."""

    def test_what_is_typed_ahead_of_a_long_result_is_not_for_the_pager(self) -> None:
        prompt = self.prompt(lines=10)
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) SELECT i FROM n;"
        prompt.send(f"{numbers}\nSELECT 'typed' || ' ahead' AS second;\n")
        shown = prompt.expect("typed ahead\n")
        self.assertIn("\n60\n", shown)
        self.assertNotIn("returns to the prompt", shown)

    def test_a_table_with_many_columns_shows_those_that_fit_and_counts_the_others(self) -> None:
        # An index has columns of at most 900 features.
        self.pack("wide", [{f"feature/{i:05}": i for i in range(10_000)}])
        prompt = self.prompt(index="wide")
        lines = prompt.ask("SELECT * FROM records;").splitlines()
        self.assertEqual(lines[-1].split(" did")[0], f"{904 - len(lines[0].split())} more columns")
        self.assertIn(".mode line", lines[-1])
        for line in lines[:-1]:
            self.assertLessEqual(len(line), 80)
        self.assertIn('"feature/00899"', prompt.ask(".width 0") + prompt.paged(".schema records"))
        prompt.send("SELECT feature/0089\t\t")
        prompt.expect('"feature/00898" +"feature/00899"\n')
        prompt.send('8\t, count(*) AS n FROM features;\x03')
        prompt.ready()
        features = len(self.expect(0, "info", "wide", "--json").json["features"])
        self.assertEqual(prompt.ask("SELECT count(*) AS n FROM features;"), f"n\n{features}\n")
        shown = prompt.paged("SELECT name FROM features;")
        self.assertIn("truncated: there are more than 1,000 rows", shown)

    def test_a_long_result_goes_through_the_pager(self) -> None:
        many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) SELECT i AS number FROM n"
        prompt = self.prompt(PAGER="sed 's/^/paged /'")
        self.assertEqual(prompt.ask("SELECT 1 AS a;"), "a\n1\n")
        self.assertEqual(prompt.ask(f"{many} LIMIT 20;").splitlines()[-1], "20")
        shown = prompt.ask(many + ";").splitlines()
        self.assertEqual((len(shown), shown[0], shown[-1]), (101, "paged number", "paged 100"))
        # A pager that stops reading, none, and one that does not exist.
        endless = ENDLESS.replace("max(i)", "i")
        prompt = self.prompt("--csv", PAGER="head -3")
        self.assertEqual(prompt.ask(endless + ";"), "i\n1\n2\n")
        prompt = self.prompt(PAGER="")
        self.assertEqual(len(prompt.ask(many + ";").splitlines()), 101)
        prompt = self.prompt(PAGER="no-such-pager")
        self.assertIn("there is no pager 'no-such-pager'", prompt.ask(many + ";"))
        self.assertEqual(prompt.ask("SELECT 1 AS a;"), "a\n1\n")

    def test_no_control_character_of_a_value_or_name_reaches_the_terminal(self) -> None:
        self.pack("hostile", [{"text": HOSTILE}])
        prompt = self.prompt(index="hostile")
        for form in ("table", "line", "csv", "json", "jsonl"):
            prompt.ask(f".mode {form}")
            shown = prompt.ask("SELECT text FROM records; SELECT * FROM records;")
            self.assertIn("[31mred", shown.replace("\n", ""), form)
            prompt.ask("SELECT char(27) || '[31m' AS \"a\x16\x1b[31m\";")  # after Ctrl-V, a key is taken as it is
        prompt.ask(".mode table")
        prompt.ask(".tables")
        prompt.paged(".schema")
        prompt.send("SELECT \t")
        prompt.expect("text")
        for wrong in ("\x1b[31m", "\x9b2J", "\x07", "\u202e", "\rover"):
            if wrong != "\x07":  # which the editor itself may ring
                self.assertNotIn(wrong, prompt.raw)

    def test_a_dumb_terminal_gets_no_escape_sequences(self) -> None:
        for term in ("dumb", None):
            prompt = self.prompt(TERM=term)
            self.assertEqual(prompt.ask("SELECT 1 AS a;"), "a\n1\n")
            prompt.send("SELECT\n")
            prompt.expect(r"^    \.\.\.> $")
            prompt.send("x\x03")
            prompt.ready()
            prompt.send(f"SELECT 'started' AS s; {ENDLESS};\n")
            prompt.expect("^started\n")  # what was entered before Ctrl-C is lost, unless it has been read
            prompt.send("\x03")
            self.assertIn("interrupted", prompt.ready())
            self.assertIn("ofindex: SQL", prompt.ask("SELECT x;"))
            self.assertEqual(len(prompt.ask(f"{ENDLESS.replace('max(i)', 'i')} LIMIT 100;").splitlines()), 101)
            prompt.send("\x04")
            self.assertEqual(prompt.wait(), 0)
            self.assertNotIn("\x1b", prompt.raw)

    def test_a_table_fits_the_terminal_and_a_pipe_gets_all_of_it(self) -> None:
        text = "日本語のテキスト " * 8
        query = f"SELECT '{text}' AS t, 12345678 AS n, '{text}' AS u, 'e\u0301e\u0301' AS v"
        whole = self.expect(0, "sql", "flowers", query).text
        self.assertEqual(whole.count(text), 2)
        for columns, variables in ((80, {}), (40, {}), (120, {}), (80, {"COLUMNS": "50"}), (50, {"COLUMNS": "x"})):
            terminal = PseudoTerminal(self, "sql", "flowers", query, columns=columns, **variables)
            self.assertEqual(terminal.wait(), 0)
            wanted = int(variables.get("COLUMNS", "0")) if variables.get("COLUMNS", "x").isdigit() else columns
            lines = terminal.unread.splitlines()
            self.assertEqual(len(lines), 2)
            self.assertLessEqual(max(map(width_of, lines)), wanted)
            self.assertGreaterEqual(max(map(width_of, lines)), wanted - 4)
            self.assertEqual(width_of(lines[0].split("n")[0]), width_of(lines[1].split("12345678")[0]) + 7)
            self.assertIn("12345678", lines[1])

    def test_a_table_on_a_terminal_ends_after_a_thousand_rows_with_a_note(self) -> None:
        many = ENDLESS.replace("max(i)", "i AS number") + " LIMIT "
        for limit, options, lines in (("1000", (), 1001), ("1001", (), 1002), ("1001", ("--csv",), 1002)):
            terminal = PseudoTerminal(self, "sql", "flowers", many + limit, *options)
            self.assertEqual(terminal.wait(), 0)
            shown = terminal.unread.splitlines()
            self.assertEqual(len(shown), lines)
            noted = limit == "1001" and not options
            self.assertEqual(shown[-1].startswith("truncated: there are more than 1,000 rows"), noted)

    def test_the_tables_of_other_verbs_fit_the_terminal(self) -> None:
        verbs = (("info", "flowers"), ("schema", "flowers"), ("get", "flowers", "0"), ("stats", "flowers"),
                 ("stats", "flowers", "image/height", "--by", "name"))
        for verb in verbs:
            whole = self.expect(0, *verb).text
            self.assertGreater(max(map(len, whole.splitlines())), 50, verb)
            self.assertNotIn("...", whole)
            for columns in (60, 200):
                terminal = PseudoTerminal(self, *verb, columns=columns)
                self.assertEqual(terminal.wait(), 0)
                rows = [line for line in terminal.unread.splitlines() if re.search(r"\S  +\S", line)]
                self.assertLessEqual(max(map(width_of, rows)), columns, verb)
                if columns == 200 and verb[0] != "stats":
                    self.assertEqual(terminal.unread, whole, verb)


    def test_progress_stays_on_one_line_of_the_terminal(self) -> None:
        for columns, term in ((20, "xterm"), (20, "dumb")):
            terminal = PseudoTerminal(self, "build", "@-", "-o", f"{term}.ofidx", columns=columns, TERM=term)
            if term == "xterm":
                terminal.expect(r"\rbuild  0%[^\r]*\r")
            terminal.send("flowers\n\x04")  # until now, the build has waited for names
            self.assertEqual(terminal.wait(), 0)
            lines = re.findall(r"\x1b\[K([^\r\n]*)", terminal.raw.partition("flowers\r")[0])
            self.assertEqual(bool(lines), term == "xterm")
            self.assertLess(max(map(len, lines), default=0), columns)


class WithoutTerminalTest(ShellCase):
    """`sql` without QUERY if there is nobody to ask."""

    def test_without_a_terminal_the_query_comes_from_standard_input(self) -> None:
        self.assertEqual(self.expect(0, "sql", "flowers", stdin=b"SELECT 1 AS a;\n").text, "a\n1\n")
        self.assertIn("there is no statement", self.expect_error(2, "sql", "flowers", stdin=b"").stderr)
        self.assertIn("there is no statement", self.expect_error(2, "sql", "flowers", "").stderr)

    def test_a_terminal_as_input_alone_is_an_error_that_names_the_dash(self) -> None:
        terminal = PseudoTerminal(self, "info", "flowers")
        terminal.wait()
        refused = self.finish(self.start("sql", "flowers", stdin=terminal.slave))
        self.assertEqual((refused.code, refused.stdout), (2, b""))
        self.assertIn("or - to read it from standard input", refused.stderr)


if __name__ == "__main__":
    unittest.main()
