#!/usr/bin/env python3
"""Each source and what it includes compile by themselves. All other builds are unity builds, which would not notice.

That takes minutes, so a run looks at a seventh of the sources.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from cpp_sources import FLAGS, FOLDERS, ROOT, sources_of, todays

#: clang takes three quarters of gcc's time.
COMPILER = shutil.which("clang++-14") or "g++"


def errors_of(source):
    """What the compiler says against a source that is compiled by itself."""
    command = [COMPILER, "-fsyntax-only", "-w", *FLAGS, str(source)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode != 0 else ""


class BuildsTest(unittest.TestCase):
    def test_each_source_includes_what_it_uses(self) -> None:
        sources = todays([source for folder in FOLDERS for source in sources_of(folder)], days=7)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = "".join(pool.map(errors_of, sources))
        self.assertEqual(found, "", found[:4000])

    def test_a_source_without_an_include_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "a.cc"
            source.write_text('#include "base/bytes.h"\nstd::list<int> numbers;\n')
            self.assertIn("list", errors_of(source))


if __name__ == "__main__":
    unittest.main()
