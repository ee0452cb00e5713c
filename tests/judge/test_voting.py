"""One vote per implementation, and who is blamed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judge.voting import camps_of, vote
from tests.judge.observations import votes

TF, JAX, TORCH, REFERENCE = "keras-tensorflow", "keras-jax", "keras-torch", "reference"
COMPILED = "keras-torch+compile"
Camps = list[list[str]]


@pytest.mark.parametrize(
    ("camps", "blamed"),
    [
        ([[TF, JAX], [TORCH]], (TORCH,)),
        ([[TORCH], [TF, JAX]], (TORCH,)),
        # Two torch targets have one vote.
        ([[TORCH, COMPILED], [TF, JAX]], (TORCH, COMPILED)),
        ([[TORCH, COMPILED], [TF]], ()),
        ([[TF], [JAX]], ()),
        ([[TF], [JAX], [TORCH]], ()),
        # Two that agree may share a mistake when the reference agrees with nobody.
        ([[TF, JAX], [TORCH], [REFERENCE]], ()),
        # The reference with one implementation is believed against two that agree.
        ([[TF, JAX], [TORCH, REFERENCE]], (JAX, TF)),
        ([[TF, REFERENCE], [JAX], [TORCH]], (JAX, TORCH)),
        ([[TF, JAX, REFERENCE], [TORCH]], (TORCH,)),
        # Nobody backs the reference, and the rest is split evenly.
        ([[TF], [JAX], [REFERENCE]], ()),
        # An implementation on both sides has no vote.
        ([[TORCH, TF], [COMPILED]], (COMPILED,)),
        ([[TORCH], [COMPILED]], ()),
        # Nor has one that agrees with nobody the last word then.
        ([[TORCH], [COMPILED], [TF]], ()),
        ([[TORCH, TF], [COMPILED, JAX]], ()),
        ([[COMPILED], [TORCH, REFERENCE]], (COMPILED,)),
    ],
)
def test_who_is_blamed(camps: Camps, blamed: tuple[str, ...]) -> None:
    ballot = vote(camps, "op", votes)
    assert ballot.blamed == tuple(sorted(blamed))
    alone = [REFERENCE] in [list(camp) for camp in camps]
    assert ballot.reference_alone == (alone and not blamed)
    assert ballot.reason
    if not blamed:
        assert "undecidable" in ballot.reason


@pytest.mark.parametrize("others", [[TF], [TF, JAX, TORCH], [TORCH, COMPILED]])
def test_only_the_reference_dissents(others: list[str]) -> None:
    for camps in ([others, [REFERENCE]], [[REFERENCE], others]):
        ballot = vote(camps, "op", votes)
        assert ballot.reference_alone
        assert ballot.blamed == ()
        assert ballot.camps == (tuple(others), (REFERENCE,))


def test_the_believed_camp_comes_first() -> None:
    assert vote([[TORCH], [TF, JAX]], "op", votes).camps[0] == (TF, JAX)
    assert vote([[TF, JAX], [TORCH, REFERENCE]], "op", votes).camps[0] == (TORCH, REFERENCE)


def test_the_implementation_depends_on_the_op() -> None:
    """Keras' NumPy backend calls JAX for convolutions: no second vote there."""

    def shared(target: str, op: str) -> str:
        return "jax" if target == "keras-numpy" and "conv" in op else votes(target, op)

    camps = [["keras-numpy", JAX], [TORCH]]
    assert vote(camps, "keras.ops.conv", shared).blamed == ()
    assert vote(camps, "keras.ops.add", shared).blamed == (TORCH,)


@given(st.permutations([[TF, JAX, REFERENCE], [TORCH, COMPILED], ["keras-openvino"]]))
def test_blame_does_not_depend_on_the_order_of_camps(camps: Camps) -> None:
    assert vote(camps, "op", votes).blamed == tuple(sorted((TORCH, COMPILED, "keras-openvino")))


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 3)), unique_by=lambda t: t[0]))
def test_camps_are_a_partition_by_agreement(answers: list[tuple[str, int]]) -> None:
    camps = camps_of(answers, lambda a, b: a == b)
    assert sorted(target for camp in camps for target in camp) == sorted(t for t, _ in answers)
    values = dict(answers)
    assert all(len({values[target] for target in camp}) == 1 for camp in camps)
    assert len(camps) == len(set(values.values()))
