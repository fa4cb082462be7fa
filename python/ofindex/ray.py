"""ofindex on Ray: indexes built by many workers, and a source for Ray Data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import ray
import ray.data
from ray.data import Datasource, ReadTask
from ray.data.block import BlockMetadata
from ray.data.extensions import ArrowTensorArray

from ._building import BuildOptions
from ._dataset import Dataset, Parameters
from ._engines.jobs import PARTS_PER_CPU, BuildJob
from ._engines.selection import Selection
from ._engines.substrait import Filter
from ._features import Features
from ._opening import opened
from ._source import Path

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["build", "read"]


def build(
    data: Path | Sequence[Path],
    output: Path,
    parts: int | None = None,
    *,
    ray_remote_args: dict[str, Any] | None = None,
    **options: Unpack[BuildOptions],
) -> Dataset:
    """Build an index on the workers of a cluster: byte for byte the one that `ofindex.build` makes on one machine.

    Each task builds one part, of equally many bytes of the data, next to `output`; the last one merges them. A task
    whose worker is lost runs again, by Ray's own retries, and what is finished stays: so does a job that is started
    again. All workers and the driver must see data and output under the same paths; if `data` has a list, also the
    driver's working directory, from which its lines are taken.

    Args:
        data: As in `ofindex.build`.
        output: The index to write.
        parts: Into how many parts the job is divided; None: four for each CPU of the cluster.
        ray_remote_args: For the tasks, as in ``ray.remote``: resources, ``max_retries``, a runtime environment.
        options: As in `ofindex.build`, except that there is no progress; `threads` are those of a task, 1 by default.

    Returns:
        The dataset, open.

    Raises:
        ValueError: there is an index, and `force` is not set: an index that is there is brought up to date by
        `ofindex.update`. Otherwise as `ofindex.build`, and what Ray raises if a task keeps failing.
    """
    count = parts if parts is not None else max(1, int(ray.cluster_resources().get("CPU", 1)) * PARTS_PER_CPU)
    job = BuildJob.begin(data, output, count, options)
    arguments = {"num_cpus": 1, **(ray_remote_args or {})}
    part_task = ray.remote(**arguments)(_build_part)
    with job.alone():
        built = [part_task.remote(job, part) for part in range(1, count + 1)]
        ray.get(ray.remote(**arguments)(_merge).remote(job, built))
        return job.finish()


def _build_part(job: BuildJob, part: int) -> str:
    return job.build_part(part)


def _merge(job: BuildJob, parts: list[Any]) -> None:
    job.merge(ray.get(parts))


def read(
    data: Dataset | Path,
    columns: Sequence[str] | None = None,
    where: str | None = None,
    parameters: Parameters = None,
    features: Features | None = None,
    payloads: bool = False,
    *,
    ray_remote_args: dict[str, Any] | None = None,
    concurrency: int | None = None,
    override_num_blocks: int | None = None,
) -> ray.data.Dataset:
    """Return a Ray Dataset of records, in the order of the index.

    Rows are counted from the index, without a task that reads. Blocks may lie anywhere in a file, also in a compressed
    one. Columns come from the index alone; features are decoded in batches, straight into Arrow. ``filter(expr=...)``
    and ``select_columns`` of Ray Data are pushed down.

    Args:
        data: A Dataset or a view, or the name of an index or of its data. All workers must see it under this path.
        columns: Columns of the index; None: all that it stores, or none if features or payloads are read.
        where, parameters: Only records for which an SQL expression holds, as in `Dataset.where`.
        features: Feature name -> ``ofindex.fixed``, ``ragged``, ``raw`` or ``image``: decoded from the records. One
            with a shape is a tensor.
        payloads: Also read the payloads, as a column "payload".
        ray_remote_args, concurrency, override_num_blocks: As in ``ray.data.read_datasource``.

    Raises:
        FileNotFoundError: there is no index. QueryError: a column or the expression is wrong. ValueError: nothing is to
        be read.
    """
    dataset = opened(data)
    view = dataset[:] if where is None else dataset.where(where, parameters)
    source = _OfindexDatasource(Selection(view, columns, features, payloads, _tensors))
    return ray.data.read_datasource(
        source,
        ray_remote_args=ray_remote_args,
        concurrency=concurrency,
        override_num_blocks=override_num_blocks,
    )


def _tensors(values: npt.NDArray[Any]) -> pa.Array:
    return ArrowTensorArray.from_numpy(np.ascontiguousarray(values))


class _OfindexDatasource(Datasource):  # type: ignore[misc]
    """Reads a Selection; projections and predicates of later steps are applied to it."""

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self._selection = selection
        self._projection_map: dict[str, str] | None = None

    def get_name(self) -> str:
        return "Ofindex"

    def supports_projection_pushdown(self) -> bool:
        return True

    def supports_predicate_pushdown(self) -> bool:
        # A predicate on decoded values would have to decode what it then drops.
        return not self._selection.reads_records

    def estimate_inmemory_data_size(self) -> int | None:
        selection = self._pushed()[0]
        return int(len(selection.view) * selection.mean_bytes())

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[ReadTask]:
        selection, rest = self._pushed()
        names = self._get_data_columns()
        mean = selection.mean_bytes()
        schema = selection.schema if not names else pa.schema([selection.schema.field(name) for name in names])
        tasks = []
        for view in selection.parts(parallelism):
            metadata = BlockMetadata(
                num_rows=len(view) if rest is None else None,
                size_bytes=int(len(view) * mean),
                exec_stats=None,
                input_files=None,
            )
            read = _reader(selection.with_view(view), mean, rest, names)
            tasks.append(ReadTask(read, metadata, schema=schema, per_task_row_limit=per_task_row_limit))
        return tasks

    def _pushed(self) -> tuple[Selection, Any]:
        """Return what is to be read, and the filter that Arrow still has to apply."""
        selection, rest = self._selection, None
        names = self._get_data_columns()
        predicate = self.get_current_predicate()
        if predicate is not None:
            rest = predicate.to_pyarrow()
            pushed = Filter(rest, selection.schema)
            if pushed.condition is not None:
                selection = selection.with_view(selection.view.where(pushed.condition.sql, pushed.condition.parameters))
                rest = None if pushed.condition.exact else rest
            if names is not None and rest is not None:
                names = None if pushed.columns is None else list(dict.fromkeys([*names, *pushed.columns]))
        if names is not None:
            selection = selection.with_names(names or selection.schema.names[:1])
        return selection, rest


def _reader(selection: Selection, mean: float, rest: Any, names: list[str] | None) -> Callable[[], Any]:
    def read() -> Any:
        for table in selection.tables(mean_bytes=mean):
            kept = table if rest is None else table.filter(rest)
            yield kept if not names else kept.select(names)

    return read
