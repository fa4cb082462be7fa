"""The public API of the package: order and defaults of arguments, exceptions, reprs and pickles."""

from __future__ import annotations

import inspect
import pickle
import unittest
from collections.abc import Callable
from typing import Any

import ofindex
from python.work import FEATURES, WorkTest

SIGNATURES: dict[str, str] = {
    "build": "data, output=None, verify=True, columns='auto', threads=None, force=False, progress=None",
    "open": "path, root=None, io='auto'",
    "fixed": "dtype, shape=(), default=None",
    "ragged": "dtype",
    "raw": "dtype, shape, truncate=False, pad=False",
    "image": "mode='rgb', size=224",
    "mix": "datasets, weights=None",
    "Dataset.__getitems__": "numbers",
    "Dataset.buffer": "number",
    "Dataset.record": "number",
    "Dataset.batch": "ids, features",
    "Dataset.where": "expression, parameters=None",
    "Dataset.sql": "query, parameters=None",
    "Dataset.column": "name",
    "Dataset.arrow": "names=None",
    "Dataset.stats": "name",
    "Dataset.verify": "",
    "Dataset.split": "parts, seed=0, stratify=None, key=None",
    "Dataset.sampler": "seed=0, epoch=0, rank=None, world_size=None, weights=None, balance=None, block=None,"
    " tail='exact'",
    "Mix.batch": "ids, features",
    "Sampler.set_epoch": "epoch",
    "Sampler.state_dict": "",
    "Sampler.load_state_dict": "state",
    "Rows.arrow": "",
    "Rows.df": "",
    "Writer": "path, format=None",
    "Writer.write": "record",
    "grain.DataSource": "dataset",
    "torch.Dataset": "dataset, features=None, transform=None",
    "torch.Loader": "dataset, features, batch_size=256, sampler=None, seed=0, rank=None, world_size=None, tail='pad',"
    " prefetch=None, threads=None, transform=None",
    "torch.Loader.set_epoch": "epoch",
    "torch.Loader.state_dict": "",
    "torch.Loader.load_state_dict": "state",
    "tf.dataset": "ds, features, batch_size=256, seed=0",
}


def arguments_of(function: Callable[..., Any]) -> list[str]:
    """The positional arguments, as they are written."""
    found = []
    for name, argument in inspect.signature(function).parameters.items():
        if name == "self" or argument.kind is inspect.Parameter.KEYWORD_ONLY:
            continue
        default = "" if argument.default is inspect.Parameter.empty else f"={argument.default!r}"
        found.append(name + default)
    return found


class ContractTest(WorkTest):
    def test_arguments_have_the_promised_names_and_order_and_new_ones_come_last(self) -> None:
        for name, promised in SIGNATURES.items():
            owner: Any = ofindex
            try:
                for part in name.split("."):
                    owner = getattr(owner, part)
            except ImportError:
                continue  # the framework is not installed
            if not inspect.isfunction(owner) and not inspect.isclass(owner):
                continue  # defined in the extension
            expected = [argument for argument in promised.split(", ") if argument]
            self.assertEqual(arguments_of(owner)[: len(expected)], expected, name)

    def test_all_exceptions_derive_from_error(self) -> None:
        for name in ("Stale", "Damage", "Feature", "Format", "Query", "Limit", "Lock"):
            self.assertTrue(issubclass(getattr(ofindex, f"{name}Error"), ofindex.Error))
        self.assertTrue(issubclass(ofindex.Error, Exception))

    def test_reprs_contain_no_address_and_survive_pickling(self) -> None:
        ds = self.examples(40)
        mix = ofindex.mix([ds, ds[:10]], [1, 2])
        batch = ds.batch(range(3), FEATURES)
        lasting: list[Any] = [ds, ds[3:7], mix, ds.arrow(["label"]), *batch.values(), *FEATURES.values()]
        lasting += [ds.sampler(), mix.sampler(), ofindex.grain.DataSource(ds, FEATURES)]
        passing = [ds.sql("SELECT 1"), iter(ds.sampler()), iter(mix.sampler())]
        try:
            loader = ofindex.torch.Loader(ds, FEATURES, 16)
            lasting += [loader, ofindex.torch.Dataset(ds, FEATURES)]
            passing.append(iter(loader))
        except ImportError:
            pass
        with ofindex.Writer(self.dir / "new.tfrecord") as writer:
            passing.append(writer)
        for one in [*lasting, *passing]:
            self.assertNotIn(" at 0x", repr(one))
        for one in lasting:
            self.assertEqual(repr(pickle.loads(pickle.dumps(one))), repr(one))


if __name__ == "__main__":
    unittest.main()
