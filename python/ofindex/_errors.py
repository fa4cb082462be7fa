"""What can go wrong. Each exception has one meaning, and the same cause has the same exception everywhere.

Arguments that make no sense are Python's own `ValueError` and `TypeError`, ordinals that are not there `IndexError`,
files that are not there (an index among them) `FileNotFoundError`, other trouble with files `OSError` or one of its
kinds.
"""

from __future__ import annotations


class Error(Exception):
    """The base of ofindex's own exceptions; also raised itself, for an index that is corrupt or of another version.

    Attributes:
        hint: What mends it, often a command; empty where nothing does. It is part of the text, too.
    """

    hint: str = ""


class StaleError(Error):
    """A shard, or what a sampler's state was taken of, is no longer what was indexed."""


class DamageError(Error):
    """The record is marked bad, or its bytes are no message."""


class FeatureError(Error):
    """A record's feature is not what was asked for: missing, of another kind, of another number of values."""


class FormatError(Error):
    """A file is no record file, or not of the format that it was taken for."""


class QueryError(Error):
    """An SQL statement or expression is wrong, or does what is not allowed."""


class LimitError(Error):
    """A limit was reached: time, memory, maps, descriptors."""


class LockError(Error):
    """Another process builds the same index."""


for _error in (Error, StaleError, DamageError, FeatureError, FormatError, QueryError, LimitError, LockError):
    _error.__module__ = "ofindex"
