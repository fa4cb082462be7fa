"""Output to a terminal: bytes that could change its state are refused, and what is cut says how much is left out."""

from __future__ import annotations

import re

from e2e.command import CommandTest
from e2e.pseudo_terminal import ESCAPE, PseudoTerminal
from oracle import messages, records

TEXT = "as they are: \u00fcber,\ttabs and\nlines"
VALUES = list(range(1000, 1300))


class ToTerminalTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        features = {
            "text": ("bytes", [TEXT.encode()]),
            "image": ("bytes", [bytes(range(256))]),
            "bell": ("bytes", [b"\a"]),
            "many": ("int64", VALUES),
            "words": ("bytes", [b"w" * 30] * 7),
            "long": ("bytes", [b"l" * 60] * 3),
        }
        records.write_tfrecord(self.dir / "data.tfrecord", [messages.encode("example", features)])
        records.write_tfrecord(self.dir / "lines.tfrecord", [b"a line\n", b"another\n"])
        self.expect(0, "build", "data.tfrecord", "-o", "data.ofidx", "-q")
        self.expect(0, "build", "lines.tfrecord", "-o", "lines.ofidx", "--payload", "opaque", "-q")

    def shown(self, *args: str, columns: int = 80) -> tuple[int, str]:
        """The exit code of the command on a terminal, and what it wrote there."""
        terminal = PseudoTerminal(self, *args, columns=columns)
        code = terminal.wait()
        return code, ESCAPE.sub("", terminal.raw).replace("\r\n", "\n")

    def test_bytes_that_are_not_text_are_refused_on_a_terminal_alone(self) -> None:
        for args in (
            ("cat", "data.ofidx", "--to", "tfrecord"),
            ("cat", "data.ofidx", "--to", "ofrecord"),
            ("cat", "data.ofidx", "--to", "arrow"),
            ("cat", "data.ofidx", "--to", "tfrecord", "-o", "-"),
            ("cat", "data.ofidx", "--to", "raw"),
            ("cat", "data.ofidx", "--to", "raw", "--feature", "image"),
            ("get", "data.ofidx", "0", "--raw"),
            ("get", "data.ofidx", "0", "--raw", "--feature", "image"),
            ("get", "data.ofidx", "0", "--raw", "--feature", "bell"),
            ("get", "data.ofidx", "0", "--raw", "--feature", "many"),
        ):
            with self.subTest(args):
                code, shown = self.shown(*args)
                self.assertEqual(code, 2, shown)
                self.assertRegex(shown, r"^ofindex: standard output is a terminal, and --.* writes .*\nhint: .*\n$")
                self.assertIn("-o FILE" if args[0] == "cat" else "--wire", shown)
                self.assertGreater(len(self.expect(0, *args).stdout), 0)  # a pipe

    def test_text_is_written_to_a_terminal(self) -> None:
        for args, text in (
            (("get", "data.ofidx", "0", "--raw", "--feature", "text"), TEXT),
            (("cat", "data.ofidx", "--to", "raw", "--feature", "text"), TEXT),
            (("get", "lines.ofidx", ":", "--raw"), "a line\nanother\n"),
            (("cat", "lines.ofidx", "--to", "raw"), "a line\nanother\n"),
        ):
            with self.subTest(args):
                self.assertEqual(self.shown(*args), (0, text))
        for form in ("jsonl", "csv"):
            self.assertEqual(self.shown("cat", "data.ofidx", "--to", form, "--feature", "many")[0], 0)

    def test_a_file_is_written_from_a_terminal(self) -> None:
        self.assertEqual(self.shown("cat", "data.ofidx", "-o", "copy.tfrecord", "-q"), (0, ""))
        self.assertEqual((self.dir / "copy.tfrecord").read_bytes(), (self.dir / "data.tfrecord").read_bytes())

    def test_values_that_do_not_fit_are_counted_at_any_width(self) -> None:
        for columns in (40, 50, 60, 80, 100, 200):
            with self.subTest(columns):
                code, shown = self.shown("get", "data.ofidx", "0", "--feature", "many,words,long", columns=columns)
                lines = shown.splitlines()[2:]
                self.assertEqual((code, len(lines)), (0, 3), shown)
                for line in lines:
                    count = {"many": 300, "words": 7, "long": 3}[line.split()[0]]
                    self.assertLessEqual(len(line), columns)
                    left_out = re.search(r" \.\.\. (\d+) more$", line)
                    assert left_out, line
                    values = line[: left_out.start()].split()[3:]
                    self.assertEqual(len(values) + int(left_out[1]), count, line)
                    if line.startswith("many"):
                        self.assertEqual(values, [str(value) for value in VALUES[: len(values)]])

    def test_on_a_narrow_terminal_no_value_is_lost_without_a_count(self) -> None:
        values = {
            "an_image/of_an/object_xyz": VALUES,
            "two_values_with_long_name": [1, 2],
            "x": [2147483647] * 20,
            "one": [2147483647],
            "one_value_with_longer_nam": [7],
        }
        features = {name: ("int64", numbers) for name, numbers in values.items()}
        records.write_tfrecord(self.dir / "narrow.tfrecord", [messages.encode("example", features)])
        self.expect(0, "build", "narrow.tfrecord", "-o", "narrow.ofidx", "-q")
        for name, numbers in values.items():
            for columns in range(20, 51):
                with self.subTest(name, columns=columns):
                    code, shown = self.shown("get", "narrow.ofidx", "0", "--feature", name, columns=columns)
                    header, line = shown.splitlines()[1:3]
                    self.assertEqual(code, 0, shown)
                    self.assertLessEqual(len(line), columns)
                    if not header.endswith("values"):
                        self.assertRegex(shown, r"\(\d more columns?\)\n$")
                        continue
                    cell = re.search(rf" int64 +{len(numbers)}  (.*)$", line)
                    assert cell, line
                    self.assert_tells_all(cell[1], [str(number) for number in numbers])
                    if numbers in ([7], [1, 2]):  # always fit
                        self.assertEqual(cell[1], " ".join(map(str, numbers)))

    def assert_tells_all(self, cell: str, values: list[str]) -> None:
        """Fails unless `cell` shows the first of these values, the last one perhaps cut, and counts the others."""
        noun = "value" if len(values) == 1 else "values"
        if cell in ("...", f"... {len(values)} more", f"{len(values)} {noun}"):
            return
        text, _, more = cell.partition(" ... ")
        self.assertRegex(more, r"^([0-9]+ more)?$", cell)
        left_out = int(more.removesuffix(" more")) if more else 0
        shown = text.split(" ")
        self.assertEqual(len(shown) + left_out, len(values), cell)
        self.assertEqual(shown[:-1], values[: len(shown) - 1], cell)
        cut = shown[-1].removesuffix("...")
        self.assertTrue(cut and values[len(shown) - 1].startswith(cut), cell)
        self.assertTrue(cut == values[len(shown) - 1] or shown[-1].endswith("..."), cell)
