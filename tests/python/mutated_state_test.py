"""States of samplers and loaders, changed at random: each is refused with a documented exception, or loaded so that the
state afterwards loads into another object, which then reads the same.

OFINDEX_MUTATED_STATES is the number of changed states for each kind of object (default: 150).
"""

from __future__ import annotations

import copy
import json
import os
import random
import unittest
import warnings
from collections.abc import Callable
from itertools import islice
from typing import Any

import ofindex
from python.work import WorkTest, example

STATES = int(os.environ.get("OFINDEX_MUTATED_STATES", "150"))
RECORDS = 60
LABEL = {"label": ofindex.fixed("int64")}
REFUSED = (ofindex.StaleError, ValueError, TypeError)

#: What no state has, or has elsewhere.
VALUES: list[Any] = [
    None, True, -1, 0, 1, 2, 7, RECORDS - 1, RECORDS, RECORDS + 1, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63,
    (1 << 64) - 1, 1 << 64, 1 << 200, 1.0, 0.5, float("nan"), float("inf"), "", "1", "x" * 300, "block", b"1", [], {},
    [1], [[]], [[1, 2, 0, 0, 0, 5]], [[0, 5, 0, 0, 1, 0], [7, 9, 1, 0, 1, 40]], [[2, 1, 0, 0, 0, 0]], [[1, 2]],
    [["a"] * 6], [[0, (1 << 64) - 1, 0, 0, (1 << 64) - 1, 0]], {"epoch": 1}, "\x00", "\udc80",
]  # fmt: skip


def mutated(state: Any, rng: random.Random) -> Any:
    """A copy of `state`, which is a dict, with one to three changes."""
    state = copy.deepcopy(state)
    for _ in range(rng.randrange(1, 4)):
        keys = [*state, "skip", "step"]
        key = rng.choice(keys)
        change = rng.randrange(6)
        if change == 0:
            state.pop(key, None)
        elif change == 1:
            state[key] = state.get(rng.choice(keys))
        elif change == 2 and isinstance(state.get(key), int):
            state[key] += rng.choice([-1, 1, RECORDS, 1 << rng.randrange(64)])
        elif change == 3 and isinstance(state.get(key), str) and state[key]:
            at = rng.randrange(len(state[key]))
            state[key] = state[key][:at] + rng.choice("0a\x00é ") + state[key][at + 1 :]
        elif change == 4:
            state[rng.choice(["", "unknown", "law", "of", "windows"])] = rng.choice(VALUES)
        else:
            state[key] = rng.choice(VALUES)
    return state


def read(reader: Any) -> list[Any] | str:
    """What comes first, or why nothing does: a position within a batch is noticed when lengths are read."""
    try:
        items = list(islice(iter(reader), 5))
    except ofindex.StaleError as stale:
        return str(stale)
    return [item["label"].tolist() if isinstance(item, dict) else item for item in items]


class MutatedStateTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("data/", [example(number) for number in range(RECORDS)])
        self.ds = ofindex.build(self.dir / "data")

    def check(self, make: Callable[[], Any]) -> None:
        """Loads mutations of the states that objects made by `make` have."""
        states = []
        for items in (0, 1, 3):
            begun = make()
            iterator = iter(begun)
            list(islice(iterator, items))
            states.append(begun.state_dict())
        rng = random.Random(25)
        loaded = 0
        for number in range(STATES):
            state = mutated(rng.choice(states), rng)
            with self.subTest(number=number, state=state):
                loaded += self.load(make, state)
        self.assertGreater(loaded, 0)
        self.assertLess(loaded, STATES)

    def load(self, make: Callable[[], Any], state: Any) -> bool:
        reader = make()
        before = reader.state_dict()
        try:
            reader.load_state_dict(copy.deepcopy(state))
        except REFUSED as refused:
            self.assertTrue(str(refused))
            self.assertEqual(reader.state_dict(), before, "a refused state has changed what it was loaded into")
            return False
        after = reader.state_dict()
        saved = json.loads(json.dumps(after))
        again = make()
        again.load_state_dict(saved)
        self.assertEqual(again.state_dict(), after)
        self.assertEqual(read(again), read(reader))
        return True

    def test_samplers(self) -> None:
        for options in (
            {},
            {"rank": 1, "world_size": 2},
            {"weights": "weight"},
            {"balance": "label"},
            {"block": 8},
        ):
            with self.subTest(options=options):
                self.check(lambda options=options: self.ds.sampler(seed=3, **options))

    def test_samplers_of_views(self) -> None:
        self.check(lambda: self.ds.where("label > 3").sampler(seed=3))

    def test_samplers_of_mixes(self) -> None:
        mix = ofindex.mix([self.ds, self.ds.where("label = 3")], [1, 2])
        self.check(lambda: mix.sampler(seed=3))

    def test_iterators(self) -> None:
        self.check(lambda: iter(self.ds.sampler(seed=3)))

    def test_loaders(self) -> None:
        for options in ({}, {"skip": [(1, 2)]}, {"sampler": range(RECORDS)}):
            with self.subTest(options=options):
                self.check(lambda options=options: ofindex.Loader(self.ds, LABEL, 8, **options))

    def test_loaders_with_windows(self) -> None:
        budget = ofindex.LengthBatches(300, "_length", window=20)
        self.check(lambda: ofindex.Loader(self.ds, LABEL, length_batches=budget))

    def run(self, result: unittest.TestResult | None = None) -> unittest.TestResult | None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of records that are new or gone
            return super().run(result)
