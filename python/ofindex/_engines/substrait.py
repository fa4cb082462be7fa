"""Filters of pyarrow, translated into SQL. pyarrow writes an expression as a Substrait message (substrait.io), and in
no other form that can be taken apart. What is not known is not translated: pyarrow filters what it gets."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from .arrow_kinds import columns_of
from .conditions import Columns, Comparison, Condition, all_of, any_of, negated

_COMPARISONS: dict[str, Comparison] = {"equal": "=", "not_equal": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_MIRRORED: dict[Comparison, Comparison] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
Fields = dict[int, list[Any]]
"""The fields of a message: numbers, or bytes."""


class Filter:
    """A filter of pyarrow: what can be pushed down, and the columns that it reads."""

    def __init__(self, expression: Any, schema: pa.Schema) -> None:
        self.condition: Condition | None = None
        self.columns: list[str] | None = None  # None: unknown
        columns = columns_of(schema)
        for numbers in _DECLARED:
            declared = pa.schema([(field.name, _declared(field.type, numbers)) for field in schema])
            try:
                message = bytes(expression.to_substrait(declared))
            except (pa.ArrowException, KeyError, ValueError):
                continue
            translation = _Translation(message, declared.names, columns)
            self.condition = translation.condition()
            self.columns = translation.columns()
            return


# pyarrow casts a column to the type of a literal, which Substrait cannot say: then the column is declared as of that
# type. What a comparison is translated to covers both ways. Substrait has no large types and no lists of them; of these
# it need only know whether they are null.
_DECLARED: list[dict[pa.DataType, pa.DataType]] = [
    {},
    {pa.float32(): pa.float64()},
    {pa.float32(): pa.float64(), pa.int64(): pa.float64()},
]


def _declared(kind: pa.DataType, numbers: dict[pa.DataType, pa.DataType]) -> pa.DataType:
    if kind == pa.large_string():
        return pa.string()
    return numbers.get(kind, kind) if kind in (pa.int64(), pa.float32(), pa.float64()) else pa.binary()


class _Translation:
    """An ExtendedExpression."""

    def __init__(self, message: bytes, names: Sequence[str], columns: Columns) -> None:
        self._names = names
        self._columns = columns
        self._functions: dict[int, str] = {}
        whole = _fields(message)
        for declaration in whole.get(2, []):
            for function in _fields(declaration).get(3, []):
                fields = _fields(function)
                self._functions[_one(fields, 2, 0)] = _one(fields, 3, b"").decode().split(":")[0]
        self._expression = _fields(whole[3][0])[1][0]

    def condition(self) -> Condition | None:
        return self._translated(self._expression)

    def columns(self) -> list[str] | None:
        """Return the columns that are read; None if they are not known."""
        read: dict[str, None] = {}
        return list(read) if self._collect(self._expression, read) else None

    def _collect(self, expression: bytes, read: dict[str, None]) -> bool:
        """Add the columns of an expression, unless it is of an unknown kind."""
        fields = _fields(expression)
        if 1 in fields:
            return True
        if (column := self._column(expression)) is not None:
            read[column] = None
            return True
        nested: list[bytes] = [_one(_fields(cast), 2, b"") for cast in fields.get(11, [])]
        for call in fields.get(3, []):
            nested += [_one(_fields(argument), 3, b"") for argument in _fields(call).get(4, [])]
        for member in fields.get(8, []):
            nested += [*_fields(member).get(1, []), *_fields(member).get(2, [])]
        return bool(nested) and all(self._collect(each, read) for each in nested)

    def _translated(self, expression: bytes) -> Condition | None:
        fields = _fields(expression)
        if 3 in fields:
            call = _fields(fields[3][0])
            arguments = [_one(_fields(argument), 3, b"") for argument in call.get(4, [])]
            return self._called(self._functions.get(_one(call, 1, 0), ""), arguments)
        if 8 in fields:
            member = _fields(fields[8][0])
            column = self._column(_one(member, 1, b""))
            values = [_literal(option) for option in member.get(2, [])]
            return None if column is None or None in values else self._columns.among(column, values)
        return None

    def _called(self, name: str, arguments: list[bytes]) -> Condition | None:
        if name in ("and", "or", "not"):
            parts = [self._translated(argument) for argument in arguments]
            return all_of(parts) if name == "and" else any_of(parts) if name == "or" else negated(parts[0])
        columns = [self._column(argument) for argument in arguments]
        if len(arguments) == 1 and columns[0] is not None and name in ("is_null", "is_not_null"):
            null = self._columns.is_null(columns[0])
            return null if name == "is_null" else negated(null)
        if len(arguments) != 2:
            return None
        values = [_literal(argument) for argument in arguments]
        if name == "starts_with" and columns[0] is not None and isinstance(values[1], str):
            return self._columns.starts_with(columns[0], values[1])
        operator = _COMPARISONS.get(name)
        if operator is None:
            return None
        if columns[0] is not None:
            return self._columns.compare(columns[0], operator, values[1])
        return None if columns[1] is None else self._columns.compare(columns[1], _MIRRORED[operator], values[0])

    def _column(self, expression: bytes) -> str | None:
        """Return the column that the expression is."""
        selection = _fields(expression).get(2)
        if selection is None:
            return None
        segment = _fields(_one(_fields(selection[0]), 1, b""))
        field: int = _one(_fields(_one(segment, 2, b"")), 1, 0)
        return self._names[field]


def _literal(expression: bytes) -> Any:
    """Return the value of a literal; None for any other expression."""
    literal = _fields(expression).get(1)
    if literal is None:
        return None
    for field, value in _fields(literal[0]).items():
        if field in (2, 3, 5, 7):  # integers of 8 to 64 bits, as 64 bits
            return value[0] - (1 << 64) if value[0] >> 63 else value[0]
        if field in (10, 11):
            return struct.unpack("<f" if field == 10 else "<d", value[0])[0]
        if field in (12, 13):
            return value[0].decode() if field == 12 else value[0]
    return None


def _one(fields: Fields, number: int, otherwise: Any) -> Any:
    """Return the field; a message leaves out those that have their default."""
    return fields[number][0] if number in fields else otherwise


def _fields(message: bytes) -> Fields:
    """Parse a message of protobuf."""
    fields: Fields = {}
    for number, value in _each(message):
        fields.setdefault(number, []).append(value)
    return fields


def _each(message: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        wire = key & 7
        if wire == 0:
            value: Any
            value, at = _varint(message, at)
        else:
            size, at = _varint(message, at) if wire == 2 else ({1: 8, 5: 4}[wire], at)
            value, at = message[at : at + size], at + size
        yield key >> 3, value


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
