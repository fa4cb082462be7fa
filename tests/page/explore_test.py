"""The columns, the filter and the grid: their numbers are those of `ofindex sql` for the same filter."""

from __future__ import annotations

import json
import shlex
from typing import Any

from page import scenes
from page.browser import ActionChains, PageTest, ofindex
from selenium.webdriver.common.keys import Keys

COUNT = 180


class ExploreTest(PageTest):
    @classmethod
    def make_data(cls) -> None:
        cls.data = cls.dir / "scenes.tfrecord"
        scenes.write_scenes(cls.data, COUNT)
        ofindex("build", cls.data)
        cls.url = cls.serve(cls.data)

    def expected(self, where: str) -> list[int]:
        return [int(line) for line in ofindex("where", self.data, where).splitlines()]

    def shapes(self, where: str) -> dict[str, int]:
        sql = f"SELECT shape, count(*) AS n FROM records WHERE {where} GROUP BY shape"
        return {row["shape"]: row["n"] for row in json.loads(ofindex("sql", self.data, sql, "--json"))["rows"]}

    def bars(self, column: str) -> dict[str, int]:
        bar = f"{self.column(column)} .bar:not([hidden])"
        counts = [int(text.replace(",", "") or -1) for text in self.texts(f"{bar} .count")]
        return dict(zip(self.texts(f"{bar} .label"), counts, strict=False))

    def assert_all_follow(self, where: str) -> None:
        """The count, the grid and the other charts are those of a WHERE."""
        expected = self.expected(where)
        self.until_equal(self.passing, len(expected))
        self.until_equal(self.ordinals, expected[:60])
        shapes = self.shapes(where)
        self.until_equal(lambda: {k: v for k, v in self.bars("shape").items() if v}, shapes)

    def brush(self, column: str, begin: float, end: float) -> str:
        """Drags a range with the pointer and returns it as SQL."""
        field = self.one(f"{self.column(column)} .field")
        width = field.size["width"]
        actions = ActionChains(self.driver, duration=30)
        actions.move_to_element_with_offset(field, int((begin - 0.5) * width), 0).click_and_hold()
        for part in (0.25, 0.5, 0.75, 1):
            actions.move_to_element_with_offset(field, int((begin + (end - begin) * part - 0.5) * width), 0)
        actions.release().perform()
        return self.range_in_sql(column)

    def range_in_sql(self, column: str) -> str:
        low, high = json.loads(self.until(lambda: self.state().get(f"range.{column}")))
        return f'"{column}" >= {low} AND "{column}" < {high}'

    def test_a_range_that_is_dragged_filters_the_count_the_grid_and_the_other_charts(self) -> None:
        self.open(self.url)
        self.until_equal(self.passing, COUNT)
        where = self.brush("brightness", 0.25, 0.6)
        self.assertLess(len(self.expected(where)), COUNT)
        self.assertGreater(len(self.expected(where)), 10)
        self.assert_all_follow(where)
        both = where + " AND " + self.brush("score", 0.1, 0.7)
        self.assert_all_follow(both)
        self.click(f"{self.column('brightness')} .clear")
        self.click(f"{self.column('score')} .clear")
        self.until_equal(self.passing, COUNT)

    def test_the_grid_follows_a_hand_that_moves_although_answers_are_slow(self) -> None:
        self.open(self.url)
        self.until_equal(self.ordinals, list(range(60)))
        shown = self.driver.execute_async_script(
            """
            const done = arguments[0];
            const real = window.fetch;
            window.fetch = async (address, options) => {
              if (String(address).includes("/api/records")) await new Promise((resolve) => setTimeout(resolve, 100));
              return real(address, options);
            };
            import("/page/state.mjs").then(({ store }) => {
              let first = 0;
              const move = () => store.slide({ where: `_id >= ${++first}` });
              move();
              move();
              const timer = setInterval(() => {
                move();
                if (first < 40) return;
                clearInterval(timer);
                done(Number(document.querySelector("#records a.record").dataset.record));
              }, 20);
            });
            """
        )
        self.assertGreater(shown, 0, "while the hand moves")
        self.until_equal(self.ordinals, list(range(40, 100)))

    def test_a_range_moves_as_a_whole_when_it_is_dragged_inside(self) -> None:
        self.open(self.url)
        self.brush("brightness", 0.2, 0.4)
        before = json.loads(self.state()["range.brightness"])
        where = self.brush("brightness", 0.3, 0.6)
        after = json.loads(self.state()["range.brightness"])
        self.assertGreater(after[0], before[0])
        self.assertAlmostEqual(after[1] - after[0], before[1] - before[0], delta=0.02)
        self.assert_all_follow(where)

    def test_arrow_keys_move_the_edges_of_a_range(self) -> None:
        self.open(self.url)
        handle = self.one(f"{self.column('brightness')} .handle")
        self.driver.execute_script("arguments[0].focus()", handle)
        start = float(handle.get_attribute("aria-valuenow"))
        self.press(*[Keys.ARROW_RIGHT] * 4, Keys.PAGE_UP, Keys.ARROW_LEFT)
        now = float(handle.get_attribute("aria-valuenow"))
        self.assertGreater(now, start)
        self.until(lambda: self.state().get("range.brightness"))
        self.assertEqual(json.loads(self.state()["range.brightness"])[0], now)
        self.assert_all_follow(self.range_in_sql("brightness"))
        self.press(Keys.HOME)
        self.until_equal(self.passing, COUNT)
        self.press(Keys.ARROW_RIGHT, Keys.ESCAPE)
        self.until_equal(self.passing, COUNT)

    def test_bars_are_alternatives_and_null_is_one_of_them(self) -> None:
        self.open(self.url)
        bar = f"{self.column('shape')} .bar"
        self.until(lambda: len(self.all(bar)) >= 3)
        names = list(self.bars("shape"))[:2]
        self.click(f"{bar}:nth-of-type(1)")
        self.until_equal(self.passing, len(self.expected(f"shape = '{names[0]}'")))
        self.click(f"{bar}:nth-of-type(2)")
        where = f"shape IN ('{names[0]}', '{names[1]}')"
        self.until_equal(self.passing, len(self.expected(where)))
        self.until_equal(self.ordinals, self.expected(where)[:60])
        self.assertEqual(self.bars("shape"), self.shapes("1"), "a chart ignores its own filter")
        self.click(f"{bar}:nth-of-type(1)")
        self.click(f"{bar}:nth-of-type(2)")
        self.until_equal(self.passing, COUNT)
        self.until(lambda: self.text(f"{self.column('score')} .nulls") == f"{COUNT // 20} NULL")
        self.click(f"{self.column('score')} .nulls")
        self.assert_all_follow("score IS NULL")

    def test_a_where_filters_and_a_wrong_one_says_why_next_to_it(self) -> None:
        self.open(self.url)
        self.press("/")
        self.press("tone > 400 AND shape <> 'circle'", Keys.ENTER)
        self.assert_all_follow("tone > 400 AND shape <> 'circle'")
        self.refusals = 10
        self.js("document.querySelector('#where').select()")
        self.press("tune > 400", Keys.ENTER)
        self.until(lambda: 'no such column: "tune"' in self.text("#where-error .failure"))
        self.assertIn("tone", self.text("#where-error .failure"), "the hint")
        self.js("document.querySelector('#where').select()")
        self.press("tone > 500", Keys.ENTER)
        self.assert_all_follow("tone > 500")
        self.assertEqual(self.text("#where-error"), "")

    def test_an_estimate_is_marked_until_the_exact_count_is_there(self) -> None:
        script = """
            const real = window.fetch;
            window.fetch = async (address, options) => {
              const answer = await real(address, options);
              if (!String(address).includes("/api/counts")) return answer;
              const counts = await answer.json();
              window.asked = [...(window.asked ?? []), String(address).includes("estimate=1") ? "estimate" : "exact"];
              if (String(address).includes("estimate=1")) Object.assign(counts, { exact: false, share: 0.25 });
              else await new Promise((resolve) => (window.release = resolve));
              return new Response(JSON.stringify(counts), { status: 200 });
            };
        """
        added = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        try:
            self.open(self.url, where="tone > 400")
            expected = len(self.expected("tone > 400"))
            self.until(lambda: self.text("#passing").startswith(f"≈ {expected} of "))
            self.assertIn("from 25.0 % of the data", self.text("#passing"))
            self.until(lambda: self.js("window.release?.(); return window.asked.at(-1) === 'exact'"))
            self.until(lambda: self.js("window.release?.(); return true") and self.passing() == expected)
        finally:
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)

    def test_a_link_is_a_view_and_back_goes_to_the_one_before(self) -> None:
        self.open(self.url)
        where = self.brush("brightness", 0.3, 0.7)
        self.assert_all_follow(where)
        link = self.driver.current_url
        self.driver.refresh()
        self.assert_all_follow(where)
        self.click("#records a.record")
        self.until(lambda: self.text("#record h2") == f"Record {self.expected(where)[0]}")
        self.driver.back()
        self.until(lambda: self.one("#records").is_displayed())
        self.assertEqual(self.driver.current_url, link)
        self.driver.back()
        self.until_equal(self.passing, COUNT)
        self.driver.forward()
        self.assert_all_follow(where)

    def test_the_copied_command_gives_the_records_of_the_page(self) -> None:
        self.open(self.url, where="tone > 300", **{"values.shape": ["circle", "square"]})
        where = "(tone > 300) AND shape IN ('circle', 'square')"
        self.until_equal(self.passing, len(self.expected(where)))
        self.js("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        self.click("#copy-command")
        command = self.until(lambda: self.js("return window.copied"))
        self.assertTrue(command.startswith("ofindex where "), command)
        self.assertEqual(
            [int(line) for line in ofindex("where", self.data, shlex.split(command)[3]).splitlines()],
            self.expected(where),
        )
        self.assert_copied_python(self.expected(where))
        self.open(self.url, order="random", seed=4, where="tone > 300", **{"from": 60})
        self.assert_copied_python(self.until(self.ordinals))
        self.assertEqual(self.copied_ordinals(), self.ordinals())
        self.open(self.url, where="tone > 300", **{"from": 60})
        self.assert_copied_python(self.until(self.ordinals))
        self.assertEqual(self.copied_ordinals(), self.ordinals())
        self.open(self.url, view="shuffle", where="tone > 300", seed=9, epoch=2, batch=8, first=3, block="64")
        tiles = "return [...document.querySelectorAll('#shuffle .tile')].map((one) => Number(one.dataset.ordinal))"
        shown = self.until(lambda: self.js(tiles))
        self.assert_copied_python(shown)
        self.assertEqual(self.copied_ordinals(), shown)

    def test_records_that_are_not_there_are_not_copied(self) -> None:
        self.open(self.url, order="random", seed=4)
        self.until(self.ordinals)
        self.hold("/api/records")
        self.click('[aria-label="next page"]')
        self.until(lambda: self.js("return window.held === 1"))
        for kind in ("command", "python"):
            self.assertEqual(self.not_copied(kind), "Not copied: the records are not there yet")
        self.release()
        self.open(self.url, order="random", where="tone < 0")
        self.until(lambda: self.text("#records .none"))
        for kind in ("command", "python"):
            self.assertEqual(self.not_copied(kind), "Not copied: no record passes the filter")

    def not_copied(self, kind: str) -> str:
        self.js("document.querySelector('#copied').textContent = ''")
        self.click(f"#copy-{kind}")
        return self.until(lambda: self.text("#copied"))

    def test_what_is_still_read_ends_when_the_view_is_left(self) -> None:
        self.open(self.url)
        self.until(self.ordinals)
        self.hold("/api/record")
        self.press("3")
        self.until(lambda: self.js("return window.asked.length > 0"))
        self.press("1")
        self.until(lambda: self.js("return window.asked.some((one) => !one.aborted)"))
        self.press("4")
        self.until_equal(lambda: self.js("return window.asked.filter((one) => !one.aborted).length"), 0)
        self.release()
        self.press("1")
        self.until_equal(self.ordinals, list(range(60)))

    def copied(self, kind: str) -> str:
        self.js("window.copied = ''; navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        self.click(f"#copy-{kind}")
        return self.until(lambda: self.js("return window.copied"))

    def copied_ordinals(self) -> list[int]:
        """The records that the copied command prints."""
        words = shlex.split(self.copied("command"))[1:]
        if words[0] == "get":
            return [row["_id"] for row in json.loads(ofindex(*words, "--json"))["records"]]
        return [int(line) for line in ofindex(*words).splitlines()]

    def assert_copied_python(self, expected: list[int]) -> None:
        names: dict[str, Any] = {}
        exec(self.copied("python"), names)  # what a person does with it
        self.assertEqual(names["view"].column("_id").tolist(), expected)

    def test_a_browser_that_refuses_the_clipboard_gets_the_text_selected(self) -> None:
        self.open(self.url, where="tone > 300")
        self.until(self.passing)
        self.js("Object.defineProperty(navigator, 'clipboard', { value: undefined })")  # as over plain HTTP
        self.click("#copy-command")
        self.until(lambda: self.js("return document.querySelector('#copy').open"))
        self.assertIn("'tone > 300'", self.js("return getSelection().toString()"))
        self.press(Keys.ESCAPE)

    def test_turning_pages_ends_what_the_page_before_asked(self) -> None:
        self.open(self.url)
        self.until_equal(self.ordinals, list(range(60)))
        self.hold("/api/value")
        self.one("select[name=show] option[value=patch]").click()
        for begin in (60, 120):
            self.until(lambda: self.js("return window.asked.length >= 60"))
            self.click('[aria-label="next page"]')
            self.until(lambda begin=begin: self.ordinals()[:1] == [begin])
        self.until_equal(lambda: self.js("return window.asked.filter((one) => one && !one.aborted).length"), 60)
        self.release()
        self.until(lambda: len(self.all("#records canvas")) == 60)

    def test_a_failed_question_is_shown_and_can_be_asked_again(self) -> None:
        self.open(self.url, view="shards")
        self.until(lambda: self.all("#shards td"))
        self.js(
            "window.real = window.fetch; window.fetch = async () => "
            "new Response(JSON.stringify({ error: { message: 'no memory', hint: 'wait' } }), { status: 500 })"
        )
        self.press("1")
        self.until(lambda: "no memory" in self.text("#records .failure"))
        self.js("window.fetch = window.real")
        self.click("#records .failure button")
        self.until_equal(self.ordinals, list(range(60)))

    def test_a_busy_server_is_asked_again_but_not_what_took_too_long(self) -> None:
        self.open(self.url)
        self.until_equal(self.ordinals, list(range(60)))
        self.js(
            """
            const real = window.fetch;
            window.refused = { records: 0, sql: 0 };
            const refuse = (hint, headers) =>
              new Response(JSON.stringify({ error: { message: "no", hint } }), { status: 503, headers });
            window.fetch = async (address, options) => {
              if (String(address).includes("/api/sql") && ++window.refused.sql) return refuse("ask a simpler question");
              if (String(address).includes("/api/records") && ++window.refused.records < 2) {
                return refuse("wait", { "Retry-After": "0" });
              }
              return real(address, options);
            };
            """
        )
        self.click('[aria-label="next page"]')
        self.until_equal(self.ordinals, list(range(60, 120)))
        self.press("2")
        self.click("#sql .primary")
        self.until(lambda: "ask a simpler question" in self.text("#sql .failure"))
        self.assertEqual(self.js("return window.refused"), {"records": 2, "sql": 1})

    def test_pages_and_random_order(self) -> None:
        self.open(self.url)
        self.until_equal(self.ordinals, list(range(60)))
        self.js("document.querySelector('#records a.record').focus()")
        for begin in (60, 120):
            self.press(Keys.PAGE_DOWN)
            self.until_equal(self.ordinals, list(range(begin, begin + 60)))
            self.assertEqual(self.js("return document.activeElement.dataset.record"), str(begin))
        self.press(Keys.PAGE_DOWN)
        self.assertEqual(self.js("return document.activeElement.dataset.record"), "120", "the last page stays")
        self.click('[aria-label="previous page"]')
        self.until_equal(self.ordinals, list(range(60, 120)))
        self.open(self.url, order="random", seed=5)
        self.until(lambda: len(self.ordinals()) == 60)
        first = self.ordinals()
        self.assertNotEqual(first, sorted(first))
        self.open(self.url, order="random", seed=5, **{"from": 60})
        self.until(lambda: len(self.ordinals()) == 60 and self.ordinals() != first)
        self.assertEqual(set(first) & set(self.ordinals()), set(), "no record is on two pages")

    def test_the_table_has_the_columns(self) -> None:
        self.open(self.url, show="(columns)")
        self.until_equal(self.ordinals, list(range(60)))
        heads = self.texts("#records thead th")
        cells = self.texts("#records tbody tr:nth-child(8) > *")
        row = json.loads(ofindex("sql", self.data, "SELECT * FROM records WHERE _id = 7", "--json"))["rows"][0]
        self.assertEqual(cells[heads.index("shape")], row["shape"])
        self.assertEqual(cells[heads.index("tone")], str(row["tone"]))
        self.assertEqual(cells[heads.index("record")], "7")
