"""One record: what is drawn is what it holds, its bytes are those of `get --wire`, and the ways to other records."""

from __future__ import annotations

import hashlib
import json

from page import scenes
from page.browser import PageTest, ofindex
from selenium.webdriver.common.keys import Keys

COUNT = 40


def _pixel(pixels: list[int], width: int, x: int, y: int) -> list[int]:
    return pixels[(y * width + x) * 3 : (y * width + x) * 3 + 3]


class RecordTest(PageTest):
    @classmethod
    def make_data(cls) -> None:
        cls.data = cls.dir / "scenes.tfrecord"
        scenes.write_scenes(cls.data, COUNT)
        ofindex("build", cls.data, "--key", "caption")
        cls.url = cls.serve(cls.data)

    def record(self) -> str:
        return self.text("#record h2")

    def test_the_picture_in_the_grid_is_the_one_that_was_stored(self) -> None:
        self.open(self.url)
        self.until(lambda: len(self.all("#records .tile img")) == COUNT)
        pixels = self.pixels("#records .tile:nth-child(4) img")
        self.assertEqual(bytes(pixels), scenes.rgb(3))

    def test_boxes_lie_where_the_features_say(self) -> None:
        features = scenes.scene(5)
        self.open(self.url, record=5)
        # All at once: the page may draw the record again at any moment.
        boxes = self.until(
            lambda: self.js(
                "const picture = document.querySelector('#record .picture img')?.getBoundingClientRect();"
                "return [...document.querySelectorAll('#record .boxes rect:not(.under)')].map((box) => "
                "[...['x', 'y', 'width'].map((name) => Number(box.getAttribute(name))), "
                "box.getBoundingClientRect().width / picture.width])"
            )
        )
        self.assertEqual(len(boxes), len(features["image/object/bbox/xmin"][1]))
        for place, (x, y, width, shown) in enumerate(boxes):
            left = features["image/object/bbox/xmin"][1][place] * scenes.WIDTH
            right = features["image/object/bbox/xmax"][1][place] * scenes.WIDTH
            top = features["image/object/bbox/ymin"][1][place] * scenes.HEIGHT
            self.assertAlmostEqual(x, left, places=3)
            self.assertAlmostEqual(y, top, places=3)
            self.assertAlmostEqual(width, right - left, places=3)
            self.assertAlmostEqual(shown, (right - left) / scenes.WIDTH, delta=0.05)
        labels = [text.decode() for text in features["image/object/class/text"][1]]
        self.until_equal(lambda: self.texts("#record .boxes text"), labels)
        tall = self.js("return document.querySelector('#record .boxes text').getBoundingClientRect().height")
        self.assertTrue(8 < tall < 24, f"a label of {tall} pixels")

    def test_a_raw_array_is_drawn_in_the_shape_that_is_chosen_once(self) -> None:
        patch = scenes.scene(0)["patch"][1][0]
        self.open(self.url, show="patch")
        self.assertEqual(bytes(self.pixels("#records .tile:nth-child(1) canvas")), patch, "8x8x3 is guessed")

        def choose(shape: str) -> None:
            self.js("arguments[0].select()", self.one("input.shape"))
            self.one("input.shape").send_keys(shape, Keys.ENTER)

        choose("3x8x8")
        planes = [patch[plane * 64 + place] for place in range(64) for plane in range(3)]
        self.until_equal(lambda: self.pixels("#records .tile:nth-child(1) canvas"), planes)
        self.assertEqual(self.state()["shape.patch"], "3x8x8", "a link has it, at whatever port the server is next")
        self.driver.refresh()
        self.until_equal(lambda: self.pixels("#records .tile:nth-child(1) canvas"), planes)
        choose("12x16")
        self.until_equal(lambda: self.pixels("#records .tile:nth-child(1) canvas")[::3], list(patch))
        choose("5x5")
        self.assertFalse(self.js("return document.querySelector('input.shape').checkValidity()"))

    def test_a_float_list_is_a_waveform_and_a_sound_can_be_played(self) -> None:
        self.open(self.url, record=2)
        wave = self.one("#record svg.wave")
        self.assertIn("600 values", wave.get_attribute("aria-label"))
        numbers = [
            float(word)
            for word in self.one("#record svg.wave path:last-child").get_attribute("d")[1:].replace("L", " ").split()
        ]
        self.assertEqual((min(numbers[1::2]), max(numbers[1::2])), (0, 1), "from the highest to the lowest value")
        self.one("#record audio")
        self.js("const audio = document.querySelector('#record audio'); audio.preload = 'auto'; audio.load()")
        seconds = self.until(lambda: self.js("return document.querySelector('#record audio').duration || 0"))
        self.assertAlmostEqual(seconds, 600 / scenes.RATE, delta=0.01)
        sound = self.driver.execute_async_script(
            "const done = arguments[0]; fetch(document.querySelector('#record "
            "audio').src).then((answer) => answer.arrayBuffer())"
            ".then((bytes) => crypto.subtle.digest('SHA-256', bytes)).then((sum) => done([...new Uint8Array(sum)]))"
        )
        self.assertEqual(bytes(sound), hashlib.sha256(scenes.scene(2)["sound"][1][0]).digest())

    def test_all_features_with_their_values(self) -> None:
        self.open(self.url, record=6)
        self.one("#record .features")
        rows = {
            row[0]: row[1:]
            for row in self.js(
                "return [...document.querySelectorAll('#record .features tbody tr')].map((row) => "
                "[...row.children].map((cell) => cell.textContent))"
            )
        }
        features = scenes.scene(6)
        self.assertEqual(set(rows), set(features))
        self.assertEqual(rows["caption"][1], features["caption"][1][0].decode())
        self.assertEqual(rows["tone"][1], str(features["tone"][1][0]))
        texts = [text.decode() for text in features["image/object/class/text"][1]]
        self.until_equal(
            lambda: self.texts("#record .features tr:nth-child(9) li") or [rows["image/object/class/text"][1]], texts
        )

    def test_the_bytes_on_the_wire_are_those_of_get(self) -> None:
        self.open(self.url, record=1)
        self.click("#record .wire summary")
        self.until(lambda: self.all("#record .hexes tbody tr"))
        shown = self.js(
            "return [...document.querySelectorAll('#record .hexes tbody tr')].map((row) => "
            "row.children[0].textContent + ' ' + row.children[1].textContent)"
        )
        printed = ofindex("get", self.data, "1", "--wire").splitlines()
        offsets = [line[:8] for line in printed if line[:8].strip() and all(c in "0123456789abcdef" for c in line[:8])]
        self.assertEqual(shown[0].split()[0], "00000000")
        self.assertEqual([line.split()[0] for line in shown][:8], offsets[:8])
        by_offset = {line[:8]: line[10:59].split() for line in printed}
        for line in shown[:8]:
            self.assertEqual(line.split()[1:], by_offset[line.split()[0]][: len(line.split()) - 1])
        self.click('#record [data-move="next"]')
        self.until(lambda: self.record() == "Record 2" and self.all("#record .hexes tbody tr"), "the bytes stay open")

    def test_previous_next_and_random_stay_within_the_filter(self) -> None:
        passing = [int(line) for line in ofindex("where", self.data, "shape = 'circle'").splitlines()]
        self.open(self.url, where="shape = 'circle'", record=passing[0])
        for ordinal in passing[1:4]:
            self.click('#record [data-move="next"]')
            self.until_equal(self.record, f"Record {ordinal}")
        self.press(Keys.ARROW_LEFT)
        self.until_equal(self.record, f"Record {passing[2]}")
        for _ in range(4):
            self.press("r")
            self.until(lambda: int(self.record().split()[1]) in passing)
        self.open(self.url, where="shape = 'circle'", record=passing[-1])
        self.click('#record [data-move="next"]')
        self.until(lambda: "last match" in self.text("#record .said"))
        self.press(Keys.ESCAPE)
        self.until_equal(self.ordinals, passing)

    def test_a_late_answer_does_not_open_a_record_again(self) -> None:
        self.open(self.url)
        self.until(lambda: self.ordinals())
        self.click("#records a.record[data-record='3']")
        entries = self.js("return history.length")
        self.click('#record [data-move="next"]')
        self.until_equal(self.record, "Record 4")
        self.assertEqual(self.js("return history.length"), entries, "Next replaces the entry")
        caption = scenes.scene(17)["caption"][1][0].decode()
        for go in ("locate", "find"):
            self.hold(f"/api/{go}")
            if go == "locate":
                self.press(Keys.ARROW_RIGHT)
            else:
                self.one("#record .jump option[value=caption]").click()
                self.one("#record .jump input").send_keys(caption, Keys.ENTER)
            self.until(lambda: self.js("return window.held === 1"))
            self.click('#record [data-move="close"]')
            self.release()
            self.until(lambda: self.one("#records").is_displayed())
            self.assertEqual(self.js("return document.activeElement.dataset.record"), "4")
            self.assertNotIn("record", self.state())
            self.click("#records a.record[data-record='4']")
            self.until_equal(self.record, "Record 4")

    def test_an_image_whose_request_fails_is_asked_for_again(self) -> None:
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/api/value*"]})
        try:
            self.open(self.url, record=3)
            self.until(lambda: self.one("#lost").is_displayed())
            self.assertNotIn("not a picture", self.text("#record"))
        finally:
            self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        self.until_equal(lambda: bytes(self.pixels("#record .picture img")), scenes.rgb(3))
        self.until(lambda: not self.one("#lost").is_displayed())
        self.driver.get_log("browser")  # the requests that failed

    def test_jump_to_a_number_or_a_key(self) -> None:
        self.open(self.url, record=0)
        jump = self.one("#record .jump input")
        jump.send_keys("33", Keys.ENTER)
        self.until_equal(self.record, "Record 33")
        self.one("#record .jump input").send_keys("1000", Keys.ENTER)
        self.until(lambda: f"0 to {COUNT - 1}" in self.text("#record .said"))
        self.one("#record .jump input").clear()
        self.one("#record .jump input").send_keys(",", Keys.ENTER)
        self.until(lambda: f"0 to {COUNT - 1}" in self.text("#record .said"))
        self.assertEqual(self.record(), "Record 33")
        caption = scenes.scene(17)["caption"][1][0].decode()
        found = json.loads(ofindex("get", self.data, "--key", f"caption={caption}", "--json"))["records"][0]["_id"]
        self.one("#record .jump option[value=caption]").click()
        jump = self.one("#record .jump input")
        jump.clear()
        jump.send_keys(caption, Keys.ENTER)
        self.until_equal(self.record, f"Record {found}")


class StepsTest(PageTest):
    @classmethod
    def make_data(cls) -> None:
        cls.data = cls.dir / "episodes.tfrecord"
        scenes.write_steps(cls.data, 4)
        ofindex("build", cls.data)
        cls.url = cls.serve(cls.data)

    def test_the_scrubber_shows_the_steps_of_a_sequence(self) -> None:
        self.open(self.url, record=2)
        self.assertEqual(self.one("#record .scrub input").get_attribute("max"), "4")
        self.until_equal(lambda: bytes(self.pixels("#record .frame img")), scenes.rgb(16))
        scrub = self.one("#record .scrub input")
        scrub.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.until_equal(lambda: bytes(self.pixels("#record .frame img")), scenes.rgb(19))
        self.until(lambda: "1.5  2" in self.text("#record .frame"))
        self.assertEqual(self.state()["step"], "3")
        self.driver.refresh()
        self.until_equal(lambda: bytes(self.pixels("#record .frame img")), scenes.rgb(19))
