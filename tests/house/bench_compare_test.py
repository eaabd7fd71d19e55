#!/usr/bin/env python3
"""The comparison of two builds (bench/compare.py): its interval, and what it says of known times."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import compare  # noqa: E402


class Compare(unittest.TestCase):
    def test_interval_is_that_of_the_sign_test(self):
        # Of nine the second and the eighth: 2 * (1 + 9) / 512 = 3.9 % lie outside. Of twelve the third and the tenth.
        self.assertEqual(compare.interval([9, 1, 8, 2, 7, 3, 6, 4, 5]), (2, 8))
        self.assertEqual(compare.interval(range(1, 13)), (3, 10))

    def test_too_few_pairs_give_the_extremes(self):
        self.assertEqual(compare.interval([3]), (3, 3))
        self.assertEqual(compare.interval([2, 1]), (1, 2))
        self.assertEqual(compare.interval([5, 4, 3, 2, 1]), (1, 5))

    def test_ratios_are_taken_within_pairs(self):
        rows = [(1.0, 0.5, 2.0, 1.0), (10.0, 5.0, 20.0, 10.0), (4.0, 2.0, 8.0, 4.0)]
        said = compare.sentence(rows, 100_000_000)
        self.assertIn("old 4.000 s of CPU (25 MB/s), new 2.000 s (50 MB/s)", said)
        self.assertIn("new takes 0.500 of old's CPU [0.500, 0.500] and 0.500 of its time", said)


if __name__ == "__main__":
    unittest.main()
