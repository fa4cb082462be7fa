"""Calls with the words of other libraries, and misspelt ones, are answered with what to write."""

from __future__ import annotations

import collections
import inspect
import pickle
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
import ofindex
import ofindex.torch
from ofindex import _foreign
from oracle import messages
from python.work import WorkTest

LABEL = ofindex.fixed("int64")
FixedLenFeature = collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])
DType = collections.namedtuple("DType", ["name"])
Frame = type("DataFrame", (dict,), {"__module__": "pandas.core.frame"})

Call = Callable[[Any], Any]

# A call, its error, and a part of its text.
ARGUMENTS: tuple[tuple[Call, type[Exception], str], ...] = (
    (lambda ds: ds.train_test_split([0.8, 0.2]), TypeError, "test_size=0.2"),
    (lambda ds: ds.train_test_split({"train": 0.75}), TypeError, "test_size=0.25"),
    (lambda ds: ds.train_test_split("x"), TypeError, "test_size='x': expected a fraction"),
    (lambda ds: ds.split([0.8, 0.2]), TypeError, 'split({"train": 0.8, "test": 0.2})'),
    (lambda ds: ds.split([0.1, 0.2, 0.3, 0.4]), TypeError, '"part3": 0.4'),
    (lambda ds: ds.split(0.8), TypeError, 'write split({"train": 0.8, "test": 0.2})'),
    (
        lambda ds: ofindex.mix({"a": 1.0, "b": 2.0}),
        TypeError,
        "mix([ofindex.open('a'), ofindex.open('b')], weights=[1.0",
    ),
    (lambda ds: ofindex.mix({"a": ds}, {"b": 1}), ValueError, "expected the same names"),
    (lambda ds: ofindex.mix(ds, ds), TypeError, "write mix([a, b])"),
    (lambda ds: ofindex.mix(ds, ds, ds), TypeError, "mix([a, b], weights=[0.7, 0.3])"),
    (lambda ds: ofindex.mix([ds, ds], 0.5), TypeError, "weights=0.5: expected a list"),
    (lambda ds: ofindex.mix([(ds, 0.5)]), TypeError, "mix([a, b], weights=[0.7, 0.3])"),
    (lambda ds: ofindex.mix(["a", ds]), TypeError, "write ofindex.open('a')"),
    (lambda ds: ofindex.concat(ds, ds), TypeError, "concat([a, b])"),
    (lambda ds: ofindex.concat(ds), TypeError, "concat([a, b])"),
    (lambda ds: ds.where("label > ? AND label < ?", 3, 5), TypeError, "where(expression, [3, 5])"),
    (lambda ds: ds.where(len), TypeError, "write ds.filter(function)"),
    (lambda ds: ds.where(np.ones(9, bool)), TypeError, "write ds[mask]"),
    (lambda ds: ds.filter(3), TypeError, "write ds[mask]"),
    (lambda ds: ds.sampler(weights='"a/b"'), ofindex.QueryError, 'no such column: "a/b"'),
    (lambda ds: ds.sampler(weights="image/clas/label"), ofindex.QueryError, "did you mean 'image/class/label'?"),
    (lambda ds: ofindex.open(["a", "b"]), TypeError, "ofindex.concat([ofindex.open(path) for path in paths])"),
    (lambda ds: ofindex.open(Frame()), TypeError, "ofindex.pack(rows"),
    (lambda ds: ofindex.open(ds), TypeError, "it is open already"),
    (lambda ds: ofindex.open("/none/*.tfrecord"), FileNotFoundError, "no file matches it"),
    (lambda ds: ofindex.build(Frame()), TypeError, "ofindex.pack(rows"),
    (lambda ds: ofindex.build(ds), TypeError, "data are paths of record files, not Dataset"),
    (lambda ds: ofindex.build(3), TypeError, "data are paths of record files, not int"),
    (lambda ds: ofindex.build(["a", 3]), TypeError, "data are paths of record files, not int"),
    (lambda ds: ofindex.Dataset("a"), TypeError, "ofindex.open(path)"),
    (lambda ds: ds["score"], TypeError, "ds.column('score')"),
    (lambda ds: ds[["score", "image/class/label"]], TypeError, "ds.column('score')"),
    (lambda ds: ds[0, "score"], TypeError, "ds.column('score')"),
    (lambda ds: ds["label"], TypeError, "did you mean 'image/class/label'?"),
    (lambda ds: ds[1.0], TypeError, "write ds[1]"),
    (lambda ds: ds[len], TypeError, "ds.filter(len)"),
    (lambda ds: ds.select(1.5), TypeError, "not float"),
    (lambda ds: ds.take(2.0), TypeError, "write count=2"),
    (lambda ds: ds.shuffle("a"), TypeError, "seed='a': expected an integer"),
    (lambda ds: ds.shard(2), TypeError, "write shard(num_shards, index)"),
    (lambda ds: ds.map("x"), TypeError, "write map(lambda record: ...)"),
    (lambda ds: ds.batch(32), TypeError, "ofindex.Loader(ds, ..., batch_size=32)"),
    (lambda ds: ds.batch(3, {"score": LABEL}), TypeError, "batch([3], ...)"),
    (lambda ds: ofindex.mix([ds]).batch(3, {"score": LABEL}), TypeError, "batch([3], ...)"),
    (lambda ds: ofindex.Loader(ds), TypeError, "Loader(ds, {name: ofindex.fixed(...)}"),
    (lambda ds: ofindex.Loader(ds, ["score"]), TypeError, 'write {"score": ofindex.fixed("float32")}'),
    (lambda ds: ofindex.Loader(ds, ["box"]), TypeError, 'write {"box": ofindex.fixed("float32", 4)}'),
    (lambda ds: ofindex.Loader(ds, "words"), TypeError, 'write {"words": ofindex.ragged("bytes")}'),
    (lambda ds: ofindex.Loader(ds, {"score": "float32"}), TypeError, "{'score': ofindex.fixed(\"float32\")}"),
    (lambda ds: ofindex.Loader(ds, {"score": np.float32}), TypeError, "{'score': ofindex.fixed(\"float32\")}"),
    (lambda ds: ofindex.Loader(ds, {"score": ofindex.fixed}), TypeError, "{'score': ofindex.fixed(dtype)}"),
    (
        lambda ds: ofindex.Loader(ds, {"box": FixedLenFeature([4], DType("float32"), None)}),
        TypeError,
        "{'box': ofindex.fixed(\"float32\", (4,))}",
    ),
    (lambda ds: ofindex.Loader(ds, {"score": LABEL}, batch_size=4.0), TypeError, "write batch_size=4"),
    (lambda ds: ofindex.Loader(ds, {"score": LABEL}, transform="x"), TypeError, "transform='x': expected a function"),
    (lambda ds: ofindex.Loader(ds, {"score": LABEL}, sampler=3), TypeError, "sampler=3: expected ds.sampler(...)"),
    (lambda ds: ofindex.Loader("a", {"score": LABEL}), TypeError, "write ofindex.open('a')"),
    (lambda ds: ofindex.Loader(ds.map(len), {"score": LABEL}), TypeError, "transform=function"),
    (lambda ds: ofindex.fixed("string"), TypeError, 'write "bytes" for text'),
    (lambda ds: ofindex.fixed(), TypeError, 'write fixed("int64")'),
    (lambda ds: ofindex.pack(Frame(), "x", "tfrecord"), TypeError, 'write pack(table.to_dict("records"), ...)'),
    (lambda ds: ofindex.pack([], "x", "parquet"), ValueError, "to='parquet': expected 'tfrecord' or 'ofrecord'"),
)

# Keywords of other libraries, and what to write.
KEYWORDS: tuple[tuple[Callable[..., Any], dict[str, Any], str], ...] = (
    (ofindex.Loader, {"num_workers": 4}, "write threads=4"),
    (ofindex.torch.Loader, {"num_workers": 4}, "write threads=4"),
    (ofindex.Loader, {"num_workers": 0}, "leave it out: there is one thread for each processor"),
    (ofindex.build, {"n_jobs": -1}, "leave it out: there is one thread for each processor"),
    (ofindex.build, {"verbose": 1}, "write progress=True"),
    (ofindex.LengthBatches, {"max_tokens": 5}, "write total=5"),
    (ofindex.Loader, {"max_tokens": 5}, "write length_batches=ofindex.LengthBatches(5)"),
    (ofindex.Loader, {"packing": True}, 'write pack="best_fit"'),
    (
        ofindex.Loader,
        {"shuffle": True},
        "`seed` shuffles every epoch; for the stored order, write sampler=range(len(ds))",
    ),
    (ofindex.Loader, {"pin_memory": True}, "use ofindex.torch.Loader, which has it"),
    (ofindex.Loader, {"device": "cuda"}, "use ofindex.torch.Loader, which has it"),
    (ofindex.Loader, {"collate_fn": len}, "write transform=len"),
    (ofindex.Loader, {"batch_first": True}, "the first dimension of every array is the record"),
    (ofindex.Loader, {"drop_remainder": True}, "write drop_last=True"),
    (ofindex.Loader, {"num_replicas": 8}, "write world_size=8"),
    (ofindex.Loader, {"prefetch_factor": 2, "num_workers": 3}, "write threads=3"),
    (ofindex.Loader, {"batchsize": 4}, "did you mean 'batch_size'?"),
    (ofindex.Loader, {"Threads": 4}, "did you mean 'threads'?"),
    (ofindex.Dataset.shuffle, {"buffer_size": 1000}, "a shuffle is of all records"),
    (ofindex.Dataset.shuffle, {"random_state": 3}, "write seed=3"),
    (ofindex.Dataset.where, {"params": (3,)}, "write parameters="),
    (ofindex.Dataset.train_test_split, {"stratify_by_column": "a"}, "use ds.split({...}, stratify='a')"),
    (ofindex.Dataset.sampler, {"num_shards": 3, "drop_remainder": True}, 'write tail="drop"'),
    (ofindex.build, {"num_proc": 3}, "write threads=3"),
    (ofindex.build, {"overwrite": True}, "write force=True"),
    (ofindex.open, {"memory_map": True}, 'write io="mmap"'),
    (ofindex.fixed, {"default_value": 0}, "write default=0"),
    (ofindex.mix, {"probabilities": [0.7, 0.3]}, "write weights=[0.7, 0.3]"),
    (ofindex.mix, {"unheard_of": 1}, "its arguments are datasets, weights"),
)

ATTRIBUTES = {
    "len": "write len(ds)",
    "num_rows": "write len(ds)",
    "column_names": "write list(ds.schema)",
    "to_dataframe": "write ds.to_pandas()",
    "repeat": "each iteration is the next epoch",
    "shufle": "did you mean 'shuffle'?",
    "train_test_splt": "did you mean 'train_test_split'?",
}

FUNCTIONS = (
    ofindex.Loader.__init__,
    ofindex.LengthBatches.__init__,
    ofindex.Writer.__init__,
    ofindex.build,
    ofindex.open,
    ofindex.pack,
    ofindex.mix,
    ofindex.fixed,
    ofindex.Dataset.sampler,
    ofindex.Dataset.split,
    ofindex.Dataset.where,
    ofindex.Dataset.filter,
    ofindex.Dataset.map,
    ofindex.Dataset.shard,
    ofindex.Dataset.train_test_split,
    ofindex.Dataset.arrow,
)


class WordsTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        payloads = [
            messages.encode(
                "example",
                {
                    "image/class/label": ("int64", [number % 3]),
                    "image/encoded": ("bytes", [b"\xff\xd8\xff"]),
                    "score": ("float", [number / 2]),
                    "box": ("float", [0.0] * 4),
                    "words": ("bytes", [b"w"] * (number % 3)),
                },
            )
            for number in range(9)
        ]
        self.ds = ofindex.build(self.write("some.tfrecord", payloads))

    def test_an_argument_that_does_not_fit_is_told_what_to_write(self) -> None:
        for number, (call, error, text) in enumerate(ARGUMENTS):
            with self.subTest(number=number, text=text), self.assertRaises(error) as raised:
                call(self.ds)
            self.assertIn(text, str(raised.exception), number)

    def test_a_keyword_of_another_library_names_the_argument(self) -> None:
        for function, keywords, text in KEYWORDS:
            with self.subTest(keywords), self.assertRaises(TypeError) as raised:
                function(self.ds, **keywords)
            self.assertIn(f"unexpected keyword argument '{next(iter(keywords))}'", str(raised.exception))
            self.assertIn(text, str(raised.exception))

    def test_every_argument_in_the_table_exists(self) -> None:
        known = {name for function in FUNCTIONS for name in inspect.signature(function).parameters}
        named = {argument for advice in _foreign._ARGUMENTS.values() for argument, _ in advice} - {""}
        self.assertEqual(sorted(named - known), [])
        for name, advice in _foreign._ARGUMENTS.items():
            for _, text in advice:
                self.assertNotIn("{}", text.format("3"), name)

    def test_an_attribute_of_another_library_or_a_misspelt_one_is_told_what_to_write(self) -> None:
        for records in (self.ds, self.ds[:3], ofindex.mix([self.ds, self.ds])):
            for name, text in ATTRIBUTES.items():
                self.assertFalse(hasattr(records, name), name)
                with self.assertRaises(AttributeError) as raised:
                    getattr(records, name)
                self.assertIn(text, str(raised.exception))
            for name in ("_none", "__dataframe__", "__none__"):
                with self.assertRaisesRegex(AttributeError, f"has no attribute '{name}'$"):
                    getattr(records, name)
        with self.assertRaisesRegex(AttributeError, "a view has no schema"):
            _ = self.ds[:3].schema
        for name in _foreign._OF_RECORDS:
            self.assertFalse(hasattr(ofindex.Dataset, name), name)

    def test_names_of_the_module(self) -> None:
        for name, text in (
            ("load_dataset", "write ofindex.open(path)"),
            ("DataLoader", "write ofindex.Loader"),
            ("FixedLenFeature", "write ofindex.fixed(dtype, shape)"),
            ("Loder", "did you mean 'Loader'?"),
        ):
            with self.assertRaises(AttributeError) as raised:
                getattr(ofindex, name)
            self.assertIn(text, str(raised.exception))
        self.assertEqual([name for name in _foreign._OF_MODULE if hasattr(ofindex, name)], [])

    def test_what_is_plain_is_accepted(self) -> None:
        ds, first = self.ds, self.ds[:3]
        for value in (3, 3.0, np.int64(3), np.float32(3), [3], (3,)):
            self.assertEqual(len(ds.where("score >= ?", value)), 3, value)
            self.assertEqual(ds.sql("SELECT count(*) FROM records WHERE score >= ?", value).fetchall(), [(3,)])
        self.assertEqual(len(ds.filter("CAST(score AS TEXT) = ?", "3.0")), 1)
        self.assertEqual(ofindex.mix({ds: 3, first: 1}), ofindex.mix([ds, first], [3, 1]))
        self.assertEqual(ofindex.mix({"a": ds, "b": first}), ofindex.mix([ds, first]))
        self.assertEqual(ofindex.mix({"a": ds, "b": first}, {"b": 1, "a": 3}), ofindex.mix([ds, first], [3, 1]))
        import torch

        self.assertEqual(ofindex.fixed(torch.int64), ofindex.fixed("int64"))

    def test_a_misspelt_feature_is_suggested_everywhere(self) -> None:
        ds, mix = self.ds, ofindex.mix([self.ds, self.ds[:3]])
        for wrong in ("label", "image/clas/label", "class/LABEL"):
            specs = {wrong: LABEL}
            quoted = f'"{wrong}"'
            doors: dict[str, Call] = {
                "Loader": lambda _, specs=specs: ofindex.Loader(ds, specs),
                "Loader of names": lambda _, wrong=wrong: ofindex.Loader(ds, [wrong]),
                "torch Loader": lambda _, specs=specs: ofindex.torch.Loader(mix, specs),
                "torch Dataset": lambda _, specs=specs: ds.to_torch(specs),
                "batch": lambda some, specs=specs: some.batch([0], specs),
                "map": lambda some, specs=specs: some.map(len, specs),
                "where": lambda some, quoted=quoted: len(some.where(quoted + " > 0")),
                "filter": lambda some, quoted=quoted: len(some.filter(quoted + " > 0")),
                "sql": lambda _, quoted=quoted: ds.sql(f"SELECT {quoted} FROM records"),
                "column": lambda _, wrong=wrong: ds.column(wrong),
                "stats": lambda _, wrong=wrong: ds.stats(wrong),
                "arrow": lambda _, wrong=wrong: ds.arrow([wrong]).__arrow_c_stream__(),
                "to_pandas": lambda some, wrong=wrong: some.to_pandas([wrong]),
                "to_polars": lambda some, wrong=wrong: some.to_polars([wrong]),
                "split": lambda _, wrong=wrong: ds.split({"a": 0.5}, key=wrong),
                "stratify": lambda _, wrong=wrong: ds.split({"a": 0.5}, stratify=wrong),
                "weights": lambda _, wrong=wrong: ds.sampler(weights=wrong),
                "balance": lambda _, wrong=wrong: ds.sampler(balance=wrong),
                "select": lambda _, wrong=wrong: ds.select([wrong]),
                "item": lambda _, wrong=wrong: ds[wrong],
            }
            for door, call in doors.items():
                for records in (ds, mix):
                    with self.subTest(door=door, wrong=wrong), self.assertRaises((ofindex.Error, TypeError)) as raised:
                        call(records)
                    self.assertRegex(str(raised.exception), "did you mean ['\"]image/class/label['\"]")
        with self.assertRaisesRegex(ofindex.FeatureError, "did you mean 'image/encoded' or 'image/class/label'"):
            ofindex.Loader(ds, ["image"])

    def test_errors_inside_of_a_call_are_unchanged(self) -> None:
        def broken(record: Any) -> Any:
            return len(3)

        with self.assertRaisesRegex(TypeError, "has no len"):
            self.ds.filter(broken)
        with self.assertRaisesRegex(TypeError, "has no len"):
            _ = self.ds.map(broken)[0]

    def test_explained_functions_keep_their_signatures_and_pickle(self) -> None:
        self.assertEqual(list(inspect.signature(ofindex.mix).parameters), ["datasets", "weights"])
        self.assertIs(pickle.loads(pickle.dumps(ofindex.build)), ofindex.build)
        with self.assertWarnsRegex(RuntimeWarning, "every intact record is in the index") as warned:
            data = self.write("hurt.tfrecord", [b"\x0a\x00"])
            data.write_bytes(data.read_bytes()[:-1])
            ofindex.build(data)
        self.assertEqual(warned.filename, __file__)


if __name__ == "__main__":
    unittest.main()
