"""What `ofindex serve` shows of real record files: every chart and record agrees with the oracle."""

from __future__ import annotations

import collections
import math
import shutil
import unittest
from typing import Any
from urllib.parse import urlencode

from e2e.command import CommandTest
from e2e.serving import Serving
from oracle import messages
from oracle.fixtures import Fixture, fixtures, needs_fixtures


def single_values(payloads: list[bytes], kind: str) -> dict[str, list[Any]]:
    """Feature -> its value in each record, None where it is missing, for features that have one value at most."""
    decoded = [messages.features_json(payload, kind) for payload in payloads]
    found = {}
    for name in {name for features in decoded for name in features if not name.endswith("[]")}:
        values = [features[name]["values"] if name in features else [] for features in decoded]
        if all(len(each) <= 1 for each in values):
            found[name] = [each[0] if each else None for each in values]
    return found


def bins_of(chart: dict[str, Any], values: list[Any]) -> dict[str, Any]:
    """The counts that a chart has to show of `values`, counted one by one."""
    counts: dict[str, Any] = {"others": 0, "nulls": 0, "nans": 0}
    nans = [value for value in values if value == "NaN" or (isinstance(value, float) and math.isnan(value))]
    numbers = [value for value in values if value is not None and value not in nans]
    counts["nulls"], counts["nans"] = values.count(None), len(nans)
    if chart["kind"] == "histogram":
        edges = [float(edge) for edge in chart["edges"]]
        finite = [float(value) if value in ("Infinity", "-Infinity") else value for value in numbers]
        counts["bins"] = [sum(low <= value < high for value in finite) for low, high in zip(edges, edges[1:])]
    else:
        tally = collections.Counter(numbers)
        counts["bins"] = [tally[value] for value in chart["values"]]
    counts["others"] = len(numbers) - sum(counts["bins"])
    return counts


@needs_fixtures
class ServeFixturesTest(CommandTest):
    def test_every_file_is_shown_as_it_is(self) -> None:
        found = [fixture for fixture in fixtures() if not fixture.compressed]
        names = []
        for number, fixture in enumerate(found):
            names.append(f"{number}.data")
            shutil.copyfile(fixture.path, self.dir / names[-1])
            self.expect(0, "build", names[-1], "-q")
        self.server = Serving(self, *names)
        charts = sum(self.check(number, fixture) for number, fixture in enumerate(found))
        self.assertGreater(charts, 20)
        self.assertEqual(self.server.stop().code, 0)

    def ask(self, path: str, **parameters: Any) -> Any:
        answer = self.server.get(f"/api/{path}?{urlencode(parameters, doseq=True)}")
        self.assertEqual(answer.status, 200, (path, parameters, answer.body[:500]))
        return answer.json

    def check(self, number: int, fixture: Fixture) -> int:
        """Compares one dataset of the server with its file. Returns how many charts were compared."""
        payloads = fixture.walk().payloads
        described = self.ask("dataset", dataset=number)
        self.assertEqual(
            (described["records"], described["format"], described["payload"], described["damaged"]),
            (fixture.records, fixture.format, fixture.payload, 0),
        )
        for ordinal in {0, len(payloads) // 2, len(payloads) - 1} if payloads else ():
            whole = self.server.get(f"/api/value?dataset={number}&ordinal={ordinal}")
            self.assertEqual(whole.body, payloads[ordinal], fixture.path)
            self.assertIsNone(self.ask("record", dataset=number, ordinal=ordinal)["error"])
        if fixture.payload == "opaque" or not payloads:
            return 0
        return self.check_charts(number, described, single_values(payloads, fixture.payload))

    def check_charts(self, number: int, described: dict[str, Any], values: dict[str, list[Any]]) -> int:
        columns = {each["name"] for each in described["columns"] if each["chart"] != "none"}
        names = sorted(columns & values.keys())
        if not names:
            return 0
        charts = self.ask("charts", dataset=number, column=names)["charts"]
        counts = self.ask("counts", dataset=number, column=names, page="p")["columns"]
        for chart, column in zip(charts, counts, strict=True):
            with self.subTest(dataset=number, column=column["name"]):
                shown = {key: column[key] for key in ("bins", "others", "nulls", "nans")}
                self.assertEqual(shown, bins_of(chart, values[column["name"]]))
                self.assertEqual(column["total"], shown)
        return len(charts)


if __name__ == "__main__":
    unittest.main()
