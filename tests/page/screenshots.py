#!/usr/bin/env python3
"""Makes the pictures of docs/serve.md in docs/images/: each view at 1280 and 1920 pixels.

    screenshots.py DIGITS PENGUINS OUT

DIGITS is the index of the handwritten digits of tools/quickstart, PENGUINS that of the penguins of the fixtures; boxes,
steps and damage come from scenes.py. Needs Pillow besides what run.py needs.
"""

from __future__ import annotations

import io
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page import scenes
from page.browser import PageTest, ofindex
from PIL import Image

WIDTHS = (1280, 1920)
HEIGHT = {1280: 720, 1920: 1080}
COLOURS = 128


class Screenshots(PageTest):
    digits = penguins = out = Path()

    @classmethod
    def make_data(cls) -> None:
        cls.scenes = cls.dir / "scenes.tfrecord"
        scenes.write_scenes(cls.scenes, 240)
        cls.episodes = cls.dir / "episodes.tfrecord"
        scenes.write_steps(cls.episodes, 12)
        for data in (cls.scenes, cls.episodes):
            ofindex("build", data)
        cls.damaged = cls.dir / "train"
        scenes.write_damaged(cls.damaged)
        ofindex("build", cls.damaged, damaged=True)

    def runTest(self) -> None:
        digits, penguins = self.serve(self.digits), self.serve(self.penguins)
        scene, episodes = self.serve(self.scenes), self.serve(self.episodes)
        sql = "SELECT species, count(*) AS penguins, avg(body_mass_g) AS mass FROM records GROUP BY species"
        self.shoot("explore", scene, **{"range.brightness": [0.3, 0.6]})
        self.shoot("digits", digits, **{"values.label": [3, 8]})
        self.shoot("table", penguins, **{"range.body_mass_g": [0.2, 0.5]})
        self.shoot("record", scene, record=5)
        self.shoot("steps", episodes, record=3, step=2)
        self.shoot("sql", penguins, view="sql", sql=sql)
        self.shoot("shuffle", digits, view="shuffle", quality="label")
        self.shoot("shards", self.serve(self.damaged), view="shards")
        with self.dark():
            self.shoot("dark", scene, where="tone > 300")

    def shoot(self, name: str, url: str, **state: object) -> None:
        for width in WIDTHS:
            self.resize(width, HEIGHT[width])
            self.open(url, **state)
            time.sleep(1.5)  # pictures and their transitions
            picture = Image.open(io.BytesIO(self.driver.get_screenshot_as_png())).convert("RGB")
            path = self.out / f"serve-{name}-{width}.png"
            picture.quantize(COLOURS).save(path, optimize=True)
            print(f"{path.name}: {path.stat().st_size:,} bytes")


def main(digits: str, penguins: str, out: str) -> None:
    Screenshots.digits, Screenshots.penguins, Screenshots.out = (
        Path(digits).resolve(),
        Path(penguins).resolve(),
        Path(out),
    )
    Path(out).mkdir(parents=True, exist_ok=True)
    result = unittest.TextTestRunner().run(unittest.TestSuite([Screenshots()]))
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: screenshots.py DIGITS PENGUINS OUT")
    main(*sys.argv[1:])
