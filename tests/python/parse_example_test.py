"""Compares batches with TensorFlow: tf.io.parse_example gives the same values for a message, or also refuses it.

TensorFlow does not use protobuf to parse messages. It decodes messages that no serializer writes (a name or a kind
twice, packed and single numbers in one list, a map entry without its key or value, and so on) differently from
libprotobuf and ofindex. No such message is used here; docs/python_details.md describes the differences. It also
refuses integers that are asked for as floats, which ofindex takes if they are exact.
"""

from __future__ import annotations

import os
import random
import shutil
import unittest
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import ofindex
from ofindex import BytesArray, Ragged
from oracle import messages
from oracle.fixtures import Fixture, fixtures, needs_fixtures
from python.specs import Spec, random_case
from python.work import WorkTest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import tensorflow as tf
except ImportError:
    raise unittest.SkipTest("tensorflow is not installed") from None

GROUPS, CASES_OF_GROUP = 500, 10

#: How TensorFlow refuses integers that are asked for as floats: fixed and sparse, and ragged.
INTEGERS = ("Data type: int64 but expected type: float", "Expected type: float, Actual type: int64")

_TYPES = {"bytes": tf.string, "float": tf.float32, "int64": tf.int64}


def asked(spec: Spec, sparse: bool = False) -> Any:
    """`spec` in the form of tf.io.parse_example."""
    dtype = _TYPES[spec.kind]
    if spec.shape is not None:
        return tf.io.FixedLenFeature(spec.shape, dtype, spec.default)
    return tf.io.VarLenFeature(dtype) if sparse else tf.io.RaggedFeature(dtype, row_splits_dtype=tf.int64)


def parsed(payloads: Sequence[bytes], specs: Mapping[str, Any]) -> dict[str, Any]:
    """TensorFlow's result for `payloads`."""
    return tf.io.parse_example(tf.constant(list(payloads), tf.string), dict(specs))  # type: ignore[no-any-return]


def refused(payloads: Sequence[bytes], name: str, spec: Any) -> str:
    """Why TensorFlow refuses `payloads`; empty if it does not."""
    try:
        parsed(payloads, {name: spec})
    except tf.errors.InvalidArgumentError as error:
        return str(error)
    return ""


def _strings(array: Any) -> list[Any]:
    return list(array.reshape(-1).tolist())


def _exact(array: Any) -> tuple[str, tuple[int, ...], list[int]]:
    """dtype, shape and bits of an array of numbers."""
    return array.dtype.name, array.shape, np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").tolist()


def of_tensorflow(tensor: Any, records: int) -> Any:
    """A tensor of any class as plain values, in the form of `of_ofindex`."""
    if isinstance(tensor, tf.SparseTensor):
        rows, columns = tensor.indices.numpy().T
        lengths = np.bincount(rows, minlength=records)
        assert columns.tolist() == [column for length in lengths.tolist() for column in range(length)]
        values, offsets = tensor.values.numpy(), np.cumsum([0, *lengths])
    elif isinstance(tensor, tf.RaggedTensor):
        values, offsets = tensor.values.numpy(), tensor.row_splits.numpy()
    else:
        array = tensor.numpy()
        return (array.shape, _strings(array)) if tensor.dtype == tf.string else _exact(array)
    return offsets.tolist(), _strings(values) if values.dtype == object else _exact(values)


def of_ofindex(array: Any) -> Any:
    """An array of any class as plain values."""
    if isinstance(array, Ragged):
        values = array.values.tolist() if isinstance(array.values, BytesArray) else _exact(array.values)
        return array.offsets.tolist(), values
    if isinstance(array, BytesArray):
        return array.shape, BytesArray(array.data, array.offsets).tolist()
    return _exact(array)


class ParseExampleTest(WorkTest):
    def check(self, payloads: Sequence[bytes], specs: Mapping[str, Spec], note: object, sparse: bool = False) -> int:
        """Checks that ofindex and TensorFlow give the same values for each of `specs`, or that both refuse it. Returns
        how many were refused."""
        batch: dict[str, Any] = {}
        for name, spec in specs.items():
            try:
                batch |= ofindex.decode(payloads, {name: spec.feature()})
            except ofindex.FeatureError as error:
                self.assertTrue(refused(payloads, name, asked(spec, sparse)), f"{note}: {name!r} {spec}: {error}")
                continue
            why = refused(payloads, name, asked(spec, sparse)) if spec.kind == "float" else ""
            if any(text in why for text in INTEGERS):
                del batch[name]
        if batch:
            together = {name: asked(specs[name], sparse) for name in batch}
            try:
                expected = parsed(payloads, together)
            except tf.errors.InvalidArgumentError as error:
                alone = [(name, specs[name]) for name in batch if refused(payloads, name, together[name])]
                self.fail(f"{note}: TensorFlow refuses {alone}: {error}")
            for name, array in batch.items():
                self.assertEqual(
                    of_ofindex(array), of_tensorflow(expected[name], len(payloads)), f"{note}: {name!r} {specs[name]}"
                )
            at_once = ofindex.decode(payloads, {name: specs[name].feature() for name in batch})
            for name, array in batch.items():
                self.assertEqual(of_ofindex(at_once[name]), of_ofindex(array), f"{note}: {name!r} {specs[name]}")
        return len(specs) - len(batch)


class RandomTest(ParseExampleTest):
    def test_ofindex_and_tensorflow_parse_random_features_of_random_messages_the_same(self) -> None:
        refusals = 0
        for seed in range(GROUPS):
            specs, payloads = random_case(seed, CASES_OF_GROUP)
            refusals += self.check(payloads, specs, f"seed {seed}", sparse=seed % 3 == 0)
        # The random cases are useful only if many are accepted and many are refused.
        self.assertGreater(refusals, GROUPS)
        self.assertLess(refusals, GROUPS * CASES_OF_GROUP // 2)

    def test_raw_features_equal_the_result_of_decode_raw(self) -> None:
        rng = random.Random(5)
        strings = [rng.randbytes(48) for _ in range(20)]
        payloads = [messages.encode("example", {"x": ("bytes", [string])}) for string in strings]
        for name in ("uint8", "int8", "uint16", "int16", "int32", "int64", "float32", "float64"):
            size = 48 // np.dtype(name).itemsize
            expected = tf.io.decode_raw(tf.constant(strings), tf.as_dtype(name)).numpy()
            array = ofindex.decode(payloads, {"x": ofindex.raw(name, size)})["x"]
            self.assertEqual(_exact(array), _exact(expected))
            longer = tf.io.decode_raw(tf.constant(strings), tf.as_dtype(name), fixed_length=64).numpy()
            array = ofindex.decode(payloads, {"x": ofindex.raw(name, longer.shape[1], pad=True)})["x"]
            self.assertEqual(_exact(array), _exact(longer))


def specs_of(payloads: Sequence[bytes]) -> dict[str, list[Spec]]:
    """Maps each feature name to its specs: a ragged one, and fixed ones that fit all records, or one to be refused."""
    kinds: dict[str, set[str]] = {}
    counts: dict[str, list[int]] = {}
    for payload in payloads:
        for name, feature in messages.MESSAGES["example"].FromString(payload).features.feature.items():
            which = feature.WhichOneof("kind")
            if which is None:
                kinds.setdefault(name, set())
                continue
            kinds.setdefault(name, set()).add(which.removesuffix("_list"))
            counts.setdefault(name, []).append(len(getattr(feature, which).value))
    found: dict[str, list[Spec]] = {}
    for name, some in kinds.items():
        kind = sorted(some)[0] if some else "int64"
        found[name] = [Spec(kind, None)]
        sizes = set(counts.get(name, []))
        if len(sizes) != 1:
            found[name].append(Spec(kind, ()))  # to be refused
            continue
        count = sizes.pop()
        shape = () if count == 1 else (count,)
        everywhere = len(counts[name]) == len(payloads)
        default = b"-" if kind == "bytes" else -1
        found[name] += [Spec(kind, shape)]
        if not everywhere and count:
            found[name] += [Spec(kind, shape, default if count == 1 else [default] * count)]
    return found


def read_fixtures(payload: str) -> Iterator[tuple[Fixture, list[bytes]]]:
    """The fixtures of one payload kind, with their payloads."""
    return ((fixture, fixture.walk().payloads) for fixture in fixtures() if fixture.payload == payload)


@needs_fixtures
class FixtureTest(ParseExampleTest):
    def test_ofindex_and_tensorflow_parse_every_example_of_the_fixtures_the_same(self) -> None:
        read = 0
        for fixture, payloads in read_fixtures("example"):
            choices = specs_of(payloads)
            for number in range(3):  # each feature in each of its forms
                specs = {name: forms[number] for name, forms in choices.items() if number < len(forms)}
                self.check(payloads, specs, fixture.path.name, sparse=number == 0)
            ragged = {name: forms[0] for name, forms in choices.items()}
            self.check(payloads, ragged, fixture.path.name)
            if not fixture.compressed:
                self.check_dataset(fixture, payloads, choices)
            read += 1
        self.assertGreater(read, 8)

    def check_dataset(self, fixture: Fixture, payloads: list[bytes], choices: Mapping[str, list[Spec]]) -> None:
        """Dataset.batch of the file, in another order, equals TensorFlow's result for the payloads in that order."""
        path = self.dir / f"{len(os.listdir(self.dir))}" / fixture.path.name
        path.parent.mkdir()
        shutil.copy(fixture.path, path)
        ds = ofindex.build(path)
        numbers = np.random.default_rng(0).permutation(len(payloads))
        shuffled = [payloads[number] for number in numbers.tolist()]
        for number in range(3):
            specs = {name: forms[number] for name, forms in choices.items() if number < len(forms)}
            specs = {n: s for n, s in specs.items() if not refused(shuffled, n, asked(s))}
            if not specs:
                continue
            batch = ds.batch(numbers, {name: spec.feature() for name, spec in specs.items()})
            expected = parsed(shuffled, {name: asked(spec) for name, spec in specs.items()})
            for name, array in batch.items():
                self.assertEqual(of_ofindex(array), of_tensorflow(expected[name], len(shuffled)), (fixture.path, name))

    def test_ofindex_and_tensorflow_parse_the_feature_lists_of_the_fixtures_the_same(self) -> None:
        lists = 0
        for _, payloads in read_fixtures("sequence_example"):
            kinds: dict[str, str] = {}
            for payload in payloads:
                for name, steps in (
                    messages.MESSAGES["sequence_example"].FromString(payload).feature_lists.feature_list.items()
                ):
                    for step in steps.feature:
                        kinds.setdefault(name, step.WhichOneof("kind").removesuffix("_list"))
            asked_for = {name: asked(Spec(kind, None)) for name, kind in kinds.items()}
            _, expected, _ = tf.io.parse_sequence_example(tf.constant(payloads), {}, asked_for)
            features = {f"{name}[]": Spec(kind, None).feature() for name, kind in kinds.items()}
            batch = ofindex.decode(payloads, features, "sequence_example")
            for name in kinds:
                tensor = expected[name].merge_dims(1, 2)
                self.assertEqual(of_ofindex(batch[f"{name}[]"]), of_tensorflow(tensor, len(payloads)), name)
                lists += 1
        self.assertGreater(lists, 0)
