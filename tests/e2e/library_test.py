"""The installed C++ library: found by pkg-config, linked statically and dynamically, used by examples and by a project.

The records that the examples read and write are compared with the command and with the reader of tests/oracle/.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import ClassVar

from e2e.command import COMMAND, REPOSITORY
from oracle import messages, records

BUILD = COMMAND.parents[1]
EXAMPLES = REPOSITORY / "examples" / "cpp"
HEADERS = REPOSITORY / "include" / "ofindex"
NAMES = ("build_and_read", "shuffled_where", "write_records")
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror")
CXX = os.environ.get("CXX", "c++")
RECORDS = 1000

# A project that has ofindex in its folder subprojects/.
CONSUMER = """
project('consumer', 'cpp', version: '1', default_options: ['cpp_std=c++20'])
ofindex = dependency('ofindex', fallback: 'ofindex', default_options: ['default_library=static'])
executable('consumer', 'consumer.cc', dependencies: ofindex)
"""

# A program that prints the totals of a dataset, what is gone, and where each record is.
LOCATE = """
#include <cstdio>
#include <ofindex/dataset.h>
int main(int, char** argv) {
  const auto dataset = ofindex::Dataset::Open(argv[1]);
  const auto info = dataset->Info();
  std::printf("%lu %lu %lu %lu\\n", dataset->size(), dataset->live_size(), info->ordinals, info->records);
  for (const ofindex::GoneShard& gone : info->gone) {
    std::printf("%s %lu %lu\\n", gone.path.c_str(), gone.records, gone.since);
  }
  for (uint64_t ordinal = 0; ordinal < dataset->size(); ++ordinal) {
    const auto place = dataset->Locate(ordinal);
    if (place) {
      std::printf("%lu %s %lu\\n", ordinal, info->shards[place->shard].path.c_str(), place->offset);
    } else {
      std::printf("%lu %s\\n", ordinal, place.error().code == ofindex::ErrorCode::kOutOfRange ? "gone" : "lost");
    }
  }
}
"""

# A program that uses SQLite, and then loads a plugin that is linked with ofindex.
PLUGIN = """
#include <ofindex/query.h>
extern "C" int Count(const char* data, const char* expression) {
  const auto dataset = ofindex::Dataset::Open(data);
  if (!dataset) return -1;
  const auto selection = ofindex::Where(*dataset, expression);
  return selection ? static_cast<int>(selection->size()) : -2;
}
"""
HOST = """
#include <cstdio>
#include <dlfcn.h>
#include <sqlite3.h>
int main(int, char** argv) {
  sqlite3* db = nullptr;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
  for (int round = 0; round < 2; ++round) {
    void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) return 2;
    const auto count = reinterpret_cast<int (*)(const char*, const char*)>(dlsym(plugin, "Count"));
    std::printf("%d\\n", count(argv[2], argv[3]));
    if (dlclose(plugin) != 0) return 3;
  }
  return sqlite3_close(db);
}
"""


def run(*command: str | Path, **options: object) -> str:
    """Standard output of a command that must succeed."""
    finished = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=250, **options)
    if finished.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{finished.stdout}{finished.stderr}")
    return finished.stdout


def exported(library: Path) -> set[str]:
    """Names of the functions and objects that a library exports, as C++ writes them."""
    lines = run("nm", "-D", "-C", "--defined-only", library).splitlines()
    return {line.split(maxsplit=2)[2] for line in lines}


class LibraryTest(unittest.TestCase):
    """All tests share one installation, and the examples compiled against it."""

    @classmethod
    def setUpClass(cls) -> None:
        meson = shutil.which("meson")
        if meson is None:
            raise unittest.SkipTest("meson is not installed")
        temporary = tempfile.TemporaryDirectory(prefix="ofindex-library-")
        cls.addClassCleanup(temporary.cleanup)
        cls.dir = Path(temporary.name).resolve()
        run(meson, "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", cls.dir / "root")
        cls.pc = next((cls.dir / "root").rglob("ofindex.pc"))
        cls.libdir = cls.pc.parents[1]
        cls.prefix = cls.dir / "root" / cls.prefix_of(cls.pc).lstrip("/")
        for name in NAMES:
            run(CXX, "-std=c++20", *WARNINGS, *cls.pkg_config("--cflags"), "-c", EXAMPLES / f"{name}.cc", cwd=cls.dir)
        for name in NAMES:
            cls.link(name, "shared", *cls.pkg_config("--libs"), f"-Wl,-rpath,{cls.libdir}")
            private = [word for word in cls.pkg_config("--static", "--libs") if word != "-lofindex"]
            cls.link(name, "static", "-l:libofindex.a", *private)

    dir: ClassVar[Path]
    pc: ClassVar[Path]
    libdir: ClassVar[Path]
    prefix: ClassVar[Path]

    @staticmethod
    def prefix_of(pc: Path) -> str:
        return next(line for line in pc.read_text().splitlines() if line.startswith("prefix=")).partition("=")[2]

    @classmethod
    def pkg_config(cls, *options: str) -> list[str]:
        environment = {**os.environ, "PKG_CONFIG_PATH": str(cls.pc.parent)}
        return run("pkg-config", f"--define-variable=prefix={cls.prefix}", *options, "ofindex", env=environment).split()

    @classmethod
    def link(cls, name: str, kind: str, *words: str) -> None:
        (cls.dir / kind).mkdir(exist_ok=True)
        run(CXX, cls.dir / f"{name}.o", "-o", cls.dir / kind / name, *words)

    def setUp(self) -> None:
        self.work = Path(tempfile.mkdtemp(dir=self.dir))

    def example(self, kind: str, name: str, *arguments: str | Path) -> str:
        return run(self.dir / kind / name, *arguments, cwd=self.work)

    def payloads(self, paths: list[str]) -> list[bytes]:
        """The payloads of TFRecord shards, read by tests/oracle/."""
        walks = [records.walk_tfrecord((self.work / path).read_bytes()) for path in paths]
        self.assertEqual([damage for walk in walks for damage in walk.damage], [])
        return [payload for walk in walks for payload in walk.payloads]

    def test_the_installation_has_command_library_and_extension_and_nothing_else(self) -> None:
        lib = self.libdir.relative_to(self.prefix).as_posix()
        version = run(COMMAND, "--version").split()[1]
        self.assertEqual(run(self.prefix / "bin" / "ofindex", "--version").split()[1], version)
        expected = {"bin/ofindex", *(f"include/ofindex/{path.name}" for path in HEADERS.glob("*.h"))}
        libraries = ("libofindex.a", "libofindex.so", f"libofindex.so.{version[0]}", f"libofindex.so.{version}")
        expected |= {f"{lib}/{name}" for name in (*libraries, "ofindex/ofindex_sqlite.so", "pkgconfig/ofindex.pc")}
        found = {path.relative_to(self.prefix).as_posix() for path in self.prefix.rglob("*") if not path.is_dir()}
        # Man pages and completions are there if the build makes them.
        more = re.compile(r"share/(man/man\d|bash-completion/completions|zsh/site-functions|fish/vendor_completions\.d)/")
        self.assertEqual({name for name in found if not more.match(name)}, expected)

    def test_the_installed_headers_equal_the_sources_and_include_only_each_other(self) -> None:
        installed = {path.name: path.read_text() for path in (self.prefix / "include" / "ofindex").iterdir()}
        self.assertEqual(installed, {path.name: path.read_text() for path in HEADERS.glob("*.h")})
        for name, text in installed.items():
            included = [line.split()[1] for line in text.splitlines() if line.startswith("#include")]
            ours = [header for header in included if not header.strip("<>").isidentifier()]
            others = {header for header in ours if header.strip("<>").removeprefix("ofindex/") not in installed}
            self.assertEqual(others, {"<tl/expected.hpp>"} if name == "result.h" else set(), name)

    def test_each_header_compiles_alone(self) -> None:
        for path in HEADERS.glob("*.h"):
            command = (CXX, "-std=c++20", *WARNINGS, *self.pkg_config("--cflags"), "-fsyntax-only", "-x", "c++", "-")
            run(*command, input=f"#include <ofindex/{path.name}>\n")

    def test_pkg_config_needs_no_other_package_to_link_the_shared_library(self) -> None:
        environment = {**os.environ, "PKG_CONFIG_LIBDIR": str(self.pc.parent)}
        environment.pop("PKG_CONFIG_PATH", None)
        prefix = f"--define-variable=prefix={self.prefix}"
        flags = run("pkg-config", prefix, "--cflags", "--libs", "ofindex", env=environment).split()
        self.assertEqual(flags, [f"-I{self.prefix}/include", f"-L{self.libdir}", "-lofindex"])

    def test_pkg_config_gives_the_folders_and_all_libraries_for_static_linking(self) -> None:
        self.assertEqual(self.pkg_config("--cflags"), [f"-I{self.prefix}/include"])
        self.assertEqual(self.pkg_config("--libs"), [f"-L{self.libdir}", "-lofindex"])
        private = set(self.pkg_config("--static", "--libs"))
        self.assertLessEqual({"-lofindex", "-lisal", "-lsqlite3", "-lxxhash", "-lz", "-lzstd"}, private)

    def test_the_shared_library_has_a_soname_and_exports_only_the_api(self) -> None:
        library = (self.libdir / "libofindex.so").resolve()
        self.assertEqual((self.libdir / "libofindex.so.0").resolve(), library)
        dynamic = run("readelf", "-d", library)
        self.assertIn("Library soname: [libofindex.so.0]", dynamic)
        self.assertIn("NODELETE", dynamic)
        self.assertNotIn("libsqlite3", dynamic)
        names = exported(library)
        self.assertEqual({name for name in names if not name.startswith("ofindex::v1::")}, set())
        inner = re.compile("::State::|Impl|OpenedDataset|Internals")
        self.assertEqual({name for name in names if inner.search(name)}, set())
        for name in ("BuildIndex", "Dataset::Open", "FeatureDecoder::Decode", "RecordWriter::Close", "Sampler::Next"):
            self.assertTrue(any(one.startswith(f"ofindex::v1::{name}(") for one in names), name)
        kinds = {line.split()[1] for line in run("nm", "-D", "--defined-only", library).splitlines()}
        self.assertEqual(kinds, {"T"})

    def test_only_a_dynamically_linked_program_needs_the_shared_library(self) -> None:
        for kind, needed in (("shared", True), ("static", False)):
            for name in NAMES:
                self.assertEqual("[libofindex.so.0]" in run("readelf", "-d", self.dir / kind / name), needed, name)

    def test_an_independent_reader_finds_the_records_that_an_example_wrote(self) -> None:
        for kind in ("shared", "static"):
            paths = self.example(kind, "write_records", kind, str(RECORDS), "3").splitlines()
            self.assertEqual(len(paths), 3)
            payloads = self.payloads(paths)
            self.assertEqual(len(payloads), RECORDS)
            for number in (0, 9, RECORDS - 1):
                features = messages.features_json(payloads[number], "example")
                self.assertEqual(features["id"], {"kind": "int64", "values": [number]})
                self.assertEqual(features["parity"], {"kind": "bytes", "values": ["odd" if number % 2 else "even"]})
                self.assertEqual(features["values"]["values"][0], number)
                self.assertAlmostEqual(features["values"]["values"][1], number**0.5, places=4)

    def test_an_example_reads_the_same_as_the_command_and_an_independent_reader(self) -> None:
        paths = self.example("shared", "write_records", "data", str(RECORDS), "3").splitlines()
        bytes_of_payload = sum(map(len, self.payloads(paths)))
        for kind in ("shared", "static"):
            printed = self.example(kind, "build_and_read", "data").splitlines()
            self.assertEqual(printed[0], f"{RECORDS} records in 3 shards")
            features = ("id: 1 int64", "parity: 1 bytes", "values: 2 float")
            self.assertEqual(printed[1:4], [f"last record: {feature}" for feature in features])
            self.assertEqual(printed[4], f"{bytes_of_payload} bytes of payload")
        info = json.loads(run(COMMAND, "info", "data", "--json", cwd=self.work))
        self.assertEqual((info["records"], info["payload_bytes"]), (RECORDS, bytes_of_payload))

    def test_a_shuffled_epoch_has_the_order_of_the_command_and_resumes(self) -> None:
        self.example("shared", "write_records", "data", str(RECORDS), "2")
        self.example("shared", "build_and_read", "data")
        command = (COMMAND, "sample", "data", "--seed", "1", "--where", "id < 130")
        expected = run(*command, cwd=self.work).split()
        self.assertEqual(sorted(map(int, expected)), list(range(130)))
        arguments = (self.dir / "static" / "shuffled_where", "data", "id < 130", "id")
        whole = subprocess.run(arguments, cwd=self.work, capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(whole.stdout.split(), expected)
        state = whole.stderr.splitlines()[0].removeprefix("state: ")
        resumed = self.example("shared", "shuffled_where", "data", "id < 130", "id", state)
        self.assertEqual(resumed.split(), expected[64:])

    def test_a_plugin_loads_the_library_into_a_program_that_has_used_sqlite(self) -> None:
        self.example("shared", "write_records", "data", str(RECORDS), "2")
        self.example("shared", "build_and_read", "data")
        (self.work / "plugin.cc").write_text(PLUGIN)
        (self.work / "host.cc").write_text(HOST)
        flags = (*self.pkg_config("--cflags", "--libs"), f"-Wl,-rpath,{self.libdir}")
        run(CXX, "-std=c++20", "-shared", "-fPIC", "plugin.cc", "-o", "plugin.so", *flags, cwd=self.work)
        run(CXX, "-std=c++20", "host.cc", "-o", "host", "-lsqlite3", "-ldl", cwd=self.work)
        printed = run(self.work / "host", self.work / "plugin.so", "data", "id < 130", cwd=self.work)
        self.assertEqual(printed.split(), ["130", "130"])

    def test_a_program_finds_records_of_an_updated_index_and_what_is_gone(self) -> None:
        data = self.work / "data"
        data.mkdir()
        payloads = [messages.encode("example", {"id": ("int64", [number])}) for number in range(9)]
        size = len(records.frame_tfrecord(payloads[0]))
        for name, chosen in (("a", payloads[:2]), ("c", payloads[2:5])):
            records.write_tfrecord(data / name, chosen)
        run(COMMAND, "build", "data", cwd=self.work)
        (data / "a").unlink()
        records.write_tfrecord(data / "b", payloads[5:6])
        records.write_tfrecord(data / "c", payloads[2:5] + payloads[6:8])
        run(COMMAND, "update", "data", cwd=self.work)
        (self.work / "locate.cc").write_text(LOCATE)
        flags = (*self.pkg_config("--cflags", "--libs"), f"-Wl,-rpath,{self.libdir}")
        run(CXX, "-std=c++20", "locate.cc", "-o", "locate", *flags, cwd=self.work)
        expected = ["8 6 8 6", "data/a 2 2", "0 gone", "1 gone"]
        expected += [f"{2 + i} data/c {i * size}" for i in range(3)]
        expected += ["5 data/b 0", *(f"{6 + i} data/c {(3 + i) * size}" for i in range(2))]
        self.assertEqual(run(self.work / "locate", "data", cwd=self.work).splitlines(), expected)

    def test_an_example_that_fails_says_so_and_how_to_fix_it(self) -> None:
        for arguments, code, words in (
            (("build_and_read", "no-such"), 1, "no-such"),
            (("build_and_read",), 2, "usage: "),
            (("shuffled_where", "no-such", "id = 1", "id"), 1, "hint: name an index"),
            (("write_records", "out", "1", "0"), 1, "shards: 0; expected at least 1"),
        ):
            with self.subTest(arguments):
                command = [self.dir / "shared" / arguments[0], *arguments[1:]]
                finished = subprocess.run(command, cwd=self.work, capture_output=True, text=True, timeout=60)
                self.assertEqual(finished.returncode, code, finished.stderr)
                self.assertIn(words, finished.stderr)
                self.assertEqual(finished.stdout, "")

    def test_another_project_can_use_ofindex_as_a_subproject(self) -> None:
        consumer = self.work / "consumer"
        (consumer / "subprojects").mkdir(parents=True)
        (consumer / "subprojects" / "ofindex").symlink_to(REPOSITORY)
        (consumer / "meson.build").write_text(CONSUMER)
        shutil.copy(EXAMPLES / "build_and_read.cc", consumer / "consumer.cc")
        meson = shutil.which("meson")
        # Compiling the subproject would take minutes; Meson shows the commands after configuring.
        options = ("--buildtype=release", "--force-fallback-for=ofindex")
        run(meson, "setup", consumer / "build", consumer, *options, env={**os.environ, "CXX": CXX})
        targets = json.loads(run(meson, "introspect", consumer / "build", "--targets"))
        names = {(target["name"], target["type"]) for target in targets}
        self.assertIn(("consumer", "executable"), names)
        self.assertIn(("ofindex", "static library"), names)
        self.assertEqual({name for name, kind in names if kind == "executable"}, {"consumer"})
        self.assertEqual({name for name, _ in names} & {"support", "tools", "ofindex_sqlite", "messages"}, set())
        commands = json.loads((consumer / "build" / "compile_commands.json").read_text())
        ours = [one["command"].split() for one in commands if "/ofindex/library/" in one["output"]]
        self.assertGreater(len(ours), 0)
        for command in ours:
            self.assertNotIn("-Werror", command)
        linked = run("ninja", "-C", consumer / "build", "-t", "commands", "consumer").splitlines()[-1]
        self.assertIn("libofindex.a", linked)


if __name__ == "__main__":
    unittest.main()
