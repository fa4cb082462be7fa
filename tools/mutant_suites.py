"""Builds and runs tests on the copy of the tree in which a mutant is tried."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import Any

# Warnings are not errors here, and nothing is shown to a debugger. Without unity units, few sources are compiled again.
SETUP = ("--buildtype=debug", "-Doptimization=1", "-Ddebug=false", "-Dunity=off")
SYSTEM_PYTHON = "/usr/bin/python3"
#: A test that runs this many times as long as without a mutant has hung.
PATIENCE = 5
LEAST_PATIENCE_SECONDS = 30
#: And one that was not timed has hung after this.
MOST_SECONDS = 600

#: The library that fails the calls of a command. Without it, tests of faults are skipped, and notice no mutant.
FAULTS = "tests/faults/ofindex_faults.so"


class BuildError(Exception):
    """The tree cannot be built; the message is what the compiler says."""


class Suites:
    """The tests of `tree`, built in folders of `home`. `root` is the project, which has the environment of Python."""

    def __init__(self, root: pathlib.Path, tree: pathlib.Path, home: pathlib.Path, jobs: int) -> None:
        self.tree = tree
        self.build = home / "build"
        self.extension_build = home / "extension-build"
        self.package = home / "package"
        self.python = root / "build" / "python" / "bin" / "python"
        self.jobs = jobs
        self.compiles_extension = False
        self.has_mutant = False  # now
        self.timed_out = False  # the last test
        self.seconds: dict[str, float] = {}  # of each test that has passed without a mutant
        self.environment = dict(os.environ, CCACHE_NOHASHDIR="1", CCACHE_BASEDIR=str(root.parent))
        self.environment.setdefault("OFINDEX_FIXTURES", str(root.parent / "shared" / "fixtures"))
        self.environment.setdefault("OFINDEX_CORPUS", str(tree / "fuzz" / "corpus"))

    # ------------------------------------------------------------------ building

    def _run(self, *command: str | pathlib.Path, cached: bool = True) -> None:
        # The compiler's cache shall not keep what is made of mutants.
        environment = self.environment if cached else {**self.environment, "CCACHE_DISABLE": "1"}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise BuildError("\n".join(done.stdout.splitlines()[-30:]))

    def _ninja(self, build: pathlib.Path, *targets: str) -> None:
        self._run("ninja", "-C", build, f"-j{self.jobs}", *targets, cached=not self.has_mutant)

    def _configure(self) -> None:
        if not (self.build / "build.ninja").exists():
            self._run("meson", "setup", *SETUP, "-Dcpp_link_args=-fuse-ld=gold", self.build, self.tree)

    def _build_package(self) -> None:
        """Makes `package` that of the tree. Its extension is that of the environment until a mutant changes it."""
        package = self.package / "ofindex"
        if not package.exists():
            (installed,) = self.python.parents[1].glob("lib/python3*/site-packages/ofindex")
            shutil.copytree(installed, package)
        if self.compiles_extension or self.extension_build.exists():
            self._build_extension()
            for built in (self.extension_build / "python").glob("_ofindex.*.so"):
                shutil.copy(built, package)
        for source in (self.tree / "python" / "ofindex").rglob("*.py"):
            copy = package / source.relative_to(self.tree / "python" / "ofindex")
            if not copy.exists() or copy.read_bytes() != source.read_bytes():
                shutil.copy(source, copy)

    def _build_extension(self) -> None:
        if not (self.extension_build / "build.ninja").exists():
            native = self.package.with_suffix(".ini")
            native.write_text(f"[binaries]\npython = '{self.python}'\n")
            self._run(
                "meson", "setup", *SETUP, "-Dpython=true", "-Dtests=false", "-Dlibrary=false",
                f"--native-file={native}", self.extension_build, self.tree,
            )  # fmt: skip
        targets = json.loads((self.extension_build / "meson-info" / "intro-targets.json").read_text())
        (extension,) = [target["filename"][0] for target in targets if target["name"].startswith("_ofindex")]
        self._ninja(self.extension_build, os.path.relpath(extension, self.extension_build))

    @functools.cached_property
    def _targets(self) -> list[dict[str, Any]]:
        return json.loads((self.build / "meson-info" / "intro-targets.json").read_text())

    @functools.cached_property
    def _programs(self) -> dict[str, str]:
        """The program, as a target of ninja, with the tests of each source, a path relative to tests/."""
        found = {}
        for target in self._targets:
            if target["type"] != "executable":
                continue
            program = os.path.relpath(target["filename"][0], self.build)
            for group in target["target_sources"]:
                for source in group.get("sources", []):
                    found[os.path.relpath(source, self.tree / "tests")] = program
        return found

    @functools.cached_property
    def _objects(self) -> dict[str, str]:
        """The object, as a target of ninja, of each source in tests/."""
        commands = json.loads((self.build / "compile_commands.json").read_text())
        tests = os.path.relpath(self.tree / "tests", self.build)
        return {os.path.relpath(one["file"], tests): one["output"] for one in commands}

    def _libraries(self, folder: str) -> list[str]:
        """The static libraries, as targets of ninja, of the sources in a top folder."""
        paths = [target["filename"][0] for target in self._targets if target["type"] == "static library"]
        return [path for path in (os.path.relpath(path, self.build) for path in paths) if path.startswith(f"{folder}/")]

    def _build_test(self, test: str, changed: str | None) -> pathlib.Path:
        """Builds the program that has the test and, if it was built before and only the file `changed` differs, only
        what of it the test and the rooms of the two need: most of the code includes some headers."""
        program = self._programs[test]
        # Each object has its own copy of a header's inline functions, and the linker keeps any of them.
        if changed is None or changed.endswith(".h"):
            self._ninja(self.build, program)
            return self.build / program
        folders = {changed.split("/")[0], test.split("/")[0]}
        libraries = [library for folder in folders for library in self._libraries(folder)]
        commands = subprocess.run(
            ["ninja", "-C", self.build, "--quiet", "-t", "commands", "-s", program],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        link = commands.stdout.splitlines()[-1]
        inputs = [word for word in link.split() if word.endswith((".o", ".a"))]
        forgotten = [word for word in inputs if not (self.build / word).exists()]  # built with an earlier mutant
        self._ninja(self.build, self._objects[test], *libraries, *forgotten)
        self._run("sh", "-c", f"cd '{self.build}' && {link}")
        return self.build / program

    def forget_since(self, moment: float) -> None:
        """Removes what was built since a moment: with a mutant that is no longer there. The compiler's cache has what
        was there before."""
        for build in (self.build, self.extension_build):
            for folder, _, names in os.walk(build):
                for name in names:
                    path = pathlib.Path(folder, name)
                    is_output = path.suffix in (".o", ".a", ".so") or (not path.suffix and os.access(path, os.X_OK))
                    if is_output and path.lstat().st_mtime >= moment:
                        path.unlink()

    # ------------------------------------------------------------------ running

    def _command_of(self, test: str, changed: str | None) -> list[str | pathlib.Path]:
        """Builds what the test in the file `test` needs, and returns the command that runs it."""
        self._configure()
        if test.endswith(".cc"):
            return [self._build_test(test, changed), f"--source-file=*tests/{test}", "--minimal", "--abort-after=1"]
        folder, _, name = test.rpartition("/")
        module = name.removesuffix(".py")
        if folder == "python":
            self._build_package()
            return [SYSTEM_PYTHON, self.tree / "tests" / "python" / "run.py", module]
        self._ninja(self.build, "tools/ofindex", "query/extension/ofindex_sqlite.so", FAULTS)
        if folder in ("e2e", "oracle"):
            return [SYSTEM_PYTHON, self.tree / "tests" / "e2e" / "run.py", module]
        return [SYSTEM_PYTHON, self.tree / "tests" / test]

    def _variables_of(self, test: str) -> dict[str, str]:
        if test.startswith("python/"):
            return {
                "OFINDEX_PYTHON": str(self.python),
                "PYTHONPATH": str(self.package),
                "OFINDEX_BIN": str(self.package / "ofindex" / "bin" / "ofindex"),
            }
        return {
            "OFINDEX_BIN": str(self.build / "tools" / "ofindex"),
            "OFINDEX_SQLITE": str(self.build / "query" / "extension" / "ofindex_sqlite.so"),
            "OFINDEX_FAULT_LIBRARY": str(self.build / FAULTS),
        }

    def passes(self, test: str, seconds: float | None = None, changed: str | None = None) -> bool:
        """Builds and runs the test in a file. A test that takes longer than `seconds` fails. Only the file `changed`
        differs from what was built before; None: any may."""
        self.timed_out = False
        command = self._command_of(test, changed)
        environment = self.environment | self._variables_of(test)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
        process = subprocess.Popen(command, env=environment, cwd=self.tree, start_new_session=True, **quiet)
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            self.timed_out = True
            return False
        finally:
            _end_group(process)

    def learn(self, test: str) -> None:
        """Runs a test on the unchanged tree, unless it has run there before. It has to pass."""
        if test in self.seconds:
            return
        try:
            self._command_of(test, None)
        except BuildError as error:
            raise SystemExit(f"{error}\ntests/{test} cannot be built without a mutant: mend it first") from None
        began = time.monotonic()
        if not self.passes(test):
            raise SystemExit(f"tests/{test} fails without a mutant: mend it first")
        self.seconds[test] = time.monotonic() - began

    def first_to_fail(self, tests: Sequence[str], changed: str) -> str | None:
        """The first of the tests that fails, or takes much longer than without a mutant, while `changed` has one."""
        self.has_mutant = True
        try:
            for test in tests:
                known = self.seconds.get(test)
                seconds = MOST_SECONDS if known is None else max(LEAST_PATIENCE_SECONDS, PATIENCE * known)
                if not self.passes(test, seconds, None if known is None else changed):
                    return test
            return None
        finally:
            self.has_mutant = False

    def all_for(self, file: str) -> list[str]:
        """All tests that could notice a change of `file`; those of the same top folder first."""
        tests = self.tree / "tests"
        top = file.split("/")[0]
        if top == "python":
            paths = list((tests / "python").glob("*_test.py"))
        else:
            paths = [tests / name for name in self._programs if name.endswith("_test.cc")]
            paths += [path for folder in ("oracle", "e2e") for path in (tests / folder).glob("*_test.py")]
        names = [path.relative_to(tests).as_posix() for path in paths]
        return sorted(names, key=lambda name: (not name.startswith(f"{top}/"), name.endswith(".py"), name))


def _end_group(process: subprocess.Popen) -> None:
    """Ends what a test has started and left behind, such as a server."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
