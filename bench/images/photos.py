"""Images that cost as much to decode as photos, as JPEG files, a TFRecord shard with an index, and tar files."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
import ofindex
from PIL import Image

#: Cells across an image, and their contrast: noise of several scales has detail everywhere, as photos have.
SCALES = ((4, 60), (16, 30), (64, 18), (250, 20))
QUALITY = 95
TARS = 2


def photo(random: np.random.Generator) -> bytes:
    """A JPEG image of 500 by 375 pixels, upright in three of ten cases: 110 KB."""
    width, height = (500, 375) if random.random() < 0.7 else (375, 500)
    pixels = np.full((height, width, 3), 128, np.float32)
    for cells, contrast in SCALES:
        shape = (max(2, cells * height // 500), max(2, cells * width // 500), 3)
        noise = Image.fromarray(random.integers(0, 256, shape, np.uint8)).resize(
            (width, height), Image.Resampling.BICUBIC
        )
        pixels += (np.asarray(noise, np.float32) - 128) * (contrast / 64)
    file = io.BytesIO()
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def make(folder: Path, images: int) -> None:
    """Make the images in `folder`, in every form that a tool reads."""
    random = np.random.default_rng(1)
    files = folder / "files" / "photos"
    files.mkdir(parents=True)
    tars = [tarfile.open(folder / f"{number}.tar", "w") for number in range(TARS)]
    with ofindex.Writer(folder / "photos.tfrecord") as out:
        for number in range(images):
            data = photo(random)
            (files / f"{number:06}.jpg").write_bytes(data)
            out.write({"image": data, "label": number})
            for suffix, content in (("jpg", data), ("cls", str(number).encode())):
                member = tarfile.TarInfo(f"{number:06}.{suffix}")
                member.size = len(content)
                tars[number % TARS].addfile(member, io.BytesIO(content))
    for tar in tars:
        tar.close()
    ofindex.build(folder / "photos.tfrecord", progress=False)
