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


for _error in (Error, StaleError, DamageError, FeatureError, FormatError, QueryError, LimitError, LockError):
    _error.__module__ = "ofindex"
