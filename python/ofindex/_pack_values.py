"""Converts records of other formats to flat mappings of feature names to values."""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np

from ._errors import FeatureError

TimeUnit: TypeAlias = Literal["s", "ms", "us", "ns"]

#: Nanoseconds in each supported time unit.
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}

_PLAIN = frozenset({int, float, bool, str, bytes})
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_FIRST_DAY = _EPOCH.date()
_MICROSECOND = datetime.timedelta(microseconds=1)


def key_text(key: Any) -> str:
    """Return a map key as part of a feature's name."""
    return key.decode("utf-8", "surrogateescape") if isinstance(key, bytes) else str(key)


def _is_value(item: Any) -> bool:
    """Whether `item` is a single value, not a list of any shape."""
    return not isinstance(item, list) and (isinstance(item, (bytearray, memoryview)) or np.ndim(item) == 0)


class Unreadable:
    """Stands for a value that could not be read. `Flattener` raises FeatureError with its reason and the record."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Flattener:
    """Makes one mapping of feature names to values from each record.

    Args:
        time_unit: The unit of times and timestamps.
        steps: Whether arrays of arrays stay lists of lists, as SequenceExamples need; otherwise all their values form
            one list.
        byte_lists: Features whose lists of small integers are the bytes of one value.
        nanoseconds: Features whose integers are times in nanoseconds.
    """

    def __init__(
        self,
        time_unit: TimeUnit,
        steps: bool,
        byte_lists: Iterable[str] = (),
        nanoseconds: Iterable[str] = (),
    ) -> None:
        if time_unit not in UNITS:
            raise ValueError(f"time_unit={time_unit!r}: expected one of {', '.join(UNITS)}")
        self._unit = time_unit
        self._steps = steps
        self._byte_lists = frozenset(byte_lists)
        self._nanoseconds = frozenset(nanoseconds)
        self._record = 0

    def features(self, record: Mapping[Any, Any], number: int) -> dict[str, Any]:
        """Return the features of `record`, which is record number `number`.

        Raises:
            FeatureError: a value cannot be stored in a feature.
        """
        self._record = number
        features: dict[str, Any] = {}
        for key, value in record.items():
            name = key if isinstance(key, str) else self._key(key)
            if type(value) in _PLAIN and name not in self._nanoseconds:
                self._put(features, name, value)
            else:
                self._add(features, name, value)
        return features

    def _refuse(self, name: str, what: str) -> NoReturn:
        raise FeatureError(f"record {self._record:,}: feature '{name}': {what}")

    def _key(self, key: Any) -> str:
        if isinstance(key, bytes):
            return key_text(key)
        raise TypeError(f"features are named by str or bytes, not by {type(key).__name__}")

    def _put(self, features: dict[str, Any], name: str, value: Any) -> None:
        if name in features:
            self._refuse(name, "two values of the record have this name")
        features[name] = value

    def _add(self, features: dict[str, Any], name: str, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, Mapping):
            for key, inner in value.items():
                self._add(features, f"{name}.{key_text(key)}", inner)
        elif isinstance(value, (list, tuple)):
            self._add_list(features, name, value)
        else:
            self._put(features, name, self._value(name, value))

    def _add_list(self, features: dict[str, Any], name: str, values: list[Any] | tuple[Any, ...]) -> None:
        if name in self._byte_lists:
            nested = any(isinstance(value, (list, tuple)) for value in values)
            self._put(features, name, [self._bytes(name, v) for v in values] if nested else self._bytes(name, values))
        elif any(isinstance(value, Mapping) for value in self._leaves(values)):
            for inner, merged in self._merged(name, self._leaves(values)).items():
                self._put(features, inner, merged)
        elif any(isinstance(value, (list, tuple)) for value in values):
            if self._steps:
                steps = [self._step(name, value) for value in values]
                if any(_is_value(step) for step in steps):
                    self._refuse(name, "a value, where other items of the list are lists")
                self._put(features, name, steps)
            else:
                self._put(features, name, [self._value(name, value) for value in self._leaves(values)])
        elif _PLAIN.issuperset(map(type, values)) and name not in self._nanoseconds:
            self._put(features, name, values)
        else:
            self._put(features, name, [self._value(name, value) for value in values])

    def _step(self, name: str, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [self._value(name, inner) for inner in self._leaves(value)]
        return self._value(name, value)

    def _leaves(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the elements of `values`, flattening nested lists."""
        for value in values:
            if isinstance(value, (list, tuple)):
                yield from self._leaves(value)
            else:
                yield value

    def _merged(self, name: str, records: Iterable[Any]) -> dict[str, list[Any]]:
        """Return the features of an array of records: for each, the values of all records in one list."""
        merged: dict[str, list[Any]] = {}
        for record in records:
            if isinstance(record, Unreadable):
                self._refuse(name, record.reason)
            if not isinstance(record, Mapping):
                self._refuse(name, "null in a list of records" if record is None else "records and values in one list")
            features: dict[str, Any] = {}
            for key, value in record.items():
                inner = f"{name}.{key_text(key)}"
                if value is None:
                    self._refuse(inner, "null inside a list, which no message can store")
                self._add(features, inner, value)
            for inner, value in features.items():
                values = merged.setdefault(inner, [])
                if isinstance(value, np.ndarray):
                    values.extend(value.ravel().tolist())
                elif isinstance(value, list):
                    values.extend(self._leaves(value))
                else:
                    values.append(value)
        return merged

    def _bytes(self, name: str, values: Iterable[Any]) -> bytes:
        try:
            return bytes(value & 0xFF for value in values)
        except TypeError:
            self._refuse(name, "null inside a list, which no message can store")

    def _value(self, name: str, value: Any) -> Any:
        """Return one value as `Writer` accepts it."""
        if type(value) in _PLAIN:
            return self._in_unit(name, value) if name in self._nanoseconds else value
        if value is None:
            self._refuse(name, "null inside a list, which no message can store")
        if isinstance(value, decimal.Decimal):
            return float(value)
        if isinstance(value, (datetime.date, datetime.timedelta)) and value != value:  # NaT of pandas
            self._refuse(name, "NaT, which is not a time")
        if isinstance(value, datetime.datetime):
            utc = value if value.tzinfo is not None else value.replace(tzinfo=datetime.timezone.utc)
            return self._in_unit(name, (utc - _EPOCH) // _MICROSECOND * 1000 + getattr(value, "nanosecond", 0))
        if isinstance(value, datetime.date):
            return (value - _FIRST_DAY).days
        if isinstance(value, datetime.time):
            seconds = (value.hour * 60 + value.minute) * 60 + value.second
            return self._in_unit(name, seconds * 10**9 + value.microsecond * 1000)
        if isinstance(value, datetime.timedelta):
            return self._in_unit(name, value // _MICROSECOND * 1000 + getattr(value, "nanoseconds", 0))
        if isinstance(value, (np.datetime64, np.timedelta64)):
            return self._of_numpy(name, value)
        if isinstance(value, enum.Enum) and not isinstance(value, (int, str)):
            return value.name
        if isinstance(value, uuid.UUID):
            return str(value)
        if isinstance(value, Unreadable):
            self._refuse(name, value.reason)
        if isinstance(value, np.ndarray) and value.dtype.kind in "Mm":
            return [self._of_numpy(name, item) for item in value.ravel()]
        return value

    def _of_numpy(self, name: str, value: Any) -> int:
        if np.isnat(value):
            self._refuse(name, "NaT, which is not a time")
        if np.datetime_data(value.dtype)[0] in ("D", "W", "M", "Y") and value.dtype.kind == "M":
            return int(value.astype("M8[D]").astype(np.int64))
        return self._in_unit(name, int(value.astype(f"{value.dtype.kind}8[ns]").astype(np.int64)))

    def _in_unit(self, name: str, nanoseconds: int) -> int:
        count, rest = divmod(nanoseconds, UNITS[self._unit])
        if rest:
            holds = next(unit for unit, size in UNITS.items() if nanoseconds % size == 0)
            self._refuse(
                name, f"{nanoseconds:,} ns are not a whole number of {self._unit}; time_unit='{holds}' holds them"
            )
        return count
