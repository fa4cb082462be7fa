"""The tools: each is a function of the folder of images that yields the size of each batch of an epoch."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

BATCH = 64
SIDE = 224
PROCESSORS = 2


def with_ofindex(folder: Path) -> Iterator[int]:
    """`ofindex.Loader`, two threads, a true shuffle."""
    import ofindex

    features = {"image": ofindex.image("rgb", SIDE), "label": ofindex.fixed("int64")}
    loader = ofindex.Loader(ofindex.open(folder / "photos.tfrecord"), features, BATCH, seed=1, threads=PROCESSORS)
    yield from (len(batch["image"]) for batch in loader)


def _with_torch(folder: Path, load: Any, transform: Any) -> Iterator[int]:
    from torch.utils.data import DataLoader
    from torchvision.datasets import ImageFolder

    images = ImageFolder(folder / "files", transform, loader=load)
    yield from (len(labels) for _, labels in DataLoader(images, BATCH, shuffle=True, num_workers=PROCESSORS))


def with_torchvision(folder: Path) -> Iterator[int]:
    """`ImageFolder` of files, `torchvision.io.decode_jpeg`, `v2.Resize`; `DataLoader` with two workers.
    https://docs.pytorch.org/vision/stable/generated/torchvision.io.decode_jpeg.html"""
    from torchvision.io import decode_jpeg, read_file
    from torchvision.transforms import v2

    return _with_torch(folder, lambda path: decode_jpeg(read_file(path)), v2.Resize((SIDE, SIDE), antialias=True))


def with_pillow(folder: Path) -> Iterator[int]:
    """`ImageFolder` of files with its own loader, which is Pillow's, and `v2.Resize`; `DataLoader` with two workers.
    https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.ImageFolder.html"""
    from torchvision.datasets.folder import pil_loader
    from torchvision.transforms import v2

    return _with_torch(folder, pil_loader, v2.Compose([v2.Resize((SIDE, SIDE)), v2.PILToTensor()]))


def with_dali(folder: Path) -> Iterator[int]:
    """`fn.readers.tfrecord(random_shuffle=True)`, `fn.decoders.image(device="cpu")`, `fn.resize`; two threads.
    https://docs.nvidia.com/deeplearning/dali/user-guide/docs/examples/general/data_loading/dataloading_tfrecord.html"""
    from nvidia.dali import fn, pipeline_def, types
    from nvidia.dali import tfrecord as tfr

    index = folder / "photos.idx"
    if not index.exists():
        subprocess.run([Path(sys.executable).with_name("tfrecord2idx"), folder / "photos.tfrecord", index], check=True)

    @pipeline_def(batch_size=BATCH, num_threads=PROCESSORS, device_id=None, seed=1)
    def reading() -> Any:
        read = fn.readers.tfrecord(
            name="reader",
            path=[str(folder / "photos.tfrecord")],
            index_path=[str(index)],
            features={"image": tfr.FixedLenFeature((), tfr.string, ""), "label": tfr.FixedLenFeature((), tfr.int64, 0)},
            random_shuffle=True,
        )
        image = fn.decoders.image(read["image"], device="cpu", output_type=types.RGB)
        return fn.resize(image, size=(SIDE, SIDE)), read["label"]

    pipeline = reading()
    pipeline.build()
    for _ in range(pipeline.epoch_size("reader") // BATCH):
        yield len(pipeline.run()[0].as_array())


def with_spdl(folder: Path) -> Iterator[int]:
    """`PipelineBuilder` over shuffled files; `demux_image`, `decode_packets` with FFmpeg's scaling, `convert_frames`.
    https://facebookresearch.github.io/spdl/0.8.0/getting_started/intro.html"""
    import numpy as np
    import spdl.io
    from spdl.pipeline import PipelineBuilder

    files = [str(path) for path in sorted((folder / "files" / "photos").iterdir())]
    np.random.default_rng(1).shuffle(files)

    def frames(path: str) -> Any:
        packets = spdl.io.demux_image(path)
        scaled = spdl.io.get_filter_desc(packets, scale_width=SIDE, scale_height=SIDE, pix_fmt="rgb24")
        return spdl.io.decode_packets(packets, filter_desc=scaled)

    def batch(paths: list[str]) -> Any:
        return spdl.io.to_numpy(spdl.io.convert_frames([frames(path) for path in paths]))

    pieces = [files[at : at + BATCH] for at in range(0, len(files), BATCH)]
    builder: Any = PipelineBuilder().add_source(pieces).pipe(batch, concurrency=PROCESSORS).add_sink(4)
    pipeline = builder.build(num_threads=PROCESSORS)
    with pipeline.auto_stop():
        yield from (len(images) for images in pipeline.get_iterator(timeout=60))


def with_webdataset(folder: Path) -> Iterator[int]:
    """`WebDataset` over two tar files, a buffer of 1,000, Pillow, `v2.Resize`; `WebLoader` with two workers.
    https://webdataset.github.io/webdataset/gettingstarted/"""
    import webdataset as wds
    from torchvision.transforms import v2

    transform = v2.Compose([v2.Resize((SIDE, SIDE)), v2.PILToTensor()])
    tars = sorted(str(path) for path in folder.glob("*.tar"))
    samples = wds.WebDataset(tars, shardshuffle=len(tars)).shuffle(1000).decode("pil").to_tuple("jpg", "cls")
    batches = samples.map_tuple(transform, int).batched(BATCH)
    yield from (len(labels) for _, labels in wds.WebLoader(batches, batch_size=None, num_workers=PROCESSORS))


LOADERS: dict[str, Callable[[Path], Iterator[int]]] = {
    "ofindex": with_ofindex,
    "torchvision.io, DataLoader": with_torchvision,
    "Pillow, DataLoader": with_pillow,
    "SPDL": with_spdl,
    "DALI, CPU": with_dali,
    "WebDataset": with_webdataset,
}
