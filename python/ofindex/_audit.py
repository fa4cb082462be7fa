"""Audits: records with the same bytes, or like images, within and across datasets."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._arguments import whole
from ._batch import thread_limit
from ._foreign import explained_methods
from ._progress import Report, reporting

if TYPE_CHECKING:
    from ._dataset import Dataset

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@explained_methods
class Audit:
    """Groups of records with the same bytes, or with like images, as `Dataset.audit` found them::

        audit = ds.audit(on="text")
        len(audit)  # 0
        audit.summary["indexes"][0]["repeats"]  # 0
        clean = audit.keep()

    Its length is the number of groups. The records of all groups are in `ordinals`, group after group; `datasets` and
    `groups` say, for each of them, of which dataset it is (0 is that whose `audit` was called) and in which group.
    Groups ascend by their first record, and so do the records of each group. The arrays do not change, whatever becomes
    of the indexes.
    """

    def __init__(
        self, datasets: Sequence[Dataset], found: _ofindex.AuditResult, has_labels: bool, is_near: bool
    ) -> None:
        self._audited = tuple(datasets)
        self._has_labels = has_labels
        self._found = found
        self._is_near = is_near
        self.summary: dict[str, Any] = found.summary()
        """The totals of ``ofindex audit --json``: ``indexes``, with the counts of each dataset; ``group_count``,
        ``conflict_count``, ``leak_count``, ``collision_count``, ``trusted``, and ``near``, the distance or None."""
        self.datasets: Integers
        """Of each record in groups, the number of its dataset."""
        self.ordinals: Integers
        """Of each record in groups, its ordinal in the index: ``_id`` in SQL."""
        self.datasets, self.ordinals = found.places()
        ends = np.asarray(found.ends(), np.int64)
        self.counts: Integers = np.diff(ends, prepend=0)
        """The number of records of each group."""
        self.groups: Integers = np.repeat(np.arange(len(ends)), self.counts)
        """Of each record in groups, the number of its group."""
        self.conflicts: Flags = np.asarray(found.conflicts(), np.bool_)
        """Of each group, whether its records have different labels."""
        self.leaks: Flags = np.asarray(found.leaks(), np.bool_)
        """Of each group, whether its records are in different datasets or splits."""
        self.distances: npt.NDArray[np.uint8] = np.asarray(found.distances(), np.uint8)
        """Of each record in groups, in how many bits the nearest other one differs from it; empty without `near`."""

    def __len__(self) -> int:
        """The number of groups."""
        return len(self.counts)

    def __repr__(self) -> str:
        return f"<ofindex.Audit: {len(self):,} groups of {len(self.ordinals):,} records>"

    def group(self, number: int) -> list[tuple[int, int]]:
        """Return the records of one group, as pairs of the number of a dataset and an ordinal::

            audit = ds.audit(on="text")
            [audit.group(number) for number in range(len(audit))]  # []

        Raises:
            IndexError: there is no such group.
        """
        end = int(np.cumsum(self.counts)[number])
        part = slice(end - int(self.counts[number]), end)
        return list(zip(self.datasets[part].tolist(), self.ordinals[part].tolist(), strict=True))

    @property
    def labels(self) -> npt.NDArray[np.object_]:
        """Of each record in groups, the value of the column `label`; None for NULL, and if no label was asked for."""
        return self._values(*self._found.labels())

    @property
    def splits(self) -> npt.NDArray[np.object_]:
        """Of each record in groups, the value of the column `split`; None for NULL, and if no split was asked for."""
        return self._values(*self._found.splits())

    def _values(self, distinct: list[Any], places: Integers) -> npt.NDArray[np.object_]:
        values = np.empty(len(distinct) + 1, object)
        values[:-1] = distinct
        return values[places] if len(places) else np.full(len(self.ordinals), None, object)

    def columns(self, dataset: int = 0) -> dict[str, npt.NDArray[Any]]:
        """Return columns for the records of a dataset, as `Dataset.attach` takes them::

            ds.attach(ds.audit().columns(), prefix="audit_")
            len(ds.where("audit_first"))  # 100
            ds.detach("audit_duplicates", "audit_first", "audit_weight", "audit_leaks")

        Returns:
            ``_id``: the ordinals of all records. ``duplicates``: records of this dataset in its group, itself
            included; ``first``: whether it is the first of them; ``weight``: 1 / duplicates; ``leaks``: records of its
            group in other datasets or splits; ``conflict``, if there are labels: whether records of its group have
            different ones; ``distance``, with `near`: that of `distances`, masked for records without a group. A record
            that was not compared counts as the only one of its group.
        """
        there = self._audited[dataset]._present()
        ids = np.asarray(there.ordinals(np.arange(len(there))))
        ordinals, *found = self._found.verdicts(dataset)
        columns: dict[str, npt.NDArray[Any]] = {
            "_id": ids,
            "duplicates": np.ones(len(ids), np.int64),
            "first": np.ones(len(ids), np.bool_),
            "leaks": np.zeros(len(ids), np.int64),
            "conflict": np.zeros(len(ids), np.bool_),
        }
        bits = np.ma.MaskedArray(np.zeros(len(ids), np.int64), mask=True)
        if len(ordinals):
            at = np.minimum(np.searchsorted(ordinals, ids), len(ordinals) - 1)
            has = ordinals[at] == ids
            for name, values in zip(("duplicates", "first", "leaks", "conflict"), found, strict=True):
                columns[name][has] = values[at[has]]
            if self._is_near:
                own = self.datasets == dataset
                bits[has] = self.distances[own][np.argsort(self.ordinals[own])][at[has]]
        columns["weight"] = 1 / columns["duplicates"]
        if not self._has_labels:
            del columns["conflict"]
        if self._is_near:
            columns["distance"] = bits
        return columns

    def keep(self, dataset: int = 0, leaks: bool = True) -> Dataset:
        """Return a view of a dataset without the repeats: of each group, the first record alone. With `near`, groups
        are chains of like images, whose ends may differ more::

            len(ds.audit().keep())  # 100

        Args:
            dataset: Its number; 0 is that whose `audit` was called.
            leaks: False: also without all records that leak into another dataset or split.
        """
        columns = self.columns(dataset)
        kept = columns["first"] if leaks else columns["first"] & (columns["leaks"] == 0)
        return self._audited[dataset][kept]


def _near_distance(near: bool | int) -> int | None:
    """Return the distance up to which images are alike; None if bytes are compared."""
    if isinstance(near, (bool, np.bool_)):
        return _ofindex.NEAR_DISTANCE if near else None
    return whole(near, "near", maximum=_ofindex.NEAR_MAX_DISTANCE)


def audit_datasets(
    datasets: Sequence[Dataset],
    on: str | bytes | None,
    label: str | bytes | None,
    split: str | bytes | None,
    near: bool | int,
    trust_hashes: bool,
    threads: int | None,
    progress: bool | Report | None,
) -> Audit:
    """Audit `datasets`, views included."""
    for dataset in datasets:
        if not isinstance(dataset, _ofindex.Records):
            raise TypeError(f"expected Datasets to audit, not {type(dataset).__name__}\nuse ofindex.open(path)")
    sources = [dataset._source for dataset in datasets]
    rows = [None if dataset._is_all else dataset._present().rows for dataset in datasets]
    for name, given in (("on", on), ("label", label), ("split", split)):
        if given is not None and not given:
            raise ValueError(f"{name}={given!r}: expected a name, or None")
    distance = _near_distance(near)
    if distance is not None and trust_hashes:
        raise ValueError("near and trust_hashes exclude each other; expected one of them")
    names = (on or "", label or "", split or "")
    with reporting(progress, "audit") as report:
        found = _ofindex.audit(
            sources, rows, *names, distance, bool(trust_hashes), thread_limit(threads), tempfile.gettempdir(), report
        )
    return Audit(datasets, found, label is not None, distance is not None)
