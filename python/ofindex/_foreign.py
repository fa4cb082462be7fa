"""Errors for names of other libraries, which say what to write here, and for misspelt names."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from . import _ofindex

_CallableT = TypeVar("_CallableT", bound=Callable[..., Any])
_KindT = TypeVar("_KindT", bound=type)

#: An argument of another library -> arguments of ofindex that do it, each with what to write; the first that the
#: function has is named. `{}` is the value that was given. No argument: the text holds for every function.
_ARGUMENTS: dict[str, tuple[tuple[str, str], ...]] = {
    # torch.utils.data.DataLoader and its samplers
    "num_workers": (("threads", "write threads={}: threads that decode, in this process"),),
    "shuffle": (
        ("sampler", "leave it out: `seed` shuffles every epoch; for the stored order, write sampler=range(len(ds))"),
        ("seed", "leave it out: `seed` draws the order"),
        ("", "leave it out: ds.shuffle(seed) shuffles"),
    ),
    "collate_fn": (("transform", "write transform={}: it gets each batch, a dict of arrays"),),
    "batch_first": (("", "leave it out: the first dimension of every array is the record"),),
    "batch_sampler": (("sampler", "write sampler=... for the order, and batch_size=..."),),
    "prefetch_factor": (("prefetch", "write prefetch={}: batches in total, not for each worker"),),
    "persistent_workers": (("", "leave it out: every iteration starts its own threads"),),
    "worker_init_fn": (
        ("processes", "leave it out: a `transform` can prepare itself in its first call"),
        ("", "leave it out: there are no worker processes"),
    ),
    "multiprocessing_context": (
        ("processes", "leave it out: `processes` are spawned"),
        ("", "leave it out: there are no worker processes"),
    ),
    "generator": (("seed", "write seed=..., a number"),),
    "num_replicas": (("world_size", "write world_size={}"),),
    "replacement": (("weights", "leave it out: `weights` and `balance` draw with replacement"),),
    "num_samples": (("", "leave it out: take(count) limits the records"),),
    "max_tokens": (("total", "write total={}"), ("length_batches", "write length_batches=ofindex.LengthBatches({})")),
    "packing": (("pack", 'write pack="best_fit"'),),
    "max_batch_size": (("records", "write records={}"),),
    "lengths": (("parts", 'write parts={{"train": 0.8, "test": 0.2}}'),),
    # Hugging Face datasets
    "num_proc": (
        ("threads", "write threads={}"),
        ("", "leave it out: a Loader's `transform` runs on threads or in `processes`"),
    ),
    "train_size": (("test_size", "write test_size=...: the train view gets the other records"),),
    "stratify_by_column": (("stratify", "write stratify={}"), ("seed", "use ds.split({{...}}, stratify={})")),
    "stratify": (("seed", "use ds.split({{...}}, stratify={})"),),
    "random_state": (("seed", "write seed={}"),),
    "batched": (("", "leave it out: for whole batches, use a Loader with `transform`"),),
    "with_indices": (("", "leave it out: use enumerate(...)"),),
    "remove_columns": (("features", "leave it out: `features` names what is read"),),
    "input_columns": (("features", "write features={{name: ofindex.fixed(...)}}"),),
    "probabilities": (("weights", "write weights={}"),),
    "stopping_strategy": (("", "leave it out: each dataset begins its next epoch when it has been read"),),
    "data_files": (("data", "write data={}"), ("path", "write path={}")),
    "data_dir": (("data", "write data={}"), ("path", "write path={}")),
    "writer_batch_size": (("", "leave it out"),),
    # tf.data, tf.io and Grain
    "num_parallel_calls": (("threads", "write threads={}"),),
    "num_parallel_reads": (("threads", "write threads={}"),),
    "buffer_size": (("prefetch", "write prefetch=...: batches"), ("", "leave it out: a shuffle is of all records")),
    "reshuffle_each_iteration": (("", "leave it out: every epoch of a sampler or a Loader has its own order"),),
    "drop_remainder": (("drop_last", "write drop_last={}"), ("tail", 'write tail="drop"')),
    "compression_type": (("compression", "write compression={}"), ("compress", "write compress={}")),
    "default_value": (("default", "write default={}"),),
    "filenames": (("data", "write data={}"), ("path", "write path={}")),
    "file_pattern": (("data", "write data={}"), ("path", "write path={}")),
    "map_func": (("function", "write function={}"), ("transform", "write transform={}")),
    "predicate": (("condition", "write condition={}"), ("expression", "write expression=..., an SQL condition")),
    "shard_options": (("world_size", "write rank=... and world_size=..."),),
    "shard_index": (("rank", "write rank={}"), ("index", "write index={}")),
    "shard_count": (("world_size", "write world_size={}"), ("num_shards", "write num_shards={}")),
    "process_index": (("rank", "write rank={}"),),
    "process_count": (("world_size", "write world_size={}"),),
    "num_epochs": (("", "leave it out: each iteration is one epoch"),),
    "pin_memory": (("", "use ofindex.torch.Loader, which has it"),),
    "device": (("", "use ofindex.torch.Loader, which has it"),),
    # words that many libraries share
    "dataset": (("datasets", "write datasets=[...]"), ("data", "write data={}")),
    "columns": (("features", "write features={{name: ofindex.fixed(...)}}"), ("names", "write names={}")),
    "schema": (("features", "write features={{name: ofindex.fixed(...)}}"),),
    "params": (("parameters", "write parameters={}"),),
    "args": (("parameters", "write parameters={}"),),
    "func": (("function", "write function={}"), ("condition", "write condition={}")),
    "fn": (("function", "write function={}"), ("transform", "write transform={}"), ("condition", "write condition={}")),
    "frac": (("test_size", "write test_size={}"),),
    "random_seed": (("seed", "write seed={}"),),
    "rng": (("seed", "write seed=..., a number"),),
    "n_jobs": (("threads", "write threads={}"),),
    "workers": (("threads", "write threads={}"),),
    "num_threads": (("threads", "write threads={}"),),
    "overwrite": (("force", "write force={}"),),
    "exist_ok": (("force", "write force={}"),),
    "mmap": (("io", 'write io="mmap"'),),
    "memory_map": (("io", 'write io="mmap"'),),
    "mode": (("append", "write append=True or force=True"), ("io", 'write io="mmap" or io="pread"')),
    "verbose": (("progress", "write progress={}"),),
    "show_progress": (("progress", "write progress={}"),),
}

#: A function of ofindex -> what to write if its arguments do not fit.
_CALLS: dict[str, str] = {
    "Dataset": "ofindex.open(path) opens an index, ofindex.build(data) makes one; both return a Dataset",
    "Mix": "ofindex.mix([a, b], weights=[0.7, 0.3]) returns a Mix",
    "Loader": "write Loader(ds, {name: ofindex.fixed(...)}, batch_size=256); other arguments by name",
    "batch": "write ds.batch(numbers, {name: ofindex.fixed(...)}), or ofindex.Loader(ds, ..., batch_size=32) for all",
    "where": "parameters are one list: where(expression, [3, 5])",
    "sql": "parameters are one list: sql(query, [3, 5])",
    "filter": "parameters are one list: filter(expression, [3, 5])",
    "select": "numbers are one list: select([3, 5])",
    "shard": "write shard(num_shards, index)",
    "mix": "datasets are one list: mix([a, b], weights=[0.7, 0.3])",
    "concat": "datasets are one list: concat([a, b])",
    "fixed": 'write fixed("int64"), or fixed("float32", (2, 3)) for values of a shape',
    "ragged": 'write ragged("int64")',
    "image": 'write image("rgb", (224, 224), fit="crop")',
    "raw": 'write raw("uint8", (28, 28))',
    "pack": 'write pack(source, output, "tfrecord"), or "ofrecord"',
}

#: An attribute of other libraries' datasets -> what to write instead.
_OF_RECORDS: dict[str, str] = {
    "len": "len(ds)",
    "num_rows": "len(ds)",
    "num_records": "len(ds)",
    "num_examples": "len(ds)",
    "size": "len(ds)",
    "shape": "len(ds)",
    "cardinality": "len(ds)",
    "column_names": "list(ds.schema)",
    "columns": "list(ds.schema)",
    "keys": "list(ds.schema)",
    "features": "ds.schema",
    "element_spec": "ds.schema",
    "dtypes": "ds.schema",
    "describe": "ds.stats(name)",
    "value_counts": "ds.stats(name)",
    "unique": "set(ds.column(name))",
    "to_dataframe": "ds.to_pandas()",
    "to_df": "ds.to_pandas()",
    "df": "ds.to_pandas()",
    "to_table": "ds.arrow()",
    "to_arrow": "ds.arrow()",
    "to_numpy": "ds.column(name)",
    "as_numpy": "ds.column(name)",
    "numpy": "ds.column(name)",
    "get_column": "ds.column(name)",
    "to_iterable_dataset": "iter(ds)",
    "as_numpy_iterator": "iter(ds)",
    "iter": "ofindex.Loader(ds, features, batch_size=...)",
    "iter_batches": "ofindex.Loader(ds, features, batch_size=...)",
    "to_loader": "ofindex.Loader(ds, features, batch_size=...)",
    "padded_batch": "ofindex.Loader(ds, features, batch_size=...)",
    "prefetch": "ofindex.Loader(ds, features, prefetch=...)",
    "repeat": "a Loader or a sampler: each iteration is the next epoch",
    "with_format": "ofindex.torch.Loader, or ds.to_torch(features)",
    "set_format": "ofindex.torch.Loader, or ds.to_torch(features)",
    "sort": "ds[np.argsort(ds.column(name))]",
    "sort_values": "ds[np.argsort(ds.column(name))]",
    "sample": "ds.shuffle(seed).take(count)",
    "head": "ds.take(count)",
    "tail": "ds[-count:]",
    "limit": "ds.take(count)",
    "iloc": "ds[numbers]",
    "loc": "ds.where(expression)",
    "query": "ds.where(expression), or ds.sql(query)",
    "groupby": "ds.sql(query)",
    "group_by": "ds.sql(query)",
    "random_split": "ds.split({...}), or ds.train_test_split(test_size)",
    "concatenate": "ds + other",
    "interleave": "ofindex.mix([ds, other])",
    "get": "ds.record(number)",
    "example": "ds.record(number)",
    "read": "ds[number]",
    "apply": "ds.map(function)",
    "remove_columns": "features={...} of a Loader, which name what is read",
    "select_columns": "features={...} of a Loader, which name what is read",
    "save_to_disk": "ofindex.pack(source, output, format)",
    "export": "ofindex.pack(source, output, format), or ds.to_pandas()",
}

#: A name in another library -> what to write instead, as attributes of the module.
_OF_MODULE: dict[str, str] = {
    "load_dataset": "ofindex.open(path), or ofindex.build(data)",
    "load_from_disk": "ofindex.open(path)",
    "load": "ofindex.open(path)",
    "read": "ofindex.open(path)",
    "read_tfrecord": "ofindex.build(data)",
    "TFRecordDataset": "ofindex.build(data)",
    "OFRecordReader": "ofindex.build(data)",
    "index": "ofindex.build(data)",
    "DataLoader": "ofindex.Loader, or ofindex.torch.Loader",
    "concatenate_datasets": "ofindex.concat([a, b])",
    "ConcatDataset": "ofindex.concat([a, b])",
    "interleave_datasets": "ofindex.mix([a, b], weights)",
    "sample_from_datasets": "ofindex.mix([a, b], weights)",
    "TFRecordWriter": "ofindex.Writer(path)",
    "FixedLenFeature": "ofindex.fixed(dtype, shape)",
    "VarLenFeature": "ofindex.ragged(dtype)",
    "RaggedFeature": "ofindex.ragged(dtype)",
    "parse_example": "ofindex.decode(payloads, features)",
    "parse_single_example": "ofindex.decode(payloads, features)",
    "random_split": "ds.split({...}), or ds.train_test_split(test_size)",
}

_FRAMES = frozenset({"pandas", "polars", "pyarrow", "datasets", "duckdb"})
_MAX_SHOWN = 3


def shown(value: Any) -> str:
    """Return a value as the caller may have written it; "..." if that is long."""
    plain = (bool, int, float, str, bytes, type(None))
    items = value if isinstance(value, (list, tuple)) else [*value, *value.values()] if isinstance(value, dict) else ()
    if isinstance(value, plain) or (items and all(isinstance(item, plain) for item in items)):
        text = repr(value)
        return text if len(text) <= 40 else "..."
    return str(getattr(value, "__name__", "..."))


def did_you_mean(wrong: str | bytes, names: Iterable[str]) -> str:
    """Return "did you mean 'x'?" for the `names` that end in `wrong`, as ``image/class/label`` in ``label``, else for
    those that are spelt nearly like it, else for those that begin with it; empty if there is none."""
    text = wrong.decode("utf-8", "surrogateescape") if isinstance(wrong, bytes) else wrong
    known = sorted(names)
    if not text:
        return ""
    ends = tuple(divider + text.lower() for divider in "/.:")
    longer = [name for name in known if name.lower().endswith(ends)]
    if not longer and (near := _ofindex.did_you_mean(text, known)):
        return near
    begins = tuple(text.lower() + divider for divider in "/.:")
    longer = longer or [name for name in known if name.lower().startswith(begins)]
    longer = sorted(longer, key=len)[:_MAX_SHOWN]
    if not longer:
        return ""
    quoted = [f"'{name.encode('utf-8', 'backslashreplace').decode()}'" for name in longer]
    return f"did you mean {' or '.join([', '.join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)}?"


def _advice(name: str, value: Any, arguments: list[str]) -> str:
    """Return what to write instead of the argument `name`, in a function with these arguments."""
    for argument, text in _ARGUMENTS.get(name, ()):
        if argument == "threads" and not (isinstance(value, int) and value > 0):
            return "leave it out: there is one thread for each processor"
        if not argument or argument in arguments:
            return text.format(bool(value) if argument == "progress" else shown(value))
    near = did_you_mean(name.lower(), arguments)
    return f"{name}: {near}" if near else f"its arguments are {', '.join(arguments)}"


def _better(function: Callable[..., Any], title: str, args: Any, kwargs: Mapping[str, Any]) -> str | None:
    """Return the text for arguments that do not fit the signature of `function`; None if they do."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        names = [name for name in signature.parameters if name != "self"]
        foreign = [name for name in kwargs if name not in signature.parameters]
        if foreign:
            said = f"{title}() got an unexpected keyword argument {foreign[0]!r}"
            return "\n".join([said] + [_advice(name, kwargs[name], names) for name in foreign])
        said = f"{title}(): {error}"
        return f"{said}\n{_CALLS[title]}" if title in _CALLS else said
    return None


def explained(function: _CallableT) -> _CallableT:
    """Make arguments that do not fit `function` an error that says what to write. Adds one call."""
    title = function.__name__ if function.__name__ != "__init__" else function.__qualname__.split(".")[-2]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # from inside of the function
            text = _better(function, title, args, kwargs)
            if text is None:
                raise
            raise TypeError(text) from None

    return call  # type: ignore[return-value]


def explained_methods(kind: _KindT) -> _KindT:
    """Make `__init__` and the public methods of a class `explained`."""
    for name, method in list(vars(kind).items()):
        if inspect.isfunction(method) and (name == "__init__" or not name.startswith("_")):
            setattr(kind, name, explained(method))
    return kind


def lacks(owner: object, name: str, names: Mapping[str, str] = _OF_RECORDS) -> NoReturn:
    """Raise the AttributeError of ``owner.name``, for its `__getattr__`: with what other libraries mean by `name`, or
    the nearest attributes."""
    kind = type(owner)
    if hasattr(kind, name):  # a property raised AttributeError: it does so again
        object.__getattribute__(owner, name)
    text = f"{kind.__name__!r} object has no attribute {name!r}"
    raise AttributeError(text if name.startswith("_") else _with_advice(text, name, names, dir(kind)))


def lacks_in_module(module: str, name: str, attributes: Iterable[str]) -> AttributeError:
    """Return the AttributeError of ``module.name``."""
    text = f"module {module!r} has no attribute {name!r}"
    return AttributeError(text if name.startswith("_") else _with_advice(text, name, _OF_MODULE, attributes))


def _with_advice(text: str, name: str, names: Mapping[str, str], attributes: Iterable[str]) -> str:
    if name in names:
        return f"{text}\nwrite {names[name]}"
    near = did_you_mean(name, [attribute for attribute in attributes if not attribute.startswith("_")])
    return f"{text}\n{near}" if near else text


#: A table of another library, by the name of its package and its class -> how to give its rows to `pack`.
_ROWS = {
    ("polars", "DataFrame"): "table.iter_rows(named=True)",
    ("polars", "LazyFrame"): "table.collect().iter_rows(named=True)",
    ("pandas", "DataFrame"): 'table.to_dict("records")',
    ("pyarrow", "Table"): "table.to_pylist()",
    ("datasets", "DatasetDict"): 'table["train"]',
}


def rows_of(value: Any) -> str | None:
    """Return the code for the rows of `value` if that is a table of another library that `pack` does not take."""
    kind = type(value)
    return _ROWS.get((kind.__module__.partition(".")[0], kind.__name__))


def frame_advice(value: Any) -> str:
    """Return what to write instead of a path, if `value` is a table or a dataset of another library; else empty."""
    if type(value).__module__.partition(".")[0] not in _FRAMES:
        return ""
    return (
        '\nwrite its rows first: ofindex.pack(rows, "data.tfrecord", "tfrecord") takes mappings or Parquet files; '
        'then ofindex.build("data.tfrecord")'
    )
