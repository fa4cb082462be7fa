"""Conditions of query engines, translated into SQL over the table `records`.

A condition that is pushed down selects at least the rows that the engine wants; the engine's own filter then runs over
what is left. So a comparison may be translated without knowing how the engine converts a literal, and a part of an AND
that has no translation is left out. Only what is exact may be negated.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

#: What decides how values of a column are compared.
Kind = Literal["integer", "float", "double", "text", "bytes", "other"]
Comparison = Literal["=", "<>", "<", "<=", ">", ">="]

_EXACT_INTEGERS = 2**53  # below, float64 represents every integer
_MAX_VALUES = 1000  # of an IN; SQLite allows 32,766 parameters in a statement


@dataclass(frozen=True)
class Condition:
    """An SQL expression with its parameters. `exact`: it selects the same rows as the engine, and no others."""

    sql: str
    parameters: tuple[Any, ...] = ()
    exact: bool = True


def quoted(name: str) -> str:
    """Return the SQL name of a column."""
    return '"' + name.replace('"', '""') + '"'


def all_of(conditions: Iterable[Condition | None]) -> Condition | None:
    """Return the AND of what could be translated; None if nothing could."""
    given = list(conditions)
    known = [condition for condition in given if condition is not None]
    if not known:
        return None
    exact = len(known) == len(given) and all(condition.exact for condition in known)
    return _joined(" AND ", known, exact)


def any_of(conditions: Iterable[Condition | None]) -> Condition | None:
    """Return the OR; None unless all could be translated."""
    known: list[Condition] = []
    for condition in conditions:
        if condition is None:
            return None
        known.append(condition)
    return _joined(" OR ", known, all(condition.exact for condition in known)) if known else None


def negated(condition: Condition | None) -> Condition | None:
    """Return the negation of an exact condition: a row for which it is NULL is selected by neither."""
    if condition is None or not condition.exact:
        return None
    return Condition(f"NOT ({condition.sql})", condition.parameters)


def _joined(word: str, conditions: Sequence[Condition], exact: bool) -> Condition:
    parameters = tuple(value for condition in conditions for value in condition.parameters)
    return Condition("(" + word.join(condition.sql for condition in conditions) + ")", parameters, exact)


class Columns:
    """The columns that conditions may name, with their kinds."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self._kinds = dict(kinds)

    def compare(self, column: str, operator: Comparison, value: Any) -> Condition | None:
        """Return ``column operator value``; None if it cannot be translated. NULLs compare as in SQL."""
        kind = self._kinds.get(column)
        if isinstance(value, bool):
            return None
        if kind == "integer" and isinstance(value, (int, float)):
            return _compare_integers(column, operator, value)
        if kind in ("float", "double") and isinstance(value, (int, float)):
            return _compare_reals(column, operator, value, kind == "float")
        if kind == "text" and isinstance(value, str):
            return None if "\0" in value else _comparison(column, operator, value)
        if kind == "bytes" and isinstance(value, bytes) and operator in ("=", "<>"):
            return _comparison(column, operator, _as_stored(value))
        return None

    def among(self, column: str, values: Sequence[Any]) -> Condition | None:
        """Return ``column IN (values)``, of which none is NULL."""
        if not values or len(values) > _MAX_VALUES:
            return None
        found = [self.compare(column, "=", value) for value in values]
        known = [condition for condition in found if condition is not None]
        if len(known) < len(found):
            return None
        # One list, whatever its length: SQLite limits how deep an expression nests.
        parameters = tuple(value for condition in known for value in condition.parameters)
        places = ", ".join("?" * len(parameters))
        return Condition(f"{quoted(column)} IN ({places})", parameters, all(condition.exact for condition in known))

    def is_null(self, column: str) -> Condition | None:
        return Condition(f"{quoted(column)} IS NULL") if column in self._kinds else None

    def starts_with(self, column: str, prefix: str) -> Condition | None:
        """Return a range of texts that contains all those that begin with `prefix`."""
        if self._kinds.get(column) != "text" or not prefix or "\0" in prefix:
            return None
        bounds = [_comparison(column, ">=", prefix)]
        if ord(prefix[-1]) < 0xD7FF:
            bounds.append(_comparison(column, "<", prefix[:-1] + chr(ord(prefix[-1]) + 1)))
        return Condition("(" + " AND ".join(bound.sql for bound in bounds) + ")",
                         tuple(bound.parameters[0] for bound in bounds), exact=False)  # fmt: skip


def _comparison(column: str, operator: Comparison, value: Any, exact: bool = True) -> Condition:
    return Condition(f"{quoted(column)} {operator} ?", (value,), exact)


def _compare_integers(column: str, operator: Comparison, value: float) -> Condition | None:
    if isinstance(value, int):
        return _comparison(column, operator, value) if -(2**63) <= value < 2**63 else None
    # An engine may compare as float64, which is the same for a literal of this size.
    return _comparison(column, operator, value) if abs(value) < _EXACT_INTEGERS else None


def _compare_reals(column: str, operator: Comparison, value: float, is_float32: bool) -> Condition | None:
    """The engine may round the literal to the column's type, or widen the column to the literal's: what is returned
    covers both."""
    if isinstance(value, int) and abs(value) >= _EXACT_INTEGERS:
        return None
    wide = float(value)
    if math.isnan(wide) or math.isinf(wide):
        return None
    narrow = _as_float32(wide) if is_float32 else wide
    if narrow is None:
        return None
    exact = narrow == wide
    if operator == "=" and not exact:
        return Condition(f"{quoted(column)} IN (?, ?)", (wide, narrow), exact=False)
    if operator == "<>":
        return _comparison(column, operator, wide, exact) if exact else None
    return _comparison(column, operator, (max if operator in ("<", "<=") else min)(wide, narrow), exact)


def _as_float32(value: float) -> float | None:
    """Return the nearest float32; None if it is out of range."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return None


def _as_stored(value: bytes) -> str | bytes:
    """Return the SQL value of a feature's bytes: TEXT if they are UTF-8 without a NUL, otherwise BLOB."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return value
    return value if "\0" in text else text
