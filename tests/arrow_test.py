#!/usr/bin/env python3
"""The arrow: includes go one way, third parties are wrapped once, every folder says what it is.

    base <- {proto, mmap} <- index <- query <- {tools, python}

docs/design.md has the reasons.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Folder -> folders of which it may include headers, besides its own.
MAY_INCLUDE = {
    "base": set(),
    "proto": {"base"},
    "mmap": {"base"},
    "index": {"base", "proto", "mmap"},
    "query": {"base", "proto", "mmap", "index"},
    "tools": {"base", "proto", "mmap", "index", "query"},
    "python": {"base", "proto", "mmap", "index", "query"},
}

# Third-party header -> folders that may include it. The first pattern that matches decides.
WRAPPED_IN = [
    (r"tl/expected\.hpp", {"base"}),
    (r"xxhash\.h", {"base"}),
    (r"isa-l/crc\.h", {"base"}),
    (r"isa-l/igzip_lib\.h", {"mmap"}),
    (r"google/protobuf/.*|.*\.pb\.h", {"proto"}),
    (r"boost/interprocess/.*", {"mmap"}),
    (r"zstd\.h", {"base"}),
    (r"zlib\.h", {"mmap", "index"}),
    (r"sqlite3\.h", {"index", "query"}),
    (r"sqlite3ext\.h", {"query"}),
    (r"CLI/.*", {"tools"}),
    (r"nlohmann/.*", {"query", "tools"}),
    (r"simdjson\.h|csv\.h", {"tools"}),
    (r"nanobind/.*|Python\.h", {"python"}),
]

# Headers of the language and of the operating system, which every folder may include.
SYSTEM = re.compile(
    r"[a-z0-9_]+|(sys|linux)/[a-z0-9_]+\.h"
    r"|(cpuid|dirent|endian|errno|fcntl|fnmatch|glob|immintrin|nmmintrin|poll|pthread|sched|setjmp|signal|spawn|stdio"
    r"|stdlib|string|strings|termios|time|ucontext|unistd|x86intrin)\.h"
)

INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)[>\"]", re.MULTILINE)
SOURCES = {".h", ".hh", ".hpp", ".inc", ".c", ".cc", ".cpp", ".cxx"}
HEADERS = {".h", ".hh", ".hpp"}
README_LINES = 15


def include_complaint(folder, bracket, header):
    """What is wrong with including `header` in a file of `folder`; None if nothing is."""
    for pattern, wrappers in WRAPPED_IN:
        if re.fullmatch(pattern, header):
            return None if folder in wrappers else f"is for {' and '.join(sorted(wrappers))} alone"
    if bracket == "<":
        return None if SYSTEM.fullmatch(header) else "is a third party that no folder wraps"
    target = header.split("/")[0]
    if "/" not in header or ".." in header.split("/"):
        return "is not named from the root"
    if target == folder or target in MAY_INCLUDE[folder]:
        return None
    return f"points against the arrow: {folder} may include {', '.join(sorted(MAY_INCLUDE[folder] | {folder}))}"


def complaints(path, text):
    """What is wrong with a source file: `path` is relative to the root, `text` its content."""
    folder = path.split("/")[0]
    found = []
    if pathlib.PurePath(path).suffix in HEADERS:
        code = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("//")]
        if code[:1] != ["#pragma once"]:
            found.append(f"{path}: does not start with #pragma once")
    for bracket, header in INCLUDE.findall(text):
        complaint = include_complaint(folder, bracket, header)
        if complaint:
            found.append(f"{path}: {header} {complaint}")
    return found


def readme_complaint(folder, lines):
    """What is wrong with the README.md of `folder`; `lines` is None if there is none."""
    if lines is None:
        return f"{folder}/ has no README.md"
    if not 1 <= len(lines) <= README_LINES:
        return f"{folder}/README.md has {len(lines)} lines, expected 1 to {README_LINES}"
    return None


def source_files():
    for folder in MAY_INCLUDE:
        yield from (path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SOURCES and path.is_file())


def folders_in_use():
    names = [*MAY_INCLUDE, "tests", "bench", "fuzz", "docs"]
    return [name for name in names if any(path.is_file() for path in (ROOT / name).rglob("*"))]


class ProjectTest(unittest.TestCase):
    def test_sources_keep_to_the_arrow(self):
        files = list(source_files())
        self.assertTrue(files, "no source was found")
        found = []
        for path in files:
            found += complaints(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_folder_has_a_short_readme(self):
        found = []
        for folder in folders_in_use():
            readme = ROOT / folder / "README.md"
            lines = readme.read_text(encoding="utf-8").splitlines() if readme.is_file() else None
            found += filter(None, [readme_complaint(folder, lines)])
        self.assertEqual(found, [])


class ComplaintsTest(unittest.TestCase):
    """The checks above are worth something only if they find what is wrong."""

    RIGHT = [
        ("base/bytes.cc", '"base/bytes.h"'),
        ("proto/wire.cc", '"base/bytes.h"'),
        ("mmap/reader.cc", '"mmap/mapped_file.h"'),
        ("index/walker.cc", '"mmap/mapped_file.h"'),
        ("index/walker.cc", '"proto/wire.h"'),
        ("query/predicate.cc", '"index/catalog.h"'),
        ("tools/get.cc", '"base/result.h"'),
        ("python/module.cc", '"query/dataset.h"'),
        ("base/result.h", "<tl/expected.hpp>"),
        ("base/checksum.cc", "<isa-l/crc.h>"),
        ("proto/writer.cc", '"proto/example.pb.h"'),
        ("mmap/mapped_file.cc", "<boost/interprocess/file_mapping.hpp>"),
        ("index/database.cc", "<sqlite3.h>"),
        ("query/sql.cc", "<sqlite3.h>"),
        ("tools/main.cc", "<CLI/CLI.hpp>"),
        ("mmap/fault_guard.cc", "<sys/mman.h>"),
        ("mmap/fault_guard.cc", "<csignal>"),
    ]

    WRONG = [
        ("base/bytes.cc", '"proto/wire.h"', "against the arrow"),
        ("proto/wire.cc", '"mmap/mapped_file.h"', "against the arrow"),
        ("mmap/reader.cc", '"proto/wire.h"', "against the arrow"),
        ("mmap/reader.cc", '"index/catalog.h"', "against the arrow"),
        ("index/walker.cc", '"query/predicate.h"', "against the arrow"),
        ("query/sql.cc", '"tools/output.h"', "against the arrow"),
        ("tools/main.cc", '"python/module.h"', "against the arrow"),
        ("python/module.cc", '"tools/output.h"', "against the arrow"),
        ("tools/main.cc", '"tests/bytes.h"', "against the arrow"),
        ("index/walker.cc", '"bench/data.h"', "against the arrow"),
        ("base/bytes.cc", '"bytes.h"', "not named from the root"),
        ("base/bytes.cc", '"base/../proto/wire.h"', "not named from the root"),
        ("mmap/reader.cc", "<sqlite3.h>", "is for index and query alone"),
        ("tools/main.cc", "<sqlite3.h>", "is for index and query alone"),
        ("index/builder.cc", "<boost/interprocess/file_mapping.hpp>", "is for mmap alone"),
        ("index/walker.cc", "<xxhash.h>", "is for base alone"),
        ("index/walker.cc", "<isa-l/crc.h>", "is for base alone"),
        ("proto/wire.cc", "<tl/expected.hpp>", "is for base alone"),
        ("index/builder.cc", '"proto/example.pb.h"', "is for proto alone"),
        ("tools/main.cc", "<google/protobuf/message.h>", "is for proto alone"),
        ("index/catalog.cc", "<nlohmann/json.hpp>", "is for query and tools alone"),
        ("query/sql.cc", "<CLI/CLI.hpp>", "is for tools alone"),
        ("query/sql.cc", "<zlib.h>", "is for index and mmap alone"),
        ("index/builder.cc", "<zstd.h>", "is for base alone"),
        ("mmap/reader.cc", "<boost/filesystem.hpp>", "no folder wraps"),
        ("index/builder.cc", "<doctest/doctest.h>", "no folder wraps"),
        ("base/bytes.cc", "<lz4.h>", "no folder wraps"),
    ]

    def test_right_includes_pass(self):
        for path, include in self.RIGHT:
            with self.subTest(path=path, include=include):
                self.assertEqual(complaints(path, f"#pragma once\n#include {include}\n"), [])

    def test_wrong_includes_are_found(self):
        for path, include, reason in self.WRONG:
            with self.subTest(path=path, include=include):
                found = complaints(path, f"#pragma once\n#include <vector>\n  #  include {include}  // why\n")
                self.assertEqual(len(found), 1, found)
                self.assertIn(reason, found[0])

    def test_a_header_starts_with_pragma_once(self):
        self.assertEqual(complaints("base/a.h", "// What it is.\n\n#pragma once\n#include <vector>\n"), [])
        self.assertEqual(complaints("base/a.cc", "#include <vector>\n"), [])
        for text in ("", "#include <vector>\n#pragma once\n", "#ifndef A_H\n#define A_H\n#endif\n"):
            with self.subTest(text):
                self.assertEqual(complaints("base/a.h", text), ["base/a.h: does not start with #pragma once"])

    def test_a_readme_is_there_and_short(self):
        self.assertIsNone(readme_complaint("base", ["a line"] * 15))
        for lines in (None, [], ["a line"] * 16):
            with self.subTest(lines):
                self.assertIn("base/", readme_complaint("base", lines))


if __name__ == "__main__":
    unittest.main()
