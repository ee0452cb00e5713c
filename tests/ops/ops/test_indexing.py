"""What choosing elements asks of the framework: lists of tensors, and positions."""

from assay.ops import Draw, specs
from assay.ops.instance import instantiate
from assay.ops.shapes import Palette
from assay.sources._assemble import assemble

PALETTE = Palette(1)


def test_a_function_of_two_lists_gets_two_of_equal_length() -> None:
    draw = Draw(1)
    case = assemble([instantiate(specs()["keras.ops.select"], draw, PALETTE)], draw, 1).case
    assert case.graph.nodes[0].inputs == (("x0", "x1"), ("x2", "x3"))
    assert [item.dtype for item in case.graph.inputs] == ["bool", "bool", "float32", "float32"]


def test_gradients_are_asked_for_where_only_the_indices_are_integers() -> None:
    draw = Draw(2)
    call = instantiate(specs()["keras.ops.take"], draw, PALETTE, dtype="float32")
    assert assemble([call], draw, 2).case.stage == "gradient"
    call = instantiate(specs()["keras.ops.take"], draw, PALETTE, dtype="int32")
    assert assemble([call], draw, 2).case.stage == "forward"


def test_indices_count_from_both_ends_and_some_are_out_of_range() -> None:
    draw, inside, outside = Draw(3), set(), False
    for seed in range(300):
        call = instantiate(specs()["keras.ops.take"], draw, PALETTE, (4, 3), "float32")
        assembled = assemble([call], draw, seed)
        along = call.params.get("axis")
        length = 12 if along is None else (4, 3)[along]
        found = assembled.case.input_arrays()["x1"]
        if ("keras.ops.take", "input", "out_of_range") in assembled.classes:
            outside |= bool(((found < -length) | (found >= length)).any())
        else:
            assert ((found >= -length) & (found < length)).all()
            inside |= {bool(item < 0) for item in found.reshape(-1)}
    assert outside
    assert inside == {True, False}
