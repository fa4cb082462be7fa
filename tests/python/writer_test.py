"""ofindex.Writer: however a writer ends, an incomplete shard never has the name of the file to be written."""

from __future__ import annotations

import array
import gc
import os
import random
import struct
import threading
import unittest
import warnings
from pathlib import Path

import numpy as np
import ofindex
from oracle import messages, records
from python.work import in_new_process, run_and_kill
from python.writing import WriterCase


class ClosingTest(WriterCase):
    def payloads(self, path: Path) -> list[bytes]:
        walk = records.walk_tfrecord(path.read_bytes())
        self.assertEqual(walk.damage, [])
        return walk.payloads

    def setUp(self) -> None:
        super().setUp()
        self.path = self.dir / "a.tfrecord"

    def test_the_file_gets_its_name_when_it_is_closed_and_not_before(self) -> None:
        writer = ofindex.Writer(self.path)
        writer.write(b"one")
        writer.flush()
        self.assertFalse(self.path.exists())
        self.assertEqual((writer.records, writer.closed, writer.path), (1, False, str(self.path)))
        writer.close()
        writer.close()
        self.assertEqual((self.payloads(self.path), writer.closed, self.beside()), ([b"one"], True, ["a.tfrecord"]))
        self.assertEqual(repr(writer), f"<ofindex.Writer {str(self.path)!r}: tfrecord, 1 records, closed>")
        for use in (lambda: writer.write(b"x"), lambda: writer.write({"a": 1}), writer.flush):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()
        writer.abandon()
        self.assertTrue(self.path.exists())

    def test_a_with_block_that_fails_leaves_only_the_old_file(self) -> None:
        self.write("a.tfrecord", [b"old"])
        with self.assertRaises(KeyError), ofindex.Writer(self.path, force=True) as writer:
            writer.write(b"new")
            raise KeyError
        self.assertEqual((self.payloads(self.path), self.beside()), ([b"old"], ["a.tfrecord"]))

    def test_force_replaces_an_existing_file_only_if_it_is_a_shard_of_the_same_format(self) -> None:
        diary = self.dir / "part-7"
        diary.write_text("Dear diary,\n")
        shard = self.write("part-8", [b"old"])  # TFRecords under a name for OFRecords
        mine = self.write("a.tfrecord", [b"old"])
        for path, force in ((diary, False), (diary, True), (shard, False), (shard, True), (mine, False)):
            before = path.read_bytes()
            with self.assertRaises(ValueError) as raised:
                ofindex.Writer(path, force=force)
            self.assertEqual("force=True" in str(raised.exception), path == mine)
            self.assertEqual(path.read_bytes(), before)
        (self.dir / "link.tfrecord").symlink_to("a.tfrecord")
        with ofindex.Writer(self.dir / "link.tfrecord", force=True) as writer:
            writer.write(b"new")
        self.assertTrue((self.dir / "link.tfrecord").is_symlink())
        self.assertEqual(self.payloads(mine), [b"new"])

    def test_a_writer_that_is_never_closed_is_abandoned_with_a_warning(self) -> None:
        writer = ofindex.Writer(self.path)
        writer.write(b"lost")
        with self.assertWarnsRegex(ResourceWarning, "not closed"):
            del writer
            gc.collect()
        self.assertEqual(self.beside(), [])
        printed = in_new_process(
            "import ofindex, sys\nwriter = ofindex.Writer(sys.argv[1])\nwriter.write(b'lost')\nprint('end')", self.path
        )
        self.assertEqual((printed, self.beside()), ("end\n", []))

    def test_a_closed_writer_and_a_refused_writer_give_no_warning(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ofindex.Writer(self.path).close()
            with self.assertRaises(ValueError):
                ofindex.Writer(self.dir / "unknown")
            gc.collect()

    def test_a_second_writer_of_a_shard_is_refused(self) -> None:
        with ofindex.Writer(self.path), self.assertRaises(ofindex.LockError):
            ofindex.Writer(self.path)

    def test_records_can_be_appended(self) -> None:
        for number in range(3):
            with ofindex.Writer(self.path, append=True) as writer:
                self.assertEqual(writer.records, number)
                writer.write(b"%d" % number)
        self.assertEqual(self.payloads(self.path), [b"0", b"1", b"2"])

    def test_nothing_is_appended_to_a_torn_shard(self) -> None:
        for framing, name in ((records.TFRECORD, "a.tfrecord"), (records.OFRECORD, "part-0")):
            whole = self.write(name, [b"first", b"second"], framing).read_bytes()
            first = len(records.FRAME[framing](b"first"))
            for size in range(first + 1, len(whole)):
                (self.dir / name).write_bytes(whole[:size])
                with self.assertRaises(ofindex.DamageError, msg=size):
                    ofindex.Writer(self.dir / name, append=True)
                self.assertEqual((self.dir / name).read_bytes(), whole[:size])
        self.assertEqual(self.beside(), ["a.tfrecord", "part-0"])

    def test_compression_follows_the_name_or_the_argument(self) -> None:
        for name, compress in (("a.tfrecord.gz", None), ("b.tfrecord", "gzip")):
            with ofindex.Writer(self.dir / name, compress=compress) as writer:
                for number in range(100):
                    writer.write(b"record %d" % number)
            data = (self.dir / name).read_bytes()
            self.assertEqual(data[:2], b"\x1f\x8b")
            walk = records.walk_tfrecord(records.inflate(data))
            self.assertEqual((len(walk.payloads), walk.damage), (100, []))

    def test_any_bytes_like_object_is_a_payload(self) -> None:
        given = [b"a", bytearray(b"b"), memoryview(b"cd"), np.arange(3, dtype=np.uint8), array.array("h", [1])]
        with ofindex.Writer(self.path) as writer:
            for payload in given:
                writer.write(payload)
        self.assertEqual(self.payloads(self.path), [bytes(memoryview(payload)) for payload in given])

    def test_a_writer_cannot_be_pickled(self) -> None:
        import pickle

        with ofindex.Writer(self.path) as writer, self.assertRaises(TypeError):
            pickle.dumps(writer)

    def test_a_forked_child_can_neither_write_nor_publish_nor_remove(self) -> None:
        writer = ofindex.Writer(self.path)
        writer.write(b"parent's")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                refused = 0
                for use in (
                    lambda: writer.write(b"child's"),
                    lambda: writer.write({"a": 1}),
                    writer.flush,
                    writer.close,
                ):
                    try:
                        use()
                    except ValueError:
                        refused += 1
                writer.abandon()
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    del writer
                    gc.collect()
                code = 0 if refused == 4 else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.beside(), ["a.tfrecord.ofindex-draft"])
        writer.write(b"again")
        writer.close()
        self.assertEqual(self.payloads(self.path), [b"parent's", b"again"])

    def test_records_of_many_threads_are_written_whole(self) -> None:
        def work(writer: ofindex.Writer, thread: int) -> None:
            for number in range(500):
                size = (10, 40_000)[number % 50 == 0]
                writer.write(b"%d %d " % (thread, number) + bytes([thread]) * size)
                writer.write({"thread": thread, "number": number, "values": [thread] * 10})

        with ofindex.Writer(self.path) as writer:
            threads = [threading.Thread(target=work, args=(writer, number)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        found = self.payloads(self.path)
        self.assertEqual(len(found), 4000)
        raw: list[list[int]] = [[] for _ in range(4)]
        made: list[list[int]] = [[] for _ in range(4)]
        for payload in found:
            if payload[:1].isdigit():
                thread, number, rest = payload.split(b" ", 2)
                self.assertEqual(set(rest), {int(thread)})
                raw[int(thread)].append(int(number))
                continue
            features = messages.MESSAGES["example"].FromString(payload).features.feature
            (of,) = features["thread"].int64_list.value
            self.assertEqual(list(features["values"].int64_list.value), [of] * 10)
            made[of].extend(features["number"].int64_list.value)
        self.assertEqual(raw, [list(range(500))] * 4)
        self.assertEqual(made, [list(range(500))] * 4)


class DyingTest(WriterCase):
    def test_a_full_disk_leaves_the_old_file(self) -> None:
        path = self.write("a.tfrecord", [b"old"])
        printed = in_new_process(
            "import ofindex, resource, signal, sys\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
            "writer = ofindex.Writer(sys.argv[1], force=True)\n"
            "failed = 0\n"
            "for number in range(300):\n"
            "    try: writer.write(bytes(10_000))\n"
            "    except OSError: failed += 1\n"
            "try: writer.close()\n"
            "except OSError: print('not closed', failed > 0, writer.closed)\n",
            path,
        )
        self.assertEqual(printed, "not closed True True\n")
        self.assertEqual(records.walk_tfrecord(path.read_bytes()).payloads, [b"old"])
        self.assertEqual(self.beside(), ["a.tfrecord"])

    def test_a_disk_that_fills_up_when_the_writer_closes_is_an_error(self) -> None:
        printed = in_new_process(
            "import ofindex, resource, signal, sys\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
            "try:\n"
            "    with ofindex.Writer(sys.argv[1]) as writer: writer.write(bytes(10_000))\n"
            "except OSError as error: print(error.errno)\n",
            self.dir / "part-0",
        )
        self.assertEqual((int(printed) > 0, self.beside()), (True, []))

    def test_a_killed_writer_leaves_no_shard_and_the_next_one_takes_over(self) -> None:
        for delay in (0.0, 0.05, 0.2):
            path = self.write("a.tfrecord", [b"old"])
            source = (
                "import ofindex, sys\n"
                "writer = ofindex.Writer(sys.argv[1], force=True)\n"
                "print('begun', flush=True)\n"
                "while True: writer.write(bytes(1000))\n"
            )
            run_and_kill(source, path, after=delay)
            self.assertEqual(records.walk_tfrecord(path.read_bytes()).payloads, [b"old"])
            with ofindex.Writer(path, force=True) as writer:
                writer.write(b"new")
            self.assertEqual(records.walk_tfrecord(path.read_bytes()).payloads, [b"new"])
            self.assertEqual(self.beside(), ["a.tfrecord"])


class SeedTest(WriterCase):
    def test_the_loop_of_oneflows_document_reads_what_was_written(self) -> None:
        rng = random.Random(0)
        images = [[rng.random() for _ in range(28 * 28)] for _ in range(3)]
        labels = [rng.randint(0, 9) for _ in range(3)]
        path = self.dir / "part-0"
        with ofindex.Writer(path) as writer:
            for image, label in zip(images, labels, strict=True):
                writer.write({"images": np.array(image, np.float32), "labels": label})
        with open(path, "rb") as f:
            for image, label in zip(images, labels, strict=True):
                length = struct.unpack("q", f.read(8))
                message = messages.MESSAGES["ofrecord"].FromString(f.read(length[0]))
                self.assertEqual(list(message.feature["images"].float_list.value), np.array(image, np.float32).tolist())
                self.assertEqual(list(message.feature["labels"].int64_list.value), [label])
            self.assertEqual(f.read(), b"")


if __name__ == "__main__":
    unittest.main()
