"""How a feature of a record becomes part of a batch: `fixed`, `ragged`, `raw`, `image`."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._arrays import BytesArray, bfloat16
from ._errors import FeatureError
from ._foreign import did_you_mean, explained, shown

DTYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "bytes",
)
HALVES = ("float16", "bfloat16")  # the extension returns them as uint16

_MAX_SIDE = 16384  # of an image
_FITS = ("stretch", "crop", "pad")
_LAYOUTS = ("hwc", "chw")
_MAX_VALUES = 2**40  # the decoder's limit


@dataclass(frozen=True)
class Feature:
    """How the values of one feature become an array; made by `fixed`, `ragged`, `raw` or `image`."""

    form: Literal["fixed", "ragged", "raw", "image"]
    dtype: str
    shape: tuple[int, ...] = ()
    default: Any = field(default=None, compare=False)
    truncate: bool = False
    pad: bool = False
    #: Of an image: whether it is gray, its height and width, `fit` and `layout`.
    _image: tuple[bool, int, int, str, str] | None = None
    #: The default as the memory of an array, or as byte strings. Features are compared by this memory: 0.0 is not -0.0.
    _fill: bytes | tuple[bytes, ...] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_fill", _fill_of(self))

    @property
    def count(self) -> int:
        """Number of values per record."""
        return math.prod(self.shape)


def dtype_of(name: str) -> np.dtype[Any]:
    """Return the dtype of arrays of numbers."""
    return bfloat16() if name == "bfloat16" else np.dtype(name)


#: Feature name -> its form. A name is a str, or bytes if it is not UTF-8.
Features: TypeAlias = Mapping[str, Feature]


def _dtype_name(dtype: Any) -> str:
    expected = f"expected one of {', '.join(DTYPES)}"
    if isinstance(dtype, str) and dtype in DTYPES:
        return dtype
    if dtype is None:
        raise TypeError(f"dtype None: {expected}")
    try:
        name = "bytes" if dtype is bytes else np.dtype(dtype).name
    except TypeError:
        name = _foreign_dtype(dtype)
        if name is None:
            texts = dtype in ("str", "string", "text", "utf8", str, "object", object)
            raise TypeError(f"dtype {dtype!r}: {expected}" + ('\nwrite "bytes" for text' if texts else "")) from None
    if name not in DTYPES:
        raise ValueError(f"dtype {name!r}: {expected}")
    return name


def _foreign_dtype(dtype: Any) -> str | None:
    """Return the name of a dtype of torch; None if it is none of them."""
    name = str(dtype).removeprefix("torch.") if type(dtype).__module__.partition(".")[0] == "torch" else None
    return name if name in DTYPES else None


def _shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    try:
        sizes = tuple(map(operator.index, shape if isinstance(shape, (Sequence, np.ndarray)) else (shape,)))
    except TypeError:
        raise TypeError(f"shape {shape!r}: expected an integer or a sequence of integers") from None
    if any(size < 0 for size in sizes):
        raise ValueError(f"shape {sizes}: expected sizes of 0 and more")
    if math.prod(sizes) > _MAX_VALUES:
        raise ValueError(f"shape {sizes}: expected at most {_MAX_VALUES} values in a record")
    return sizes


@explained
def fixed(dtype: Any, shape: int | Sequence[int] = (), default: Any = None) -> Feature:
    """A feature with the same number of values in every record::

        features = {
            "label": ofindex.fixed("int64"),  # an array of shape (n,)
            "box": ofindex.fixed("float32", (2, 2), default=0),  # (n, 2, 2)
            "text": ofindex.fixed("bytes"),  # a BytesArray of n values
        }
        ds.batch([0, 1], features)["box"].shape  # (2, 2, 2)

    Args:
        dtype: A numpy dtype or its name, or ``"bytes"``. Integers of any width accept int32 and int64 features;
            floats accept float and double features, rounded, and integers that they hold exactly; ``"bytes"`` accepts
            bytes. There are no other conversions. ``"bfloat16"`` has the dtype of ml_dtypes in numpy's arrays or,
            without that package, "V2", two bytes without arithmetic.
        shape: Shape of one record's values: the batch has ``(n, *shape)``.
        default: The value, or array of `shape`, for a record without the feature. If there is no default, such a record
            is an error.

    Raises:
        ValueError, TypeError: the dtype is not known, or the default does not fit the dtype or the shape.
        FeatureError: (on use) a record lacks the feature and there is no default, or has another number of values (the
        text gives both), another kind, or a value that the dtype cannot hold.
    """
    return Feature("fixed", _dtype_name(dtype), _shape(shape), default)


@explained
def ragged(dtype: Any) -> Feature:
    """A feature with any number of values, none if it is missing.

    The batch has a `Ragged`::

        tokens = ds.batch([0, 2], {"tokens": ofindex.ragged("int64")})["tokens"]
        tokens.lengths, tokens[1]  # (array([1, 3]), array([2, 2, 2]))
    """
    return Feature("ragged", _dtype_name(dtype))


@explained
def raw(dtype: Any, shape: int | Sequence[int], truncate: bool = False, pad: bool = False) -> Feature:
    """An array of a fixed shape, from the bytes of one value or from any list of numbers::

        ds.batch([0, 1], {"image": ofindex.raw("uint8", (8, 8))})["image"].shape  # (2, 8, 8)
        ds.batch([0, 1], {"tokens": ofindex.raw("int64", 3, pad=True)})["tokens"].tolist()  # [[0, 0, 0], [1, 1, 0]]

    The one value of a bytes feature is interpreted as the little-endian memory of an array of `dtype`; numbers are cast
    one by one, floats to integers by truncation. A value that does not fit is an error.

    Args:
        truncate: Drop values in excess of `shape`; otherwise they are an error.
        pad: Append zeros if there are too few values for `shape`; otherwise too few are an error.
    """
    name = _dtype_name(dtype)
    if name == "bytes":
        raise ValueError("raw() makes numbers: expected a numeric dtype")
    return Feature("raw", name, _shape(shape), truncate=bool(truncate), pad=bool(pad))


@explained
def image(
    mode: Literal["rgb", "gray"] = "rgb",
    size: int | Sequence[int] = 224,
    *,
    fit: Literal["stretch", "crop", "pad"] = "stretch",
    layout: Literal["hwc", "chw"] = "hwc",
) -> Feature:
    """Pixels of a JPEG or PNG image, which is the one value of a bytes feature: uint8, scaled to one size.

    Images are decoded by the threads that decode the batch, without the GIL. A JPEG image at least twice as large as
    `size` is reduced while it is decoded. Scaling is bilinear and averages all pixels that it merges, like Pillow's.
    Transparency, color profiles and the orientation in EXIF data are ignored::

        features = {"image": ofindex.image("rgb", size=(224, 224), fit="crop")}
        for batch in ofindex.Loader(photos, features, batch_size=2):
            step(batch["image"])  # uint8, shape (2, 224, 224, 3)

    Args:
        mode: "rgb", or "gray" for one channel of luma (ITU-R BT.601).
        size: (height, width) in pixels, at most 16384 each; one number for both.
        fit: For an image of another shape: "stretch" scales both sides independently, "crop" takes the largest part in
            the center that has the right shape, "pad" adds black bars.
        layout: "hwc": the batch has (n, height, width, channels), as PIL and TensorFlow. "chw": (n, channels, height,
            width), as torch.

    Raises:
        ValueError: an argument is not one of those above.
        FeatureError: (on use) a record lacks the feature or has several values, or its bytes are neither a JPEG nor a
            PNG image, are damaged, or have more than 2^28 pixels.
    """
    channels = {"rgb": 3, "gray": 1}
    for name, value, known in (("mode", mode, channels), ("fit", fit, _FITS), ("layout", layout, _LAYOUTS)):
        if value not in known:
            raise ValueError(f"{name}={value!r}: expected {' or '.join(map(repr, known))}")
    sides = _shape(size) * (1 if isinstance(size, (Sequence, np.ndarray)) else 2)
    if len(sides) != 2 or not all(1 <= side <= _MAX_SIDE for side in sides):
        raise ValueError(f"size={size!r}: expected (height, width), each from 1 to {_MAX_SIDE}")
    height, width = sides
    shape = (height, width, channels[mode]) if layout == "hwc" else (channels[mode], height, width)
    return Feature("image", "uint8", shape, _image=(mode == "gray", height, width, fit, layout))


def _fill_of(feature: Feature) -> bytes | tuple[bytes, ...] | None:
    if feature.default is None:
        return None
    return _byte_strings(feature) if feature.dtype == "bytes" else _numbers(feature)


def _check_shape(feature: Feature, shape: tuple[int, ...]) -> None:
    if shape != feature.shape and math.prod(shape) != 1:
        raise ValueError(f"default of shape {shape}: expected one value, or shape {feature.shape}")


def _byte_strings(feature: Feature) -> tuple[bytes, ...]:
    given = feature.default
    if isinstance(given, (bytes, bytearray, memoryview)):
        return (bytes(given),)
    array = np.asarray(given.tolist() if isinstance(given, BytesArray) else given, dtype=object)
    strings = [value.encode() if isinstance(value, str) else value for value in array.reshape(-1).tolist()]
    for value in strings:
        if not isinstance(value, bytes):
            raise TypeError(f"default {value!r}: expected bytes or str")
    _check_shape(feature, array.shape)
    return tuple(strings)


def _numbers(feature: Feature) -> bytes:
    unfit = f"default {feature.default!r} does not fit {feature.dtype}"
    given = np.asarray(feature.default)
    if given.dtype.name == "bfloat16":  # of ml_dtypes
        given = given.astype(np.float32)
    if given.dtype.kind not in "biuf":
        # numpy stores Python integers beyond 64 bits as objects.
        huge = given.dtype.kind == "O" and all(isinstance(value, int) for value in given.reshape(-1).tolist())
        raise ValueError(unfit) if huge else TypeError(f"default {feature.default!r}: expected numbers")
    with np.errstate(over="ignore", invalid="ignore"):
        array = _bfloat16_of(given) if feature.dtype == "bfloat16" else given.astype(feature.dtype)
    if array.dtype.kind == "f":
        fits = np.array_equal(np.isfinite(array), np.isfinite(given))  # rounded, but not to infinity
    else:
        fits = np.array_equal(array, given)
    if not fits:
        raise ValueError(unfit)
    _check_shape(feature, array.shape)
    array = np.ascontiguousarray(array)
    return (array.view(np.uint32) >> 16).astype(np.uint16).tobytes() if feature.dtype == "bfloat16" else array.tobytes()


def _bfloat16_of(numbers: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return the nearest values of bfloat16, of two the even one."""
    exact = numbers.astype(np.longdouble)
    near = numbers.astype(np.float32)
    bits = near.view(np.uint32).astype(np.int64)
    # Rounded twice, a number could become one that is not the nearest: the last bit says that the first was not exact.
    odd = np.isfinite(near) & (near != exact) & (bits & 1 == 0)
    bits = bits + np.where(odd, np.where(np.abs(near) < np.abs(exact), 1, -1), 0)
    bits = np.where(np.isnan(near), bits | 0x400000, bits + 0x7FFF + (bits >> 16 & 1))
    return (bits & 0xFFFF0000).astype(np.uint32).view(np.float32)


def check_known(features: Iterable[str | bytes], known: Sequence[frozenset[str] | None]) -> None:
    """Fail if no dataset has a requested feature, because every record would then be empty or have the default.

    Args:
        known: The feature names of each dataset that has records; None if they are not all known. An empty set disables
            the check: the payloads are then opaque or damaged, and reading them reports so.

    Raises:
        FeatureError: the text gives the nearest names.
    """
    sets = [some for some in known if some]
    if not sets or len(sets) < len(known):
        return
    for name in features:
        text = name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name
        if any(text in some for some in sets):
            continue
        names = frozenset[str]().union(*sets)
        shown = text.encode("utf-8", "backslashreplace").decode()
        hint = did_you_mean(text, names) or "run `ofindex schema` to see the features"
        error = FeatureError(f"no record has a feature '{shown}'\n{hint}")
        error.hint = hint
        raise error


def _meant_by(feature: Any) -> str:
    """How to write what may be a dtype, or a feature of another library."""
    kind = type(feature).__name__
    if kind in ("FixedLenFeature", "VarLenFeature", "RaggedFeature"):  # of tf.io
        dtype = {"string": "bytes"}.get(feature.dtype.name, feature.dtype.name)
        shape = f", {tuple(feature.shape)}" if kind == "FixedLenFeature" and feature.shape else ""
        return f'ofindex.{"fixed" if kind == "FixedLenFeature" else "ragged"}("{dtype}"{shape})'
    if callable(feature) and not isinstance(feature, type):
        return f"ofindex.{shown(feature)}(dtype)"
    try:
        return f'ofindex.fixed("{_dtype_name(feature)}")'
    except (TypeError, ValueError):
        return "ofindex.fixed(...)"


def decoder_of(features: Features) -> _ofindex.Decoder:
    """Return the compiled form of `features`."""
    if not isinstance(features, Mapping):
        raise TypeError("features are a dict: name -> ofindex.fixed(...), ragged(...), raw(...) or image(...)")
    if not features:
        raise ValueError("features are empty: name at least one")
    specs = []
    for name, feature in features.items():
        if not isinstance(name, (str, bytes)):
            raise TypeError(f"a feature is named by str or bytes, not by {type(name).__name__}")
        if not isinstance(feature, Feature):
            raise TypeError(
                f"feature {name!r}: expected ofindex.fixed(...), ragged(...), raw(...) or image(...), "
                f"not {type(feature).__name__}\nwrite {{{name!r}: {_meant_by(feature)}}}"
            )
        fill = list(feature._fill) if isinstance(feature._fill, tuple) else feature._fill
        options = (feature.truncate, feature.pad, feature._image)
        specs.append((name, feature.form, feature.dtype, feature.count, fill, *options))
    return _ofindex.Decoder(specs)
