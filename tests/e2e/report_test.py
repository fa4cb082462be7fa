"""`ofindex report`: a page that shows what is there, whatever the records hold, and that runs and loads nothing."""

from __future__ import annotations

import base64
import math
import os
import re
import signal
import struct
import time
import unittest
import zlib
from pathlib import Path
from typing import Any

from e2e.command import CommandTest
from e2e.samples import write_parts
from e2e.small_disk import SmallDiskTest
from oracle import messages, records
from oracle.fixtures import FIXTURES, needs_fixtures
from oracle.page import Element, read_page

HOSTILE = "</bdi><script>alert(1)</script>\"' onerror='x' \u202eb\u2066 \ufffe <!-- ]]> &amp; \x1b[31m"


def png(width: int, height: int, tail: bytes = b"") -> bytes:
    """A gray PNG, with bytes after its end."""
    rows = zlib.compress(bytes(height * (width + 1)))
    chunks = ((b"IHDR", struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0)), (b"IDAT", rows), (b"IEND", b""))
    packed = (struct.pack(">I", len(c)) + name + c + struct.pack(">I", zlib.crc32(name + c)) for name, c in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed) + tail


class ReportTest(CommandTest):
    def write(self, *rows: dict[str, tuple[str, list[Any]]], build: tuple[str, ...] = ()) -> None:
        records.write_ofrecord(self.dir / "data", [messages.encode("ofrecord", row) for row in rows])
        self.expect(0, "build", "data", "-q", "--force", "--format", "ofrecord", "--payload", "ofrecord", *build)

    def page(self, *args: str | Path, code: int = 0, index: str | Path = "data") -> Element:
        self.expect(code, "report", index, "-o", "page.html", "--force", *args)
        root, faults = read_page((self.dir / "page.html").read_bytes())
        self.assertEqual(faults, [])
        [policy] = [meta.attributes["content"] for meta in root.all("meta") if "http-equiv" in meta.attributes]
        self.assertEqual(policy, "default-src 'none'; img-src data:; style-src 'unsafe-inline'")
        return root

    def sections(self, root: Element) -> dict[str, Element]:
        return {section.attributes["id"]: section for section in root.all("section")}

    @needs_fixtures
    def test_every_fixture_has_a_page_with_the_figures_of_stats(self) -> None:
        folders = [path for path in sorted(FIXTURES.glob("*/*")) if path.suffix not in (".md", ".tsv")]
        self.assertGreater(len(folders), 15)
        for path in folders:
            with self.subTest(path.name):
                index = self.dir / f"{path.name}.ofidx"
                self.expect(0, "build", path, "-o", index, "-q")
                root = self.page(index=index)
                again = (self.dir / "page.html").read_bytes()
                self.page(index=index)
                self.assert_same((self.dir / "page.html").read_bytes(), again, "the second page")
                self.compare_columns(root, self.expect(0, "stats", index, "--bins", "20", "--json").json)

    def compare_columns(self, root: Element, stats: Any) -> None:
        cards = root.all("article", class_="card column")
        self.assertEqual(len(cards), len(stats["columns"]))
        for card, column in zip(cards, stats["columns"], strict=True):
            constant = card.all("p", class_="constant")
            is_list = column["list_lengths"] is not None
            is_constant = column["distinct"] == 1 and column["count"] == column["rows"] and column["nulls"] == 0
            self.assertEqual(bool(constant), is_constant and not is_list, column["column"])
            if constant:
                self.assertTrue(constant[0].text.startswith("always "))
                self.assertEqual(card.all("svg") + card.all("table"), [])
                continue
            words = card.all("ul", class_="counts")[0].text
            self.assertIn(f"{column['count']:,} value", words)
            self.assertIn(f"{column['nulls']:,} NULL", words)
            self.assertIn(f"{column['distinct']:,} distinct", words)
            facts = {
                fact.all("dt")[0].text: fact.all("dd")[0].text for facts in card.all("dl") for fact in facts.all("div")
            }
            if column["mean"] is not None and isinstance(column["mean"], float):
                self.assertTrue(math.isclose(float(facts["mean"]), column["mean"], rel_tol=1e-5, abs_tol=1e-30), facts)
                quartiles = [float(text) for text in facts["quartiles"].split()]
                for found, name in zip(quartiles, ("q1", "median", "q3"), strict=True):
                    self.assertTrue(math.isclose(found, column[name], rel_tol=1e-5, abs_tol=1e-30), facts)
            bins = card.all("table", class_="bins")
            if bins:
                counts = [int(cell.text.replace(",", "")) for cell in bins[0].all("td")]
                self.assertEqual(counts, [one["count"] for one in column["histogram"]])
            top = card.all("table", class_="top")
            if top:
                counts = [int(row.all("td")[0].text.replace(",", "")) for row in top[0].all("tr")[1:]]
                self.assertEqual(counts, [one["count"] for one in column["top"]][: len(counts)])
                self.assertTrue(bins or len(counts) == len(column["top"]))

    def test_random_records_are_those_of_sample(self) -> None:
        write_parts(self.dir / "data", [30, 50])
        self.expect(0, "build", "data", "-q")
        for seed, count in ((0, 24), (7, 5), (1, 200), (0, 0)):
            root = self.page("--seed", str(seed), "-n", str(count))
            shown = [card.attributes["id"] for card in self.sections(root)["records"].all("article")]
            drawn = self.expect(0, "sample", "data", "--seed", str(seed), "-n", str(min(count, 80)), "--json").json[
                "ids"
            ]
            self.assertEqual(shown, [f"record-{ordinal}" for ordinal in sorted(drawn)])

    def test_extremes_are_the_first_records_with_the_least_and_the_greatest_value(self) -> None:
        numbers = [5, 3, 9, 3, 9, 4]
        rows = (
            {"n": ("int64", [n]), "f": ("float", [-n / 10]), "l": ("int64", [n, 7 * n]), "same": ("int64", [1])}
            for n in numbers
        )
        self.write(*rows, build=("--columns", "n,f,l,same"))
        sections = self.sections(self.page())
        ends = {}
        for card in sections["columns"].all("article"):
            links = [link.attributes["href"] for link in card.all("a")]
            ends[card.all("code")[0].text] = links
        self.assertEqual(ends["n"], ["#extreme-1", "#extreme-2"])
        self.assertEqual(ends["f"], ["#extreme-2", "#extreme-1"])
        self.assertEqual(ends["l"], ["#extreme-1", "#extreme-2"])
        self.assertEqual(ends["same"], [])
        cards = {card.attributes["id"]: card for card in sections["extremes"].all("article")}
        self.assertIn("least n: 3", cards["extreme-1"].text)
        self.assertIn("greatest n: 9", cards["extreme-2"].text)

    def test_hostile_names_and_values_are_text(self) -> None:
        long = b"<img src=x onerror=alert(1)>" * 400_000
        self.write(
            {HOSTILE: ("bytes", [HOSTILE.encode()]), "svg": ("bytes", [b"<svg xmlns='http://www.w3.org/2000/svg'/>"])},
            {"long": ("bytes", [long]), "html": ("bytes", [b"<!DOCTYPE html><script>alert(1)</script>"])},
            {
                "raw": ("bytes", [b"\xff\xfe\x00</p>", b"", b"\xed\xa0\x80"]),
                "odd": ("float", [math.nan, math.inf, -0.0]),
            },
            {"picture": ("bytes", [png(5, 4, b"<script>alert(1)</script>" + b"PK\x03\x04")])},
            {"picture": ("bytes", [b"\x89PNG\r\n\x1a\n" + b"<script>" * 9])},
            {"picture": ("bytes", [png(60_000, 1, b"")[:40]]), "wave": ("double", [math.nan] * 99 + [1e308, -1e308])},
            build=("--verify",),
        )
        root = self.page("--title", HOSTILE)
        self.assertIn("<script>alert(1)</script>", root.all("title")[0].text)
        self.assertIn("\\u202Eb\\u2066", root.text)
        self.assertNotIn("\u202e", root.text)
        self.assertIn("\\uFFFE", root.text)
        self.assertIn("\\x1b[31m", root.text)
        self.assertLess((self.dir / "page.html").stat().st_size, 200_000)
        for image in root.all("img"):
            data = base64.b64decode(image.attributes["src"].partition(",")[2], validate=True)
            self.assertTrue(data.startswith(b"\x89PNG"))
            size = image.attributes["width"], image.attributes["height"]
            self.assertIn(size, [("5", "4"), ("60000", "1")])  # the second is cut off: a browser shows its text
        self.assertIn("its size cannot be read", root.text)

    def test_pictures_fit_the_page(self) -> None:
        def noisy(size: int, seed: int) -> bytes:
            return png(8, 8, bytes([seed]) + os.urandom(size))

        rows = [{"image": ("bytes", [noisy(250_000, n)])} for n in range(40)]
        rows.append({"image": ("bytes", [noisy(300_000, 0)])})
        self.write(*rows)
        found = self.expect(0, "report", "data", "-o", "page.html", "-n", "100", "--json").json
        self.assertEqual(found["schema"], "ofindex.report/1")
        self.assertEqual((found["records"], found["pictures"] + found["pictures_left_out"]), (41, found["cards"]))
        self.assertLessEqual(found["picture_bytes"], 8 << 20)
        self.assertGreater(found["picture_bytes"], 7 << 20)
        self.assertEqual(found["bytes"], (self.dir / "page.html").stat().st_size)
        text = (self.dir / "page.html").read_text()
        self.assertIn("larger than 256 KiB", text)
        self.assertIn("this page has 8 MiB of pictures", text)
        self.assertEqual(text.count("<img "), found["pictures"])

    def test_plain_numbers_are_pixels_only_if_their_shape_is_certain(self) -> None:
        pixels = [n / 63 for n in range(64)]
        self.write({"x": ("float", pixels)})
        self.assertEqual(self.page().all("img"), [])
        self.assertEqual(len(self.page("--shape", "x=8x8").all("img")), 1)
        self.assertEqual(self.page("--shape", "x=8x9").all("img"), [])
        misspelt = self.expect(0, "report", "data", "-o", "x.html", "--shape", "X=8x8", "--shape", "x=8x8").stderr
        self.assertIn("--shape X=8x8 changes nothing: no record has a feature of that name", misspelt)
        self.assertEqual(misspelt.count("changes nothing"), 1)
        sides = {"height": ("int64", [8]), "width": ("int64", [8])}
        self.write({"x": ("bytes", [bytes(64)]), **sides}, {"x": ("bytes", [bytes(63)]), **sides})
        self.assertEqual(len(self.page("-n", "2").all("section")[0].all("img")), 1)
        for wrong in ("x", "x=8", "x=8x8x2", "x=0x4", "x=8x", "=", "x=5000x1"):
            self.assertIn("--shape", self.expect_error(2, "report", "data", "-o", "new.html", "--shape", wrong).stderr)

    def test_equal_payloads_are_found_by_stored_hashes(self) -> None:
        rows = [{"n": ("int64", [n // 2 if n < 20 else n])} for n in range(30)]
        self.write(*rows)
        self.assertIn("stores no hashes", self.sections(self.page())["equal"].text)
        self.write(*rows, build=("--verify",))
        text = self.sections(self.page())["equal"].text
        self.assertIn("10 groups", text)
        self.assertIn("10 records repeat", text)
        self.assertIn("and 5 smaller groups", text)
        self.write(*rows[20:], build=("--verify",))
        self.assertIn("all records are different", self.sections(self.page())["equal"].text)

    def test_missing_and_changed_shards_are_on_the_page_and_in_the_exit_code(self) -> None:
        write_parts(self.dir / "data", [5, 5, 5])
        self.expect(0, "build", "data", "-q", "--verify")
        (self.dir / "data" / "part-1").unlink()
        records.write_tfrecord(self.dir / "data" / "part-2", [b"x"])
        done = self.run_command("report", "data", "-o", "page.html", "-n", "15", "--json")
        self.assertEqual(done.code, 4, done)
        self.assertIn("part-1", done.stderr)
        self.assertIn("update", done.stderr)
        self.assertEqual((done.json["shards_lost"], done.json["unread"] >= 10), (2, True))
        root, faults = read_page((self.dir / "page.html").read_bytes())
        self.assertEqual(faults, [])
        self.assertIn("1 shard missing; 1 shard changed", root.all("p", class_="alert")[0].text)
        states = [row.all("td")[-1].text for row in self.sections(root)["shards"].all("tr")[1:]]
        self.assertEqual(states, ["as indexed", "missing", "changed"])
        self.assertNotIn(str(self.dir), root.text)

    def test_damage_that_the_index_knows_is_on_the_page(self) -> None:
        framed = [records.frame_tfrecord(messages.encode("example", {"n": ("int64", [n])})) for n in range(4)]
        framed[2] = framed[2][:-1] + bytes([framed[2][-1] ^ 1])
        (self.dir / "data").write_bytes(b"".join(framed) + b"torn")
        self.run_command("build", "data", "-q", "--verify")
        root = self.page()
        self.assertIn("1 range of bytes without a record; 1 damaged record", root.all("p", class_="alert")[0].text)
        self.assertIn("torn_tail", self.sections(root)["shards"].text)
        self.assertIn("The record is damaged.", root.text)

    def test_a_dataset_without_records_or_features_has_a_page(self) -> None:
        records.write_tfrecord(self.dir / "opaque", [b"plain text", b"\xff" * 50, b""])
        self.expect(0, "build", "opaque", "-q", "--payload", "opaque", "--format", "tfrecord")
        root = self.page(index="opaque")
        self.assertIn("plain text", root.text)
        self.assertIn("no features", root.text)
        (self.dir / "data").mkdir()
        (self.dir / "data" / "part-0").write_bytes(b"")
        self.expect(0, "build", "data", "-q", "--format", "tfrecord")
        self.assertIn("All 0 records.", self.page().text)

    def test_thousands_of_columns_are_cut(self) -> None:
        self.write({f"feature {n:04}": ("int64", [n, n][: 1 + n % 2]) for n in range(1200)})
        text = self.page().text
        self.assertIn("columns are left out", text)
        self.assertIn("and 700 more features", text)
        self.assertIn("and 1,184 more features", text)
        self.assertLess((self.dir / "page.html").stat().st_size, 1 << 20)

    def test_the_page_replaces_only_a_page_and_never_an_input(self) -> None:
        write_parts(self.dir / "data", [3])
        self.expect(0, "build", "data", "-q")
        self.expect(0, "report", "data", "-o", "page.html")
        self.assertIn("--force", self.expect_error(2, "report", "data", "-o", "page.html").stderr)
        self.expect(0, "report", "data", "-o", "page.html", "--force")
        (self.dir / "other.html").write_text("<!DOCTYPE html><title>mine</title>")
        for taken in ("other.html", "data/part-0", "data.ofidx", "data.ofidx-map", "data"):
            self.expect_error(2, "report", "data", "-o", taken, "--force")
        self.expect_error(5, "report", "data", "-o", "nosuch/page.html")
        self.expect_error(2, "report", "data", "-o", "-", "--json")
        done = self.expect(0, "report", "data", "-o", "-")
        self.assert_same(done.stdout, (self.dir / "page.html").read_bytes(), "standard output")
        self.assertEqual(done.stderr, "")

    def test_attached_columns_are_columns_of_the_page(self) -> None:
        write_parts(self.dir / "data", [3])
        self.expect(0, "build", "data", "-q")
        (self.dir / "scores.csv").write_text("_id,score\n0,1.5\n1,2.5\n2,0.25\n")
        self.expect(0, "attach", "data", "scores.csv", "--key", "_id", "-o", "extra", "-q")
        root = self.page("--attach", "extra")
        self.assertIn("score", [card.all("code")[0].text for card in root.all("article", class_="card column")])
        self.expect_error(2, "report", "data", "-o", "extra", "--attach", "extra", "--force")

    def test_ctrl_c_leaves_no_file(self) -> None:
        write_parts(self.dir / "data", [20_000], records.OFRECORD)
        self.expect(0, "build", "data", "-q", "--verify")
        before = self.names()
        for delay in (0.0, 0.01, 0.03):
            process = self.start("report", "data", "-o", "page.html", "-n", "1000")
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            done = self.finish(process)
            if done.code == 0:  # it was faster
                (self.dir / "page.html").unlink()
            else:
                self.assertIn(done.code, (130, -signal.SIGINT), done)
            self.assertEqual(self.names(), before)


class FullDiskTest(SmallDiskTest):
    def test_a_full_disk_leaves_no_file(self) -> None:
        write_parts(self.dir / "data", [500])
        self.expect(0, "build", "data", "-q")
        done = self.run_on_disk(
            "64k", '"$OFINDEX" report data -n 500 -o disk/page.html', 'echo "code $?"', "ls -A disk"
        )
        self.assertEqual(done.stdout.decode().splitlines(), ["code 5"], done)
        self.assertTrue(re.search(r"No space left", done.stderr.decode()), done)


if __name__ == "__main__":
    unittest.main()
