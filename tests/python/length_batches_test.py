"""Batches of a budget: Loader(..., length_batches=)."""

from __future__ import annotations

import json
import math
import pickle
import unittest
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import numpy as np
import ofindex
from ofindex import LengthBatches
from oracle import messages
from python.work import WorkTest

FEATURES = {"id": ofindex.fixed("int64"), "ids": ofindex.ragged("int64")}
COUNT = 211


def length_of(number: int) -> int:
    return 60 if number % 50 == 7 else number * number % 23 + 1


def example(number: int) -> bytes:
    return messages.encode(
        "example",
        {
            "id": ("int64", [number]),
            "tokens": ("int64", [length_of(number)]),
            "half": ("float", [length_of(number) / 2]),
            "signed": ("int64", [number - 5]),
            "ids": ("int64", [number] * length_of(number)),
        },
    )


def fits(budget: LengthBatches, lengths: list[int]) -> bool:
    if budget.records is not None and len(lengths) > budget.records:
        return False
    return (max(lengths) * len(lengths) if budget.padded else sum(lengths)) <= budget.total


def cut(budget: LengthBatches, order: list[int], lengths: dict[int, int]) -> list[list[int]]:
    """The batches of an order: each takes the next records as long as they fit."""
    batches: list[list[int]] = []
    for number in order:
        if batches and fits(budget, [lengths[one] for one in [*batches[-1], number]]):
            batches[-1].append(number)
        else:
            batches.append([number])
    return batches


def expected_batches(budget: LengthBatches, order: list[int], lengths: dict[int, int]) -> list[list[int]]:
    """The batches of a whole epoch, as docs/sampling.md specifies them."""
    if not budget.window:
        return cut(budget, order, lengths)
    batches: list[list[int]] = []
    for begin in range(0, len(order), budget.window):
        drawn = order[begin : begin + budget.window]
        inside = cut(budget, sorted(drawn, key=lambda number: lengths[number]), lengths)
        batches += sorted(inside, key=lambda batch: drawn.index(batch[0]))
    return batches


def of_rank(batches: list[list[int]], rank: int, world: int, tail: str) -> list[list[int]]:
    """The batches that a rank reads, of those that all ranks read from where they begin."""
    own = batches[rank::world]
    steps = {"exact": len(own), "drop": len(batches) // world, "pad": math.ceil(len(batches) / world)}[tail]
    if len(own) < steps:
        own = [*own, batches[min(rank - len(batches) % world, len(batches) - 1)]]
    return own[:steps]


def ids(batch: dict[str, Any]) -> list[int]:
    """The records of a batch, whose other feature is checked."""
    numbers: list[int] = batch["id"].tolist()
    assert batch["ids"].tolist() == [[number] * length_of(number) for number in numbers]
    return numbers


BUDGETS = [
    LengthBatches(100, "tokens"),
    LengthBatches(100, "tokens", records=5),
    LengthBatches(100, "tokens", padded=True),
    LengthBatches(100, "tokens", padded=True, window=64),
    LengthBatches(80, "tokens", records=9, window=1000),
    LengthBatches(1, "tokens", window=10),
    LengthBatches(10**12, "tokens"),
]


class LengthBatchesTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.numbered("data/")
        self.lengths = {number: length_of(number) for number in range(COUNT)}

    def numbered(self, name: str, count: int = COUNT) -> ofindex.Dataset:
        data = self.write(name, [example(number) for number in range(count)])
        return ofindex.build(data, columns="auto")

    def loader(self, budget: LengthBatches, ds: Any = None, **options: Any) -> ofindex.Loader:
        ds = self.ds if ds is None else ds
        order = {} if "sampler" in options else {"seed": 4}
        return ofindex.Loader(ds, FEATURES, length_batches=budget, **{**order, "threads": 2, **options})

    def test_batches_are_those_of_the_algorithm_for_each_rank_and_tail(self) -> None:
        for budget in BUDGETS:
            for epoch in range(2):
                order = list(self.ds.sampler(seed=4, epoch=epoch, rank=0, world_size=1))
                whole = expected_batches(budget, order, self.lengths)
                self.assertEqual(sorted(chain.from_iterable(whole)), list(range(COUNT)))
                for world in (1, 2, 3):
                    for tail in ("exact", "pad", "drop"):
                        for rank in range(world):
                            loader = self.loader(budget, rank=rank, world_size=world, tail=tail)
                            loader.set_epoch(epoch)
                            expected = of_rank(whole, rank, world, tail)
                            self.assertEqual(len(loader), len(expected), (budget, world, tail))
                            got = [ids(batch) for batch in loader]
                            self.assertEqual(got, expected, (budget, world, tail, rank))

    def test_other_orders_are_cut_as_they_come(self) -> None:
        view = self.ds.where("tokens > 3")[::-1]
        budget = LengthBatches(90, "tokens", window=50)
        for ds, wish in ((self.ds, {"balance": "tokens"}), (self.ds, {"block": 8}), (view, {"weights": "tokens"})):
            numbers = ds.batch(range(len(ds)), {"id": ofindex.fixed("int64")})["id"].tolist()
            order = [numbers[row] for row in ds.sampler(seed=4, **wish)]
            whole: list[list[int]] = []
            for begin in range(0, len(order), 50):
                places = list(range(begin, min(len(order), begin + 50)))  # a record may occur more than once
                by_place = {place: length_of(order[place]) for place in places}
                inside = cut(budget, sorted(places, key=by_place.__getitem__), by_place)
                whole += [[order[place] for place in batch] for batch in sorted(inside, key=lambda one: one[0])]
            self.assertEqual([ids(batch) for batch in self.loader(budget, ds, **wish)], whole, wish)

    def test_lengths_are_payload_bytes_a_column_an_expression_or_numbers(self) -> None:
        order = list(self.ds.sampler(seed=4))
        sizes = {number: len(self.ds[number]) for number in range(COUNT)}
        self.assertEqual(
            [ids(batch) for batch in self.loader(LengthBatches(900))], cut(LengthBatches(900), order, sizes)
        )
        halves = {number: math.ceil(length_of(number) / 2) for number in range(COUNT)}
        numbers = np.array([length_of(number) / 2 for number in range(COUNT)])
        for by in ("half", "tokens / 2.0", numbers, numbers.tolist()):
            budget = LengthBatches(40, by)
            self.assertEqual([ids(batch) for batch in self.loader(budget)], cut(budget, order, halves), budget)

    def test_a_mix_and_any_sampler_have_length_batches(self) -> None:
        other = self.numbered("other/", 60)
        mix = ofindex.mix([self.ds, other], [1, 1])
        rows = [number if number < COUNT else number - COUNT for number in range(COUNT + 60)]
        by_row = {row: length_of(number) for row, number in enumerate(rows)}
        numbers = np.array([length_of(number) for number in rows])
        for by in ("tokens", "tokens + 0", numbers):
            for window in (0, 40):
                budget = LengthBatches(70, by, window=window)
                order = list(mix.sampler(seed=4))
                places = {place: by_row[row] for place, row in enumerate(order)}  # a mix repeats records
                whole = expected_batches(budget, list(places), places)
                whole = [[rows[order[place]] for place in batch] for batch in whole]
                for rank in range(2):
                    loader = self.loader(budget, mix, rank=rank, world_size=2)
                    self.assertEqual(len(loader), len(of_rank(whole, rank, 2, "pad")))
                    self.assertEqual([ids(batch) for batch in loader], of_rank(whole, rank, 2, "pad"))
        budget = LengthBatches(70, "tokens", window=16)
        loader = self.loader(budget, sampler=range(100))
        expected = expected_batches(budget, list(range(100)), self.lengths)
        self.assertEqual([ids(batch) for batch in islice(loader, 9)], expected[:9])
        resumed = self.loader(budget, sampler=range(100))
        resumed.load_state_dict(loader.state_dict())
        self.assertEqual([ids(batch) for batch in resumed], expected[9:])
        with self.assertRaisesRegex(TypeError, "no length"):
            len(loader)

    def test_an_epoch_goes_on_from_a_state_with_other_ranks_and_each_record_is_read_once(self) -> None:
        for budget in BUDGETS:
            for worlds in ((1, 2, 3), (3, 1), (2, 3, 1)):
                read: list[int] = []
                state = None
                for steps, world in zip((2, 3, None), worlds, strict=False):
                    if world == worlds[-1]:
                        steps = None
                    states = []
                    for rank in range(world):
                        loader = self.loader(budget, rank=rank, world_size=world, tail="exact")
                        if state is not None:
                            loader.load_state_dict(state)
                        left = len(loader)
                        batches = [ids(batch) for batch in islice(loader, steps)]
                        self.assertEqual(len(batches), left if steps is None else min(left, steps))
                        for batch in batches:
                            lengths = [length_of(number) for number in batch]
                            self.assertTrue(len(batch) == 1 or fits(budget, lengths), (budget, batch))
                        read += chain.from_iterable(batches)
                        states.append(json.loads(json.dumps(loader.state_dict())))
                        self.assertLess(len(json.dumps(states[-1])), 1024)
                    state = states[0]
                    if state["epoch"] == 1:
                        break
                self.assertEqual(sorted(read), list(range(COUNT)), (budget, worlds))

    def test_a_state_and_a_pickle_resume_in_the_middle_of_an_epoch(self) -> None:
        for budget in BUDGETS:
            loader = self.loader(budget)
            whole = [[ids(batch) for batch in loader] for _ in range(2)]
            loader.set_epoch(0)
            for taken in {0, 1, len(whole[0]) // 2, len(whole[0])}:
                loader.set_epoch(1)
                loader.set_epoch(0)
                iterator = iter(loader)
                self.assertEqual(len(iterator), len(whole[0]))
                self.assertEqual([ids(batch) for batch in islice(iterator, taken)], whole[0][:taken])
                self.assertEqual(len(iterator), len(whole[0]) - taken)
                fresh = self.loader(budget, seed=0)
                fresh.load_state_dict(loader.state_dict())
                for resumed in (fresh, pickle.loads(pickle.dumps(loader))):
                    self.assertEqual(resumed.state_dict(), loader.state_dict())
                    self.assertEqual(len(resumed), len(whole[0]) - taken)
                    self.assertEqual([ids(batch) for batch in resumed], whole[0][taken:])
                    self.assertEqual(len(resumed), len(whole[1]))
                    self.assertEqual([ids(batch) for batch in resumed], whole[1])

    def test_states_of_windows_are_for_the_same_windows_and_others_for_all(self) -> None:
        window = LengthBatches(100, "tokens", window=64)
        loader = self.loader(window)
        next(iter(loader))
        state = loader.state_dict()
        plain = ofindex.Loader(self.ds, FEATURES, 16)
        others = [
            LengthBatches(100, "tokens"),
            LengthBatches(101, "tokens", window=64),
            LengthBatches(100, "tokens", window=65),
            LengthBatches(100, "half", window=64),
            LengthBatches(100, "tokens", window=64, padded=True),
            LengthBatches(100, "tokens", window=64, records=50),
        ]
        for budget in others[1:]:
            with self.assertRaisesRegex(ofindex.StaleError, "other length batches"):
                self.loader(budget).load_state_dict(state)
        for other in (plain, self.loader(others[0])):
            with self.assertRaisesRegex(ofindex.StaleError, "length batches with a window: give the same"):
                other.load_state_dict(state)
        with self.assertRaisesRegex(ValueError, "its schema is not"):
            self.ds.sampler().load_state_dict(state)
        with self.assertRaisesRegex(ofindex.StaleError, "other length batches"):
            loader.load_state_dict(plain.state_dict())
        cut_in_order = self.loader(others[0])
        read = [ids(batch) for batch in islice(cut_in_order, 3)]
        plain.load_state_dict(cut_in_order.state_dict())
        read += [ids(batch) for batch in plain]
        self.assertEqual(list(chain.from_iterable(read)), list(self.ds.sampler(seed=4)))

    def test_torch_yields_the_same_batches_bit_for_bit(self) -> None:
        try:
            import ofindex.torch
        except ImportError:
            self.skipTest("torch is not installed")
        for budget in BUDGETS:
            for rank in range(2):
                place = {"rank": rank, "world_size": 2, "seed": 9, "length_batches": budget}
                numpy = list(ofindex.Loader(self.ds, FEATURES, **place))
                tensors = list(ofindex.torch.Loader(self.ds, FEATURES, **place))
                self.assertEqual(len(numpy), len(tensors))
                for one, other in zip(numpy, tensors, strict=True):
                    self.assertEqual(one["id"].tobytes(), other["id"].numpy().tobytes())
                    self.assertEqual(one["ids"].values.tobytes(), other["ids"].values.numpy().tobytes())
                    self.assertEqual(one["ids"].offsets.tobytes(), other["ids"].offsets.numpy().tobytes())

    def test_a_transform_gets_each_batch(self) -> None:
        loader = self.loader(BUDGETS[3], transform=ids)
        self.assertEqual(list(loader), [ids(batch) for batch in self.loader(BUDGETS[3])])

    def test_wrong_arguments_are_refused(self) -> None:
        budget = BUDGETS[0]
        for wish, error, text in (
            ({"length_batches": budget, "batch_size": 16}, ValueError, "batch_size does not apply to length_batches"),
            ({"length_batches": budget, "drop_last": True}, ValueError, "drop_last does not apply to length_batches"),
            ({"length_batches": 4096}, TypeError, r"not int\nwrite ofindex.LengthBatches\(4096\)"),
            ({"length_batches": LengthBatches(9, "token")}, ofindex.QueryError, "tokens"),
            ({"length_batches": LengthBatches(9, "token +")}, ofindex.QueryError, "token"),
            ({"length_batches": LengthBatches(9, [1, 2])}, ValueError, "2 lengths for 211 records"),
        ):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                ofindex.Loader(self.ds, FEATURES, **wish)
        for arguments in ({"total": 0}, {"total": 9, "records": 0}, {"total": 9, "window": 2**24 + 1}):
            with self.assertRaisesRegex(ValueError, "expected"):
                LengthBatches(**arguments)
        with self.assertRaisesRegex(TypeError, "lengths are a column"):
            LengthBatches(9, ["a"])
        with self.assertRaises(ValueError):
            ofindex.Loader(self.ds, FEATURES, batch_size=0)

    def test_a_record_without_a_length_is_an_error_when_it_is_reached(self) -> None:
        missing = np.full(COUNT, 1.0)
        missing[17] = np.nan
        masked = np.ma.masked_array(np.full(COUNT, 1), mask=np.arange(COUNT) == 17)
        for by, text in (
            ("signed", "has no length"),
            (missing, "record 17 has no length"),
            (masked, "record 17 has no length"),
        ):
            loader = self.loader(LengthBatches(50, by))
            with self.assertRaisesRegex(ValueError, text):
                list(loader)
            with self.assertRaisesRegex(ValueError, text):
                len(loader)

    def test_an_exception_of_a_sampler_reaches_the_loop(self) -> None:
        class Failing:
            def __iter__(self) -> Iterator[int]:
                yield from range(100)
                raise KeyError("no more")

        with self.assertRaisesRegex(KeyError, "no more"):
            list(self.loader(LengthBatches(50, "tokens"), sampler=Failing()))

    def test_a_wrong_record_is_told_before_an_exception_of_a_later_draw(self) -> None:
        class Failing:
            def __iter__(self) -> Iterator[int]:
                yield from range(4500)
                raise KeyError("the order")

        wrong = messages.encode("example", {"id": ("bytes", [b"x"])})
        ds = ofindex.build(self.write("wrong/", [*map(example, range(3)), wrong]))
        numbers = np.zeros(4500, np.int64)
        numbers[1500] = 3
        for _ in range(50):
            budget = LengthBatches(10**9, records=1000)
            with self.assertRaises(ofindex.FeatureError):
                list(self.loader(budget, ds[numbers], sampler=Failing(), threads=3))

    def test_it_reads_as_what_it_is(self) -> None:
        budget = LengthBatches(8, "tokens", records=3, padded=True, window=16)
        self.assertEqual(repr(budget), "LengthBatches(8, by='tokens', records=3, padded=True, window=16)")
        self.assertEqual(repr(pickle.loads(pickle.dumps(budget))), repr(budget))
        self.assertEqual(repr(LengthBatches(8, np.ones(3))), "LengthBatches(8, by=[...])")
        self.assertIn("length_batches=LengthBatches(8, by='tokens'", repr(self.loader(budget)))


if __name__ == "__main__":
    unittest.main()
