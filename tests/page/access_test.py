"""Whoever uses the page: by keyboard alone, with a screen reader, in dark or light, in a small window, offline."""

from __future__ import annotations

from importlib import resources

from page import scenes
from page.browser import ActionChains, PageTest, ofindex
from selenium.webdriver.common.keys import Keys

COUNT = 70
VIEWS = (
    {"show": "image/encoded"},
    {"show": "(columns)", "where": "tone > 300", "values.shape": ["circle"]},
    {"show": "sound"},
    {"record": 3},
    {"view": "sql", "sql": "SELECT shape, count(*) FROM records GROUP BY 1"},
    {"view": "shuffle", "quality": "shape"},
    {"view": "shards"},
)


class AccessTest(PageTest):
    @classmethod
    def make_data(cls) -> None:
        cls.data = cls.dir / "scenes.tfrecord"
        scenes.write_scenes(cls.data, COUNT)
        ofindex("build", cls.data)
        cls.url = cls.serve(cls.data)
        cls.axe = resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")

    def violations(self) -> list[str]:
        self.js(self.axe)
        return self.driver.execute_async_script(
            "const done = arguments[0]; axe.run(document, { resultTypes: ['violations'] }).then((result) => done("
            "result.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.target} "
            "${node.failureSummary}`))))"
        )

    def wait_for_view(self) -> None:
        self.until(lambda: self.all("#records a.record, #record .features, #sql td, #shuffle .tile, #shards td"))
        self.until(lambda: self.text("#passing") != "" or not self.one("#filters").is_displayed())

    def test_axe_finds_nothing_in_any_view(self) -> None:
        for view in VIEWS:
            with self.subTest(view=view):
                self.open(self.url, **view)
                self.wait_for_view()
                self.assertEqual(self.violations(), [])

    def test_axe_finds_nothing_in_the_dark(self) -> None:
        with self.dark():
            for view in VIEWS:
                with self.subTest(view=view):
                    self.open(self.url, **view)
                    self.wait_for_view()
                    self.assertEqual(self.js("return document.documentElement.dataset.theme"), "dark")
                    self.assertEqual(self.violations(), [])

    def test_the_switch_keeps_a_theme(self) -> None:
        self.open(self.url)
        light = self.js("return getComputedStyle(document.body).backgroundColor")
        self.click("#theme")
        dark = self.js("return getComputedStyle(document.body).backgroundColor")
        self.assertNotEqual(light, dark)
        self.driver.refresh()
        self.until_equal(lambda: self.js("return getComputedStyle(document.body).backgroundColor"), dark)
        self.open(self.serve(self.data))  # at another port
        self.assertEqual(self.js("return getComputedStyle(document.body).backgroundColor"), dark)
        self.click("#theme")

    def test_the_keyboard_alone_goes_through_the_page(self) -> None:
        self.open(self.url)
        self.wait_for_view()
        self.press(Keys.TAB)
        self.assertEqual(self.focused(), "skip")
        self.press("/", *"tone > 300", Keys.ENTER)
        passing = [int(line) for line in ofindex("where", self.data, "tone > 300").splitlines()]
        self.until_equal(self.passing, len(passing))
        self.until_equal(self.ordinals, passing[:60])
        self.tab_to("handle")
        self.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.until(lambda: self.passing() is not None and self.passing() < len(passing))
        self.press(Keys.ESCAPE)
        self.until_equal(self.passing, len(passing))
        self.tab_to("bar")
        self.press(Keys.SPACE)
        self.until(lambda: any(name.startswith("values.") for name in self.state()))
        self.press(Keys.SPACE)
        self.until_equal(self.ordinals, passing[:60])
        self.tab_to("record cover", limit=120)
        self.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER)
        self.until_equal(lambda: self.text("#record h2"), f"Record {passing[2]}")
        self.press(Keys.ENTER)
        self.until_equal(lambda: self.text("#record h2"), f"Record {passing[3]}")
        self.press(Keys.ARROW_LEFT)
        self.until_equal(lambda: self.text("#record h2"), f"Record {passing[2]}")
        self.press(Keys.ESCAPE)
        self.until(lambda: not self.one("#record").is_displayed())
        self.press("2")
        self.until(lambda: self.one("#sql").is_displayed())
        self.tab_to("query")
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
        self.until(lambda: self.all("#sql td"))
        self.tab_to("result")
        self.press("3")
        self.until(lambda: self.all("#shuffle .tile"))
        self.press("4")
        self.until(lambda: self.all("#shards td"))
        self.press("?")
        self.until(lambda: self.js("return document.querySelector('#keys').open"))
        self.press(Keys.ESCAPE)
        self.until(lambda: not self.js("return document.querySelector('#keys').open"))

    def focused(self) -> str:
        return self.js("const one = document.activeElement; return one.className || one.id")

    def tab_to(self, name: str, limit: int = 60) -> None:
        for _ in range(limit):
            self.press(Keys.TAB)
            if self.focused() == name:
                self.assertNotEqual(
                    self.js(
                        "return getComputedStyle(document.activeElement.closest('.tile') ?? "
                        "document.activeElement).outlineStyle"
                    ),
                    "none",
                )
                return
        self.fail(f"no {name} within {limit} presses of Tab")

    def test_a_small_window_fits_and_nothing_moves_while_the_page_loads(self) -> None:
        script = """
            window.shift = 0;
            new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value; })
              .observe({ type: "layout-shift", buffered: true });
        """
        added = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        try:
            self.open(self.url)
            self.wait_for_view()
            self.until(lambda: self.all("#records img"))
            self.assertLess(self.js("return window.shift"), 0.05)
        finally:
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        for width in (1280, 1024):
            self.resize(width, 720)
            self.assertLessEqual(self.js("return document.documentElement.scrollWidth - innerWidth"), 0)
            self.assertTrue(self.one("#help").is_displayed())

    def test_a_lost_server_is_said_and_asked_again(self) -> None:
        self.open(self.url)
        self.until_equal(self.passing, COUNT)
        self.js("window.real = window.fetch; window.fetch = () => Promise.reject(new TypeError('Failed to fetch'))")
        self.press("/", *"tone > 500", Keys.ENTER)
        self.until(lambda: self.one("#lost").is_displayed())
        self.js("window.fetch = window.real")
        self.until_equal(self.passing, len(ofindex("where", self.data, "tone > 500").splitlines()))
        self.until(lambda: not self.one("#lost").is_displayed())
