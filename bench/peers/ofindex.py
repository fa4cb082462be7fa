"""ofindex itself."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from harness.peer import Batch, GroupRows, Peer
from harness.settings import BATCH, THREADS
from harness.task import Task


class Ofindex(Peer):
    name = "ofindex"
    packages = ("numpy==2.4.6",)
    is_light = True
    reads_in_place = True
    decoded_from = "raw"

    def files(self, task: Task) -> list[Path]:
        index = self.typed_store if self.store_for(task) == "typed" else self.store
        return [index, Path(f"{index}-map"), self.data.folder]

    def load(self) -> None:
        import numpy
        import ofindex

        del numpy, ofindex

    def load_loader(self) -> None:
        if importlib.util.find_spec("torch") is not None:
            import ofindex.torch

            del ofindex

    def build(self, index: Path, columns: Any) -> None:
        import ofindex

        ofindex.build(self.data.folder, output=index, verify=False, columns=columns, progress=False, force=True)

    def open(self, task_store: str = "raw") -> Any:
        import ofindex

        return ofindex.open(self.typed_store if task_store == "typed" else self.store)

    def make(self) -> None:
        """`ofindex.build` with default options, without columns and without checking payloads."""
        self.build(self.store, "none")

    def make_typed(self) -> None:
        """`ofindex.build(columns=[...])` with the four columns."""
        self.build(self.typed_store, ["label", "height", "width", "score"])

    def count(self) -> int:
        """`len(ofindex.open(path))`."""
        return len(self.open())

    def get(self) -> Callable[[int], bytes]:
        """`ds[i]`: copied and checked."""
        return self.open().__getitem__

    def get_many(self) -> Callable[[list[int]], Sequence[bytes]]:
        """`ds.__getitems__(ids)`."""
        return self.open().__getitems__

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """`ds.__getitems__` of 256 ordinals at a time, in the order of `ds.sampler()`: a true shuffle."""
        data = self.open()
        return map(data.__getitems__, self.rows(data.sampler(seed=seed)))

    def rows(self, order: Any) -> Iterator[Any]:
        ordinals = order.take(len(order))
        return (ordinals[at : at + BATCH] for at in range(0, len(ordinals), BATCH))

    def batches(self, data: Any, order: Any) -> Iterable[Batch]:
        features = self.features()
        if importlib.util.find_spec("torch") is None:
            return (data.batch(ids, features) for ids in self.rows(order))
        import ofindex.torch

        return ofindex.torch.Loader(data, features, batch_size=BATCH, sampler=order, threads=THREADS)

    def features(self) -> dict[str, Any]:
        import ofindex

        kinds = {**dict.fromkeys(("label", "height", "width", "id"), "int64"), "score": "float32", "image": "bytes"}
        return {name: ofindex.fixed(kind) for name, kind in kinds.items()}

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """`ofindex.torch.Loader` with one thread per processor, a true shuffle; or, if torch is not installed,
        `ds.batch` in the order of `ds.sampler()`."""
        data = self.open()
        return self.batches(data, data.sampler(seed=seed))

    def first_batch(self) -> Batch:
        """`ds.batch` of the first ordinals of `ds.sampler()`, to numpy's arrays: the import of torch, which the Loader
        needs, takes most of a second."""
        data = self.open()
        return data.batch(data.sampler(seed=1).take(BATCH), self.features())

    def where(self) -> Callable[[str], Any]:
        """`ds.where(condition)`, evaluated, and its ordinals."""
        data = self.open("typed")
        return lambda condition: (found := data.where(condition)).ordinals(range(len(found)))

    def groups(self) -> Callable[[], GroupRows]:
        """`ds.sql` with GROUP BY."""
        data = self.open("typed")

        def ask() -> GroupRows:
            rows = data.sql("SELECT label, count(*), avg(score) FROM records GROUP BY label").fetchall()
            labels, records, means = zip(*rows, strict=True)
            return labels, records, means

        return ask

    def bins(self) -> Callable[[], GroupRows]:
        """`ds.sql` with GROUP BY of two expressions."""
        data = self.open("typed")
        sql = "SELECT height / 100, width / 100, count(*) FROM records GROUP BY 1, 2"
        return lambda: tuple(zip(*data.sql(sql).fetchall(), strict=True))

    def top(self) -> Callable[[], Any]:
        """`ds.sql` with ORDER BY and LIMIT."""
        data = self.open("typed")
        sql = "SELECT score FROM records ORDER BY score DESC LIMIT 10"
        return lambda: [score for (score,) in data.sql(sql).fetchall()]

    def total(self) -> Callable[[], tuple[int, int]]:
        """`ds.sql`."""
        data = self.open("typed")
        return lambda: data.sql("SELECT count(*), sum(height) FROM records").fetchall()[0]

    def stoppable(self, state: Any) -> tuple[Iterable[list[int]], Callable[[], Any]]:
        """`state_dict` of the Loader or, if torch is not installed, of an iterator of `ds.sampler()`."""
        data = self.open()
        if importlib.util.find_spec("torch") is not None:
            import ofindex.torch

            loader = ofindex.torch.Loader(data, self.features(), batch_size=BATCH, seed=1, threads=THREADS)
            if state is not None:
                loader.load_state_dict(state)
            return (batch["id"].tolist() for batch in loader), loader.state_dict
        sampler = data.sampler(seed=1)
        if state is not None:
            sampler.load_state_dict(state)
        order, features = iter(sampler), self.features()
        rows = iter(lambda: list(islice(order, BATCH)), [])
        return (data.batch(ids, features)["id"].tolist() for ids in rows), sampler.state_dict

    def decoder(self) -> tuple[Callable[[list[bytes]], Any], Callable[[Any], Batch]]:
        """`ofindex.decode(payloads, features, payload="example")`, with the number of threads that it chooses."""
        import ofindex

        features = self.features()
        return list, lambda payloads: ofindex.decode(payloads, features, payload="example")

    def writer(self, path: Path) -> tuple[Callable[[bytes], Any], Callable[[], Any], Callable[[], Any]]:
        """`ofindex.Writer`."""
        import ofindex

        out = ofindex.Writer(path)
        return out.write, out.flush, out.close

    def value_writer(self, path: Path) -> tuple[Callable[[Batch], Any], Callable[[], Any], Callable[[], Any]]:
        """`ofindex.Writer`, which takes mappings too."""
        return self.writer(path)

    def make_zipped(self) -> None:
        """`ofindex.build` with default options."""
        self.build(self.store, "none")

    def get_zipped(self) -> Callable[[int], bytes]:
        """`ds[i]` of a dataset with a cache of one span."""
        import ofindex

        return ofindex.open(self.store, cache_bytes=1).__getitem__

    def zipped_epoch(self, seed: int) -> Iterable[Batch]:
        """The Loader with `block="auto"` and its default cache, one thread per processor."""
        data = self.open()
        return self.batches(data, data.sampler(seed=seed, block="auto"))

    def pairs(self) -> None:
        """The program of bench/pairs."""


TOOL = Ofindex
