"""ofindex.torch.Loader: a run is saved as a state and resumes from it."""

from __future__ import annotations

import json
import pickle
import unittest
from collections.abc import Iterable
from itertools import islice
from typing import Any

import ofindex
from python.torch_work import LABEL, Loader, WatchedTest, itself, plain
from python.work import FEATURES, in_new_process


class LoaderStateTest(WatchedTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(203)

    def test_the_state_counts_the_delivered_batches(self) -> None:
        for transform in (None, itself):
            loader = Loader(self.ds, LABEL, 16, seed=3, prefetch=4, transform=transform)
            self.assertEqual(loader.state_dict()["position"], 0)
            for number, _ in enumerate(loader, 1):
                self.assertEqual(loader.state_dict()["position"], min(203, 16 * number))
            state = loader.state_dict()
            self.assertEqual((state["epoch"], state["position"]), (1, 0))
            loader.set_epoch(7)
            self.assertEqual(loader.state_dict()["epoch"], 7)

    def test_a_loader_resumes_exactly(self) -> None:
        mix = ofindex.mix([self.ds, self.examples(20, "other/")], [1, 1])
        for ds, wish in (
            (self.ds, {}),
            (self.ds, {"balance": "label"}),
            (self.ds.where("label < 5")[::-1], {}),
            (mix, {}),
        ):
            loader = Loader(ds, FEATURES, 16, ds.sampler(seed=3, **wish))
            expected = [[plain(batch) for batch in loader] for _ in range(3)]
            for read in (0, 1, 5, len(expected[1])):
                loader.set_epoch(1)
                iterator = iter(loader)
                self.assertEqual([plain(batch) for batch in islice(iterator, read)], expected[1][:read])
                state = json.loads(json.dumps(loader.state_dict()))
                self.assertEqual(state, pickle.loads(pickle.dumps(iterator.state_dict())))
                self.assertLess(len(json.dumps(state)), 1024)
                resumed = Loader(ds, FEATURES, 16, ds.sampler(seed=0, **wish))
                resumed.load_state_dict(state)
                self.assertEqual(resumed.state_dict(), state)
                resumed.set_epoch(1)  # as the usual loop does
                self.assertEqual(len(resumed), len(expected[1]) - read)
                self.assertEqual([plain(batch) for batch in resumed], expected[1][read:], (ds, wish, read))
                self.assertEqual([plain(batch) for batch in resumed], expected[2])
                resumed.set_epoch(1)
                self.assertEqual([plain(batch) for batch in resumed], expected[1])

    def test_a_loader_resumes_in_another_process(self) -> None:
        loader = Loader(self.ds, LABEL, 16, seed=3)
        iterator = iter(loader)
        list(islice(iterator, 5))
        printed = in_new_process(
            "import sys, json, ofindex, ofindex.torch\n"
            "ds = ofindex.open(sys.argv[1])\n"
            "features = {'label': ofindex.fixed('int64'), 'weight': ofindex.fixed('float32')}\n"
            "loader = ofindex.torch.Loader(ds, features, 16)\n"
            "loader.load_state_dict(json.loads(sys.argv[2]))\n"
            "print(json.dumps([batch['weight'].tolist() for batch in loader]))\n",
            self.dir / "data",
            json.dumps(loader.state_dict()),
        )
        self.assertEqual(json.loads(printed), [batch["weight"].tolist() for batch in iterator])

    def test_a_loader_resumes_with_other_ranks_and_another_batch_size(self) -> None:
        def numbers(batches: Iterable[Any]) -> list[int]:
            return [int(weight * 8) for batch in batches for weight in batch["weight"].tolist()]

        for before, after, size in ((1, 2, 16), (2, 1, 5), (2, 3, 7)):
            read: list[int] = []
            for rank in range(before):
                loader = Loader(self.ds, LABEL, 8, seed=3, rank=rank, world_size=before, tail="exact")
                read += numbers(islice(loader, 4))
                state = loader.state_dict()
                self.assertEqual(state["position"], 32 * before)
            for rank in range(after):
                loader = Loader(self.ds, LABEL, size, rank=rank, world_size=after, tail="exact")
                loader.load_state_dict(state)
                read += numbers(loader)
            self.assertEqual(sorted(read), list(range(203)), (before, after))

    def test_a_pickle_continues_at_the_position_of_the_last_iteration(self) -> None:
        mix = ofindex.mix([self.ds, self.examples(20, "other/")], [1, 1])
        view = self.ds.where("label < 5")[::-1]
        for ds, wish in (
            (self.ds, {"seed": 3}),
            (self.ds, {"seed": 3, "rank": 1, "world_size": 2, "tail": "exact", "drop_last": True, "prefetch": 2}),
            (self.ds, {"sampler": self.ds.sampler(seed=3, balance="label"), "threads": 2, "pin_memory": False}),
            (self.ds, {"sampler": list(range(203)), "transform": itself}),
            (view, {"seed": 3}),
            (mix, {"seed": 3}),
        ):
            whole = Loader(ds, FEATURES, 16, **wish)
            expected = [[plain(batch) for batch in whole] for _ in range(2)]
            for read in (None, 0, 1, 5, 10**6):  # None: no iterator is created
                loader = Loader(ds, FEATURES, 16, **wish)
                loader.set_epoch(0)
                if read is not None:
                    for _ in islice(loader, read):
                        pass
                twin = pickle.loads(pickle.dumps(loader))
                self.assertEqual((repr(twin), twin.state_dict()), (repr(loader), loader.state_dict()), (wish, read))
                for name in ("batch_size", "prefetch", "threads", "transform", "drop_last", "pin_memory"):
                    self.assertEqual(getattr(twin, name), getattr(loader, name), (wish, name))
                left = expected[0][read or 0 :] or expected[1]
                self.assertEqual(len(twin), len(left), (wish, read))
                self.assertEqual([plain(batch) for batch in twin], left, (wish, read))

    def test_an_unpickled_loader_has_the_rank_of_its_process_unless_a_rank_was_given(self) -> None:
        program = (
            "import pickle, sys, json\n"
            "loader = pickle.loads(open(sys.argv[1], 'rb').read())\n"
            "print(json.dumps([batch['weight'].tolist() for batch in loader]))\n"
        )
        sampler = self.ds.sampler(seed=3, tail="pad")
        for name, loader, rank in (
            ("own", Loader(self.ds, LABEL, 16, seed=3), 1),
            ("sampler", Loader(self.ds, LABEL, 16, sampler), 1),
            ("given", Loader(self.ds, LABEL, 16, seed=3, rank=0, world_size=2), 0),
        ):
            path = self.dir / name
            path.write_bytes(pickle.dumps(loader))
            printed = in_new_process(program, path, RANK="1", WORLD_SIZE="2")
            expected = Loader(self.ds, LABEL, 16, seed=3, rank=rank, world_size=2)
            self.assertEqual(json.loads(printed), [batch["weight"].tolist() for batch in expected], name)

    def test_a_state_of_other_data_is_refused(self) -> None:
        loader = Loader(self.ds, LABEL, 16)
        for other in (self.ds[:50], ofindex.mix([self.ds, self.ds])):
            with self.assertRaises((ofindex.StaleError, ValueError), msg=repr(other)):
                loader.load_state_dict(Loader(other, LABEL).state_dict())
        self.assertEqual(len(list(loader)), 13)


if __name__ == "__main__":
    unittest.main()
