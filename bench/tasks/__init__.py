"""The tasks, in the order of the tables."""

from __future__ import annotations

from harness.task import Task
from tasks.answers import DecodedAnswers, RawAnswers
from tasks.compressed import GzipEpoch, GzipGet, GzipIndex
from tasks.count import Count
from tasks.decode import Decode
from tasks.epoch import ColdEpoch, DecodedEpoch, RawEpoch
from tasks.index import ColdIndex, Index, IndexColumns
from tasks.pairs import Pairs
from tasks.quality import Quality
from tasks.query import Bins, Equal, Groups, Top, Total, Where
from tasks.read import Get, GetMany
from tasks.resume import Resume
from tasks.start import FirstBatch
from tasks.workers import Workers
from tasks.write import Write, WriteValues

ALL: tuple[type[Task], ...] = (
    Index,
    ColdIndex,
    IndexColumns,
    Count,
    FirstBatch,
    Get,
    GetMany,
    RawAnswers,
    DecodedAnswers,
    RawEpoch,
    DecodedEpoch,
    ColdEpoch,
    Where,
    Equal,
    Groups,
    Bins,
    Top,
    Total,
    Resume,
    Quality,
    Workers,
    Decode,
    Write,
    WriteValues,
    GzipIndex,
    GzipGet,
    GzipEpoch,
    Pairs,
)
TASKS: dict[str, Task] = {task.name: task() for task in ALL}
