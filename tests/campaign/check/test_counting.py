"""What is counted of targets' answers, whatever they are; no library starts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.campaign.check.counting import Counted
from assay.campaign.check.models import Bound, Failed, Models
from assay.execute import Supervisor
from assay.ir import Array
from assay.ir.check import ModelSpec, TensorSpec
from assay.models import Batch
from assay.models.matching import matched
from assay.targets import builtin_targets

SCORES = np.array([[0.7, 0.3], [0.4, 0.6]], "float32")
NOTHING = np.full((2, 2), np.nan, "float32")


class Answering(Models):
    """Two targets that give these outputs, whatever they are asked."""

    def __init__(self, first: Sequence[Array], second: Sequence[Array]) -> None:
        targets = [builtin_targets()[name] for name in ("onnxruntime", "openvino")]
        super().__init__(Supervisor((), standbys=False), targets)
        self.answers = dict(zip((target.name for target in targets), (first, second), strict=True))
        self.specs = {name: ModelSpec((), (), (), 0, "") for name in self.answers}

    def _ask(self, requests: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any] | Failed]:
        return {
            name: {"outputs": list(self.answers[name]), "copies": [list(self.answers[name])]}
            for name in requests
        }


def test_a_classifier_is_one_though_its_first_scores_are_nan() -> None:
    models = Answering([NOTHING], [NOTHING])
    counted = Counted(models)
    for place, answers in enumerate(((NOTHING, NOTHING), (SCORES, SCORES[:, ::-1]))):
        models.answers = {n: [a] for n, a in zip(models.answers, answers, strict=True)}
        counted.run(place, Batch(2 * place, 2, (SCORES,), None))
    assert counted.task == "classification"
    (tally,) = counted.pairs.values()
    assert (tally.instances, tally.flips) == (4, 2)


def test_any_target_tells_that_the_model_classifies() -> None:
    counted = Counted(Answering([NOTHING], [SCORES]))
    counted.run(0, Batch(0, 2, (SCORES,), None))
    assert counted.task == "classification"


def test_complex_answers_are_compared_in_both_parts() -> None:
    numbers = np.array([[1 + 2j], [3 + 4j]], "complex64")
    parts = np.array([[[1, 2]], [[3, 4]]], "float32")
    counted = Counted(Answering([numbers], [parts]))
    counted.run(0, Batch(0, 2, (SCORES,), None))
    (tally,) = counted.pairs.values()
    assert (tally.shapes, tally.max_abs) == ("", 0.0)
    counted = Counted(Answering([numbers], [numbers.conj()]))
    counted.run(0, Batch(0, 2, (SCORES,), None))
    (tally,) = counted.pairs.values()
    assert (tally.exceeding, tally.max_abs) == (2, 8.0)


def test_what_overflows_in_the_type_of_the_first_file_only_is_a_difference() -> None:
    large = np.array([[7e4, 1.0], [1.0, 7e4]], "float32")
    with np.errstate(over="ignore"):
        models = Answering([large.astype("float16")], [large])
    half, single = (TensorSpec("y", (None, 2), dtype) for dtype in ("float16", "float32"))
    outputs = matched([half], [single], "outputs", ("a", "b"))
    models.bound["openvino"] = Bound(matched((), (), "inputs", ("a", "b")), outputs)
    counted = Counted(models)
    counted.run(0, Batch(0, 2, (SCORES,), None))
    (tally,) = counted.pairs.values()
    assert (tally.exceeding, tally.max_abs) == (2, np.inf)
