"""ofindex in PyTorch: a map-style Dataset for its DataLoader, and a Loader that needs no worker processes."""

from __future__ import annotations

from ._loading.loader import LoaderIterator
from ._torch_dataset import Dataset
from ._torch_loader import Loader
from ._torch_tensors import Ragged

__all__ = ["Dataset", "Loader", "LoaderIterator", "Ragged"]

for _public in (Dataset, Loader, Ragged):
    _public.__module__ = __name__  # their name in pickles
