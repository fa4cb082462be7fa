#!/usr/bin/env python3
"""Writes the 1,797 handwritten digits that a scikit-learn wheel carries as JSON lines, for `ofindex pack`.

    digits.py WHEEL OUT

OUT/digits.jsonl    {"image": [64 whole numbers], "label": 7}
OUT/digits.json     the schema of those lines: image is int32 in an OFRecord, label int64
OUT/images.jsonl    {"image": {"base64": ...}, "label": 7}, an image being 64 bytes

An image is 8 rows of 8 grey levels, 0 to 16. The same wheel gives the same bytes.
"""

import base64
import csv
import gzip
import io
import json
import pathlib
import sys
import zipfile

DIGITS_IN_WHEEL = "sklearn/datasets/data/digits.csv.gz"


def read_digits(wheel):
    """Return (image, label) pairs: 64 grey levels and the digit that they show."""
    with zipfile.ZipFile(wheel) as archive:
        text = gzip.decompress(archive.read(DIGITS_IN_WHEEL)).decode("ascii")
    rows = [[int(value) for value in row] for row in csv.reader(io.StringIO(text))]
    if any(len(row) != 65 for row in rows):
        raise ValueError(f"{DIGITS_IN_WHEEL}: expected 64 grey levels and a label in every row")
    return [(row[:64], row[64]) for row in rows]


def write_lines(path, rows):
    """Write a temporary file next to `path`, then rename it, so that readers see either the whole file or none."""
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text("".join(json.dumps(row) + "\n" for row in rows))
    partial.rename(path)


def main(wheel, out):
    digits = read_digits(wheel)
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "digits.json", [{"image": "array<int>", "label": "long"}])
    write_lines(folder / "digits.jsonl", ({"image": image, "label": label} for image, label in digits))
    as_bytes = ((base64.b64encode(bytes(image)).decode(), label) for image, label in digits)
    write_lines(folder / "images.jsonl", ({"image": {"base64": image}, "label": label} for image, label in as_bytes))
    print(f"Wrote {len(digits):,} digits to {out}/digits.jsonl and {out}/images.jsonl.")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: digits.py WHEEL OUT")
    main(*sys.argv[1:])
