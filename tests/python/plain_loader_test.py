"""ofindex.Loader: the batches of ofindex.torch.Loader as numpy arrays, without torch."""

from __future__ import annotations

import json
import pickle
import unittest
from itertools import islice
from typing import Any

import numpy as np
import ofindex
from python.work import FEATURES, WorkTest, in_new_process

LABEL = {"label": ofindex.fixed("int64"), "weight": ofindex.fixed("float32")}


def plain(batch: dict[str, Any]) -> dict[str, Any]:
    """A batch as dtypes and bytes."""
    values: dict[str, Any] = {}
    for name, value in batch.items():
        if isinstance(value, np.ndarray):
            values[name] = (str(value.dtype), value.shape, value.tobytes())
        else:
            values[name] = value.tolist()
    return values


def first_half(batch: dict[str, Any]) -> Any:
    return batch["label"][: len(batch["label"]) // 2].tolist()


class PlainLoaderTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(203)

    def test_batches_are_those_of_the_dataset_in_the_order_of_the_sampler(self) -> None:
        mix = ofindex.mix([self.ds, self.examples(20, "other/")], [1, 3])
        wishes: list[tuple[Any, dict[str, Any]]] = [
            (self.ds, {}),
            (self.ds, {"weights": "weight"}),
            (self.ds, {"weights": self.ds.column("weight")}),
            (self.ds, {"balance": "label"}),
            (self.ds, {"block": 4}),
            (self.ds.where("label > 3")[::-1], {}),
            (mix, {}),
        ]
        for ds, wish in wishes:
            for rank in range(3):
                place = {"seed": 5, "rank": rank, "world_size": 3, "tail": "pad"}
                order = list(ds.sampler(**place, **wish))
                expected = [plain(ds.batch(order[at : at + 16], FEATURES)) for at in range(0, len(order), 16)]
                got = [plain(batch) for batch in ofindex.Loader(ds, FEATURES, 16, **place, **wish)]
                self.assertEqual(got, expected, (ds, wish, rank))

    def test_a_state_goes_from_one_process_to_another(self) -> None:
        loader = ofindex.Loader(self.ds, FEATURES, 16, seed=3)
        whole = [[plain(batch) for batch in loader] for _ in range(2)]
        loader.set_epoch(0)
        read = [plain(batch) for batch in islice(loader, 5)]
        self.assertEqual(read, whole[0][:5])
        for resumed in (
            ofindex.Loader(self.ds, FEATURES, 16, seed=0),
            pickle.loads(pickle.dumps(loader)),
        ):
            resumed.load_state_dict(json.loads(json.dumps(loader.state_dict())))
            self.assertEqual([plain(batch) for batch in resumed], whole[0][5:])
            self.assertEqual([plain(batch) for batch in resumed], whole[1])

    def test_a_transform_is_applied_to_each_batch(self) -> None:
        loader = ofindex.Loader(self.ds, LABEL, 20, sampler=range(203), transform=first_half)
        self.assertEqual(list(loader)[1], [number % 10 for number in range(20, 30)])

    def test_options_of_an_order_belong_to_the_sampler(self) -> None:
        sampler = self.ds.sampler()
        mix = ofindex.mix([self.ds, self.ds[:10]])
        for ds, wish, text in (
            (self.ds, {"sampler": sampler, "weights": "weight"}, "weights belongs to the sampler: give it"),
            (self.ds, {"sampler": sampler, "rank": 0, "world_size": 2}, "rank and world_size belong to the sampler"),
            (self.ds, {"sampler": sampler, "seed": 7, "tail": "exact"}, "seed and tail belong to the sampler"),
            (mix, {"balance": "label", "block": 4}, "balance does not apply to a mix: leave it out"),
            (mix, {"weights": "weight"}, "draws by the weights of its datasets: give them to ofindex.mix"),
            (self.ds, {"sampler": self.ds[:9].sampler()}, "use dataset.sampler"),
        ):
            with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                ofindex.Loader(ds, LABEL, **wish)

    def test_it_works_without_torch(self) -> None:
        print_batches = """
import sys
sys.modules["torch"] = None
import ofindex
loader = ofindex.Loader(ofindex.open(sys.argv[1]), {"label": ofindex.fixed("int64")}, 100, seed=1)
print(repr(loader), sum(int(batch["label"].sum()) for batch in loader), len(loader))
"""
        told = in_new_process(print_batches, self.dir / "data")
        self.assertRegex(told, r"^ofindex\.Loader\(<ofindex.*>, batch_size=100, features=\['label'\]\) 903 3$")
        self.assertEqual(sum(number % 10 for number in range(203)), 903)


if __name__ == "__main__":
    unittest.main()
