#!/usr/bin/env python3
"""Writes the seeds of the corpora: a few inputs for each target, from which libFuzzer finds the others.

    fuzz/make_seeds.py OFINDEX [FOLDER]

OFINDEX is the command, which makes the files that only it can make. FOLDER is build-fuzz/corpus unless given, where
tools/fuzz finds them.
"""

from __future__ import annotations

import itertools
import json
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
GZIP, ZLIB, DEFLATE = 31, 15, -15  # window bits, as zlib numbers the formats
OFRECORD, EXAMPLE, SEQUENCE = 3, 1, 2


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def tf_record(payload: bytes) -> bytes:
    length = struct.pack("<Q", len(payload))
    return length + masked(length) + payload + masked(payload)


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def number(at: int, value: int) -> bytes:
    return varint(at << 3) + varint(value)


def entry(name: str, kind: int, values: bytes) -> bytes:
    return field(1, field(1, name.encode()) + field(2, field(kind, values)))


def floats(*values: float) -> bytes:
    return field(1, struct.pack(f"<{len(values)}f", *values))


def payloads() -> list[tuple[int, bytes]]:
    """Payloads with their kinds."""
    features = entry("a", 3, field(1, varint(7) + varint((1 << 64) - 1))) + entry("label", 3, number(1, 3))
    features += entry("image", 1, field(1, b"\xff\xd8\xff\xe0") + field(1, b"")) + entry("score", 2, floats(0.5, -1))
    lists = field(1, field(1, b"l") + field(2, field(1, field(3, number(1, 5))) + field(1, field(2, floats(2)))))
    steps = field(1, field(1, b"l") + field(2, field(1, field(3, number(1, 5))) + field(1, field(3, number(1, 6)))))
    texts = field(1, field(1, b"l") + field(2, field(1, field(1, field(1, b"x"))) + field(1, b"")))
    empty = field(1, field(1, b"l") + field(2, b"")) + field(1, field(1, b"m") + field(2, field(1, b"")))
    doubles = (
        entry("d", 3, field(1, struct.pack("<d", 1e300))) + entry("i", 4, number(1, 9)) + entry("b", 5, number(1, 1))
    )
    plain = entry("a", 5, number(1, 7)) + entry("image", 1, field(1, b"x")) + entry("label", 4, number(1, 300))
    numbers = entry("a", 4, field(1, varint(7) + varint((1 << 64) - 2))) + entry("d", 3, field(1, bytes(16)))
    return [
        (OFRECORD, plain + doubles),
        (OFRECORD, numbers + entry("label", 2, floats(1, 2))),
        (OFRECORD, doubles + entry("a", 4, number(1, 1 << 40))),
        (EXAMPLE, field(1, features)),
        (SEQUENCE, field(1, features) + field(2, lists)),
        (SEQUENCE, field(1, entry("a", 3, b"")) + field(2, steps)),
        (SEQUENCE, field(2, texts)),
        (SEQUENCE, field(2, empty) + field(3, b"x")),
        (OFRECORD, entry("image", 1, field(1, b"xyz")) + entry("label", 1, field(1, b"xyzxyzxy"))),
        (OFRECORD, features + doubles),
        (EXAMPLE, b""),
        (EXAMPLE, field(1, entry("a", 3, number(1, 1)) + entry("a", 1, field(1, b"again")))),
        (EXAMPLE, field(1, features)[:-3]),
    ]


def extracted() -> list[bytes]:
    """Payloads, pairs of them that are alike, and many names (fuzz/payloads/extractor_check.cc)."""

    def alike(image: bytes, label: int) -> bytes:
        return (
            entry("label", 3, field(1, varint(label))) + entry("image", 1, field(1, image)) + entry("s", 2, floats(1))
        )

    def of_alike(image: bytes, label: int) -> bytes:
        return entry("label", 5, field(1, varint(label))) + entry("image", 1, field(1, image))

    pairs = [(alike(b"x", 1), alike(other, label)) for other, label in ((b"y", 2), (b"y" * 200, 300), (b"", 1))]
    of_pairs = [(of_alike(b"x", 1), of_alike(other, label)) for other, label in ((b"y", 2), (b"y" * 200, 300))]
    seeds = [bytes([kind]) + payload for kind, payload in payloads()]
    for first, second in pairs:
        seeds += [
            bytes([128 + kind]) + struct.pack("<H", len(field(1, first))) + field(1, first) + field(1, second)
            for kind in (EXAMPLE, SEQUENCE)
        ]
    seeds += [bytes([128 + OFRECORD]) + struct.pack("<H", len(first)) + first + second for first, second in of_pairs]
    scalars = b"".join(number(i, 200) + field(i, varint(300)) for i in (3, 4, 5, 8, 13, 14, 17, 18, 23, 24, 37, 38))
    scalars += b"".join(varint(i << 3 | 1) + bytes(8) for i in (1, 6, 16, 21, 26, 36))
    scalars += (
        b"".join(varint(i << 3 | 5) + bytes(4) for i in (2, 7, 15, 22, 27, 35)) + field(9, b"x") + field(12, b"y")
    )
    seeds += [bytes([128]) + bytes(2) + scalars, bytes([128 + 60]) + bytes(2) + scalars]
    return seeds + [
        bytes([252 + kind]) + struct.pack("<HH", count, step) + b"n"
        for kind in (EXAMPLE, SEQUENCE, OFRECORD)
        for count, step in ((5, 1), (4500, 7), (5999, 8000))
    ]


def deflated(data: bytes, bits: int, level: int = 6, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> bytes:
    """A stream of several blocks."""
    stream = zlib.compressobj(level, zlib.DEFLATED, bits, 8, strategy)
    third = len(data) // 3
    out = stream.compress(data[:third]) + stream.flush(zlib.Z_FULL_FLUSH)
    out += stream.compress(data[third : 2 * third]) + stream.flush(zlib.Z_SYNC_FLUSH)
    return out + stream.compress(data[2 * third :]) + stream.flush()


def inflating() -> list[bytes]:
    data = b"".join(tf_record(payload) for _, payload in payloads()) * 3
    prefix = {GZIP: b"\0", ZLIB: b"\1", DEFLATE: b"\2"}
    sizes = struct.pack("<HH", 100, 300)
    rng = random.Random(3)
    forged = [
        bytes([64 + (2 + prefix[bits][0]) % 3]) + bytes([n, what, 1]) + rng.randbytes(13) + sizes + deflated(data, bits)
        for bits in (GZIP, DEFLATE)
        for n, what in [(0, what) for what in range(6)] + [(2, 5)]
    ]
    forged += [bytes([129 + prefix[bits][0]]) + sizes + deflated(data, bits) for bits in (GZIP, ZLIB)]
    forged += [bytes([225]) + bytes(16) + sizes + deflated(data, GZIP)]
    small = [zlib.compressobj(6, zlib.DEFLATED, bits, 1) for bits in (GZIP, DEFLATE)]  # blocks of 128 symbols
    forged += [bytes([i * 2]) + sizes + each.compress(data[:2500]) + each.flush() for i, each in enumerate(small)]
    seeds = forged + [prefix[bits] + sizes + deflated(data, bits) for bits in (GZIP, ZLIB, DEFLATE)]
    one = deflated(data[:300], GZIP)
    named = b"\x1f\x8b\x08\x1e" + bytes(6) + struct.pack("<H", 3) + b"abc" + b"name\0" + b"note\0" + b"\0\0" + one[10:]
    seeds += [b"\0" + sizes + stream for stream in (one + one, one[:-5], one[:-8] + bytes(8), one + b"trailing", named)]
    seeds += [b"\1" + sizes + deflated(data[:200], ZLIB) * 2]
    seeds += [b"\2" + sizes + deflated(data, DEFLATE, 0), b"\2" + sizes + deflated(data, DEFLATE, 9, zlib.Z_FIXED)]
    seeds += [b"\2" + sizes + deflated(bytes(20000), DEFLATE)]
    return seeds


def blob(content: bytes) -> bytes:
    return struct.pack("<Q", len(content)) + content


def value(kind: int, integer: int = 0, real: float = 0, text: bytes = b"") -> bytes:
    """A ColumnValue (index/fields/column_fields.cc)."""
    return bytes([kind]) + struct.pack("<qd", integer, real) + blob(text)


def saved(offsets: bytes, records: int) -> list[bytes]:
    """Returns one block and findings as AppendSaved writes them (index/resume/saved_block.cc), totals, a set, and
    files of whole shards."""
    sparse = b"\1" + blob(bytes([3, 0, 2, 9, 1, 4]))
    dense = b"\0" + blob(bytes(i % 3 for i in range(2048)))
    numbers = struct.Struct("<6Q").pack
    chunk = b"\0" + struct.pack("<QQ", 1, 0) + value(1, -5) + value(3, text=b"z") + blob(b"data")
    features = [
        blob(b"label") + b"\x20" + numbers(records, records, 1, 1, 0, records) + sparse + struct.pack("<Q", 1) + chunk,
        blob(b"name") + b"\x02" + numbers(3, 9, 1, 5, 30, 0) + dense + struct.pack("<Q", 0),
    ]
    bad = struct.pack("<QQ", 1, 1 << 16 | 2)
    begin = struct.pack("<5Q", 0, records, 0, 1 << 20, 1 << 19)
    end = b"\0\0"
    block = begin + blob(offsets) + blob(bytes(8 * records)) + bad + struct.pack("<Q", 1) + features[0]
    several = begin + blob(offsets) + blob(b"") + struct.pack("<QQ", 0, 2) + b"".join(features)
    damage = struct.pack("<QQQBB", 2, 10, 20, 1, 0) + struct.pack("<QQBBQQ", 30, 40, 4, 1, 5, 9)
    stream = struct.pack("<QQQQ", 5000, 1, 0, 80) + blob(b"\0") + struct.pack("<QQQ", 0, 0, 0)
    whole = block + struct.pack("<Q", 0) + end
    entry, last = struct.pack("<H", len(whole)) + whole, b"\1\0\0"
    shards = [
        b"\0" + entry + last,
        b"\0" + entry + b"\0" + entry + last + b"\2" + entry + b"\3\0\0",
        b"\0" + struct.pack("<H", 4096 + 5) + b"hello" + last,
        *(b"\0" + entry + b"\x09\0\0" + struct.pack("<Q", records) for records in (5, (1 << 64) - 1)),
    ]
    totals = b"".join(map(varint, (0, 32, 3, 3, 1, 1, 3, 0, 2, 2, 3, 9, 0, 5, 0, 30)))
    sets = [
        bytes([1]) + varint(3) + varint(0) + varint(3) + struct.pack("<3H", 1, 5, 9),
        bytes([1]) + varint(70000) + varint(1) + varint(5) + varint(70000),
        bytes([1]) + varint(2) + varint(4) + varint(2) + struct.pack("<2H", 0, 7),
    ]
    return [
        b"\0" + whole,
        b"\0" + several + struct.pack("<QQ", 1, 3) + b"\1\1" + blob(b"dropped"),
        b"\1" + damage + stream,
        b"\2" + (90).to_bytes(3, "little") + totals,
        *(b"\3" + each for each in sets),
        *(b"\xff\0" + each for each in shards),
    ]


def hash_of(facts: bytes, bucket: int, entry: int) -> int:
    """A hash that an entry of a key has (index/keys/key_format.h)."""
    bucket_bits, hash_bits, ordinal_bits = facts[32:35]
    part_bits = hash_bits - bucket_bits
    return bucket << (64 - bucket_bits) | entry >> ordinal_bits << (64 - bucket_bits - part_bits)


def keys(sections: list[bytes], rng: random.Random) -> list[bytes]:
    entries, directory, facts = sections[:3]
    begins = struct.unpack(f"<{len(directory) // 8}Q", directory)
    numbers = struct.unpack(f"<{len(entries) // 8}Q", entries)
    found = [
        struct.pack("<Q", hash_of(facts, bucket, numbers[begins[bucket] + 3])) for bucket in range(len(begins) - 1)
    ]
    sought = bytes([len(found) + 1]) + b"".join(found) + bytes(8)
    named = facts[:36] + struct.pack("<I", 4) + facts[40:64] + b"name"
    rest = bytes([len(directory) // 8]) + directory + entries
    own, other = (sought + bytes([len(each) - 64]) + each + rest for each in (named, facts))
    seeds = [bytes([0]) + rng.randbytes(200), bytes([0]) + b"\7\7\7\1\0" * 300, b"\1" + own, b"\3" + other]
    seeds += [bytes([first]) + each for first in (129, 193) for each in (own, other)]
    seeds += [bytes([63]) + bytes(32) + own]
    seeds += [  # values and the records that they lead to
        bytes([255, feature, hash_bits, forged]) + bytes(x for i in range(60) for x in (i % 16, i))
        for feature, hash_bits, forged in itertools.product(range(3), (4, 64), (0, 1))
    ]
    return seeds + [bytes([first]) + rng.randbytes(32) + own for first in (5, 5, 5, 5, 9, 13, 133, 197, 197)]


def walked() -> list[bytes]:
    """Shards as made_shard.cc describes them: a piece, a length, bytes."""
    record, bad, raw, header, zeros, nested, huge = range(7)

    def piece(what: int, content: bytes) -> bytes:
        return bytes([what, len(content)]) + content

    sound = b"".join(piece(record, b"payload %d" % i) for i in range(6))
    gap = piece(raw, b"garbage") + piece(header, b"")[:2] + b"\x20\0"
    seeds = []
    for framing in (0, 1):
        start = bytes([framing, 0, 1, 1])
        seeds += [start + sound, start + sound + gap + sound, start + piece(zeros, b"")[:1] + b"\x20" + sound]
        seeds += [start + piece(nested, b"inner") + bytes([huge, 3]) + sound, start + piece(bad, b"x") + sound]
        seeds += [bytes([framing, 0, 1, 0]) + tf_record(b"a") + tf_record(b"b" * 40)[:-3]]
    return seeds


def detected() -> list[bytes]:
    shard = b"".join(tf_record(payload) for kind, payload in payloads() if kind == EXAMPLE)
    of = b"".join(struct.pack("<Q", len(payload)) + payload for kind, payload in payloads() if kind == OFRECORD) * 3
    sequences = b"".join(tf_record(payload) for kind, payload in payloads() if kind == SEQUENCE)
    files = [
        shard,
        sequences,
        shard[:-1] + b"\0",
        of,
        deflated(shard, GZIP),
        deflated(shard, ZLIB),
        deflated(of, GZIP),
        b"",
        b"plain text\n",
    ]
    files += [b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n", bytes(40)]
    large = field(1, field(1, b"x") + field(2, field(1, field(1, bytes(1_500_000)))))
    files += [deflated(tf_record(field(1, large)), GZIP, 9), deflated(struct.pack("<Q", len(large)) + large, ZLIB, 9)]
    files += [deflated(tf_record(bytes(2_000_000)), GZIP, 9), deflated(struct.pack("<Q", 1 << 40) + large, GZIP, 9)]
    seeds = [b"\0" + bytes([framing, 0]) + content for content in files for framing in (0, 1)]
    seeds += [
        bytes([choice, shape]) + content for choice in (1, 3, 11, 27) for shape in (0, 4) for content in files[-4:]
    ]
    seeds += [
        bytes([choice, shape, 9, kind, 0, 0]) for choice in (0, 1, 3) for shape in (128, 129) for kind in (0, 1, 2)
    ]
    return (
        seeds
        + [bytes([choice]) + b"\0\0" + shard[:60] for choice in (1, 3, 8, 24, 40)]
        + [bytes([0]) + w for w in walked()]
    )


def made_by(ofindex: str, folder: Path) -> dict[str, list[bytes]]:
    """Parts of files that the command makes."""
    rng = random.Random(1)
    rows = [
        {"i": i * 1000, "small": i % 3, "r": rng.random(), "t": f"text {i % 9}", "u": "x" * rng.randrange(40)}
        | ({"l": [i, 2, 3][: i % 4], "s": ["a", "b"][: i % 3]} if i % 5 else {})
        for i in range(300)
    ]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "table.csv").write_text("_id,score,note\n" + "".join(f"{i},{i / 8},n{i % 3}\n" for i in range(0, 300, 2)))

    def run(*arguments: str) -> None:
        subprocess.run([ofindex, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    run("pack", "rows.jsonl", "-o", "set", "--to", "tfrecord", "--shards", "1")
    run("build", "set", "--columns", "i,small,r,t,u,l,s")
    run("attach", "set.ofidx", "table.csv", "--key", "_id")
    run("key", "set.ofidx", "t")
    index = sqlite3.connect(folder / "set.ofidx")
    chunks = [
        struct.pack("<H", records) + data
        for records, data in index.execute("SELECT b.records, c.data FROM chunk c JOIN block b ON b.block = c.block")
    ]
    packed = [b"\1" + struct.pack("<HQ", 300, 16) + bytes([1]) + struct.pack("<H", 100) + bytes([4, 9, 9, 9, 9, 1])]
    offsets = packed + [
        b"\0" + struct.pack("<H", records) + blob
        for records, blob in index.execute("SELECT records, offsets FROM block")
    ]
    attached = sections_of(folder / "set.ofidx-attached")
    key = sections_of(next(folder.glob("set.ofidx-key-*")))
    return {
        "chunk": [chunk for chunk in chunks if len(chunk) < 2048],
        "packed_offsets": offsets,
        "attachment": [
            bytes([first]) + patch + struct.pack("<H", len(attached[0])) + attached[0] + attached[1]
            for first, patch in [(0, b"")]
            + [(first, rng.randbytes(32)) for first in (1, 2, 3, 8, 8, 8, 9, 10, 251, 254)]
        ],
        "key": keys(key, rng),
        "saved": saved(*next((blob, records) for records, blob in index.execute("SELECT records, offsets FROM block"))),
    }


def sections_of(path: Path) -> list[bytes]:
    """The sections of a sealed file (mmap/sealed/sealed_format.h)."""
    data = path.read_bytes()
    places = [struct.unpack_from("<QQ", data, 80 + 16 * i) for i in range(struct.unpack_from("<I", data, 12)[0])]
    return [data[at : at + size] for at, size in places]


SCALARS = (
    "double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes"
).split()


def descriptors(folder: Path) -> list[bytes]:
    (folder / "m.proto").write_text(
        'syntax = "proto2"; package p; message M { optional int64 a = 1; repeated group B = 2 { optional string c = 1; '
        "} message N { repeated sint32 d = 1 [packed = true]; optional M m = 2; enum E { X = 0; } optional E e = 3; } "
        "optional N n = 3; map<string, double> o = 4; } "
        + "message A { "
        + " ".join(f"optional {name} f{i} = {i};" for i, name in enumerate(SCALARS, 1))
        + " }"
    )
    shutil.copy(HERE.parent / "proto" / "example.proto", folder / "example.proto")
    seeds = []
    for name in ("m.proto", "example.proto"):
        out = folder / "set.pb"
        subprocess.run(["protoc", f"--descriptor_set_out={out}", name], cwd=folder, check=True)
        seeds.append(out.read_bytes())
    return seeds


STATE = {
    "schema": "ofindex.sampler/1", "law": 1, "seed": 5, "epoch": 3, "position": 20, "generation": 1, "records": 90,
    "dataset": "0" * 32, "selection": "0" * 32, "order": "shuffle",
}  # fmt: skip

WHERE = """label = 3|label IN (1, 2) OR name IS NULL|name LIKE 'image 4%'|score BETWEEN 2.5 AND 9|_length > 70
"boxes#count" = 2|has(boxes, 6)|_offset < 300 AND _shard LIKE '%-1'|NOT (label > 2.5) AND score IS NOT NULL|_id % 7 = 3
label + 1 < _id / 10|raw = x'ffd8ff30'|name GLOB 'image [1-3]*'|_id IN (SELECT max(_id) FROM records GROUP BY label)
length(name) = 7 AND upper(name) > 'IMAGE 5'|score > (SELECT avg(score) FROM records)|label = '3'|label IS 3.0
label = x'00' OR score = x'ff'|_shard = 'part-1'|_bad IS NULL|2.5 < score AND score < 5 AND score < 7 AND label >= 1
label IN (SELECT label FROM records WHERE score > 3)|1, 2|count(*) > 1|SELECT 1|label = 'name'|name = "nam"|labl = 3
score NOT BETWEEN 1 AND 2|label NOT IN (1, 2)|name > 'image 3' AND name <= 'image 5'|name IN ('image 1', x'00')
_id IN (SELECT _id FROM records JOIN shards USING (_shard))|label IN (SELECT number FROM bad)|label = ?1|(label
'name' = 'image 3'|label > 1 OR (SELECT count(*) FROM features) > 2|NULL|label = 1; label = 2|random() > 0|3.0
label = ?1 AND score > ?2|name = :t OR raw = $b|label IS @n|label = ?3|must = 1|label > :must|raw = ?
label BETWEEN ?2 AND ?1
_id IN (1, 5, 70)|_id BETWEEN 3 AND 9|_id < 40 AND label = 1|label IN (SELECT 1 UNION SELECT 2) AND name > 'image 3'
label > '2'|name > 2|label IN ('1', 2)|score NOT BETWEEN 3 AND 5 OR score IS NULL|has(name, 'image 3')|raw > x'ff'
name = "x"|name IN ("x", 'y')|name BETWEEN "a" AND "b"|name LIKE "x%"|x.label = 1|records.lable = 1|name = 'x|1a
label > 1 /* a */ -- b|has(name)|noo(label)|label = "1" AND (name = "it's" OR "x y" = name)|name IS NOT "x"|[x]|label#
name REGEXP '[13]$'|CASE label WHEN 1 THEN score ELSE 0 END > 3|label BETWEEN -1 AND 9223372036854775807|1""".replace(
    "\n", "|"
)

SQL = """SELECT count(*), sum(label), min(name), max(score), avg(score), total(label) FROM records
SELECT label, count(*) AS n FROM records WHERE score > 3 GROUP BY label HAVING n > 2 ORDER BY n DESC
SELECT DISTINCT label FROM records
SELECT name, score FROM records ORDER BY score DESC
WITH t AS (SELECT label * 2 AS d FROM records) SELECT d, count(*) FROM t GROUP BY d
SELECT a.label, count(b.name) FROM records a JOIN records b ON a._id = b._id + 1 GROUP BY 1
SELECT 'label', count('name'), min("labl") FROM records WHERE 'score' > 3 AND 'name' IS NOT NULL GROUP BY 'label'
SELECT DISTINCT 'name' FROM records WHERE 'label' IN (1, 2) OR 2 < 'score' OR 'raw' NOT LIKE 'x' OR 'it''s' = 'label'
SELECT count(*) FROM records a JOIN records b USING (label, name) WHERE a._id < 5
SELECT label, sum(score * 2.5 - 1.5) AS s, count(*) FROM records GROUP BY label ORDER BY s DESC NULLS LAST, label ASC
SELECT label + 1 AS l, sum(label * -2.5) FROM records GROUP BY l ORDER BY l
SELECT 2 * score, count(*) FROM records GROUP BY 2 * score ORDER BY 2 * score DESC
SELECT label % 3 k, total(_length / 2), min(label - 1), max(_id + 1) FROM records WHERE label IS NOT NULL GROUP BY k
SELECT count(DISTINCT score), count(score), sum(DISTINCT label) FROM records WHERE label = 3 AND score > 1.25
SELECT 9223372036854775807 + label, sum(label + 9223372036854775807) FROM records GROUP BY 1
SELECT avg(label) FILTER (WHERE score > 3) FROM records; SELECT 1
SELECT records.label FROM records, shards WHERE shards._shard = records._shard
WITH records AS (SELECT 1 AS label) SELECT label FROM records
SELECT label FROM records WHERE label IN records
SELECT nothing FROM records
SELECT label FROM record
SELECT label FROM records GROUP BY
SELECT load_extension('x')
SELECT zeroblob(100000000)
SELECT raw, score, NULL, 'x' FROM records LIMIT 3
DELETE FROM records
PRAGMA user_version
SELECT ?1, :name FROM records
SELECT label, count(*), sum(score) FROM records WHERE label < ?1 AND name <> :t GROUP BY label
SELECT ?1, ?2, :t, :b, :n, count(*) FROM records
SELECT label FROM records; SELECT 1
SELECT noo(label) FROM records
SELECT [label] FROM records WHERE "it's" > 1
SELECT "lable", labell FROM records
SELECT "image 3" = name FROM records
SELECT a.label FROM records r
SELECT label# FROM records
SELECT sqlite_master.sql FROM sqlite_master
SELECT label FROM records WHERE name = 'x
SELECT 1a FROM records
SELECT label FROM records /* a */ -- b
SELECT label FROM records WHERE label == 1 && score || 2
SELECT label FROM records ORDER label
SELECT label FROM records GROUP label
SELCT label FROM records
SELECT name FROM records WHERE name = 'it's'
SELECT a._id, b._id FROM records a, records b
WITH x AS (SELECT label FROM records), y(z) AS (SELECT 1) SELECT * FROM x, y WHERE z IN (SELECT z FROM y)
SELECT group_concat(name, '') || group_concat(name) FROM records a, records b, records c
SELECT cast(label AS REAL) + cast(score AS INTEGER), count(*) FROM records GROUP BY 1
SELECT sum(9223372036854775807) FROM records
SELECT label FROM records WHERE 'name' IN ('a', 'b') AND 'label' NOT LIKE 'x' AND 'score' BETWEEN 1 AND 2
SELECT count('label'), 'name' AS n FROM records GROUP BY 'label' ORDER BY 'score'
SELECT 'label', label FROM records UNION SELECT 'name', name FROM records
SELECT 'must', score + ?1, max(label) FROM records GROUP BY 2
SELECT "label, 1 FROM records
SELECT * FROM shards
SELECT name, present FROM features
SELECT count(DISTINCT label), quantile(score, 0.5), median(_length) FROM records
SELECT label / 2, sum(score * 2 + 1), max(_length - label) FROM records WHERE NOT has(boxes, 3) GROUP BY 1
SELECT CASE WHEN label > 2 THEN 'x' ELSE name END, count(*) FROM records GROUP BY 1
EXPLAIN QUERY PLAN SELECT 1 FROM records
VALUES (1, 'a'), (2.5, NULL)
SELECT label FROM records WHERE name = cat
SELECT label FROM records WHERE name IN ('a', cat) OR name LIKE dog
SELECT label FROM shards
SELECT number FROM features
SELECT sum(boxes) FROM records
SELECT label FROM records WHERE label = 1; -- c
SELECT label FROM records WHERE label = $
SELECT count(*) FILTER (WHERE label = cat) FROM records
SELECT label FROM records WHERE name = cat.dog AND (label = 1 OR label = 2)
SELECT label FROM records WHERE name = ‘x’
SELECT label FROM records WHERE label = 0x
SELECT of two FROM one
SELECT label FROM records WHERE label = "
label = 1 LIMIT 3
SELECT label FROM records WHERE name BETWEEN cat AND dog
SELECT label FROM records WHERE name IS NOT cat
SELECT label FROM records WHERE label = 1e
SELECT label FROM records WHERE name = cat GROUP BY label HAVING count(*) > 1 AND name IN (SELECT name FROM records WHERE label = 3)
SELECT label FROM records r WHERE r.name = r.cat AND label > 1
SELECT label FROM records WHERE label => 1
SELECT label FROM records -- a comment
name REGEXP '('
SELECT label FROM records WHERE label ^ 1
FROM records
ORDER BY label
SELECT printf('%.*c', 100000000, 'x')
SELECT label FROM records WHERE label = 1 /* never ends
SELECT label from records where 'x' = of two
SELECT label FROM records WHERE name = records.cat
label == 'x' name
WHERE label = 1
label = 3)
SELECT label FROM records WHERE (label OR 1) AND cat
INSERT INTO shards VALUES (1)
SELECT label FROM records WHERE !label
SELECT image/height FROM records
SELECT replace(hex(zeroblob(40000000)), '0', 'xxxx')
SELECT label FROM records WHERE name BETWEEN 'a' AND cat OR (label AND 1)
SELECT cast(score AS INTEGER), count(*) FROM records GROUP BY 1 UNION ALL SELECT 1, 2""".splitlines()


def bmp(size: int, compression: int, alpha: int) -> bytes:
    """The header of an image of 32 bits a pixel; BITMAPINFOHEADER and its extensions have the same fields in front."""
    header = struct.pack("<2s12xIiiHHI", b"BM", size, 7, -5, 1, 32, compression)
    return (header + bytes(32) + struct.pack("<I", alpha))[: 14 + size]


def png(color: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBB3x4x", 13, b"IHDR", 7, 5, 8, color)


def tiff(*entries: tuple[int, int, int]) -> bytes:
    """A directory of tags, types and values, in big-endian order."""
    shapes = {1: ">HHIB3x", 3: ">HHIH2x", 4: ">HHII"}
    rows = [struct.pack(shapes[kind], tag, kind, 1, value) for tag, kind, value in entries]
    return b"MM\0*" + struct.pack(">IH", 8, len(rows)) + b"".join(rows) + bytes(4)


IMAGES = [
    *(bmp(size, compression, alpha) for size in (16, 40, 56, 124) for compression in (0, 3, 6) for alpha in (0, 255)),
    *(png(color) for color in range(7)),
    tiff((256, 3, 7), (257, 4, 5), (262, 3, 3)),
    tiff((256, 1, 7), (257, 1, 5), (262, 1, 2), (277, 3, 4)),
]

ROWS = {
    0: [
        'a,b,c\n1,2.5,x\n-3,,"q ""uoted"", x"\n', "a\ntrue\nfalse\n", 'x\r\n007\r\n"\n"\r\n',
        "\ufeffa,b\n1e5,9223372036854775808\n", "a,b\n1\n", "a,a\n1,2\n",
        'a\n"x"y\n', 'a\n"x\n', "a\n1\r2\n", "\x1f\x8b", "",
        "a\n" + "x\n" * 300,
    ],
    1: ["a\tb\n1\t2\n", 'a\t"b\tc"\n"1"\t2\n'],
    2: [
        '{"a":1\n', "[1]\n",
        '{"a":18446744073709551615}\n', '{"a":{"base64":"?"}}\n', '{"a":[null]}\n', '{"a":1}\n{"a":"x"}\n',
        '{"":1}\n', '{"a":1}\n' * 300, '\n{"a":{"b":[{"c":1},{"c":2}]}}\n',
        '{"a":1,"b":{"c":0.5},"f":[1,2]}\n{"a":2,"f":[]}\n', '{"t":"x","b":{"base64":"QUI="}}\n\n{"t":null}\n',
        '{"m":[[1],[2,3]]}\n', '{"a":1}\n{"a":1.5}\n{"a":true}\n', '{"u":"\\u00e9\\ud83d\\ude00"}\n',
    ],
}  # fmt: skip

SCHEMAS = [
    '{"label":"int","box":{"x":"float"},"tags":"array<string>","counts":"map<long>"}\n{"label":3,"box":{"x":1},"tags":["a"],"counts":{"q":2}}',
    '{"d":"date","t":"time","s":"timestamp","e":"enum","y":"bytes","z":"array<byte>"}\n'
    '{"d":"2026-11-22","t":"10:30:05.25","s":"2026-11-22T10:30:05+01:00","e":"v","y":"xyz","z":[1,2]}',
    '{"b":"boolean","c":"char","s":"short","g":"bigint","m":"decimal","o":"double","h":"choice"}\n'
    '{"b":true,"c":"x","s":7,"g":8,"m":"1.5","o":2,"h":[1,2]}',
    '{"l":"array<array<int>>"}\n{"l":[[1],[2,3]]}',
]

# Each type of a source, with values of each kind.
VALUES = [
    '"7"', '""', '"x"', '"\\u00e9"', "-5", "300", "70000", "3000000000", "1e300", "0.1", "true", '"true"', "null", "[]",
    "[1,2]", "[1,null]", "[[1],[2]]", '{"q":1}', '{"base64":"QUI="}', '["a","b"]', '[1,"a"]', '"2026-02-30"',
    '"2026-11-22"', '"23:59:59.999999999"', '"2026-11-22T10:30:05Z"', '"2026-11-22 10:30-05:00"', '"1e999"', '"-"',
]  # fmt: skip
TYPES = [
    "boolean", "byte", "char", "short", "int", "bigint", "float", "decimal", "bytes", "enum", "date", "time",
    "timestamp", "choice", "array<byte>", "array<array<int>>", "map<long>", "array<choice>", "int64", "nothing",
]  # fmt: skip
SCHEMAS += [f'{{"x":"{name}"}}\n{{"x":{value}}}' for name in TYPES for value in VALUES]
SCHEMAS += ["[]", '{"x":5}', '{"":"int"}', '{"\\n":"int"}', '{"a.b":"int","a":{"b":"long"}}\n{"a":{"b":1},"a.b":2}']
SCHEMAS += ['{"a":' * 102 + '"int"' + "}" * 102, '{"x":"int"}\n{"x":1,"x":2}', '{"x":"int"}\n{"y":1}']

PART = f"{'0' * 32} 5 6 7"
SMALL_FORMATS = [
    (0, f"1 1 2 {PART} -"), (0, f"1 1 2 {PART} x6162"),
    (8, "a fact, and another fact, and then some more of them, until all are there and a name is left"),
    (24, "auto,a,b\0"), (24, "none\0"), (24, "auto\0image:hash,image:image,name:length"),
    (24, "a\\,b,\\auto\0a\\,b:image"),
    (24, "auto\0" + ",".join(f"{a}{b}:hash" for a in "abcdef" for b in "123456")),
    (0, f"2 3 7 {PART} x00ff 0 64 128 70 130 9 4 0 18446744073709551615 0 0 0"),
    (1, '[1,-2.5,"a\\u00e9\\n\\ud83d\\ude00",null,{"base64":"/9j/MA=="},9e999]'), (1, "[1,2,3]"), (3, "/9j/MA=="),
    (4, "Some text\0%o_e%t"), (12, "100%\0100!%"), (5, "image 12\0image [0-9]?*"), (5, "image]\0image[]a-]"),
    (254, "aaaaaaaaaaaab\0(a+)+$"), (6, "a" * 300 + "\0(a*)*b"), (7, "a" * 40 + "b\0(a+)+$"), (254, "image 12\0\\w+\\s\\d{2}"),
]

LISTS = [
    "5", "-1", "10:20", ":20", "-10:", "1 2,3\n4", "_id\n7\n8\n", "x,_id\na,3\n\"b,c\",4\n",
    '{"_id":5,"x":[{}]}\n{"_id":6}',
    '{"ids":[5,7]}', '[1,[2],{"_id":3}]', '{"rows":[{"_id":1},{"_id":2}]}', '{"batches":[[1,2],[3]]}', "1\0002\0003\0",
    "1\x00 \x002\x00", "\x001", "7 \x008", "a,b\n1,2\n", "_id,x\n\n1,2\n", "x,_id\n1\n", '_id,x\n"1', '"_id"\n"5"\n',
    "5 x", "word", "a,b,c,d,e,f,g,h,i,j,k,l\n", "_id, 7", "_id 7", '{"_id":5', '{"x":1}', '{"_id":"5"}',
    '{"_id":[5]}', '{"x":"a', '{"x":{"y":[1,"q\\"",{}]},"_id":3}', '{"x":}', "[[[[[[[[[1]]]]]]]]]", "[1 2]",
    "{_id:1}", '{"_id" 1}', "9" * 50, "\ufeff5", "10:20 5", '"a', '"a,b\n', 'x,"_id"\n"a""b",7\r\n', "," * 10_001,
    '{"x":' + "9" * 90 + ',"_id":1}', "-", ":", "99999", "-99999", "5:x", "20:10",
]  # fmt: skip

HEAD = "Host: 127.0.0.1:8080\r\n"
COOKIE = f"Cookie: theme=dark; ofindex_8080={'a' * 64}\r\n"
REQUESTS = [
    f"GET / HTTP/1.1\r\n{HEAD}\r\n",
    f"GET /?token={'a' * 64} HTTP/1.1\r\n{HEAD}Sec-Fetch-Site: none\r\n\r\n",
    f"GET /api/dataset HTTP/1.1\r\n{HEAD}{COOKIE}Sec-Fetch-Site: same-origin\r\nRange: bytes=2-5\r\n\r\n" * 2,
    f"HEAD /api/dataset HTTP/1.1\r\n{HEAD}Authorization: Bearer {'a' * 64}\r\nConnection: close\r\n\r\n",
    f"POST /api/sql HTTP/1.1\r\n{HEAD}{COOKIE}Origin: http://127.0.0.1:8080\r\nContent-Type: application/json\r\n"
    'Content-Length: 12\r\n\r\n{"sql":"x"}\n',
    f"POST /api/sql HTTP/1.1\r\n{HEAD}{COOKIE}Origin: http://127.0.0.1:8080\r\nContent-Type: application/json\r\n"
    "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "GET /api/dataset HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    f'GET /page/main.mjs HTTP/1.1\r\n{HEAD}If-None-Match: "x"\r\n\r\nGET /nowhere HTTP/1.0\r\n\r\n',
    "OPTIONS * HTTP/1.1\r\n\r\n",
    f"GET /%61pi/dataset?a=%2f%C3%a9+b&c=%zz&d HTTP/1.1\r\n{HEAD}{COOKIE}\r\n",
    f"GET /?token={'a' * 64}&dataset=x%26y&z=1 HTTP/1.1\r\n{HEAD}Sec-Fetch-Site: cross-site\r\n"
    "Sec-Fetch-Mode: navigate\r\n\r\n",
    f"GET /?token={'a' * 64}&v=%3Ca HTTP/1.1\r\n{HEAD}Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n\r\n",
    *(
        f'GET /api/dataset HTTP/1.1\r\n{HEAD}{COOKIE}Range: bytes={part}\r\nIf-Range: "x"\r\n\r\n'
        f"GET /api/dataset HTTP/1.1\r\n{HEAD}{COOKIE}Range: bytes={part}\r\n\r\n"
        for part in ("-5", "3-", "0-3", "900-", "5-2", "-0", "1-2,4-5")
    ),
    *(
        f"GET /api/dataset HTTP/1.1\r\nHost: {host}:8080\r\n{COOKIE}\r\n"
        for host in ("[::1]", "10.0.0.1", "[fe80::1]", "1.2.3.4.", "localhost")
    ),
    f"POST /api/sql HTTP/1.1\r\n{HEAD}{COOKIE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{{}}",
    f"POST /api/sql HTTP/1.1\r\n{HEAD}{COOKIE}Content-Length: 99999\r\n\r\n",
    f"GET / HTTP/1.1\r\n{HEAD}X: {'x' * 3000}\r\n\r\n",
    f"DELETE /api/dataset HTTP/1.1\r\n{HEAD}{COOKIE}\r\n",
    f"GET /api/dataset HTTP/1.1\r\n{HEAD}{COOKIE}Content-Length: 2\r\n\r\n{{}}",
    f"POST /api/sql HTTP/1.1\r\n{HEAD}{COOKIE}Origin: http://evil.example\r\nContent-Length: 2\r\n\r\n{{}}",
    f"POST /api/sql HTTP/1.1\r\n{HEAD}{COOKIE}Origin: http://127.0.0.1:8080\r\nContent-Length: 2\r\n\r\n{{}}",
    *(
        f"POST /api/sql HTTP/1.1\r\n{HEAD}{COOKIE}Origin: http://127.0.0.1:8080\r\nContent-Type: application/json\r\n"
        f"Content-Length: {size}\r\n\r\n{{}}"
        for size in (2, 5000, 99999999999, "x")
    ),
    *(
        f"GET /api/dataset?status={status} HTTP/1.1\r\n{HEAD}{COOKIE}\r\n"
        for status in (304, 400, 404, 409, 410, 413, 415, 422, 500, 503, 599)
    ),
    *(
        f'GET /page/main.mjs HTTP/1.1\r\n{HEAD}If-None-Match: {tag}\r\nIf-Range: "x"\r\nRange: bytes=-2\r\n\r\n'
        for tag in ('"x"', "*", '"y"')
    ),
    *(
        f"GET /?token={'a' * 64}&a=1&b HTTP/1.1\r\n{HEAD}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
        f"Sec-Fetch-Dest: {dest}\r\n\r\n"
        for dest in ("document", "document", "iframe", "iframe", "iframe", "iframe")
    ),
    *(f"GET /api/dataset HTTP/1.1\r\nHost: {host}:8080\r\n{COOKIE}\r\n" * 2 for host in ("10.0.0.1",) * 4),
    *(f"GET /api/dataset HTTP/1.1\r\nHost: {host}:8080\r\n{COOKIE}\r\n" * 2 for host in ("[fe80::1]",) * 4),
]

FILTER = (
    '{"where":"label > 1","ranges":{"score":[0,"5.5"],"_length":[null,80]},"values":{"label":[1,2]},"null":["name"]}'
)
QUERIES = [
    "", "column=label&column=score&column=name", f"column=label&filter={FILTER}",
    f"filter={FILTER}&offset=0&limit=10&order=score",
    "ordinal=5", "ordinal=5&feature=name", "ordinal=5&feature=boxes&offset=0&count=3", "shard=1&offset=40",
    "feature=label&value=3",
    "key=name&value=image 4", "dataset=0", "dataset=7", "seed=1&epoch=2&batch=8&batches=3&block=2",
    *(f"\n{json.dumps(body)}" for body in (
        {"sql": "SELECT label, score, name, raw, NULL FROM records", "limit": 5}, {"sql": "SELECT 1"}, {"limit": 5},
        {"sql": "SELECT 1", "limit": -1}, {"sql": "SELEC"},
    )),
    'filter={"ranges":{"score":[1,null],"_id":["3",9]},"values":{"name":["image 3",{"base64":"aW1hZ2UgNA=="}]}}',
    'filter={"values":{"label":["1",2.0,null,true],"score":[0.5],"raw":[{"base64":"/9j/MA=="}]},"null":["label"]}',
    'filter={"ranges":{"name":[1]}}', 'filter={"values":{"boxes":[1]}}', 'filter={"null":3}',
    'filter={"values":{"label":3}}',
    'filter={"values":{"score":[9007199254740993,18446744073709551615]},"null":["boxes"]}',
    'seed=1&batch=8&batches=3&quality=label',
    'seed=1&batch=8&batches=3&quality=label&filter={"where":"label>1"}',
    "ordinal=12&name=score&page=1", "q=image&limit=2",
    "seed=1&batch=8&count=3&quality=label&block=4", "seed=1&quality=label",
    "block=auto&quality=name", "quality=nobody",
    *(f"from=5&to={to}&seed=2" for to in ("this", "next", "previous", "random", "nowhere")),
    "from=3&count=4&order=random&seed=9&feature=name&column=label", "ordinal=900", "ordinal=5&ordinal=6&ordinal=7",
    "&".join(["ordinal=1"] * 130), "&".join(["column=a"] * 65),
    "ordinal=4&feature=label", "ordinal=6&feature=raw&index=9",
    "page=" + "x" * 40, "ordinal=6&step=3", "order=x", 'filter={"values":{"raw":[{"base64":"/9j/MA=="},null]}}',
    "seed=x",
    'filter={"values":{"boxes":[3,"4"]}}', 'filter={"nothing":1}', 'filter={"ranges":{"label":["x",null]}}',
    'filter={"null":["boxes","score"]}', "column=boxes&column=raw",
]  # fmt: skip


def quoted(query: str) -> str:
    line, newline, body = query.partition("\n")
    safe = "".join(c if c.isalnum() or c in "=&-._~" else f"%{ord(c):02X}" for c in line)
    return safe + newline + body


def in_pieces(request: bytes) -> bytes:
    """A request in pieces as fuzz/server/http_check.cc reads them."""
    pieces = b""
    while request:
        size = min((len(request) - 1) // 8, 255)
        pieces += bytes([size]) + request[: 1 + 8 * size]
        request = request[1 + 8 * size :]
    return pieces


def all_seeds(ofindex: str) -> dict[str, list[bytes]]:
    rng = random.Random(7)

    def choices(count: int, size: int) -> list[bytes]:
        return [rng.randbytes(rng.randrange(8, size)) for _ in range(count)]

    kinds = [bytes([kind]) + payload for kind, payload in payloads()]
    # Name, form, type, values and options of each spec: fixed(0), ragged(1), raw(2) and made(3) of labels and bytes.
    wanted = [
        [(0, 0, 4, 2, 0), (1, 0, 3, 1, 0), (2, 0, 13, 2, 0)],
        [(1, 1, 4, 0, 0), (2, 1, 13, 0, 0), (5, 1, 11, 0, 0), (3, 1, 9, 0, 0)],
        [(1, 2, 11, 3, 6), (2, 2, 5, 4, 6), (0, 2, 12, 2, 2), (6, 2, 0, 1, 4)],
        [(2, 3, 5, 0, 0), (5, 0, 11, 2, 0)],
        [(1, 3, 4, 0, 8)],
        [(4, 0, 3, 2, 1, 4), (6, 0, 13, 2, 1, 1)],
        [(1, 0, 3, 1, 1, 64)],
        [(4, 0, 0, 1, 1, 5), (1, 0, 2, 1, 0), (1, 0, 2, 1, 255)],
        [(3, 0, 4, 1, 0)],
        [(3, 0, 11, 2, 0)],
        [(6, 0, 12, 2, 0), (0, 0, 10, 1, 0)],
    ]
    specs = [
        bytes([kind - 1, len(some)]) + bytes(b for one in some for b in one) + bytes([len(payload)]) + payload * 2
        for kind, payload in payloads()
        for some in wanted
        if len(payload) < 256
    ]
    seeds = {
        "walker": walked(),
        "detection": detected(),
        "inflating": inflating(),
        "map": choices(12, 60),
        "index": [bytes([i % 29 + 128 * (i // 29), 1 + i]) + rest for i, rest in enumerate(choices(58, 60))]
        + [bytes([question + updated, 0]) for question in range(29) for updated in (0, 128)]
        + [bytes([question, 1, 6, fact, 4, 2]) + b"x" * 9 for question in (0, 2) for fact in range(8)]
        + [
            bytes([question + updated, 1, 0, table, 0, column, *cell])
            for question, updated in itertools.product((0, 3), (0, 128))
            for table, column in itertools.product(range(13), range(17))
            for cell in ((1, 0), (1, 2), (1, 9), (4, 1, 120))
        ],
        "batch": [bytes([kind]) + bytes([3, 40, 41, 42]) * 3 for kind in (0, 1, 2)]
        + [bytes([i % 4]) + rest for i, rest in enumerate(choices(24, 200))],
        "features": kinds,
        "extractor": extracted(),
        "decoding": specs,
        "image_header": IMAGES,
        "rows": [
            bytes([form, kind]) + text.encode() for form, texts in ROWS.items() for text in texts for kind in (0, 2)
        ],
        "schema": [bytes([i % 3, i % 4]) + text.encode() for i, text in enumerate(SCHEMAS)],
        "ordinals": [struct.pack("<H", 30) + text.encode() for text in LISTS]
        + [struct.pack("<H", 30) + "1 2".encode(code) for code in ("utf-16", "utf-16-le", "utf-16-be")],
        "sampler_state": [
            json.dumps(STATE | more, separators=(",", ":")).encode()
            for more in (
                {},
                {"skip": [[1, 2, 0, 5, 0, 7]]},
                {"order": "block"},
                {"order": "block 4, 2 lanes, window 8"},
                {"law": 2},
                {"generation": 1 << 63},
                {"skip": [[2, 1, 0, 5, 0, 7]]},
                {"skip": 5},
                {"skip": [[1]]},
                {"seed": "x"},
                {"order": 3},
                {"order": "x" * 300},
                {"schema": 5},
                {"epoch": 0, "position": 60},
                *(
                    {"generation": old, "records": new, "position": position}
                    for old in range(4)
                    for new in range(4)
                    for position in (0, 7)
                ),
            )
        ],
        "small_formats": [bytes([kind]) + text.encode() for kind, text in SMALL_FORMATS],
        "where": [text.encode() for text in WHERE.split("|")],
        "sql": [text.encode() for text in SQL + WHERE.split("|")] + [b"SELECT 1\0"],
        "http": [bytes([i % 4]) + in_pieces(request.encode()) for i, request in enumerate(REQUESTS)],
        "explorer": [
            bytes([path]) + quoted(QUERIES[i % len(QUERIES)]).encode()
            for i in range(len(QUERIES))
            for path in range(14)
        ],
    }
    with tempfile.TemporaryDirectory() as folder:
        seeds["descriptors"] = descriptors(Path(folder))
        seeds |= made_by(ofindex, Path(folder))
    return seeds


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(f"usage: {sys.argv[0]} OFINDEX [FOLDER]")
    corpus = Path(sys.argv[2]) if len(sys.argv) == 3 else HERE.parent / "build-fuzz" / "corpus"
    for target, inputs in all_seeds(str(Path(sys.argv[1]).resolve())).items():
        folder = corpus / target
        folder.mkdir(parents=True, exist_ok=True)
        for i, content in enumerate(inputs):
            (folder / f"seed-{i:03}").write_bytes(content)


if __name__ == "__main__":
    main()
