"""The C++ sources of the product, and the options with which a compiler reads them outside a build."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("base", "proto", "mmap", "index", "query", "library", "tools")
FLAGS = ["-std=c++20", f"-I{ROOT}", f"-I{ROOT}/include", "-DNDEBUG", '-DOFINDEX_VERSION="0"', "-DOFINDEX_EXPLICIT_VERSION"]


def sources_of(folder: str) -> list[pathlib.Path]:
    return sorted((ROOT / folder).rglob("*.cc"))
