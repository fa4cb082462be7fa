"""Decoded features, message by message: `get --json` shows what libprotobuf reads.

The messages are chosen to expose mistakes of a wire reader: every kind, values that JSON cannot express, and the same
content in all encodings that protobuf allows.
"""

from __future__ import annotations

import struct
from typing import Any

from e2e.command import CommandTest
from oracle import messages, records


def varint(value: int) -> bytes:
    value &= 2**64 - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def length_delimited(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def entry(name: str, feature: bytes) -> bytes:
    """An Example with one feature. Several of them, concatenated, are one Example with all their features."""
    return length_delimited(1, length_delimited(1, length_delimited(1, name.encode()) + length_delimited(2, feature)))


def int64_list(*values: int) -> bytes:
    return length_delimited(3, length_delimited(1, b"".join(map(varint, values))))


VALUE = length_delimited(2, int64_list(4))
FLOATS = struct.pack("<3f", 0.5, -0.0, 1e-45)
WIRE = {
    "a key twice: the last entry replaces the first": entry("a", int64_list(1, 2)) + entry("a", int64_list(3)),
    "a key twice: the last entry is empty": entry("a", int64_list(1, 2)) + entry("a", b""),
    "one kind twice in a feature: the values are joined": entry("a", int64_list(1) + int64_list(2)),
    "two kinds in a feature: the last kind counts": entry("a", int64_list(1) + length_delimited(2, b"")),
    "one kind, another, the first again: the last list counts": entry(
        "a", int64_list(1) + length_delimited(2, b"") + int64_list(2)
    ),
    "unpacked integers": entry("a", length_delimited(3, b"\x08\x05\x08\x07")),
    "packed and unpacked integers in one list": entry("a", length_delimited(3, b"\x08\x05\x0a\x02\x06\x07\x08\x08")),
    "unpacked floats": entry("a", length_delimited(2, b"\x0d" + FLOATS[:4] + b"\x0d" + FLOATS[4:8])),
    "floats in two packed pieces": entry("a", length_delimited(2, length_delimited(1, FLOATS) * 2)),
    "negative integers": entry("a", int64_list(-1, -(2**63), 2**63 - 1)),
    "the value before the key": length_delimited(1, length_delimited(1, VALUE + b"\x0a\x01a")),
    "an entry without a key": length_delimited(1, length_delimited(1, VALUE)),
    "an entry without a value": length_delimited(1, length_delimited(1, b"\x0a\x01a")),
    "unknown fields anywhere": b"\x78\x01" + entry("a", int64_list(9) + b"\x78\x01") + length_delimited(99, b"unknown"),
    "a group of unknown fields": b"\x7b\x78\x01\x7c" + entry("a", int64_list(9)),
    "names that JSON must escape": entry('"\\/\n\t\0é\U0001f600', int64_list(1)),
    "no feature at all": b"",
}


class FeaturesTest(CommandTest):
    def check(self, kind: str, payloads: dict[str, bytes]) -> None:
        """Builds one dataset of all `payloads` and compares each record with the oracle."""
        records.write_tfrecord(self.dir / kind, payloads.values())
        self.expect(0, "build", kind, "--payload", kind)
        shown = self.expect(0, "cat", kind, "--to", "jsonl").jsonl
        self.assertEqual(len(shown), len(payloads))
        for (name, payload), record in zip(payloads.items(), shown):
            with self.subTest(name):
                self.assertEqual(record["features"], messages.features_json(payload, kind))

    def test_an_example_is_read_in_every_encoding_that_protobuf_allows(self) -> None:
        self.check("example", WIRE)

    def test_every_kind_of_ofrecord_is_read_including_values_that_json_lacks(self) -> None:
        single: dict[str, tuple[str, list[Any]]] = {
            "int32": ("int32", [0, -1, 2**31 - 1, -(2**31)]),
            "int64": ("int64", [0, -1, 2**63 - 1, -(2**63), 2**53 + 1]),
            "float": ("float", [0.1, 1e-45, 3.4028235e38, 16777216.0]),
            "double": ("double", [0.1, 5e-324, 1.7976931348623157e308]),
            "special floats": ("float", [float("nan"), float("inf"), float("-inf"), -0.0]),
            "special doubles": ("double", [float("nan"), float("inf"), float("-inf"), -0.0]),
            "text": ("bytes", ["é ∑ \U0001f600".encode(), b"", b"a\0b", b'"\\']),
            "bytes": ("bytes", [b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", bytes(range(256))]),
            "no kind": ("none", []),
            "no values": ("double", []),
        }
        payloads = {name: messages.encode("ofrecord", {name: feature}) for name, feature in single.items()}
        self.check("ofrecord", {**payloads, "all": messages.encode("ofrecord", single)})

    def test_an_int32_written_with_more_than_32_bits_is_truncated(self) -> None:
        wide = length_delimited(4, length_delimited(1, varint(2**32 + 5) + varint(2**31) + varint(-1)))
        self.check("ofrecord", {"wide": length_delimited(1, b"\x0a\x01a" + length_delimited(2, wide))})

    def test_sequence_examples_keep_their_steps(self) -> None:
        steps: dict[str, list[tuple[str, list[Any]]]] = {
            "steps of many lengths": [("int64", [1]), ("int64", []), ("int64", [2, 3])],
            "steps without a kind among others": [("none", []), ("bytes", [b"a"]), ("none", [])],
            "only steps without a kind": [("none", []), ("none", [])],
            "no steps": [],
            "steps that differ in kind": [("float", [0.5]), ("none", []), ("bytes", [b"\xff"])],
        }
        payloads = {name: messages.encode_sequence({}, {name: of}) for name, of in steps.items()}
        context: dict[str, tuple[str, list[Any]]] = {"length": ("int64", [3]), "gap": ("none", [])}
        self.check("sequence_example", {**payloads, "all": messages.encode_sequence(context, steps)})

    def test_a_message_that_protobuf_refuses_is_refused_with_its_location(self) -> None:
        broken = {
            "a length past the end": b"\x0a\x7fshort",
            "a varint without an end": entry("a", length_delimited(3, length_delimited(1, b"\xff" * 11))),
            "packed floats of 5 bytes": entry("a", length_delimited(2, length_delimited(1, b"12345"))),
            "field number 0": b"\x02\x00",
            "wire type 7": b"\x0f",
            "a group without an end": b"\x7b\x78\x01",
        }
        records.write_tfrecord(self.dir / "broken", broken.values())
        marked = self.expect(3, "build", "broken", "--payload", "example", "--json").json["bad"]
        self.assertEqual([(bad["record"], bad["reason"]) for bad in marked], [(i, "malformed") for i in range(6)])
        self.assertIn("marked bad: malformed", self.expect(3, "get", "broken", "0").stderr)
        self.expect(0, "build", "broken", "--payload", "example", "--columns", "none", "--force")
        for ordinal, (name, payload) in enumerate(broken.items()):
            with self.subTest(name):
                refused = self.expect(3, "get", "broken", str(ordinal), "--json")
                self.assertRegex(refused.stderr, r"\Aofindex: broken@\d+: .*\nhint: .*\n\Z")
                self.assertEqual(refused.json["records"], [], "part of a malformed record was shown")
                self.assertEqual(self.expect(0, "get", "broken", str(ordinal), "--raw").stdout, payload)
