"""Tests the oracle against published vectors and the manifests of the fixtures."""

from __future__ import annotations

import hashlib
import unittest
from typing import Any

from oracle import messages, records
from oracle.fixtures import FIXTURES, fixtures, needs_fixtures


class ChecksumTest(unittest.TestCase):
    def test_crc32c_has_the_check_value_of_its_catalogue_entry(self) -> None:
        self.assertEqual(records.crc32c(b"123456789"), 0xE3069283)

    def test_an_empty_tfrecord_is_the_known_sixteen_bytes(self) -> None:
        self.assertEqual(records.frame_tfrecord(b"").hex(), "000000000000000029039807d8ea82a2")


class WalkTest(unittest.TestCase):
    PAYLOADS = [b"first", b"", b"third " * 9]

    def test_written_records_are_read_back_in_both_formats(self) -> None:
        for name, frame in records.FRAME.items():
            walk = records.WALK[name](b"".join(map(frame, self.PAYLOADS)))
            self.assertEqual((walk.payloads, walk.damage), (self.PAYLOADS, []), name)

    def test_truncation_at_any_byte_leaves_the_whole_records_and_one_torn_tail(self) -> None:
        for name, frame in records.FRAME.items():
            frames = [frame(payload) for payload in (b"first", b"second", b"third")]
            data = b"".join(frames)
            ends = [sum(map(len, frames[:count])) for count in range(4)]
            for size in range(len(data)):
                walk = records.WALK[name](data[:size])
                whole = max(end for end in ends if end <= size)
                torn = [] if whole == size else [records.Damage(whole, size, records.TORN_TAIL)]
                self.assertEqual((len(walk.records), walk.damage), (ends.index(whole), torn), f"{name} cut at {size}")


class FeaturesTest(unittest.TestCase):
    def test_every_kind_of_value_has_its_json_form(self) -> None:
        features: dict[str, tuple[str, list[Any]]] = {
            "int32": ("int32", [-1, 2**31 - 1]),
            "int64": ("int64", [-(2**63), 2**63 - 1]),
            "float": ("float", [0.1, float("nan"), float("inf"), float("-inf")]),
            "double": ("double", [0.1]),
            "bytes": ("bytes", ["é".encode(), b"\xff", b""]),
            "nothing": ("none", []),
            "empty": ("float", []),
        }
        expected = {
            "int32": {"kind": "int32", "values": [-1, 2147483647]},
            "int64": {"kind": "int64", "values": [-9223372036854775808, 9223372036854775807]},
            "float": {"kind": "float", "values": [0.1, "NaN", "Infinity", "-Infinity"]},
            "double": {"kind": "double", "values": [0.1]},
            "bytes": {"kind": "bytes", "values": ["é", {"base64": "/w=="}, ""]},
            "nothing": {"kind": "none", "values": []},
            "empty": {"kind": "float", "values": []},
        }
        payload = messages.encode("ofrecord", features)
        self.assertEqual(messages.features_json(payload, "ofrecord"), expected)

    def test_a_feature_list_has_one_value_for_each_step(self) -> None:
        payload = messages.encode_sequence(
            {"length": ("int64", [2])},
            {
                "gap": [("none", []), ("bytes", [b"a", b"b"]), ("bytes", [])],
                "mixed": [("int64", [1]), ("none", []), ("float", [0.5])],
                "empty": [],
            },
        )
        expected = {
            "length": {"kind": "int64", "values": [2]},
            "gap[]": {"kind": "bytes", "values": [None, ["a", "b"], []]},
            "mixed[]": {
                "kind": "mixed",
                "values": [
                    {"kind": "int64", "values": [1]},
                    {"kind": "none", "values": []},
                    {"kind": "float", "values": [0.5]},
                ],
            },
            "empty[]": {"kind": "none", "values": []},
        }
        self.assertEqual(messages.features_json(payload, "sequence_example"), expected)


@needs_fixtures
class FixturesTest(unittest.TestCase):
    def test_every_file_matches_its_manifest(self) -> None:
        for fixture in fixtures():
            with self.subTest(fixture.path.name):
                self.assertEqual(hashlib.sha256(fixture.path.read_bytes()).hexdigest(), fixture.sha256)
                walk = fixture.walk()
                self.assertEqual(walk.damage, [])
                self.assertTrue(all(record.sound for record in walk.records))
                self.assertEqual(len(walk.records), fixture.records)
                self.assertEqual(sum(map(len, walk.payloads)), fixture.payload_bytes)

    def test_the_example_of_the_hexdump_decodes_as_in_its_readme(self) -> None:
        found = messages.features_json((FIXTURES / "mnist_example.pb").read_bytes(), "example")
        scalars = {name: feature["values"] for name, feature in found.items() if feature["kind"] == "int64"}
        self.assertEqual(scalars, {"height": [28], "width": [28], "label": [5]})
        self.assertEqual(found["image_raw"]["kind"], "bytes")
