"""Example, SequenceExample and OFRecord as libprotobuf reads them, and the JSON that `ofindex get --json` promises.

The message classes are built at run time from the published schemas, without protoc or generated code. Payload kinds
have the names that the command uses: example, sequence_example, ofrecord.
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALAR = {
    "bytes": _FIELD.TYPE_BYTES,
    "float": _FIELD.TYPE_FLOAT,
    "double": _FIELD.TYPE_DOUBLE,
    "int32": _FIELD.TYPE_INT32,
    "int64": _FIELD.TYPE_INT64,
}
_TENSORFLOW_KINDS = ("bytes", "float", "int64")
_ONEFLOW_KINDS = ("bytes", "float", "double", "int32", "int64")


class _Schema:
    """One .proto file under construction. Message types are named without their package."""

    def __init__(self, package: str, syntax: str) -> None:
        self.file = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax=syntax)

    def message(self, name: str) -> descriptor_pb2.DescriptorProto:
        return self.file.message_type.add(name=name)

    def field(self, message: descriptor_pb2.DescriptorProto, name: str, number: int, type_name: str) -> Any:
        """Adds an optional field whose type is another message."""
        return message.field.add(
            name=name,
            number=number,
            label=_FIELD.LABEL_OPTIONAL,
            type=_FIELD.TYPE_MESSAGE,
            type_name=f".{self.file.package}.{type_name}",
        )

    def map_field(self, message: descriptor_pb2.DescriptorProto, name: str, value_type: str) -> None:
        """Adds `map<string, value_type> name = 1`."""
        entry_name = name.title().replace("_", "") + "Entry"
        entry = message.nested_type.add(name=entry_name)
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, label=_FIELD.LABEL_OPTIONAL, type=_FIELD.TYPE_STRING)
        self.field(entry, "value", 2, value_type)
        self.field(message, name, 1, f"{message.name}.{entry_name}").label = _FIELD.LABEL_REPEATED

    def feature(self, kinds: Sequence[str]) -> None:
        """Adds one list message for each kind, and Feature with a oneof of them, numbered from 1."""
        for kind in kinds:
            values = self.message(f"{kind.title()}List").field.add(
                name="value", number=1, label=_FIELD.LABEL_REPEATED, type=_SCALAR[kind]
            )
            if kind != "bytes":
                values.options.packed = True
        feature = self.message("Feature")
        feature.oneof_decl.add(name="kind")
        for number, kind in enumerate(kinds, start=1):
            self.field(feature, f"{kind}_list", number, f"{kind.title()}List").oneof_index = 0


def _tensorflow() -> descriptor_pb2.FileDescriptorProto:
    schema = _Schema("tensorflow", "proto3")
    schema.feature(_TENSORFLOW_KINDS)
    schema.map_field(schema.message("Features"), "feature", "Feature")
    schema.field(schema.message("FeatureList"), "feature", 1, "Feature").label = _FIELD.LABEL_REPEATED
    schema.map_field(schema.message("FeatureLists"), "feature_list", "FeatureList")
    schema.field(schema.message("Example"), "features", 1, "Features")
    sequence = schema.message("SequenceExample")
    schema.field(sequence, "context", 1, "Features")
    schema.field(sequence, "feature_lists", 2, "FeatureLists")
    return schema.file


def _oneflow() -> descriptor_pb2.FileDescriptorProto:
    schema = _Schema("oneflow", "proto2")
    schema.feature(_ONEFLOW_KINDS)
    schema.map_field(schema.message("OFRecord"), "feature", "Feature")
    return schema.file


def _message_classes() -> dict[str, Any]:
    pool = descriptor_pool.DescriptorPool()
    pool.Add(_tensorflow())
    pool.Add(_oneflow())
    names = {
        "example": "tensorflow.Example",
        "sequence_example": "tensorflow.SequenceExample",
        "ofrecord": "oneflow.OFRecord",
    }
    descriptors = {kind: pool.FindMessageTypeByName(name) for kind, name in names.items()}
    if hasattr(message_factory, "GetMessageClass"):  # protobuf 4.22 and later
        return {kind: message_factory.GetMessageClass(descriptor) for kind, descriptor in descriptors.items()}
    factory = message_factory.MessageFactory(pool)
    return {kind: factory.GetPrototype(descriptor) for kind, descriptor in descriptors.items()}


MESSAGES = _message_classes()

# Feature name -> (kind, values); the kind "none" is a feature without a kind.
Features = Mapping[str, tuple[str, Sequence[Any]]]


def _fill(feature: Any, kind: str, values: Sequence[Any]) -> None:
    if kind == "none":
        feature.SetInParent()
        return
    values_of_kind = getattr(feature, f"{kind}_list")
    values_of_kind.SetInParent()
    values_of_kind.value.extend(values)


def encode(kind: str, features: Features) -> bytes:
    """A payload of kind example or ofrecord with these features, in the same order of names every time."""
    message = MESSAGES[kind]()
    target = message.feature if kind == "ofrecord" else message.features.feature
    for name, (feature_kind, values) in features.items():
        _fill(target[name], feature_kind, values)
    return message.SerializeToString(deterministic=True)


def encode_sequence(context: Features, lists: Mapping[str, Sequence[tuple[str, Sequence[Any]]]]) -> bytes:
    """A SequenceExample; every list is a sequence of steps, each a (kind, values)."""
    message = MESSAGES["sequence_example"]()
    for name, (kind, values) in context.items():
        _fill(message.context.feature[name], kind, values)
    for name, steps in lists.items():
        message.feature_lists.feature_list[name].SetInParent()
        for kind, values in steps:
            _fill(message.feature_lists.feature_list[name].feature.add(), kind, values)
    return message.SerializeToString(deterministic=True)


def as_written(value: float) -> float:
    """The number with the shortest text that is, as a 32-bit float, the same as `value`: 0.1 for the float at 0.1. An
    integer without an exponent has all its digits."""
    if not math.isfinite(value):
        return value
    single = struct.pack("<f", value)
    for digits in range(1, 10):
        if value.is_integer() and len(f"{value:.0f}") <= len(f"{value:.{digits - 1}e}"):
            return value
        number = float(f"{struct.unpack('<f', single)[0]:.{digits}g}")
        if abs(number) < 3.4028236e38 and struct.pack("<f", number) == single:
            return number
    raise AssertionError(f"{value} needs more than nine digits")


def _value_json(value: Any) -> Any:
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _feature_json(feature: Any) -> dict[str, Any]:
    which = feature.WhichOneof("kind")
    if which is None:
        return {"kind": "none", "values": []}
    values = getattr(feature, which).value
    if which == "float_list":
        values = map(as_written, values)
    return {"kind": which.removesuffix("_list"), "values": [_value_json(value) for value in values]}


def _steps_json(steps: Sequence[Any]) -> dict[str, Any]:
    """A feature list: one list of values for each step, null for a step without a kind; "mixed" if kinds differ."""
    features = [_feature_json(step) for step in steps]
    kinds = {feature["kind"] for feature in features} - {"none"}
    if len(kinds) > 1:
        return {"kind": "mixed", "values": features}
    values = [None if feature["kind"] == "none" else feature["values"] for feature in features]
    return {"kind": kinds.pop() if kinds else "none", "values": values}


def features_json(payload: bytes, kind: str) -> dict[str, Any]:
    """The `features` object of a record, as parsed JSON. A feature list of a SequenceExample is named `NAME[]`."""
    message = MESSAGES[kind].FromString(payload)
    if kind == "ofrecord":
        return {name: _feature_json(feature) for name, feature in message.feature.items()}
    if kind == "example":
        return {name: _feature_json(feature) for name, feature in message.features.feature.items()}
    found = {name: _feature_json(feature) for name, feature in message.context.feature.items()}
    for name, steps in message.feature_lists.feature_list.items():
        found[f"{name}[]"] = _steps_json(steps.feature)
    return found
