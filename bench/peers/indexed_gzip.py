"""indexed_gzip."""

from __future__ import annotations

from collections.abc import Callable

from harness.gzip_files import GzipFiles

SPACING = 2 << 20  # bytes between two access points; those of ofindex are about as far apart


class IndexedGzip(GzipFiles):
    name = "indexed_gzip"
    packages = ("indexed_gzip==1.10.3", "numpy==2.4.6")

    def load(self) -> None:
        import indexed_gzip

        del indexed_gzip

    def make_zipped(self) -> None:
        """`build_full_index` and `export_index`, access points 2 MiB apart.
        https://github.com/pauldmccarthy/indexed_gzip#index-importexport"""
        import indexed_gzip

        self.store.mkdir()
        for shard in self.data.shards:
            with indexed_gzip.IndexedGzipFile(str(shard), spacing=SPACING) as file:
                file.build_full_index()
                file.export_index(str(self.store / shard.name))

    def get_zipped(self) -> Callable[[int], bytes]:
        """`seek` and `read` with an imported index; `buffer_size=4096, drop_handles=False`, which is faster than the
        defaults, 8 MiB of read-ahead and a file that is opened for each read."""
        import indexed_gzip

        shard = self.data.shards[0]
        options = {"spacing": SPACING, "buffer_size": 4096, "drop_handles": False}
        return self.reading(
            indexed_gzip.IndexedGzipFile(str(shard), index_file=str(self.store / shard.name), **options)
        )


TOOL = IndexedGzip
