"""The tasks, in the order of the tables."""

from __future__ import annotations

from harness.task import Task
from tasks.count import Count
from tasks.epoch import ColdEpoch, DecodedEpoch, RawEpoch
from tasks.index import Index, IndexColumns
from tasks.quality import Quality
from tasks.query import Equal, Groups, Total, Where
from tasks.read import Get, GetMany
from tasks.resume import Resume
from tasks.start import FirstBatch
from tasks.workers import Workers

ALL: tuple[type[Task], ...] = (
    Index,
    IndexColumns,
    Count,
    FirstBatch,
    Get,
    GetMany,
    RawEpoch,
    DecodedEpoch,
    ColdEpoch,
    Where,
    Equal,
    Groups,
    Total,
    Resume,
    Quality,
    Workers,
)
TASKS: dict[str, Task] = {task.name: task() for task in ALL}
