#!/usr/bin/env python3
"""Prints the licences of the libraries inside a self-contained program, as Debian's packages of them state them:

    packaging/third_party.py [FILE...]     FILE: a further licence, or a header that begins with one
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PACKAGES = [
    "libisal-dev", "libsimdjson-dev", "libsqlite3-dev", "libzstd-dev", "zlib1g-dev", "libxxhash-dev", "libcsv-dev",
    "libcli11-dev", "nlohmann-json3-dev", "libexpected-dev", "libpcre2-dev", "libedit-dev", "libbsd-dev", "libmd-dev",
    "libncurses-dev", "libjpeg62-turbo-dev", "libspng-dev", "libzimg-dev",
]  # fmt: skip

#: Files that are in the source packages, and not in the libraries.
OTHERS = re.compile(r"(debian|examples|tests|tools|fuzz|benchmark|windows|contrib|amiga|cmake|zlibWrapper|dependencies)/|xxhsum\.c")

HEAD = """\
Programs of ofindex contain the libraries below. They also contain Boost (Boost Software License 1.0) and the C++ library
of GCC (GPL 3 with the GCC Runtime Library Exception), whose licences ask for no notice in programs.

libcsv is under the LGPL 2.1 or later, whose text is at the end: you may replace it by a changed version. Its source is
Debian's source package libcsv, version {libcsv}; that of ofindex, with the scripts that link both, is what
these programs were made from."""
RULE = "-" * 80


def source_version(package: str) -> str:
    query = ["dpkg-query", "-W", "-f", "${source:Version}", package]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout


def first_field(paragraph: str, name: str) -> str:
    found = re.search(rf"^{name}: *(.*)$", paragraph, re.MULTILINE)
    return found[1] if found else ""


def licence_names(paragraph: str) -> set[str]:
    """The licences of a paragraph. If there is a choice, it is not the GPL."""
    names = re.split(r" +(?:or|and) +", first_field(paragraph, "License"), flags=re.IGNORECASE)
    return {name for name in names if not name.startswith("GPL")}


def notices(package: str) -> str:
    """The copyright notices of the library in a package, and its licences."""
    text = Path(f"/usr/share/doc/{package}/copyright").read_text(encoding="utf-8")
    paragraphs = [part.strip("\n") for part in re.split(r"\n\s*\n", text)]
    of_files = [part for part in paragraphs if part.startswith("Files:") and not OTHERS.match(first_field(part, "Files"))]
    used = {name.lower() for part in of_files for name in licence_names(part)}
    texts = [part for part in paragraphs if part.startswith("License:") and first_field(part, "License").lower() in used]
    return "\n\n".join([*of_files, *texts])


def opening_comment(header: str) -> str:
    """The licence in a file: the whole file, unless it begins with a comment."""
    found = re.match(r"/\*+\n(.*?)\*/", header, re.DOTALL)
    return re.sub(r"^ \* ?", "", found[1], flags=re.MULTILINE).strip() if found else header.strip()


def main() -> None:
    print(HEAD.format(libcsv=source_version("libcsv-dev")))
    for package in PACKAGES:
        print(f"\n{RULE}\n{package} {source_version(package)}\n\n{notices(package)}")
    for file in sys.argv[1:]:
        print(f"\n{RULE}\n{Path(file).stem}\n\n{opening_comment(Path(file).read_text(encoding='utf-8'))}")
    print(f"\n{RULE}\n{Path('/usr/share/common-licenses/LGPL-2.1').read_text(encoding='utf-8')}")


if __name__ == "__main__":
    main()
