"""rapidgzip."""

from __future__ import annotations

from collections.abc import Callable

from harness.gzip_files import GzipFiles
from harness.settings import THREADS


class Rapidgzip(GzipFiles):
    name = "rapidgzip"
    packages = ("rapidgzip==0.16.2", "numpy==2.4.6")

    def load(self) -> None:
        import rapidgzip

        del rapidgzip

    def make_zipped(self) -> None:
        """`export_index` of each file, opened with a thread per processor.
        https://pypi.org/project/rapidgzip/"""
        import rapidgzip

        self.store.mkdir()
        for shard in self.data.shards:
            with rapidgzip.open(str(shard), parallelization=THREADS) as file:
                file.export_index(str(self.store / shard.name))

    def get_zipped(self) -> Callable[[int], bytes]:
        """`seek` and `read` of a file that has imported its index."""
        import rapidgzip

        shard = self.data.shards[0]
        file = rapidgzip.open(str(shard), parallelization=THREADS)
        file.import_index(str(self.store / shard.name))
        return self.reading(file)


TOOL = Rapidgzip
