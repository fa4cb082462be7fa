"""Data that are unlike most: gaps in numbers, long and empty texts, columns of one value, keys of several records."""

from __future__ import annotations

import json

from oracle import messages, records
from page.browser import PageTest, ofindex
from selenium.webdriver.common.keys import Keys

COUNT = 130
LONG = "word " * 2000
NAN = float("nan")


def odd(number: int) -> dict[str, tuple[str, list]]:
    """The features of record `number`: the first lacks most of them."""
    if number == 0:
        return {"size": ("int64", [784]), "twin": ("bytes", [b"pair-0"])}
    return {
        "size": ("int64", [784]),
        "twin": ("bytes", [f"pair-{number // 2}".encode()]),
        "balance": ("int64", [number - 60]),
        "gaps": ("float", [1, 2, NAN, NAN, -1, 4, 5, NAN, 7, 8, float("inf"), 9, 9.5]),
        "story": ("bytes", [LONG.encode()]),
        "note": ("bytes", [b""]),
        "words": ("bytes", [b"one", b"two"]),
        "height": ("int64", [2]),
        "width": ("int64", [6]),
        "map": ("float", [float(place) for place in range(12)]),
    }


class OddTest(PageTest):
    @classmethod
    def make_data(cls) -> None:
        cls.data = cls.dir / "odd.tfrecord"
        records.write_tfrecord(cls.data, [messages.encode("example", odd(number)) for number in range(COUNT)])
        broken = bytearray(cls.data.read_bytes())
        broken[-6] ^= 1  # in the payload of the last record
        cls.data.write_bytes(broken)
        ofindex("build", cls.data, "--verify", "--columns", "auto,words", damaged=True)
        ofindex("key", cls.data, "twin", damaged=True)
        cls.url = cls.serve(cls.data)

    def card(self, column: str) -> str:
        return self.text(f'#columns [data-column="{column}"]')

    def test_columns_of_one_value_are_a_line_and_those_without_a_chart_say_why(self) -> None:
        self.open(self.url)
        self.until(lambda: "always 784" in self.card("size"))
        self.assertFalse(self.one('#columns [data-column="size"] .chart').is_displayed())
        self.assertIn("lists of values: no chart", self.card("words"))
        self.assertFalse(self.one('#columns [data-column="_length"]').is_displayed(), "folded")
        self.click("#columns .fold summary")
        self.until(lambda: self.one('#columns [data-column="_length"]').is_displayed())

    def test_the_first_record_alone_does_not_say_how_a_feature_is_shown(self) -> None:
        self.open(self.url, show="map")
        self.until(lambda: len(self.all("#records .tile.raster canvas")) == 59)
        self.assertEqual(self.one("input.shape").get_attribute("value"), "2x6", "as height and width state")
        self.assertEqual(
            self.js("const { width, height } = document.querySelector('canvas'); return [width, height]"), [6, 2]
        )

    def test_values_that_are_cut_empty_or_not_finite_are_marked(self) -> None:
        self.open(self.url, record=5)
        row = "#record .features tr:nth-child(%d)"
        names = self.until(lambda: self.texts("#record .features tbody th"))
        story = row % (names.index("story") + 1)
        self.assertEqual(len(self.text(f"{story} .text")), 2000)
        self.assertIn("the first 2,000 characters of 9.77 KiB", self.text(f"{story} .cut"))
        self.click(f"{story} .cut button")
        self.until_equal(lambda: self.text(f"{story} .text"), LONG)
        self.assertEqual(self.text(row % (names.index("note") + 1) + " .null"), "(empty)")
        self.until_equal(lambda: self.texts(row % (names.index("words") + 1) + " li"), ["one", "two"])
        self.assertIn("2 values, 6 B", self.text(row % (names.index("words") + 1)))
        wave = self.one("#record figure.wave svg")
        self.assertIn("13 values from -1 to 9.5, 4 of them not finite", wave.get_attribute("aria-label"))
        line = self.one("#record figure.wave path:last-child").get_attribute("d")
        self.assertEqual(line.count("M"), 4, "each gap breaks the line")

    def test_a_record_with_a_wrong_checksum_is_marked(self) -> None:
        self.open(self.url, **{"from": 120})
        self.until(lambda: self.text('a[data-record="129"] .bad') == " damaged")
        self.assertEqual(len(self.all("#records .bad")), 1)
        self.click('a[data-record="129"]')
        self.until(lambda: "the checksum of its payload is wrong" in self.text("#record .failure"))

    def test_jumps_from_the_grid_and_to_a_key_of_several_records(self) -> None:
        self.open(self.url, null="balance")
        self.until_equal(self.ordinals, [0])
        self.one("#records .jump option[value=twin]").click()
        self.one("#records .jump input").send_keys("pair-40", Keys.ENTER)
        self.until_equal(lambda: self.texts("#records .said a"), ["#80", "#81"])
        self.click("#records .said button")
        self.until_equal(lambda: self.texts("#records .grid .ordinal") or self.texts("#records th a"), ["#80", "#81"])
        self.assertEqual(self.state(), {"where": "_id IN (80, 81)"}, "without the filter of before")
        self.open(self.url)
        self.one("#records .jump input").send_keys("125", Keys.ENTER)
        self.until_equal(lambda: self.text("#record h2"), "Record 125")
        self.press(Keys.ESCAPE)
        self.until_equal(self.state, {"from": "120"})
        self.until_equal(lambda: self.js("return document.activeElement.dataset.record"), "125")

    def test_negative_numbers_have_a_chart(self) -> None:
        self.open(self.url, view="sql", sql="SELECT _id, balance FROM records WHERE _id IN (10, 60, 110)")
        self.until_equal(lambda: self.texts("#sql .plot-of-sql .count"), ["-50", "0", "50"])
        boxes = self.js(
            "return [...document.querySelectorAll('#sql .length')].map((one) => one.getBoundingClientRect())"
            ".map(({ left, right }) => [left, right])"
        )
        self.assertAlmostEqual(boxes[0][1], boxes[2][0], delta=1.5)
        self.assertGreater(boxes[0][1] - boxes[0][0], 50)
        self.assertIn("(empty)", self.until(lambda: json.dumps(self.empty())))

    def empty(self) -> list[str]:
        self.open(self.url, view="sql", sql="SELECT note FROM records WHERE _id = 3")
        self.until(lambda: self.all("#sql td"))
        return self.texts("#sql td .null")
