"""Derived columns: image headers against Pillow, for whole images and for each beginning of one; hashes and lengths."""

from __future__ import annotations

import io
import os
import random
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
import ofindex
import pyarrow as pa
from PIL import Image, ImageDraw, features
from python.image_test import encoded, interlaced, picture
from python.work import WorkTest

#: How many images are changed at random.
CHANGED = int(os.environ.get("OFINDEX_CHANGED_IMAGES", "400"))

#: Channels of the modes in which Pillow opens images. A palette has the three of its colors.
CHANNELS = {
    "1": 1, "L": 1, "I": 1, "F": 1, "I;16": 1, "I;16B": 1, "LA": 2, "P": 3, "RGB": 3, "YCbCr": 3, "LAB": 3,
    "RGBA": 4, "CMYK": 4,
}  # fmt: skip

FORMATS = {"JPEG": "jpeg", "MPO": "jpeg", "PNG": "png", "GIF": "gif", "WEBP": "webp", "BMP": "bmp", "TIFF": "tiff"}

Facts = dict[str, Any]

COLUMNS = ("width", "height", "channels", "format")


def colors(width: int, height: int, mode: str) -> Image.Image:
    """A picture in `mode`, with pixels that are transparent if it has alpha."""
    image = picture(width, height, width)
    if mode in ("LA", "RGBA"):
        image.putalpha(Image.linear_gradient("L").resize(image.size))
    return image.convert("L").convert(mode) if mode in ("I", "F", "I;16") else image.convert(mode)


def with_exif(**options: Any) -> bytes:
    """A JPEG with an orientation that turns it, and a thumbnail, which is a JPEG, in its EXIF data."""
    thumbnail = encoded(picture(160, 120, 3), "JPEG")
    exif = Image.Exif()
    exif[0x0112] = 6
    header = exif.tobytes() + thumbnail
    return encoded(picture(320, 200, 4), "JPEG", exif=header[:65000], **options)


def frames(kind: str, **options: Any) -> bytes:
    several = []
    for number in range(3):
        frame = Image.new("RGB", (40, 30), (number * 80, 50, 50))
        ImageDraw.Draw(frame).rectangle((number, number, 20, 20), fill=(0, 255, number))
        several.append(frame)
    return encoded(several[0], kind, save_all=True, append_images=several[1:], **options)


def samples() -> dict[str, bytes]:
    """An image of each kind that Pillow writes, by its name."""
    made: dict[str, Callable[[], bytes]] = {}
    size = 30
    for kind, modes in {
        "JPEG": ("L", "RGB", "CMYK"),
        "PNG": ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"),
        "GIF": ("L", "P", "RGB", "RGBA"),
        "WEBP": ("RGB", "RGBA"),
        "BMP": ("1", "L", "P", "RGB", "RGBA"),
        "TIFF": ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "I;16", "F"),
    }.items():
        for mode in modes:
            size += 1
            made[f"{kind} {mode}"] = lambda kind=kind, mode=mode, size=size: encoded(colors(size, 20, mode), kind)
    made |= {
        "progressive JPEG": lambda: encoded(picture(50, 40, 1), "JPEG", progressive=True),
        "JPEG with EXIF": with_exif,
        "JPEG with a profile": lambda: encoded(picture(50, 40, 2), "JPEG", icc_profile=b"p" * 150_000),
        "JPEG with restarts": lambda: encoded(picture(64, 64, 2), "JPEG", restart_marker_rows=1),
        "JPEG of one pixel": lambda: encoded(picture(1, 1, 2), "JPEG"),
        "large JPEG": lambda: encoded(Image.new("L", (65500, 1)), "JPEG"),
        "interlaced PNG": lambda: interlaced(picture(50, 40, 3)),
        "PNG with a transparent color": lambda: encoded(colors(20, 10, "P"), "PNG", transparency=0),
        "animated GIF": lambda: frames("GIF"),
        "interlaced GIF": lambda: encoded(colors(20, 10, "P"), "GIF", interlace=1),
        "animated WebP": lambda: frames("WEBP"),
        "lossless WebP": lambda: encoded(colors(50, 40, "RGB"), "WEBP", lossless=True),
        "lossless WebP with alpha": lambda: encoded(colors(50, 40, "RGBA"), "WEBP", lossless=True),
        "WebP with EXIF": lambda: encoded(colors(50, 40, "RGB"), "WEBP", exif=Image.Exif().tobytes() + b"more"),
        "TIFF of several pages": lambda: frames("TIFF"),
        "BigTIFF": lambda: encoded(colors(50, 40, "RGB"), "TIFF", big_tiff=True),
        "compressed TIFF": lambda: encoded(colors(50, 40, "L"), "TIFF", compression="tiff_lzw"),
        "tall TIFF": lambda: encoded(Image.new("1", (1, 70_000)), "TIFF", compression="group4"),
    }
    return {name: make() for name, make in made.items()}


def by_pillow(image: bytes) -> Facts:
    with Image.open(io.BytesIO(image)) as opened:
        kind = FORMATS[opened.format or ""]
        palette = kind == "gif" or (kind == "bmp" and opened.mode in ("1", "L"))
        channels = 3 if palette else CHANNELS[opened.mode]
        return {"width": opened.width, "height": opened.height, "channels": channels, "format": kind}


class DeriveTest(WorkTest):
    def derived(self, images: list[bytes], **options: Any) -> list[Facts]:
        """What a build finds in the headers of `images`."""
        path = self.dir / "images.tfrecord"
        with ofindex.Writer(path, force=True) as writer:
            for image in images:
                writer.write({"image": image})
        ds = ofindex.build(path, derive="image:image", force=True, progress=False, **options)
        rows = ds.sql(
            'SELECT "image#width", "image#height", "image#channels", "image#format" FROM records ORDER BY _id'
        )
        self.assertEqual(len(ds), len(images))
        return [dict(zip(COLUMNS, row, strict=True)) for row in rows]

    def test_every_kind_of_image_has_the_size_and_the_channels_that_pillow_finds(self) -> None:
        self.assertTrue(features.check("webp"))
        images = samples()
        found = self.derived(list(images.values()))
        for (name, image), facts in zip(images.items(), found, strict=True):
            self.assertEqual(facts, by_pillow(image), name)
        self.assertEqual({facts["format"] for facts in found}, set(FORMATS.values()))

    def test_each_beginning_of_an_image_has_what_the_whole_has_or_null(self) -> None:
        for name, image in samples().items():
            sizes = [*range(min(len(image), 700)), *range(700, len(image), 1 + len(image) // 300), len(image)]
            found = self.derived([image[:size] for size in sizes])
            whole = found[-1]
            known = [sum(value is not None for value in facts.values()) for facts in found]
            self.assertEqual(known, sorted(known), name)
            self.assertEqual((known[0], known[-1]), (0, 4), name)
            for facts in found:
                self.assertLessEqual(
                    {key: value for key, value in facts.items() if value is not None}.items(), whole.items()
                )

    def test_changed_images_never_fail_a_build(self) -> None:
        chance = random.Random(7)
        images = [image for image in samples().values() if len(image) < 20_000]
        changed = []
        for _ in range(CHANGED):
            image = bytearray(chance.choice(images))
            for _ in range(chance.randrange(1, 6)):
                image[chance.randrange(min(len(image), 200))] = chance.randrange(256)
            changed.append(bytes(image))
        for facts in self.derived(changed):
            for name in ("width", "height", "channels"):
                self.assertTrue(facts[name] is None or facts[name] > 0, facts)

    def test_derived_columns_are_columns_like_all_others(self) -> None:
        images = [encoded(picture(40 + number % 3, 30, number), "PNG") for number in range(50)]
        images[7] = images[7][:18]
        path = self.dir / "all.tfrecord"
        with ofindex.Writer(path) as writer:
            for number, image in enumerate([*images, images[3]]):
                writer.write({"image": image, "label": number % 5})
        ds = ofindex.build(path, derive=["image:image", "image:hash", "image:length"], progress=False)
        self.assertEqual(ds.where('"image#width" IS NULL').column("label").tolist(), [2])
        self.assertEqual(ds.column("image#length").tolist(), [len(image) for image in [*images, images[3]]])
        self.assertEqual(list(ds.column("image#format")), ["png"] * 51)
        twins = ds.sql('SELECT count(*) FROM records GROUP BY "image#hash" HAVING count(*) > 1')
        self.assertEqual(list(twins), [(2,)])
        hashes = ds.column("image#hash")
        self.assertEqual((hashes.dtype, hashes[3]), (np.dtype("int64"), hashes[50]))
        stats = ds.stats("image#width")
        self.assertEqual((stats["type"], stats["nulls"], stats["min"], stats["max"]), ("INTEGER", 1, 40, 42))
        self.assertEqual(ds.stats("image#format")["type"], "TEXT")
        feature = ds.schema["image"]
        self.assertEqual(
            feature["derived"][0], {"column": "image#width", "what": "width of the image", "type": "INTEGER"}
        )
        self.assertEqual(feature["columns"][1:], [column["column"] for column in feature["derived"]])
        frame = ds.to_pandas()
        self.assertEqual(frame["image#height"].dropna().unique().tolist(), [30])
        table = ds.arrow(["image#width", "image#format"])
        self.assertEqual(pa.table(table).column("image#format").null_count, 0)
        self.assertEqual(pa.table(table).column("image#width").null_count, 1)

    def test_a_name_without_bytes_is_an_error_that_leaves_the_index_as_it_is(self) -> None:
        path = self.dir / "one.tfrecord"
        with ofindex.Writer(path) as writer:
            writer.write({"image": b"GIF89a", "label": 1})
        ds = ofindex.build(path, derive="image:length", progress=False)
        for derive, message in (
            ("label:hash", "no record has bytes in 'label', whose values are int64"),
            ("imag:hash", "no record has bytes in 'imag' .did you mean 'image'"),
            ("image:size", "'image:size'; expected NAME:image, NAME:hash or NAME:length"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                ofindex.build(path, derive=derive, progress=False)
        self.assertEqual(ofindex.open(path).column("image#length").tolist(), [6])
        kept = ofindex.build(path, progress=False)
        self.assertEqual(kept.info["id"], ds.info["id"])
        self.assertEqual(kept.column("image#length").tolist(), [6])
        optional = ofindex.build(path, derive=["label:hash"], columns_optional=True, progress=False)
        self.assertEqual(optional.schema["label"]["columns"], ["label"])


if __name__ == "__main__":
    unittest.main()
