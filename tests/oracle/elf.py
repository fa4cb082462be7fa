"""Reads the dynamic section of a shared library (64 bits, little endian)."""

from __future__ import annotations

import struct
from pathlib import Path

_PT_DYNAMIC = 2
_DT_NULL = 0
_DT_FLAGS = 30
_DF_STATIC_TLS = 0x10


def needs_static_tls(library: Path) -> bool:
    """Whether `library` has thread-local variables that take static TLS space of a running process; if there is too
    little left, the library cannot be loaded (elf(5), dlopen(3): "cannot allocate memory in static TLS block")."""
    data = library.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{library} is no 64-bit little-endian ELF file")
    (headers,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for header in range(headers, headers + size * count, size):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, header)
        if kind != _PT_DYNAMIC:
            continue
        for at in range(offset, offset + length, 16):
            tag, value = struct.unpack_from("<qQ", data, at)
            if tag == _DT_NULL:
                return False
            if tag == _DT_FLAGS:
                return bool(value & _DF_STATIC_TLS)
    return False
