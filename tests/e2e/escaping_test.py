"""Untrusted names and values reach a terminal or a CSV file without control characters."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

from e2e.command import CommandTest
from oracle import messages, records

BIDI = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
CONTROLS = {*range(0x20), *range(0x7F, 0xA0)}
HOSTILE = "a\u202eb\u2066c\u200fd\u061ce\u009b31mf\x1b[31mg\x07h\x7fi"
NAME = HOSTILE.encode() + b"\x9b31m"  # the last as a raw byte, which is not UTF-8


def controls_in(output: str | bytes, allowed: str) -> list[str]:
    """The control characters in `output`, including raw bytes of the C1 range."""
    text = output if isinstance(output, str) else output.decode("utf-8", "surrogateescape")
    wrong = CONTROLS | BIDI | set(range(0xDC80, 0xDD00))
    return [f"U+{ord(c):04X}" for c in text if ord(c) in wrong and c not in allowed]


class EscapingTest(CommandTest):
    """A dataset with control characters in its paths, feature names and values; one shard is damaged."""

    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(os.fsdecode(bytes(self.dir) + b"/" + NAME))
        self.folder.mkdir()
        features = {HOSTILE: ("bytes", [HOSTILE.encode()]), "odd": ("bytes", [NAME]), "label": ("int64", [3])}
        payload = messages.encode("example", features)
        for part in (b"part-0", b"part-1", NAME):
            records.write_tfrecord(Path(os.fsdecode(bytes(self.folder) + b"/" + part)), [payload] * 3)
        with (self.folder / "part-1").open("ab") as file:
            file.write(b"torn")
        (self.folder / os.fsdecode(NAME + b".txt")).write_text("no record file")
        self.built = self.expect(3, "build", self.folder, "--payload", "example")
        self.columns = [row["column"] for row in self.expect(0, "schema", self.folder, "--json").json["features"]]

    def test_the_tested_characters_are_all_control_characters_of_unicode(self) -> None:
        self.assertEqual(CONTROLS, {c for c in range(0x110000) if unicodedata.category(chr(c)) == "Cc"})
        kinds = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
        marks = {c for c in range(0x110000) if unicodedata.bidirectional(chr(c)) in kinds}
        self.assertEqual(BIDI, marks | {0x061C, 0x200E, 0x200F})

    def test_no_verb_prints_control_characters_to_a_terminal(self) -> None:
        data = self.folder
        hostile = next(column for column in self.columns if column and "a\u202e" in column)
        name = '"' + hostile.replace('"', '""') + '"'
        bare = bytes(self.dir) + b"/none" + NAME
        commands: list[tuple[str | Path, ...]] = [
            ("build", data, "--force", "-v", "--payload", "example"),
            ("build", data, "--force", "--payload", "example", "--columns", HOSTILE + "x"),
            ("info", data, "-v"),
            ("schema", data),
            ("verify", data),
            ("verify", data, "--quick"),
            ("get", data, "0"),
            ("get", data, "0", "--wire"),
            ("get", data, "0", "--feature", HOSTILE + "x"),
            ("get", data, "0", "--feature", HOSTILE),
            ("get", os.fsdecode(bare), "0"),
            ("stats", data),
            ("stats", data, hostile),
            ("stats", data, hostile + "x"),
            ("stats", data, "--by", hostile),
            ("where", data, f"{name} = 1 OR"),
            ("where", data, '"' + HOSTILE + 'x" = 1'),
            ("sql", data, f"SELECT _shard, {name}, odd FROM records"),
            ("sql", data, f"SELECT {name} AS {name} FROM records"),
            ("sql", data, "SELECT * FROM shards"),
            ("sql", data, "SELECT * FROM features"),
            ("sql", data, "SELECT * FROM damage"),
            ("sql", data, f"SELECT no_such_function_{HOSTILE}()"),
            ("sql", data, "SELECT 1", "-p", HOSTILE + "=1"),
            ("sample", data, "--balance", hostile + "x"),
            ("sample", data, "--balance", hostile, "--quality"),
            ("cat", data, "--to", HOSTILE),
            ("convert", data, "-o", self.dir / ("out" + HOSTILE), "--to", "ofrecord"),
            ("pack", data, "-o", self.dir / ("packed" + HOSTILE), "--to", "tfrecord"),
            ("export", data, "--to", "tfrecord2idx", "-o", self.dir / ("exported" + HOSTILE)),
            (HOSTILE,),
            ("info", data, "--" + HOSTILE),
            ("info", data, HOSTILE),
        ]
        for command in commands:
            with self.subTest(command[0], command=ascii(command)):
                finished = self.run_command(*command)
                self.assertEqual(controls_in(finished.stdout, "\n"), [], ascii(finished.stdout[:3000]))
                self.assertEqual(controls_in(finished.stderr, "\n"), [], ascii(finished.stderr[:3000]))
        self.assertEqual(controls_in(self.built.stderr, "\n"), [])

    def test_csv_escapes_control_characters_as_hexadecimal_digits_but_keeps_lines_and_tabs(self) -> None:
        query = "SELECT :v AS v, '\t\r\n' AS layout, path FROM shards"
        shown = self.expect(0, "sql", self.folder, query, "--csv", "-p", "v=" + json.dumps(HOSTILE))
        self.assertEqual(controls_in(shown.stdout, "\t\r\n"), [])
        self.assertIn(rb"a\xe2\x80\xaeb", shown.stdout)
        self.assertIn(b'"\t\r\n"', shown.stdout)
        for args in (("stats",), ("stats", "label", "--by", self.columns[0])):
            found = self.run_command(args[0], self.folder, *args[1:], "--csv")
            self.assertEqual(controls_in(found.stdout, "\r\n"), [])

    def test_json_keeps_every_character(self) -> None:
        found = self.expect(0, "sql", self.folder, "SELECT :v AS v", "--json", "-p", "v=" + json.dumps(HOSTILE)).json
        self.assertEqual(found["rows"], [{"v": HOSTILE}])
        self.assertIn(HOSTILE, [row["name"] for row in self.expect(0, "schema", self.folder, "--json").json["features"]])
