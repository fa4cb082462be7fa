"""Datasets, views and mixes in notebooks, and progress there and in terminals."""

from __future__ import annotations

import base64
import contextlib
import io
import re
import sys
import types
import unittest
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from unittest import mock

import ofindex
from ofindex import _html, _ofindex, _progress
from oracle import messages
from python.work import WorkTest

JPEG = b"\xff\xd8\xff\xe0 a picture"
PNG = b"\x89PNG\r\n\x1a\n another"


class Balanced(HTMLParser):
    """Checks that every element is closed, and collects the attributes of those that are not."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "img":
            self.images.append(dict(attrs))
        else:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag


class HtmlTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        patient = mock.patch.object(_html, "_SECONDS", 1e9)  # a slow machine shows all histograms, too
        patient.start()
        self.addCleanup(patient.stop)

    def pictures(
        self, count: int, picture: bytes = JPEG, name: str = "image", folder: str = "data/"
    ) -> ofindex.Dataset:
        payloads = [
            messages.encode("example", {name: ("bytes", [picture]), "label": ("int64", [number * number])})
            for number in range(count)
        ]
        return ofindex.build(self.write(folder, payloads), format="tfrecord")

    def parsed(self, records: Any) -> tuple[str, Balanced]:
        html = records._repr_html_()
        parsed = Balanced(html)
        self.assertEqual(parsed.open, [])
        return html, parsed

    def test_numbers_have_a_histogram(self) -> None:
        ds = self.pictures(100)
        for records in (ds, ds[:50], ofindex.mix([ds, ds[:50]])):
            html, parsed = self.parsed(records)
            self.assertIn("svg", parsed.tags)
            bars = [int(tall) for tall in re.findall(r'<rect [^>]*height="(\d+)"', html)]
            self.assertGreater(bars[0], 2 * bars[-1], bars)  # squares are dense near 0
        self.assertIn("<title>0 to 9801</title>", ds._repr_html_())

    def test_a_histogram_of_many_records_is_of_a_sample(self) -> None:
        ds = self.pictures(100)
        with mock.patch.object(_html, "_SAMPLED", 10):
            self.assertIn("in a sample of 10 records", ds._repr_html_())
        with mock.patch.object(_html, "_SAMPLED", 60):  # the sample reaches the last records
            self.assertIn(f"<title>0 to {98 * 98}, in a sample of 50 records</title>", ds._repr_html_())
        with mock.patch.object(_html, "_SECONDS", -1.0):
            self.assertNotIn("<rect", ds._repr_html_())  # too late to begin one

    def test_the_first_records_show_their_pictures_as_they_are_stored(self) -> None:
        for number, (picture, kind) in enumerate(((JPEG, "image/jpeg"), (PNG, "image/png"))):
            ds = self.pictures(9, picture, folder=f"{number}/")
            for records, shown in ((ds, 4), (ds[:2], 2), (ds[::-1], 4), (ofindex.mix([ds, ds]), 4), (ds[:0], 0)):
                _, parsed = self.parsed(records)
                self.assertEqual(len(parsed.images), shown)
                source = f"data:{kind};base64,{base64.b64encode(picture).decode()}"
                self.assertEqual({image["src"] for image in parsed.images} - {source}, set())

    def test_large_pictures_and_other_bytes_are_not_shown(self) -> None:
        for number, picture in enumerate((JPEG + bytes(200 << 10), b"GIF89a", b"", b"\xff\xd8")):
            _, parsed = self.parsed(self.pictures(3, picture, folder=f"{number}/"))
            self.assertEqual(parsed.images, [], picture[:9])
        ds = self.pictures(3)
        with mock.patch.object(_html, "_MAX_RECORD", 10):
            self.assertEqual(self.parsed(ds)[1].images, [])

    def test_names_are_escaped(self) -> None:
        name = "\"><script>alert('x')</script>"
        for records in (self.pictures(3, name=name), ofindex.mix([self.pictures(2, name=name, folder="<b>/")])):
            html, parsed = self.parsed(records)
            self.assertNotIn("script", parsed.tags)
            self.assertIn("&lt;script&gt;", html)
            self.assertEqual(parsed.tags & {"b"}, set())
        self.assertEqual(_html._text("\udcff<"), "\\udcff&lt;")  # a name that is not UTF-8

    def test_the_repr_of_a_lazy_view_does_not_run_its_query(self) -> None:
        ds = self.pictures(9)
        wrong = ds.where("lable = 3")
        view = ds.where("label > ?", 16)
        for some in (wrong, view):
            self.assertIn("evaluated on first use", repr(some))
            html, parsed = self.parsed(some)
            self.assertIn("evaluated on first use", html)
            self.assertIn("image", html)
            self.assertEqual(parsed.images, [])
            self.assertIsNone(some._resolved)
        self.assertEqual(len(view), 4)
        self.assertIn("4 of 9 records", repr(view))
        self.assertEqual(len(self.parsed(view)[1].images), 4)

    def test_files_that_are_gone_or_changed_leave_what_the_index_knows(self) -> None:
        ds = self.pictures(9)
        mix = ofindex.mix([ds, ds[3:]])
        shards = [self.dir / "data" / f"part-{part}" for part in (0, 1)]
        shards[0].write_bytes(shards[0].read_bytes()[:-30])
        shards[1].unlink()
        for records in (ofindex.open(self.dir / "data"), ds, mix, ds[::2]):
            html, parsed = self.parsed(records)
            self.assertIn("label", html)
            self.assertEqual(parsed.images, [])

    def test_it_never_raises(self) -> None:
        ds = self.pictures(9)
        (self.dir / "data.ofidx").write_bytes(b"broken")
        for records in (ds, ds[2:], ofindex.mix([ds, ds])):
            self.parsed(records)
        ds = self.pictures(9, folder="other/")
        for name in ("_features", "_pictures", "_histogram", "_shares"):
            with mock.patch.object(_html, name, side_effect=RuntimeError("no")):
                for records in (ds, ofindex.mix([ds])):
                    self.parsed(records)
        with mock.patch.object(ofindex.Dataset, "__repr__", side_effect=RuntimeError("no")):
            self.assertIn("Dataset object at", self.parsed(ds)[0])

    def test_empty_and_opaque_datasets(self) -> None:
        empty = ofindex.build(self.write("empty.tfrecord", []), format="tfrecord")
        opaque = ofindex.build(self.write("opaque.tfrecord", [b"\xff\xff", JPEG]))
        for ds in (empty, opaque):
            self.assertIn("ofindex.Dataset", self.parsed(ds)[0])


class Display:
    """Stands for what IPython's `display` returns."""

    def __init__(self, first: Any) -> None:
        self.shown = [repr(first)]

    def update(self, value: Any) -> None:
        self.shown.append(repr(value))


@contextlib.contextmanager
def notebook() -> Iterator[list[Display]]:
    """As if in a notebook, without ipywidgets."""
    displays: list[Display] = []

    def display(value: Any, display_id: bool = False) -> Display:
        assert display_id
        displays.append(Display(value))
        return displays[-1]

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=1)  # type: ignore[attr-defined]
    shown = types.ModuleType("IPython.display")
    shown.display = display  # type: ignore[attr-defined]
    with mock.patch.dict(sys.modules, {"IPython": ipython, "IPython.display": shown}):
        yield displays


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class ProgressTest(WorkTest):
    def test_a_notebook_shows_one_line_that_is_updated(self) -> None:
        with notebook() as displays, _progress.reporting(None, "build") as report:
            assert report is not None
            report(512, 2048, 3)
            report(2048, 2048, 1234)
        self.assertEqual(len(displays), 1)
        self.assertRegex(displays[0].shown[0], r"^build:  25% 512 B of 2.0 KiB, 3 records, ")
        self.assertRegex(displays[0].shown[1], r"^build: 100% 2.0 KiB of 2.0 KiB, 1,234 records, ")

    def test_a_terminal_without_tqdm_shows_one_line(self) -> None:
        for progress in (None, True):
            stderr = Terminal()
            with mock.patch.dict(sys.modules, {"tqdm": None}), contextlib.redirect_stderr(stderr):
                with _progress.reporting(progress, "pack") as report:
                    assert report is not None
                    report(3 << 20, 4 << 20, 1_000_000)
                    report(4 << 20, 4 << 20, 2)
                shown = stderr.getvalue()
            self.assertEqual(shown.count("\n"), 1)
            lines = shown[1:-1].split("\r")
            self.assertRegex(lines[0], r"^pack:  75% 3.0 MiB of 4.0 MiB, 1,000,000 records, ")
            self.assertGreaterEqual(len(lines[1]), len(lines[0].rstrip()) - 1)  # covers the longer line

    def test_nothing_is_shown_without_a_terminal_or_a_notebook(self) -> None:
        for stderr in (io.StringIO(), None):
            with mock.patch.object(sys, "stderr", stderr), _progress.reporting(None, "build") as report:
                self.assertIsNone(report)
        with notebook() as displays, _progress.reporting(False, "build") as report:
            self.assertIsNone(report)
        self.assertEqual(displays, [])

    def test_a_build_in_a_notebook_shows_its_progress(self) -> None:
        build = _ofindex.build

        def slow(*arguments: Any) -> Any:
            arguments[-1](1, 2, 3)
            return build(*arguments)

        data = self.write("data.tfrecord", [messages.encode("example", {"n": ("int64", [1])})])
        with notebook() as displays, mock.patch.object(_ofindex, "build", slow):
            ofindex.build(data)
        self.assertEqual(len(displays), 1)
        self.assertRegex(displays[0].shown[0], "^build:  50% 1 B of 2 B, 3 records, ")


if __name__ == "__main__":
    unittest.main()
