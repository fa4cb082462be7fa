#!/usr/bin/env python3
"""Makes a folder against which gcc links programs that glibc 2.28 can run:

    packaging/glibc_2_28.py DIR        then link with -L DIR -Wl,--wrap=__libc_start_main

glibc keeps the older versions of a symbol for the programs that were linked with them, and a linker takes the newest.
So each library here is a stub: it has the symbols of the same library of this system, each in its newest version up to
2.28, and nothing newer. A program that needs more does not link. DIR/libc.so is a linker script, as glibc's own is; it
adds what 2.28 lacks (nonshared.c, startup.c).
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

NEWEST = (2, 28)

#: Until 2.34 these were libraries of their own, by and by emptied into libc.so.6. A symbol that moved has the version
#: of its move there besides its older one.
SPLIT = {
    "libpthread.so.0": re.compile(r"(__)?pthread_|sem_|thrd_|mtx_|cnd_|tss_|call_once$"),
    "libdl.so.2": re.compile(r"dl"),
    "librt.so.1": re.compile(r"aio_|lio_|mq_|shm_|timer_"),
}
#: The startup code's function got a new version in the same years, but was in libc.so.6 always.
NEVER_MOVED = "__libc_start_main"

#: Programs can be linked only with symbols that have a default version. The stubs have these without one too, for
#: nonshared.c.
LINKED_AGAIN = {"__xstat64", "__lxstat64", "__fxstat64", "__fxstatat64"}

#: What 2.28 lacks. Linked in where it is used.
ADDED = ("nonshared.c", "startup.c")


class Symbol(NamedTuple):
    name: str
    version: tuple[int, ...]
    size: int
    is_data: bool
    is_default: bool


def library(name: str) -> str:
    """The path of a library of this system's glibc."""
    command = ["gcc", f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def symbols(path: str) -> list[Symbol]:
    """The symbols that a library of glibc exports, in all their versions but GLIBC_PRIVATE."""
    command = ["readelf", "--dyn-syms", "--wide", path]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    row = r"(\d+) +(\w+) +(?:GLOBAL|WEAK) +DEFAULT +\d+ (\w+)(@@?)GLIBC_([\d.]+)$"
    return [
        Symbol(name, tuple(map(int, version.split("."))), int(size), kind in {"OBJECT", "TLS"}, at == "@@")
        for size, kind, name, at, version in re.findall(row, listed, re.MULTILINE)
    ]


def newest_allowed(found: list[Symbol]) -> dict[str, Symbol]:
    linked = {symbol.name for symbol in found if symbol.is_default} | LINKED_AGAIN
    allowed = sorted(symbol for symbol in found if symbol.version <= NEWEST and symbol.name in linked)
    return {symbol.name: symbol for symbol in allowed}


def link_sets(libc: list[Symbol], libm: list[Symbol]) -> dict[str, list[Symbol]]:
    """Library -> the symbols of its stub."""
    moved = {symbol.name for symbol in libc if symbol.version > NEWEST} - {NEVER_MOVED}
    sets: dict[str, list[Symbol]] = {name: [] for name in ("libc.so.6", *SPLIT)}
    for symbol in newest_allowed(libc).values():
        if symbol.name not in moved:
            sets["libc.so.6"].append(symbol)
        for name, pattern in SPLIT.items():
            if symbol.name in moved and pattern.match(symbol.name):
                sets[name].append(symbol)
    return sets | {"libm.so.6": list(newest_allowed(libm).values())}


def assembly(stub: list[Symbol]) -> str:
    lines = []
    for number, symbol in enumerate(stub):
        version = ".".join(map(str, symbol.version))
        label = f"symbol_{number}"
        kind, section = ("object", ".bss") if symbol.is_data else ("function", ".text")
        lines += [section, ".balign 32", f".globl {label}", f".type {label}, @{kind}", f"{label}: .zero {symbol.size}"]
        lines += [f".size {label}, {symbol.size}", f".symver {label}, {symbol.name}@@@GLIBC_{version}"]
    return "\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""])


def make_stub(folder: Path, name: str, stub: list[Symbol]) -> None:
    versions = sorted({symbol.version for symbol in stub})
    with tempfile.TemporaryDirectory() as scratch:
        source, script = Path(scratch) / "stub.s", Path(scratch) / "versions"
        source.write_text(assembly(stub))
        script.write_text("".join(f"GLIBC_{'.'.join(map(str, version))} {{ }};\n" for version in versions))
        link = [f"-Wl,-soname,{name}", f"-Wl,--version-script,{script}", "-o", str(folder / name)]
        subprocess.run(["gcc", "-shared", "-nostdlib", str(source), *link], check=True)


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    sets = link_sets(symbols(library("libc.so.6")), symbols(library("libm.so.6")))
    for name, stub in sets.items():
        make_stub(folder, name, stub)
    for name in set(sets) - {"libc.so.6"}:  # as -lNAME finds them
        (folder / name.rpartition(".")[0]).unlink(missing_ok=True)
        (folder / name.rpartition(".")[0]).symlink_to(name)

    archive = folder / "libadded.a"
    objects = [str(folder / Path(source).with_suffix(".o")) for source in ADDED]
    for source, made in zip(ADDED, objects, strict=True):
        compile_it = ["gcc", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror", "-c"]
        subprocess.run([*compile_it, str(Path(__file__).with_name(source)), "-o", made], check=True)
    subprocess.run(["ar", "rcs", str(archive), *objects], check=True)
    split = " ".join(str(folder / name) for name in SPLIT)
    (folder / "libc.so").write_text(
        f"GROUP ( {folder / 'libc.so.6'} {archive} {library('libc_nonshared.a')}\n"
        f"  AS_NEEDED ( {split} {library('ld-linux-x86-64.so.2')} ) )\n"
    )


if __name__ == "__main__":
    main()
