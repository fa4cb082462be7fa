"""How many distorted copies of photographs an audit for near-duplicates finds, and how many pairs it finds in error,
next to imagehash and pdqhash.

    python bench/near.py [--rivals PYTHON] [--photos N] [--folder FOLDER] PHOTOS

Needs the package, numpy and Pillow; PHOTOS is a folder of JPEG or PNG files of different scenes, PYTHON an interpreter
that has imagehash and pdqhash. Photographs are first reduced to at most 640 pixels a side. The copies stay in FOLDER
for the next run; by default they are removed. Each audit decodes its images again: 700 photographs take some quarter of
an hour on two processors, and 1.1 GB.

Recall is the share of the copies that are in the group of their original; precision, the share of the pairs of images
in one group that are of one photograph. Hashes of the rivals are compared pair by pair, without groups.

The kinds of copies, saved as JPEG of quality 90 where nothing else is said:

- jpeg N: saved as JPEG of quality N. png: saved as PNG. resize N: to N % of width and height.
- crop N: N % of the width is cut off left and right, N % of the height above and below. crop left 5: 5 % off the left.
- brightness, contrast N: the factor of Pillow's ImageEnhance. gamma N: the exponent. gray: without colors.
- blur 2: Gaussian, a radius of 2 pixels. noise 10: normal noise, sigma 10. text: a white line over the lower part.
- border 5: a black border of 5 % of the width, on all sides. mirror: left and right exchanged. rotate 90: a quarter
  turn. No hash here is meant to find mirrored and turned copies; they are measured, and are in no total.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import io
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator

import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageOps

with contextlib.suppress(ImportError):  # in the interpreter that has the rivals
    import ofindex

LONGEST = 640
DISTANCES = (0, 8, 16, 20, 24, 28, 31)
ORIGINAL = "original"
NOT_MEANT = ("mirror", "rotate 90")
RECALL = "mean, but mirror and rotate 90"
PRECISION = "precision of pairs"

Distort = Callable[[Image.Image], Image.Image]


def resized(percent: int) -> Distort:
    return lambda image: image.resize([max(1, side * percent // 100) for side in image.size], Image.Resampling.LANCZOS)


def cropped(left: float, top: float, right: float, bottom: float) -> Distort:
    """Cut off these shares of the width and of the height."""

    def crop(image: Image.Image) -> Image.Image:
        width, height = image.size
        kept = (round(left * width), round(top * height), round((1 - right) * width), round((1 - bottom) * height))
        return image.crop(kept)

    return crop


def enhanced(enhance: type[ImageEnhance.Brightness] | type[ImageEnhance.Contrast], factor: float) -> Distort:
    return lambda image: enhance(image).enhance(factor)


def with_gamma(exponent: float) -> Distort:
    curve = [round(255 * (value / 255) ** exponent) for value in range(256)]
    return lambda image: image.point(curve * 3)


def with_noise(image: Image.Image) -> Image.Image:
    pixels = np.asarray(image, np.float32)
    noise = np.random.default_rng(image.size).normal(0, 10, pixels.shape)
    return Image.fromarray(np.clip(np.rint(pixels + noise), 0, 255).astype(np.uint8))


def with_text(image: Image.Image) -> Image.Image:
    """Write a line over the lower part, one twelfth of the height: the size of a caption or of a watermark."""
    width, height = image.size
    scale = max(1, height // 12)
    line = Image.new("L", (6 * len("stock photo 2024"), 11))
    ImageDraw.Draw(line).text((0, 0), "stock photo 2024", fill=255)
    line = line.resize((min(line.width * scale // line.height, width), scale))
    copy = image.copy()
    copy.paste((255, 255, 255), ((width - line.width) // 2, height * 4 // 5), line)
    return copy


DISTORT: dict[str, Distort] = {
    **{f"resize {percent}": resized(percent) for percent in (75, 50, 25, 200)},
    **{f"crop {percent}": cropped(*[percent / 100] * 4) for percent in (2, 5, 10)},
    "crop left 5": cropped(0.05, 0, 0, 0),
    **{f"brightness {factor}": enhanced(ImageEnhance.Brightness, factor) for factor in (1.2, 0.8)},
    **{f"contrast {factor}": enhanced(ImageEnhance.Contrast, factor) for factor in (1.25, 0.75)},
    **{f"gamma {exponent}": with_gamma(exponent) for exponent in (0.7, 1.4)},
    "gray": ImageOps.grayscale,
    "blur 2": lambda image: image.filter(ImageFilter.GaussianBlur(2)),
    "noise 10": with_noise,
    "text": with_text,
    "border 5": lambda image: ImageOps.expand(image, round(image.width * 0.05)),
    "mirror": ImageOps.mirror,
    "rotate 90": lambda image: image.transpose(Image.Transpose.ROTATE_90),
}
QUALITIES = {f"jpeg {quality}": quality for quality in (75, 50, 30, 10)}
KINDS = (ORIGINAL, *QUALITIES, "png", *DISTORT)
MEANT = tuple(kind for kind in KINDS[1:] if kind not in NOT_MEANT)


def saved(image: Image.Image, format: str, quality: int = 90) -> bytes:
    file = io.BytesIO()
    image.save(file, format, quality=quality)
    return file.getvalue()


def copy_of(image: Image.Image, kind: str) -> bytes:
    if kind == "png":
        return saved(image, "PNG")
    if kind in DISTORT:
        return saved(DISTORT[kind](image), "JPEG")
    return saved(image, "JPEG", QUALITIES.get(kind, 90))


def make_copies(photo: pathlib.Path, folder: pathlib.Path, number: int) -> None:
    """Write the original and its copies, each in the folder of its kind; copies are made of the original as saved."""
    image = Image.open(photo).convert("RGB")
    image.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS)
    original = copy_of(image, ORIGINAL)
    image = Image.open(io.BytesIO(original))
    for kind in KINDS:
        (folder / kind / f"{number:05}").write_bytes(original if kind == ORIGINAL else copy_of(image, kind))


def make_all(photos: list[pathlib.Path], folder: pathlib.Path) -> None:
    for kind in KINDS:
        (folder / kind).mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        tasks = [pool.submit(make_copies, photo, folder, number) for number, photo in enumerate(photos)]
        for task in tasks:
            task.result()


def files_of(folder: pathlib.Path, kind: str) -> list[pathlib.Path]:
    return sorted((folder / kind).iterdir())


def index_of(folder: pathlib.Path) -> ofindex.Dataset:
    """Write all images into one file, and index it."""
    path = folder / "images.tfrecord"
    with ofindex.Writer(path, force=True) as writer:
        for kind in KINDS:
            for photo, file in enumerate(files_of(folder, kind)):
                writer.write({"image/encoded": file.read_bytes(), "photo": photo, "kind": kind})
    return ofindex.build(path, columns=["photo", "kind"], progress=False, force=True)


def pairs_of(sizes: np.ndarray) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def audited(ds: ofindex.Dataset, distance: int, photos: np.ndarray, kinds: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Audit `ds`, a view perhaps. Return, for each record of its index, whether it is in the group of its original; and
    the numbers of pairs of records that are in one group, and of those of them that are of one photograph."""
    audit = ds.audit(on="image/encoded", near=distance, progress=False)
    group = np.full(len(photos), -1)
    group[audit.ordinals] = audit.groups
    of_original = np.full(photos.max() + 1, -1)
    of_original[photos[kinds == ORIGINAL]] = group[kinds == ORIGINAL]
    recalled = (group >= 0) & (group == of_original[photos])
    _, of_one_photo = np.unique(np.stack([audit.groups, photos[audit.ordinals]]), axis=1, return_counts=True)
    return recalled, pairs_of(np.asarray(audit.counts)), pairs_of(of_one_photo)


def with_totals(recalls: dict[str, float], found: int, right: int) -> dict[str, float]:
    """Add the mean of the recalls, and the precision, of all kinds that are meant to be found."""
    mean = float(np.mean([recalls[kind] for kind in MEANT]))
    return recalls | {RECALL: mean, PRECISION: right / found if found else 1.0}


def show(what: str, columns: dict[str, dict[str, float]]) -> None:
    """Print a table of shares in percent: a row for each kind, a column for each distance."""
    print(f"\n{what:32}" + "".join(f"{name:>8}" for name in columns))
    for row in next(iter(columns.values())):
        print(f"{row:32}" + "".join(f"{100 * column[row]:8.2f}" for column in columns.values()), flush=True)


def audit_all(ds: ofindex.Dataset, photos: np.ndarray, kinds: np.ndarray) -> None:
    """Audit everything at once: groups grow by chains, from copy to copy."""
    meant = ds[np.isin(kinds, (ORIGINAL, *MEANT))]
    columns = {}
    for distance in DISTANCES:
        recalled, found, right = audited(meant, distance, photos, kinds)
        recalls = {kind: float(recalled[kinds == kind].mean()) for kind in MEANT}
        columns[str(distance)] = with_totals(recalls, found, right)
    show("all at once, recall %", columns)


def audit_pairs(ds: ofindex.Dataset, photos: np.ndarray, kinds: np.ndarray) -> None:
    """Audit the originals with the copies of one kind, for each kind: copies hardly help each other."""
    columns = {}
    for distance in DISTANCES:
        recalls, found, right = {}, 0, 0
        for kind in KINDS[1:]:
            recalled, of_kind, right_of_kind = audited(ds[np.isin(kinds, (ORIGINAL, kind))], distance, photos, kinds)
            recalls[kind] = float(recalled[kinds == kind].mean())
            if kind in MEANT:
                found, right = found + of_kind, right + right_of_kind
        columns[str(distance)] = with_totals(recalls, found, right)
    show("kind by kind, recall %", columns)


def show_rate(what: str, images: int, seconds: float) -> None:
    print(f"\n{what}: {images / seconds:,.0f} originals decoded and hashed in a second of processor time", flush=True)


def rate_of_audit(ds: ofindex.Dataset, kinds: np.ndarray) -> None:
    originals = ds[kinds == ORIGINAL]
    begin = time.process_time()
    originals.audit(on="image/encoded", near=True, threads=1, progress=False)
    show_rate("ofindex", len(originals), time.process_time() - begin)


def rivals() -> Iterator[tuple[str, Callable[[Image.Image], np.ndarray], tuple[int, ...]]]:
    """Yield names, functions that hash, and the distances that each one's documentation or use suggests."""
    import imagehash
    import pdqhash

    yield "imagehash.phash", lambda image: imagehash.phash(image).hash.ravel(), (8, 10)
    yield "pdqhash", lambda image: pdqhash.compute(np.asarray(image))[0], (31,)


def distances_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return Hamming distances, of each row of `a` from each of `b`, of bits that are 0 or 1."""
    return np.asarray(np.rint(a.sum(1)[:, None] + b.sum(1)[None] - 2 * (a @ b.T)), int)


def compared(hashes: dict[str, np.ndarray], distance: int) -> dict[str, float]:
    """Compare the hashes of originals and of copies of one kind, for each kind, pair by pair, without groups."""
    originals = hashes[ORIGINAL]
    among_originals = int(np.triu(distances_between(originals, originals) <= distance, 1).sum())
    recalls, found, right = {}, 0, 0
    for kind in KINDS[1:]:
        near = distances_between(originals, hashes[kind]) <= distance
        recalls[kind] = float(near.diagonal().mean())
        if kind in MEANT:
            among_copies = int(np.triu(distances_between(hashes[kind], hashes[kind]) <= distance, 1).sum())
            found += int(near.sum()) + among_originals + among_copies
            right += int(near.diagonal().sum())
    return with_totals(recalls, found, right)


def measure_rivals(folder: pathlib.Path) -> None:
    for name, hash_of, distances in rivals():
        hashes, seconds = {}, {}
        for kind in KINDS:
            begin = time.process_time()
            found = [hash_of(Image.open(file).convert("RGB")) for file in files_of(folder, kind)]
            seconds[kind] = time.process_time() - begin
            hashes[kind] = np.array(found, np.float32)
        show(f"{name}, recall %", {str(distance): compared(hashes, distance) for distance in distances})
        show_rate(name, len(hashes[ORIGINAL]), seconds[ORIGINAL])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("photos", type=pathlib.Path)
    parser.add_argument("--photos", dest="count", type=int, help="no more of them than this")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--rivals", metavar="PYTHON")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        measure_rivals(arguments.photos)
        return
    files = sorted(file for file in arguments.photos.iterdir() if file.suffix.lower() in (".jpg", ".jpeg", ".png"))
    files = files[: arguments.count]
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or pathlib.Path(temporary)
        if not (folder / KINDS[-1]).exists() or len(files_of(folder, KINDS[-1])) != len(files):
            make_all(files, folder)
        ds = index_of(folder)
        photos, kinds = np.asarray(ds.column("photo")), np.asarray(ds.column("kind")).astype(str)
        print(f"{len(files):,} photographs, {len(KINDS) - 1} copies of each")
        rate_of_audit(ds, kinds)
        audit_pairs(ds, photos, kinds)
        audit_all(ds, photos, kinds)
        if arguments.rivals:
            subprocess.run([arguments.rivals, __file__, "--here", str(folder)], check=True)


if __name__ == "__main__":
    main()
