"""The output of `ofindex pack` and `ofindex convert` is read, value for value, by the usual readers."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

try:
    import tensorflow as tf
except ImportError:
    raise unittest.SkipTest("no TensorFlow") from None

import ofindex
from oracle import messages, records

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("OFINDEX_BIN", str(REPOSITORY / "build" / "tools" / "ofindex"))

COUNT = 200
SCHEMA = {"id": "long", "small": "int", "score": "float", "wide": "double", "name": "string", "tags": "array<string>",
          "boxes": "array<float>", "raw": "bytes"}  # fmt: skip


def single(value: float) -> float:
    return struct.unpack("<f", struct.pack("<f", value))[0]


def row(number: int) -> dict[str, Any]:
    """Row `number`. The name is null in every third row; the last digit of `number` is the length of the lists."""
    return {
        "id": number * 2**54 - 2**62,
        "small": -number,
        "score": number / 7,
        "wide": math.exp(number % 80),
        "name": None if number % 3 == 0 else f"n\u00e4me {number}",
        "tags": [f"t{tag}" for tag in range(number % 10)],
        "boxes": [box / 4 for box in range(number % 10)],
        "raw": {"base64": ""} if number % 5 == 0 else {"base64": "/wCA"},
    }


def expected(number: int) -> dict[str, list[Any]]:
    """The values of row `number` in an Example, by name; an absent feature has no values."""
    one = row(number)
    return {
        "id": [one["id"]],
        "small": [-number],
        "score": [single(one["score"])],
        "wide": [single(one["wide"])],
        "name": [] if one["name"] is None else [one["name"].encode()],
        "tags": [tag.encode() for tag in one["tags"]],
        "boxes": one["boxes"],
        "raw": [b"" if number % 5 == 0 else b"\xff\x00\x80"],
    }


# TensorFlow and the package tfrecord cannot be loaded into one process: both define tensorflow.BytesList.
VAHIDKS_READER = """
import json, sys
from tfrecord import reader
kinds = {"id": "int", "small": "int", "score": "float", "wide": "float", "raw": "byte"}
for shards, how in json.loads(sys.argv[1]):
    rows = []
    for shard in shards:
        for one in reader.tfrecord_loader(shard, None, kinds, compression_type=how):
            one["raw"] = list(bytes(one["raw"]))
            rows.append({name: list(map(float if kinds[name] == "float" else int, one[name])) for name in kinds})
    print(json.dumps(rows))
"""


def ofrecords(path: Path) -> Iterator[Any]:
    """Reads an OFRecord file as OneFlow's users do: a length, that many bytes, and protobuf's own parser."""
    with open(path, "rb") as shard:
        while head := shard.read(8):
            (length,) = struct.unpack("q", head)
            yield messages.MESSAGES["ofrecord"].FromString(shard.read(length))


@unittest.skipUnless(Path(COMMAND).is_file(), f"no command at {COMMAND}; set OFINDEX_BIN")
class InterchangeTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ofindex-interchange-")
        self.addCleanup(temporary.cleanup)
        self.dir = Path(temporary.name).resolve()
        (self.dir / "rows.jsonl").write_text("".join(json.dumps(row(number)) + "\n" for number in range(COUNT)))
        (self.dir / "schema.json").write_text(json.dumps(SCHEMA))

    def run_command(self, *args: str) -> None:
        done = subprocess.run([COMMAND, *args], cwd=self.dir, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)

    def pack(self, out: str, *args: str, to: str = "tfrecord") -> list[Path]:
        """Packs the rows into the folder `out`; returns its shards in order."""
        self.run_command("pack", "rows.jsonl", "--schema", "schema.json", "--to", to, "-o", out, *args)
        return sorted((self.dir / out).iterdir())

    def converted(self) -> list[Path]:
        """TFRecords that were packed, converted to OFRecord, and converted back."""
        self.pack("first", "--shards", "3")
        self.run_command("convert", "first", "--to", "ofrecord", "-o", "second")
        self.run_command("convert", "second", "--to", "tfrecord", "-o", "third")
        return sorted((self.dir / "third").iterdir())

    def written(self) -> dict[str, tuple[list[Path], str]]:
        """Writes the rows as TFRecords in every way. Maps each way to its shards and TensorFlow's name of their
        compression."""
        self.run_command("pack", "rows.jsonl", "--schema", "schema.json", "--to", "ofrecord", "-o", "of")
        self.run_command("convert", "of", "--to", "tfrecord", "-o", "from_of", "--lossy", "allow", "--compress", "gzip")
        return {
            "packed": (self.pack("plain", "--shards", "4"), ""),
            "packed, compressed": (self.pack("gzipped", "--shards", "2", "--compress", "gzip"), "GZIP"),
            "converted and back": (self.converted(), ""),
            "from an OFRecord, compressed": (sorted((self.dir / "from_of").iterdir()), "GZIP"),
        }


class TensorFlowTest(InterchangeTest):
    def test_every_value_is_read_by_tf_data_and_parse_single_example(self) -> None:
        spec = {
            "id": tf.io.FixedLenFeature([], tf.int64),
            "small": tf.io.FixedLenFeature([1], tf.int64),
            "score": tf.io.FixedLenFeature([], tf.float32),
            "wide": tf.io.FixedLenFeature([], tf.float32),
            "name": tf.io.VarLenFeature(tf.string),
            "tags": tf.io.RaggedFeature(tf.string),
            "boxes": tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
            "raw": tf.io.FixedLenFeature([], tf.string),
        }
        for name, (shards, compression) in self.written().items():
            with self.subTest(name):
                dataset = tf.data.TFRecordDataset([str(shard) for shard in shards], compression_type=compression)
                numbers = 0
                for number, payload in enumerate(dataset):
                    found = tf.io.parse_single_example(payload, spec)
                    found["name"] = found["name"].values
                    values = {key: tf.reshape(value, [-1]).numpy().tolist() for key, value in found.items()}
                    self.assertEqual(values, expected(number))
                    numbers += 1
                self.assertEqual(numbers, COUNT)

    def test_a_default_value_replaces_a_null(self) -> None:
        spec = {"name": tf.io.FixedLenFeature([], tf.string, default_value="none")}
        dataset = tf.data.TFRecordDataset([str(shard) for shard in self.pack("plain")])
        found = [tf.io.parse_single_example(payload, spec)["name"].numpy() for payload in dataset]
        self.assertEqual(found, [(expected(number)["name"] or [b"none"])[0] for number in range(COUNT)])

    def test_tensorflow_checks_the_checksums(self) -> None:
        """Shows that TensorFlow, as called by the tests above, refuses wrong checksums."""
        (shard,) = self.pack("plain")
        data = bytearray(shard.read_bytes())
        data[-1] ^= 1
        shard.write_bytes(data)
        with self.assertRaises(tf.errors.DataLossError):
            list(tf.data.TFRecordDataset([str(shard)]))

    def test_feature_lists_are_read_by_parse_single_sequence_example(self) -> None:
        steps = [[[number, number + 1], [], [-1]][: number % 4] for number in range(COUNT)]
        rows = [{"id": number, "steps": one} for number, one in enumerate(steps)]
        (self.dir / "steps.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
        self.run_command("pack", "steps.jsonl", "--to", "tfrecord", "-o", "s.tfrecord", "--payload", "sequence_example")
        dataset = tf.data.TFRecordDataset([str(self.dir / "s.tfrecord")])
        for number, payload in enumerate(dataset):
            context, lists = tf.io.parse_single_sequence_example(
                payload, {"id": tf.io.FixedLenFeature([], tf.int64)}, {"steps": tf.io.RaggedFeature(tf.int64)}
            )
            self.assertEqual((int(context["id"]), lists["steps"].to_list()), (number, steps[number]))

    def test_files_compressed_by_the_writer_of_tensorflow_are_read_in_place(self) -> None:
        payloads = [bytes([number % 251]) * (number % 997) for number in range(9000)]
        for compression in ("GZIP", "ZLIB"):
            path = self.dir / compression
            with tf.io.TFRecordWriter(str(path), compression) as writer:
                for payload in payloads:
                    writer.write(payload)
            dataset = ofindex.build(path, progress=False)
            self.assertEqual(dataset.info["shards"][0]["compression"], compression.lower())
            self.assertEqual((list(dataset), dataset.info["damage"]), (payloads, []))
            self.assertTrue(dataset.verify()["clean"])

    def test_image_files_are_packed_unchanged_with_labels(self) -> None:
        png = tf.io.encode_png(tf.cast(tf.reshape(tf.range(48) * 5, [4, 4, 3]), tf.uint8)).numpy()
        for label in ("lily", "rose"):
            (self.dir / "images" / label).mkdir(parents=True)
            (self.dir / "images" / label / "1.png").write_bytes(png)
        self.run_command("pack", "images", "--to", "tfrecord", "-o", "set")
        spec = {"content": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}
        (shard,) = (self.dir / "set").glob("*.tfrecord")
        found = [tf.io.parse_single_example(payload, spec) for payload in tf.data.TFRecordDataset([str(shard)])]
        self.assertEqual([int(one["label"]) for one in found], [0, 1])
        for one in found:
            self.assertEqual(tf.io.decode_png(one["content"]).shape, (4, 4, 3))


class OthersTest(InterchangeTest):
    def test_every_value_is_read_by_the_package_tfrecord(self) -> None:
        if importlib.util.find_spec("tfrecord") is None:
            self.skipTest("no package tfrecord")
        sets = self.written()
        given = [(list(map(str, shards)), "gzip" if compression else None) for shards, compression in sets.values()]
        # One process for all, since the package imports torch.
        reader = [sys.executable, "-c", VAHIDKS_READER, json.dumps(given)]
        done = subprocess.run(reader, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, line in zip(sets, done.stdout.splitlines(), strict=True):
            with self.subTest(name):
                found = json.loads(line)
                self.assertEqual(len(found), COUNT)
                for number, one in enumerate(found):
                    wanted = expected(number)
                    wanted["raw"] = list(wanted["raw"][0])
                    self.assertEqual(one, {name: wanted[name] for name in one})

    def test_every_value_is_read_by_the_classes_of_protobuf(self) -> None:
        for name, (shards, compression) in self.written().items():
            with self.subTest(name):
                data = [shard.read_bytes() for shard in shards]
                walks = [records.walk_tfrecord(records.inflate(one) if compression else one) for one in data]
                self.assertEqual([walk.damage for walk in walks], [[]] * len(walks))
                self.assertTrue(all(record.sound for walk in walks for record in walk.records))
                payloads = [payload for walk in walks for payload in walk.payloads]
                for number, payload in enumerate(payloads):
                    found = messages.MESSAGES["example"].FromString(payload).features.feature
                    values = {key: list(getattr(one, one.WhichOneof("kind")).value) for key, one in found.items()}
                    wanted = expected(number)
                    if not wanted["name"]:
                        del wanted["name"]
                    self.assertEqual(values, wanted)

    def test_every_value_is_read_by_the_loop_over_an_ofrecord_file(self) -> None:
        number = 0
        for shard in self.pack("of", "--shards", "3", to="ofrecord"):
            for record in ofrecords(shard):
                wanted = row(number)
                feature = record.feature
                self.assertEqual(list(feature["id"].int64_list.value), [wanted["id"]])
                self.assertEqual(list(feature["small"].int32_list.value), [wanted["small"]])
                self.assertEqual(list(feature["score"].float_list.value), [single(wanted["score"])])
                self.assertEqual(list(feature["wide"].double_list.value), [wanted["wide"]])
                self.assertEqual("name" in feature, wanted["name"] is not None)
                self.assertEqual(list(feature["tags"].bytes_list.value), [tag.encode() for tag in wanted["tags"]])
                self.assertEqual(list(feature["boxes"].float_list.value), wanted["boxes"])
                number += 1
        self.assertEqual(number, COUNT)

    def test_the_loop_over_an_ofrecord_file_reads_converted_records(self) -> None:
        self.pack("first")
        self.run_command("convert", "first", "--to", "ofrecord", "-o", "second")
        found = list(ofrecords(self.dir / "second" / "part-0"))
        self.assertEqual(len(found), COUNT)
        for number, record in enumerate(found):
            self.assertEqual(list(record.feature["id"].int64_list.value), expected(number)["id"])
            self.assertEqual(list(record.feature["wide"].float_list.value), expected(number)["wide"])
