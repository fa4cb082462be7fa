"""LMDB, as PyTorch programs use it: one environment, a key for each record."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from harness.order import shuffled
from harness.peer import Peer, no_queries

NO_VALUES = "values are bytes"
KEY = struct.Struct(">Q")


class Lmdb(Peer):
    name = "LMDB"
    packages = ("lmdb==3.0.0", "numpy==2.4.6")
    is_light = True
    cannot: ClassVar[dict[str, str]] = {
        "make_typed": NO_VALUES,
        "decoded_epoch": NO_VALUES,
        **no_queries(NO_VALUES),
        "stoppable": "an epoch is a list of keys that the program must keep",
    }

    def load(self) -> None:
        import lmdb

        del lmdb

    def make(self) -> None:
        """One transaction of puts with `append=True`, keys of 8 bytes in order, without sync until the end.
        https://lmdb.readthedocs.io/en/release/#lmdb.Transaction.put"""
        import lmdb

        space = 3 * self.data.bytes + (64 << 20)
        with lmdb.open(str(self.store), subdir=False, lock=False, sync=False, map_size=space) as environment:
            with environment.begin(write=True) as transaction:
                for ordinal, payload in enumerate(self.data.payloads()):
                    transaction.put(KEY.pack(ordinal), payload, append=True)
            environment.sync(True)

    def open(self) -> Any:
        import lmdb

        return lmdb.open(str(self.store), subdir=False, readonly=True, lock=False, readahead=False)

    def count(self) -> int:
        """`Environment.stat()["entries"]`."""
        return self.open().stat()["entries"]

    def get(self) -> Callable[[int], bytes]:
        """One read transaction that stays open, `lock=False, readahead=False`.
        https://lmdb.readthedocs.io/en/release/#environment-class"""
        get, pack = self.open().begin().get, KEY.pack
        return lambda ordinal: get(pack(ordinal))

    def get_many(self) -> Callable[[list[int]], Sequence[bytes]]:
        """`get` in a loop; `Cursor.getmulti` with sorted keys was slower by 3 to 25 %."""
        get, pack = self.open().begin().get, KEY.pack
        return lambda ordinals: [get(pack(ordinal)) for ordinal in ordinals]

    def raw_epoch(self, seed: int) -> Iterable[Sequence[bytes]]:
        """`get` of 256 keys at a time, in the order of a numpy permutation."""
        return map(self.get_many(), (some.tolist() for some in shuffled(self.data.records, seed)))


TOOL = Lmdb
