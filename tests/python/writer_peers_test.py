"""Other libraries read the output of ofindex.Writer: TensorFlow, vahidk's tfrecord, protobuf."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import unittest
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import ofindex
from oracle import messages, records
from python.work import WorkTest, in_new_process

COUNT = 300

# Runs in a separate process, because tfrecord registers the same messages as TensorFlow.
BY_TFRECORD = """
import json, sys, tfrecord, zlib
description = {"label": "int", "weight": "float", "name": "byte", "image": "byte", "boxes": "float"}
print(json.dumps([
    [
        read["label"].tolist(), read["weight"].tolist(), bytes(read["name"]).hex(), zlib.crc32(bytes(read["image"])),
        read["boxes"].tolist(),
    ]
    for read in tfrecord.tfrecord_loader(sys.argv[1], None, description)
]))
"""


def values(number: int) -> dict[str, Any]:
    """The values of record `number`; the last digit of `number` is the number of boxes."""
    rng = random.Random(number)
    return {
        "label": number - 100,
        "weight": np.float32(number / 8),
        "name": f"recörd {number}",
        "image": rng.randbytes(rng.choice((0, 1, 300, 200_000 if number == 7 else 5))),
        "boxes": np.array([number + box / 4 for box in range(number % 10)], np.float32),
    }


class PeersTest(WorkTest):
    def shard(self, name: str, **options: Any) -> Path:
        path = self.dir / name
        with ofindex.Writer(path, **options) as writer:
            for number in range(COUNT):
                writer.write(values(number))
        return path

    def test_tensorflow_reads_a_written_shard_and_checks_its_checksums(self) -> None:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
        try:
            import tensorflow as tf
        except ImportError:
            self.skipTest("tensorflow is not installed")
        wish = {
            "label": tf.io.FixedLenFeature([], tf.int64),
            "weight": tf.io.FixedLenFeature([], tf.float32),
            "name": tf.io.FixedLenFeature([], tf.string),
            "image": tf.io.FixedLenFeature([], tf.string),
            "boxes": tf.io.VarLenFeature(tf.float32),
        }
        for name, compression in (("a.tfrecord", ""), ("b.tfrecord.gz", "GZIP")):
            dataset = tf.data.TFRecordDataset(str(self.shard(name)), compression_type=compression)
            number = 0
            for payload in dataset:
                read = tf.io.parse_single_example(payload, wish)
                written = values(number)
                self.assertEqual(read["label"].numpy(), written["label"])
                self.assertEqual(read["weight"].numpy(), written["weight"])
                self.assertEqual(read["name"].numpy(), written["name"].encode())
                self.assertEqual(read["image"].numpy(), written["image"])
                self.assertEqual(read["boxes"].values.numpy().tolist(), written["boxes"].tolist())
                number += 1
            self.assertEqual(number, COUNT)

    def test_tensorflow_reads_written_sequence_examples(self) -> None:
        try:
            import tensorflow as tf
        except ImportError:
            self.skipTest("tensorflow is not installed")
        path = self.dir / "a.tfrecord"
        with ofindex.Writer(path, payload="sequence_example") as writer:
            writer.write({"id": 4, "frames": [[1, 2], [3]], "words": [["a"], ["b", "c"]], "empty[]": []})
        (payload,) = tf.data.TFRecordDataset(str(path))
        context, lists = tf.io.parse_single_sequence_example(
            payload,
            {"id": tf.io.FixedLenFeature([], tf.int64)},
            {"frames": tf.io.RaggedFeature(tf.int64), "words": tf.io.RaggedFeature(tf.string)},
        )
        self.assertEqual(context["id"].numpy(), 4)
        self.assertEqual(lists["frames"].to_list(), [[1, 2], [3]])
        self.assertEqual(lists["words"].to_list(), [[b"a"], [b"b", b"c"]])

    def test_the_package_tfrecord_reads_a_written_shard(self) -> None:
        if importlib.util.find_spec("tfrecord") is None:
            self.skipTest("tfrecord is not installed")
        printed = in_new_process(BY_TFRECORD, self.shard("a.tfrecord"))
        expected = [
            [
                [written["label"]],
                [float(written["weight"])],
                written["name"].encode().hex(),
                zlib.crc32(written["image"]),
                written["boxes"].tolist(),
            ]
            for written in map(values, range(COUNT))
        ]
        self.assertEqual(json.loads(printed), expected)

    def test_protobuf_serializes_the_same_bytes(self) -> None:
        expected = [
            messages.encode(
                "ofrecord",
                {
                    "label": ("int64", [written["label"]]),
                    "weight": ("float", [written["weight"]]),
                    "name": ("bytes", [written["name"].encode()]),
                    "image": ("bytes", [written["image"]]),
                    "boxes": ("float", written["boxes"].tolist()),
                },
            )
            for written in map(values, range(COUNT))
        ]
        self.assertEqual(records.walk_ofrecord(self.shard("part-0").read_bytes()).payloads, expected)


if __name__ == "__main__":
    unittest.main()
