"""A Dataset in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any

_MOST_FEATURES = 50


def _row(cells: list[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell, quote=True)}</{tag}>" for cell in cells) + "</tr>"


def dataset_html(title: str, info: dict[str, Any]) -> str:
    """`title`, and a table of the dataset's features; every name in it is text, whatever it holds."""
    features = info["features"]
    lines = [f"<div><code>{escape(title)}</code>"]
    if features:
        lines += ["<table>", _row(["feature", "kinds", "records", "values", "SQL column", "type"], "th")]
        for feature in features[:_MOST_FEATURES]:
            least, most = feature["values_min"], feature["values_max"]
            lines.append(
                _row(
                    [
                        feature["name"].encode("utf-8", "backslashreplace").decode(),
                        ", ".join(feature["kinds"]),
                        f"{feature['present']:,}",
                        f"{least:,}" if least == most else f"{least:,} to {most:,}",
                        (feature["column"] or ""),
                        (feature["type"] or ""),
                    ]
                )
            )
        lines.append("</table>")
    if len(features) > _MOST_FEATURES:
        lines.append(f"<p>and {len(features) - _MOST_FEATURES:,} more features</p>")
    return "\n".join([*lines, "</div>"])
