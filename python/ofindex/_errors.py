"""The exceptions. Each has one meaning, and the same cause raises the same exception everywhere.

Invalid arguments raise Python's own `ValueError` and `TypeError`, ordinals that do not exist `IndexError`, missing
files (including the index) `FileNotFoundError`, other trouble with files `OSError` or a subclass.
"""

from __future__ import annotations


class Error(Exception):
    """The base of ofindex's exceptions; also raised itself, for an index that is corrupt or of another version.

    Attributes:
        hint: How to fix it, often a command; empty if there is no fix. It is part of the text, too.
    """

    hint: str = ""


class StaleError(Error):
    """A shard, or the data of a sampler's state, is no longer what was indexed."""


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
    """Another process is building the same index."""


for _error in (Error, StaleError, DamageError, FeatureError, FormatError, QueryError, LimitError, LockError):
    _error.__module__ = "ofindex"
