"""Writes the data that the tests of the page look at: small pictures, boxes, sounds, waveforms and steps.

A scene has a picture of coloured shapes, the boxes around them, a caption, a waveform, a sound, a raw array of
8 x 8 x 3 bytes, and numbers to filter by. The same number gives the same bytes.
"""

from __future__ import annotations

import math
import random
import struct
import zlib
from pathlib import Path

from oracle import messages, records

WIDTH, HEIGHT = 96, 72
SHAPES = ("circle", "square", "triangle")
COLOURS = ((214, 96, 77), (67, 147, 195), (90, 174, 97), (233, 163, 63))
RATE = 8000


def png(width: int, height: int, rgb: bytes) -> bytes:
    """A PNG of 8-bit RGB."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    rows = b"".join(b"\0" + rgb[row * width * 3 : (row + 1) * width * 3] for row in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def wav(samples: list[float]) -> bytes:
    """A WAV of 16-bit mono."""
    data = b"".join(struct.pack("<h", round(sample * 20000)) for sample in samples)
    form = struct.pack("<HHIIHH", 1, 1, RATE, RATE * 2, 2, 16)
    return (
        b"RIFF"
        + struct.pack("<I", 36 + len(data))
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + form
        + (b"data" + struct.pack("<I", len(data)) + data)
    )


def _inside(shape: str, x: float, y: float, radius: float) -> bool:
    if shape == "circle":
        return x * x + y * y <= radius * radius
    if shape == "square":
        return max(abs(x), abs(y)) <= radius
    return -radius <= y <= radius and abs(x) <= (y + radius) / 2


def picture(background: int, objects: list[tuple[str, tuple[int, int, int], int, int, int]]) -> bytes:
    """RGB bytes: shapes (shape, colour, x, y, radius) on a grey that brightens downwards."""
    pixels = bytearray()
    for y in range(HEIGHT):
        pixels += bytes([min(255, background + y // 2)] * 3) * WIDTH
    for shape, colour, left, top, radius in objects:
        for y in range(max(0, top - radius), min(HEIGHT, top + radius + 1)):
            for x in range(max(0, left - radius), min(WIDTH, left + radius + 1)):
                if _inside(shape, x - left, y - top, radius):
                    pixels[(y * WIDTH + x) * 3 : (y * WIDTH + x) * 3 + 3] = bytes(colour)
    return bytes(pixels)


def _objects(chance: random.Random) -> list[tuple[str, tuple[int, int, int], int, int, int]]:
    objects = []
    for _ in range(chance.randrange(1, 4)):
        radius = chance.randrange(7, 16)
        place = chance.randrange(radius, WIDTH - radius), chance.randrange(radius, HEIGHT - radius)
        objects.append((chance.choice(SHAPES), chance.choice(COLOURS), *place, radius))
    return objects


def rgb(number: int) -> bytes:
    """The pixels of the picture of scene `number`."""
    chance = random.Random(number)
    background = chance.randrange(20, 200)
    return picture(background, _objects(chance))


def scene(number: int) -> dict[str, tuple[str, list]]:
    """The features of scene `number`."""
    chance = random.Random(number)
    background = chance.randrange(20, 200)
    objects = _objects(chance)
    tone = 200 + 40 * chance.randrange(12)
    wave = [math.sin(2 * math.pi * tone * n / RATE) * math.exp(-n / 220) for n in range(600)]
    shapes = [shape for shape, *_ in objects]
    bounds = {
        "xmin": [(x - radius) / WIDTH for _, _, x, _, radius in objects],
        "xmax": [(x + radius + 1) / WIDTH for _, _, x, _, radius in objects],
        "ymin": [(y - radius) / HEIGHT for _, _, _, y, radius in objects],
        "ymax": [(y + radius + 1) / HEIGHT for _, _, _, y, radius in objects],
    }
    return {
        "image/encoded": ("bytes", [png(WIDTH, HEIGHT, picture(background, objects))]),
        "image/height": ("int64", [HEIGHT]),
        "image/width": ("int64", [WIDTH]),
        **{f"image/object/bbox/{side}": ("float", values) for side, values in bounds.items()},
        "image/object/class/text": ("bytes", [shape.encode() for shape in shapes]),
        "caption": ("bytes", [f"{len(objects)} on grey {background}: {', '.join(shapes)}".encode()]),
        "shape": ("bytes", [shapes[0].encode()]),
        "brightness": ("float", [background / 255]),
        "tone": ("int64", [tone]),
        "score": ("float", [chance.betavariate(5, 2)] if number % 20 else []),
        "patch": ("bytes", [bytes((number + 3 * n) % 256 for n in range(192))]),
        "wave": ("float", wave),
        "sound": ("bytes", [wav(wave)]),
    }


def write_scenes(path: Path, count: int) -> None:
    """Writes `count` scenes as Examples in one TFRecord."""
    records.write_tfrecord(path, [messages.encode("example", scene(number)) for number in range(count)])


def write_steps(path: Path, count: int) -> None:
    """Writes SequenceExamples of 3 or more frames with a number each."""
    payloads = []
    for number in range(count):
        frames = [("bytes", [scene(number * 8 + step)["image/encoded"][1][0]]) for step in range(3 + number % 4)]
        speeds = [("float", [step / 2, number]) for step in range(3 + number % 4)]
        context = {"episode": ("int64", [number]), "task": ("bytes", [b"pick up the " + SHAPES[number % 3].encode()])}
        payloads.append(messages.encode_sequence(context, {"frame": frames, "speed": speeds}))
    records.write_tfrecord(path, payloads)


def write_damaged(folder: Path) -> None:
    """Four shards; in the third, the length of the fifth record is wrong."""
    folder.mkdir()
    for part in range(4):
        write_scenes(folder / f"part-{part}.tfrecord", 5 + 5 * part)
    broken = bytearray((folder / "part-2.tfrecord").read_bytes())
    fifth = 0
    for _ in range(4):
        fifth += 16 + int.from_bytes(broken[fifth : fifth + 8], "little")
    broken[fifth + 2] ^= 0xFF
    (folder / "part-2.tfrecord").write_bytes(broken)
