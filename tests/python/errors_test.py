"""Errors in Python name arguments of the package, not options of the command."""

from __future__ import annotations

import re
import unittest
from typing import Any

import ofindex
from oracle import messages, records
from python.work import WorkTest, example

# Names and paths that look like options in a hint.
ODD = (
    "--force",
    "x--force",
    "a --force b",
    "to --root c --columns NAME",
    "it's --format tfrecord",
    'say "--payload" --shards',
    "`ofindex build --force`",
    "'--max-ratio' `ofindex build --max-inflated`",
)


class ErrorTextTest(WorkTest):
    def said(self, *arguments: Any, **options: Any) -> str:
        """The text of the error that a call raises."""
        call, *rest = arguments
        with self.assertRaises((ofindex.Error, ValueError, OSError)) as raised:
            call(*rest, **options)
        return str(raised.exception)

    def texts(self) -> dict[str, tuple[str, str]]:
        """Maps each fault to the argument that fixes it and the text of the error."""
        ds = self.examples(20)
        data, stale = self.dir / "data", self.write("stale/", [example(0), example(1)])
        ofindex.build(stale)
        with open(stale / "part-0", "ab") as shard:
            shard.write(records.frame_tfrecord(example(2)))
        both = self.dir / "both"
        both.mkdir()
        self.write("both/part-0.tfrecord", [example(0)])
        written = self.write("some.tfrecord", [b"old"])
        out = self.dir / "set"
        return {
            "an unknown feature": (
                "columns_optional=True",
                self.said(ofindex.build, data, columns=["lable"], force=True),
            ),
            "an empty name": ("columns:", self.said(ofindex.build, data, columns="label,,weight", force=True)),
            "a stale index": ("force=True", self.said(ofindex.build, stale)),
            "a changed shard": ("`ofindex.update(...)`", self.said(lambda: ofindex.open(stale)[0])),
            "other options": ("payload", self.said(ofindex.build, data, payload="opaque")),
            "a shard that exists": ("force=True", self.said(ofindex.Writer, written)),
            "a set that exists": ("force=True", self.said(self.pack_twice, out)),
            "no compression": ("compress", self.said(ofindex.pack, [{"n": 1}], out, "ofrecord", compress="gzip")),
            "a file for a folder": ("shards", self.said(ofindex.pack, [{"n": 1}], written, "tfrecord", shards=2)),
            "no list": ("columns=['NAME']", self.said(ds.sql("SELECT has(label, 1) FROM records").fetchall)),
            "a copy that is not there": ("root", self.said(lambda: ofindex.open(data, root=self.dir / "away")[0])),
            "no value": ("{'NAME': VALUE}", self.said(ds.sql, "SELECT :a")),
            "a statement": ("check what follows `SELECT`", self.said(ds.sql, "SELECT FROM WHERE")),
        }

    def pack_twice(self, out: Any) -> None:
        for _ in range(2):
            ofindex.pack([{"n": 1}], out, "tfrecord", shards=1)

    def test_errors_name_the_argument_and_name_an_option_only_inside_a_command(self) -> None:
        for name, (argument, text) in self.texts().items():
            self.assertIn(argument, text, name)
            self.assertNotRegex(re.sub("`ofindex [^`]*`", "", text), r"(?<!\w)--?[a-z]|docs/", name)

    def test_paths_that_look_like_options_are_unchanged(self) -> None:
        for name in ODD:
            path = self.dir / name / name / "none"
            for call in (ofindex.build, ofindex.open):
                self.assertIn(str(path), self.said(call, path))
            data = self.write(f"{name}/", [example(0), example(1)])
            ds = ofindex.build(data)
            (data / "part-0").unlink()
            elsewhere = ofindex.open(data, root=path)
            for mended, text in (
                ("root", self.said(elsewhere.__getitem__, 0)),
                ("`ofindex.update(...)`", self.said(ds.__getitem__, 0)),
                ("force=True", self.said(ofindex.build, data)),
                ("force=True", self.said(ofindex.Writer, self.write(f"{name}.tfrecord", []))),
            ):
                self.assertIn(name, text)
                self.assertIn(mended, text.partition("\n")[2], text)

    def test_column_names_that_look_like_options_are_unchanged(self) -> None:
        for number, name in enumerate(ODD):
            payload = messages.encode("example", {name: ("int64", [1])})
            data = self.write(f"{number}.tfrecord", [payload])
            ds = ofindex.build(data)
            wrong = name + "s"
            for text in (
                self.said(ds.column, wrong),
                self.said(ds.stats, wrong),
                self.said(ds.batch, [0], {wrong: ofindex.fixed("int64")}),
                self.said(ofindex.build, data, columns=[wrong], force=True),
            ):
                self.assertIn(f"'{wrong}'", text)
                self.assertIn(f"did you mean '{name}'?", text.replace(")", "?"))
            self.assertIn(name, self.said(ds.batch, [0], {name: ofindex.fixed("bytes")}))
            self.assertIn(name, self.said(ds.split, {name: 2}))

    def test_sql_statements_that_look_like_options_are_unchanged(self) -> None:
        ds = self.examples(5)
        for name in ODD:
            quoted = name.replace('"', '""')
            for call, text in (
                (ds.sql, f'SELECT records."{quoted}s" FROM records'),
                (lambda text: len(ds.where(text)), f'records."{quoted}s" > 1'),
            ):
                self.assertIn(f"{name}s", self.said(call, text))
            self.assertIn(name, self.said(ds.sql, "SELECT 1", {name: 1}))

    def test_an_argument_that_is_not_a_name_is_a_type_error_with_its_type(self) -> None:
        ds = self.examples(5)
        data = self.dir / "data"
        for call, said in (
            (lambda: ds.column(1), "a name is a str, not int"),
            (lambda: ds.column(None), "a name is a str, not NoneType"),
            (lambda: ds.stats(1.5), "a name is a str, not float"),
            (lambda: ds.arrow([2]).__arrow_c_stream__(), "a name is a str, not int"),
            (lambda: ds.arrow("label"), r"names are a list, not str: arrow\(\['label'\]\)"),
            (lambda: ds.arrow(b"label"), "names are a list, not bytes"),
            (lambda: ofindex.build(data, columns=["label", None], force=True), "a name is a str, not NoneType"),
            (lambda: ds.sql(1), "a statement is a str, not int"),
            (lambda: ds.sql(b"SELECT 1"), "a statement is a str, not bytes"),
            (lambda: ds.split([("a", 0.5)]), "parts are a dict"),
            (lambda: ds.split("ab"), "parts are a dict"),
            (lambda: ofindex.Writer(self.dir / "x.tfrecord", schema=5), "a schema is a mapping"),
            (
                lambda: ofindex.pack([], self.dir / "x", "tfrecord", schema=[("a", "int64")]),
                "a schema is a mapping|not a mapping",
            ),
            (lambda: ofindex.build(data, progress=5), "progress is None, True, False or a callable, not int"),
            (lambda: ds.verify(progress="bar"), "not str"),
            (lambda: ds.split({"a": 0.5}, key=3), "a name is a str, not int"),
        ):
            with self.assertRaisesRegex(TypeError, said):
                call()
        self.assertEqual(ds.column(b"label").tolist(), ds.column("label").tolist())  # names are any bytes

    def test_the_text_of_an_error_ends_with_its_hint(self) -> None:
        ds = self.examples(5)
        with self.assertRaises(ofindex.QueryError) as raised:
            len(ds.where("has(label, 1)"))
        self.assertIn("columns=['NAME']", str(raised.exception))
        self.assertTrue(str(raised.exception).endswith(raised.exception.hint))


if __name__ == "__main__":
    unittest.main()
