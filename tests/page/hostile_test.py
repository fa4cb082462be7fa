"""Names and values with markup, scripts and odd text: nothing of them runs, and nothing breaks the layout."""

from __future__ import annotations

from oracle import messages, records
from page import scenes
from page.browser import PageTest, ofindex

FLAG = "window.ranAScript = true"
NAMES = (
    f"<img src=x onerror='{FLAG}'>",
    f'"><script>{FLAG}</script>',
    "__proto__",
    "constructor",
    "right\u202eto left",
    "n" * 4000,
    "quote'\"`\\",
)
VALUES = (
    f"<script>{FLAG}</script>",
    f"<svg onload='{FLAG}'>",
    f"javascript:{FLAG}",
    "\u202e\u2066 turned \u202d around",
    "a" * 300_000,
    "zalgo" + "\u0301" * 200,
    "\x00\x01\x1b[31m",
)
SVG = f"<svg xmlns='http://www.w3.org/2000/svg' onload='{FLAG}'><script>{FLAG}</script></svg>".encode()
HTML = (
    f"<!DOCTYPE html><body onload='{FLAG}'><script>{FLAG}</script><iframe src='https://example.com/'></iframe>".encode()
)
BROKEN = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + b"\x00\xff" * 400
POLYGLOT = b"GIF89a/*" + HTML + b"*/=1;"
HUGE = b"M" * 10_000_000


def payloads() -> list[bytes]:
    made = []
    for place in range(len(VALUES)):
        texts = {name: ("bytes", [VALUES[(place + shift) % len(VALUES)].encode()]) for shift, name in enumerate(NAMES)}
        blob = (SVG, HTML, BROKEN, POLYGLOT, scenes.png(2, 2, bytes(12))[:-20], HUGE, b"")[place]
        made.append(
            messages.encode(
                "example", {**texts, "blob": ("bytes", [blob]), "kind": ("bytes", [VALUES[place % 2].encode()])}
            )
        )
    return made


class HostileTest(PageTest):
    @classmethod
    def make_data(cls) -> None:
        folder = cls.dir / "<b>bold<b>"
        folder.mkdir()
        cls.data = folder / "<i onclick=alert(1)>.tfrecord"
        records.write_tfrecord(cls.data, payloads())
        ofindex("build", cls.data)
        cls.url = cls.serve(cls.data)

    def assert_unharmed(self) -> None:
        self.assertIsNone(self.js("return window.ranAScript ?? null"))
        sizes = self.js(
            "return [document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth, "
            "document.body.scrollHeight, innerHeight]"
        )
        self.assertLessEqual(max(sizes[:2]), sizes[2], "the page scrolls sideways")
        self.assertLessEqual(sizes[3], sizes[4], "the page is longer than the window")
        self.assertEqual(
            self.js(
                "return document.querySelectorAll('main script, main iframe, main [onload], main "
                "[onerror], header script').length"
            ),
            0,
        )

    def test_names_and_values_are_text_in_every_view(self) -> None:
        self.open(self.url)
        self.until(lambda: len(self.ordinals()) == len(VALUES))
        heads = self.texts("#columns .name")
        for name in NAMES:
            self.assertTrue({name, name + "#bytes"} & set(heads), name[:60])
        self.assert_unharmed()
        for name in ("(columns)", *NAMES[:5], "blob"):
            self.open(self.url, show=name)
            self.until(lambda: len(self.ordinals()) == len(VALUES))
            self.assert_unharmed()
        for ordinal in range(len(VALUES)):
            self.open(self.url, record=ordinal)
            self.until(lambda: self.all("#record .features"))
            self.assert_unharmed()
        self.assertTrue(self.text("#index").endswith("<i onclick=alert(1)>.tfrecord.ofidx"))

    def test_results_filters_batches_and_shards_are_text(self) -> None:
        self.open(self.url, view="sql", sql="SELECT kind AS \"<b onclick='x'>\", count(*) FROM records GROUP BY 1")
        self.until(lambda: self.all("#sql td"))
        self.assertEqual(self.text("#sql thead th"), "<b onclick='x'>")
        self.assertEqual(set(self.texts("#sql td:first-child")), set(VALUES[:2]))
        self.assert_unharmed()
        self.open(self.url, **{"values.kind": [VALUES[0]]})
        self.until(lambda: VALUES[0][:20] in self.text("#chips"))
        self.until_equal(self.passing, 4)
        self.assert_unharmed()
        self.open(self.url, view="shuffle", quality="kind")
        self.until(lambda: self.all("#shuffle .tile"))
        self.assert_unharmed()
        self.open(self.url, view="shards")
        self.until(lambda: self.all("#shards tbody tr"))
        self.assert_unharmed()

    def test_an_address_with_nonsense_is_a_page(self) -> None:
        self.refusals = 20
        self.open(
            self.url,
            where=f"'{VALUES[0]}'",
            **{"range.x": "[1", "values.__proto__": ["a"], "record": "-1", "view": "<b>", "null": "none"},
        )
        self.until(lambda: self.text("#where-error .failure") or self.passing() is not None)
        self.assert_unharmed()

    def test_values_are_never_documents(self) -> None:
        self.open(self.url)
        for ordinal in range(4):
            kind = self.driver.execute_async_script(
                "const done = arguments[1]; fetch(`/api/value?ordinal=${arguments[0]}&feature=blob`)"
                ".then((answer) => done([answer.headers.get('content-type'), "
                "answer.headers.get('x-content-type-options')]))",
                ordinal,
            )
            self.assertNotRegex(kind[0], "html|svg|xml|script")
            self.assertEqual(kind[1], "nosniff")
