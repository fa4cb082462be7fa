"""Predicates of Polars, translated into SQL. What is not known is not translated: Polars filters what it gets."""

from __future__ import annotations

import io
import json
import warnings
from typing import Any

import polars as pl

from .conditions import Columns, Comparison, Condition, Kind, all_of, any_of, negated

_COMPARISONS: dict[str, Comparison] = {"Eq": "=", "NotEq": "<>", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_MIRRORED: dict[Comparison, Comparison] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_KINDS: dict[Any, Kind] = {
    pl.Int64: "integer",
    pl.Float32: "float",
    pl.Float64: "double",
    pl.String: "text",
    pl.Binary: "bytes",
}
_BOUNDS: dict[str, tuple[Comparison, Comparison]] = {
    "Both": (">=", "<="),
    "Left": (">=", "<"),
    "Right": (">", "<="),
    "None": (">", "<"),
}


def condition_of(predicate: pl.Expr, schema: pl.Schema) -> Condition | None:
    """Return a condition that holds for all rows for which `predicate` does, and maybe for others; None if there is
    none."""
    columns = Columns({name: _KINDS.get(dtype, "other") for name, dtype in schema.items()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the form of the JSON may change: then nothing is translated
        try:
            tree = json.loads(predicate.meta.serialize(format="json"))
        except (pl.exceptions.PolarsError, ValueError):
            return None
    return _translated(tree, columns)


def _translated(node: Any, columns: Columns) -> Condition | None:
    kind, inner = _only(node)
    if kind == "BinaryExpr":
        left, right, operator = inner.get("left"), inner.get("right"), inner.get("op")
        if operator in ("And", "LogicalAnd"):
            return all_of([_translated(left, columns), _translated(right, columns)])
        if operator in ("Or", "LogicalOr"):
            return any_of([_translated(left, columns), _translated(right, columns)])
        return _compared(left, _COMPARISONS.get(operator), right, columns)
    if kind == "Function" and isinstance(inner, dict):
        return _called(inner.get("function"), inner.get("input"), columns)
    return None


def _compared(left: Any, operator: Comparison | None, right: Any, columns: Columns) -> Condition | None:
    if operator is None:
        return None
    if (column := _column(left)) is not None:
        return columns.compare(column, operator, _scalar(right))
    if (column := _column(right)) is not None:
        return columns.compare(column, _MIRRORED[operator], _scalar(left))
    return None


def _called(function: Any, arguments: Any, columns: Columns) -> Condition | None:
    family, name = _only(function)
    if not isinstance(arguments, list) or not arguments:
        return None
    if (family, name) == ("Boolean", "Not"):
        return negated(_translated(arguments[0], columns))
    column = _column(arguments[0])
    if column is None:
        return None
    if (family, name) == ("Boolean", "IsNull"):
        return columns.is_null(column)
    if (family, name) == ("Boolean", "IsNotNull"):
        return negated(columns.is_null(column))
    if (family, name) == ("StringExpr", "StartsWith") and isinstance(prefix := _scalar(arguments[1]), str):
        return columns.starts_with(column, prefix)
    which, options = _only(name)
    if family == "Boolean" and which == "IsBetween" and isinstance(options, dict):
        lower, upper = _BOUNDS.get(options.get("closed", ""), (None, None))
        return all_of(
            [
                _compared(arguments[0], lower, arguments[1], columns),
                _compared(arguments[0], upper, arguments[2], columns),
            ]
        )
    if family == "Boolean" and which == "IsIn" and isinstance(options, dict) and not options.get("nulls_equal"):
        values = _list(arguments[1])
        return None if values is None else columns.among(column, [value for value in values if value is not None])
    return None


def _only(node: Any) -> tuple[Any, Any]:
    """Return the key and the value of a dict with one key."""
    return next(iter(node.items())) if isinstance(node, dict) and len(node) == 1 else (None, node)


def _column(node: Any) -> str | None:
    kind, name = _only(node)
    return name if kind == "Column" and isinstance(name, str) else None


def _literal(node: Any) -> tuple[Any, Any]:
    """Return the type and the value of a literal."""
    kind, literal = _only(node)
    which, scalar = _only(literal) if kind == "Literal" else (None, None)
    return _only(scalar) if which == "Scalar" else (None, None)


def _scalar(node: Any) -> Any:
    """Return the number, text or bytes of a literal; None for any other node."""
    kind, value = _literal(node)
    if not isinstance(kind, str):
        return None
    if kind.startswith("Binary"):
        return bytes(value)
    return value if kind.startswith(("Int", "UInt", "Float", "String")) else None


def _list(node: Any) -> list[Any] | None:
    """Return the values of a literal list, which Polars writes as an Arrow stream."""
    kind, value = _literal(node)
    if kind != "List":
        return None
    try:
        return pl.read_ipc_stream(io.BytesIO(bytes(value))).to_series().to_list()
    except (pl.exceptions.PolarsError, ValueError, TypeError):
        return None
