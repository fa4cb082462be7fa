"""Code of a user, with the types that a type checker infers for it. Checked by typing_test.py, never run."""

from __future__ import annotations

from typing import Any

import numpy as np
import ofindex
import ofindex.torch
from typing_extensions import assert_type


def of_datasets(ds: ofindex.Dataset, mix: ofindex.Mix, numbers: np.ndarray[Any, np.dtype[np.int64]]) -> None:
    assert_type(ds[3], bytes)
    assert_type(ds[np.int64(3)], bytes)
    for view in (ds[3:5], ds[[3, 4]], ds[numbers], ds.where("label > 3"), ds.shuffle(3).take(5)):
        assert_type(view, ofindex.Dataset)
    assert_type(next(iter(ds)), bytes)
    assert_type(mix[3], bytes)
    assert_type(mix[::2], ofindex.Mix)
    assert_type(ds + ds, ofindex.Mix)
    assert_type(ds.split({"train": 0.9, "test": 0.1}), dict[str, ofindex.Dataset])
    assert_type(next(iter(ds.sampler(seed=3))), int)


def length(record: dict[str, np.ndarray[Any, Any]]) -> int:
    return len(record["label"])


def of_mapped(ds: ofindex.Dataset) -> None:
    mapped = ds.map(length)
    assert_type(mapped, ofindex.Mapped[int])
    assert_type(mapped[3], int)
    assert_type(mapped[3:5], ofindex.Mapped[int])
    assert_type(mapped.map(str)[3], str)


def of_batches(ds: ofindex.Dataset, mix: ofindex.Mix, payloads: list[bytes], features: ofindex.Features) -> None:
    for batch in (ds.batch([1, 2], features), mix.batch([1, 2], features), ofindex.decode(payloads, features)):
        assert_type(batch, dict[str, Any])  # of arrays, BytesArray and Ragged, by the features


def of_loaders(ds: ofindex.Dataset) -> None:
    features = {"label": ofindex.fixed("int64"), "words": ofindex.ragged("bytes")}
    loader = ofindex.Loader(ds, features, 32, seed=1)
    assert_type(loader, ofindex.Loader[dict[str, Any]])
    assert_type(next(iter(loader)), dict[str, Any])
    for batch in loader:
        batch["label"].sum()
        batch["words"].tolist()
    for count in ofindex.Loader(ds, features, transform=length, processes=2):
        assert_type(count, int)
    for tensors in ofindex.torch.Loader(ds, features, 32, device="cpu"):
        assert_type(tensors, dict[str, Any])
    for pair in ofindex.torch.Loader(ds, features, transform=lambda batch: (length(batch), batch)):
        assert_type(pair, tuple[int, dict[str, Any]])


def of_torch_datasets(ds: ofindex.Dataset, features: ofindex.Features) -> None:
    assert_type(ofindex.torch.Dataset(ds)[3], bytes)
    assert_type(ofindex.torch.Dataset(ds, features)[3], dict[str, Any])
    assert_type(ofindex.torch.Dataset(ds, features, length)[3], int)


def of_annotations(loader: ofindex.Loader, counts: ofindex.Loader[int]) -> ofindex.LoaderIterator[int]:
    assert_type(next(iter(loader)), dict[str, Any])
    return iter(counts)
