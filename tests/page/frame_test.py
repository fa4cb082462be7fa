"""The page in a frame of another origin, as a notebook shows it, and a server of several datasets."""

from __future__ import annotations

import functools
import http.server
import threading
from types import SimpleNamespace
from typing import Any, cast

from ofindex import _server
from page import scenes
from page.browser import PageTest, ofindex


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


class FrameTest(PageTest):
    @classmethod
    def make_data(cls) -> None:
        cls.data = [cls.dir / "scenes.tfrecord", cls.dir / "episodes.tfrecord"]
        scenes.write_scenes(cls.data[0], 70)
        scenes.write_steps(cls.data[1], 5)
        for data in cls.data:
            ofindex("build", data)
        frames = [word for origin in _server._FRAMES for word in ("--frame", origin)]
        cls.url = cls.serve(*cls.data, *frames)
        notebook = cls.dir / "notebook"
        notebook.mkdir()
        shown = _server.Page(cast(_server.Server, SimpleNamespace(url=cls.url)), 600)._repr_html_()
        (notebook / "index.html").write_text(
            f"<!DOCTYPE html><title>notebook</title><link rel=icon href=data:,>{shown}"
        )
        handler = functools.partial(QuietFiles, directory=str(notebook))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        # Notebooks are at localhost, which is another site than 127.0.0.1, so that cookies do not travel.
        cls.notebook = f"http://localhost:{server.server_port}/"

    def tearDown(self) -> None:
        self.driver.switch_to.default_content()
        super().tearDown()

    def test_the_frame_of_a_notebook_shows_and_does_everything(self) -> None:
        self.driver.delete_all_cookies()
        self.driver.get(self.notebook)
        self.driver.switch_to.frame(self.one("iframe"))
        self.until_equal(self.passing, 70)
        self.until_equal(lambda: bytes(self.pixels("#records .tile:nth-child(4) img")), scenes.rgb(3))
        self.assertEqual(self.js("return location.search + document.cookie"), "", "neither has the token")
        self.click(f"{self.column('shape')} .bar")
        self.until(lambda: self.passing() not in (None, 70))
        self.press("2")
        self.click("#sql .primary")
        self.until(lambda: self.all("#sql td"))
        self.press("4")
        self.until(lambda: self.all("#shards td"))
        self.assertTrue(self.js("return document.featurePolicy.allowsFeature('clipboard-write')"))

    def test_another_dataset_is_chosen_in_the_frame(self) -> None:
        self.driver.delete_all_cookies()
        self.driver.get(self.notebook)
        self.driver.switch_to.frame(self.one("iframe"))
        self.until_equal(self.passing, 70)
        self.one("select[aria-label=dataset] option[value='1']").click()
        self.until_equal(self.passing, 5)
        self.until_equal(lambda: bytes(self.pixels("#records .tile:nth-child(3) img")), scenes.rgb(16))

    def test_each_of_several_datasets_shows_and_has_its_own_address(self) -> None:
        self.open(self.url)
        self.until_equal(self.passing, 70)
        names = self.texts("select[aria-label=dataset] option")
        self.assertEqual([name.rsplit("/", 1)[-1] for name in names], [f"{data.name}.ofidx" for data in self.data])
        self.one("select[aria-label=dataset] option[value='1']").click()
        self.until_equal(self.passing, 5)
        self.assertEqual(self.state(), {"dataset": "1"})
        self.assertIn("5 records", self.text("#facts"))
        self.driver.refresh()
        self.until_equal(self.passing, 5)
        self.driver.back()
        self.until_equal(self.passing, 70)
