"""Random access, shuffled epochs and SQL for OFRecord and TFRecord files, in place::

    ds = ofindex.build("data/train")  # reads the files once, writes data/train.ofidx; later: ofindex.open("data/train")
    payload, record = ds[5], ds.record(5)  # random access: stored bytes, decoded features
    view = ds.where("label = ?", 7)  # a Dataset, like ds
    for batch in ofindex.Loader(view, {"label": ofindex.fixed("int64")}, seed=1):  # a true shuffle, decoded
        step(batch["label"])

`ofindex.torch`, `ofindex.grain`, `ofindex.tf`, `ofindex.polars` and `ofindex.ray` hold the adapters; each is imported
when it is first used. docs/python.md is a tour.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._arrays import BytesArray, Ragged
from ._audit import Audit
from ._batch import decode
from ._dataset import Dataset
from ._errors import (
    DamageError,
    Error,
    FeatureError,
    FormatError,
    LimitError,
    LockError,
    MissingKeyError,
    QueryError,
    StaleError,
)
from ._features import Feature, Features, fixed, image, ragged, raw
from ._foreign import lacks_in_module
from ._key import Key
from ._loading.length_batches import LengthBatches
from ._loading.loader import Loader, LoaderIterator
from ._mapped import Mapped
from ._mix import Mix, concat, mix
from ._mix_sampler import MixSampler
from ._ofindex import version as __version__
from ._opening import build, open, update
from ._pack import pack
from ._parts import build_part, merge
from ._rows import Rows, Table
from ._sampler import Sampler
from ._server import Page, Server
from ._serving import serve
from ._steps import Reading
from ._writer import Writer

if TYPE_CHECKING:
    from . import grain, polars, ray, tf, torch

_ADAPTERS = ("grain", "polars", "ray", "tf", "torch")


def __getattr__(name: str) -> Any:
    if name in _ADAPTERS:
        return importlib.import_module(f"{__name__}.{name}")
    raise lacks_in_module(__name__, name, __all__)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ADAPTERS})


__all__ = [
    "Audit",
    "BytesArray",
    "DamageError",
    "Dataset",
    "Error",
    "Feature",
    "FeatureError",
    "Features",
    "FormatError",
    "Key",
    "LengthBatches",
    "LimitError",
    "Loader",
    "LoaderIterator",
    "LockError",
    "Mapped",
    "MissingKeyError",
    "Mix",
    "MixSampler",
    "Page",
    "QueryError",
    "Ragged",
    "Reading",
    "Rows",
    "Sampler",
    "Server",
    "StaleError",
    "Table",
    "Writer",
    "__version__",
    "build",
    "build_part",
    "concat",
    "decode",
    "fixed",
    "grain",
    "image",
    "merge",
    "mix",
    "open",
    "pack",
    "polars",
    "ragged",
    "raw",
    "ray",
    "serve",
    "tf",
    "torch",
    "update",
]
