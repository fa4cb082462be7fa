#!/usr/bin/env python3
"""Checks that programs and libraries run on any Linux on x86-64 with glibc 2.28 or later:

    packaging/check.py FILE...     prints what each needs; exits 1 if one needs more than such a system has
"""

from __future__ import annotations

import re
import subprocess
import sys

NEWEST = {"GLIBC": (2, 28), "GCC": (8, 0, 0)}

#: What such a system has: the C library, and libgcc for it.
SYSTEM = {
    "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1", "ld-linux-x86-64.so.2",
}  # fmt: skip


def readelf(option: str, file: str) -> str:
    command = ["readelf", option, "--wide", file]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def faults(file: str) -> list[str]:
    """What a file needs beyond such a system. Prints the newest versions of symbols that it needs."""
    dynamic = readelf("--dynamic", file)
    found = [f"needs {name}" for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic) if name not in SYSTEM]
    found += [f"looks for libraries in {path}" for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic)]
    needed = readelf("--version-info", file).partition("Version needs section")[2]
    newest: dict[str, tuple[int, ...]] = {}
    for library, digits in re.findall(r"Name: (\w+?)_([\d.]+) ", needed):
        version = tuple(map(int, digits.split(".")))
        newest[library] = max(newest.get(library, version), version)
        if version > NEWEST.get(library, ()):
            found.append(f"needs symbols of version {library}_{digits}")
    versions = ", ".join(f"{library} {'.'.join(map(str, version))}" for library, version in sorted(newest.items()))
    print(f"{file}: {versions}")
    return found


def main() -> int:
    found = [f"{file}: {fault}" for file in sys.argv[1:] for fault in faults(file)]
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
