"""Samplers from epoch to epoch, in DataLoaders and by hand, and their ranks."""

from __future__ import annotations

import gc
import json
import os
import pickle
import threading
import unittest
import weakref
from itertools import islice
from typing import Any
from unittest import mock

import ofindex
from python.work import WorkTest, in_new_process, orders_of


class EpochsTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        ds = self.examples(101)
        other = ofindex.build(self.write("other/", list(ds)[:40]))
        self.makers = {
            "shuffle": lambda **wish: ds.sampler(seed=3, **wish),
            "weights": lambda **wish: ds.sampler(seed=3, weights="weight", **wish),
            "balance": lambda **wish: ds.sampler(seed=3, balance="label", **wish),
            "block": lambda **wish: ds.sampler(seed=3, block=4, **wish),
            "view": lambda **wish: ds.where("label < 7")[::-1].sampler(seed=3, **wish),
            "mix": lambda **wish: ofindex.mix([ds, other], [1, 1]).sampler(seed=3, **wish),
        }
        self.orders = {name: orders_of(make(), 6) for name, make in self.makers.items()}

    def test_a_sampler_ends_with_its_last_reference_and_iterators_keep_it(self) -> None:
        """A cycle of references would keep the files of a dataset open until the garbage collector ran."""
        gc.disable()
        self.addCleanup(gc.enable)
        for name, make in self.makers.items():
            sampler = make()
            ends = weakref.ref(sampler)
            first, second = iter(sampler), iter(sampler)
            next(second)
            sampler.load_state_dict(sampler.state_dict())
            first.load_state_dict(first.state_dict())
            del sampler
            self.assertEqual(list(first), list(second), name)
            self.assertIsNotNone(ends(), name)
            del first, second
            self.assertIsNone(ends(), name)

    def test_each_iteration_is_the_next_epoch(self) -> None:
        for name, make in self.makers.items():
            orders = self.orders[name]
            self.assertEqual(len({tuple(order) for order in orders}), 6, name)
            sampler = make()
            self.assertEqual([list(sampler) for _ in range(4)], orders[:4], name)
            sampler.set_epoch(1)
            self.assertEqual((sampler.epoch, list(sampler), list(sampler)), (1, orders[1], orders[2]), name)
            self.assertEqual(list(make(epoch=4)), orders[4], name)

    def test_an_iteration_left_early_counts_as_an_epoch_and_one_never_begun_does_not(self) -> None:
        for name, make in self.makers.items():
            orders, sampler = self.orders[name], make()
            unread = [iter(sampler) for _ in range(3)]
            self.assertEqual((sampler.epoch, list(sampler)), (0, orders[0]), name)
            self.assertEqual(list(islice(sampler, 5)), orders[1][:5], name)
            self.assertEqual((sampler.epoch, len(sampler)), (2, len(orders[2])), name)
            self.assertEqual(sampler.take(3).tolist(), orders[2][:3], name)  # take() does not begin an iteration
            self.assertEqual(list(sampler), orders[2], name)
            self.assertEqual(list(unread[0]), orders[0], name)

    def test_a_resumed_run_reads_what_the_original_run_would_have_read(self) -> None:
        for name, make in self.makers.items():
            orders = self.orders[name]
            for epochs, read in ((0, 0), (0, 1), (0, 50), (1, 0), (1, 7), (2, len(orders[2]))):
                sampler = make()
                for _ in range(epochs):
                    list(sampler)
                iterator = iter(sampler)
                self.assertEqual(list(islice(iterator, read)), orders[epochs][:read])
                state = json.loads(json.dumps(sampler.state_dict()))
                loaded = make()
                loaded.load_state_dict(state)
                for resumed in (loaded, pickle.loads(pickle.dumps(sampler))):
                    self.assertEqual(resumed.state_dict(), state, (name, epochs, read))
                    iter(resumed)  # never read
                    self.assertEqual(list(resumed), orders[epochs][read:], (name, epochs, read))
                    self.assertEqual(list(resumed), orders[epochs + 1], (name, epochs, read))
                self.assertEqual(list(iterator), orders[epochs][read:])
                self.assertEqual(list(sampler), orders[epochs + 1])

    def test_the_state_of_a_sampler_is_that_of_the_iterator_read_last(self) -> None:
        for name, make in self.makers.items():
            orders, sampler = self.orders[name], make()
            first, *_, last = [iter(sampler) for _ in range(4)]
            self.assertEqual(list(islice(first, 7)), orders[0][:7], name)
            self.assertEqual((sampler.epoch, sampler.state_dict()), (1, first.state_dict()), name)
            self.assertEqual(sampler.state_dict()["position"], 7, name)
            self.assertEqual(list(islice(last, 9)), orders[0][:9], name)
            next(first)  # `first` began before `last`
            self.assertEqual(sampler.state_dict(), last.state_dict(), name)
            following = iter(sampler)
            self.assertEqual(sampler.state_dict(), following.state_dict(), name)
            self.assertEqual(list(islice(last, 2)), orders[0][9:11], name)
            self.assertEqual((sampler.epoch, sampler.state_dict()["position"]), (1, 11), name)
            self.assertEqual((list(following), list(sampler)), (orders[1], orders[2]), name)
            list(last)
            self.assertEqual((sampler.epoch, sampler.state_dict()["epoch"]), (3, 3), name)

    def test_an_iterator_not_yet_read_follows_set_epoch_and_states_of_the_sampler(self) -> None:
        for name, make in self.makers.items():
            orders, sampler, there = self.orders[name], make(), make(epoch=3)
            list(islice(there, 5))
            state = there.state_dict()
            for epoch in (2, 0, 5):
                unread = iter(sampler)
                sampler.set_epoch(epoch)
                self.assertEqual(list(islice(unread, 4)), orders[epoch][:4], name)
                begun = unread.state_dict()
                sampler.set_epoch(1)
                self.assertEqual((unread.state_dict(), next(unread)), (begun, orders[epoch][4]), name)
                self.assertEqual((sampler.epoch, list(sampler)), (1, orders[1]), name)  # not begun again
            for _ in range(2):
                unread = iter(sampler)
                sampler.load_state_dict(state)
                self.assertEqual(sampler.state_dict(), state, name)
                sampler.set_epoch(3)  # as the usual loop does
                self.assertEqual((len(unread), sampler.state_dict()), (len(orders[3]) - 5, state), name)
                self.assertEqual(list(unread), orders[3][5:], name)
                self.assertEqual(list(sampler), orders[4], name)

    def test_a_state_after_the_last_row_has_no_rows_left_and_after_the_end_the_next_epoch(self) -> None:
        for name, make in self.makers.items():
            orders, sampler = self.orders[name], make()
            iterator = iter(sampler)
            list(islice(iterator, len(orders[0])))
            before = (sampler.state_dict(), iterator.state_dict())
            self.assertRaises(StopIteration, next, iterator)
            after = (sampler.state_dict(), iterator.state_dict())
            for state, left in zip((*before, *after), ([], [], orders[1], []), strict=True):
                resumed = make()
                resumed.load_state_dict(state)
                self.assertEqual(list(resumed), left, (name, state))
                self.assertEqual(list(resumed), orders[1] if not left else orders[2], (name, state))

    def test_an_iterator_moved_to_another_epoch_is_followed_by_the_next_epoch(self) -> None:
        for name, make in self.makers.items():
            state = make(epoch=3).state_dict()
            sampler = make()
            iterator = iter(sampler)
            iterator.load_state_dict({**state, "position": 2})
            self.assertEqual(list(iterator), self.orders[name][3][2:], name)
            self.assertEqual(list(sampler), self.orders[name][4], name)

    def test_a_dataloader_reshuffles_each_epoch_without_set_epoch(self) -> None:
        try:
            from python.torch_work import Dataset, itself, torch
        except unittest.SkipTest:
            self.skipTest("torch is not installed")
        for name in ("shuffle", "mix"):
            sampler, orders = self.makers[name](), self.orders[name]
            records = Dataset(sampler._dataset)
            numbers = {payload: number for number, payload in enumerate(sampler._dataset)}
            expected = [[numbers[records[row]] for row in order] for order in orders]
            for workers, persistent, batch_size in ((0, False, 8), (2, False, 8), (2, True, 8), (2, False, None)):
                sampler = self.makers[name]()
                loader = torch.utils.data.DataLoader(
                    records,
                    batch_size=batch_size,
                    sampler=sampler,
                    num_workers=workers,
                    persistent_workers=persistent,
                    collate_fn=itself,
                )
                for epoch in range(3):
                    items = [item for batch in loader for item in ([batch] if batch_size is None else batch)]
                    self.assertEqual([numbers[item] for item in items], expected[epoch], (workers, persistent, epoch))

    def test_threads_sharing_an_iterator_never_lose_a_record_silently(self) -> None:
        sampler = self.makers["shuffle"]()
        iterator = iter(sampler)
        reader: Any = mock.Mock(wraps=iterator._pass.reader)
        entered, go_on = threading.Event(), threading.Event()

        def take(count: int) -> Any:
            entered.set()
            go_on.wait(60)
            return sampler.take(count)

        reader.take = take
        iterator._pass.reader = reader
        first: list[int] = []
        thread = threading.Thread(target=lambda: first.append(next(iterator)))
        thread.start()
        entered.wait(60)
        with self.assertRaisesRegex(RuntimeError, "two threads"):
            next(iterator)
        go_on.set()
        thread.join()
        self.assertEqual([*first, next(iterator)], self.orders["shuffle"][0][:2])


class RanksTest(WorkTest):
    """A sampler without an explicit rank takes its rank from the environment, like a Loader."""

    def setUp(self) -> None:
        super().setUp()
        alone = mock.patch.dict("os.environ")
        alone.start()
        self.addCleanup(alone.stop)
        for name in ("RANK", "WORLD_SIZE"):
            os.environ.pop(name, None)
        self.ds = self.examples(101)
        self.mix = ofindex.mix([self.ds, self.examples(10, "other/")])

    def environment(self, **variables: str) -> Any:
        return mock.patch.dict("os.environ", variables)

    def test_ranks_default_to_those_that_torchrun_sets(self) -> None:
        for records in (self.ds, self.ds[5:50], self.mix):
            for world in (1, 2, 3):
                for rank in range(world):
                    expected = list(records.sampler(seed=1, rank=rank, world_size=world))
                    with self.environment(RANK=str(rank), WORLD_SIZE=str(world)):
                        sampler = records.sampler(seed=1)
                    self.assertEqual(list(sampler), expected, (records, rank, world))
        with self.environment(RANK="1", WORLD_SIZE="3"):
            self.assertEqual(sorted(self.ds.sampler(seed=1, rank=0, world_size=1)), list(range(101)))

    def test_an_unpickled_sampler_has_the_rank_of_its_process_unless_a_rank_was_given(self) -> None:
        for records in (self.ds, self.ds[5:50], self.mix):
            for begin in ({}, {"RANK": "1", "WORLD_SIZE": "2"}):
                with self.environment(**begin):
                    sampler, given = records.sampler(seed=1), records.sampler(seed=1, rank=1, world_size=2)
                    next(iter(sampler))
                state = sampler.state_dict()
                pickled, kept = pickle.dumps(sampler), pickle.dumps(given)
                expected = list(given)
                for rank, world in ((0, 1), (0, 2), (1, 2), (2, 3)):
                    resumed = records.sampler(rank=rank, world_size=world)
                    resumed.load_state_dict(state)
                    with self.environment(RANK=str(rank), WORLD_SIZE=str(world)):
                        again = pickle.loads(pickle.dumps(pickle.loads(pickled)))
                        self.assertEqual(list(again), list(resumed), (records, begin, rank, world))
                        self.assertEqual(list(pickle.loads(kept)), expected, (records, begin, rank, world))
                self.assertEqual(list(pickle.loads(pickled)), self.resumed_alone(records, state))

    def resumed_alone(self, records: Any, state: dict[str, Any]) -> list[int]:
        """What a single rank reads from `state` to the end of the epoch."""
        sampler = records.sampler(rank=0, world_size=1)
        sampler.load_state_dict(state)
        return list(sampler)

    def test_giving_only_rank_or_only_world_size_is_an_error_that_names_both(self) -> None:
        for environment in ({}, {"RANK": "1", "WORLD_SIZE": "3"}):
            for alone in ({"rank": 0}, {"rank": 5}, {"world_size": 3}, {"world_size": 0}):
                for records in (self.ds, self.ds[5:50], self.mix):
                    with (
                        self.environment(**environment),
                        self.assertRaisesRegex(ValueError, "rank.*world_size|world_size.*rank"),
                    ):
                        records.sampler(**alone)
        for alone in ({"RANK": "3"}, {"WORLD_SIZE": "3"}, {"RANK": "0"}, {"WORLD_SIZE": "1"}):
            for records in (self.ds, self.mix):
                with self.environment(**alone):
                    with self.assertRaisesRegex(ValueError, "RANK.*WORLD_SIZE|WORLD_SIZE.*RANK"):
                        records.sampler()
                    self.assertEqual(len(records.sampler(rank=0, world_size=1)), len(records))

    def test_an_inconsistent_environment_is_an_error(self) -> None:
        for rank, world in (("x", "2"), ("1", ""), ("2", "2"), ("-1", "2"), ("0", "0")):
            with self.environment(RANK=rank, WORLD_SIZE=world), self.assertRaises(ValueError, msg=(rank, world)):
                self.ds.sampler()

    def test_ranks_default_to_those_of_torch_distributed_once_it_is_initialised(self) -> None:
        try:
            import torch as torch
        except ImportError:
            self.skipTest("torch is not installed")
        printed = in_new_process(
            "import json, sys, ofindex, torch\n"
            "ds = ofindex.open(sys.argv[1])\n"
            "before = list(ds.sampler(seed=1))\n"
            "store = torch.distributed.HashStore()\n"
            "torch.distributed.init_process_group('gloo', rank=0, world_size=1, store=store)\n"
            "print(json.dumps([before, list(ds.sampler(seed=1))]))\n",
            self.dir / "data",
            RANK="1",
            WORLD_SIZE="3",
        )
        whole = list(self.ds.sampler(seed=1))
        self.assertEqual(json.loads(printed), [whole[1::3], whole])


if __name__ == "__main__":
    unittest.main()
