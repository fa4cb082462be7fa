#!/usr/bin/env python3
"""Every error of the command names a thing, and says what was expected or what to do."""

from __future__ import annotations

import pathlib
import re
import sys
import unittest

from error_messages import Message, Sources

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("base", "proto", "mmap", "index", "query", "tools")

THING = re.compile(r"\{|'[^']+'|\"[^\"]+\"|(?:^|[ (])--?[a-z]|\b(?:DATA|INDEX|ORDINAL|QUERY)\b|\b\w+\(")
EXPECTED = re.compile(r"\bexpected\b|\bmust\b|\bat (?:most|least)\b|\bneeds?\b|\brequires?\b|\bonly\b|; usage: ")
DEFAULTS = {
    "kIo": re.compile(r"message\(|what\(\)"),
    "kLimit": re.compile(r"\bmemory\b"),
    "kIndex": re.compile(""),
    "kStale": re.compile(""),
    "kDamage": re.compile(""),
    "kFormat": re.compile("@"),
    "kFeature": re.compile(""),
}

def faults(message):
    found = []
    text = message.text
    if re.fullmatch(r"\{[^{}]*\}", text) and "message" not in text:
        found.append("passed on")
    if not THING.search(text):
        found.append("names no thing")
    if not message.hint:
        if not EXPECTED.search(text) and not (message.codes and all(c in DEFAULTS and DEFAULTS[c].search(text) for c in message.codes)):
            found.append("no expected, no hint")
        elif any(c in DEFAULTS and not DEFAULTS[c].search(text) for c in message.codes):
            found.append("default false")
    return found

R=ROOT
texts={str(p.relative_to(R)):p.read_text() for f in FOLDERS for p in sorted((R/f).rglob("*")) if p.suffix in(".h",".cc")}
n=0
for m in Sources(texts).messages():
    f=faults(m)
    if f:
        n+=1
        print(f"{m.path}:{m.line}: {','.join(m.codes)}: {m.text} ## {m.hint}\n      {f}")
print(n)
