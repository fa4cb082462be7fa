"""BytesArray and Ragged: sequences, slices, equality, pickles."""

from __future__ import annotations

import pickle

import numpy as np
from ofindex import BytesArray, Ragged, fixed, ragged
from python.decoding import decoded
from python.work import WorkTest


class BytesArrayTest(WorkTest):
    VALUES = (b"zero", b"", b"two\0\xff", b"3" * 300)

    def setUp(self) -> None:
        super().setUp()
        self.array = decoded(fixed("bytes"), [("bytes", [value]) for value in self.VALUES])
        rows = [[value, b"x", value + b"y"] for value in self.VALUES]
        self.rows = rows
        self.table = decoded(fixed("bytes", (3, 1)), [("bytes", row) for row in rows])

    def test_a_bytes_array_is_a_sequence_of_bytes(self) -> None:
        values = list(self.VALUES)
        self.assertIsInstance(self.array, BytesArray)
        self.assertEqual((len(self.array), self.array.shape), (4, (4,)))
        self.assertEqual((list(self.array), self.array.tolist(), self.array[:].tolist()), (values, values, values))
        self.assertEqual(list(reversed(self.array)), values[::-1])
        self.assertIn(b"two\0\xff", self.array)
        self.assertEqual((self.array.index(b""), self.array.count(b""), b"no" in self.array), (1, 1, False))
        for index in (0, 3, -1, -4, np.int64(2), np.uint8(1)):
            self.assertEqual(self.array[index], values[index])
            self.assertIsInstance(self.array[index], bytes)
            self.assertEqual(bytes(self.array.view(index)), values[index])
        for index in (4, -5, 2**70):
            with self.assertRaises(IndexError):
                self.array[index]
            with self.assertRaises(IndexError):
                self.array.view(index)
        for index in (1.0, "1", None, b"1"):
            with self.assertRaises(TypeError):
                self.array[index]

    def test_slices_of_a_bytes_array_share_its_buffer(self) -> None:
        for key in (slice(1, 3), slice(None), slice(-2, None), slice(3, 1), slice(2, 99), slice(0, 0)):
            part = self.array[key]
            self.assertIsInstance(part, BytesArray)
            self.assertEqual(
                (part.tolist(), list(part), len(part)), (list(self.VALUES)[key],) * 2 + (len(self.VALUES[key]),)
            )
            self.assertTrue(np.shares_memory(part.data, self.array.data))
            self.assertEqual(part[:1].tolist(), list(self.VALUES)[key][:1])
            self.assertEqual(pickle.loads(pickle.dumps(part)), part)
        with self.assertRaisesRegex(ValueError, "step"):
            self.array[::2]
        self.assertEqual(bytes(self.array[2:].view(-2)), self.VALUES[2])

    def test_a_bytes_array_of_more_dimensions_is_a_sequence_of_rows(self) -> None:
        expected = [[[value] for value in row] for row in self.rows]
        self.assertEqual((self.table.shape, len(self.table)), ((4, 3, 1), 4))
        self.assertEqual((self.table.tolist(), [row.tolist() for row in self.table]), (expected, expected))
        self.assertEqual(self.table[-1].shape, (3, 1))
        self.assertEqual(self.table[2][0][0], self.VALUES[2])
        self.assertEqual((self.table[1:3].shape, self.table[1:3].tolist()), ((2, 3, 1), expected[1:3]))
        with self.assertRaises(ValueError):
            self.table.view(0)

    def test_buffer_and_offsets_have_the_documented_types(self) -> None:
        array = self.array
        self.assertEqual((array.data.dtype, array.data.tobytes()), (np.uint8, b"".join(self.VALUES)))
        self.assertEqual((array.offsets.dtype, array.offsets.tolist()), (np.int64, [0, 4, 4, 9, 309]))
        view = array.view(2)
        self.assertEqual(bytes(view), self.VALUES[2])
        self.assertTrue(np.shares_memory(np.frombuffer(view, np.uint8), array.data))

    def test_a_bytes_array_can_be_compared_pickled_and_printed(self) -> None:
        again = decoded(fixed("bytes"), [("bytes", [value]) for value in self.VALUES])
        self.assertEqual(self.array, again)
        self.assertEqual(self.array, list(self.VALUES))
        self.assertNotEqual(self.array, again[:3])
        self.assertNotEqual(self.array, list(self.VALUES)[:3])
        self.assertNotEqual(self.array, 5)
        self.assertNotEqual(decoded(fixed("bytes", 2), [("bytes", [b"a", b"b"])]), [b"a", b"b"])
        for array in (self.array, self.table, self.array[:0], self.table[1:2], self.table[1]):
            twin = pickle.loads(pickle.dumps(array))
            self.assertEqual((twin, twin.shape), (array, array.shape))
        self.assertLess(len(pickle.dumps(self.array[:2])), 600)
        self.assertEqual(repr(self.array), "BytesArray(shape=(4,), 309 bytes)")
        self.assertRaises(TypeError, hash, self.array)

    def test_converting_a_slice_to_a_list_takes_time_proportional_to_the_slice(self) -> None:
        count = 5_000  # rows of 4 KiB: copying the whole array for each row would copy 100 GB
        data = np.zeros(count * 4096, dtype=np.uint8)
        ends = np.arange(count + 1, dtype=np.int64)
        self.assertEqual(len(BytesArray(data, ends * 4096, (count, 1)).tolist()), count)
        self.assertEqual(len(Ragged(BytesArray(data, ends * 4096), ends).tolist()), count)


class RaggedArrayTest(WorkTest):
    ROWS = ([1, 2, 3], [], [4], [])

    def setUp(self) -> None:
        super().setUp()
        self.numbers = decoded(ragged("int32"), [("int64", row) for row in self.ROWS])
        self.strings = decoded(ragged("bytes"), [("bytes", [b"%d" % value for value in row]) for row in self.ROWS])

    def test_a_ragged_array_is_a_sequence_of_rows(self) -> None:
        for array, rows in (
            (self.numbers, list(self.ROWS)),
            (self.strings, [[b"%d" % v for v in r] for r in self.ROWS]),
        ):
            self.assertEqual((len(array), array.tolist()), (4, rows))
            self.assertEqual(array.lengths.tolist(), [3, 0, 1, 0])
            self.assertEqual([list(row) for row in array], rows)
            for index in (0, 2, -1, -4, np.int8(1)):
                self.assertEqual(list(array[index]), rows[index])
            for index in (4, -5):
                with self.assertRaises(IndexError):
                    array[index]
            for index in (1.0, "1", None):
                with self.assertRaises(TypeError):
                    array[index]
            self.assertEqual(array, rows)
            self.assertNotEqual(array, rows[:3])
            self.assertNotEqual(array, 5)
            self.assertRaises(TypeError, hash, array)
        self.assertIsInstance(self.numbers[0], np.ndarray)
        self.assertTrue(np.shares_memory(self.numbers[0], self.numbers.values))
        self.assertIsInstance(self.strings[0], list)
        self.assertNotEqual(self.numbers, self.strings)

    def test_a_slice_is_a_ragged_array_whose_offsets_begin_at_0(self) -> None:
        for array in (self.numbers, self.strings):
            for key in (slice(1, 3), slice(None), slice(-2, None), slice(3, 1), slice(2, 99), slice(4, 4)):
                part = array[key]
                self.assertIsInstance(part, Ragged)
                self.assertEqual(part.tolist(), array.tolist()[key])
                self.assertEqual((part.offsets[0], part.offsets[-1]), (0, len(part.values)))
                self.assertEqual(pickle.loads(pickle.dumps(part)), part)
            with self.assertRaisesRegex(ValueError, "step"):
                array[::-1]

    def test_the_repr_of_a_ragged_array_shows_its_size_and_type(self) -> None:
        self.assertEqual(repr(self.numbers), "Ragged(4 rows, 4 values of int32)")
        self.assertEqual(repr(self.strings), "Ragged(4 rows, 4 values of bytes)")
