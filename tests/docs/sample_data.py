"""Creates the files in the folder in which the commands of a document run."""

from __future__ import annotations

import gzip
from pathlib import Path

from oracle import messages, records

# The labels of the digits that tools/quickstart downloads, in their order (E. Alpaydin, C. Kaynak: Optical Recognition
# of Handwritten Digits, UCI Machine Learning Repository, 1998).
LABELS = (
    "01234567890123456789012345678909556509898417735100227820126337334666491509528200176321746313917684314053696175"
    "44728225795488490898012345678901234567890123456789095565098984177351002278201263373346664915095282001763217313"
    "91768431405369617544728225548849089801234567890123456789012345678909556509898417735100227820126337334666491509"
    "52820017632174631391768431405369617544728225795488490893012345678901234567890123456789095565098984177351002278"
    "20126337334666491509528200176321746313917684314053696175447282257954884908980123456789012345678901234567890955"
    "65098984177351002278201263373346664915095282001763217463139176843140536961754472822579548849089801234567890123"
    "45678901234567890955650989841773510022782012633733466649150952820017632174631391768431405369617544728225795488"
    "49089801234567890123456789012345678909556509898417735100227820126337334666491509528200176321746313917684314053"
    "69617544728225795488490898123456789012345678901234567890955650989841773512782012633733466649150952820017632146"
    "31391768431405369617544728225795449089801234567890123456789012345678909556509898417735100782012633733466649150"
    "95282001763217463139176843140536961754472822579548849089801234567890123456789012345678909556509898417735100227"
    "82012633733466649150952820017632174631391768431405369617544728225795488490898012345678901234567890123456789095"
    "56509898417735100227820126337334666491509528200176321746313917684314053696175447282257954884908012345678901234"
    "56789012345678909556509898417735100227820126337334666491509528200176321746313917684314053696175447282257954884"
    "90898012345678901234569012345678909556509898417735100227820126337334666491509528017632174631391768431405369617"
    "54472257954490898012345678901234567890123456789095565098984177351002278201263373346664915095282001763217463139"
    "1768431405369617544728225795488490898"
)

# Four of these digits: ordinal -> 64 grey levels of 0 to g, which is 16.
KNOWN_DIGITS = {
    0: "005d910000dfaf5003f20b8004c008800580098004b01c7002e5ac00006da000",
    7: "0078dgf100774bc000008d100488ff6002bff400000g5000009f100000d50000",
    1234: "01cge80004g8af3000005g300001cf00000ag500005ga00001ef6ab000dgge81",
    1796: "00ae810002ge610000ff8f00005gga0000cffc0004g64g6008ga8g80018cec10",
}
DIGITS = len(LABELS)


def digit(number: int) -> tuple[int, list[int]]:
    """Label and grey levels of digit `number`. The levels are made up if it is not in KNOWN_DIGITS."""
    if number in KNOWN_DIGITS:
        levels = [int(level, 17) for level in KNOWN_DIGITS[number]]
    else:
        levels = [(number * 31 + pixel * 7) % 17 for pixel in range(64)]
    return int(LABELS[number]), levels


def write_digits(folder: Path) -> None:
    """Writes digits/part-0 to part-3 and digits.tfrecord, with the shapes and sizes of tools/quickstart's files."""
    (folder / "digits").mkdir()
    digits = [digit(number) for number in range(DIGITS)]
    ofrecords = [
        messages.encode("ofrecord", {"image": ("int32", image), "label": ("int64", [label])}) for label, image in digits
    ]
    for part in range(4):
        part_payloads = ofrecords[DIGITS * part // 4 : DIGITS * (part + 1) // 4]
        records.write_ofrecord(folder / "digits" / f"part-{part}", part_payloads)
    examples = [
        messages.encode("example", {"image": ("bytes", [bytes(image)]), "label": ("int64", [label])})
        for label, image in digits
    ]
    records.write_tfrecord(folder / "digits.tfrecord", examples)


def flower(number: int) -> bytes:
    """An Example of data/train."""
    species = ("setosa", "versicolor", "virginica")[number % 3]
    return messages.encode(
        "example",
        {
            "name": ("bytes", [species.encode()]),
            "petal": ("float", [1 + number % 50 / 8, 0.25]),
            "species": ("int64", [number % 3]),
        },
    )


def write_train(folder: Path) -> None:
    """data/train: 350 Examples in four TFRecord shards of 100, 100, 100 and 50, and a text file."""
    train = folder / "data" / "train"
    train.mkdir(parents=True)
    for shard, count in enumerate((100, 100, 100, 50)):
        payloads = [flower(100 * shard + number) for number in range(count)]
        records.write_tfrecord(train / f"flowers-{shard:05}-of-00004.tfrecord", payloads)
    (train / "dataset_info.json").write_text('{"name": "flowers"}\n')


def write_zipped(folder: Path) -> None:
    """data/zipped: the same 350 Examples in two gzip shards."""
    zipped = folder / "data" / "zipped"
    zipped.mkdir(parents=True)
    for shard, numbers in enumerate((range(175), range(175, 350))):
        path = zipped / f"flowers-{shard:05}-of-00002.tfrecord.gz"
        path.write_bytes(gzip.compress(b"".join(records.frame_tfrecord(flower(n)) for n in numbers), mtime=0))


def write_hurt(folder: Path) -> None:
    """data/hurt.tfrecord: ten records; record 2 has a wrong length checksum, record 5 a wrong payload, and record 9 is
    cut."""
    frames = [bytearray(records.frame_tfrecord(flower(number))) for number in range(10)]
    frames[2][8] ^= 1
    frames[5][20] ^= 1
    (folder / "data" / "hurt.tfrecord").write_bytes(b"".join(frames)[:-7])


# The first digit of MNIST's training images (Y. LeCun, C. Cortes, C. Burges): row -> column of the first nonzero grey
# level, and the levels from that column on.
FIVE = {
    5: (12, "031212127e88af1aa6fff77f"),
    6: (8, "1e245e9aaafdfdfdfdfde1acfdf2c340"),
    7: (7, "31eefdfdfdfdfdfdfdfdfb5d52523827"),
    8: (7, "12dbfdfdfdfdfdc6b6f7f1"),
    9: (8, "509c6bfdfdcd0b002b9a"),
    10: (9, "0e019afd5a"),
    11: (11, "8bfdbe02"),
    12: (11, "0bbefd46"),
    13: (12, "23f1e1a06c01"),
    14: (13, "51f0fdfd7719"),
    15: (14, "2dbafdfd961b"),
    16: (15, "105dfcfdbb"),
    17: (17, "f9fdf940"),
    18: (14, "2e82b7fdfdcf02"),
    19: (12, "2794e5fdfdfdfab6"),
    20: (10, "1872ddfdfdfdfdc94e"),
    21: (8, "1742d5fdfdfdfdc65102"),
    22: (6, "12abdbfdfdfdfdc35009"),
    23: (4, "37ace2fdfdfdfdf4850b"),
    24: (4, "88fdfdfdd4878410"),
}


def five() -> bytes:
    """An Example of 859 bytes. Its entries are in the order in which another program wrote them; a map has no order."""
    image = bytearray(28 * 28)
    for row, (column, levels) in FIVE.items():
        begin = 28 * row + column
        image[begin : begin + len(levels) // 2] = bytes.fromhex(levels)
    parts = {"image_raw": ("bytes", [bytes(image)]), "label": ("int64", [5])}
    parts |= {"height": ("int64", [28]), "width": ("int64", [28])}
    example = messages.MESSAGES["example"]
    entries = [example.FromString(messages.encode("example", {name: parts[name]})).features for name in parts]
    content = b"".join(entry.SerializeToString() for entry in entries)
    # The tag of field 1, and the length as a varint of two bytes.
    return bytes([1 << 3 | 2, len(content) & 0x7F | 0x80, len(content) >> 7]) + content


def write_clips(folder: Path) -> None:
    """data/clips.tfrecord: two SequenceExamples. data/lines.tfrecord: two lines of text, which are not messages."""
    clips = [
        messages.encode_sequence(
            {"title": ("bytes", [title])}, {"frame": [("float", [0.5 * step, 1]) for step in range(steps)]}
        )
        for title, steps in ((b"dawn", 3), (b"dusk", 1))
    ]
    records.write_tfrecord(folder / "data" / "clips.tfrecord", clips)
    records.write_tfrecord(folder / "data" / "lines.tfrecord", [b"to be, or not to be\n", b"that is the question\n"])


def make_data(folder: Path) -> None:
    """Writes all files that a document's commands may read, with the same bytes every time."""
    write_digits(folder)
    write_train(folder)
    write_zipped(folder)
    write_hurt(folder)
    write_clips(folder)
    records.write_tfrecord(folder / "data" / "five.tfrecord", [five()])
