"""Views by the verbs of other libraries: Datasets, views and mixes behave as lists of their payloads do."""

from __future__ import annotations

import importlib.util
import math
import operator
import pickle
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
import ofindex
from python.work import FEATURES, WorkTest, example, in_new_process

MASKS: list[tuple[str, Callable[[Any, list[bool]], Any]]] = [
    ("torch", lambda torch, kept: torch.tensor(kept, dtype=torch.bool)),
    ("polars", lambda polars, kept: polars.Series(kept, dtype=polars.Boolean)),
    ("pyarrow", lambda pyarrow, kept: pyarrow.array(kept, pyarrow.bool_())),
    ("pyarrow", lambda pyarrow, kept: pyarrow.chunked_array([kept[:2], kept[2:]], pyarrow.bool_())),
    ("pandas", lambda pandas, kept: pandas.Series(kept, dtype=bool)),
    ("pandas", lambda pandas, kept: pandas.array(kept, dtype="boolean")),
]

LABEL = {"label": ofindex.fixed("int64")}


def is_even(record: dict[str, Any]) -> bool:
    return bool(record["label"][0] % 2 == 0)


def name_of(record: dict[str, Any]) -> str:
    return str(record["name"][0], "ascii")


def doubled(item: dict[str, Any]) -> int:
    return int(item["label"]) * 2


class VerbsTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.ds = self.examples(103)
        other = ofindex.build(self.write("b/", [example(number) for number in range(200, 240)]))
        mix = ofindex.mix([self.ds, other], [1, 3])
        self.all: dict[str, Any] = {
            "dataset": self.ds,
            "view": self.ds.where("label > 2"),
            "picked view": self.ds[[7, 3, 99, 50, 12]],
            "mix": mix,
            "view of a mix": mix[::-3],
            "slice of a mix": mix[95:120],
            "shuffled mix": mix.shuffle(2),
            "sum": other + self.ds[:5] + mix[::-7],
            "empty view": self.ds[:0],
            "empty mix": mix[:0],
        }

    def test_each_verb_does_to_the_records_what_it_does_to_a_list(self) -> None:
        verbs: list[tuple[str, Callable[[Any], Any], Callable[[list[bytes]], list[bytes]]]] = [
            ("take", lambda ds: ds.take(7), lambda records: records[:7]),
            ("take all", lambda ds: ds.take(10**12), lambda records: records),
            ("skip", lambda ds: ds.skip(4), lambda records: records[4:]),
            ("skip all", lambda ds: ds.skip(10**12), lambda records: []),
            ("select a slice", lambda ds: ds.select(slice(None, None, -2)), lambda records: records[::-2]),
            ("select numbers", lambda ds: ds.select(range(len(ds) // 2)), lambda records: records[: len(records) // 2]),
            ("select by an iterator", lambda ds: ds.select(iter([])), lambda records: []),
            ("shard", lambda ds: ds.shard(4, 3, contiguous=False), lambda records: records[3::4]),
            ("filter", lambda ds: ds.filter(is_even), self.even),
            ("filter by SQL", lambda ds: ds.filter("label % 2 = ?", (0,)), self.even),
            ("where", lambda ds: ds.where("label % 2 = 0"), self.even),
            ("sum", lambda ds: ds + ds.take(3), lambda records: records + records[:3]),
            ("two", lambda ds: ds.skip(2).take(20).shard(2, 1), lambda records: self.second_half(records[2:22])),
            ("slice of a slice", lambda ds: ds[::-1][3:30][::2], lambda records: records[::-1][3:30][::2]),
        ]
        for name, ds in self.all.items():
            records = list(ds)
            self.assertEqual(len(records), len(ds))
            for verb, act, expected in verbs:
                with self.subTest(f"{verb} of {name}"):
                    view = act(ds)
                    self.check(view, expected(records))

    @staticmethod
    def even(records: list[bytes]) -> list[bytes]:
        if not records:
            return []
        labels = ofindex.decode(records, LABEL)["label"]
        return [record for record, label in zip(records, labels, strict=True) if label % 2 == 0]

    @staticmethod
    def second_half(records: list[bytes]) -> list[bytes]:
        return records[(len(records) + 1) // 2 :]

    def check(self, view: Any, expected: list[bytes]) -> None:
        """A view has these records by every way of reading, also once pickled."""
        for one in (view, pickle.loads(pickle.dumps(view))):
            self.assertEqual(len(one), len(expected))
            self.assertEqual(list(one), expected)
            numbers = list(range(len(expected)))
            self.assertEqual(one.__getitems__(numbers[::-1]), expected[::-1])
            self.assertEqual([one[number - len(expected)] for number in numbers[:3]], expected[:3])
        if expected:
            batch = view.batch(numbers, FEATURES)
            self.assertEqual(batch["name"].tolist(), ofindex.decode(expected, FEATURES)["name"].tolist())
            self.assertEqual(view.record(-1)["label"].tolist(), view.record(len(view) - 1)["label"].tolist())

    def test_a_mask_of_any_library_selects_where_it_is_true(self) -> None:
        for name, ds in self.all.items():
            kept = [number % 3 == 0 for number in range(len(ds))]
            expected = [record for record, keep in zip(ds, kept, strict=True) if keep]
            masks: list[Any] = [np.array(kept, dtype=bool), kept, tuple(kept)]
            for module, make in MASKS:
                try:
                    masks.append(make(importlib.import_module(module), kept))
                except ImportError:
                    continue
            for mask in masks:
                with self.subTest(f"{type(mask)} of {name}"):
                    self.assertEqual(list(ds[mask]), expected)

    def test_wrong_selectors_are_refused(self) -> None:
        polars = importlib.import_module("polars") if importlib.util.find_spec("polars") else None
        for ds in (self.ds, self.all["mix"], self.all["view of a mix"]):
            wrong: list[tuple[Any, type[Exception], str]] = [
                ([True] * 5, IndexError, f"a mask of 5 values for {len(ds)} records"),
                (np.ones((len(ds), 1), dtype=bool), IndexError, "mask"),
                ([True, 2], TypeError, "bool"),
                (True, TypeError, "bool"),
                ("label", TypeError, "str"),
                (1.5, TypeError, "float"),
                ([len(ds)], IndexError, ""),
            ]
            if polars is not None:
                holes = polars.Series([None] + [True] * (len(ds) - 1))
                wrong.append((holes, TypeError, "no value for record 0: fill its nulls with False"))
            for key, error, text in wrong:
                with self.subTest(key=key, ds=ds), self.assertRaisesRegex(error, text):
                    ds[key]

    def test_shards_are_disjoint_even_and_everything(self) -> None:
        for name, ds in self.all.items():
            for count in (1, 3, 7, 200):
                for contiguous in (True, False):
                    with self.subTest(name=name, count=count, contiguous=contiguous):
                        shards = [ds.shard(count, index, contiguous) for index in range(count)]
                        sizes = [len(shard) for shard in shards]
                        self.assertLessEqual(max(sizes) - min(sizes), 1)
                        records = [record for shard in shards for record in shard]
                        whole = list(ds) if contiguous else sorted(ds)
                        self.assertEqual(records if contiguous else sorted(records), whole)

    def test_a_shuffle_is_the_order_of_a_sampler_and_stays_the_same(self) -> None:
        rows = self.ds.sampler(seed=9, rank=0, world_size=1).take(103)
        self.assertEqual(list(self.ds.shuffle(9)), list(self.ds[rows]))
        for name, ds in self.all.items():
            shuffled = ds.shuffle(5)
            self.assertEqual(sorted(shuffled), sorted(ds), name)
            self.assertEqual(list(shuffled), list(ds.shuffle(seed=5)))
            if len(ds) > 20:
                self.assertNotEqual(list(shuffled), list(ds))
                self.assertNotEqual(list(shuffled), list(ds.shuffle(6)))

    def test_a_train_test_split_has_exact_sizes(self) -> None:
        for name, ds in self.all.items():
            if len(ds) < 5:
                continue
            for size, expected in ((0.1, math.ceil(len(ds) * 0.1)), (0.5, math.ceil(len(ds) * 0.5)), (3, 3)):
                parts = ds.train_test_split(size, seed=1)
                self.assertEqual(list(parts), ["train", "test"])
                self.assertEqual(len(parts["test"]), expected, name)
                self.assertEqual(sorted([*parts["train"], *parts["test"]]), sorted(ds), name)
        for wrong in (0.0, 1.0, -0.5, 0, 103, -1):
            with self.assertRaisesRegex(ValueError, "test_size"):
                self.ds.train_test_split(wrong)

    def test_a_sum_is_read_once_per_epoch(self) -> None:
        parts = [self.ds, self.all["view"], self.all["sum"], self.ds[:1]]
        whole = ofindex.concat(parts)
        self.assertEqual(list(whole), [record for part in parts for record in part])
        for epoch in range(3):
            order = list(whole.sampler(seed=1, epoch=epoch))
            self.assertEqual(sorted(order), list(range(len(whole))))
        for wrong, error in (([], ValueError), ([self.ds, [b"x"]], TypeError)):
            with self.assertRaises(error):
                ofindex.concat(wrong)
        self.assertRaises(TypeError, operator.add, self.ds, [b"x"])

    def test_a_view_of_a_mix_keeps_its_proportions(self) -> None:
        for mix in (self.all["mix"][::-2], self.all["mix"].shuffle(1), self.all["mix"].filter("label < 5")):
            loader = ofindex.Loader(mix, FEATURES, 40, seed=3, tail="exact")
            drawn = [name for _ in range(10) for batch in loader for name in batch["name"]]
            second = sum(int(name.split()[1]) >= 200 for name in drawn)
            self.assertAlmostEqual(second / len(drawn), 0.75, delta=0.01)
            rows = list(mix.sampler(seed=3))
            loader.set_epoch(0)
            names = [name for batch in loader for name in batch["name"]]
            self.assertEqual(names, [mix.record(row)["name"][0] for row in rows])

    def test_a_map_is_computed_when_it_is_read(self) -> None:
        calls: list[str] = []

        def noted(record: dict[str, Any]) -> str:
            calls.append(name_of(record))
            return calls[-1]

        mapped = self.ds.map(noted)
        self.assertEqual((len(mapped), calls), (103, []))
        self.assertEqual((mapped[5], mapped[-1], calls), ("record 5", "record 102", ["record 5", "record 102"]))
        for name, ds in self.all.items():
            names = [name_of(ds.record(number)) for number in range(len(ds))]
            self.assertEqual(list(ds.map(name_of)), names, name)
            self.assertEqual(list(ds.map(name_of)[::-2]), names[::-2], name)
            labels = [] if not names else (ds.batch(range(len(ds)), LABEL)["label"] * 2).tolist()
            self.assertEqual(list(ds.map(doubled, LABEL)), labels, name)
        lengths = pickle.loads(pickle.dumps(self.ds.map(name_of).map(len)))
        self.assertEqual(list(lengths), [len(f"record {number}") for number in range(103)])
        self.assertRaises(TypeError, self.ds.map, "name")
        with self.assertRaises(IndexError):
            mapped[103]
        with self.assertRaises(TypeError):
            mapped[True]

    def test_columns_become_frames(self) -> None:
        for module, verb in (("pandas", "to_pandas"), ("polars", "to_polars")):
            if not importlib.util.find_spec(module) or not importlib.util.find_spec("pyarrow"):
                self.skipTest(f"{module} or pyarrow is not installed")
            for name, ds in self.all.items():
                with self.subTest(f"{verb} of {name}"):
                    frame = getattr(ds, verb)(["label", "weight"])
                    self.assertEqual(list(frame.columns), ["label", "weight"])
                    expected = [ds.record(number)["weight"][0] for number in range(len(ds))]
                    self.assertEqual(list(frame["weight"]), expected)

    def test_the_warning_about_lists_names_the_line_of_the_program(self) -> None:
        if not importlib.util.find_spec("pandas") or not importlib.util.find_spec("pyarrow"):
            self.skipTest("pandas or pyarrow is not installed")
        for act in (self.ds.to_pandas, self.ds.arrow().__arrow_c_stream__, self.ds.__arrow_c_stream__):
            with self.assertWarnsRegex(UserWarning, "left out 'boxes'") as warned:
                act()
            self.assertEqual(warned.filename, __file__)

    def test_hugging_face_gets_columns_or_decoded_features(self) -> None:
        if not importlib.util.find_spec("datasets"):
            self.skipTest("datasets is not installed")
        print_labels = """
import sys, ofindex
ds = ofindex.open(sys.argv[1]).where("label > 2")
columns = ds.to_hf()
decoded = ds.to_hf({"label": ofindex.fixed("int64"), "boxes": ofindex.ragged("float32")})
print(columns["label"][:], decoded["label"][:], [len(row) for row in decoded["boxes"]])
"""
        told = in_new_process(print_labels, self.dir / "data", HF_HOME=str(self.dir / "hf"), HF_DATASETS_OFFLINE="1")
        labels = [number % 10 for number in range(103) if number % 10 > 2]
        self.assertEqual(told.strip().splitlines()[-1], f"{labels} {labels} {labels}")

    def test_errors_name_what_was_meant(self) -> None:
        for act, error, text in (
            (lambda: self.ds.select(5), TypeError, r"select takes a list of numbers: select\(\[5\]\)"),
            (lambda: self.ds.filter(3), TypeError, "a condition is an SQL expression or a function, not int"),
            (lambda: self.ds.split([0.8, 0.2]), TypeError, r'split\({"train": 0.8, "test": 0.2}\)'),
            (lambda: self.ds.split([0.8, 0.1, 0.1]), TypeError, r'"train": 0.8, "val": 0.1, "test": 0.1'),
            (lambda: self.ds.split(0.8), TypeError, "parts are a dict: name -> fraction, not float"),
            (lambda: self.ds.shard(3, 3), ValueError, "index=3: expected 0 to 2"),
            (lambda: self.ds.take(-1), ValueError, "count=-1"),
            (lambda: self.all["empty mix"].sampler(), ValueError, "the mix has no records"),
        ):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                act()


if __name__ == "__main__":
    unittest.main()
