"""Vortex."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from harness import columns
from harness.order import shuffled
from harness.peer import Batch, Peer
from peers.lance import batch_of

NO_AGGREGATES = "has no aggregates; its docs use DuckDB"


class Vortex(Peer):
    name = "Vortex"
    packages = ("vortex-data==0.93.0", "numpy==2.4.6")
    typed_note = "id and image too"
    cannot: ClassVar[dict[str, str]] = {
        "groups": NO_AGGREGATES,
        "bins": NO_AGGREGATES,
        "top": NO_AGGREGATES,
        "total": NO_AGGREGATES,
        "stoppable": "has no loader",
    }

    def load(self) -> None:
        import vortex

        del vortex

    def make(self) -> None:
        """`vortex.io.write` with default options, one binary column.
        https://docs.vortex.dev/"""
        import vortex

        vortex.io.write(columns.payload_reader(self.data), str(self.store))

    def make_typed(self) -> None:
        """`vortex.io.write` with a column for each value."""
        import vortex

        vortex.io.write(columns.value_reader(self.data), str(self.typed_store))

    def taking(self, path: Any) -> Callable[[list[int]], Any]:
        """A function that reads rows in ascending order, each once: Vortex takes no others."""
        import numpy as np
        import pyarrow as pa
        import vortex

        file = vortex.open(str(path))

        def take(ordinals: list[int]) -> Any:
            indices = vortex.array(pa.array(np.unique(np.asarray(ordinals, dtype=np.uint64))))
            return file.scan(indices=indices).read_all().to_arrow_table()

        return take

    def count(self) -> int:
        """`len(vortex.open(path))`."""
        import vortex

        return len(vortex.open(str(self.store)))

    def get(self) -> Callable[[int], bytes]:
        """`file.scan(indices=[i])`.
        https://docs.vortex.dev/"""
        take = self.taking(self.store)
        return lambda ordinal: bytes(take([ordinal])["record"][0].as_py())

    def get_many(self) -> Callable[[list[int]], Sequence[bytes]]:
        """`file.scan(indices=ids)`, which must ascend, to Python's bytes in the order asked for."""
        import numpy as np

        take = self.taking(self.store)

        def read(ordinals: list[int]) -> list[bytes]:
            payloads = take(ordinals)["record"].to_pylist()
            _, places = np.unique(ordinals, return_inverse=True)
            return [payloads[place] for place in places.tolist()]

        return read

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """The same with 256 rows at a time, in the order of a numpy permutation."""
        return map(self.get_many(), shuffled(self.data.records, seed))

    def decoded_epoch(self, seed: int) -> Iterable[Batch]:
        """The same of all columns, numbers to numpy arrays; images stay in Arrow's buffers. The rows of a batch are in
        the order of the file."""
        take = self.taking(self.typed_store)
        return (batch_of(take(ordinals)) for ordinals in shuffled(self.data.records, seed))

    def where(self) -> Callable[[str], Any]:
        """`file.to_arrow(["id"], expr=...)`; its Python package has no expression for row numbers.
        https://docs.vortex.dev/"""
        import vortex
        import vortex.expr as ve

        file = vortex.open(str(self.typed_store))
        column = ve.column
        expressions = {
            "label": column("label") == 17,
            "height": (column("height") >= 500)
            & (column("height") <= 700)
            & (column("score") > ve.literal(vortex.float_(32), 0.9)),
        }

        def ask(condition: str) -> Any:
            expression = expressions[condition.split()[0]]
            return file.to_arrow(["id"], expr=expression).read_all()["id"].to_numpy()

        return ask


TOOL = Vortex
