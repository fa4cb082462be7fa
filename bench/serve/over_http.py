"""Measures `ofindex serve` from outside, as the page asks: the first view, drags over a histogram, and thumbnails.

python over_http.py OFINDEX INDEX [--image FEATURE]

The first column with a histogram is dragged over. With --image, a drag is also followed by a page of the records that
pass, and by their images, over the six connections that a browser opens.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

PAGE = 60
DRAGS = 20
CONNECTIONS = 6


class Client:
    """One connection that is kept open."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        self.headers = {"Authorization": "Bearer " + parts.query.removeprefix("token=")}

    def get(self, path: str, **parameters: object) -> bytes:
        query = "?" + urlencode(parameters, doseq=True) if parameters else ""
        self.connection.request("GET", path + query, headers=self.headers)
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status}: {body[:200]!r}")
        return body

    def ask(self, name: str, **parameters: object) -> Any:
        return json.loads(self.get("/api/" + name, **parameters))


@contextmanager
def served(ofindex: Path, index: Path) -> Iterator[tuple[str, int]]:
    """The URL and the process ID of a server."""
    with subprocess.Popen(
        [ofindex, "serve", index], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout is not None
        for line in server.stdout:
            if found := re.search(r"http://\S+", line):
                yield found[0], server.pid
                break
        server.terminate()


def milliseconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1e3


def show(what: str, times: list[float]) -> None:
    print(f"{what:44} median {statistics.median(times):8.1f} ms   most {max(times):8.1f} ms   of {len(times)}")


def own_memory(process: int) -> float:
    """The MiB that a process has for itself, without the files that it maps."""
    return int(re.findall(r"RssAnon:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[0]) / 1024


def first_view(client: Client) -> tuple[list[str], dict[str, Any]]:
    """The columns with charts, and a histogram among them."""
    page = client.get("/").decode()
    for name in re.findall(r'(?:href|src)="(/page/[^"]+)"', page):
        client.get(name)
    described = client.ask("dataset")["columns"]
    columns = [each["name"] for each in described if each["chart"] != "none" and each["origin"] != "record"][:8]
    charts = client.ask("charts", column=columns)["charts"]
    client.ask("counts", page="bench", column=columns, estimate=1)
    client.ask("records", **{"from": 0, "count": PAGE})
    return columns, next(chart for chart in charts if chart["kind"] == "histogram")


def filters(histogram: dict[str, Any]) -> Iterator[str]:
    """A window of a third of a histogram, drawn from left to right."""
    low, high = histogram["edges"][0], histogram["edges"][-1]
    for number in range(DRAGS):
        begin = low + (high - low) * number / (2 * DRAGS)
        yield json.dumps({"ranges": {histogram["name"]: [begin, begin + (high - low) / 3]}})


def thumbnails(clients: list[Client], image: str, accepted: str) -> None:
    """A page of the records that pass, and their images."""
    parameters = {"filter": accepted, "from": 0, "count": PAGE, "feature": image}
    ordinals = [record["ordinal"] for record in clients[0].ask("records", **parameters)["records"]]

    def load(number: int) -> None:
        for ordinal in ordinals[number::CONNECTIONS]:
            clients[number].get("/api/value", ordinal=ordinal, feature=image)

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(load, range(CONNECTIONS)))


def measure(url: str, process: int, image: str | None) -> None:
    client = Client(url)
    begin = time.perf_counter()
    columns, histogram = first_view(client)
    show("first view: page, columns, charts, counts, grid", [(time.perf_counter() - begin) * 1e3])

    def drag(accepted: str, estimate: int) -> float:
        return milliseconds(
            lambda: client.ask("counts", page="bench", filter=accepted, column=columns, estimate=estimate)
        )

    show("first counts, exact", [drag("{}", 0)])
    show("a drag, estimated", [drag(one, 1) for one in filters(histogram)])
    show("a drag, exact", [drag(one, 0) for one in filters(histogram)])
    if image is not None:
        clients = [Client(url) for _ in range(CONNECTIONS)]
        times = [milliseconds(lambda one=one: thumbnails(clients, image, one)) for one in filters(histogram)]
        show(f"a filter, to {PAGE} thumbnails", times[:1])
        show(f"the next filters, to {PAGE} thumbnails", times[1:])
    print(f"{'memory of the server, without mapped files':44} {own_memory(process):8.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ofindex", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("--image", metavar="FEATURE")
    arguments = parser.parse_args()
    begin = time.perf_counter()
    with served(arguments.ofindex, arguments.index) as (url, process):
        show("start, until the URL is printed", [(time.perf_counter() - begin) * 1e3])
        measure(url, process, arguments.image)


if __name__ == "__main__":
    main()
