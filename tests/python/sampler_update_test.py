"""States of samplers and Loaders after updates of the index: the epoch goes on exactly, or is refused and says why."""

from __future__ import annotations

import os
import pickle
import subprocess
import warnings
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import ofindex
from oracle import records
from python.work import FEATURES, WorkTest, example

COMMAND = os.environ.get("OFINDEX_BIN", str(Path(__file__).resolve().parents[2] / "build" / "tools" / "ofindex"))
READ = 23  # records of the epoch that were read before the state was taken


class UpdateTest(WorkTest):
    """The dataset has shards a, b and c of 40 records each, and grows. Records are told apart by their numbers."""

    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"
        for place, name in enumerate("abc"):
            self.shard(name, range(40 * place, 40 * place + 40))
        ofindex.build(self.data)

    def shard(self, name: str, numbers: Iterable[int]) -> Path:
        self.data.mkdir(exist_ok=True)
        path = self.data / f"{name}.tfrecord"
        records.WRITE[records.TFRECORD](path, [example(number) for number in numbers])
        return path

    def update(self, *options: str) -> None:
        subprocess.run([COMMAND, "update", str(self.data), *options], check=True, capture_output=True)

    def makers(self) -> dict[str, Any]:
        """Samplers of every kind, of the dataset as it is now."""
        ds = ofindex.open(self.data)
        low = "_id < 100"
        return {
            "shuffle": lambda **wish: ds.sampler(seed=3, **wish),
            "block": lambda **wish: ds.sampler(seed=3, block=4, **wish),
            "auto": lambda **wish: ds.sampler(seed=3, block="auto", **wish),
            "weights": lambda **wish: ds.sampler(seed=3, weights="weight", **wish),
            "balance": lambda **wish: ds.sampler(seed=3, balance="label", **wish),
            "where": lambda **wish: ds.where("label < 7").sampler(seed=3, **wish),
            "picked": lambda **wish: ds.where(low)[::-1].sampler(seed=3, **wish),
        }

    def numbers(self, sampler: Any, rows: Any) -> list[bytes]:
        """The payloads of rows, which tell the records apart whatever their ordinals are."""
        return [sampler._dataset[row] for row in rows]

    def begin(self) -> dict[str, tuple[Any, list[bytes]]]:
        """For each kind, a state in mid-epoch of epoch 1, and the records that are left, as a run without updates reads
        them."""
        begun = {}
        for name, make in self.makers().items():
            sampler = make(epoch=1)
            whole = self.numbers(sampler, list(sampler))
            sampler.set_epoch(1)
            iterator = iter(sampler)
            list(islice(iterator, READ))
            begun[name] = (iterator.state_dict(), whole[READ:])
        return begun

    def load(self, sampler: Any, state: Any) -> list[str]:
        """Loads a state, and returns the warnings."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sampler.load_state_dict(state)
        return [str(one.message) for one in caught]

    def go_on(self, begun: dict[str, tuple[Any, list[bytes]]], skip: tuple[str, ...] = ()) -> None:
        """Checks that every state goes on exactly, on one rank and on three, and that the next epoch is that of a new
        sampler."""
        for name, make in self.makers().items():
            if name in skip:
                continue
            state, left = begun[name]
            sampler = make()
            self.load(sampler, state)
            sampler.set_epoch(1)  # as loops over epochs do; it keeps the position
            twin = pickle.loads(pickle.dumps(sampler))
            self.assertEqual(self.numbers(sampler, sampler), left, name)
            self.assertEqual(self.numbers(twin, twin), left, name)
            anew = list(make(epoch=2))
            self.assertEqual(list(sampler), anew, name)
            self.assertEqual(list(twin), anew, name)
            self.assertIsNone(sampler.changes, name)
            ranks = [make(rank=rank, world_size=3) for rank in range(3)]
            for rank in ranks:
                self.load(rank, state)
            parts = [self.numbers(rank, rank) for rank in ranks]
            self.assertEqual([parts[i % 3][i // 3] for i in range(len(left))], left, name)
            again = make()
            self.load(again, state)
            again.set_epoch(2)
            self.assertEqual((len(again), list(again)), (len(anew), anew), name)

    def test_an_epoch_goes_on_over_the_same_records_and_the_next_one_has_the_new_ones(self) -> None:
        begun = self.begin()
        steps: list[tuple[str, Any]] = [
            ("a new shard", lambda: self.shard("d", range(120, 150))),
            ("a shard that sorts first", lambda: self.shard("0", range(150, 157))),
            ("a grown shard", lambda: self.shard("b", [*range(40, 80), *range(157, 170)])),
            ("a renamed shard", lambda: (self.data / "a.tfrecord").rename(self.data / "z.tfrecord")),
        ]
        for what, change in steps:
            with self.subTest(what):
                change()
                self.update()
                self.go_on(begun)
        ds = ofindex.open(self.data)
        self.assertEqual(sorted(ds.sampler(seed=3)), list(range(170)))

    def test_a_warning_counts_the_new_records_once(self) -> None:
        state = self.begin()["shuffle"][0]
        self.shard("d", range(120, 132))
        self.update()
        sampler = ofindex.open(self.data).sampler()
        self.assertIsNone(sampler.changes)
        self.assertEqual(
            self.load(sampler, state),
            ["the dataset has 12 new records since this state (generation 1, now 2): they come with the next epoch"],
        )
        self.assertEqual(sampler.changes, (12, 0, (1, 2), False))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            twin = pickle.loads(pickle.dumps(sampler))  # as for a worker
        self.assertEqual(twin.changes, sampler.changes)
        iterator = iter(sampler)
        next(iterator)
        self.assertEqual(sampler.changes, (12, 0, (1, 2), False))

    def test_an_epoch_of_which_nothing_was_read_has_the_new_records(self) -> None:
        states = {name: make(epoch=1).state_dict() for name, make in self.makers().items()}
        self.shard("d", range(120, 132))
        (self.data / "b.tfrecord").unlink()
        self.update()
        for name, make in self.makers().items():
            sampler = make()
            said = self.load(sampler, states[name])
            self.assertEqual((sampler.epoch, list(sampler)), (1, list(make(epoch=1))), name)
            self.assertIn("missing records since this state", said[0], name)

    def test_records_that_are_gone_refuse_the_epoch_with_counts(self) -> None:
        begun = self.begin()
        hidden = self.dir / "hidden"
        (self.data / "b.tfrecord").rename(hidden)
        self.update()
        for name, make in self.makers().items():
            sampler = make()
            with self.assertRaises(ofindex.StaleError, msg=name) as refused:
                sampler.load_state_dict(begun[name][0])
            text = str(refused.exception)
            self.assertIn("data/b.tfrecord is missing or changed since generation 2", text, name)
            self.assertIn("begin epoch 2 without the state, or restore what is missing", text, name)
            whole = name in ("shuffle", "block", "auto", "weights", "balance")
            counts = "40 of the 120 records of its epoch" if whole else "40 of the dataset's 120 records"
            self.assertIn(counts, text, name)
            sampler.set_epoch(2)
            self.assertEqual(list(sampler), list(make(epoch=2)), name)
        with self.subTest("restored"):
            hidden.rename(self.data / "b.tfrecord")
            self.update()
            self.go_on(begun)

    def test_a_selection_without_the_records_that_are_gone_goes_on(self) -> None:
        view = ofindex.open(self.data).where("_id >= 80")
        iterator = iter(view.sampler(seed=3))
        payloads = [view[row] for row in iterator]
        iterator = iter(view.sampler(seed=3))
        list(islice(iterator, 7))
        state = iterator.state_dict()
        (self.data / "a.tfrecord").unlink()
        self.update()
        view = ofindex.open(self.data).where("_id >= 80")
        sampler = view.sampler()
        self.assertEqual(self.load(sampler, state), [])
        self.assertEqual([view[row] for row in sampler], payloads[7:])

    def test_a_shard_that_was_missing_when_the_epoch_began_stays_out_of_it(self) -> None:
        hidden = self.dir / "hidden"
        (self.data / "b.tfrecord").rename(hidden)
        self.update()
        begun = self.begin()
        hidden.rename(self.data / "b.tfrecord")
        self.update()
        self.go_on(begun)
        sampler = self.makers()["shuffle"]()
        self.load(sampler, begun["shuffle"][0])
        self.assertEqual(sampler.changes, (40, 0, (2, 3), False))

    def test_a_changed_shard_refuses_the_epoch(self) -> None:
        state = self.begin()["shuffle"][0]
        self.shard("b", range(200, 240))
        self.update()
        with self.assertRaisesRegex(ofindex.StaleError, "40 of the 120 records of its epoch are gone"):
            ofindex.open(self.data).sampler().load_state_dict(state)

    def test_pruning_refuses_all_states_from_before(self) -> None:
        begun = self.begin()
        (self.data / "a.tfrecord").unlink()
        self.update("--prune")
        for name, make in self.makers().items():
            pruned = "generation 1, but the index was pruned in generation 2"
            with self.assertRaisesRegex(ofindex.StaleError, pruned, msg=name):
                make().load_state_dict(begun[name][0])

    def test_a_state_of_other_rows_or_another_order_is_still_refused(self) -> None:
        state = self.begin()["shuffle"][0]
        self.shard("d", range(120, 132))
        (self.data / "b.tfrecord").unlink()
        self.update()
        ds = ofindex.open(self.data)
        for sampler, reason in (
            (ds.sampler(block=4), "another order"),
            (ds.sampler(weights="weight"), "another order"),
        ):
            with self.assertRaisesRegex(ofindex.StaleError, reason):
                sampler.load_state_dict(state)

    def test_a_loader_goes_on_like_its_sampler(self) -> None:
        try:
            from ofindex.torch import Loader
        except ImportError:
            self.skipTest("needs torch")

        def batches(loader: Any) -> list[list[bytes]]:
            return [batch["name"].tolist() for batch in loader]

        loader = Loader(ofindex.open(self.data), FEATURES, batch_size=8)
        whole = batches(loader)
        loader = Loader(ofindex.open(self.data), FEATURES, batch_size=8)
        list(islice(loader, 3))
        state = loader.state_dict()
        self.shard("d", range(120, 132))
        self.update()
        loader = Loader(ofindex.open(self.data), FEATURES, batch_size=8)
        self.load(loader, state)
        self.assertEqual((len(loader), batches(loader)), (12, whole[3:]))
        self.assertEqual((len(loader), sum(map(len, batches(loader)))), (17, 132))

    def test_a_mix_and_a_pickle_refuse_an_updated_dataset(self) -> None:
        ds = ofindex.open(self.data)
        iterator = iter(ofindex.mix([ds, ds], [1, 2]).sampler())
        list(islice(iterator, 5))
        state, pickled = iterator.state_dict(), pickle.dumps(ds.sampler())
        self.shard("d", range(120, 132))
        self.update()
        ds = ofindex.open(self.data)
        with self.assertRaisesRegex(ofindex.StaleError, "was updated since: its sources"):
            ofindex.mix([ds, ds], [1, 2]).sampler().load_state_dict(state)
        with self.assertRaisesRegex(ofindex.StaleError, "rebuilt or updated after"):
            pickle.loads(pickled)
