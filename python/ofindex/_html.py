"""Datasets, views and mixes in a notebook."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from . import _ofindex

if TYPE_CHECKING:
    from ._dataset import Dataset
    from ._mix import Mix

_MAX_FEATURES = 50
_MAX_DATASETS = 8
_BINS = 16
_SAMPLED = 100_000
"""Records that a histogram counts, if there are more."""
_SECONDS = 1.0
"""No further histogram is begun later than this."""
_PICTURES = 4
_MAX_PICTURE = 200 << 10
_MAX_RECORD = 8 << 20
_MAGIC = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png"}


def _text(text: str) -> str:
    return escape(text.encode("utf-8", "backslashreplace").decode(), quote=True)


def _row(cells: list[str], tag: str = "td") -> str:
    """Return a row of cells, which are HTML."""
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def _counts(feature: dict[str, Any]) -> list[str]:
    least, most = feature["values_min"], feature["values_max"]
    values = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return [_text(", ".join(feature["kinds"])), f"{feature['present']:,}", values]


def _bars(bins: list[dict[str, Any]], note: str) -> str:
    """Return a histogram as SVG; `note` is its tooltip."""
    most = max((bin["count"] for bin in bins), default=0)
    if not most:
        return ""
    width, height = 8 * len(bins), 24
    bars = ""
    for place, bin in enumerate(bins):
        tall = -(-height * bin["count"] // most)
        bars += f'<rect x="{8 * place}" y="{height - tall}" width="7" height="{tall}"/>'
    return (
        f'<svg width="{width}" height="{height}" fill="currentColor" role="img">'
        f"<title>{_text(note)}</title>{bars}</svg>"
    )


def _histogram(some: Dataset, column: str, sampled: str) -> str:
    """Return the histogram of a numeric column of `some`."""
    stats = some.stats(column, top=0, bins=_BINS)
    return _bars(stats["histogram"], f"{stats['min']} to {stats['max']}{sampled}")


def _tried(function: Callable[..., str], *arguments: Any) -> str:
    """Return what `function` returns; nothing if it fails, because a broken file must not hide the rest."""
    try:
        return function(*arguments)
    except Exception:
        return ""


def _picture(value: Any) -> tuple[str, bytes] | None:
    """Return the type and the bytes of a picture; None if `value` is not a small JPEG or PNG."""
    first = value[0] if isinstance(value, list) and len(value) == 1 else None
    if not isinstance(first, bytes) or len(first) > _MAX_PICTURE:
        return None
    return next(((kind, first) for magic, kind in _MAGIC.items() if first.startswith(magic)), None)


def _first_pictures(records: Dataset | Mix) -> Iterator[str]:
    for number in range(min(_PICTURES, len(records))):
        yield _tried(_picture_of, records, number)


def _picture_of(records: Dataset | Mix, number: int) -> str:
    if isinstance(records, _ofindex.Records) and records.locate(number)[2] > _MAX_RECORD:
        return ""
    for name, value in records.record(number).items():
        found = _picture(value)
        if found is not None:
            kind, data = found
            label = _text(f"{name} of record {number}")
            return (
                f'<img style="max-height: 96px; max-width: 160px" alt="{label}" title="{label}" '
                f'src="data:{kind};base64,{base64.b64encode(data).decode()}">'
            )
    return ""


def _pictures(records: Dataset | Mix) -> str:
    """Return the first records that hold a picture, as it is stored: nothing is decoded."""
    images = "".join(_first_pictures(records))
    return f"<div>{images}</div>" if images else ""


def _features(dataset: Dataset, deadline: float) -> str:
    """Return the table of the index's features: with kinds and counts if all records are shown, and with histograms
    unless this is a view that is not evaluated yet."""
    lazy = dataset._is_lazy
    counts = not lazy and dataset._is_all
    some, sampled = None, ""
    if not lazy and len(dataset) > 0:
        some = dataset._present()
        if len(some) > _SAMPLED:
            some = some[:: -(-len(some) // _SAMPLED)]
            sampled = f", in a sample of {len(some):,} records"
    features = _ofindex.features(dataset._source, True)
    if not features:
        return ""
    heads = ["feature", *(["kinds", "records", "values"] if counts else []), "SQL column", "type"]
    lines = ["<table>", _row([*heads, *(["histogram"] if some else [])], "th")]
    for feature in features[:_MAX_FEATURES]:
        cells = [_text(feature["name"]), *(_counts(feature) if counts else [])]
        cells += [_text(feature["column"] or ""), _text(feature["type"] or "")]
        if some:
            number = feature["column"] and feature["type"] in ("INTEGER", "REAL") and time.monotonic() < deadline
            cells.append(_tried(_histogram, some, feature["column"], sampled) if number else "")
        lines.append(_row(cells))
    lines.append("</table>")
    if len(features) > _MAX_FEATURES:
        lines.append(f"<p>and {len(features) - _MAX_FEATURES:,} more features</p>")
    return "\n".join(lines)


def _title(records: object) -> str:
    try:
        return f"<code>{_text(repr(records))}</code>"
    except Exception:
        return f"<code>{_text(object.__repr__(records))}</code>"


def dataset_html(dataset: Dataset) -> str:
    """Return HTML: a title, the index's features with histograms, and the first pictures. Never raises, and does not
    evaluate a view. Every name is escaped."""
    deadline = time.monotonic() + _SECONDS
    lines = [_title(dataset), _tried(_features, dataset, deadline)]
    if not dataset._is_lazy:
        lines.append(_tried(_pictures, dataset))
    return "<div>" + "\n".join(line for line in lines if line) + "</div>"


def _shares(mix: Mix) -> str:
    total = sum(mix.weights)
    lines = ["<table>", _row(["share", "records", "dataset"], "th")]
    for dataset, weight in list(zip(mix.datasets, mix.weights, strict=True))[:_MAX_DATASETS]:
        lines.append(_row([f"{weight / total:.1%}", f"{len(dataset):,}", _title(dataset)]))
    lines.append("</table>")
    if len(mix.datasets) > _MAX_DATASETS:
        lines.append(f"<p>and {len(mix.datasets) - _MAX_DATASETS:,} more datasets</p>")
    return "\n".join(lines)


def mix_html(mix: Mix) -> str:
    """Return HTML: the share of each dataset, its features with histograms, and the first pictures of the mix. Never
    raises."""
    deadline = time.monotonic() + _SECONDS
    lines = [f"<code>ofindex.Mix: {len(mix):,} records of {len(mix.datasets):,} datasets</code>", _tried(_shares, mix)]
    for dataset in mix.datasets[:_MAX_DATASETS]:
        features = _tried(_features, dataset, deadline)
        if features:
            lines.append(f"<details><summary>{_title(dataset)}</summary>{features}</details>")
    return "<div>" + "\n".join([*lines, _tried(_pictures, mix)]) + "</div>"
