"""A page of `ofindex serve` in headless Chromium.

Every test class starts one browser; each test opens pages of servers over data that it wrote. After each test, the
console must be empty of errors, no script may have run that is not the page's, and no other host was asked.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from e2e.command import COMMAND
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

PATIENCE_SECONDS = 10
SIZE = (1280, 720)


def _chromium() -> webdriver.Chrome:
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def ofindex(*args: str | Path, damaged: bool = False) -> str:
    """What the command prints. It must not complain, unless the data are `damaged`."""
    done = subprocess.run([COMMAND, *map(str, args)], capture_output=True, text=True, check=False)
    if not damaged and (done.returncode not in (0, 1) or "ofindex: " in done.stderr):
        raise AssertionError(f"ofindex {' '.join(map(str, args))}: {done.stderr}")
    return done.stdout


class PageTest(unittest.TestCase):
    """A test with a browser, and a folder for its class in `self.dir`."""

    driver: webdriver.Chrome
    dir: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = _chromium()
        cls.addClassCleanup(cls.driver.quit)
        temporary = tempfile.TemporaryDirectory(prefix="ofindex-page-")
        cls.addClassCleanup(temporary.cleanup)
        cls.dir = Path(temporary.name).resolve()
        cls.make_data()

    @classmethod
    def make_data(cls) -> None:
        """Writes and indexes what the tests of the class look at."""

    @classmethod
    def serve(cls, *args: str | Path) -> str:
        """Starts `ofindex serve`, which ends with the class, and returns the address with the token."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("OFINDEX_D")}
        command = [COMMAND, "serve", *map(str, args), "--until-eof"]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=cls.dir, env=environment
        )

        def end() -> None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

        cls.addClassCleanup(end)
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        if not url.startswith("http://"):
            raise AssertionError(f"ofindex serve printed {url!r}, expected an address")
        return url

    def setUp(self) -> None:
        self.refusals = 0  # answers of 4xx that the test provokes
        self.resize(*SIZE)
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)

    def tearDown(self) -> None:
        console = [
            entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")
        ]
        refused = [message for message in console if "status of 4" in message]
        self.assertEqual([message for message in console if message not in refused], [], "console")
        self.assertGreaterEqual(self.refusals, len(refused), refused)
        self.assertEqual(self.foreign_requests(), [])

    def foreign_requests(self) -> list[str]:
        """The addresses that were asked for since the last call, and that the server does not have."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]
        self.assertNotEqual(urls, [])
        home = ("data:", "blob:", "http://127.0.0.1:", "http://localhost:")
        return [url for url in urls if not url.startswith(home)]

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def open(self, url: str, **state: Any) -> None:
        """Opens an address: first with its token, which becomes a cookie, then with the parameters of a view."""
        self.driver.get(url)
        if state:
            parts = urlsplit(self.driver.current_url)
            query = "&".join(f"{name}={_quoted(value)}" for name, value in state.items())
            self.driver.get(f"{parts.scheme}://{parts.netloc}/?{query}")
        self.until(lambda: self.all("main:not([aria-busy])"), "the page starts")

    def until(self, condition: Callable[[], Any], what: str = "") -> Any:
        """Waits until `condition` holds, and returns what it returned."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            with contextlib.suppress(StaleElementReferenceException):
                result = condition()
                if result:
                    return result
            if time.monotonic() > end:
                self.fail(f"did not happen within {PATIENCE_SECONDS} s: {what or condition}")
            time.sleep(0.02)

    def until_equal(self, value: Callable[[], Any], expected: Any) -> None:
        """Waits until `value()` equals `expected`, and shows both if it never does."""
        end = time.monotonic() + PATIENCE_SECONDS
        got = value()
        while got != expected and time.monotonic() < end:
            time.sleep(0.02)
            got = value()
        self.assertEqual(got, expected)

    def js(self, script: str, *args: Any) -> Any:
        return self.driver.execute_script(script, *args)

    def hold(self, path: str) -> None:
        """Holds back the answers of a path, whose questions are then never aborted, until `release`."""
        script = """
            window.held = 0;
            window.asked = [];
            const real = (window.unheld ??= window.fetch);
            window.fetch = async (address, options = {}) => {
              if (!String(address).includes(arguments[0])) return real(address, options);
              window.asked.push(options.signal);
              const answer = await real(address, { ...options, signal: undefined });
              ++window.held;
              if (window.fetch === real) return answer; // released meanwhile
              await new Promise((resolve) => (window.releases = [...(window.releases ?? []), resolve]));
              return answer;
            };
        """
        self.js(script.replace("arguments[0]", json.dumps(path)))

    def release(self) -> None:
        """Lets the answers that were held back come, and waits until the page has taken them."""
        self.driver.execute_async_script(
            "window.fetch = window.unheld; for (const release of window.releases ?? []) release(); "
            "window.releases = []; setTimeout(arguments[0], 100)"
        )

    def one(self, selector: str) -> WebElement:
        return self.until(lambda: self.driver.find_elements(By.CSS_SELECTOR, selector), selector)[0]

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """The text of an element, or "" while there is none."""
        return self.js("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def texts(self, selector: str) -> list[str]:
        return self.js("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector)

    def click(self, selector: str) -> None:
        def clicked() -> bool:
            self.one(selector).click()
            return True

        self.until(clicked)

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def state(self) -> dict[str, str]:
        """The parameters of the address."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.driver.current_url).query).items()}

    def passing(self) -> int | None:
        """How many records pass, as the page says exactly; None while it does not."""
        words = self.text("#passing").replace(",", "").replace("all ", "").split()
        return int(words[0]) if words and words[0].isdigit() else None

    def ordinals(self) -> list[int]:
        """The records of the grid."""
        return [int(text.split()[0].lstrip("#").replace(",", "")) for text in self.texts("#records a.record")]

    def pixels(self, selector: str) -> list[int]:
        """The RGB values of an image, as it was decoded, or of a canvas."""
        script = """
            const element = document.querySelector(arguments[0]);
            if (!element || (element.tagName === "IMG" && !(element.complete && element.naturalWidth))) return null;
            const canvas = document.createElement("canvas");
            canvas.width = element.naturalWidth ?? element.width;
            canvas.height = element.naturalHeight ?? element.height;
            const context = canvas.getContext("2d");
            context.drawImage(element, 0, 0);
            const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
            return Array.from(data).filter((_, place) => place % 4 !== 3);
        """
        return self.until(lambda: self.js(script, selector), f"pixels of {selector}")

    def column(self, name: str) -> str:
        """The selector of the card of a column, which is brought into sight."""
        selector = f'#columns [data-column="{name}"]'
        self.js("document.querySelector(arguments[0]).scrollIntoView({ block: 'nearest' })", selector)
        return selector

    @contextlib.contextmanager
    def dark(self) -> Iterator[None]:
        """A browser whose system is dark."""
        for features in ([{"name": "prefers-color-scheme", "value": "dark"}], []):
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            if features:
                yield


def _quoted(value: Any) -> str:
    from urllib.parse import quote

    return quote(value if isinstance(value, str) else json.dumps(value), safe="")


__all__ = ["ActionChains", "By", "PageTest", "WebDriverException", "ofindex"]
