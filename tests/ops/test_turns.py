"""Decisions in turn: few draws meet every choice."""

from collections import Counter

from assay.ops import Draw

ITEMS = tuple("abcdefg")


def drawn(name: str, series: int, turns: range) -> list[str]:
    return [Draw(1000 + turn, turn, series).in_turn(name, ITEMS) for turn in turns]


def test_in_as_many_turns_as_there_are_items_each_comes_once() -> None:
    for block in range(5):
        turns = range(7 * block, 7 * block + 7)
        assert sorted(drawn("x", 3, turns)) == sorted(ITEMS)


def test_names_series_and_blocks_have_orders_of_their_own() -> None:
    orders = [
        drawn("x", 3, range(7)),
        drawn("y", 3, range(7)),
        drawn("x", 4, range(7)),
        drawn("x", 3, range(7, 14)),
    ]
    assert len({tuple(order) for order in orders}) == 4
    assert drawn("x", 3, range(7)) == orders[0]


def test_a_second_decision_of_a_name_is_random_and_so_is_one_without_a_turn() -> None:
    again = Counter()
    free = Counter()
    for seed in range(200):
        draw = Draw(seed, 5, 3)
        assert draw.in_turn("x", ITEMS) == drawn("x", 3, range(5, 6))[0]
        again[draw.in_turn("x", ITEMS)] += 1
        free[Draw(seed).in_turn("x", ITEMS)] += 1
    assert set(again) == set(free) == set(ITEMS)
