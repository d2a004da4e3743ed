import pytest

from cart import total


@pytest.mark.story("CART-1")
@pytest.mark.parametrize("entries, expected", [([(250, 2), (100, 1)], 600), ([(99, 3)], 297)])
def test_adds_up(entries, expected):
    assert total(entries) == expected


@pytest.mark.story("CART-2")
def test_charges_nothing_for_an_empty_cart():
    assert total([]) == 0
