"""The examples in the docstrings of the package run, and their values are right; examples.py says what they are."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import unittest
import warnings
from collections.abc import Iterator
from typing import Any
from unittest import mock

import ofindex
from python.examples import build_train, example_in, names_for, run_example
from python.work import WorkTest

# The adapters. That of TensorFlow, which takes many seconds to import, is in tf_test.py, and that of Spark needs Java.
MODULES = ("grain", "polars", "ray", "torch")

# What nested tensors import takes many seconds, too: loader_test.py runs this example.
RUN_ELSEWHERE = {"torch.Ragged.nested"}

# Public names that must have an example.
WITH_EXAMPLE = [
    "BytesArray",
    "Dataset",
    "Dataset.arrow",
    "Dataset.batch",
    "Dataset.column",
    "Dataset.filter",
    "Dataset.key",
    "Dataset.map",
    "Dataset.record",
    "Dataset.sampler",
    "Dataset.select",
    "Dataset.shard",
    "Dataset.shuffle",
    "Dataset.skip",
    "Dataset.split",
    "Dataset.sql",
    "Dataset.stats",
    "Dataset.take",
    "Dataset.to_arrow_dataset",
    "Dataset.to_hf",
    "Dataset.to_pandas",
    "Dataset.to_polars",
    "Dataset.to_torch",
    "Dataset.train_test_split",
    "Dataset.verify",
    "Dataset.where",
    "Key",
    "Key.find",
    "Key.find_all",
    "Key.get",
    "LengthBatches",
    "Loader",
    "Loader.load_state_dict",
    "Loader.set_epoch",
    "Loader.state_dict",
    "Mix.place",
    "Ragged",
    "Rows",
    "Rows.df",
    "Rows.fetchall",
    "Sampler",
    "Sampler.take",
    "Writer",
    "build",
    "build_part",
    "concat",
    "decode",
    "fixed",
    "image",
    "merge",
    "mix",
    "open",
    "pack",
    "ragged",
    "raw",
    "update",
    "grain.DataSource",
    "polars.scan",
    "torch.Dataset",
    "torch.Loader",
    "torch.Ragged.nested",
]


def members_of(name: str, owner: Any) -> Iterator[tuple[str, Any]]:
    """The public class or function `owner` and, of a class, its public methods."""
    yield name, owner
    if inspect.isclass(owner):
        for member in dir(owner):
            if not member.startswith("_"):
                yield f"{name}.{member}", getattr(owner, member)


def public_objects() -> Iterator[tuple[str, Any]]:
    """The names of the package and of its adapters, with the objects that have docstrings."""
    yield "ofindex", ofindex
    for name in ofindex.__all__:
        if name not in ("tf", *MODULES):
            yield from members_of(name, getattr(ofindex, name))
    for module in MODULES:
        with contextlib.suppress(ImportError):
            adapter = importlib.import_module(f"ofindex.{module}")
            for name in getattr(adapter, "__all__", ["scan"]):
                yield from members_of(f"{module}.{name}", getattr(adapter, name))


def docstrings() -> dict[str, str]:
    return {name: inspect.getdoc(owner) or "" for name, owner in public_objects()}


class DocstringsTest(WorkTest):
    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        self.ds = build_train()

    def wrong_in(self, code: str) -> list[str]:
        try:
            return run_example(code, names_for(self.ds))
        except ModuleNotFoundError as error:
            if (error.name or "ofindex").startswith("ofindex"):
                raise
            return []  # the example is of a framework that is not installed

    def test_every_example_runs_and_its_values_are_right(self) -> None:
        variables = {"HF_HOME": str(self.dir / "hf"), "HF_DATASETS_OFFLINE": "1"}
        examples = {example_in(text): name for name, text in docstrings().items() if name not in RUN_ELSEWHERE}
        del examples[""]
        self.assertGreater(len(examples), 30)
        with mock.patch.dict(os.environ, variables), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for code, name in examples.items():
                with self.subTest(name):
                    self.assertEqual(self.wrong_in(code), [])

    def test_the_names_that_users_meet_first_have_an_example(self) -> None:
        have = {name: docstring for name, docstring in docstrings().items() if example_in(docstring)}
        modules = {name.partition(".")[0] for name in docstrings()}
        expected = {name for name in WITH_EXAMPLE if name[0].isupper() or name.partition(".")[0] in modules}
        self.assertEqual(sorted(expected - set(have)), [])

    def test_every_block_is_indented_more_than_its_docstring(self) -> None:
        # If no other line follows the first, its indentation is that of the docstring.
        broken = [name for name, docstring in docstrings().items() if "::\n" in docstring and not example_in(docstring)]
        self.assertEqual(broken, [])

    def test_what_is_wrong_in_an_example_is_found(self) -> None:
        block = "Count::\n\n    len(ds)  # 1...\n    len(ds)  # 101\n    if ds:\n        step(ds[0])  # not a value\n"
        found = self.wrong_in(example_in(block))
        self.assertEqual([text.splitlines()[2] for text in found], ["101"])
        with self.assertRaises(NameError):
            self.wrong_in(example_in("Count::\n\n    len(data)\n"))
        with self.assertRaises(SyntaxError):
            self.wrong_in(example_in("Count::\n\n    len(ds))\n"))


if __name__ == "__main__":
    unittest.main()
