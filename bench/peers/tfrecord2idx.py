"""tfrecord2idx, the indexer of vahidk's tfrecord package; DALI's has the same loop."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from harness.peer import Peer, no_queries

NO_ACCESS = "the index serves only to divide a shard into ranges"
NO_COLUMNS = "has no columns"


class Tfrecord2idx(Peer):
    name = "tfrecord2idx"
    packages = ("tfrecord==1.14.6", "numpy==2.4.6", "protobuf==6.33.5", "crc32c==2.8")
    is_light = True
    reads_in_place = True
    cannot: ClassVar[dict[str, str]] = {
        "make_typed": NO_COLUMNS,
        "get": NO_ACCESS,
        "get_many": NO_ACCESS,
        "raw_epoch": NO_ACCESS,
        "decoded_epoch": "see the row of the tfrecord package",
        **no_queries(NO_COLUMNS),
        "stoppable": NO_ACCESS,
    }

    def load(self) -> None:
        import tfrecord.tools

        del tfrecord

    def make(self) -> None:
        """`create_index` for each shard: offset and size as text.
        https://github.com/vahidk/tfrecord#reading-tfexample-records-in-pytorch"""
        from tfrecord.tools.tfrecord2idx import create_index

        self.store.mkdir()
        for shard in self.data.shards:
            create_index(str(shard), str(self.store / f"{shard.stem}.index"))

    def count(self) -> int:
        """The number of lines of all index files."""
        return sum(path.read_bytes().count(b"\n") for path in sorted(Path(self.store).iterdir()))


TOOL = Tfrecord2idx
