from hypothesis import given
from hypothesis import strategies as st

from assay.reduce.ddmin import ddmin


@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1)))))
def test_exactly_what_is_needed_is_left_in_order(drawn: tuple[int, set[int]]) -> None:
    count, needed = drawn
    found = ddmin(range(count), lambda kept: needed <= set(kept))
    assert found == (sorted(needed) if needed else found[:1])


@given(st.integers(2, 25))
def test_a_list_of_which_everything_is_needed_stays(count: int) -> None:
    asked: list[list[int]] = []

    def shows(kept: list[int]) -> bool:
        asked.append(kept)
        return False

    assert ddmin(range(count), shows) == list(range(count))
    assert len(asked) <= 4 * count + 8


def test_what_was_reached_stays_when_the_answers_end() -> None:
    left = [3]

    def shows(kept: list[int]) -> bool:
        left[0] -= 1
        return left[0] >= 0 and 7 in kept

    assert 7 in ddmin(range(16), shows)
