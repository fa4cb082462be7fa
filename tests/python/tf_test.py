"""ofindex.tf.dataset: batches as tensors of TensorFlow."""

from __future__ import annotations

import inspect
import os
import time
import unittest
from typing import Any

import ofindex
from oracle import messages
from python.examples import build_train, example_in, names_for, run_example
from python.work import FEATURES, WorkTest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
try:
    import tensorflow as tf
except ImportError as missing:
    raise unittest.SkipTest("tensorflow is not installed") from missing

import ofindex.tf

WEIGHT = {"weight": ofindex.fixed("float32")}


def plain(batch: dict[str, Any]) -> dict[str, Any]:
    """A batch of ofindex or of TensorFlow, as lists."""
    return {
        name: value.to_list()
        if isinstance(value, tf.RaggedTensor)
        else value.numpy().tolist()
        if tf.is_tensor(value)
        else value.tolist()
        for name, value in batch.items()
    }


class DatasetTest(WorkTest):
    def numbers(self, batches: Any) -> list[int]:
        return [int(weight * 8) for batch in batches for weight in batch["weight"].numpy().tolist()]

    def test_a_tf_dataset_yields_the_batches_in_the_order_of_the_sampler(self) -> None:
        ds = self.examples(100)
        for view in (ds, ds.where("label > 4")[::-1], ds[:0], ofindex.mix([ds, ds[:20]], [1, 1])):
            order = list(view.sampler(seed=3, epoch=2))
            expected = [plain(view.batch(order[at : at + 16], FEATURES)) for at in range(0, len(order), 16)]
            batches = ofindex.tf.dataset(view, FEATURES, batch_size=16, seed=3, epoch=2)
            self.assertEqual([plain(batch) for batch in batches], expected)

    def test_the_example_in_its_docstring_runs(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        names = names_for(build_train())
        code = example_in(inspect.getdoc(ofindex.tf.dataset) or "")
        self.assertIn("ofindex.tf.dataset(", code)
        self.assertEqual(run_example(code, names), [])

    def test_dtypes_and_shapes_match_the_features(self) -> None:
        ds = ofindex.build(self.write("data/", [
            messages.encode("example", {
                "numbers": ("int64", [number, 1, 2, 3]),
                "words": ("bytes", [b"w%d" % word for word in range(number % 3)]),
                "pair": ("bytes", [b"x", b""]),
            })
            for number in range(10)
        ] + [messages.encode("example", dict.fromkeys(("counts", "missing", "flag", "text"), ("int64", [])))]
        ))[:10]  # fmt: skip
        features = {
            "numbers": ofindex.fixed("uint8", (2, 2)),
            "words": ofindex.ragged("bytes"),
            "counts": ofindex.ragged("int32"),
            "pair": ofindex.fixed("bytes", 2),
            "missing": ofindex.fixed("float64", default=1.5),
            "flag": ofindex.fixed("bool", default=True),
            "text": ofindex.fixed("bytes", default=b"none"),
        }
        batches = ofindex.tf.dataset(ds, features, batch_size=4)
        for name, dtype, shape in (
            ("numbers", tf.uint8, [None, 2, 2]),
            ("words", tf.string, [None, None]),
            ("counts", tf.int32, [None, None]),
            ("pair", tf.string, [None, 2]),
            ("missing", tf.float64, [None]),
            ("flag", tf.bool, [None]),
            ("text", tf.string, [None]),
        ):
            spec = batches.element_spec[name]
            self.assertEqual((spec.dtype, spec.shape.as_list()), (dtype, shape), name)
            for batch in batches:
                self.assertEqual(batch[name].dtype, dtype, name)
                self.assertTrue(spec.is_compatible_with(batch[name]), name)
        last = list(batches)[-1]
        self.assertEqual(last["numbers"].shape, (2, 2, 2))
        self.assertEqual(last["text"].numpy().tolist(), [b"none"] * 2)
        self.assertEqual(last["counts"].to_list(), [[], []])

    def test_repeat_continues_with_the_next_epoch(self) -> None:
        ds = self.examples(50)
        expected = [row for epoch in range(3) for row in ds.sampler(seed=3, epoch=epoch)]
        self.assertEqual(self.numbers(ofindex.tf.dataset(ds, WEIGHT, 16, seed=3).repeat(3)), expected)
        batches = ofindex.tf.dataset(ds, WEIGHT, 16, seed=3, epoch=1)
        self.assertEqual(self.numbers(batches), expected[50:100])
        self.assertEqual(self.numbers(batches), expected[100:])

    def test_ranks_and_tails_are_divided_as_by_the_sampler(self) -> None:
        ds = self.examples(50)
        for tail in ("exact", "pad", "drop"):
            for rank in range(3):
                batches = ofindex.tf.dataset(ds, WEIGHT, 16, seed=3, rank=rank, world_size=3, tail=tail)
                self.assertEqual(self.numbers(batches), list(ds.sampler(3, 0, rank, 3, tail=tail)), (tail, rank))

    def test_a_tf_dataset_works_with_map_and_prefetch(self) -> None:
        ds = self.examples(50)
        batches = ofindex.tf.dataset(ds, {**WEIGHT, "boxes": ofindex.ragged("float32")}, 16, seed=3)
        sums = batches.map(lambda batch: tf.reduce_sum(batch["boxes"], axis=1)).prefetch(2)
        got = [number for batch in sums for number in batch.numpy().tolist()]
        self.assertEqual(got, [sum(range(row % 10)) for row in ds.sampler(seed=3)])

    def test_errors_are_raised_and_a_loop_that_is_left_ends_its_threads(self) -> None:
        ds = self.examples(50)
        with self.assertRaisesRegex(tf.errors.OpError, "boxes"):
            list(ofindex.tf.dataset(ds, {"boxes": ofindex.fixed("float32")}))
        with self.assertRaisesRegex(ofindex.FeatureError, "no record has a feature 'nothing'"):
            ofindex.tf.dataset(ds, {"nothing": ofindex.fixed("int64")})
        for wrong, error in (({}, ValueError), ({"label": "int64"}, TypeError)):
            with self.assertRaises(error, msg=repr(wrong)):
                ofindex.tf.dataset(ds, wrong)
        for argument in (
            {"batch_size": 0},
            {"batch_size": 2**64},
            {"prefetch": 0},
            {"prefetch": 2**64},
            {"threads": 0},
            {"threads": 2**64},
            {"epoch": -1},
            {"tail": "both"},
            {"rank": 1},
        ):
            with self.assertRaises(ValueError, msg=repr(argument)):
                ofindex.tf.dataset(ds, WEIGHT, **argument)
        batches = ofindex.tf.dataset(ds, WEIGHT, 2, seed=3)
        self.numbers(batches.take(1))
        before = self.threads()
        for _ in range(20):
            self.numbers(batches.take(1))
        end = time.monotonic() + 30
        while self.threads() > before + 2:  # TensorFlow ends generators with a delay
            self.assertLess(time.monotonic(), end, "threads are left")
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
