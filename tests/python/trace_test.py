"""Steps of runs: what `trace` and `when` say, next to what Loaders really gave, under skips and resumes.

OFINDEX_TRACE_SCENARIOS is the number of scenarios.
"""

from __future__ import annotations

import copy
import itertools
import json
import os
import pickle
import random
import unittest
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import ofindex
from oracle import messages
from python.work import WorkTest

SCENARIOS = int(os.environ.get("OFINDEX_TRACE_SCENARIOS", "120"))
WEIGHT = {"weight": ofindex.fixed("float32")}
ROW = {"row": ofindex.ragged("int64")}  # a sequence to be packed
EPOCHS = 3

Given = dict[int, list[list[int]]]  # by step: the rows of each rank


class Run:
    """A run of all ranks. Its records have their row as weight, divided by 8."""

    def __init__(self, chance: random.Random, ds: Any, mix: Any) -> None:
        self.ds = mix if chance.random() < 0.2 else ds
        self.order: dict[str, Any] = {"seed": chance.randrange(99)}
        if self.ds is ds:
            self.order |= chance.choice([{}, {"weights": "label + 1"}, {"balance": "label"}, {"block": 5}])
        self.draw_batches(chance, windows=True)
        self.draw_ranks(chance)
        self.started_exact = self.tail == "exact" and not self.batches.get("drop_last")
        self.skip: list[tuple[int, int]] = []
        self.lasts: set[int] = set()  # the last steps of epochs

    def skips(self, step: int) -> bool:
        return any(first <= step < last for first, last in self.skip)

    def draw_batches(self, chance: random.Random, windows: bool) -> None:
        self.batches: dict[str, Any] = {"batch_size": chance.randint(1, 30), "drop_last": chance.random() < 0.3}
        self.features = WEIGHT
        if windows and chance.random() < 0.25:
            budget = ofindex.LengthBatches(
                chance.randint(10, 60), "label + 1", records=chance.choice([None, 4]), window=chance.choice([20, 40, 0])
            )
            self.features = ROW
            self.batches |= {"batch_size": chance.randint(1, 4), "length_batches": budget, "pack": "best_fit"}
        elif chance.random() < 0.4:
            budget = ofindex.LengthBatches(
                chance.randint(20, 120),
                "label + 1",
                padded=chance.random() < 0.5,
                window=chance.choice([0, 40]) if windows else 0,
            )
            self.batches = {"length_batches": budget}

    def draw_ranks(self, chance: random.Random) -> None:
        self.world = chance.randint(1, 3)
        self.tail = chance.choice(["exact", "pad", "drop"])

    def loader(self, rank: int) -> Any:
        place = {"rank": rank, "world_size": self.world, "tail": self.tail, "threads": 1, "prefetch": 2}
        return ofindex.Loader(self.ds, self.features, **self.batches, **self.order, **place, skip=self.skip)

    def loaders(self, state: dict[str, Any] | None) -> list[Any]:
        loaders = [self.loader(rank) for rank in range(self.world)]
        for loader in loaders:
            if state is not None:
                loader.load_state_dict(json.loads(json.dumps(state)))
        return loaders

    def play(self, loaders: list[Any], stop: int | None, epoch: int) -> tuple[Given, dict[str, Any]]:
        """Read up to `stop` steps, or to the last epoch's end. Returns what each step gave, and the state of rank 0."""
        given: Given = {}
        for _ in range(epoch, EPOCHS):
            iterators = [iter(loader) for loader in loaders]
            last = -1
            while True:
                if stop is not None and len(given) == stop:
                    return given, loaders[0].state_dict()
                batches = [next(iterator, None) for iterator in iterators]
                if batches[0] is None:
                    assert all(batch is None for batch in batches), "a rank reads more than rank 0"
                    self.lasts.add(last)
                    break
                last = loaders[0].step
                assert {loader.step for loader, batch in zip(loaders, batches, strict=True) if batch is not None} == {
                    last
                }
                assert last not in given, "two steps have one number"
                given[last] = [[] if batch is None else rows_of(batch) for batch in batches]
        return given, loaders[0].state_dict()


def example(number: int) -> bytes:
    label = number % 10
    features = {"label": [label], "row": [number] * (label + 1)}
    numbers = {name: ("int64", values) for name, values in features.items()}
    return messages.encode("example", {**numbers, "weight": ("float", [number / 8])})


def rows_of(batch: dict[str, Any]) -> list[int]:
    if "row" in batch:  # packed
        first = (batch["row_positions"] == 0) & (batch["row_segment_ids"] > 0)
        packed: list[int] = batch["row"][first].tolist()
        return packed
    return [int(weight * 8) for weight in batch["weight"].tolist()]


def by_step(loader: Any) -> dict[int, list[int]]:
    """Return what the next epoch of a Loader gives."""
    given = {}
    for batch in loader:
        given[loader.step] = rows_of(batch)
    return given


class TraceTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = ofindex.build(self.write("data/", [example(number) for number in range(97)]), columns="auto")
        parts = [
            ofindex.build(self.write("a/", [example(number) for number in range(20)]), columns="auto"),
            ofindex.build(self.write("b/", [example(number + 20) for number in range(50)]), columns="auto"),
        ]
        self.mix = ofindex.mix(parts, [2, 3])

    def test_trace_and_when_are_what_loaders_give(self) -> None:
        for seed in range(SCENARIOS):
            with self.subTest(seed=seed):
                self.check(random.Random(seed))

    def check(self, chance: random.Random) -> None:
        run = Run(chance, self.ds, self.mix)
        loaders = run.loaders(None)
        given, _ = run.play(loaders, None, 0)
        self.assertEqual(list(given), list(range(len(given))))
        self.check_steps(chance, run, loaders, given)
        if not given:
            return

        # Skipped steps are gone, and all others are as they were, with the numbers that they had.
        if chance.random() < 0.7:
            for _ in range(chance.randint(1, 3)):
                first = chance.randrange(len(given))
                run.skip.append((first, chance.randint(first, len(given) + 3)))
            loaders = run.loaders(None)
            kept, _ = run.play(loaders, None, 0)
            self.assertEqual(list(kept), [step for step in given if not run.skips(step)])
            for step in given:
                if run.skips(step):
                    self.assertEqual(loaders[0].trace(step).tolist(), [])
            for step, ranks in kept.items():
                if run.tail != "pad" or step not in run.lasts:  # a padded tail does not repeat what is skipped
                    self.assertEqual(ranks, given[step], step)
            self.check_steps(chance, run, loaders, kept)
            given = kept
            if not given:
                return

        # Stopped and resumed with the same ranks and batches, the script having the same skips, none, or more.
        stop = chance.randint(0, len(given) - 1)
        before, state = run.play(run.loaders(None), stop, 0)
        if not run.skip:
            self.assertEqual(state["step"], [*given, 1 + max(given)][stop])
        self.assertEqual(before, {step: given[step] for step in list(given)[:stop]})
        skipped = run.skip
        run.skip = chance.choice([[], skipped, [*skipped, (0, max(before, default=0))]])
        loaders = run.loaders(state)
        after, _ = run.play(loaders, None, state["epoch"])
        self.assertEqual(list(after), list(given)[stop:])
        for step, ranks in after.items():
            if run.tail != "pad" or step not in run.lasts:
                self.assertEqual(ranks, given[step], step)
        self.check_steps(chance, run, loaders, after, state["epoch"])

        # Resumed with other ranks, and perhaps other batches: what is to be skipped is the same records.
        run.draw_ranks(chance)
        if "windows" not in state:
            run.draw_batches(chance, windows=False)
        elif "pack" in run.batches:
            run.batches["batch_size"] = chance.randint(1, 4)
        run.skip = chance.choice([[], skipped])
        if "step" not in state and skipped:
            return
        loaders = run.loaders(state)
        after, _ = run.play(loaders, None, state["epoch"])
        self.check_steps(chance, run, loaders, after, state["epoch"])
        if run.tail == "exact" and not run.batches.get("drop_last") and not run.order.get("weights"):
            read = [row for ranks in [*before.values(), *after.values()] for rows in ranks for row in rows]
            if run.started_exact and run.ds is self.ds and "balance" not in run.order:
                everything = [row for ranks in given.values() for rows in ranks for row in rows]
                self.assertEqual(sorted(read), sorted(everything))
        again = pickle.loads(pickle.dumps(loaders[-1]))
        if "step" in loaders[-1].state_dict() and after:
            coming = again.step
            self.assertEqual(again.trace(coming).tolist(), loaders[-1].trace(coming).tolist())

    def check_steps(
        self, chance: random.Random, run: Run, loaders: list[Any], given: Given, first_epoch: int = 0
    ) -> None:
        for step in chance.sample(list(given), min(3, len(given))):
            rank = chance.randrange(run.world)
            self.assertEqual(chance.choice(loaders).trace(step, rank).tolist(), given[step][rank], (step, rank))
        places: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for step, ranks in given.items():
            for rank, rows in enumerate(ranks):
                for index, row in enumerate(rows):
                    places[row].append((step, rank, index))
        row = chance.randrange(len(run.ds))
        loader = chance.choice(loaders)
        found = [
            (reading.step, reading.rank, reading.index)
            for epoch in range(first_epoch, EPOCHS)
            for reading in loader.when(row, epoch)
        ]
        self.assertEqual(found, places[row], row)

    def test_a_sampler_skips_rows_of_each_rank_and_knows_when_it_reads_one(self) -> None:
        for ds in (self.ds, self.mix, self.ds.where("label > 2")[::-1]):
            orders = [list(ds.sampler(seed=4, rank=rank, world_size=3)) for rank in range(3)]
            for row in (0, 5, len(ds) - 1):
                readings = ds.sampler(seed=4, rank=1, world_size=3).when(row)
                expected = [(step, rank) for rank in range(3) for step, one in enumerate(orders[rank]) if one == row]
                self.assertEqual([(reading.step, reading.rank) for reading in readings], sorted(expected))
            sampler = ds.sampler(seed=4, rank=1, world_size=3, skip=[(2, 5), (9, 11)])
            kept = orders[1][:2] + orders[1][5:9] + orders[1][11:]
            self.assertEqual(list(sampler), kept)
            sampler.set_epoch(0)
            iterator = iter(sampler)
            read = [next(iterator) for _ in range(7)]
            again = pickle.loads(pickle.dumps(sampler))
            self.assertEqual(read + list(again), kept)
            resumed = ds.sampler(seed=4, rank=1, world_size=3)
            resumed.load_state_dict(json.loads(json.dumps(sampler.state_dict())))
            self.assertEqual(read + list(resumed), kept)

    def test_a_run_may_skip_other_rows_after_each_resume_however_often(self) -> None:
        whole = list(itertools.islice(self.ds.sampler(seed=4, rank=0, world_size=1), 80))
        read: list[int] = []
        state = None
        for begin in range(0, 80, 2):
            sampler = self.ds.sampler(seed=4, rank=0, world_size=1, skip=[(begin, begin + 1)])
            if state is not None:
                sampler.load_state_dict(state)
            read.append(next(iter(sampler)))
            state = sampler.state_dict()
            self.assertEqual(len(state["skip"]), 1)
        self.assertEqual(read, whole[1::2])

    def test_steps_go_on_when_the_dataset_grows(self) -> None:
        loader = ofindex.Loader(self.ds, WEIGHT, 10, seed=1)
        iterator = iter(loader)
        list(itertools.islice(iterator, 4))
        middle = loader.state_dict()
        list(iterator)
        end = loader.state_dict()
        self.assertEqual((middle["step"], end["step"]), (4, 10))
        self.write("data/part-2", [example(number) for number in range(97, 140)])
        ofindex.update(self.dir / "data")
        ds = ofindex.open(self.dir / "data")
        loader = ofindex.Loader(ds, WEIGHT, 10, seed=1, skip=[(6, 8), (12, 13)])
        with self.assertWarns(UserWarning):
            loader.load_state_dict(middle)
        given = by_step(loader)
        self.assertEqual(list(given), [4, 5, 8, 9])
        self.assertEqual(len(loader), 13)
        given |= by_step(loader)
        self.assertEqual(list(given), [4, 5, 8, 9, 10, 11, *range(13, 24)])
        for step, rows in given.items():
            self.assertEqual(loader.trace(step).tolist(), rows)
        self.assertEqual([one.step for one in loader.when(given[23][3])], [23])
        with self.assertRaisesRegex(IndexError, "step 3: expected 4 or more"):
            loader.trace(3)
        with self.assertWarns(UserWarning):
            loader.load_state_dict(end)
        self.assertEqual(
            {step: len(rows) for step, rows in by_step(loader).items()}, dict.fromkeys([10, 11, *range(13, 24)], 10)
        )

    def test_steps_are_counted_from_where_the_sampler_really_is(self) -> None:
        whole = [rows_of(batch) for batch in ofindex.Loader(self.ds, WEIGHT, 10, seed=1, rank=0, world_size=2)]
        sampler = self.ds.sampler(seed=1, rank=0, world_size=2, tail="pad")
        list(itertools.islice(sampler, 20))
        state = sampler.state_dict()
        sampler = self.ds.sampler(seed=1, rank=0, world_size=2, tail="pad")
        sampler.load_state_dict(state)
        loader = ofindex.Loader(self.ds, WEIGHT, 10, sampler=sampler)
        self.assertEqual(loader.step, 2)
        self.assertEqual(by_step(loader), dict(enumerate(whole[2:], start=2)))
        loader = ofindex.Loader(self.ds, WEIGHT, 10, seed=1, rank=0, world_size=2)
        loader.sampler.load_state_dict(state)
        self.assertEqual(by_step(loader), dict(enumerate(whole[2:], start=2)))
        loader.set_epoch(0)
        self.assertEqual(loader.step, 0)
        self.assertEqual(loader.state_dict()["step"], 0)
        self.assertEqual(loader.trace(1).tolist(), whole[1])
        self.assertEqual([rows_of(batch) for batch in loader], whole)
        loader.set_epoch(7)
        self.assertEqual(loader.step, 7 * len(whole))

    def test_what_a_sampler_says_stays_the_same_while_it_is_read(self) -> None:
        sampler = self.ds.sampler(seed=4, rank=0, world_size=3)
        before = sampler.when(7, 0)
        list(itertools.islice(sampler, 20))
        self.assertEqual(sampler.when(7, 0), before)
        list(sampler)
        self.assertEqual(sampler.when(7, 0), before)

    def test_an_iterators_state_keeps_its_skips(self) -> None:
        plain = self.ds.sampler(seed=4, rank=0, world_size=3)
        skipping = self.ds.sampler(seed=4, rank=0, world_size=3, skip=[(5, 9)])
        order = list(plain)
        kept = order[:5] + order[9:]
        for of_state, into, expected in ((skipping, plain, kept), (plain, skipping, kept), (skipping, skipping, kept)):
            of_state.set_epoch(0)
            begun = iter(of_state)
            read = [next(begun) for _ in range(3)]
            into.set_epoch(0)
            iterator = iter(into)
            iterator.load_state_dict(begun.state_dict())
            self.assertEqual(read + list(iterator), expected)

    def test_a_state_of_length_batches_skips_once_whether_or_not_steps_were_asked_for(self) -> None:
        def make() -> Any:
            budget = ofindex.LengthBatches(60, "label + 1")
            return ofindex.Loader(self.ds, WEIGHT, length_batches=budget, skip=[(3, 5)], rank=0, world_size=1)

        whole = [rows_of(batch) for batch in make()]
        loader = make()
        read = [rows_of(next(iter(loader)))]
        again = make()
        again.load_state_dict(loader.state_dict())
        self.assertEqual(read + [rows_of(batch) for batch in again], whole)
        for twin in (pickle.loads(pickle.dumps(loader)), copy.copy(loader)):
            self.assertEqual(read + [rows_of(batch) for batch in twin], whole)
        for twin in (pickle.loads(pickle.dumps(make())), copy.copy(make())):
            self.assertEqual([rows_of(batch) for batch in twin], whole)

    def test_a_loader_leaves_no_skips_to_the_next_one_with_its_sampler(self) -> None:
        sampler = self.ds.sampler(seed=1)
        whole = [rows_of(batch) for batch in ofindex.Loader(self.ds, WEIGHT, 4, sampler=self.ds.sampler(seed=1))]
        for skip in ([(10, 12)], [(10, 12)], []):
            sampler.set_epoch(0)
            loader = ofindex.Loader(self.ds, WEIGHT, 4, sampler=sampler, skip=skip)
            self.assertEqual([rows_of(batch) for batch in loader], whole[:10] + whole[12 if skip else 10 :])

    def test_a_load_that_fails_changes_nothing(self) -> None:
        for budget in ({}, {"length_batches": ofindex.LengthBatches(60, "label + 1")}):
            loader = ofindex.Loader(self.ds, WEIGHT, seed=3, **budget, **({} if budget else {"batch_size": 8}))
            next(iter(loader))
            state, trace = loader.state_dict(), loader.trace(4).tolist()
            many = [[100 + n, 101 + n, 3, n, 3, n + 1] for n in range(0, 64, 2)]
            loader._skip = [(5, 6)]
            with self.assertRaisesRegex(ValueError, "32 or fewer"):
                loader.load_state_dict({**state, "skip": many})
            self.assertEqual(loader.state_dict(), state)
            self.assertEqual(loader.trace(4).tolist(), trace)

    def test_requests_that_cannot_be_met_are_refused(self) -> None:
        loader = ofindex.Loader(self.ds, WEIGHT, 10, seed=1, rank=0, world_size=2)
        foreign = ofindex.Loader(self.ds, WEIGHT, 10, sampler=range(97))
        lengths = ofindex.Loader(self.ds, WEIGHT, length_batches=ofindex.LengthBatches(40, "label + 1"))
        none = ofindex.Loader(self.ds[:0], WEIGHT, 10)
        refused: list[tuple[type[Exception], str, Callable[[], Any]]] = [
            (TypeError, r"skip=5: expected pairs of steps", lambda: ofindex.Loader(self.ds, WEIGHT, skip=5)),  # type: ignore[arg-type]
            (TypeError, r"skip=\[5\]: expected pairs", lambda: self.ds.sampler(skip=[5])),  # type: ignore[list-item]
            (ValueError, r"expected pairs of steps", lambda: self.ds.sampler(skip=[(5, 4)])),
            (ValueError, "32 or fewer", lambda: self.ds.sampler(skip=[(2 * n, 2 * n + 1) for n in range(33)])),
            (TypeError, "skip=True: expected pairs", lambda: self.ds.sampler(skip=True)),  # type: ignore[arg-type]
            (
                ValueError,
                "give skip= to the Loader",
                lambda: ofindex.Loader(self.ds, WEIGHT, 10, self.ds.sampler(skip=[(1, 2)])),
            ),
            (TypeError, "cannot be counted", lambda: ofindex.Loader(self.ds, WEIGHT, sampler=range(9), skip=[(1, 2)])),
            (TypeError, "cannot be counted", lambda: foreign.trace(1)),
            (TypeError, "cannot be counted", lambda: foreign.step),
            (ValueError, "step=-1", lambda: loader.trace(-1)),
            (ValueError, "rank=2: expected 0 to 1", lambda: loader.trace(0, 2)),
            (IndexError, "record 97: expected -97 to 96", lambda: loader.when(97)),
            (IndexError, "record 97: expected -97 to 96", lambda: self.ds.sampler().when(97)),
            (IndexError, "step 0: no later epoch has a step", lambda: none.trace(0)),
            (IndexError, "record 0: expected", lambda: none.when(0)),
            (IndexError, "expected one of 1,000 epochs", lambda: lengths.trace(10**9)),
        ]
        for kind, text, request in refused:
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                request()
        self.assertEqual(lengths.trace(3).tolist(), rows_of(list(lengths)[3]))
        self.assertEqual(loader.when(-1), loader.when(96))
        self.assertNotIn("step", foreign.state_dict())
        state = loader.state_dict()
        for wrong in (
            {"step": -1},
            {"step": "1"},
            {"skip": [[1, 2, 3]]},
            {"skip": 7},
            {"skip": [[1, 2, 3, 4, 5, -6]]},
            {"skip": [[9, 0, 0, 8, 0, 12]]},
            {"skip": [[1, 2, 0, 8, 0, 3]]},
        ):
            with self.subTest(wrong), self.assertRaises(ValueError):
                loader.load_state_dict({**state, **wrong})
        loader.load_state_dict({name: value for name, value in state.items() if name != "step"})
        self.assertEqual(loader.step, 0)
        for budget in ({}, {"length_batches": ofindex.LengthBatches(40, "label + 1")}):
            far = ofindex.Loader(self.ds, WEIGHT, **budget, skip=[(2, 2**62)])
            self.assertEqual(sum(1 for _ in far), 1 if not budget else 2)
            self.assertEqual(list(ofindex.Loader(self.ds[:0], WEIGHT, **budget, skip=[(1, 2)])), [])
        array = ofindex.Loader(self.ds, WEIGHT, 10, skip=np.array([[0, 2], [3, 4]]))  # type: ignore[arg-type]
        self.assertEqual(array.step, 2)


if __name__ == "__main__":
    unittest.main()
