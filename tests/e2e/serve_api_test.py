"""What `ofindex serve` answers below /api/: every number is the one that other verbs give for the same records."""

from __future__ import annotations

import contextlib
import json
import os
import random
import select
import shlex
import socket
import time
import unittest
from typing import Any
from urllib.parse import urlencode

from e2e.serving import ServeTest, Serving
from oracle import messages, records

#: Random filters; more of them if the variable asks for it.
FILTERS = int(os.environ.get("OFINDEX_SERVE_FILTERS", "12"))
RECORDS = 3000
HEAVY = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"


def payload(dice: random.Random, number: int) -> bytes:
    """One record, in which some features are missing."""
    features: dict[str, Any] = {
        "label": ("int64", [dice.randrange(12)]),
        "size": ("int64", [dice.choice((1, 7, 2**53 + 1, -(2**62)))]),
        "score": ("float", [dice.choice((0.1, 0.5, dice.gauss(0, 10), float("nan")))]),
        "name": ("bytes", [dice.choice(("it's", '<b>"', "\u202ebidi", "x")).encode()]),
        "blob": ("bytes", [dice.choice((b"\xff\x00", b"\xfe"))]),
        "id": ("bytes", [f"record {number}".encode()]),
        "many": ("float", [1.0, float(number)]),
    }
    for name in ("label", "score", "name"):
        if dice.random() < 0.1:
            del features[name]
    return messages.encode("example", features)


class ApiTest(ServeTest):
    def setUp(self) -> None:
        super().setUp()
        dice = random.Random(24)
        folder = self.dir / "made"
        folder.mkdir()
        payloads = [payload(dice, i) for i in range(RECORDS)]
        for part in range(3):
            records.write_tfrecord(folder / f"part-{part}", payloads[part * 1000 : (part + 1) * 1000])
        self.payloads = payloads
        self.expect(0, "build", "made", "--key", "id", "-q")
        self.server: Serving = self.serve("made")

    def ask(self, path: str, **parameters: Any) -> Any:
        answer = self.server.get(f"/api/{path}?{urlencode(parameters, doseq=True)}")
        self.assertEqual(answer.status, 200, answer.body[:500])
        return json.loads(answer.body)

    def sql(self, statement: str) -> list[list[Any]]:
        rows = self.expect(0, "sql", "made", statement, "--jsonl").jsonl
        return [list(row.values()) for row in rows]

    def test_counts_and_records_under_random_filters_are_those_of_sql(self) -> None:
        dice = random.Random(5)
        columns = ["label", "score", "name", "blob", "size"]
        charts = {chart["name"]: chart for chart in self.ask("charts", column=columns)["charts"]}
        for _ in range(FILTERS):
            wanted: dict[str, Any] = {"ranges": {}, "values": {}, "null": []}
            for name in columns:
                chart = charts[name]
                if dice.random() < 0.5:
                    continue
                if chart["kind"] == "histogram":
                    wanted["ranges"][name] = sorted(dice.sample(chart["edges"], 2))
                else:
                    wanted["values"][name] = dice.sample(chart["values"], min(2, len(chart["values"])))
                if dice.random() < 0.3:
                    wanted["null"].append(name)
            if dice.random() < 0.3:
                wanted["where"] = "_id % 3 = 1 -- a comment"
            text = json.dumps(wanted)
            counts = self.ask("counts", column=columns, filter=text, page="p")
            self.assertTrue(counts["exact"])
            where = counts["sql"] or "1"
            ordinals = [row[0] for row in self.sql(f"SELECT _id FROM records WHERE {where}\n")]
            self.assertEqual(counts["passing"], len(ordinals), text)
            page = self.ask("records", filter=text, count=100)
            self.assertEqual([each["ordinal"] for each in page["records"]], ordinals[:100])
            for column in counts["columns"]:
                self.check_column(column, charts[column["name"]], wanted, column["name"])

    def check_column(self, column: dict[str, Any], chart: dict[str, Any], wanted: dict[str, Any], name: str) -> None:
        """Compares the bins of a column with the counts that SQL gives without the column's own filter."""
        others = {
            part: {key: value for key, value in wanted[part].items() if key != name} for part in ("ranges", "values")
        }
        others["null"] = [key for key in wanted["null"] if key != name]
        where = self.ask("counts", filter=json.dumps({**wanted, **others}))["sql"] or "1"
        [[count, present]] = self.sql(f'SELECT count(*), count("{name}") FROM records WHERE {where}\n')
        self.assertEqual(column["nulls"] + column["nans"], count - present)
        self.assertEqual(sum(column["bins"]) + column["others"], present)
        if chart["kind"] == "histogram":
            low, high = chart["edges"][3:5]
            condition = f'"{name}" >= {low!r} AND "{name}" < {high!r}'
            [[inside]] = self.sql(f"SELECT count(*) FROM records WHERE ({where}\n) AND {condition}")
            self.assertEqual(column["bins"][3], inside)

    def test_values_and_records_are_the_bytes_that_were_written(self) -> None:
        for number in (0, 999, 1000, 2999):
            record = self.ask("record", ordinal=number)
            self.assertEqual(record["shard"]["number"], number // 1000)
            features = messages.features_json(self.payloads[number], "example")
            self.assertEqual({each["name"] for each in record["features"]}, set(features))
            shown = {each["name"]: each["values"] for each in record["features"]}
            for name in {"score", "many"} & set(features):
                self.assertEqual(shown[name], features[name]["values"])  # that of record 2999 is NaN
            whole = self.server.get(f"/api/value?ordinal={number}")
            self.assertEqual(whole.body, self.payloads[number])
            answer = self.server.get(f"/api/value?ordinal={number}&feature=id", "Range: bytes=0-2")
            self.assertEqual((answer.status, answer.body), (206, b"rec"))
            self.assertEqual(self.ask("find", key="id", value=f"record {number}")["ordinals"], [number])
        self.assertEqual(self.ask("find", key="id", value="nothing")["ordinals"], [])

    def test_records_are_listed_in_the_order_that_is_asked_for(self) -> None:
        listed = [2999, 0, 17, 1500]
        page = self.ask("records", ordinal=listed, feature="id")
        self.assertEqual([each["ordinal"] for each in page["records"]], listed)
        self.assertEqual([each["features"][0]["text"] for each in page["records"]], [f"record {n}" for n in listed])
        self.assertEqual(self.server.get("/api/records?ordinal=1&ordinal=3000").status, 404)
        many = "&".join(f"ordinal={number}" for number in range(129))
        self.assertEqual(self.server.get(f"/api/records?{many}").status, 400)

    def test_the_wire_format_is_that_of_get(self) -> None:
        rows = self.ask("wire", ordinal=5)
        lines = self.expect(0, "get", "made", "5", "--wire").text.splitlines()[1:]
        self.assertTrue(rows["whole"])
        self.assertEqual(len(rows["rows"]), len(lines))
        for row, line in zip(rows["rows"], lines):
            if row["what"] != "*":
                self.assertIn(row["what"].strip(), line)
                self.assertEqual(int(line[:8], 16), row["offset"])

    def test_statements_are_answered_within_limits(self) -> None:
        answer = self.post("SELECT label, count(*) AS n FROM records GROUP BY 1 ORDER BY 1")
        self.assertEqual(answer["columns"], ["label", "n"])
        self.assertEqual(answer["rows"], self.sql("SELECT label, count(*) AS n FROM records GROUP BY 1 ORDER BY 1"))
        self.assertTrue(self.post("SELECT * FROM records", limit=3)["truncated"])
        self.assertEqual(self.post("SELECT 9007199254740993")["rows"], [["9007199254740993"]])
        for statement in ("DROP TABLE records", "ATTACH '/etc/passwd' AS p", "SELECT nothing FROM records", ""):
            self.assertEqual(self.status_of(statement), 400, statement)

    def post(self, statement: str, **more: Any) -> Any:
        body = json.dumps({"sql": statement, **more}).encode()
        answer = self.server.get("/api/sql", "Content-Type: application/json", method="POST", body=body)
        self.assertEqual(answer.status, 200, answer.body[:500])
        return json.loads(answer.body)

    def status_of(self, statement: str) -> int:
        body = json.dumps({"sql": statement}).encode()
        return self.server.get("/api/sql", "Content-Type: application/json", method="POST", body=body).status

    def test_batches_are_those_of_the_command_that_is_named(self) -> None:
        text = json.dumps({"values": {"label": [3, 4]}, "ranges": {"score": [-5, 5]}})
        answer = self.ask("sampler", filter=text, seed=7, epoch=2, batch=16, count=3, quality="name", **{"from": 2})
        program, *args = shlex.split(answer["command"])
        self.assertEqual(program, "ofindex")
        drawn = [int(line) for line in self.expect(0, *args).text.split()]
        self.assertEqual([ordinal for batch in answer["batches"] for ordinal in batch], drawn)
        self.assertEqual(answer["quality"]["schema"], "ofindex.sample/1")

    def test_shards_say_what_has_become_of_them(self) -> None:
        self.assertEqual([each["state"] for each in self.ask("shards")["shards"]], ["ok"] * 3)
        made = self.dir / "made"
        (made / "part-0").unlink()
        os.truncate(made / "part-1", 1000)
        states = [each["state"] for each in self.ask("shards")["shards"]]
        self.assertEqual(states, ["missing", "changed", "ok"])
        page = self.ask("records", count=3, feature="id", **{"from": 1999})["records"]
        self.assertIsNotNone(page[0]["error"])
        self.assertEqual([each["error"] for each in page[1:]], [None, None])

    def test_two_hundred_heavy_questions_are_refused_or_bounded(self) -> None:
        body = json.dumps({"sql": HEAVY}).encode()
        request = self.server.request("/api/sql", "Content-Type: application/json", method="POST", body=body)
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(self.server.client()) for _ in range(200)]
            for client in clients:
                client.send(request)
            # Two statements are run or wait; the others are refused at once.
            refused: set[socket.socket] = set()
            while len(refused) < len(clients) - 2:
                ready, _, _ = select.select([one.socket for one in clients if one.socket not in refused], [], [], 20)
                self.assertTrue(ready, "the server does not answer")
                refused.update(ready)
            for client in clients:
                if client.socket in refused:
                    answer = client.answer()
                    assert answer is not None
                    self.assertEqual((answer.status, answer.fields.get("retry-after")), (503, "1"))
            self.assertEqual(self.ask("record", ordinal=1)["ordinal"], 1)
        # Nobody waits for the two any more.
        deadline = time.monotonic() + 5
        while self.status_of("SELECT 1") == 503 and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(self.post("SELECT 1")["rows"], [[1]])
        self.assertLess(self.server.status("VmHWM"), 1 << 20)


class LargeTest(ServeTest):
    """Records and keys beyond what one answer may take."""

    def ask(self, server: Serving, path: str, **parameters: Any) -> Any:
        answer = server.get(f"/api/{path}?{urlencode(parameters, doseq=True)}")
        self.assertEqual(answer.status, 200, answer.body[:500])
        return json.loads(answer.body)

    def test_a_key_of_many_records_is_found_by_its_column(self) -> None:
        count = 10_200
        kinds = ("it's", b"\xff\x01", "5")
        payloads = []
        for number in range(count * 2):
            kind = kinds[number % 2 * (number % 50 // 49 + 1)]
            features: dict[str, Any] = {
                "kind": ("bytes", [kind if isinstance(kind, bytes) else kind.encode()]),
                "one": ("int64", [5]),
                "some": ("int64", [number % 2] * (1 + number % 2)),
                "list": ("int64", [number % 2, 7]),
            }
            payloads.append(messages.encode("example", features))
        folder = self.dir / "keyed"
        folder.mkdir()
        records.write_tfrecord(folder / "part", payloads)
        self.expect(
            0,
            "build",
            "keyed",
            "--columns",
            "auto,list",
            "--key",
            "kind",
            "--key",
            "one",
            "--key",
            "some",
            "--key",
            "list",
        )
        server = self.serve("keyed")
        for key, value, condition in (
            ("kind", "it's", "kind = 'it''s'"),
            ("one", "5", "one = 5"),
            ("list", "1", "has(list, 1)"),
        ):
            with self.subTest(key):
                rows = self.expect(0, "sql", "keyed", f"SELECT _id FROM records WHERE {condition}", "--jsonl").jsonl
                ordinals = [row["_id"] for row in rows]
                self.assertGreater(len(ordinals), 10_000)
                found = self.ask(server, "find", key=key, value=value)
                self.assertEqual(found, {"ordinals": ordinals[:1000], "count": len(ordinals), "exact": True})
        few = self.ask(server, "find", key="kind", value="5")
        self.assertEqual((few["count"], few["exact"]), (408, True))
        # Without the lists, only the hashes of the key are known.
        unknown = self.ask(server, "find", key="some", value="1")
        self.assertEqual((unknown["ordinals"], unknown["exact"]), ([], False))
        self.assertGreaterEqual(unknown["count"], count)
        self.assertEqual(self.ask(server, "find", key="one", value="6"), {"ordinals": [], "count": 0, "exact": True})

    def test_a_record_that_is_too_large_to_decode_says_so_and_can_be_fetched_whole(self) -> None:
        large = messages.encode("example", {"a": ("bytes", [bytes(17 << 20)])})
        small = messages.encode("example", {"a": ("bytes", [bytes(15 << 20)])})
        folder = self.dir / "large"
        folder.mkdir()
        records.write_tfrecord(folder / "part", [large, small])
        self.expect(0, "build", "large", "-q")
        server = self.serve("large")
        self.assertIn("expected at most 16,777,216 for a page", self.ask(server, "record", ordinal=0)["error"])
        self.assertEqual(server.get("/api/value?ordinal=0&feature=a").status, 400)
        self.assertEqual(server.get("/api/value?ordinal=0").body, large)
        self.assertTrue(self.ask(server, "wire", ordinal=0)["whole"])
        self.assertIsNone(self.ask(server, "record", ordinal=1)["error"])
        self.assertEqual(len(server.get("/api/value?ordinal=1&feature=a").body), 15 << 20)


if __name__ == "__main__":
    unittest.main()
