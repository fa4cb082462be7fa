"""The exceptions. Each has one meaning, and the same cause raises the same exception everywhere.

Other failures raise Python's own exceptions: `ValueError` and `TypeError` for invalid arguments, `IndexError` for
ordinals that do not exist, `FileNotFoundError` for missing files (including the index), and `OSError` or a subclass for
other file errors.
"""

from __future__ import annotations


class Error(Exception):
    """The base class of ofindex's exceptions. Raised itself if an index is corrupt or of another version.

    Attributes:
        hint: How to fix the error, often a command; empty if there is no fix. The text of the error includes it.
    """

    hint: str = ""


class StaleError(Error):
    """A shard has changed since it was indexed, an index is not the expected one, or a sampler's state is of other
    data."""


class DamageError(Error):
    """The record is marked bad, or its bytes are not a message."""


class FeatureError(Error):
    """A record's feature is not as requested: missing, of another kind, or with another number of values."""


class FormatError(Error):
    """A file is not a record file, or not of the expected format."""


class QueryError(Error):
    """An SQL statement or expression is wrong, or does something that is not allowed."""


class LimitError(Error):
    """A limit was reached: time, memory, maps, descriptors."""


class LockError(Error):
    """Another process is building the same index, or writing to the same output."""


class MissingKeyError(Error, KeyError):
    """No record has this value of the feature.

    Attributes:
        value: The first value that no record has.
    """

    def __init__(self, name: str, value: object = None, count: int = 1) -> None:
        more = f", nor {count - 1:,} other{'s' if count > 2 else ''} of these values" if count > 1 else ""
        shown = repr(value)
        if len(shown) > 200:
            shown = f"{shown[:200]}... of {len(shown):,} characters"
        super().__init__(f"feature {name!r}: no record has the value {shown}{more}")
        self.value = value
        self._arguments = (name, value, count)

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the text in quotes

    def __reduce__(self) -> tuple[type[MissingKeyError], tuple[str, object, int]]:
        return MissingKeyError, self._arguments


for _error in (
    *(Error, StaleError, DamageError, FeatureError, FormatError, QueryError, LimitError, LockError),
    MissingKeyError,
):
    _error.__module__ = "ofindex"
