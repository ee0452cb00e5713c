"""The requests that reach a loaded model: every run is a new one, and only numbers travel."""

from typing import Any

import numpy as np
import pytest

from assay_worker.models._base import Desk, Session
from assay_worker.models.keras_session import KerasSession


class Counting(Session):
    """A model with a state: how often it ran. Its second output is a list of strings."""

    def __init__(self) -> None:
        self.runs = 0

    def describe(self) -> dict[str, Any]:
        """See ``Session``."""
        names = ("runs", "float32"), ("label", "string"), ("half", "bfloat16")
        return {
            "inputs": [{"name": "x", "shape": [None], "dtype": "bfloat16"}],
            "outputs": [{"name": name, "shape": [], "dtype": dtype} for name, dtype in names],
            "layers": [],
            "weights": 0,
            "digest": "",
        }

    def reset(self) -> None:
        """See ``Session``."""
        self.runs = 0

    def predict(self, inputs: list[Any]) -> list[Any]:
        """See ``Session``."""
        self.runs += 1
        return [np.float32(self.runs), [{"cat": 0.5}], np.zeros(2, "float32")]

    def nudged(self, inputs: list[Any], seed: int | None, factor: float = 1.0) -> list[Any]:
        """See ``Session``."""
        return self.predict(inputs)

    def states(self, inputs: list[Any]) -> dict[str, Any]:
        """See ``Session``."""
        self.runs += 1
        return {"runs": np.array(self.runs), "label": np.array(["cat"], object)}

    def alone(self, layer: str, arrays: dict[str, Any]) -> dict[str, Any]:
        """See ``Session``."""
        return self.states([])


class Adapter:
    """Has one model."""

    def session(self, request: dict[str, Any]) -> Session:
        """The model."""
        return Counting()


@pytest.fixture
def desk() -> Desk:
    desk = Desk(Adapter())
    ask(desk, "load")
    return desk


def ask(desk: Desk, action: str, **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = desk.answer({"action": action, "inputs": [], **more})["model"]
    assert "failure" not in answer
    return answer


def test_outputs_that_are_no_numbers_are_told_and_left_out() -> None:
    description = ask(Desk(Adapter()), "load")["description"]
    assert [item["name"] for item in description["outputs"]] == ["runs", "half"]
    assert [(item["name"], item["dtype"]) for item in description["left_out"]] == [
        ("label", "string")
    ]


def test_types_that_numpy_lacks_travel_as_float32() -> None:
    description = ask(Desk(Adapter()), "load")["description"]
    types = [item["dtype"] for item in description["inputs"] + description["outputs"]]
    assert types == ["float32", "float32", "float32"]


def test_every_run_begins_with_the_state_that_was_loaded(desk: Desk) -> None:
    for _ in range(3):
        first, second = ask(desk, "predict")["outputs"]
        assert (first, second.shape) == (1.0, (2,))
    copies = ask(desk, "nudged", copies=2, factor=1.0)["copies"]
    assert [outputs[0] for outputs in copies] == [1.0] * 4
    for _ in range(2):
        assert ask(desk, "states")["arrays"] == {"runs": 1}
        assert ask(desk, "alone", layers=["a", "b"], arrays={})["arrays"] == {"runs": 1}


def test_keras_resets_layers_that_carry_a_state_and_no_others() -> None:
    reset = []

    class Layer:
        def __init__(self, name: str, stateful: bool) -> None:
            self.name, self.stateful = name, stateful

        def reset_state(self) -> None:
            reset.append(self.name)

    class Model:
        def _flatten_layers(self) -> list[Any]:
            return [Layer("stateful", True), Layer("plain", False), object()]

    session = KerasSession.__new__(KerasSession)
    session.model = Model()
    session.reset()
    assert reset == ["stateful"]
