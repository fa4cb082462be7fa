"""ofindex.mix: proportions, epochs, ranks, states, batches."""

from __future__ import annotations

import json
import pickle
import unittest
from collections import Counter
from itertools import chain
from typing import Any
from unittest import mock

import numpy as np
import ofindex
from python.work import FEATURES, WorkTest, example, orders_of


class MixTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.a = self.examples(60, "a/")
        self.b = ofindex.build(self.write("b/", [example(number) for number in range(100, 140)]))
        self.payloads = [*self.a, *self.b]


class SequenceTest(MixTest):
    def test_a_mix_is_the_concatenation_of_its_datasets(self) -> None:
        mix = ofindex.mix([self.a, self.b])
        self.assertEqual(len(mix), 100)
        self.assertEqual(list(mix), self.payloads)
        for number in (0, 59, 60, 99, -1, -40, -41, -100, np.int64(61)):
            self.assertEqual(mix[number], self.payloads[number], number)
        for number in (100, -101, 2**70):
            with self.assertRaises(IndexError):
                mix[number]
        for no_number in (True, False, 1.0, "1", None):
            with self.assertRaises(TypeError, msg=repr(no_number)):
                mix[no_number]
        self.assertEqual(mix.__getitems__([99, 0, 60, 0, -1]), [self.payloads[i] for i in (99, 0, 60, 0, -1)])
        self.assertEqual(mix.record(61)["name"], [b"record 101"])
        self.assertEqual([mix.place(number) for number in (59, 60, -1)], [(0, 59), (1, 0), (1, 39)])

    def test_a_batch_spans_all_datasets_in_the_requested_order(self) -> None:
        views = [self.a.where("label > 4")[::-1], self.b, self.a[[3, 1, 3]]]
        mix = ofindex.mix(views)
        numbers = [0, 72, 30, 71, 29, -1, 0, 70, -3]
        batch = mix.batch(numbers, FEATURES)
        expected = ofindex.decode([list(mix)[number] for number in numbers], FEATURES)
        self.assertEqual(batch["label"].tolist(), expected["label"].tolist())
        self.assertEqual(batch["weight"].tolist(), expected["weight"].tolist())
        self.assertEqual(batch["name"], expected["name"])
        self.assertEqual(batch["boxes"], expected["boxes"])
        self.assertEqual(len(mix.batch([], FEATURES)["label"]), 0)
        for wrong in ([73], [0, -74], np.array([2**40])):
            with self.assertRaises(IndexError):
                mix.batch(wrong, FEATURES)

    def test_a_view_of_a_mix_has_its_records_in_the_order_asked_for(self) -> None:
        mix = ofindex.mix([self.a, self.b], [2, 3])
        for rows in (range(99, -1, -1), range(95, 5, -7), range(10, 90, 7), [70, 3, 80, 3], range(40, 70)):
            asked = slice(rows.start, rows.stop, rows.step) if rows[-1] and isinstance(rows, range) else list(rows)
            view = mix[asked]
            self.assertEqual(list(view), [self.payloads[row] for row in rows], rows)
            self.assertEqual(list(view[1:3]), [self.payloads[row] for row in rows[1:3]], rows)

    def test_invalid_arguments_of_a_mix_are_errors(self) -> None:
        for datasets, weights in (
            ([], None),
            ([self.a], [1, 2]),
            ([self.a, self.b], [1]),
            ([self.a, self.b], [1, -1]),
            ([self.a, self.b], [1, float("nan")]),
            ([self.a, self.b], [1, float("inf")]),
            ([self.a, self.b], [0, 0]),
            ([self.a, self.b[:0]], [1, 1]),
        ):
            with self.assertRaises(ValueError, msg=repr(weights)):
                ofindex.mix(datasets, weights)
        self.assertEqual(len(list(ofindex.mix([self.a, self.b[:0]], [1, 0]).sampler())), 60)
        for datasets in ([self.a, [b"payload"]], [ofindex.mix([self.a]), self.b], [None]):
            with self.assertRaises(TypeError):
                ofindex.mix(datasets)
        mix = ofindex.mix([self.a, self.b])
        for wish in ({"tail": "both"}, {"rank": 2, "world_size": 2}, {"world_size": 0}, {"rank": -1}):
            with self.assertRaises(ValueError, msg=repr(wish)):
                mix.sampler(**wish)
        with self.assertRaises(TypeError):
            mix.sampler(weights="label")

    def test_records_read_in_a_batch_equal_those_read_one_by_one(self) -> None:
        views = [self.a.where("label > 4")[::-1], self.a[:0], self.b, self.a[[3, 1, 3]]]
        mix = ofindex.mix(views, [1, 0, 2, 1])
        rng = np.random.default_rng(0)
        for count in (0, 1, 2, 7, 100, 1000):
            numbers = rng.integers(-len(mix), len(mix), count)
            expected = [mix[number] for number in numbers]
            for form in (numbers, numbers.tolist(), tuple(numbers), iter(numbers), (int(number) for number in numbers)):
                self.assertEqual(mix.__getitems__(form), expected, (count, type(form)))
        self.assertEqual(mix.__getitems__(range(72, -1, -1)), list(mix)[::-1])
        self.assertEqual(mix.ordinals(iter([30, 0])).tolist(), mix.ordinals([30, 0]).tolist())
        read, getitems = [], ofindex.Dataset.__getitems__

        def watched(ds: ofindex.Dataset, rows: Any) -> list[bytes]:
            read.append(rows.tolist())
            return getitems(ds, rows)

        with mock.patch.object(ofindex.Dataset, "__getitems__", watched):
            mix.__getitems__([5, 72, 0, -2, 31, 5])
        self.assertEqual(read, [[5, 0, 5], [1], [2, 1]])  # each dataset is read once
        for wrong, error in (([73], IndexError), ([0, -74], IndexError), ([1.5], TypeError), (["1"], TypeError)):
            with self.assertRaises(error, msg=repr(wrong)):
                mix.__getitems__(wrong)  # type: ignore[arg-type]

    def test_an_epoch_beyond_the_last_position_is_an_error(self) -> None:
        mix = ofindex.mix([self.a, self.b], [3, 1])
        last = 2**63 // 100 - 1  # positions of the endless order are below 2^63
        self.assertEqual(sorted(mix.sampler(epoch=last)), sorted(mix.sampler(epoch=last).take(100).tolist()))
        sampler = mix.sampler(seed=1, epoch=7)
        expected = sampler.take(100).tolist()
        for epoch, error in (
            (-1, ValueError),
            (last + 1, ValueError),
            (2**64, ValueError),
            (1.5, TypeError),
            ("1", TypeError),
        ):
            with self.assertRaises(error, msg=repr(epoch)):
                sampler.set_epoch(epoch)  # type: ignore[arg-type]
            with self.assertRaises(error, msg=repr(epoch)):
                mix.sampler(epoch=epoch)  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            sampler.load_state_dict({**sampler.state_dict(), "epoch": last + 1})
        self.assertEqual((sampler.epoch, list(sampler)), (7, expected))

    def test_the_count_of_take_must_be_an_integer_of_64_bits(self) -> None:
        sampler = ofindex.mix([self.a, self.b], [3, 1]).sampler(seed=1)
        self.assertEqual(sampler.take(0).tolist(), [])
        self.assertEqual(sampler.take(2**64 - 1).tolist(), list(sampler))
        for count, error in ((-1, ValueError), (2**64, ValueError), (1.5, TypeError), ("1", TypeError)):
            with self.assertRaises(error, msg=repr(count)):
                sampler.take(count)  # type: ignore[arg-type]

    def test_the_world_size_may_exceed_any_epoch(self) -> None:
        mix = ofindex.mix([self.a, self.b], [3, 1])
        whole = list(mix.sampler(seed=1))
        for rank in (0, 99, 100, 2**63 - 1, 2**64 - 2):
            sampler = mix.sampler(1, rank=rank, world_size=2**64 - 1, tail="pad")
            self.assertEqual(list(sampler), [whole[rank % 100]])

    def test_a_mix_can_be_pickled_and_has_a_stable_repr(self) -> None:
        mix = ofindex.mix([self.a, self.b.where("label = 3")], [2, 1])
        twin = pickle.loads(pickle.dumps(mix))
        self.assertEqual(list(twin), list(mix))
        self.assertEqual((twin, hash(twin), repr(twin)), (mix, hash(mix), repr(mix)))
        self.assertNotEqual(mix, ofindex.mix(mix.datasets, [1, 2]))
        self.assertNotEqual(mix, self.a)
        self.assertNotIn(" at 0x", repr(mix))


class SamplerTest(MixTest):
    def sources(self, mix: ofindex.Mix, rows: list[int]) -> list[int]:
        return [mix.place(row)[0] for row in rows]

    def test_proportions_are_exact_within_a_cycle(self) -> None:
        for weights, cycle in (([3, 1], 4), ([0.7, 0.3], 10), ([1, 1], 2), (None, 5), ([1, 0], 1)):
            mix = ofindex.mix([self.a, self.b], weights)
            shares = [weight / sum(mix.weights) for weight in mix.weights]
            sources = self.sources(mix, list(mix.sampler(seed=1)))
            for begin in range(0, len(sources) - cycle + 1, cycle):
                counts = Counter(sources[begin : begin + cycle])
                for source, share in enumerate(shares):
                    self.assertAlmostEqual(counts[source], share * cycle, msg=f"{weights} from {begin}")

    def test_every_record_of_a_source_is_read_before_any_is_repeated(self) -> None:
        for weights in ([3, 1], [1, 3], None):
            mix = ofindex.mix([self.a, self.b], weights)
            rows = list(chain(*orders_of(mix.sampler(seed=5), 8)))
            for source, size in enumerate((60, 40)):
                own = [row for row in rows if mix.place(row)[0] == source]
                first = own[:size]
                self.assertEqual(len(set(first)), size, (weights, source))
                times = Counter(own)
                # Where one epoch of a source ends and the next begins, they overlap by less than a cycle.
                self.assertLessEqual(max(times.values()) - min(times.values()), 2, (weights, source))
                self.assertNotEqual(own[:size], own[size : 2 * size])

    def test_each_dataset_of_a_mix_has_an_order_of_its_own(self) -> None:
        rows = list(ofindex.mix([self.a, self.a]).sampler(seed=5))
        first, second = [row for row in rows if row < 60], [row - 60 for row in rows if row >= 60]
        self.assertEqual(sorted(first), sorted(second))
        self.assertNotEqual(first, second)

    def test_a_row_is_found_in_its_own_epoch_only(self) -> None:
        sampler = ofindex.mix([self.a, self.b], [2, 3]).sampler(seed=6)
        for epoch in range(3):
            sampler.set_epoch(epoch)
            rows = list(sampler)
            for row in range(100):
                found = [reading.step - 100 * epoch for reading in sampler.when(row, epoch)]  # steps count on
                self.assertEqual(found, [step for step, one in enumerate(rows) if one == row], (epoch, row))

    def test_a_mix_in_natural_proportion_has_every_record_once_per_epoch(self) -> None:
        for rows in orders_of(ofindex.mix([self.a, self.b]).sampler(), 3):
            self.assertEqual(sorted(rows), list(range(100)))

    def test_ranks_share_an_epoch(self) -> None:
        for weights in ([3, 1], None):
            mix = ofindex.mix([self.a, self.b[:37]], weights)  # 97 records
            whole = list(mix.sampler(seed=2, epoch=1))
            self.assertEqual(len(whole), 97)
            for world_size in (1, 2, 3, 8, 97, 100):
                for tail in ("exact", "pad", "drop"):
                    ranks = [mix.sampler(2, 1, rank, world_size, tail) for rank in range(world_size)]
                    read = [list(sampler) for sampler in ranks]
                    self.assertEqual([len(sampler) for sampler in ranks], list(map(len, read)))
                    steps = {
                        "exact": 97,
                        "pad": -(-97 // world_size) * world_size,
                        "drop": 97 // world_size * world_size,
                    }
                    dealt = (
                        (whole * 2)[: steps[tail]] if world_size < 97 or tail != "pad" else (whole * 3)[: steps[tail]]
                    )
                    self.assertEqual(read, [dealt[rank::world_size] for rank in range(world_size)], (world_size, tail))

    def test_a_state_resumes_under_any_number_of_ranks(self) -> None:
        mix = ofindex.mix([self.a, self.b], [3, 1])
        whole = list(mix.sampler(seed=3, epoch=2))
        for before in (1, 2, 3):
            samplers = [mix.sampler(3, 2, rank, before) for rank in range(before)]
            iterators = [iter(sampler) for sampler in samplers]
            read = [next(iterator) for _ in range(11) for iterator in iterators]
            self.assertEqual(read, whole[: 11 * before])
            state = json.loads(json.dumps(samplers[-1].state_dict()))
            for after in (1, 2, 5):
                rest = []
                for rank in range(after):
                    sampler = mix.sampler(rank=rank, world_size=after)
                    sampler.load_state_dict(state)
                    sampler.set_epoch(2)
                    rest.append(list(sampler))
                dealt = whole[11 * before :]
                self.assertEqual(rest, [dealt[rank::after] for rank in range(after)], (before, after))

    def test_a_pickle_taken_during_an_epoch_resumes(self) -> None:
        sampler = ofindex.mix([self.a, self.b], [3, 1]).sampler(seed=3)
        iterator = iter(sampler)
        for _ in range(30):
            next(iterator)
        twin = pickle.loads(pickle.dumps(sampler))
        twin.set_epoch(0)
        self.assertEqual(len(twin), 70)
        self.assertEqual(list(twin), list(iterator))

    def test_iterators_are_independent(self) -> None:
        sampler = ofindex.mix([self.a, self.b], [3, 1]).sampler(seed=3)
        expected = orders_of(sampler, 2)
        sampler.set_epoch(0)
        first = iter(sampler)
        head = [next(first) for _ in range(3)]
        sampler.set_epoch(1)
        second = iter(sampler)
        pairs = [(next(first), next(second)) for _ in range(97)]
        self.assertEqual(head + [one for one, _ in pairs], expected[0])
        self.assertEqual([other for _, other in pairs], expected[1][:97])
        second.load_state_dict({**second.state_dict(), "position": 50})
        self.assertEqual(list(second), expected[1][50:])

    def test_a_state_of_another_mix_is_refused(self) -> None:
        state = ofindex.mix([self.a, self.b], [3, 1]).sampler().state_dict()
        for other in (
            ofindex.mix([self.a, self.b], [1, 3]),
            ofindex.mix([self.b, self.a], [3, 1]),
            ofindex.mix([self.a, self.b[:39]], [3, 1]),
        ):
            with self.assertRaises(ofindex.StaleError, msg=repr(other)):
                other.sampler().load_state_dict(state)
        sampler = ofindex.mix([self.a, self.b], [3, 1]).sampler()
        wrongs: list[tuple[Any, Any]] = [
            ({}, ofindex.StaleError),
            (self.a.sampler().state_dict(), ofindex.StaleError),
            ("{}", TypeError),
            ({**state, "position": 101}, ValueError),
            ({**state, "epoch": -1}, ValueError),
            ({**state, "seed": "7"}, ValueError),
        ]
        for wrong, error in wrongs:
            with self.assertRaises(error, msg=repr(wrong)):
                sampler.load_state_dict(wrong)

    def test_an_invalid_iterator_state_changes_nothing(self) -> None:
        iterator = iter(ofindex.mix([self.a, self.b], [3, 1]).sampler(seed=1))
        next(iterator)
        good = iterator.state_dict()
        wrongs: list[tuple[Any, Any]] = [
            ("{}", TypeError),
            (None, TypeError),
            ({}, ValueError),
            ({**good, "seed": 2}, ValueError),
            ({**good, "epoch": 2**64}, ValueError),
            ({**good, "epoch": 1, "position": 101}, ValueError),
            ({**good, "epoch": 1, "position": "7"}, ValueError),
        ]
        for wrong, error in wrongs:
            with self.assertRaises(error, msg=repr(wrong)):
                iterator.load_state_dict(wrong)
            self.assertEqual((iterator.state_dict(), len(iterator)), (good, 99), wrong)


if __name__ == "__main__":
    unittest.main()
