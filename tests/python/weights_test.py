"""Draws by weights: a column, an expression or numbers give the same draws where the weights are the same."""

from __future__ import annotations

import pickle
import unittest
from collections import Counter
from typing import Any

import numpy as np
import ofindex
from oracle import messages
from python.work import WorkTest, example

DRAWN = 200


class WeightsTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(203)

    def test_numbers_and_expressions_draw_as_a_column_of_the_same_values_does(self) -> None:
        ds = self.ds
        expected = ds.sampler(seed=3, weights="weight").take(DRAWN).tolist()
        column = ds.column("weight")
        gone = np.ma.masked_array(np.append(column[1:], 5.0), mask=np.arange(203) == 202)
        for given in (
            column,
            column.astype(np.float64),
            column.tolist(),
            np.repeat(column, 2)[::2],
            "weight + 0",
            '"weight"',
            "CASE WHEN label >= 0 THEN weight END",
        ):
            self.assertEqual(ds.sampler(seed=3, weights=given).take(DRAWN).tolist(), expected, given)
        masked = ds.sampler(seed=3, weights=gone)
        self.assertEqual(masked.take(DRAWN).tolist(), ds.sampler(seed=3, weights=gone.filled(0)).take(DRAWN).tolist())
        self.assertNotIn(202, masked.take(2000).tolist())

    def test_series_and_tensors_are_numbers(self) -> None:
        expected = self.ds.sampler(weights="weight").take(DRAWN).tolist()
        column = self.ds.column("weight")
        for module, make in (("polars", "Series"), ("pandas", "Series"), ("torch", "from_numpy"), ("pyarrow", "array")):
            with self.subTest(module):
                try:
                    given = getattr(__import__(module), make)(column)
                except ImportError:
                    self.skipTest(f"{module} is not installed")
                self.assertEqual(self.ds.sampler(weights=given).take(DRAWN).tolist(), expected)

    def test_a_views_weights_are_those_of_its_records_in_its_order(self) -> None:
        whole = self.ds.column("weight")
        for view in (
            self.ds[150:20:-3],
            self.ds[[5, 3, 70, 2]],
            self.ds.where("label > 3"),
            self.ds.where("label > 3")[::-1],
        ):
            weights = whole[view.ordinals(range(len(view)))]
            expected = view.sampler(seed=1, weights="weight").take(DRAWN).tolist()
            for given in (weights, "weight * 1"):
                self.assertEqual(view.sampler(seed=1, weights=given).take(DRAWN).tolist(), expected, view)

    def test_each_record_is_drawn_in_proportion_to_its_number(self) -> None:
        ds = self.ds[:4]
        sampler = ds.sampler(weights=[1, 0, 3, np.nan])
        drawn: Counter[int] = Counter()
        for epoch in range(2000):
            sampler.set_epoch(epoch)
            drawn.update(sampler)
        self.assertEqual(set(drawn), {0, 2})
        # 8,000 draws, 2,000 of them expected to be of record 0: five deviations are 5 * sqrt(8000 * 3 / 16) = 194.
        self.assertLess(abs(drawn[0] - 2000), 194)

    def test_weights_of_records_that_are_gone_do_not_count(self) -> None:
        parts = [self.write(f"gaps/part-{part}", [example(number) for number in range(part * 50, part * 50 + 50)])
                 for part in range(4)]  # fmt: skip
        ofindex.build(self.dir / "gaps")
        parts[1].unlink()
        ofindex.update(self.dir / "gaps")
        ds = ofindex.open(self.dir / "gaps")
        self.assertEqual(len(ds), 150)
        expected = ds.sampler(seed=2, weights="weight").take(DRAWN).tolist()
        for given in (ds.column("weight"), "weight / 1.0"):
            self.assertEqual(ds.sampler(seed=2, weights=given).take(DRAWN).tolist(), expected)

    def test_a_state_resumes_with_the_same_numbers_only(self) -> None:
        weights = self.ds.column("weight").astype(np.float64)
        sampler = self.ds.sampler(seed=4, weights=weights)
        rows = list(sampler)
        sampler.set_epoch(0)
        half = iter(sampler)
        for _ in range(70):
            next(half)
        for other in (sampler, pickle.loads(pickle.dumps(sampler))):
            resumed = other if other is not sampler else self.ds.sampler(seed=0, weights=weights.copy())
            resumed.load_state_dict(sampler.state_dict())
            self.assertEqual(list(resumed), rows[70:])
        changed = weights.copy()
        changed[7] += 1
        with self.assertRaisesRegex(ofindex.StaleError, "order"):
            self.ds.sampler(weights=changed).load_state_dict(sampler.state_dict())

    def test_wrong_weights_are_refused(self) -> None:
        wrong: list[tuple[Any, type[Exception], str]] = [
            ([1.0] * 202, ValueError, "202 weights for 203 records"),
            ([-1.0] * 203, ValueError, "the weight of record 0 is -1"),
            ([1.0] * 202 + [np.inf], ValueError, "the weight of record 202 is inf"),
            ([[1.0] * 203], ValueError, "shape"),
            (["a"] * 203, TypeError, "numbers"),
            (None, ValueError, ""),
            ("weigth", ofindex.QueryError, "there is no column 'weigth'"),
            ("weight +", ofindex.QueryError, "SQL@8: the expression ends too early, after `weight \\+`"),
            ("", ofindex.QueryError, "SQL"),
            ("name || 'x'", ofindex.QueryError, "record 0: the expression is 'record 0x'; expected a number"),
            ("weight / sum(weight)", ofindex.QueryError, "aggregate"),
            ("SELECT weight FROM records", ofindex.QueryError, "a whole query; expected an expression"),
            ("weight), (2", ofindex.QueryError, "SQL@"),
        ]
        for weights, error, text in wrong:
            if weights is None:
                weights = [0.0] * 203  # nothing could be drawn
            with self.subTest(weights=weights), self.assertRaisesRegex(error, text):
                self.ds.sampler(weights=weights)

    def test_numbers_that_the_caller_changes_later_do_not_count(self) -> None:
        weights = np.ones(203)
        sampler = self.ds.sampler(seed=4, weights=weights)
        rows = sampler.take(DRAWN).tolist()
        weights[:] = 0
        weights[5] = 1
        state = sampler.state_dict()
        for other in (pickle.loads(pickle.dumps(sampler)), sampler):
            other.load_state_dict(state)
            self.assertEqual(other.take(DRAWN).tolist(), rows)

    def test_masked_integers_are_never_drawn(self) -> None:
        masked = np.ma.masked_array(np.arange(203), mask=np.arange(203) > 100)
        self.assertLess(max(self.ds.sampler(weights=masked).take(1000)), 101)

    def test_a_count_must_be_asked_for_by_its_name(self) -> None:
        payloads = [messages.encode("example", {"pair": ("int64", [number, 1])}) for number in range(20)]
        ds = ofindex.build(self.write("pairs", payloads))
        text = "feature 'pair' has no column of its values, only 'pair#count'"
        for wish in ({"balance": "pair"}, {"weights": "pair"}):
            with self.assertRaisesRegex(ofindex.QueryError, text):
                ds.sampler(**wish)
        for wish in ({"key": "pair"}, {"stratify": "pair"}):
            with self.assertRaisesRegex(ofindex.QueryError, text):
                ds.split({"a": 0.5}, **wish)
        self.assertEqual(len(ds.sampler(balance="pair#count").take(10)), 10)

    def test_the_repr_does_not_show_the_numbers(self) -> None:
        self.assertIn("weights=[...]", repr(self.ds.sampler(weights=[1.0] * 203)))
        self.assertIn("weights='weight'", repr(self.ds.sampler(weights="weight")))


if __name__ == "__main__":
    unittest.main()
