"""The package as a guest in a host process: the limits, threads and memory of the host are left alone."""

from __future__ import annotations

import gzip
import resource
import sys
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path

import ofindex
from ofindex import _ofindex
from oracle.elf import needs_static_tls
from python.work import WorkTest


class HostTest(WorkTest):
    def test_the_package_does_not_change_the_limit_of_descriptors(self) -> None:
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        few = (min(512, before[1]), before[1])
        resource.setrlimit(resource.RLIMIT_NOFILE, few)
        rows = [{"a": number} for number in range(600)]
        ofindex.pack(rows, self.dir / "many", "tfrecord", shards=600)
        self.assertEqual(len(ofindex.build(self.dir / "many")), 600)
        self.assertEqual(resource.getrlimit(resource.RLIMIT_NOFILE), few)

    def test_the_extension_can_be_loaded_by_a_running_program(self) -> None:
        folder = Path(_ofindex.__file__).parent
        for library in (Path(_ofindex.__file__), *folder.rglob("*.so.*")):
            self.assertFalse(needs_static_tls(library), library)

    def test_a_library_that_a_running_program_cannot_load_is_detected(self) -> None:
        libc = next(line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libc.so" in line)
        self.assertTrue(needs_static_tls(Path(libc)))

    def large_record(self) -> Path:
        """The path of an indexed shard with one compressed record, which takes a while to inflate."""
        path = self.write("large.tfrecord", [b"x" * (1 << 24)])
        packed = path.with_name("large.tfrecord.gz")
        packed.write_bytes(gzip.compress(path.read_bytes(), 1))
        path.unlink()
        ofindex.build(packed, max_ratio=2000)
        return packed

    def test_other_threads_run_while_a_record_is_inflated(self) -> None:
        path = self.large_record()
        reads: dict[str, Callable[[ofindex.Dataset], object]] = {
            "buffer": lambda ds: ds.buffer(0),
            "ds[0]": lambda ds: ds[0],
            "ds.__getitems__": lambda ds: ds.__getitems__([0]),
        }
        for name, read in reads.items():
            with self.subTest(name):
                attempts = 6
                self.assertGreater(sum(self.runs_meanwhile(path, read) for _ in range(attempts)), attempts // 2)

    @staticmethod
    def runs_meanwhile(path: Path, read: Callable[[ofindex.Dataset], object]) -> bool:
        """True if this thread runs while another thread is inside `read(ds)`. The interpreter does not force threads
        to release the GIL meanwhile."""
        ds = ofindex.open(path)
        inside = False
        seen = False

        def reading() -> None:
            nonlocal inside
            inside = True
            read(ds)
            inside = False

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)
        try:
            thread = threading.Thread(target=reading)
            thread.start()
            while thread.is_alive():
                seen = seen or inside
                time.sleep(0.0001)
        finally:
            sys.setswitchinterval(interval)
        return seen

    def test_a_call_that_keeps_the_gil_is_detected(self) -> None:
        numbers = list(range(1 << 20))
        path = self.write("one.tfrecord", [b"x"])
        ofindex.build(path)
        self.assertFalse(any(self.runs_meanwhile(path, lambda _: numbers.count(-1)) for _ in range(3)))


if __name__ == "__main__":
    unittest.main()
