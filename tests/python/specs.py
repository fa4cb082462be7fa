"""Features in the forms of ofindex and of tf.io.parse_example, and random features with messages for them."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import ofindex

#: A feature in a record: (kind, values, packed). The kind "none" is a feature without a kind.
Value = tuple[str, Sequence[Any], bool]

_KIND_FIELDS = {"bytes": 1, "float": 2, "int64": 3}
_DTYPES = {"bytes": "bytes", "float": "float32", "int64": "int64"}
_INTEGERS = (0, 1, -1, 127, 128, 2**31, -(2**31) - 1, 2**63 - 1, -(2**63))
_FLOATS = (
    0x7FC00000,
    0xFFC00001,
    0x7F800000,
    0xFF800000,
    0x80000000,
    1,
    0x7F7FFFFF,
)  # NaN, inf, -0.0, denormal, largest
_NAMES = ("", "é", "image/encoded", "a b", "label[]", 'quo"te', "x" * 200)


@dataclass(frozen=True)
class Spec:
    """The spec of one feature. `shape` is None for a ragged feature."""

    kind: str
    shape: tuple[int, ...] | None
    default: Any = None  #: of `shape`, as lists; numbers or bytes

    def feature(self) -> ofindex.Feature:
        """The spec in the form of ofindex."""
        dtype = _DTYPES[self.kind]
        return ofindex.ragged(dtype) if self.shape is None else ofindex.fixed(dtype, self.shape, self.default)


def _varint(value: int) -> bytes:
    value %= 2**64
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _feature(kind: str, values: Sequence[Any], packed: bool) -> bytes:
    if kind == "none":
        return b""
    if kind == "bytes":
        content = b"".join(_field(1, value) for value in values)
    else:
        numbers = [_varint(value) if kind == "int64" else struct.pack("<f", value) for value in values]
        tag = bytes([1 << 3 | (0 if kind == "int64" else 5)])
        content = b"".join(tag + number for number in numbers)
        if packed:
            content = _field(1, b"".join(numbers)) if values else b""
    return _field(_KIND_FIELDS[kind], content)


def message(features: Mapping[str, Value]) -> bytes:
    """An Example with `features` in the given order, as serializers write it: numbers packed, or one by one."""
    entries = [_field(1, name.encode()) + _field(2, _feature(*value)) for name, value in features.items()]
    return _field(1, b"".join(_field(1, entry) for entry in entries))


def _number(rng: random.Random, kind: str) -> Any:
    if kind == "int64":
        return rng.choice(_INTEGERS) if rng.random() < 0.2 else rng.randrange(-300, 300)
    if kind == "float":
        bits = rng.choice(_FLOATS) if rng.random() < 0.2 else struct.unpack("<I", struct.pack("<f", rng.gauss(0, 9)))[0]
        return np.uint32(bits).view(np.float32)
    return rng.randbytes(rng.choice((0, 1, 3, 20, 200)))


def _values(rng: random.Random, kind: str, count: int) -> list[Any]:
    return [_number(rng, kind) for _ in range(count)]


def _shaped(values: list[Any], shape: tuple[int, ...]) -> Any:
    """`values` as lists nested like `shape`."""
    if not shape:
        return values[0]
    width = len(values) // shape[0]
    return [_shaped(values[i * width : (i + 1) * width], shape[1:]) for i in range(shape[0])]


def random_spec(rng: random.Random) -> Spec:
    """A random spec that both libraries support. TensorFlow ignores a default without items, so none is generated."""
    kind = rng.choice(tuple(_KIND_FIELDS))
    if rng.random() < 0.35:
        return Spec(kind, None)
    shape = rng.choice(((), (), (1,), (3,), (2, 3), (1, 1), (40,), (0,), (2, 0)))
    count = int(np.prod(shape))
    default = _shaped(_values(rng, kind, count), shape) if count and rng.random() < 0.6 else None
    return Spec(kind, shape, default)


def _habit(rng: random.Random, spec: Spec) -> Callable[[], Value | None]:
    """Returns a generator of the feature's values in the records of one case. Most fit the spec; in some cases, a part
    differs in one way."""
    lengths = (0, 0, 1, 2, 7, 300) if rng.random() < 0.1 else (0, 0, 1, 2, 7)
    oddity = rng.choice((0.0, 0.0, 0.0, 0.1, 0.5))
    odd = rng.choice(("kind", "kind", "count", "empty", "other empty"))
    absent = (
        rng.choice((0.0, 0.3, 1.0)) if spec.shape is None or spec.default is not None or rng.random() < 0.1 else 0.0
    )
    # Given more unpacked floats than expected, TensorFlow 2.21 writes them all, past the end of the tensor.
    packed = rng.random() < 0.8 or odd == "count"
    others = [kind for kind in _KIND_FIELDS if kind != spec.kind]

    def value() -> Value | None:
        if rng.random() < absent:
            return None if rng.random() < 0.5 else ("none", [], True)
        count = rng.choice(lengths) if spec.shape is None else int(np.prod(spec.shape))
        kind = spec.kind
        if rng.random() < oddity:
            kind = rng.choice(others) if odd in ("kind", "other empty") else kind
            count = 0 if "empty" in odd else count + (rng.choice((-1, 1, 5)) if odd == "count" else 0)
        return kind, _values(rng, kind, max(count, 0)), packed

    return value


def random_case(seed: int, features: int) -> tuple[dict[str, Spec], list[bytes]]:
    """Specs of features to request, and messages that may have these features among others, in any order."""
    rng = random.Random(seed)
    names = rng.sample(_NAMES, 2) + [f"feature {number}" for number in range(features - 2)]
    specs = {name: random_spec(rng) for name in names}
    habits = {name: _habit(rng, spec) for name, spec in specs.items()}
    for number in range(rng.randrange(3)):
        habits[f"other {number}"] = _habit(rng, random_spec(rng))
    order, shuffled = list(habits), rng.random() < 0.5
    messages = []
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 5, 8, 20, 90))):
        if shuffled:
            rng.shuffle(order)
        written = {name: habits[name]() for name in order}
        messages.append(message({name: value for name, value in written.items() if value is not None}))
    return specs, messages
