"""What individuals are worth, and on which of them something shows."""

import numpy as np

from assay.campaign.hunt.fitness import Seen, failing, fitness, seen_of


def seen(outputs: list[list[float]], nan: list[str] | None = None) -> Seen:
    return Seen(np.array(outputs), nan or [""] * len(outputs), {}, {})


ONE = seen([[1.0, 2.0], [5.0, -5.0], [0.0, 1.0]])
OTHER = seen([[1.0, 2.0], [5.0, -4.0], [1.0, 0.0]])


def test_an_inconsistency_is_worth_the_mean_difference_of_the_logits() -> None:
    found = fitness({"a": ONE, "b": OTHER}, "inconsistency", 3)
    assert found.tolist() == [0.0, 0.5, 1.0]


def test_of_several_targets_the_farthest_pair_counts() -> None:
    third = seen([[1.0, 6.0], [5.0, -5.0], [0.0, 1.0]])
    found = fitness({"a": ONE, "b": OTHER, "c": third}, "inconsistency", 3)
    assert found.tolist() == [2.0, 0.5, 1.0]


def test_nan_is_approached_by_the_distance_of_the_largest_from_the_smallest() -> None:
    assert fitness({"a": ONE}, "nan", 3).tolist() == [1.0, 10.0, 1.0]
    there = seen([[1.0, 2.0], [5.0, -5.0], [np.nan, 1.0]], ["", "", "dense_1"])
    assert fitness({"a": there}, "nan", 3).tolist() == [1.0, 10.0, np.inf]


def test_other_numbers_and_as_published_another_label_are_failures() -> None:
    targets = {"a": ONE, "b": OTHER}
    assert [item.row for item in failing(targets, "inconsistency", 3, False)] == [1, 2]
    assert [item.row for item in failing(targets, "inconsistency", 3, True)] == [2]
    nearly = seen([[1.0, 2.0 + 1e-6], [5.0, -5.0], [0.0, 1.0]])
    assert failing({"a": ONE, "b": nearly}, "inconsistency", 3, False) == []


def test_nan_on_all_targets_is_what_a_search_for_nan_looks_for() -> None:
    nan = seen([[np.nan, 2.0]], ["conv2d_1"])
    number = seen([[1.0, 2.0]])
    (found,) = failing({"a": nan, "b": number}, "inconsistency", 1, False)
    assert (found.what, found.targets, found.node) == ("nan", ("a",), "conv2d_1")
    assert failing({"a": nan, "b": nan}, "inconsistency", 1, False) == []
    (found,) = failing({"a": nan, "b": nan}, "nan", 1, False)
    assert found.targets == ("a", "b")


def test_who_raises_alone_and_who_dies_is_told() -> None:
    number = seen([[1.0, 2.0]])
    raises, died = number._replace(failed={0: "no"}), number._replace(died={0: "SIGSEGV"})
    (found,) = failing({"a": number, "b": raises}, "nan", 1, False)
    assert (found.what, found.targets) == ("error", ("b",))
    assert failing({"a": raises, "b": raises}, "nan", 1, False) == [], "all refuse it"
    (found,) = failing({"a": number, "b": died}, "nan", 1, False)
    assert (found.what, found.targets) == ("crash", ("b",))


def test_answers_about_parts_are_put_together_again() -> None:
    part = {
        "outputs": np.array([[3.0], [4.0]]),
        "nan": ["", "n"],
        "failures": {"0": {"message": "no"}},
    }
    found = seen_of([([0, 2], part), ([1], "SIGSEGV")], 3)
    assert found.outputs[[0, 2], 0].tolist() == [3.0, 4.0]
    assert np.isnan(found.outputs[1, 0])
    assert (found.nan, found.failed, found.died) == (["", "", "n"], {0: "no"}, {1: "SIGSEGV"})
