#!/usr/bin/env python3
"""The site of tools/docs is complete, its links lead somewhere, it asks no other host, and a browser shows it.

The extension in the site's Python reference is that of OFINDEX_WHEEL, or of the wheel that tools/test builds.
"""

from __future__ import annotations

import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

from assemble import with_links  # noqa: E402
from man_pages import page_of  # noqa: E402

#: What a browser loads by itself: element -> attributes. A link that a reader may click is not among them.
LOADED = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "img": ("src", "srcset"),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
}
OTHER_HOST = re.compile(r"(?:[a-z]+:)?//", re.IGNORECASE)


class Page(html.parser.HTMLParser):
    """What an HTML page loads and links to, its ids and its visible text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.styles: list[str] = []
        self.words: list[str] = []
        self._inside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids |= {values[name] for name in ("id", "name") if name in values and tag != "meta"}
        self.loaded += [values[name] for name in LOADED.get(tag, ()) if name in values]
        self.links += [values["href"]] if tag == "a" and "href" in values else []
        self.styles += [values["style"]] if "style" in values else []
        if tag in ("script", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and tag == self._inside[-1]:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.words.append(data)
        elif self._inside[-1] == "style":
            self.styles.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words))


def of_style(text: str) -> list[str]:
    """What a style sheet loads."""
    found = re.findall(
        r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    )
    return [one or other for one, other in found]


def dead_links(pages: dict[Path, Page], site: Path) -> Iterator[str]:
    """The links inside the site that lead nowhere: to no file, or to an id that is not on its page."""
    for path, page in pages.items():
        for target in [*page.loaded, *page.links]:
            if OTHER_HOST.match(target) or target.startswith(("data:", "mailto:")):
                continue
            file, mark, fragment = target.partition("#")
            linked = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            if not linked.is_file() or site not in linked.parents:
                yield f"{path.relative_to(site)}: {target}: no such file in the site"
            elif mark and fragment and linked in pages and unquote(fragment) not in pages[linked].ids:
                yield f"{path.relative_to(site)}: {target}: no such id"


def requests(pages: dict[Path, Page], site: Path) -> Iterator[str]:
    """What the pages and style sheets load from other hosts."""
    loaded = {
        path: [*page.loaded, *(u for style in page.styles for u in of_style(style))] for path, page in pages.items()
    }
    loaded |= {path: of_style(path.read_text(encoding="utf-8")) for path in site.rglob("*.css")}
    for path, targets in loaded.items():
        yield from (f"{path.relative_to(site)}: {target}" for target in targets if OTHER_HOST.match(target))


def the_wheel() -> Path | None:
    named = os.environ.get("OFINDEX_WHEEL")
    return Path(named) if named else next(iter(sorted((ROOT / "build" / "wheel").glob("*.whl"))), None)


def make(wheel: Path | None, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [ROOT / "tools" / "docs", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OFINDEX_WHEEL": str(wheel)})


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        wheel = the_wheel()
        if wheel is None:
            raise unittest.SkipTest("no wheel in build/wheel: tools/test builds one")
        if shutil.which("doxygen") is None or shutil.which("chromium") is None:
            raise unittest.SkipTest("doxygen or chromium is missing: tools/test installs them")
        work = tempfile.TemporaryDirectory(prefix="ofindex-site-")
        cls.addClassCleanup(work.cleanup)
        cls.work = Path(work.name).resolve()
        cls.site = cls.work / "the site"
        done = make(wheel, cls.site)
        if done.returncode != 0:
            raise AssertionError(done.stdout[-4000:] + done.stderr[-8000:])
        cls.pages = {path: Page(path.read_text(encoding="utf-8")) for path in cls.site.rglob("*.html")}

    def page(self, name: str) -> Page:
        return self.pages[self.site / name]

    def shown(self, address: str) -> Page:
        """The page as a browser has it after its scripts ran. No address but a file's can be reached."""
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]
        options = [
            f"--user-data-dir={self.work}/browser",
            "--virtual-time-budget=20000",
            "--host-resolver-rules=MAP * ~NOTFOUND",
        ]
        done = subprocess.run(
            [*command, *options, f"{self.site.as_uri()}/{address}"],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "HOME": str(self.work)},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return Page(done.stdout)

    def test_no_link_inside_the_site_is_dead(self) -> None:
        self.assertGreater(len(self.pages), 50)
        self.assertGreater(sum(len(page.links) for page in self.pages.values()), 2000)
        found = list(dead_links(self.pages, self.site))
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_no_page_asks_another_host(self) -> None:
        self.assertEqual(list(requests(self.pages, self.site)), [])

    def test_every_document_is_a_page(self) -> None:
        names = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"README"}
        self.assertEqual(names, {path.stem for path in self.pages if path.parent == self.site / "docs"})
        for name in ("index", "SECURITY", "CONTRIBUTING", "CHANGELOG"):
            self.assertIn(self.site / f"{name}.html", self.pages)

    def test_every_public_name_of_the_package_is_in_the_reference(self) -> None:
        package = (ROOT / "python" / "ofindex" / "__init__.py").read_text(encoding="utf-8")
        names = re.findall(r'"(\w+)"', package.split("__all__ = [")[1].split("]")[0])
        self.assertGreater(len(names), 30)
        ids = set().union(*(page.ids for path, page in self.pages.items() if path.parent == self.site / "python"))
        missing = [name for name in names if not {f"ofindex.{name}", f"module-ofindex.{name}"} & ids]
        self.assertEqual(missing, [])

    def test_methods_of_the_extension_are_described(self) -> None:
        text = self.page("python/datasets.html").text
        self.assertRegex(text, r"buffer\( ?number: int,? ?\) → memoryview")
        self.assertIn("a view into the mapped shard, without a copy", text)

    def test_every_public_header_is_in_the_reference(self) -> None:
        headers = sorted(path.stem for path in (ROOT / "include" / "ofindex").glob("*.h"))
        self.assertGreater(len(headers), 10)
        for name in headers:
            with self.subTest(name):
                text = (ROOT / "include" / "ofindex" / f"{name}.h").read_text(encoding="utf-8")
                declared = re.findall(
                    r"^(?:class|struct|enum class) (?:OFINDEX_API )?(\w+)(?: final)?(?: :[^;]*)? \{", text, re.M
                )
                page = self.page(f"cpp/{name}.html")
                self.assertEqual([one for one in declared if not re.search(rf"\b{one}\b", page.text)], [])
                self.assertGreater(len([one for one in page.ids if re.match("_CPPv|c\\.", one)]), 0)

    def test_every_verb_has_a_page_with_its_options(self) -> None:
        verbs = re.findall(
            r"'(\w+)'", re.search(r"foreach verb : \[(.*?)\]", (ROOT / "tools/meson.build").read_text(), re.S)[1]
        )
        self.assertGreater(len(verbs), 15)
        for verb in verbs:
            with self.subTest(verb):
                self.assertIn(f"cmdoption-ofindex-{verb}-help", self.page(f"command/ofindex-{verb}.html").ids)

    def test_a_browser_shows_the_front_page_with_its_navigation(self) -> None:
        page = self.shown("index.html")
        self.assertIn("ofindex gives random access to the records", page.text)
        self.assertLessEqual(
            {"docs/python.html", "docs/sql.html", "python/index.html", "command/index.html", "cpp/index.html"},
            set(page.links),
        )

    def test_a_browser_finds_a_word(self) -> None:
        page = self.shown("search.html?q=Loader")
        self.assertRegex(page.text, r"found \d+ pages? matching")
        found = [link for link in page.links if link.startswith("python/loading.html")]
        self.assertTrue(found, page.text[-2000:])
        self.assertNotRegex(self.shown("search.html?q=qwertyuiopzz").text, r"found \d+ pages? matching")

    def test_a_browser_shows_a_function_with_its_signature(self) -> None:
        page = self.shown("python/datasets.html#ofindex.open")
        self.assertRegex(page.text, r"ofindex\.open\( ?path: Path, root: Path \| None = None,.*?\) → Dataset")

    def test_a_second_run_makes_the_same_site(self) -> None:
        def content() -> dict[str, bytes]:
            return {str(path.relative_to(self.site)): path.read_bytes() for path in self.site.rglob("*.html")}

        before = content()
        done = make(the_wheel(), self.site)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(before, content())

    def test_wrong_arguments_and_a_missing_wheel_are_told(self) -> None:
        done = make(the_wheel(), "--fast")
        self.assertEqual((done.returncode, done.stderr), (2, "usage: tools/docs [OUT]\n"))
        done = make(self.work / "no.whl", self.site)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(f"no wheel at '{self.work}/no.whl'", done.stderr)


class CheckersTest(unittest.TestCase):
    """The checks above find what they look for."""

    def test_dead_links_and_requests_are_found(self) -> None:
        site = Path("/site")
        cases = (
            ("<a href='#there'></a><p id='there'>", [], []),
            ("<a href='#gone'></a>", ["index.html: #gone: no such id"], []),
            ("<img src='no.png'>", ["index.html: no.png: no such file in the site"], []),
            ("<a href='../x.html'></a>", ["index.html: ../x.html: no such file in the site"], []),
            ("<a href='https://example.org/'></a>", [], []),
            ("<script src='https://example.org/x.js'></script>", [], ["index.html: https://example.org/x.js"]),
            ("<link href='//example.org/x.css'>", [], ["index.html: //example.org/x.css"]),
            (
                "<style>@import 'https://a.org';p{b:url(https://c.org)}</style>",
                [],
                ["index.html: https://a.org", "index.html: https://c.org"],
            ),
        )
        for text, dead, asked in cases:
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                site = Path(folder).resolve()
                (site / "index.html").write_text(text)
                pages = {site / "index.html": Page(text)}
                self.assertEqual(list(dead_links(pages, site)), dead)
                self.assertEqual(list(requests(pages, site)), asked)

    def test_links_to_files_that_are_no_pages_become_paths(self) -> None:
        pages = {"README.md", "docs/cli.md", "docs/sql.md"}
        for text, shown in (
            ("[cli](cli.md#names)", "[cli](cli.md#names)"),
            ("[front](../README.md#x)", "[front](../index.md#x)"),
            ("[LICENSE](../LICENSE)", "`LICENSE`"),
            ("[Apache](../LICENSE)", "Apache (`LICENSE`)"),
            ("[bench/tasks](../bench/tasks/README.md)", "`bench/tasks`"),
            ("[x](https://example.org)", "[x](https://example.org)"),
            ("![a](benchmarks/get.svg)", "![a](benchmarks/get.svg)"),
            ("```text\n[a](b.cc)\n```", "```text\n[a](b.cc)\n```"),
        ):
            with self.subTest(text):
                self.assertEqual(with_links(text, "docs/sql.md", pages), shown)

    def test_fonts_and_characters_of_a_manual_page_are_translated(self) -> None:
        page = page_of(
            ".TH x 1\n.SH NAME\na\\-b \\- Sum_\n.SH OPTIONS\n"
            ".TP\n\\fB\\-\\-all\\fR \\fIN\\fR\nIt\\(aqs \\fBget\\fR, *\n"
        )
        self.assertEqual(
            page,
            "a-b\n===\n\nSum\\_.\n\n.. program:: a b\n\nOptions\n-------\n\n.. option:: --all N\n\n"
            "   It's :command:`get`\\ , \\*\n\n",
        )


if __name__ == "__main__":
    unittest.main()
