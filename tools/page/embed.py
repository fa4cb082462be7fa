#!/usr/bin/env python3
"""Writes the files of the page as one C++ source, which the command carries.

    embed.py OUT FILE...

OUT defines PageAssets(), declared in assets.h, in the order of the FILEs. Their addresses are as their paths are to
this folder.
"""

import pathlib
import sys

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
}
HERE = pathlib.Path(__file__).resolve().parent
LINE = 32  # bytes on a line of the source


def array(number, content):
    """The definition of the bytes of one file."""
    lines = [content[begin : begin + LINE] for begin in range(0, len(content), LINE)]
    numbers = ",\n".join("  " + ",".join(map(str, line)) for line in lines)
    return f"constexpr unsigned char kFile{number}[] = {{\n{numbers}}};\n"


def row(number, path):
    """The row of the table for one file."""
    address = "/" if path.name == "index.html" else f"/page/{path.resolve().relative_to(HERE).as_posix()}"
    bytes_ = f"{{reinterpret_cast<const char*>(kFile{number}), sizeof(kFile{number})}}"
    return f'  {{"{address}", "{TYPES[path.suffix]}", {bytes_}}},\n'


def main(out, *names):
    paths = [pathlib.Path(name) for name in names]
    arrays = "".join(array(number, path.read_bytes()) for number, path in enumerate(paths))
    rows = "".join(row(number, path) for number, path in enumerate(paths))
    pathlib.Path(out).write_text(
        '#include "tools/page/assets.h"\n\nnamespace ofindex {\nnamespace {\n\n'
        f"{arrays}\n}}  // namespace\n\n"
        "std::span<const PageAsset> PageAssets() {\n"
        f"  static const PageAsset kAssets[] = {{\n{rows}  }};\n  return kAssets;\n}}\n\n"
        "}  // namespace ofindex\n"
    )


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: embed.py OUT FILE...")
    main(*sys.argv[1:])
