#!/usr/bin/env python3
"""Writes the 1,797 handwritten digits that a scikit-learn wheel carries as record files.

    digits.py WHEEL OUT

OUT/digits/part-0 .. part-3   OFRecord; image: 64 values of int32, label: one int64
OUT/digits.tfrecord           Example in TFRecord; image: one value of 64 bytes, label: one int64

An image is 8 rows of 8 grey levels, 0 to 16. The same wheel gives the same bytes.
"""

import csv
import gzip
import io
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

from google.protobuf import descriptor_pb2, message_factory

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIGITS_IN_WHEEL = "sklearn/datasets/data/digits.csv.gz"
PARTS = 4


def read_digits(wheel):
    """List of (image, label): 64 grey levels and the digit that they show."""
    with zipfile.ZipFile(wheel) as archive:
        text = gzip.decompress(archive.read(DIGITS_IN_WHEEL)).decode("ascii")
    rows = [[int(value) for value in row] for row in csv.reader(io.StringIO(text))]
    if any(len(row) != 65 for row in rows):
        raise ValueError(f"{DIGITS_IN_WHEEL}: expected 64 grey levels and a label in every row")
    return [(row[:64], row[64]) for row in rows]


def message_classes():
    """Classes of the messages in proto/*.proto, by full name."""
    protoc = "/usr/bin/protoc" if os.path.exists("/usr/bin/protoc") else "protoc"
    with tempfile.TemporaryDirectory() as folder:
        compiled = pathlib.Path(folder, "messages.pb")
        sources = sorted(str(path) for path in ROOT.glob("proto/*.proto"))
        subprocess.run([protoc, f"--proto_path={ROOT}", f"--descriptor_set_out={compiled}", *sources], check=True)
        return message_factory.GetMessages(descriptor_pb2.FileDescriptorSet.FromString(compiled.read_bytes()).file)


def ofrecord_payload(message_class, image, label):
    record = message_class()
    record.feature["image"].int32_list.value.extend(image)
    record.feature["label"].int64_list.value.append(label)
    return record.SerializeToString(deterministic=True)


def example_payload(message_class, image, label):
    example = message_class()
    example.features.feature["image"].bytes_list.value.append(bytes(image))
    example.features.feature["label"].int64_list.value.append(label)
    return example.SerializeToString(deterministic=True)


def crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC32C_TABLE = crc32c_table()


def masked_crc32c(data):
    """CRC-32C as TFRecord stores it (tsl/lib/hash/crc32c.h): rotated right by 15 bits, plus a constant."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC32C_TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def ofrecord_frame(payload):
    return struct.pack("<Q", len(payload)) + payload


def tfrecord_frame(payload):
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked_crc32c(length)) + payload + struct.pack("<I", masked_crc32c(payload))


def write_file(path, frames):
    """Writes beside `path`, then renames: whoever looks sees the whole file or none."""
    partial = path.with_name(f".{path.name}.partial")
    partial.write_bytes(b"".join(frames))
    partial.rename(path)


def main(wheel, out):
    digits = read_digits(wheel)
    classes = message_classes()
    folder = pathlib.Path(out, "digits")
    folder.mkdir(parents=True, exist_ok=True)
    for part in range(PARTS):
        slice_of_part = digits[len(digits) * part // PARTS : len(digits) * (part + 1) // PARTS]
        payloads = (ofrecord_payload(classes["oneflow.OFRecord"], *digit) for digit in slice_of_part)
        write_file(folder / f"part-{part}", map(ofrecord_frame, payloads))
    payloads = (example_payload(classes["tensorflow.Example"], *digit) for digit in digits)
    write_file(pathlib.Path(out, "digits.tfrecord"), map(tfrecord_frame, payloads))
    print(f"Wrote {len(digits):,} digits to {folder}/part-0 .. part-{PARTS - 1} and {out}/digits.tfrecord.")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: digits.py WHEEL OUT")
    main(*sys.argv[1:])
