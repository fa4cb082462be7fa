"""The function that shows a dataset in a browser."""

from __future__ import annotations

from ._dataset import Dataset
from ._foreign import explained
from ._server import Server, start


@explained
def serve(ds: Dataset, *, host: str = "127.0.0.1", port: int = 0, open: bool = False) -> Server:
    """Start a server for a page of `ds` in a browser: records, images, charts, filters, SQL::

        with ofindex.serve(ds) as server:
            server.url  # 'http://127.0.0.1:...'

    The server is a process of its own, which ends with this one. docs/serve.md says who can read what.

    Args:
        ds: A Dataset; views are filtered on the page.
        host: The address to listen at. Only this machine reaches 127.0.0.1. Everyone who reaches another one and knows
            the URL can read all the data; the connection is not encrypted.
        port: The port to listen at; 0: one that is free.
        open: Open the page in the system's browser.

    Raises:
        ValueError: `ds` is a view, or `host` is not an address of this machine. StaleError: the index was replaced
        after `ds` was opened. OSError: the port is taken.
    """
    if not isinstance(ds, Dataset):
        raise TypeError(f"ds is a Dataset, not {type(ds).__name__}: write ofindex.serve(ofindex.open(path))")
    return start(ds, host, port, open)
