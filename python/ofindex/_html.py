"""A Dataset in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any

_MAX_FEATURES = 50


def _row(cells: list[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell, quote=True)}</{tag}>" for cell in cells) + "</tr>"


def _counts(feature: dict[str, Any]) -> list[str]:
    least, most = feature["values_min"], feature["values_max"]
    values = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return [", ".join(feature["kinds"]), f"{feature['present']:,}", values]


def dataset_html(title: str, features: list[dict[str, Any]], *, counts: bool) -> str:
    """Return HTML: `title`, and a table of the index's features, which includes kinds and numbers if `counts` is true.
    Every name is escaped."""
    lines = [f"<div><code>{escape(title)}</code>"]
    if features:
        heads = ["feature", *(["kinds", "records", "values"] if counts else []), "SQL column", "type"]
        lines += ["<table>", _row(heads, "th")]
        for feature in features[:_MAX_FEATURES]:
            name = feature["name"].encode("utf-8", "backslashreplace").decode()
            cells = _counts(feature) if counts else []
            lines.append(_row([name, *cells, feature["column"] or "", feature["type"] or ""]))
        lines.append("</table>")
    if len(features) > _MAX_FEATURES:
        lines.append(f"<p>and {len(features) - _MAX_FEATURES:,} more features</p>")
    return "\n".join([*lines, "</div>"])
