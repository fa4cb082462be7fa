"""ofindex on Spark: indexes built by many executors, and a data source that reads and writes."""

from __future__ import annotations

import atexit
import base64
import builtins
import functools
import json
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from ._building import BuildOptions
from ._dataset import Dataset
from ._engines.jobs import PARTS_PER_CPU, BuildJob
from ._engines.selection import Selection
from ._engines.spark_reading import PushingReader, SelectionReader, spark_schema, task_count
from ._engines.spark_writing import SetOptions, SetWriter
from ._features import Feature, Features, fixed, image, ragged, raw
from ._opening import open
from ._source import Path

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["OfindexDataSource", "build", "read", "register"]


def register(spark: SparkSession) -> None:
    """Make the format "ofindex" known to a session: ``spark.read.format("ofindex")`` and
    ``df.write.format("ofindex")``."""
    spark.dataSource.register(OfindexDataSource)


def build(
    spark: SparkSession,
    data: Path | Sequence[Path],
    output: Path,
    parts: int | None = None,
    **options: Unpack[BuildOptions],
) -> Dataset:
    """Build an index on the executors of a cluster: byte for byte the one that `ofindex.build` makes on one machine.

    Each task builds one part, of equally many bytes of the data, next to `output`; the last one merges them. A task
    whose executor is lost runs again, by Spark's own retries, and what is finished stays: so does a job that is started
    again. All executors and the driver must see data and output under the same paths; if `data` has a list, also the
    driver's working directory, from which its lines are taken.

    Args:
        spark: A session that is not remote: Spark Connect cannot run these tasks.
        data: As in `ofindex.build`.
        output: The index to write.
        parts: Into how many parts the job is divided; None: four for each core of the cluster.
        options: As in `ofindex.build`, except that there is no progress; `threads` are those of a task, 1 by default.

    Returns:
        The dataset, open.

    Raises:
        ValueError: there is an index, and `force` is not set: an index that is there is brought up to date by
        `ofindex.update`. Otherwise as `ofindex.build`, and what Spark raises if a task keeps failing.
    """
    context = spark.sparkContext
    count = parts if parts is not None else max(1, context.defaultParallelism * PARTS_PER_CPU)
    job = BuildJob.begin(data, output, count, options)
    with job.alone():
        built = context.parallelize(range(1, count + 1), count).map(job.build_part).collect()
        context.parallelize([built], 1).foreach(job.merge)
        return job.finish()


def read(
    spark: SparkSession,
    data: Path,
    columns: Sequence[str] | None = None,
    where: str | None = None,
    parameters: Sequence[Any] | Mapping[str, Any] | None = None,
    features: Features | None = None,
    payloads: bool = False,
    *,
    root: Path | None = None,
    partitions: int | None = None,
    push_filters: bool = False,
) -> DataFrame:
    """Return a data frame of records, in the order of the index: ``spark.read.format("ofindex")`` with its options.

    Columns come from the index alone; features are decoded in batches, straight into Arrow. Spark does not tell a
    Python data source which columns a query uses, so name them: a frame with features or payloads reads records even to
    count them.

    Args:
        spark: The session, in which the format is registered.
        data: The index, or the data that it was built from. All executors must see them under this path.
        columns: Columns of the index; None: all that it stores, or none if features or payloads are read.
        where, parameters: Only records for which an SQL expression holds, as in `Dataset.where`.
        features: Feature name -> ``ofindex.fixed``, ``ragged``, ``raw`` or ``image``: decoded from the records. One
            with a shape is an array, or an array of arrays.
        payloads: Also read the payloads, as a column "payload".
        root: Folder with a copy of the data, as in `ofindex.open`.
        partitions: The number of tasks; None: one for each 128 MiB, or as many as the cluster runs at once, if each
                then has 4 MiB.
        push_filters: Push filters of Spark on columns of the index down, as `where` does. Then the data frame is for
            one query: Spark 4.3 would give others the rows of that one, so other filters are an error. Sets
            ``spark.sql.python.filterPushdown.enabled``. Not with Spark Connect.

    Raises:
        AnalysisException, with the text of the cause: there is no index, or a column or the expression is wrong.
    """
    if push_filters and "_id" in (features or {}):
        raise ValueError("a feature called _id hides the column that push_filters=True needs")
    if isinstance(columns, (str, bytes)):
        raise TypeError(f"columns are a list, not {type(columns).__name__}: columns=[{columns!r}]")
    named = None if columns is None and not features and not payloads else list(columns or [])
    hidden = push_filters and named is not None and "_id" not in named
    said: dict[str, Any] = {
        "payloads": str(bool(payloads)).lower(),
        "columns": None if named is None else json.dumps([*named, "_id"] if hidden else named),
        "where": where,
        "parameters": None if parameters is None else json.dumps(_plain(parameters)),
        "features": json.dumps({name: _described(feature) for name, feature in (features or {}).items()}),
        "root": None if root is None else os.path.abspath(os.fsdecode(root)),
        "partitions": None if partitions is None else str(partitions),
        "cores": _cores_of(spark),
        "mark": _new_mark() if push_filters else None,
    }
    register(spark)
    reader = spark.read.format("ofindex").options(**{name: text for name, text in said.items() if text is not None})
    frame = reader.load(os.path.abspath(os.fsdecode(data)))
    if not push_filters:
        return frame
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    frame = frame.where("_id >= 0")  # always true, but without any filter, Spark does not ask the source again
    return frame.drop("_id") if hidden else frame


def _cores_of(spark: SparkSession) -> str | None:
    """Return how many tasks run at once; None with Spark Connect, which does not say."""
    try:
        return str(spark.sparkContext.defaultParallelism)
    except PySparkException:
        return None


@functools.cache
def _marks() -> str:
    """Return a folder of this process, for the marks of PushingReader."""
    folder, process = tempfile.mkdtemp(prefix="ofindex-spark-"), os.getpid()
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == process else None)
    return folder


def _new_mark() -> str:
    mark = os.path.join(_marks(), uuid.uuid4().hex)
    with builtins.open(mark, "x"):
        return mark


def _described(feature: Feature) -> dict[str, Any]:
    """Return a feature as the option `features` has it: its function, and the arguments that matter."""
    if feature._image is not None:
        gray, height, width, fit, layout = feature._image
        return {
            "form": "image",
            "mode": "gray" if gray else "rgb",
            "size": [height, width],
            "fit": fit,
            "layout": layout,
        }
    said: dict[str, Any] = {"form": feature.form, "dtype": feature.dtype}
    if feature.form != "ragged":
        said["shape"] = list(feature.shape)
    if feature.default is not None:
        said["default"] = _plain(feature.default)
    return said | {name: True for name in ("truncate", "pad") if getattr(feature, name)}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    return {_BYTES: base64.b64encode(value).decode()} if isinstance(value, bytes) else value


class OfindexDataSource(DataSource):  # type: ignore[misc]
    """The format "ofindex". Registered by `register`; its path is an index or its data, or the folder to write.

    Options are strings: lists and mappings are JSON, in which ``{"base64": "/9g="}`` is a byte string. To read:
    columns: ``["label", "name"]`` or ``label,name``; where; parameters: ``[3]`` or ``{"n": 3}``;
    features: ``{"petal": {"form": "fixed", "dtype": "float32", "shape": [2]}}``; payloads: ``true``; root;
    partitions.

    To write, as in `ofindex.pack`: to, payload, compress, time_unit, allow_nan; schema: ``{"x": "int64"}``.
    """

    @classmethod
    def name(cls) -> str:
        return "ofindex"

    def schema(self) -> StructType:
        return spark_schema(self._selection(rows=0))

    def reader(self, schema: StructType) -> DataSourceReader:
        partitions, mark = self.options.get("partitions"), self.options.get("mark")
        selection = self._selection()
        tasks = task_count(selection, int(self.options.get("cores", 1))) if partitions is None else _count(partitions)
        if mark is None:
            return SelectionReader(selection, schema, tasks)
        return PushingReader(selection, schema, tasks, mark)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        known: dict[str, Callable[[str], Any]] = {
            "to": str, "payload": str, "compress": str, "time_unit": str, "allow_nan": _truth,
            "schema": lambda _: _json(self.options, "schema"),
        }  # fmt: skip
        self._check_names({"path", *known})
        given = {name: of(self.options[name]) for name, of in known.items() if name in self.options}
        return SetWriter(self._path(), to_arrow_schema(schema, timezone="UTC"), overwrite, SetOptions(**given))

    def _path(self) -> str:
        path = self.options.get("path")
        if not path:
            raise ValueError('no path: expected spark.read.format("ofindex").load(PATH), or save(PATH)')
        uri = re.fullmatch(r"([A-Za-z][\w+.-]*):(?=/)(?://([^/]*))?(/.*)", str(path), re.DOTALL)
        if uri is None:
            return os.path.abspath(str(path))
        if uri[1].lower() != "file" or uri[2] not in (None, "", "localhost"):
            raise ValueError(f"{path}: expected a path of a file system that all machines have mounted, or file:///...")
        return os.path.abspath(unquote(uri[3]))

    def _check_names(self, known: set[str]) -> None:
        for name in self.options:
            if name.lower() not in known:
                raise ValueError(f"unknown option {name!r}: expected some of {', '.join(sorted(known))}")

    def _selection(self, rows: int | None = None) -> Selection:
        self._check_names(_READ)
        options = self.options
        dataset = open(self._path(), options.get("root"))[:rows]
        where = options.get("where")
        view = dataset[:] if where is None else dataset.where(where, _json(options, "parameters"))
        features = {name: _feature(name, said) for name, said in (_json(options, "features") or {}).items()}
        columns = options.get("columns")
        if columns is not None:
            listed = columns.lstrip().startswith("[")
            columns = _json(options, "columns") if listed else [name.strip() for name in columns.split(",")]
        return Selection(view, columns, features, _truth(options.get("payloads", "false")))


_BYTES = "base64"
_READ = {"path", "columns", "where", "parameters", "features", "payloads", "root", "partitions", "cores", "mark"}
_FORMS: dict[str, Callable[..., Feature]] = {"fixed": fixed, "ragged": ragged, "raw": raw, "image": image}


def _json(options: Mapping[str, str], name: str) -> Any:
    text = options.get(name)
    try:
        return None if text is None else json.loads(text, object_hook=_with_bytes)
    except ValueError as error:
        raise ValueError(f"option {name}={text!r}: not JSON: {error}") from None


def _feature(name: str, said: Any) -> Feature:
    try:
        arguments = dict(said)
        return _FORMS[arguments.pop("form")](**arguments)
    except (KeyError, TypeError, ValueError) as error:
        expected = '{"form": "fixed", "dtype": "float32", "shape": [2]}'
        raise ValueError(f"feature {name!r}: {said!r}: expected something like {expected}: {error}") from None


def _with_bytes(said: dict[str, Any]) -> Any:
    return base64.b64decode(said[_BYTES]) if set(said) == {_BYTES} else said


def _truth(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"{text!r}: expected true or false")
    return text.lower() == "true"


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"partitions={text!r}: expected a whole number from 1 on")
    return int(text)
