"""SQL, shuffle and shards: what they show is what the command prints."""

from __future__ import annotations

import json

from page import scenes
from page.browser import PageTest, ofindex
from selenium.webdriver.common.keys import Keys

COUNT = 90


class SqlTest(PageTest):
    @classmethod
    def make_data(cls) -> None:
        cls.data = cls.dir / "scenes.tfrecord"
        scenes.write_scenes(cls.data, COUNT)
        ofindex("build", cls.data)
        cls.url = cls.serve(cls.data)

    def test_the_result_is_that_of_the_command(self) -> None:
        sql = "SELECT shape, count(*) AS n, avg(score) AS mean FROM records GROUP BY shape ORDER BY shape"
        expected = json.loads(ofindex("sql", self.data, sql, "--json"))["rows"]
        self.open(self.url)
        self.press("2")
        query = self.one("#query")
        query.clear()
        query.send_keys(sql, Keys.CONTROL + Keys.ENTER)
        self.until_equal(lambda: self.texts("#sql thead th"), ["shape", "n", "mean"])
        self.assertEqual(self.texts("#sql tbody td:first-child"), [row["shape"] for row in expected])
        self.assertEqual(self.texts("#sql tbody td:nth-child(2)"), [str(row["n"]) for row in expected])
        self.assertEqual(self.texts("#sql .plot-of-sql .count"), [str(row["n"]) for row in expected], "the chart")
        self.driver.back()
        self.until(lambda: "sql" not in self.state())
        self.driver.forward()
        self.until_equal(lambda: self.texts("#sql tbody td:first-child"), [row["shape"] for row in expected])

    def test_going_back_ends_a_query_that_runs(self) -> None:
        self.open(self.url, view="sql")
        query = self.one("#query")
        query.clear()
        self.hold("/api/sql")
        query.send_keys("SELECT 41 + 1 AS late", Keys.CONTROL + Keys.ENTER)
        self.until(lambda: self.js("return window.held === 1"))
        self.driver.back()
        self.until(lambda: "sql" not in self.state())
        self.release()
        self.assertEqual(self.texts("#sql thead th"), [])
        self.assertTrue(self.js("return window.asked[0].aborted"))
        self.assertEqual(self.text("#sql .said"), "")

    def test_csv_has_the_same_rows(self) -> None:
        downloads = self.dir / "downloads"
        downloads.mkdir()
        self.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)}
        )
        sql = "SELECT _id, caption FROM records WHERE _id < 3"
        self.open(self.url, view="sql", sql=sql)
        self.until(lambda: len(self.all("#sql tbody tr")) == 3)
        self.click("#sql .run button:nth-of-type(2)")
        file = downloads / "result.csv"
        self.until(lambda: file.exists() and file.stat().st_size)
        printed = ofindex("sql", self.data, sql, "--csv")
        self.assertEqual(file.read_bytes().decode().replace("\r\n", "\n"), printed.replace("\r\n", "\n"))

    def test_an_error_is_shown_with_its_hint(self) -> None:
        self.refusals = 1
        self.open(self.url, view="sql", sql="SELECT tune FROM records")
        self.until(lambda: 'no such column: "tune"' in self.text("#sql .failure"))
        self.assertNotEqual(self.text("#sql .failure .hint"), "")


class ShuffleTest(PageTest):
    @classmethod
    def make_data(cls) -> None:
        SqlTest.make_data.__func__(cls)

    def batches(self) -> list[list[int]]:
        return self.js(
            "return [...document.querySelectorAll('#shuffle .batch')].map((batch) => "
            "[...batch.querySelectorAll('.tile')].map((tile) => Number(tile.dataset.ordinal)))"
        )

    def sample(self, *options: str) -> list[int]:
        return [int(line) for line in ofindex("sample", self.data, *options).splitlines()]

    def test_the_batches_are_those_of_sample(self) -> None:
        order = self.sample("--seed", "7", "--where", "tone > 300")
        self.open(self.url, view="shuffle", seed=7, batch=8, where="tone > 300")
        self.until_equal(lambda: [one for batch in self.batches() for one in batch], order[:48])
        self.until(lambda: len(self.all("#shuffle .tile img")) == min(48, len(order)))
        self.assertEqual(bytes(self.pixels("#shuffle .tile:nth-child(2) img")), scenes.rgb(order[1]))
        shapes = {number: scenes.scene(number)["shape"][1][0].decode() for number in order[:48]}
        self.until_equal(lambda: self.texts("#shuffle .caption")[:48], [f"#{one}{shapes[one]}" for one in order[:48]])
        self.assertEqual(len(self.all("#shuffle a.record[tabindex='0']")), 1, "one is in the order of Tab")
        self.js("document.querySelector('#shuffle a.record').focus()")
        self.press(Keys.ARROW_RIGHT)
        self.assertEqual(int(self.js("return document.activeElement.dataset.record")), order[1])
        self.click("#shuffle .sampler button")
        self.until_equal(lambda: [one for batch in self.batches() for one in batch], order[48:96])
        epoch = self.one("#shuffle [name=epoch]")
        epoch.clear()
        epoch.send_keys("1", Keys.ENTER)
        later = self.sample("--seed", "7", "--where", "tone > 300", "--epoch", "1")
        self.until_equal(lambda: [one for batch in self.batches() for one in batch], later[48:96])

    def test_the_report_is_that_of_quality(self) -> None:
        quality = json.loads(ofindex("sample", self.data, "--seed", "1", "--quality", "shape", "--json"))
        self.open(self.url, view="shuffle", quality="shape")
        self.until(lambda: self.all("#shuffle .quality td"))
        self.assertIn(
            f"{quality['classes']} values in {quality['positions']} positions", self.text("#shuffle .quality caption")
        )
        self.assertAlmostEqual(
            float(self.text("#shuffle .quality tbody tr:nth-child(2) td")), quality["neighbours"], delta=1e-4
        )


class ShardsTest(PageTest):
    @classmethod
    def make_data(cls) -> None:
        cls.data = cls.dir / "train"
        scenes.write_damaged(cls.data)
        ofindex("build", cls.data, damaged=True)
        cls.url = cls.serve(cls.data)

    def test_damage_is_marked_at_its_place_and_said_in_words(self) -> None:
        damage = json.loads(ofindex("sql", self.data, "SELECT * FROM damage", "--json"))["rows"]
        self.assertNotEqual(damage, [])
        self.open(self.url)
        self.assertIn("1 damaged", self.text("#facts"))
        self.press("4")
        self.until(lambda: len(self.all("#shards tbody tr")) == 4)
        self.assertEqual(len(self.all("#shards tr:nth-child(3) .damage")), len(damage))
        self.assertEqual(len(self.all("#shards .damage")), len(damage))
        size = (self.data / "part-2.tfrecord").stat().st_size
        mark = self.one("#shards .damage")
        begin = min(row["begin"] for row in damage)
        self.assertGreater(begin, 0)
        self.assertAlmostEqual(float(mark.get_attribute("x")), begin / size, delta=0.01)
        self.assertTrue(self.text("#shards tr:nth-child(3) .state li").startswith(f"{begin:,} "))
        self.assertIn("the checksum of a record's length is wrong", self.text("#shards .state li"))
        self.assertEqual(self.text("#shards .sum"), "1 of 4 shards is missing, changed or damaged.")
        self.assertEqual(self.texts("#shards tbody th"), [f"train/part-{part}.tfrecord" for part in range(4)])
