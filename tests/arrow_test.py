#!/usr/bin/env python3
"""Includes between top folders, rooms and files go one way, the arrow. Only wrappers include third-party headers.

    base <- {proto, mmap} <- index <- query <- {tools, python, library}
    include/ofindex <- library

docs/design.md gives the reasons, and the README of each room describes its content (tests/rooms_test.py).
"""

import ast
import collections
import graphlib
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Maps each room to the other rooms whose headers it may include. Every entry must be used.
ROOMS = {
    "base": "",
    "proto": "base proto/wire",
    "proto/encode": "base proto proto/wire",
    "proto/extract": "base proto proto/wire",
    "proto/wire": "base",
    "mmap": "base mmap/batch mmap/inflate mmap/offsets mmap/sources",
    "mmap/batch": "base mmap/files mmap/offsets mmap/sources",
    "mmap/files": "base",
    "mmap/inflate": "base mmap/files",
    "mmap/offsets": "base mmap/files mmap/inflate",
    "mmap/sealed": "base mmap/files",
    "mmap/sources": "base mmap/files mmap/inflate",
    "index/attachments": "base mmap/sealed index/catalog index/columns index/fields index/output",
    "index/build": "base mmap mmap/offsets index/attachments index/catalog index/columns index/database "
    "index/keys index/output index/parts index/resume index/scan index/shards index/walk",
    "index/catalog": "base mmap/inflate mmap/offsets index/columns index/database",
    "index/chunks": "base proto proto/wire index/chunks/sections index/columns",
    "index/chunks/sections": "base proto/wire",
    "index/columns": "base proto proto/wire",
    "index/database": "base index/columns",
    "index/fields": "base index/columns",
    "index/finding": "base index/catalog",
    "index/images": "base",
    "index/keys": "base proto/extract mmap mmap/files mmap/offsets mmap/sealed index/catalog index/chunks index/columns "
    "index/database index/output",
    "index/merge": "base index/attachments index/build index/catalog index/columns index/output index/parts index/resume index/scan "
    "index/shards index/walk",
    "index/output": "base",
    "index/parts": "base index/catalog index/shards index/walk",
    "index/resume": "base mmap/offsets index/fields index/output index/scan",
    "index/scan": "base proto/extract mmap/files mmap/offsets index/catalog index/chunks index/columns index/images "
    "index/shards index/walk",
    "index/shards": "base proto mmap mmap/files mmap/inflate mmap/offsets index/catalog index/database index/finding "
    "index/output index/walk",
    "index/update": "base index/build index/catalog index/merge index/output index/resume index/scan index/shards "
    "index/walk",
    "index/verify": "base mmap mmap/files mmap/inflate mmap/offsets index/attachments index/build index/catalog "
    "index/database index/scan index/shards",
    "index/walk": "base mmap/files mmap/inflate mmap/offsets index/catalog",
    "index/writing": "base index/output index/shards index/walk",
    "query": "base mmap index/catalog query/columns",
    "query/aggregates": "base index/chunks index/columns query/columns query/columns/chunks query/filter query/stats",
    "query/attaching": "base proto proto/extract index/attachments index/catalog index/chunks index/output query "
    "query/columns",
    "query/audit": "base proto/extract mmap mmap/files index/columns index/keys query query/columns query/decoding "
    "query/sampling/sets",
    "query/columns": "base proto/extract mmap/offsets index/attachments index/build index/catalog index/chunks index/columns index/finding "
    "query/columns/chunks",
    "query/columns/chunks": "base mmap/offsets index/catalog index/chunks index/columns",
    "query/crossfilter": "base index/catalog query/audit query/columns query/columns/chunks query/crossfilter/codes "
    "query/filter query/stats",
    "query/crossfilter/codes": "base index/chunks index/columns query/columns query/columns/chunks query/filter",
    "query/decoding": "base proto proto/extract proto/wire mmap",
    "query/extension": "base query/sql/functions query/tables",
    "query/filter": "base index/catalog index/chunks index/columns query/columns query/columns/chunks",
    "query/images": "base query/decoding",
    "query/keys": "base proto/extract mmap mmap/files index/database index/keys query query/decoding",
    "query/loading": "base mmap query/decoding query/sampling/orders query/sampling/sets",
    "query/sampling": "base mmap mmap/inflate index/catalog query query/columns query/sampling/columns "
    "query/sampling/orders query/sampling/sets query/sampling/steps query/sql",
    "query/sampling/columns": "base index/chunks index/columns query/columns query/sampling/orders "
    "query/sampling/sets query/stats",
    "query/sampling/lengths": "base mmap query/columns query/sampling query/sampling/columns",
    "query/sampling/orders": "base",
    "query/sampling/sets": "base query/columns query/filter",
    "query/sampling/steps": "base",
    "query/sql": "base index/chunks index/columns query/aggregates query/columns query/filter query/sql/functions "
    "query/sql/statements query/tables query/tables/groups query/tables/values",
    "query/sql/functions": "base query/stats query/tables/values",
    "query/sql/statements": "base query/aggregates query/tables query/tables/groups query/tables/values",
    "query/stats": "base index/chunks index/columns query/columns",
    "query/tables": "base index/catalog index/chunks index/columns query/aggregates query/columns query/columns/chunks "
    "query/filter query/tables/groups query/tables/values",
    "query/tables/groups": "base proto/extract query/aggregates query/columns query/filter query/tables/values",
    "query/tables/values": "base index/chunks index/columns query/columns",
    "tools": "base index/catalog tools/options tools/shell tools/verbs",
    "tools/help": "base index/catalog index/columns index/shards proto query/columns tools/terminal",
    "tools/http": "base",
    "tools/media": "base",
    "tools/options": "base mmap index/finding index/shards index/writing query/columns query/filter query/sql "
    "query/sql/statements query/tables query/tables/values tools/help tools/shell",
    "tools/ordinals": "base query query/columns query/filter query/sampling query/sampling/sets tools/options tools/shell "
    "tools/show",
    "tools/page": "",
    "tools/packing": "base proto proto/encode proto/wire index/finding index/output query/columns "
    "query/sampling/orders",
    "tools/prompt": "base query/sql query/sql/statements query/tables tools/options tools/rows tools/shell "
    "tools/terminal",
    "tools/report": "base index/build index/columns index/keys query/audit query/columns query/stats tools/shell "
    "tools/terminal",
    "tools/report_page": "base proto index/catalog index/columns index/images query query/audit query/columns query/filter "
    "query/sampling query/stats tools/media tools/report tools/shell tools/show",
    "tools/rows": "base query/sql tools/shell tools/terminal",
    "tools/sampling": "base index/columns query query/columns query/sampling query/sampling/columns "
    "query/sampling/lengths query/sampling/orders query/sampling/sets query/sampling/steps tools/shell",
    "tools/serve": "base index/catalog index/keys proto/extract query query/columns query/crossfilter query/keys query/sampling "
    "query/sampling/orders query/sampling/sets query/sql query/stats tools/http tools/rows tools/sampling "
    "tools/serve/counting tools/serve/records tools/serve/requests tools/shell tools/show",
    "tools/serve/counting": "base index/columns query/audit query/columns query/crossfilter query/crossfilter/codes "
    "query/filter query/sampling/sets query/sql tools/serve/requests tools/shell tools/show",
    "tools/serve/records": "base proto query query/columns tools/http tools/media tools/serve/requests tools/shell",
    "tools/serve/requests": "base index/chunks query/columns query/crossfilter tools/http tools/shell",
    "tools/shell": "base index/build index/catalog index/chunks index/columns index/finding index/output index/shards "
    "query/columns tools/terminal",
    "tools/tables": "base query/attaching query/sql tools/options tools/packing tools/shell",
    "tools/show": "base mmap proto proto/wire index/columns query tools/shell tools/show/pieces tools/terminal",
    "tools/show/pieces": "base mmap proto tools/shell",
    "tools/streams": "base mmap proto proto/encode proto/wire index/catalog index/columns index/writing query query/columns "
    "tools/shell tools/show tools/show/pieces",
    "tools/terminal": "",
    "tools/verbs": "base mmap mmap/offsets index/build index/catalog index/columns index/finding index/keys index/merge "
    "index/output index/parts index/shards index/update index/verify query query/attaching query/audit query/columns query/images query/keys query/sampling "
    "query/sampling/columns "
    "query/sampling/sets query/stats tools/help tools/http tools/options tools/ordinals tools/packing tools/page tools/prompt "
    "tools/report tools/report_page "
    "tools/rows tools/sampling tools/serve tools/shell tools/show tools/show/pieces tools/streams tools/tables "
    "tools/terminal",
    "python/src": "python/src/attaching python/src/auditing python/src/columns python/src/convert python/src/loading python/src/records python/src/writing",
    "python/src/attaching": "base query/attaching query/decoding python/src/columns python/src/convert "
    "python/src/interpreter python/src/records",
    "python/src/auditing": "query/audit query/images python/src/columns python/src/convert python/src/interpreter "
    "python/src/records",
    "python/src/columns": "base proto/extract index/build index/catalog index/chunks index/finding index/merge index/parts "
    "index/update index/verify "
    "query/columns query/sampling/columns query/sampling/sets query/sql query/stats python/src/convert "
    "python/src/interpreter python/src/records",
    "python/src/convert": "base index/chunks query/sql python/src/interpreter",
    "python/src/interpreter": "base",
    "python/src/loading": "base query/columns query/decoding query/loading query/sampling query/sampling/lengths "
    "query/sampling/orders query/sampling/steps query/images python/src/columns python/src/convert python/src/interpreter "
    "python/src/records",
    "python/src/records": "base mmap proto index/build query query/keys query/sampling/sets python/src/convert python/src/interpreter",
    "python/src/writing": "base index/shards index/writing proto proto/encode python/src/convert "
    "python/src/interpreter",
    "include/ofindex": "",
    "library": "base index/build index/catalog index/columns index/finding index/keys index/shards index/update index/verify index/writing mmap "
    "proto proto/encode query query/columns query/decoding query/keys query/sampling query/sampling/sets query/sql "
    "include/ofindex",
}
MAY_INCLUDE = {room: frozenset(others.split()) for room, others in ROOMS.items()}

# Maps each top folder to the top folders that it may include. A room may include rooms of these and of its own folder.
BELOW = {
    "base": set(),
    "proto": {"base"},
    "mmap": {"base"},
    "index": {"base", "proto", "mmap"},
    "query": {"base", "proto", "mmap", "index"},
    "include": set(),
    "library": {"base", "proto", "mmap", "index", "query", "include"},
    "tools": {"base", "proto", "mmap", "index", "query"},
    "python": {"base", "proto", "mmap", "index", "query"},
}

# Maps each third-party header to the rooms, or files, that may include it. The first matching pattern decides.
WRAPPED_IN = [
    (r"tl/expected\.hpp", "base include/ofindex"),
    (r"xxhash\.h", "base"),
    (r"isa-l/crc\.h", "base"),
    (r"google/protobuf/.*|.*\.pb\.h", "tests"),
    (r"isa-l/igzip_lib\.h", "mmap/inflate"),
    (r"boost/interprocess/.*", "mmap/files"),
    (r"boost/(asio|beast)/.*", "tools/http/connection.cc tools/http/connection.h tools/http/server.cc"),
    (r"zstd\.h", "base"),
    (r"zlib\.h", "mmap/inflate index/writing"),
    (r"jpeglib\.h|jerror\.h", "query/images/jpeg_reader.cc"),
    (r"cxxabi\.h", "tools/main.cc"),
    (r"spng\.h", "query/images/png_reader.cc"),
    (r"zimg\.h", "query/images/resizer.cc"),
    (r"sqlite3\.h", "index/database query/sql query/sql/functions query/tables query/tables/groups query/tables/values"),
    (r"pcre2\.h", "query/sql/functions/pattern.cc"),
    (r"sqlite3ext\.h", "query/extension"),
    (r"CLI/.*", "tools/options/command_line.cc tools/options/usage_error.cc"),
    (r"histedit\.h", "tools/prompt/line_editor.cc"),
    (r"nlohmann/.*", "query/sampling tools/packing tools/shell"),
    (r"simdjson\.h|csv\.h", "tools/packing"),
    (
        r"nanobind/.*",
        "python/src python/src/columns python/src/convert python/src/interpreter python/src/loading "
        "python/src/records python/src/writing python/src/attaching python/src/auditing",
    ),
    (r"Python\.h", "python/src/interpreter"),
]

# Headers of C++ and of the operating system, which every folder may include.
SYSTEM = re.compile(
    r"[a-z0-9_]+|(sys|linux)/[a-z0-9_]+\.h"
    r"|(cpuid|dirent|endian|errno|fcntl|fnmatch|glob|immintrin|malloc|nmmintrin|poll|pthread|sched|setjmp|signal|spawn|stdio"
    r"|stdlib|string|strings|termios|time|ucontext|unistd|x86intrin)\.h"
)

INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)[>\"]", re.MULTILINE)
SOURCES = {".h", ".hh", ".hpp", ".inc", ".c", ".cc", ".cpp", ".cxx"}
HEADERS = {".h", ".hh", ".hpp"}


def includes(text):
    """The opening bracket and header of each include. A public header, <ofindex/NAME.h>, is given as
    "include/ofindex/NAME.h"."""
    for bracket, header in INCLUDE.findall(text):
        public = bracket == "<" and header.startswith("ofindex/")
        yield ('"', f"include/{header}") if public else (bracket, header)


def room_of(path):
    return path.rpartition("/")[0]


def include_complaint(path, bracket, header):
    """The reason why the file at `path` may not include `header`; None if it may."""
    room = room_of(path)
    for pattern, wrappers in WRAPPED_IN:
        if re.fullmatch(pattern, header):
            return None if {room, path} & set(wrappers.split()) else f"is for {wrappers} alone"
    if bracket == "<":
        return None if SYSTEM.fullmatch(header) else "is a third party that no room wraps"
    if "/" not in header or ".." in header.split("/"):
        return "is not named from the root"
    if room_of(header) in MAY_INCLUDE[room] | {room}:
        return None
    return f"points against the arrow: {room} may include {ROOMS[room]}"


def complaints(path, text):
    """The faults of a source file: `path` is relative to the root, `text` is its content."""
    found = []
    if pathlib.PurePath(path).suffix in HEADERS:
        code = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("//")]
        if code[:1] != ["#pragma once"]:
            found.append(f"{path}: does not start with #pragma once")
    for bracket, header in includes(text):
        complaint = include_complaint(path, bracket, header)
        if complaint:
            found.append(f"{path}: {header} {complaint}")
    return found


def sources():
    """Maps the path of every source in the rooms, relative to the root, to its text."""
    found = {}
    for top in BELOW:
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                found[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
    return found


def modules(texts):
    """Maps each module, which is a header and its source, to the modules that it includes."""
    found = collections.defaultdict(set)
    for path, text in texts.items():
        module = path.rpartition(".")[0]
        for bracket, header in includes(text):
            included = header.rpartition(".")[0]
            if bracket == '"' and included != module:
                found[module].add(included)
    return found


def python_imports(text, room=""):
    """The modules of the package that a module in its folder `room` imports at run time, even in a function. Imports for
    type checking are left out."""
    found = set()
    todo = [ast.parse(text)]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            todo += node.orelse
            continue
        if isinstance(node, ast.ImportFrom) and node.level > 0:
            home = f"{room}." if room and node.level == 1 else ""
            found |= {home + name for name in ([node.module] if node.module else [alias.name for alias in node.names])}
        todo += ast.iter_child_nodes(node)
    return found


def cycle_in(graph):
    """A cycle in `graph`, as a list of nodes; None if there is no cycle."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return None


class ProjectTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sources = sources()

    def test_every_source_is_in_a_room(self):
        self.assertEqual({room_of(path) for path in self.sources}, set(ROOMS))

    def test_includes_go_only_in_the_allowed_directions(self):
        found = [complaint for path, text in self.sources.items() for complaint in complaints(path, text)]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_rooms_include_only_top_folders_that_their_own_may_include(self):
        for room, others in MAY_INCLUDE.items():
            top = room.split("/")[0]
            self.assertEqual({other.split("/")[0] for other in others} - BELOW[top] - {top}, set(), room)

    def test_every_listed_include_is_used(self):
        used = collections.defaultdict(set)
        for path, text in self.sources.items():
            used[room_of(path)] |= {room_of(header) for bracket, header in includes(text) if bracket == '"'}
        self.assertEqual({room: set(others) - used[room] for room, others in MAY_INCLUDE.items() if others - used[room]}, {})

    def test_every_listed_wrapper_includes_its_third_party_header(self):
        includes = [(path, header) for path, text in self.sources.items() for _, header in INCLUDE.findall(text)]
        for pattern, wrappers in WRAPPED_IN:
            wrapping = {path for path, header in includes if re.fullmatch(pattern, header)}
            named = set(wrappers.split()) - {"tests"}
            self.assertEqual(named - wrapping - {room_of(path) for path in wrapping}, set(), pattern)

    def test_rooms_and_files_have_no_include_cycles(self):
        self.assertIsNone(cycle_in(MAY_INCLUDE))
        self.assertIsNone(cycle_in(modules(self.sources)))

    def test_modules_of_the_package_have_no_import_cycles(self):
        home = ROOT / "python/ofindex"
        package = {path.relative_to(home): path.read_text(encoding="utf-8") for path in home.rglob("*.py")}
        names = {path: ".".join(path.with_suffix("").parts) for path in package}
        imports = {
            name: python_imports(package[path], ".".join(path.parent.parts)) & set(names.values()) - {name}
            for path, name in names.items()
        }
        self.assertIn("_dataset", imports["_loading.loader"])
        self.assertGreater(sum(map(len, imports.values())), len(package))
        self.assertIsNone(cycle_in(imports))


class ComplaintsTest(unittest.TestCase):
    """The checks above are useful only if they find faults."""

    RIGHT = [
        ("base/bytes.cc", '"base/bytes.h"'),
        ("proto/wire/wire.cc", '"base/bytes.h"'),
        ("mmap/reader.cc", '"mmap/offsets/offset_map.h"'),
        ("index/catalog/catalog.cc", '"index/database/sqlite.h"'),
        ("query/columns/snapshot.cc", '"index/build/map_builder.h"'),
        ("tools/verbs/get.cc", '"base/result.h"'),
        ("python/src/records/records.cc", '"query/dataset.h"'),
        ("library/dataset.cc", '"query/dataset.h"'),
        ("library/dataset.cc", "<ofindex/dataset.h>"),
        ("include/ofindex/dataset.h", "<ofindex/result.h>"),
        ("include/ofindex/result.h", "<tl/expected.hpp>"),
        ("base/result.h", "<tl/expected.hpp>"),
        ("mmap/files/mapped_file.cc", "<boost/interprocess/file_mapping.hpp>"),
        ("index/database/sqlite.cc", "<sqlite3.h>"),
        ("query/sql/session.cc", "<sqlite3.h>"),
        ("tools/options/command_line.cc", "<CLI/CLI.hpp>"),
        ("mmap/files/fault_guard.cc", "<sys/mman.h>"),
        ("mmap/files/fault_guard.cc", "<csignal>"),
    ]

    WRONG = [
        ("base/bytes.cc", '"proto/wire/wire.h"', "against the arrow"),
        ("mmap/reader.cc", '"proto/wire/wire.h"', "against the arrow"),
        ("mmap/reader.cc", '"index/catalog/catalog.h"', "against the arrow"),
        ("index/walk/walker.cc", '"query/filter/predicate.h"', "against the arrow"),
        ("index/walk/walker.cc", '"index/scan/scan.h"', "against the arrow"),
        ("query/filter/kernels.cc", '"query/sql/where.h"', "against the arrow"),
        ("query/sql/sql.cc", '"tools/shell/output.h"', "against the arrow"),
        ("tools/main.cc", '"python/src/module.h"', "against the arrow"),
        ("include/ofindex/dataset.h", '"query/dataset.h"', "against the arrow"),
        ("query/dataset.cc", "<ofindex/dataset.h>", "against the arrow"),
        ("tools/main.cc", '"library/snapshot.h"', "against the arrow"),
        ("library/dataset.cc", "<tl/expected.hpp>", "is for base include/ofindex alone"),
        ("python/src/module.cc", '"tools/shell/output.h"', "against the arrow"),
        ("tools/main.cc", '"tests/bytes.h"', "against the arrow"),
        ("index/walk/walker.cc", '"bench/pairs/data.h"', "against the arrow"),
        ("base/bytes.cc", '"bytes.h"', "not named from the root"),
        ("base/bytes.cc", '"base/../proto/wire.h"', "not named from the root"),
        ("mmap/reader.cc", "<sqlite3.h>", "is for index/database"),
        ("tools/main.cc", "<sqlite3.h>", "is for index/database"),
        ("index/build/builder.cc", "<boost/interprocess/file_mapping.hpp>", "is for mmap/files alone"),
        ("index/walk/walker.cc", "<xxhash.h>", "is for base alone"),
        ("proto/wire/wire.cc", "<tl/expected.hpp>", "is for base include/ofindex alone"),
        ("query/sql/sql.cc", "<CLI/CLI.hpp>", "is for tools/options/command_line.cc tools/options/usage_error.cc alone"),
        ("tools/main.cc", "<CLI/CLI.hpp>", "is for tools/options/command_line.cc tools/options/usage_error.cc alone"),
        ("tools/options/command_line.h", "<CLI/CLI.hpp>", "is for tools/options/command_line.cc tools/options/usage_error.cc alone"),
        ("tools/verbs/get.cc", "<CLI/App.hpp>", "is for tools/options/command_line.cc tools/options/usage_error.cc alone"),
        ("query/sql/sql.cc", "<zlib.h>", "is for mmap/inflate index/writing alone"),
        ("index/build/builder.cc", '"proto/example.pb.h"', "is for tests alone"),
        ("tools/main.cc", "<google/protobuf/message.h>", "is for tests alone"),
        ("mmap/reader.cc", "<boost/filesystem.hpp>", "no room wraps"),
        ("index/build/builder.cc", "<doctest/doctest.h>", "no room wraps"),
        ("base/bytes.cc", "<lz4.h>", "no room wraps"),
    ]

    def test_allowed_includes_pass(self):
        for path, include in self.RIGHT:
            with self.subTest(path=path, include=include):
                self.assertEqual(complaints(path, f"#pragma once\n#include {include}\n"), [])

    def test_forbidden_includes_are_found(self):
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

    def test_imports_in_python_are_found_except_those_for_types(self):
        text = "from . import _a\nfrom ._b import c\nif TYPE_CHECKING:\n    from ._d import e\ndef f():\n    from ._g import h\n"
        self.assertEqual(python_imports(text), {"_a", "_b", "_g"})

    def test_cycles_of_files_are_found(self):
        texts = {
            "base/a.h": '#include "base/b.h"',
            "base/b.h": "",
            "base/b.cc": '#include "base/b.h"\n#include "base/c.h"',
            "base/c.cc": '#include "base/a.h"',
        }
        self.assertEqual(set(cycle_in(modules(texts))), {"base/a", "base/b", "base/c"})
        del texts["base/c.cc"]
        self.assertIsNone(cycle_in(modules(texts)))


if __name__ == "__main__":
    unittest.main()
