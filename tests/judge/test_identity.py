"""Which disagreements are the same one."""

import msgspec
import pytest

from assay.ir import Evidence, Failure, Finding, Platform, Verdict, normalised
from assay.judge import ErrorOracle, fingerprint, nearly_equal, same
from assay.judge.identity import headline
from tests.judge.observations import TARGETS, observed, ok, raised
from tests.report.records import finding

TF, JAX, TORCH = TARGETS


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("expected 3 channels, got 5", "expected 12 channels, got 7"),
        ("rate 0.5 is too large", "rate 1e-07 is too large"),
        ("shape (1, 3, 5) is odd", "shape (2, None, 7, 9) is odd"),
        ("shape [1, 3] is odd", "shape [2, 2, 2] is odd"),
        ("shape [] where others have [2]", "shape [1, 1] where others have [2, 5]"),
        ("unknown layer 'dense_1'", "unknown layer 'conv2d'"),
        ('no "a" here', 'no "something else" here'),
        ("at 0x7f1200ab", "at 0xDEADBEEF"),
        ("two  spaces\nand a line", "two spaces and a line"),
        ("value -3 refused", "value 14 refused"),
        ("must match. [Op:LowerBound]", "must match. [Op:UpperBound] name: n/"),
        (
            "Value for attr 'num_split' of 0 must be at least minimum 1",
            "Value for attr 'Tlen' of float is not in the list of allowed values: int8, int32",
        ),
    ],
)
def test_numbers_shapes_names_and_addresses_do_not_matter(first: str, second: str) -> None:
    assert normalised(first) == normalised(second)


def test_words_do_matter() -> None:
    assert normalised("incompatible shapes (1, 2)") != normalised("incompatible ranks (1, 2)")


def test_a_long_message_is_cut_after_normalisation() -> None:
    assert normalised("x" * 500 + "1") == normalised("x" * 500 + " end")
    assert normalised("'" + "y" * 500 + "' is wrong") == "NAME is wrong"


def failure(message: str, exception: str = "builtins.ValueError") -> Failure:
    return Failure("forward", exception, message)


def test_a_headline_is_the_first_telling_line() -> None:
    wrapper = "\n\nException encountered when calling Dense.call().\n\n"
    wrapped = failure(wrapper + "\x1b[1mToo big: 3\x1b[0m\nmore", "a.b.InvalidArgumentError")
    assert headline(wrapped) == "InvalidArgumentError: Too big: 3"
    assert headline(failure("{{function_node __wrapped}} bad [Op:Conv2D]")) == (
        "ValueError: bad [Op:Conv2D]"
    )
    assert headline(failure("")) == "ValueError: "
    assert len(headline(failure("x" * 1000))) == 300


#: What OpenVINO says of any model that it cannot read.
UNREAD = """Exception from src/inference/src/cpp/core.cpp:105:
Check 'false' failed at src/frontends/common_translators/src/unconverted_ops_report.cpp:151:
FrontEnd API failed with OpConversionFailure:
Model wasn't fully converted."""
CONVERTING = f"""{UNREAD} Failed operations detailed log:
-- Conv-20 with a message:
While validating ONNX node '<Node(Conv): y>': Check 'a.compatible(b)' failed at src/core/x.hpp:7:
"""
FAILED = "\n\nSummary:\n-- Conversion is failed for: Conv-20\n\n"


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            f"{CONVERTING}While validating node 'opset1::Convolution C_4' with name 'C_4':\n"
            f"Shape inference input shapes {{[2,3],[2]}}\nChannel count (3) is not (2).{FAILED}",
            "Channel count (3) is not (2).",
        ),
        (
            f"{UNREAD}\nSummary:\n-- No conversion rule found for operations: Det-20\nRead more",
            "No conversion rule found for operations: Det-20",
        ),
        (CONVERTING + FAILED, CONVERTING.splitlines()[-1]),
    ],
)
def test_a_headline_of_openvino_is_the_line_that_says_what_is_wrong_with_the_model(
    message: str, told: str
) -> None:
    assert headline(failure(message, "builtins.RuntimeError")) == f"RuntimeError: {told}"


def verdict(message: str = "expected 3 channels") -> Verdict:
    (found,) = ErrorOracle().judge(observed(ok(TF), ok(JAX), raised(TORCH, message=message)))
    return found


BLAMED = frozenset({"torch"})


def test_a_fingerprint_ignores_what_changes_from_case_to_case() -> None:
    first = fingerprint(verdict("expected 3 channels, got shape (1, 2)"), BLAMED)
    second = fingerprint(verdict("expected 7 channels, got shape (4, 5, 6)"), BLAMED)
    assert first == second
    changed = msgspec.structs.replace(
        verdict(), params={"units": 99}, node="n7", magnitude=3.0, targets=(TF, TORCH)
    )
    assert fingerprint(changed, BLAMED) == fingerprint(verdict(), BLAMED)


def test_a_fingerprint_has_one_implementation_for_all_its_targets() -> None:
    """keras-torch and keras-torch+compile are blamed as torch."""
    other = msgspec.structs.replace(verdict(), blamed=(TORCH, "keras-torch+compile"))
    assert fingerprint(other, BLAMED) == fingerprint(verdict(), BLAMED)


def test_a_fingerprint_depends_on_kind_category_stage_op_blame_and_words() -> None:
    base = verdict()
    different = [
        fingerprint(base, BLAMED),
        fingerprint(base, frozenset()),
        fingerprint(base, frozenset({"jax"})),
        fingerprint(base, frozenset({"jax", "torch"})),
        fingerprint(verdict("no such device"), BLAMED),
    ]
    for changes in (
        {"kind": "crash"},
        {"category": "unsupported"},
        {"stage": "gradient"},
        {"op": "keras.layers.Conv2D"},
    ):
        different.append(fingerprint(msgspec.structs.replace(base, **changes), BLAMED))
    assert len(set(different)) == len(different)


def test_a_validation_is_identified_by_its_parameter_and_not_by_a_message() -> None:
    def validation(message: str, parameter: str) -> str:
        evidence = Evidence((), "reason", message=message)
        made = msgspec.structs.replace(
            verdict(), kind="validation", responsible=(parameter,), evidence=evidence
        )
        return fingerprint(made, BLAMED)

    assert validation("must be positive", "units") == validation("invalid argument", "units")
    assert validation("must be positive", "units") != validation("must be positive", "rate")


def test_the_same_disagreement_has_kind_stage_op_and_blame() -> None:
    base = verdict()
    assert same(base, verdict("another message"))
    for changes in ({"kind": "nan"}, {"stage": "loss"}, {"op": "other"}, {"blamed": ()}):
        assert not same(base, msgspec.structs.replace(base, **changes))


def finding_that_says(message: str, op: str = "keras.ops.pad") -> Finding:
    evidence = Evidence(observations=(), reason="others work", message=message)
    return finding(kind="error", op=op, evidence=evidence)


def test_wordings_of_one_message_are_nearly_equal_and_other_messages_are_not() -> None:
    first = finding_that_says("Current CPU implementation does not yet support dilation rates")
    other = finding_that_says("Current CPU implementations do not yet support dilation rates")
    assert nearly_equal(first, [other]) is other
    assert nearly_equal(first, [finding_that_says("the kernel is larger than the input")]) is None
    elsewhere = finding_that_says(other.evidence.message, "keras.ops.conv")
    assert nearly_equal(first, [elsewhere]) is None


def test_the_name_of_a_target_is_no_part_of_what_is_nearly_equal() -> None:
    first = finding_that_says("Current CPU implementation does not yet support dilation rates")
    (blamed,) = first.blamed
    message = "Current CPU implementations do not yet support dilation rates"
    other = finding_that_says(message)
    named = msgspec.structs.replace(
        other, blamed=("mine",), platforms={"mine": Platform("keras", blamed[6:])}
    )
    assert blamed.startswith("keras-")
    assert nearly_equal(first, [named]) is named
    compiled = {"mine": Platform("keras", blamed[6:], "compile")}
    assert nearly_equal(first, [msgspec.structs.replace(named, platforms=compiled)]) is None
