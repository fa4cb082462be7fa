"""ds.sampler: the order of the command, states, and what is refused."""

from __future__ import annotations

import copy
import importlib.resources
import json
import os
import pickle
import subprocess
import unittest
from itertools import chain
from pathlib import Path
from typing import Any

import ofindex
from python.work import WorkTest, orders_of


def command() -> Path | None:
    """The command `ofindex`: from OFINDEX_BIN, otherwise from the build, otherwise from the package."""
    build = Path(__file__).resolve().parents[2] / "build" / "tools" / "ofindex"
    inside = Path(str(importlib.resources.files("ofindex"))) / "bin" / "ofindex"
    named = os.environ.get("OFINDEX_BIN")
    return next((path for path in (Path(named) if named else build, inside) if path.exists()), None)


def in_ranks(ds: Any, world_size: int, state: Any = None, **wish: Any) -> list[list[int]]:
    """The records that each of `world_size` ranks reads to the end of the epoch, from `state` if it is given."""
    samplers = [ds.sampler(rank=rank, world_size=world_size, **wish) for rank in range(world_size)]
    if state is not None:
        for sampler in samplers:
            sampler.load_state_dict(state)
    return [list(sampler) for sampler in samplers]


class CommandTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(253)

    def sample(self, *options: object) -> list[int]:
        binary = command()
        if binary is None:
            self.skipTest("no command ofindex: OFINDEX_BIN names none, and none is built")
        arguments = [str(binary), "sample", str(self.dir / "data"), "--quiet", *map(str, options)]
        return [
            int(line) for line in subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.split()
        ]

    def test_a_sampler_has_the_order_of_the_command(self) -> None:
        for wish, options in (
            ({}, []),
            ({"seed": 7}, ["--seed", 7]),
            ({"seed": 2**64 - 1}, ["--seed", 2**64 - 1]),
            ({"seed": 7, "epoch": 3}, ["--seed", 7, "--epoch", 3]),
            ({"rank": 1, "world_size": 4}, ["--rank", 1, "--world", 4]),
            ({"rank": 3, "world_size": 4, "tail": "pad"}, ["--rank", 3, "--world", 4, "--tail", "pad"]),
            ({"rank": 0, "world_size": 4, "tail": "drop"}, ["--rank", 0, "--world", 4, "--tail", "drop"]),
            ({"weights": "weight"}, ["--weights", "weight"]),
            ({"balance": "label", "seed": 1}, ["--balance", "label", "--seed", 1]),
            ({"block": 4}, ["--block", 4]),
            (
                {"block": 4, "epoch": 1, "rank": 1, "world_size": 2},
                ["--block", 4, "--epoch", 1, "--rank", 1, "--world", 2],
            ),
            ({"block": "auto"}, ["--block", "auto"]),
        ):
            sampler = self.ds.sampler(**wish)
            length, taken = len(sampler), sampler.take(10**6).tolist()
            rows = list(sampler)
            self.assertEqual(rows, self.sample(*options), wish)
            self.assertEqual((length, taken), (len(rows), rows), wish)

    def test_a_where_view_is_sampled_in_the_order_of_the_command(self) -> None:
        view = self.ds.where("label < 3")
        rows = list(view.sampler(seed=5))
        self.assertEqual(sorted(rows), list(range(len(view))))
        self.assertEqual(view.ordinals(rows).tolist(), self.sample("--seed", 5, "--where", "label < 3"))

    def test_a_state_is_a_position_of_the_command(self) -> None:
        sampler = self.ds.sampler(seed=9, epoch=2, rank=1, world_size=3)
        iterator = iter(sampler)
        for _ in range(20):
            next(iterator)
        state = sampler.state_dict()
        self.assertEqual((state["seed"], state["epoch"], state["position"]), (9, 2, 60))
        options = ("--seed", 9, "--epoch", 2, "--position", 60, "--rank", 1, "--world", 3)
        self.assertEqual(list(iterator), self.sample(*options))


class OrderTest(WorkTest):
    def test_each_epoch_has_every_record_once_in_another_order(self) -> None:
        ds = self.examples(100)
        sampler = ds.sampler(seed=1)
        orders = orders_of(sampler, 5)
        self.assertEqual([list(again) for again in [ds.sampler(seed=1)] * 5], orders)  # each yields the next epoch
        self.assertEqual(len({tuple(order) for order in orders}), 5)
        self.assertTrue(all(sorted(order) == list(range(100)) for order in orders))
        self.assertNotEqual(list(ds.sampler(seed=2)), orders[0])

    def test_the_ranks_divide_the_tail_as_documented(self) -> None:
        for count, world_size in ((0, 3), (1, 3), (2, 3), (12, 3), (13, 3), (14, 3), (5, 7)):
            ds = self.examples(count, f"data-{count}-{world_size}/")
            for tail in ("exact", "pad", "drop"):
                ranks = in_ranks(ds, world_size, tail=tail)
                lengths, together = [len(rows) for rows in ranks], sorted(chain(*ranks))
                message = f"{count} records, {world_size} ranks, {tail}: {lengths}"
                if tail == "exact":
                    self.assertEqual(together, list(range(count)), message)
                    self.assertLessEqual(max(lengths) - min(lengths), 1, message)
                elif tail == "pad":
                    self.assertEqual(lengths, [-(-count // world_size)] * world_size, message)
                    self.assertEqual(set(together), set(range(count)), message)
                else:
                    self.assertEqual(lengths, [count // world_size] * world_size, message)
                    self.assertEqual(len(set(together)), len(together), message)

    def test_weights_and_balance_draw_records_as_documented(self) -> None:
        ds = self.examples(1000)
        drawn = list(ds.sampler(weights="label"))
        self.assertEqual(len(drawn), 1000)
        self.assertNotIn(0, {row % 10 for row in drawn})  # weight 0
        nines = ds.where("label = 9 OR _id < 100")
        drawn = list(nines.sampler(balance="label"))
        labels = nines.column("label")[drawn].tolist()
        counts = [labels.count(label) for label in range(10)]
        self.assertLessEqual(max(counts) - min(counts), 2, counts)
        for wrong in ({"weights": "nothing"}, {"balance": "nothing"}):
            with self.assertRaises(ofindex.QueryError):
                ds.sampler(**wrong)

    def test_wrong_arguments_are_errors(self) -> None:
        ds = self.examples(10)
        for wish, error in (
            ({"rank": 2, "world_size": 2}, ValueError),
            ({"world_size": 0}, ValueError),
            ({"tail": "both"}, ValueError),
            ({"block": 0}, ValueError),
            ({"block": -1}, ValueError),
            ({"block": "some"}, TypeError),
            ({"weights": "weight", "balance": "label"}, ValueError),
            ({"seed": 1.5}, TypeError),
            ({"workers": 3}, TypeError),
        ):
            with self.assertRaises(error, msg=repr(wish)):
                ds.sampler(**wish)
        mix = ofindex.mix([ds, ds])
        for make in (ds.sampler, mix.sampler):
            with self.assertRaisesRegex(ValueError, "rank 3 of 3: expected a rank below the world size"):
                make(rank=3, world_size=3)
        for wish in ({"seed": -1}, {"seed": 2**64}, {"epoch": -1}, {"rank": -1}):
            with self.assertRaises((ValueError, OverflowError, TypeError), msg=repr(wish)):
                ds.sampler(**wish)


class StateTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(101)

    def test_a_state_is_small_and_can_be_stored_as_json(self) -> None:
        for wish in ({}, {"weights": "weight"}, {"balance": "label"}, {"block": 4}):
            state = self.ds.where("label < 9").sampler(**wish).state_dict()
            self.assertEqual(json.loads(json.dumps(state)), state)
            self.assertLess(len(json.dumps(state)), 1024)

    def test_a_sampler_resumes_where_its_state_was_taken(self) -> None:
        for wish in ({}, {"weights": "weight"}, {"balance": "label"}, {"block": 4}):
            whole = list(self.ds.sampler(seed=3, epoch=1, **wish))
            for read in (0, 1, 50, 100, 101):
                sampler = self.ds.sampler(seed=3, epoch=1, **wish)
                iterator = iter(sampler)
                self.assertEqual([next(iterator) for _ in range(read)], whole[:read])
                twin = self.ds.sampler(**wish)
                twin.load_state_dict(json.loads(json.dumps(sampler.state_dict())))
                self.assertEqual((twin.seed, twin.epoch, len(twin)), (3, 1, 101 - read))
                self.assertEqual(list(twin), whole[read:], (wish, read))

    def test_the_rest_of_an_epoch_is_divided_among_any_number_of_ranks(self) -> None:
        for before in (1, 2, 3):
            for after in (1, 2, 5):
                samplers = [self.ds.sampler(seed=1, rank=rank, world_size=before) for rank in range(before)]
                iterators = [iter(sampler) for sampler in samplers]
                read = [next(iterator) for _ in range(17) for iterator in iterators]
                states = [sampler.state_dict() for sampler in samplers]
                self.assertEqual([state["position"] for state in states], [17 * before] * before)
                rest = in_ranks(self.ds, after, states[-1])
                self.assertEqual(sorted(chain(read, *rest)), list(range(101)), (before, after))

    def test_the_usual_loop_over_epochs_resumes_inside_an_epoch(self) -> None:
        expected = [list(self.ds.sampler(seed=4, epoch=epoch)) for epoch in range(3)]
        sampler = self.ds.sampler(seed=4)
        sampler.set_epoch(1)
        iterator = iter(sampler)
        for _ in range(40):
            next(iterator)

        loaded = self.ds.sampler(seed=4)
        loaded.load_state_dict(sampler.state_dict())
        for resumed in (loaded, pickle.loads(pickle.dumps(sampler)), copy.deepcopy(sampler)):
            read = []
            for epoch in range(resumed.epoch, 3):
                resumed.set_epoch(epoch)
                read.append(list(resumed))
            self.assertEqual(read, [expected[1][40:], expected[2]])
            resumed.set_epoch(1)
            self.assertEqual(list(resumed), expected[1])

    def test_after_the_last_record_the_state_is_the_start_of_the_next_epoch(self) -> None:
        for rank in range(3):
            sampler = self.ds.sampler(rank=rank, world_size=3)
            list(sampler)
            state = sampler.state_dict()
            self.assertEqual((state["epoch"], state["position"]), (1, 0))
            twin = self.ds.sampler(rank=rank, world_size=3)
            twin.load_state_dict(state)
            self.assertEqual(list(twin), list(self.ds.sampler(rank=rank, world_size=3, epoch=1)))

    def test_a_pickle_taken_inside_an_epoch_resumes(self) -> None:
        view = self.ds.where("label > 4")[::-1]
        sampler = view.sampler(seed=8, rank=1, world_size=2, tail="pad")
        iterator = iter(sampler)
        read = [next(iterator) for _ in range(5)]
        twin = pickle.loads(pickle.dumps(sampler))
        rest = list(iterator)
        self.assertEqual(list(twin), rest)
        twin.set_epoch(0)  # the twin was read since, so the epoch starts again
        self.assertEqual(list(twin), read + rest)

    def test_an_iterator_has_its_own_state(self) -> None:
        sampler = self.ds.sampler(seed=2)
        first, second = iter(sampler), iter(sampler)
        rows = [next(first) for _ in range(10)]
        self.assertEqual([next(second) for _ in range(3)], rows[:3])
        self.assertEqual([iterator.state_dict()["position"] for iterator in (first, second, sampler)], [10, 3, 3])
        second.load_state_dict(first.state_dict())
        self.assertEqual(list(second), list(first))
        with self.assertRaises(ValueError):
            first.load_state_dict(self.ds.sampler(seed=3).state_dict())

    def test_a_state_of_other_data_is_refused_unless_forced(self) -> None:
        other = self.examples(90, "other/")
        state = self.ds.sampler(seed=6).state_dict()
        for ds, wish in (
            (other, {}),
            (self.ds[:50], {}),
            (self.ds, {"block": 4}),
            (self.ds, {"weights": "weight"}),
            (self.ds, {"balance": "label"}),
        ):
            sampler = ds.sampler(**wish)
            before = sampler.take(101).tolist()
            with self.assertRaises(ofindex.StaleError, msg=repr(wish)):
                sampler.load_state_dict(state)
            self.assertEqual(list(sampler), before)
        sampler = other.sampler()
        sampler.load_state_dict(state, force=True)
        self.assertEqual(list(sampler), list(other.sampler(seed=6)))

    def test_an_invalid_state_is_refused(self) -> None:
        sampler = self.ds.sampler()
        good = sampler.state_dict()
        for wrong, error in (
            (None, TypeError),
            ("{}", TypeError),
            ({}, ValueError),
            ({**good, "position": 102}, ValueError),
            ({**good, "position": -1}, ValueError),
            ({**good, "epoch": "1"}, ValueError),
            ({**good, "law": 2}, ofindex.StaleError),
            ({**good, "schema": "ofindex.sampler/9"}, (ValueError, ofindex.StaleError)),
        ):
            with self.assertRaises(error, msg=repr(wrong)):
                sampler.load_state_dict(wrong)

    def test_an_invalid_iterator_state_changes_nothing(self) -> None:
        iterator = iter(self.ds.sampler())
        next(iterator)
        good = iterator.state_dict()
        for wrong, error in (
            (None, TypeError),
            ("{}", TypeError),
            ({}, ValueError),
            ({**good, "seed": 2}, ValueError),
            ({**good, "epoch": -1}, ValueError),
            ({**good, "epoch": 1, "position": 102}, ValueError),
            ({**good, "epoch": 1, "position": "7"}, ValueError),
        ):
            with self.assertRaises(error, msg=repr(wrong)):
                iterator.load_state_dict(wrong)
            self.assertEqual((iterator.state_dict(), len(iterator)), (good, 100), wrong)
        for key in good.keys() - {"epoch", "position", "skip"}:
            with self.assertRaisesRegex(ValueError, f"of another sampler: {key} differ"):
                iterator.load_state_dict({**good, key: "another"})


class ViewTest(WorkTest):
    def test_a_sampler_of_a_view_yields_ordinals_of_the_view(self) -> None:
        ds = self.examples(60)
        for view in (
            ds[10:50],
            ds[::-1],
            ds[::7],
            ds.where("label = 3"),
            ds[[5, 3, 40]],
            ds.where("label < 5")[::-2],
            ds[:0],
        ):
            rows = list(view.sampler(seed=1))
            self.assertEqual(sorted(rows), list(range(len(view))), view)
            self.assertEqual(sorted(view.__getitems__(rows)), sorted(view))

    def test_views_of_the_same_records_are_drawn_in_the_same_order(self) -> None:
        ds = self.examples(60)
        plain, turned = ds[10:50], ds[10:50][::-1]
        drawn = [view.ordinals(list(view.sampler(seed=3))).tolist() for view in (plain, turned)]
        self.assertEqual(*drawn)

    def test_a_view_with_a_duplicate_record_is_refused(self) -> None:
        ds = self.examples(20)
        with self.assertRaises(ValueError):
            ds[[3, 1, 3]].sampler()


if __name__ == "__main__":
    unittest.main()
