"""The examples in docstrings: the code of indented blocks after a line that ends in `::`.

An example runs in a folder with the dataset data/train of 100 records, and may use the names of `names_for`. If one of
its statements is an expression, a comment after it is the expression's value, in which `...` matches anything.
"""

from __future__ import annotations

import ast
import io
import re
import struct
import textwrap
import tokenize
import zlib
from typing import Any

import numpy as np
import ofindex


def example_in(docstring: str) -> str:
    """The code of the blocks in a docstring from `inspect.getdoc`; empty if there are none."""
    blocks = re.findall(r"::\n\n((?:(?: {4}.*)?\n)+)", docstring + "\n\n")
    return "".join(textwrap.dedent(block).strip() + "\n" for block in blocks)


def comments_of(code: str) -> dict[int, str]:
    """Line -> the comment at its end."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return {token.start[0]: token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT}


def run_example(code: str, names: dict[str, Any]) -> list[str]:
    """Runs an example, and returns what is wrong with its values."""
    statements = ast.parse(code).body
    comments, wrong = comments_of(code), []
    for statement in statements:
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), "<example>", "exec"), names)
            continue
        value = repr(eval(compile(ast.Expression(statement.value), "<example>", "eval"), names))
        shown = comments.get(statement.end_lineno or 0)
        if shown is not None and not re.fullmatch(".*".join(map(re.escape, shown.split("..."))), value):
            wrong.append(f"{ast.unparse(statement)}\n--- shown\n{shown}\n--- is\n{value}")
    return wrong


def png(side: int) -> bytes:
    """A black image."""
    rows = zlib.compress(bytes((1 + side) * side))
    chunks = ((b"IHDR", struct.pack(">2I5B", side, side, 8, 0, 0, 0, 0)), (b"IDAT", rows), (b"IEND", b""))
    packed = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def build_train() -> ofindex.Dataset:
    """Makes data/train in the working directory: record i has label i % 10, which is one less than its tokens. Makes
    data/photos.tfrecord, too, with two images."""
    rows = (
        {
            "label": number % 10,
            "score": number / 100,
            "text": f"text {number}",
            "tokens": [number] * (number % 10 + 1),
            "image": bytes(64),
            "box": None if number % 2 else [0.0, 0.0, 1.0, 1.0],
        }
        for number in range(100)
    )
    ofindex.pack(rows, "data/train", "tfrecord", shards=4, progress=False)
    ofindex.pack([{"image": png(30)}, {"image": png(500)}], "data/photos.tfrecord", "tfrecord", progress=False)
    ofindex.build("data/photos.tfrecord", progress=False)
    return ofindex.build("data/train", progress=False)


def names_for(ds: ofindex.Dataset) -> dict[str, Any]:
    """What examples take for granted."""
    features = {"label": ofindex.fixed("int64"), "tokens": ofindex.ragged("int64")}
    return {
        "ofindex": ofindex,
        "np": np,
        "ds": ds,
        "photos": ofindex.open("data/photos.tfrecord"),
        "features": features,
        "loader": ofindex.Loader(ds, features, seed=1),
        "step": lambda *_: None,
        "jpeg": b"\xff\xd8\xff",
    }
