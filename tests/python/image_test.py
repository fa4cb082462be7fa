"""Images: `ofindex.image` against Pillow, in batches, Loaders and errors."""

from __future__ import annotations

import dataclasses
import io
import os
import pickle
import resource
import struct
import unittest
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
import ofindex
from PIL import Image, ImageOps, PngImagePlugin
from python.work import WorkTest

Pixels = npt.NDArray[np.uint8]

#: The mean and the largest difference from Pillow that another order of color conversion, chroma interpolation and
#: scaling makes.
MEAN, MOST = 1.5, 30


def picture(width: int, height: int, seed: int) -> Image.Image:
    """A picture with smooth areas and edges, as photos have."""
    random = np.random.default_rng(seed)
    small = Image.fromarray(random.integers(0, 256, (6, 8, 3), np.uint8))
    picture = small.resize((width, height), Image.Resampling.BICUBIC)
    picture.paste((200, 30, 60), (width // 4, height // 4, width // 2, height // 2))
    return picture


def with_alpha(image: Image.Image) -> Image.Image:
    image = image.copy()
    image.putalpha(Image.linear_gradient("L").resize(image.size))
    return image


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def interlaced(image: Image.Image) -> bytes:
    """A PNG with Adam7 interlacing, which Pillow reads but does not write."""
    pixels = np.asarray(image.convert("RGB"))
    passes = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
    rows = b"".join(
        b"".join(b"\0" + row.tobytes() for row in pixels[top::down, left::across] if row.size)
        for top, left, down, across in passes
    )
    header = struct.pack(">IIBBBBB", image.width, image.height, 8, 2, 0, 0, 1)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*chunk) for chunk in chunks)


def turned(image: Image.Image) -> bytes:
    """A JPEG whose EXIF data ask viewers to turn it. Decoders do not."""
    exif = Image.Exif()
    exif[0x0112] = 6  # Orientation
    return encoded(image, "JPEG", quality=90, exif=exif)


def random_bytes(count: int) -> bytes:
    return np.random.default_rng(7).bytes(count)


def peak_memory() -> int:
    """The most bytes of memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def of_pillow(data: bytes, mode: str, size: tuple[int, int], fit: str) -> Pixels:
    """What Pillow makes of an image, as (height, width, channels)."""
    image = Image.open(io.BytesIO(data)).convert("L" if mode == "gray" else "RGB")
    height, width = size
    if fit == "crop":
        image = ImageOps.fit(image, (width, height), Image.Resampling.BILINEAR)
    elif fit == "pad":
        image = ImageOps.pad(image, (width, height), Image.Resampling.BILINEAR)
    else:
        image = image.resize((width, height), Image.Resampling.BILINEAR)
    pixels: Pixels = np.asarray(image)
    return pixels.reshape(height, width, -1)


IMAGES = {
    "jpeg 4:2:0": lambda: encoded(picture(500, 375, 1), "JPEG", quality=90),
    "jpeg 4:4:4": lambda: encoded(picture(500, 375, 1), "JPEG", quality=90, subsampling=0),
    "jpeg 4:2:2": lambda: encoded(picture(333, 501, 2), "JPEG", quality=90, subsampling=1),
    "jpeg progressive": lambda: encoded(picture(640, 480, 3), "JPEG", quality=90, progressive=True),
    "jpeg gray": lambda: encoded(picture(400, 300, 4).convert("L"), "JPEG", quality=90),
    "jpeg cmyk": lambda: encoded(picture(300, 300, 5).convert("CMYK"), "JPEG", quality=90),
    "jpeg large": lambda: encoded(picture(1900, 1300, 6), "JPEG", quality=90),
    "jpeg restarts": lambda: encoded(picture(300, 200, 6), "JPEG", quality=90, restart_marker_rows=1),
    "jpeg turned": lambda: turned(picture(300, 200, 6)),
    "jpeg 1 by 1": lambda: encoded(picture(4, 4, 6).crop((1, 1, 2, 2)), "JPEG", quality=90),
    "jpeg small": lambda: encoded(picture(33, 21, 7), "JPEG", quality=90),
    "png": lambda: encoded(picture(300, 200, 8), "PNG"),
    "png interlaced": lambda: interlaced(picture(301, 203, 8)),
    "png interlaced 3 by 2": lambda: interlaced(picture(8, 8, 8).crop((0, 0, 3, 2))),
    "png alpha": lambda: encoded(with_alpha(picture(300, 200, 8)), "PNG"),
    "png transparent color": lambda: encoded(picture(300, 200, 8), "PNG", transparency=(200, 30, 60)),
    "png gray alpha": lambda: encoded(with_alpha(picture(300, 200, 8)).convert("LA"), "PNG"),
    "png gray": lambda: encoded(picture(300, 200, 8).convert("L"), "PNG"),
    "png palette": lambda: encoded(picture(300, 200, 9).quantize(64), "PNG"),
    "png bits": lambda: encoded(picture(300, 200, 9).convert("1", dither=Image.Dither.NONE), "PNG"),
}


class ImageTest(WorkTest):
    def written(self, images: list[bytes]) -> ofindex.Dataset:
        path = self.dir / f"{len(os.listdir(self.dir))}.tfrecord"
        with ofindex.Writer(path) as out:
            for number, image in enumerate(images):
                out.write({"image": image, "number": number})
        return ofindex.build(path)

    def test_pixels_are_those_of_pillow(self) -> None:
        data = {name: make() for name, make in IMAGES.items()}
        ds = self.written(list(data.values()))
        for mode in ("rgb", "gray"):
            for fit in ("stretch", "crop", "pad"):
                for size in ((224, 224), (64, 160)):
                    feature = ofindex.image(mode, size, fit=fit)  # type: ignore[arg-type]
                    pixels = ds.batch(range(len(ds)), {"image": feature})["image"]
                    assert isinstance(pixels, np.ndarray)
                    self.assertEqual(pixels.dtype, np.uint8)
                    for (name, encoded), ours in zip(data.items(), pixels, strict=True):
                        with self.subTest(image=name, mode=mode, fit=fit, size=size):
                            theirs = of_pillow(encoded, mode, size, fit)
                            self.assertEqual(ours.shape, theirs.shape)
                            difference = np.abs(ours.astype(int) - theirs.astype(int))
                            self.assertLess(difference.mean(), MEAN)
                            self.assertLess(np.percentile(difference, 99.5), MOST)

    def test_layouts_are_transposed_and_loaders_give_what_batches_give(self) -> None:
        ds = self.written([make() for make in IMAGES.values()])
        rows = ds.batch(range(len(ds)), {"image": ofindex.image(size=48)})["image"]
        planes = ds.batch(range(len(ds)), {"image": ofindex.image(size=(48, 48), layout="chw")})["image"]
        np.testing.assert_array_equal(planes, np.moveaxis(np.asarray(rows), 3, 1))
        features = {"image": ofindex.image(size=48), "number": ofindex.fixed("int64")}
        for threads in (1, 2):
            for batch in ofindex.Loader(ds, features, batch_size=5, seed=3, threads=threads):
                np.testing.assert_array_equal(batch["image"], np.asarray(rows)[batch["number"]])
        decoded = ofindex.decode(ds.__getitems__([2, 1]), features)
        np.testing.assert_array_equal(decoded["image"], np.asarray(rows)[[2, 1]])

    def test_a_feature_is_compared_and_pickled_with_its_options(self) -> None:
        feature = ofindex.image("gray", (10, 20), fit="pad", layout="chw")
        self.assertEqual(feature.shape, (1, 10, 20))
        self.assertEqual(pickle.loads(pickle.dumps(feature)), feature)
        self.assertNotEqual(feature, ofindex.image("gray", (10, 20), fit="crop", layout="chw"))

    def test_wrong_arguments_are_refused(self) -> None:
        for arguments, said in (
            ({"mode": "bgr"}, "mode='bgr': expected 'rgb' or 'gray'"),
            ({"size": (0, 5)}, "expected (height, width), each from 1 to 16384"),
            ({"size": (5, 5, 3)}, "expected (height, width), each from 1 to 16384"),
            ({"size": 20000}, "expected (height, width), each from 1 to 16384"),
            ({"fit": "cover"}, "fit='cover': expected 'stretch' or 'crop' or 'pad'"),
            ({"layout": "nchw"}, "layout='nchw': expected 'hwc' or 'chw'"),
        ):
            with self.subTest(arguments), self.assertRaises(ValueError) as raised:
                ofindex.image(**arguments)  # type: ignore[arg-type]
            self.assertIn(said, str(raised.exception))

    def test_an_image_that_cannot_be_decoded_is_named(self) -> None:
        good = encoded(picture(60, 40, 1), "JPEG")
        for bad, said in (
            (b"plain text", "feature 'image': bytes that begin with 'plain te'; expected a JPEG or PNG image"),
            (good[: len(good) // 2], "record 1: feature 'image': a JPEG image"),
            (encoded(picture(9, 9, 1), "GIF"), "record 1: feature 'image': a GIF image; expected a JPEG or PNG image"),
            (b"", "record 1: feature 'image': no bytes; expected a JPEG or PNG image"),
        ):
            with self.subTest(said):
                ds = self.written([good, bad, good])
                with self.assertRaises(ofindex.FeatureError) as raised:
                    list(ofindex.Loader(ds, {"image": ofindex.image(size=8)}, batch_size=3))
                self.assertIn(said, str(raised.exception))

    def refused(self, images: list[bytes]) -> list[bool]:
        """Whether ofindex refuses each image, after one that it reads: nothing of that is left. It refuses all that
        Pillow refuses."""
        ds = self.written([encoded(picture(160, 120, 1), "JPEG"), *images])
        outcomes = []
        for number, image in enumerate(images, 1):
            try:
                self.assertEqual(ds.batch([0, number], {"image": ofindex.image(size=8)})["image"].shape, (2, 8, 8, 3))
                Image.open(io.BytesIO(image)).load()
                outcomes.append(False)
            except ofindex.FeatureError as error:
                self.assertRegex(str(error), f"record {number}: feature 'image': (a JPEG|a PNG|bytes that begin) .*")
                outcomes.append(True)
        return outcomes

    def test_damaged_jpeg_images_are_refused_if_pillow_refuses_them(self) -> None:
        """Both refuse an image that ends early. Neither looks for wrong pixels: codes have no checksum."""
        good = encoded(picture(160, 120, 1), "JPEG", quality=90)
        scans = encoded(picture(160, 120, 1), "JPEG", quality=90, progressive=True)
        end = b"\xff\xd9"
        middle = len(good) // 2
        table = (
            ("whole", good, False),
            ("without its end", good[:-2], True),
            ("half", good[:middle], True),
            ("half, ended", good[:middle] + end, False),
            ("half of the scans", scans[: len(scans) // 2], True),
            ("half of the scans, ended", scans[: len(scans) // 2] + end, False),
            ("zeros within", good[:middle] + bytes(40) + good[middle + 40 :], False),
            ("bytes after its end", good + b"thumbnail", False),
            ("no tables", good.replace(b"\xff\xdb", b"\xff\xe5"), True),
            ("twelve bits", good.replace(b"\xff\xc0\x00\x11\x08", b"\xff\xc0\x00\x11\x0c"), True),
        )
        refused = self.refused([data for _, data, _ in table])
        self.assertEqual(refused, [is_refused for _, _, is_refused in table])
        for _, data, is_refused in table:
            if is_refused:
                with self.assertRaises((OSError, SyntaxError)):
                    Image.open(io.BytesIO(data)).load()

    def test_a_changed_byte_of_a_png_image_is_refused_where_pillow_notices_it(self) -> None:
        good = encoded(picture(40, 30, 1), "PNG")
        changed = [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in range(len(good))]
        refused = self.refused(changed)
        self.assertGreater(sum(refused), 0.9 * len(refused))

    def test_a_few_bytes_do_not_take_gigabytes(self) -> None:
        text = zlib.compress(bytes(15 << 20), 9)  # of zeros, in 15 KB
        chunk = png_chunk(b"zTXt", b"Comment\0\0" + text)
        small = encoded(picture(9, 9, 1), "PNG")
        jpeg = encoded(picture(60, 40, 1), "JPEG")
        frame = jpeg.index(b"\xff\xc0") + 5
        profile = PngImagePlugin.PngInfo()
        profile.add(b"iCCP", b"large\0\0" + zlib.compress(random_bytes(3 << 20)))
        good = encoded(picture(9, 9, 1), "PNG", pnginfo=profile)
        header = good[:8] + png_chunk(b"IHDR", struct.pack(">IIBBBBB", 2400, 2400, 8, 2, 0, 0, 0))
        rows = b"".join(b"\0" + random_bytes(7200) for _ in range(2400))
        one_chunk = header + png_chunk(b"IDAT", zlib.compress(rows, 0)) + png_chunk(b"IEND", b"")
        for data, said in (
            (small[:33] + chunk * 200 + small[33:], "a PNG image that cannot be decoded: "),
            (encoded(Image.new("L", (70000, 1)), "PNG"), "a side of more than 65535 pixels"),
            (jpeg[:frame] + struct.pack(">HH", 16000, 16000) + jpeg[frame + 4 :], "fewer bytes than its pixels take"),
            (good, None),  # an ordinary profile
            (one_chunk, None),
        ):
            ds = self.written([data])
            features = {"image": ofindex.image(size=8)}
            with self.subTest(said):
                if said is None:
                    self.assertEqual(ds.batch([0], features)["image"].shape, (1, 8, 8, 3))
                    continue
                before = peak_memory()
                with self.assertRaisesRegex(ofindex.FeatureError, said):
                    ds.batch([0], features)
                self.assertLess(peak_memory() - before, 200 << 20)

    def test_a_shape_that_is_not_that_of_the_image_is_refused(self) -> None:
        ds = self.written([encoded(picture(9, 9, 1), "PNG")])
        feature = dataclasses.replace(ofindex.image(size=224), shape=(1,))
        with self.assertRaisesRegex(ValueError, "1 values of uint8; expected the 150528 bytes that the decoder makes"):
            ds.batch([0], {"image": feature})

    def test_numbers_and_several_images_are_refused(self) -> None:
        payloads = [encoded(picture(9, 9, 1), "PNG")] * 2
        with ofindex.Writer(self.dir / "two.tfrecord") as out:
            out.write({"image": payloads, "number": 5})
        ds = ofindex.build(self.dir / "two.tfrecord")
        for name, said in (("image", "2 byte strings; expected 1"), ("number", "expected bytes")):
            with self.assertRaisesRegex(ofindex.FeatureError, said):
                ds.batch([0], {name: ofindex.image(size=8)})


if __name__ == "__main__":
    unittest.main()
