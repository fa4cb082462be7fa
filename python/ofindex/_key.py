"""Keys: records by the value of a feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._errors import MissingKeyError
from ._foreign import explained_methods

if TYPE_CHECKING:
    from ._dataset import Dataset

KeyValue: TypeAlias = bytes | str | int | np.integer[Any]
KeyValues: TypeAlias = list[bytes] | list[str] | list[int] | tuple[bytes | str | int, ...] | npt.NDArray[Any]


@explained_methods
class Key:
    """A key of a Dataset: finds records by the value of a feature, without reading others. Made by `Dataset.key`::

        key = ds.key("text", make=True)
        payload = key[b"text 5"]  # bytes, as ds[5]; MissingKeyError if no record has this value
        b"text 5" in key  # True
        key.find(b"text 5")  # 5
        key.find([b"text 5", b"no text"], missing=-1)  # array([ 5, -1])

    A value is `bytes`, or `int` if the feature has integers; a `str` stands for its bytes in UTF-8. If a record has
    several values, each of them finds it. If several records have a value, ``key[value]`` and `find` give the first
    one, and `find_all` gives all. Every answer was compared with the record itself.

    Thread-safe, and usable after fork. Reading raises `StaleError` if a shard is no longer the file that was indexed.
    """

    def __init__(self, dataset: Dataset, key: _ofindex.Key) -> None:
        self._dataset = dataset
        self._key = key
        self._facts: dict[str, Any] = key.facts()

    @property
    def name(self) -> str:
        """The name of the feature."""
        name: str = self._facts["name"]
        return name

    @property
    def info(self) -> dict[str, Any]:
        """What the key holds: ``records``, distinct ``keys``, ``duplicates`` (records beyond the first of a key), and
        ``records_without`` a value."""
        return {name: self._facts[name] for name in ("name", "records", "keys", "duplicates", "records_without")}

    def __len__(self) -> int:
        """The number of distinct values."""
        keys: int = self._facts["keys"]
        return keys

    def __repr__(self) -> str:
        return f"<ofindex.Key {self.name!r}: {len(self):,} keys of {self._facts['records']:,} records>"

    def __getitem__(self, value: KeyValue) -> bytes:
        return self._dataset[self.find(value)]

    def __contains__(self, value: object) -> bool:
        return bool(self._find_many([value])[0] >= 0)

    # A mapping without an order of its values: it cannot be iterated.
    __iter__: None = None

    @overload
    def get(self, value: KeyValue) -> bytes | None: ...
    @overload
    def get(self, value: KeyValue, default: bytes) -> bytes: ...
    def get(self, value: KeyValue, default: bytes | None = None) -> bytes | None:
        """Return the payload of the first record that has a value, or `default` if none has it::

            ds.key("text", make=True).get("no text", b"")  # b''

        Raises:
            TypeError: the value is of another type than the feature's.
        """
        ordinal = int(self._find_many([value])[0])
        return default if ordinal < 0 else self._dataset[ordinal]

    @overload
    def find(self, values: KeyValue, missing: Literal["raise", -1] = "raise") -> int: ...
    @overload
    def find(self, values: KeyValues, missing: Literal["raise", -1] = "raise") -> npt.NDArray[np.int64]: ...
    def find(self, values: Any, missing: Literal["raise", -1] = "raise") -> int | npt.NDArray[np.int64]:
        """Return the ordinal of the first record that has a value, or those of many values at once, which is much
        faster than one by one::

            key = ds.key("text", make=True)
            key.find("text 5")  # 5
            key.find(["text 5", "text 9"])  # array([5, 9])

        Args:
            values: One value; or a list of values, or an array of them of shape ``(n,)``. In numpy's arrays of bytes
                (``S``), values have lost zero bytes at their end: give a list of such values.
            missing: What becomes of a value that no record has: "raise", an exception; -1, the ordinal -1.

        Returns:
            An int, or an int64 array of shape ``(n,)``.

        Raises:
            MissingKeyError: no record has the value. TypeError: a value is of another type than the feature's.
        """
        if not (isinstance(missing, int) and missing == -1) and missing != "raise":
            raise ValueError(f"missing={missing!r}: expected 'raise' or -1")
        one = isinstance(values, (bytes, str)) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) == 0
        if one and isinstance(values, np.ndarray):
            values = values.item()
        found = self._find_many([values] if one else values)
        if missing == "raise" and found.size and found.min() < 0:
            lost = values if one else list(values)[int(np.argmax(found < 0))]
            raise MissingKeyError(self.name, lost, int((found < 0).sum()))
        return int(found[0]) if one else found

    def _find_many(self, values: Any) -> npt.NDArray[np.int64]:
        if isinstance(values, np.ndarray):
            if values.ndim != 1:
                raise ValueError(f"values have shape {values.shape}; expected one dimension")
            if values.dtype.kind in "iu" and self._facts["has_integers"] and not _beyond_int64(values):
                return np.asarray(self._key.find_integers(np.ascontiguousarray(values, dtype="<i8").tobytes()))
            values = values.tolist()
        return np.asarray(self._key.find(values))

    def find_all(self, value: KeyValue) -> npt.NDArray[np.int64]:
        """Return the ordinals of all records that have a value, ascending; an empty array if none has it::

            ds.key("label", make=True).find_all(7)[:3]  # array([ 7, 17, 27])

        Raises:
            TypeError: the value is of another type than the feature's.
        """
        return np.asarray(self._key.find_all(value))


def _beyond_int64(values: npt.NDArray[Any]) -> bool:
    return bool(values.dtype == np.uint64 and values.size and int(values.max()) >= 1 << 63)
