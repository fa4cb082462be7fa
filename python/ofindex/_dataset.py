"""Datasets: reading, selecting, describing."""

from __future__ import annotations

import os
import reprlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from . import _ofindex
from ._arguments import parameters_of, whole
from ._arrays import as_numpy_asks, fits_float, objects_of
from ._attaching import attach_table
from ._audit import Audit, audit_datasets
from ._batch import decode_rows, thread_limit
from ._epochs import Tail
from ._errors import Error, StaleError
from ._features import Features
from ._foreign import did_you_mean, explained_methods
from ._html import dataset_html
from ._key import Key
from ._progress import Report, reporting
from ._rows import Rows, Table
from ._sampler import Sampler, block_size
from ._selectors import mask_of, not_selected
from ._server import Page, explore
from ._source import Shared, open_source
from ._verbs import Verbs, parts_of
from ._weights import Weights

if TYPE_CHECKING:
    import pyarrow

    from ._engines.arrow_dataset import ArrowDataset

Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any] | float | str | bytes | None


def _seconds(timeout: float | None) -> float | None:
    """Return `timeout` as the extension expects it: None means no limit, and replaces anything above 1e9 seconds."""
    if timeout is None:
        return None
    if not timeout > 0:
        raise ValueError(f"timeout={timeout}: expected seconds, above 0")
    return None if timeout > 1e9 else float(timeout)


def _with_nulls(values: npt.NDArray[Any], mask: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return `values` masked where they are NULL, with NaN there in case the mask is dropped. Integers that float64
    cannot represent become objects, with None for NULL."""
    if values.dtype.kind == "i":
        if values.size and not fits_float(int(values.min()), int(values.max())):
            objects = values.astype(object)
            objects[mask] = None
            return objects
        values = values.astype(np.float64)
    values[mask] = np.nan
    return np.ma.masked_array(values, mask, fill_value=np.nan)


@explained_methods
class Dataset(_ofindex.Records, Verbs):
    """Records of OFRecord or TFRecord files, in any order: a sequence of `bytes`, the payloads as stored in the files::

        ds = ofindex.open("data/train")
        payload = ds[5]  # bytes; ds[-1] is the last record
        ds.record(5)["label"]  # array([5])
        view = ds[10:20]  # a Dataset, too: as of a list of numbers, or a mask
        len(view), view[0] == ds[10]  # (10, True)

    It has the methods of a Sequence, but is not registered as one, because Polars would then take it for a list of
    payloads. `random.sample` therefore refuses it; ``ds[ds.sampler(seed=1).take(k)]`` draws k records. Consumers of
    Arrow see a table of its columns, and numpy sees an array of its payloads.

    A Dataset contains all records, or is a view: some of them, in an order of its own. Both have the same methods, and
    number their records from 0. If records have gone with their shards (``ofindex update``), the others keep their
    numbers: reading one that is gone raises `IndexError`. Length, iteration, views, samplers, columns and statistics
    are over the records that are there, and ``ds[:]`` numbers them without gaps. Opening takes no time, whatever the
    size; the memory used is page cache. Made by `ofindex.open` and `ofindex.build`.

    All answers come from the index that was opened, even if that index is later replaced or deleted, or the working
    directory changes. If the index file is rewritten in place, `StaleError` is raised.

    Thread-safe. Usable after fork, spawn and forkserver: it pickles as paths, options and identity. Reading raises
    `StaleError` if a shard is no longer the file that was indexed, and `DamageError` for a record that is marked bad,
    unless the Dataset was opened with ``allow_bad=True``.
    """

    def __init__(
        self,
        source: _ofindex.Source,
        rows: _ofindex.Rows | None,
        options: dict[str, Any],
        shared: Shared | None = None,
        resolve: Callable[[], _ofindex.Rows] | None = None,
    ) -> None:
        super().__init__(source, rows)
        self._source = source
        self._options = options
        self._shared = shared or Shared(source)
        self._resolve_rows = resolve
        self._resolved: _ofindex.Rows | None = None
        self._resolving = threading.Lock()

    def _resolve(self) -> _ofindex.Rows:
        """Return the rows of a view, which is evaluated on first use; called by the extension."""
        with self._resolving:
            if self._resolved is None:
                assert self._resolve_rows is not None
                self._resolved = self._resolve_rows()
                self._resolve_rows = None
            return self._resolved

    def _with(self, rows: _ofindex.Rows | None, resolve: Callable[[], _ofindex.Rows] | None = None) -> Dataset:
        return Dataset(self._source, rows, self._options, self._shared, resolve)

    @property
    def _is_lazy(self) -> bool:
        """Whether this is a view that is not evaluated yet."""
        return self._resolve_rows is not None

    @property
    def _is_all(self) -> bool:
        return self.rows.is_all(self._source.ordinals)

    def _need_all(self, name: str) -> None:
        """Raise AttributeError on a view, so that for Arrow consumers a view does not have the attribute `name`."""
        if not self._is_all:
            raise AttributeError(f"a view has no {name}, which covers all records: use the underlying Dataset")

    def _known_features(self) -> list[frozenset[str] | None]:
        if self._source.records == 0:
            return []
        # The index does not list the features of bad records.
        return [None if self._options["allow_bad"] else self._shared.features]

    def _schema(self) -> list[dict[str, Any]]:
        return _ofindex.features(self._source, False)

    def _present(self) -> Dataset:
        """Return this Dataset, or if records have gone with their shards, the view of those that are there."""
        if len(self.rows) == len(self):
            return self
        return self._with(_ofindex.present_rows(self._source, self.rows))

    @property
    def _payloads(self) -> _ofindex.Payloads:
        return self._shared.payloads

    # A sequence.

    if TYPE_CHECKING:

        def __len__(self) -> int: ...
        @overload
        def __getitem__(self, index: int | np.integer[Any]) -> bytes: ...
        @overload
        def __getitem__(self, index: slice | Sized) -> Dataset: ...
        def __getitem__(self, index: Any) -> bytes | Dataset: ...

    def _not_selected(self, key: Any) -> TypeError:
        """Return the error of ``ds[key]``; a misspelt column is suggested."""
        return not_selected(key, lambda name: self._misspelt(name))

    def _misspelt(self, name: str | bytes) -> str:
        """Return "did you mean 'x'?" if `name` is no column and no feature, but nearly one."""
        if _ofindex.has_column(self._source, name):
            return ""
        names = {*_ofindex.column_names(self._source), *(self._shared.features or ())}
        return did_you_mean(name, names)

    def _view_of(self, key: Any) -> Dataset:
        """``ds[key]`` for a key that is not a number; called by the extension."""
        if isinstance(key, slice):
            indices = range(*key.indices(len(self.rows)))
            start = indices.start if indices else 0
            step = indices.step if len(indices) > 1 else 1  # a larger one may have more than 64 bits
            return self._with(_ofindex.slice_rows(self._source, self.rows, start, step, len(indices)))
        if isinstance(key, (str, bytes)) or not hasattr(key, "__len__"):
            raise self._not_selected(key)
        mask = mask_of(key, len(self))
        if mask is not None:
            return self._with(_ofindex.pick_rows(self._source, self._present().rows, np.flatnonzero(mask)))
        try:
            return self._with(_ofindex.pick_rows(self._source, self.rows, key))
        except TypeError:
            if isinstance(key, (list, tuple)) and any(isinstance(item, (str, bytes)) for item in key):
                raise self._not_selected(key) from None
            raise

    def __iter__(self) -> Iterator[bytes]:
        """Iterate over the records in order, read many at a time."""
        there = self._present()
        at, size = 0, len(there)
        while at < size:
            end = min(size, at + 256)
            yield from there.__getitems__(range(at, end))
            at = end

    def __reversed__(self) -> Iterator[bytes]:
        return iter(self[::-1])

    def __contains__(self, payload: object) -> bool:
        return any(record == payload for record in self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Read all payloads into an array of `bytes` objects. For the values of a column, use `column`."""
        return as_numpy_asks(objects_of(list(self)), dtype, copy)

    def index(self, payload: bytes, start: int = 0, stop: int | None = None) -> int:
        """Return the number of the first record whose payload is `payload`; reads all records before it."""
        begin, end, _ = slice(start, stop).indices(len(self.rows))
        some = self[begin:end]
        for at, record in enumerate(some):
            if record == payload:
                return begin + at if self._present() is self else int(some.ordinals([at])[0])
        raise ValueError("no record has this payload")

    def count(self, payload: bytes) -> int:
        """Return how many records have the payload `payload`; reads all records."""
        return sum(record == payload for record in self)

    # Reading.

    def record(self, number: int) -> dict[str, Any]:
        """Decode all features of one record::

            ds.record(3)["tokens"]  # array([3, 3, 3, 3])
            ds.record(3)["text"]  # [b'text 3']

        Returns:
            Feature name -> values: an array of int32, int64, float32 or float64, or a list of `bytes`; None for a
            feature without a kind. Feature lists of a SequenceExample are called ``NAME[]`` and are lists of such
            values, one per step. Names that are not UTF-8 are decoded with "surrogateescape".

        Raises:
            IndexError: there is no such record, or it is gone. FeatureError: payloads are opaque. DamageError: the
            payload is not a message.
        """
        return _ofindex.record(self, number)

    def batch(self, ids: Iterable[int], features: Features, threads: int | None = None) -> dict[str, Any]:
        """Decode records into arrays, in the order of `ids`::

            batch = ds.batch([3, 1, 4], {"label": ofindex.fixed("int64"), "tokens": ofindex.ragged("int64")})
            batch["label"]  # array([3, 1, 4])
            batch["tokens"].lengths  # array([4, 2, 5])

        Args:
            ids: Numbers of records: integers, or an integer array of shape ``(n,)``; negative ones count from the end.
            features: Feature name -> ``ofindex.fixed``, ``ragged``, ``raw`` or ``image``. ``NAME[]`` is the
                feature list NAME of SequenceExamples, with the values of its steps concatenated.
            threads: Maximum number of threads that decode a large batch; None: one per processor.

        Returns:
            Feature name -> an array of shape ``(n, *shape)``, a `BytesArray` of that shape, or a `Ragged` of n rows.

        Raises:
            IndexError: a record does not exist. FeatureError: a record's feature is not as requested (the text gives
            the record, the feature and both counts), or no record of the index has the feature (the text gives the
            nearest names). DamageError, StaleError: as `Dataset`.
        """
        return decode_rows(self, ids, features, threads)

    def key(self, name: str, make: bool = False) -> Key:
        """Open the key by a feature, with which records are found by its value::

            key = ds.key("text", make=True)
            key[b"text 3"] == ds[3]  # True
            key.find(["text 3", "text 5"])  # array([3, 5])

        Args:
            name: The feature, of byte strings or integers. A key lies next to the index: ``ofindex.build(keys=...)``,
                ``ofindex build --key`` and ``ofindex key`` make it.
            make: Make the key if there is none for this index.

        Raises:
            FileNotFoundError: there is no such key. StaleError: the key is of another build of the index. Error: it is
            damaged. ValueError: no record has the feature, or its values are floats. AttributeError: this is a view,
            but keys cover all records.
        """
        self._need_all("key")
        try:
            return Key(self, _ofindex.open_key(self._source, name))
        except (Error, FileNotFoundError):
            if not make:
                raise
        _ofindex.make_key(self._source, name, 0)
        return Key(self, _ofindex.open_key(self._source, name))

    # Selecting.

    def where(self, expression: str, parameters: Parameters = None) -> Dataset:
        """Select the records for which an SQL expression holds. The view is evaluated once, on first use::

            sevens = ds.where("label = ? AND score > ?", (7, 0.5))
            same = ds.where("label = :label AND score > :least", {"label": 7, "least": 0.5})
            long = ds.where('"tokens#count" > 3')  # names that are no words are quoted

        Args:
            expression: The condition of a WHERE clause over the table ``records``: see docs/sql.md.
            parameters: Values of ``?`` in order, or of ``:name`` by name; a single value for a single ``?``.

        Raises (on first use):
            QueryError: the expression is wrong. LimitError: memory ran out.
        """
        if not isinstance(expression, str):
            meant = "filter(function)" if callable(expression) else "[mask]" if hasattr(expression, "__len__") else ""
            dot = "." if callable(expression) else ""
            raise TypeError(
                f"an expression is a str, not {type(expression).__name__}{meant and f'{chr(10)}write ds{dot}{meant}'}"
            )
        values = parameters_of(parameters)
        return self._with(None, lambda: _ofindex.where(self._source, expression, values, self.rows))

    def sql(self, query: str, parameters: Parameters = None, *, timeout: float | None = None) -> Rows:
        """Run one read-only SQL statement over the table ``records``; docs/sql.md describes the language::

            rows = ds.sql("SELECT label, count(*) AS n FROM records WHERE score < ? GROUP BY 1 ORDER BY 1 LIMIT 2", 0.5)
            rows.fetchall()  # [(0, 5), (1, 5)]

        Args:
            query: SELECT, VALUES or EXPLAIN. It may be untrusted: nothing can be written, and no file can be read.
            parameters: Values of ``?`` in order, or of ``:name`` by name; a single value for a single ``?``.
            timeout: Seconds after which the statement ends with `LimitError`; None: never.

        Raises:
            QueryError: the statement is wrong or refused. AttributeError: this is a view, but statements cover all
            records; put the view's condition into WHERE. `schema` and `info` raise AttributeError on a view, too.
        """
        self._need_all("sql")
        if not isinstance(query, str):
            raise TypeError(f"a statement is a str, not {type(query).__name__}")
        return Rows(_ofindex.open_session(self._source).query(query, parameters_of(parameters), _seconds(timeout)))

    def split(
        self,
        parts: Mapping[str, float],
        seed: int = 0,
        stratify: str | None = None,
        key: str | None = None,
    ) -> dict[str, Dataset]:
        """Split into disjoint views of given fractions; stable when records are appended, except with both `stratify`
        and `key`::

            parts = ds.split({"train": 0.8, "val": 0.1, "test": 0.1}, seed=0, stratify="label")
            loader = ofindex.Loader(parts["train"], features)

        Args:
            parts: Name -> fraction. If they add up to less than 1, the remaining records are in no part.
            seed: A different seed gives a different split.
            stratify: A column: records of each of its values are split in the same proportions.
            key: A column: records with the same value go into the same part. With `stratify`, its proportions hold as
                nearly as whole groups allow.

        Raises:
            ValueError: the parts are invalid. QueryError: there is no such column.
        """
        wanted = [(str(name), float(fraction)) for name, fraction in parts_of(parts).items()]
        rows = _ofindex.split(self._source, self.rows, wanted, whole(seed, "seed"), key, stratify)
        return {name: self._with(some) for (name, _), some in zip(wanted, rows, strict=True)}

    def sampler(
        self,
        seed: int = 0,
        epoch: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        weights: Weights | None = None,
        balance: str | None = None,
        block: int | Literal["auto"] | None = None,
        tail: Tail = "exact",
        skip: Iterable[tuple[int, int]] | None = None,
    ) -> Sampler:
        """Return the order of a training run: numbers of this Dataset's records, reshuffled each epoch::

            for number in ds.sampler(seed=1):
                step(ds[number])
            some = ds[ds.sampler(seed=1).take(10)]  # ten records drawn at random
            rare = ds.sampler(weights="1 + 9 * (label = 8)")  # draws label 8 ten times as often

        Args:
            seed: Seed of the run, ``0 <= seed < 2**64``.
            epoch: The first epoch; each iteration reads the next one.
            rank, world_size: This reader's rank among the readers that share the epoch, and their number: each reads
                every `world_size`-th record. Give both or neither. None: taken from torch.distributed, otherwise from
                torchrun's environment, otherwise 0 and 1; looked up again when the sampler is unpickled.
            weights: A numeric column, an SQL expression, or an array of ``len(self)`` numbers, in the order of the
                records: records are drawn with replacement, in proportion to it; never where it is 0, NULL or NaN.
                Pickles of the sampler contain the array.
            balance: A column: records are drawn with replacement, with equal probability per value.
            block: Read runs of this many consecutive records, shuffled within a window of runs, for storage that seeks
                slowly; "auto" chooses the length. None: a global shuffle.
            tail: How to treat the records left over after the last whole step of all ranks: "exact", every record is
                read once; "pad", short ranks repeat records from the start of the epoch, so that all have the same
                number; "drop", no rank reads them.
            skip: Steps that are left out, as pairs of first and end; a step is one row of each rank. The state keeps
                them.

        Raises:
            ValueError: arguments are invalid. QueryError: there is no such column, or the expression is wrong.
            TypeError: weights are not numbers.
        """
        return Sampler(
            self,
            skip=skip,
            options={
                "seed": whole(seed, "seed"),
                "epoch": whole(epoch, "epoch"),
                "rank": rank,
                "world_size": world_size,
                "weights": weights,
                "balance": balance,
                "block": block_size(block),
                "tail": tail,
            },
        )

    def _open_sampler(self, *, state: str | None = None, force: bool = False, **options: Any) -> _ofindex.RowSampler:
        return _ofindex.open_sampler(self._source, self.rows, state=state, force=force, **options)

    # Columns.

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return the values of one column, one per record, from the index alone: an array of shape ``(len(self),)``::

            ds.column("label")[:3]  # array([0, 1, 2])
            eights = ds[ds.column("label") == 8]

        Numbers are int64, float32 or float64. If some are NULL, the result is a masked array of floats with NaN under
        the mask, as in pandas and pyarrow; integers become float64. For other values the result is an array of objects
        with None for NULL: texts are `str`, other bytes are `bytes`, and lists are arrays. Integers are also objects
        (`int`) if some are NULL and one is beyond 2**53.

        Args:
            name: An SQL column, or a feature: the column with the feature's values.

        Raises:
            QueryError: there is no such column, it holds both numbers and bytes, or a record has a list that is not
            stored.
        """
        values, mask = _ofindex.column(self._source, self.rows, name)
        if isinstance(values, list):
            return objects_of(values)
        return values if mask is None else _with_nulls(values, mask)

    def arrow(self, names: Sequence[str] | None = None) -> Table:
        """Return columns as an Arrow stream (PyCapsule protocol), for DuckDB, Polars, pyarrow and pandas::

            import duckdb

            columns = ds.arrow(["label", "score"])
            duckdb.sql("SELECT count(*) FROM columns WHERE label = 3").fetchall()  # [(10,)]

        Args:
            names: SQL columns, or features: the columns with the features' values. None: all columns whose values
                the index stores completely. A column that is NULL for records with a list is left out; a warning names
                it when the table is read. All views of one dataset lack the same columns.

        Raises (when the stream is read):
            QueryError: there is no such column, or a column holds both numbers and bytes, or lists that are not stored.
        """
        if isinstance(names, (str, bytes)):
            raise TypeError(f"names are a list, not {type(names).__name__}: arrow([{names!r}])")
        return Table(self, None if names is None else list(names))

    def _table(self, columns: Sequence[str] | None) -> pyarrow.Table:
        import pyarrow

        return pyarrow.table(self.arrow(columns))

    def to_arrow_dataset(self) -> ArrowDataset:
        """Return the columns as a pyarrow.dataset.Dataset, for DuckDB, Polars and pyarrow. Needs pyarrow::

            import pyarrow.compute as pc

            ds.to_arrow_dataset().to_table(["_id"], filter=pc.field("label") == 3).num_rows  # 10

        A query reads only the columns that it needs, of the rows that the index finds by its filter. Where the index
        cannot filter, pyarrow does. Columns and types are those of `arrow`.
        """
        from ._engines.arrow_dataset import ArrowDataset

        return ArrowDataset(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return all columns as an Arrow stream: see `arrow`."""
        return self.arrow().__arrow_c_stream__(requested_schema)

    # Attached columns.

    def attach(
        self,
        table: Any,
        key: str = "_id",
        columns: str | Sequence[str] | None = None,
        prefix: str | None = None,
        *,
        table_key: str | None = None,
        replace: bool = False,
        output: str | bytes | os.PathLike[str] | os.PathLike[bytes] | None = None,
        wait: bool = False,
        progress: bool | Report | None = None,
    ) -> dict[str, Any]:
        """Attach columns of a table to the records whose key is that of a row: in `where`, `sql`, `column`, `stats`,
        weights and everywhere else, they are columns like any other::

            found = ds.attach({"quality": np.linspace(0, 1, len(ds))})
            found["attached_records"] == len(ds)  # True
            len(ds.where("quality > 0.5")) > 0  # True
            ds.detach("quality")

        The columns are in a file next to the index, which stays as it is. All records with the same key get the values;
        records without a row have NULL. After `ofindex.update`, new records and those of changed shards have NULL.

        Args:
            table: A data frame or table of Polars, pandas, pyarrow, DuckDB or anything else with
                ``__arrow_c_stream__``; a mapping of names to arrays of one value for each record; or the path of a
                Parquet file, which needs pyarrow. Values are numbers, truth values, str or bytes.
            key: The column or feature of the records that has the keys: bytes or integers. "_id": their numbers; arrays
                without an array "_id" are in the order of the records.
            columns: Columns of the table; None: all but the key.
            prefix: Text before the names of the columns.
            table_key: The column of the table with the keys; None: that of the name `key`.
            replace: Replace attached columns of the same names.
            output: A file for the columns, for ``ofindex.open(..., attach=output)``; None: next to the index.
            wait: Wait for another process that is writing the index or the file.
            progress: As in `ofindex.build`.

        Returns:
            The keys of ``ofindex attach --json``: how many rows and records there are, and which match nothing.

        Raises:
            ValueError: the table lacks a column, a name is taken, keys are of another type, or no row has a record.
            FormatError: two rows have the same key and different values, or a column has lists or other values that
            cannot be attached. LockError: another process writes the index. StaleError: the index was replaced since it
            was opened. AttributeError: this is a view.
        """
        self._need_all("attach")
        ordinals = None
        if isinstance(table, Mapping):
            there = self._present()
            ordinals = np.asarray(there.ordinals(np.arange(len(there))))
        return attach_table(
            self._source,
            ordinals,
            table,
            key=key,
            table_key=table_key,
            columns=columns,
            prefix=prefix,
            replace=replace,
            output=output,
            wait=wait,
            progress=progress,
        )

    def detach(
        self,
        *names: str,
        all: bool = False,
        output: str | bytes | os.PathLike[str] | os.PathLike[bytes] | None = None,
        wait: bool = False,
    ) -> dict[str, Any]:
        """Drop attached columns; see `attach`. Views and samplers that exist keep them.

        Args:
            names: Names of attached columns.
            all: Drop all, also those of a damaged file; without `names`.
            output: The file that `attach` wrote; None: that next to the index.
            wait: Wait for another process that is writing the index or the file.

        Returns:
            The keys of ``ofindex detach --json``: "detached" and "left" are names of columns.

        Raises:
            ValueError: there is no such column. LockError: another process writes the index. AttributeError: this is a
            view.
        """
        self._need_all("detach")
        if all == bool(names):
            raise ValueError("expected names of attached columns, or all=True")
        target = b"" if output is None else os.path.abspath(os.fspath(output))
        return _ofindex.detach(self._source, list(names), bool(all), target, bool(wait))

    # Duplicates.

    def audit(
        self,
        *others: Dataset,
        on: str | bytes | None = None,
        label: str | bytes | None = None,
        split: str | bytes | None = None,
        near: bool | int = False,
        trust_hashes: bool = False,
        threads: int | None = None,
        progress: bool | Report | None = None,
    ) -> Audit:
        """Find records with the same bytes, or with like images, within these records and across datasets::

            parts = ds.split({"train": 0.9, "val": 0.1}, seed=0)
            audit = parts["train"].audit(parts["val"], on="text")
            audit.summary["leak_count"]  # 0

        Hashes that the index stores are taken from it: those of payloads after ``build(verify=True)``, those of a
        feature after ``build(derive=["NAME:hash"])``. Other records are read, and so are all records whose hash another
        one has, to compare their bytes. Bad records, and those without the feature, are not compared.

        Args:
            others: Datasets, or views, also of the same index. A group of records in several of them is a leak.
            on: Compare the byte strings of this feature; None: the whole payloads.
            label: A column; groups whose records have different values of it are conflicts. NULL is no label.
            split: A column; a group whose records have different values of it is a leak, too. NULL is no split.
            near: Find images that look alike in the feature `on`, JPEG or PNG: those whose 128-bit perceptual hashes
                differ in at most so many bits, from 0 to 31; True: 20; 0: the same hash. What cannot be decoded, or is
                too plain, is compared by its bytes. All records are decoded.
            trust_hashes: Take records with the same hash for equal, without reading them.
            threads: Computing threads; None: one per processor.
            progress: As in `build`.

        Raises:
            ValueError: no record has the feature, or its values are not byte strings; there is no such column; a view
            has a record twice, or a dataset is given twice. StaleError: a shard was changed since it was indexed.
        """
        return audit_datasets((self, *others), on, label, split, near, trust_hashes, threads, progress)

    # About the dataset.

    @property
    def schema(self) -> dict[str, dict[str, Any]]:
        """Feature name -> its kinds, its numbers of records and of values, its SQL column and type.

        Raises:
            AttributeError: this is a view; the index has these numbers only for all records together.
        """
        self._need_all("schema")
        return {feature["name"]: feature for feature in _ofindex.features(self._source, True)}

    @property
    def info(self) -> dict[str, Any]:
        """Totals, shards, features and damage, with the keys of ``ofindex info --json``.

        Raises:
            AttributeError: this is a view; the index has these numbers only for all records together.
        """
        self._need_all("info")
        return _ofindex.info(self._source)

    def stats(self, name: str, top: int = 10, bins: int = 10) -> dict[str, Any]:
        """Return statistics of one column's values in these records, with the keys of ``ofindex stats --json``. A
        record that occurs twice in a view counts twice::

            ds.stats("score")["max"]  # 0.99...

        Raises:
            QueryError: there is no such column.
        """
        return _ofindex.stats(self._source, self.rows, name, whole(top, "top"), whole(bins, "bins", 1))

    def verify(
        self, quick: bool = False, threads: int | None = None, progress: bool | Report | None = None
    ) -> dict[str, Any]:
        """Compare the shards with the index: fingerprints, framing and every checksum, or only fingerprints if `quick`.
        Returns a dict with the keys of ``ofindex verify --json``; ``clean`` is true if nothing was found::

            ds.verify()["clean"]  # True
        """
        with reporting(progress, "verify") as report:
            root = os.fsdecode(self._options["root"] or "")
            return _ofindex.verify(self._source, root, quick, thread_limit(threads), report)

    def explore(self, *, height: int = 800) -> Page:
        """Show these records in a notebook: the page of `ofindex.serve`, in a frame of `height` pixels::

            page = ds.explore()  # as the last expression of a cell, it is displayed
            page.url  # 'http://127.0.0.1:...'
            page.server.close()

        The browser must run on this machine, or reach the page's port through ``ssh -L``.

        Raises:
            ValueError: this is a view. StaleError: the index was replaced after it was opened.
        """
        return explore(self, height)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (
            self._source.place,
            self._options,
            self._source.identity,
            self.rows.serialize(),
        )

    def __eq__(self, other: object) -> bool:
        """Whether both contain the same records of the same index, in the same order, with the same numbers."""
        if not isinstance(other, Dataset):
            return NotImplemented
        return self._source.id == other._source.id and self.rows.fingerprint() == other.rows.fingerprint()

    def __hash__(self) -> int:
        return hash((self._source.id, self.rows.fingerprint()))

    def __repr__(self) -> str:
        name = reprlib.repr(self._source.index_path)
        if self._is_lazy:
            return f"<ofindex.Dataset {name}: a view that is evaluated on first use, id {self._source.id[:16]}>"
        if self._is_all:
            return f"<ofindex.Dataset {name}: {len(self):,} records, id {self._source.id[:16]}>"
        rows = f"{len(self):,} of {self._source.records:,} records"
        return f"<ofindex.Dataset {name}: {rows}, id {self._source.id[:16]}, rows {self.rows.fingerprint()[:16]}>"

    def _repr_html_(self) -> str:
        return dataset_html(self)


def _reopen(index_path: str, options: dict[str, Any], identity: str, rows: bytes) -> Dataset:
    """Rebuild a Dataset from a pickle."""
    source = open_source(index_path, options)
    if source.identity != identity:
        raise StaleError(
            f"{index_path}: the index was rebuilt or updated after this Dataset was pickled: open it again"
        )
    return Dataset(source, _ofindex.Rows.parse(rows, source.ordinals), options)
