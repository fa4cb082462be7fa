"""The tools, by their names in options and results."""

from __future__ import annotations

import importlib

from harness.peer import Peer

MODULES = (
    "ofindex",
    "limit",
    "numpy",
    "tfrecord2idx",
    "tfr_reader",
    "tfd_utils",
    "tf_data",
    "dali",
    "array_record",
    "mosaic",
    "litdata",
    "webdataset",
    "lance",
    "lance_loader",
    "vortex",
    "hf_datasets",
    "spdl_files",
    "rapidgzip",
    "indexed_gzip",
    "lmdb",
    "polars",
    "polars_parquet",
    "duckdb",
    "duckdb_parquet",
)


def tool_of(module: str) -> type[Peer]:
    """The class of the tool in a module of this folder."""
    found = importlib.import_module(f"peers.{module}")
    return found.TOOL


PEERS: dict[str, type[Peer]] = {module: tool_of(module) for module in MODULES}
