"""Dataset.batch and ofindex.decode: payloads of every kind, ordinals, threads, and the ownership of memory."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np
import ofindex
from ofindex import BytesArray, Ragged, fixed, ragged
from oracle import messages, records
from python.decoding import plain
from python.work import FEATURES, WorkTest, example


class PayloadTest(WorkTest):
    def test_the_lists_of_a_sequence_example_are_joined_step_by_step(self) -> None:
        steps: list[dict[str, Any]] = [
            {"tokens": [("int64", [1, 2]), ("int64", []), ("none", []), ("int64", [3])], "words": [("bytes", [b"a"])]},
            {"tokens": [], "words": [("bytes", [b"b", b"c"]), ("bytes", [b""])]},
            {},
        ]
        payloads = [messages.encode_sequence({"label": ("int64", [i])}, lists) for i, lists in enumerate(steps)]
        features = {
            "label": fixed("uint8"),
            "tokens[]": ragged("int16"),
            "words[]": ragged("bytes"),
            "tokens": ragged("int16"),
        }
        batch = ofindex.decode(payloads, features, "sequence_example")
        self.assertEqual(batch["label"].tolist(), [0, 1, 2])
        self.assertEqual(batch["tokens[]"].tolist(), [[1, 2, 3], [], []])
        self.assertEqual(batch["words[]"].tolist(), [[b"a"], [b"b", b"c", b""], []])
        self.assertEqual(batch["tokens"].tolist(), [[], [], []])  # there is a feature list "tokens", but no feature
        ds = ofindex.build(self.write("steps/", payloads))
        del features["tokens"]  # with an index, this name would be an error
        self.assertEqual(ds.batch([1, 0], features)["words[]"], batch["words[]"].tolist()[1::-1])
        self.assertEqual(ds[:1].batch([0], {"tokens[]": fixed("int64", 3)})["tokens[]"].tolist(), [[1, 2, 3]])
        with self.assertRaisesRegex(ofindex.FeatureError, r"record 1.*tokens\[\]"):
            ds.batch([0, 1], {"tokens[]": fixed("int64", 3)})
        mixed = messages.encode_sequence({}, {"tokens": [("int64", [1]), ("float", [1])]})
        with self.assertRaisesRegex(ofindex.FeatureError, "steps differ in kind"):
            ofindex.decode([mixed], {"tokens[]": ragged("int64")}, "sequence_example")

    def test_ofrecords_with_int32_and_double_are_decoded(self) -> None:
        payloads = [
            messages.encode("ofrecord", {"i": ("int32", [-i, i]), "d": ("double", [i / 3]), "b": ("bytes", [b"x" * i])})
            for i in range(50)
        ]
        features = {"i": fixed("int8", 2), "d": fixed("float64"), "b": fixed("bytes")}
        ds = ofindex.build(self.write("of/", payloads, records.OFRECORD))
        for batch in (ds.batch(range(50), features), ofindex.decode(payloads, features, "ofrecord")):
            self.assertEqual(batch["i"].tolist(), [[-i, i] for i in range(50)])
            self.assertEqual(batch["d"].tolist(), [i / 3 for i in range(50)])
            self.assertEqual(batch["b"], [b"x" * i for i in range(50)])

    def test_feature_names_may_be_any_bytes(self) -> None:
        name = b"\xff/\xc3\x28"
        entry = b"\x0a\x04" + name + b"\x12\x05\x2a\x03\x0a\x01\x07"  # int64_list of 7, field 5 of OneFlow's Feature
        payload = b"\x0a" + bytes([len(entry)]) + entry
        ds = ofindex.build(self.write("of/", [payload] * 4, records.OFRECORD), format="ofrecord", payload="ofrecord")
        text = next(iter(ds.record(0)))
        for key in (name, name.decode("utf-8", "surrogateescape"), text):
            batch = ds.batch([0, 1], {key: fixed("int64")})
            self.assertEqual(list(batch), [key])
            self.assertEqual(batch[key].tolist(), [7, 7])
        with self.assertRaisesRegex(ofindex.FeatureError, "record 0: feature .*xff"):
            ds.batch([0], {name: fixed("bytes")})
        odd = {name: ("int64", [i]) for i, name in enumerate(("", "é", "a b", 'q"\n\0', "x" * 5000, "📷"))}
        batch = ofindex.decode([messages.encode("example", odd)], {name: fixed("int64") for name in odd})
        self.assertEqual([array.tolist() for array in batch.values()], [[i] for i in range(len(odd))])

    def test_an_empty_payload_has_no_features(self) -> None:
        for kind in ("example", "sequence_example", "ofrecord"):
            batch = ofindex.decode([b"", b""], {"a": ragged("bytes"), "b": fixed("int8", (), 5)}, kind)
            self.assertEqual((batch["a"].tolist(), batch["b"].tolist()), ([[], []], [5, 5]))

    def test_a_payload_that_is_not_a_message_is_a_damage_error_that_names_the_record(self) -> None:
        payloads = [example(number) for number in range(300)]
        for bad in (b"\xff", b"\x0a\x05abc", payloads[0][:-1], b"\x0b"):
            payloads[200] = bad
            with self.assertRaisesRegex(ofindex.DamageError, "record 200"):
                ofindex.decode(payloads, FEATURES)
        with self.assertRaises(ofindex.FeatureError) as raised:
            ofindex.build(self.write("text", [b"some text", b"more of it"] * 4)).batch([1], FEATURES)
        self.assertIn("record 1", str(raised.exception))
        self.assertIn("opaque", str(raised.exception))

    def test_a_payload_that_is_not_bytes_is_a_type_error(self) -> None:
        for payloads in (["text"], [None], [bytearray(b"")], [b"", memoryview(b"")], b"bytes"):
            with self.assertRaisesRegex(TypeError, "expected bytes"):
                ofindex.decode(payloads, FEATURES)  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            ofindex.decode(5, FEATURES)  # type: ignore[arg-type]
        for kind in ("opaque", "json", ""):
            with self.assertRaisesRegex(ValueError, "'example', 'sequence_example' or 'ofrecord'"):
                ofindex.decode([], FEATURES, kind)  # type: ignore[arg-type]


class NumbersTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.payloads = [example(number) for number in range(100)]
        self.ds = ofindex.build(self.write("data/", self.payloads))

    def weights(self, numbers: Any, ds: ofindex.Dataset | None = None) -> list[float]:
        """Reads the weights of records `numbers`; returns them times 8, which are the numbers of the examples."""
        array = (self.ds if ds is None else ds).batch(numbers, FEATURES)["weight"]
        assert isinstance(array, np.ndarray)
        return (array * 8).tolist()

    def test_a_batch_has_the_requested_order_with_repeats_and_negative_ordinals(self) -> None:
        numbers = [3, 1, 4, 1, 5, -1, 99, -100, 0]
        expected = [number % 100 for number in numbers]
        for form in (
            numbers, tuple(numbers), np.array(numbers), np.array(numbers, dtype=np.int8), iter(numbers),
            (n for n in numbers), [np.int16(n) for n in numbers],
        ):  # fmt: skip
            self.assertEqual(self.weights(form), expected, type(form))
        batch = self.ds.batch(numbers, FEATURES)
        self.assertEqual(batch["name"], [b"record %d" % number for number in expected])
        self.assertEqual(batch["boxes"].tolist(), [list(range(number % 10)) for number in expected])

    def test_ordinals_may_have_any_integer_type(self) -> None:
        self.assertEqual(self.weights(range(90, 10, -7)), list(range(90, 10, -7)))
        self.assertEqual(self.weights(np.arange(100)[::-3]), list(range(99, -1, -3)))
        self.assertEqual(self.weights(np.arange(5, dtype=np.uint64)), [0, 1, 2, 3, 4])
        self.assertEqual(sorted(self.weights({7, 3, 5})), [3, 5, 7])
        self.assertEqual(self.weights({7: "a", 3: "b"}.keys()), [7, 3])
        self.assertEqual(self.weights(memoryview(np.array([4, 2]))), [4, 2])
        for nothing in ([], (), range(0), np.array([]), np.array([], dtype=int), iter(()), set()):
            batch = self.ds.batch(nothing, FEATURES)
            self.assertEqual([array.tolist() for array in batch.values()], [[]] * 4)
            shaped = self.ds.batch(nothing, {"label": fixed("int8", (2, 3), 0), "name": fixed("bytes", (2,), "")})
            self.assertEqual((shaped["label"].shape, shaped["name"].shape), ((0, 2, 3), (0, 2)))  # type: ignore[union-attr]
            self.assertEqual(len(batch["boxes"]), 0)

    def test_ordinals_of_a_view_are_positions_in_the_view(self) -> None:
        self.assertEqual(self.weights([0, -1], self.ds[10:20]), [10, 19])
        self.assertEqual(self.weights([2, 0], self.ds.where("label = 7")), [27, 7])
        self.assertEqual(self.weights(range(3), self.ds[::-1][[5, 5, 1]]), [94, 94, 98])
        with self.assertRaisesRegex(ofindex.FeatureError, "record 11: feature 'boxes'"):
            self.ds[10:20].batch([0, 1], {"boxes": fixed("float32", 0)})
        with self.assertRaises(IndexError):
            self.ds[10:20].batch([10], FEATURES)

    def test_an_invalid_ordinal_is_an_error(self) -> None:
        for numbers in ([100], [0, -101], [2**63], [-(2**200)], np.array([100]), range(99, 101), iter([100])):
            with self.assertRaises(IndexError, msg=repr(numbers)):
                self.ds.batch(numbers, FEATURES)
        for numbers in (
            5,
            None,
            [1.0],
            ["1"],
            "12",
            [None],
            np.array([1.0]),
            [True],
            np.array([True]),
            np.array([[1]]),
            [[1]],
        ):
            with self.assertRaises(TypeError, msg=repr(numbers)):
                self.ds.batch(numbers, FEATURES)  # type: ignore[arg-type]


class LargeTest(WorkTest):
    COUNT = 20_000

    def setUp(self) -> None:
        super().setUp()
        some = [example(number) for number in range(1000)]
        self.payloads = [some[i * 7 % 1000] for i in range(self.COUNT)]

    def test_any_number_of_threads_gives_the_same_arrays(self) -> None:
        features = {**FEATURES, "boxes": ragged("float64")}
        one = ofindex.decode(self.payloads, FEATURES, threads=1)
        numbers = [i * 7 % 1000 for i in range(self.COUNT)]
        self.assertEqual((one["weight"] * 8).tolist(), numbers)  # type: ignore[operator]
        self.assertEqual(one["name"], [b"record %d" % number for number in numbers])
        self.assertEqual(one["boxes"].lengths.tolist(), [number % 10 for number in numbers])  # type: ignore[union-attr]
        ds = ofindex.build(self.write("data/", self.payloads[:5000]))
        for threads in (2, 4, None):
            many = ofindex.decode(self.payloads, FEATURES, threads=threads)
            for name in FEATURES:
                self.assertEqual(plain(many[name]), plain(one[name]), (threads, name))
            read = ds.batch(range(5000), features, threads=threads)
            for name in FEATURES:
                self.assertEqual(read[name].tolist(), one[name].tolist()[:5000])

    def test_a_bad_record_late_in_a_batch_is_named_whichever_thread_finds_it(self) -> None:
        self.payloads[15_123] = messages.encode("example", {"label": ("int64", [1, 2])})
        self.payloads[17_000] = b"\xff"
        texts = set()
        for threads in (1, 2, 4, None):
            with self.assertRaises(ofindex.FeatureError) as raised:
                ofindex.decode(self.payloads, FEATURES, threads=threads)
            texts.add(str(raised.exception))
        self.assertEqual(len(texts), 1)
        self.assertRegex(texts.pop(), r"record 15,?123: feature 'label': 2 values; expected 1")
        ds = ofindex.build(self.write("data/", self.payloads[15_000:]))
        for threads in (1, 4):
            with self.assertRaises(ofindex.FeatureError) as raised:
                ds.batch(range(1000), FEATURES, threads=threads)
            texts.add(str(raised.exception))
        self.assertEqual(len(texts), 1)
        self.assertRegex(texts.pop(), r"part-0@\d+: record 123: feature 'label'")
        # The requested order decides which of two errors is raised.
        with self.assertRaisesRegex(ofindex.DamageError, "2,?000"):
            ds.batch([5, 2000, 123], FEATURES)

    def test_the_number_of_threads_must_be_at_least_one(self) -> None:
        for threads in (0, -1):
            with self.assertRaisesRegex(ValueError, "threads"):
                ofindex.decode([], FEATURES, threads=threads)
        with self.assertRaises(TypeError):
            ofindex.decode([], FEATURES, threads="4")  # type: ignore[arg-type]


class MemoryTest(WorkTest):
    def arrays(self, batch: Mapping[str, Any]) -> list[np.ndarray[Any, Any]]:
        """All numpy arrays that `batch` consists of."""
        found: list[Any] = []
        for value in batch.values():
            inner = value.values if isinstance(value, Ragged) else value
            found += [value.offsets] if isinstance(value, Ragged) else []
            found += [inner.data, inner.offsets] if isinstance(inner, BytesArray) else [inner]
        return found

    def test_arrays_outlive_the_dataset_and_its_files(self) -> None:
        features = {**FEATURES, "name": ragged("bytes"), "weight": fixed("float32", (1, 1), 3)}
        ds = ofindex.build(self.write("data/", [example(number) for number in range(100)]))
        gone = weakref.ref(ds)
        batch = ds.batch(range(100), features)
        before = [array.copy() for array in self.arrays(batch)]
        label = batch["label"]
        (self.dir / "data" / "part-0").write_bytes(b"")
        del ds
        gc.collect()
        self.assertIsNone(gone())
        for array, copied in zip(self.arrays(batch), before, strict=True):
            np.testing.assert_array_equal(array, copied)
            self.assertTrue(array.flags.c_contiguous and array.flags.aligned)
        del batch
        for _ in range(20):  # these arrays would reuse memory that was freed
            ofindex.decode([example(1)] * 100, features)
        np.testing.assert_array_equal(label, np.arange(100) % 10)

    def test_arrays_are_writable_and_share_no_memory(self) -> None:
        payloads = [example(number) for number in range(10)]
        first, second = (ofindex.decode(payloads, FEATURES) for _ in range(2))
        for array in self.arrays(first):
            array[...] = 0
        self.assertEqual(second["label"].tolist(), list(range(10)))
        self.assertEqual(ofindex.decode(payloads, FEATURES)["name"], second["name"])
        default = np.array([1, 2])
        batch = ofindex.decode([b"", b""], {"d": fixed("int64", 2, default)})
        batch["d"][0] = 9  # type: ignore[index]
        self.assertEqual((default.tolist(), batch["d"].tolist()), ([1, 2], [[9, 9], [1, 2]]))
        self.assertEqual(ofindex.decode([b""], {"d": fixed("int64", 2, default)})["d"].tolist(), [[1, 2]])
