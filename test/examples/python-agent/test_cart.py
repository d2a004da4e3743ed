import unittest

from cart import total


class TestCart(unittest.TestCase):
    def test_adds_up(self):
        self.assertEqual(total([(250, 2), (100, 1)]), 600)

    def test_empty(self):
        self.assertEqual(total([]), 0)
