"""A model of the zoo in a real worker: what rounding does to it, and what the reference says."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assay.campaign.check import models as module
from assay.campaign.check.models import LIMITS, Models
from assay.execute import Supervisor
from assay.ir import Array
from assay.models import generated, inspect
from assay.targets import REFERENCE, builtin_targets

TARGET = builtin_targets()["keras-numpy"]


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    targets = (TARGET, REFERENCE)
    with Supervisor(targets, LIMITS, standbys=False) as supervisor:
        started = Models(supervisor, targets)
        started.start()
        yield started


def loaded(models: Models, name: str, folder: Path) -> tuple[Array, ...]:
    """Build and load a model of the zoo; gives inputs of one instance."""
    path = str(folder / f"{name}.keras")
    models.build(name, 3, path)
    file = inspect(path)
    models.load(file)
    models.forget()
    return next(generated(models.spec.inputs, file.ids, 1, 3).batches()).inputs


@pytest.mark.parametrize("name", ["gru", "transformer"])
def test_the_reference_agrees_with_every_layer(models: Models, name: str, tmp_path: Path) -> None:
    states = models.states(TARGET.name, 0, loaded(models, name, tmp_path))
    for layer in models.spec.layers:
        found = models.reference(TARGET.name, layer, states)
        (output,) = layer.outputs
        np.testing.assert_allclose(found[output], states[output], rtol=1e-4, atol=1e-5)


def test_layers_tell_what_they_were_made_with(models: Models, tmp_path: Path) -> None:
    loaded(models, "gru", tmp_path)
    facts = {item.layer: item for item in models.facts(TARGET.name)}
    assert set(facts) == {layer.name for layer in models.spec.layers}
    (gru,) = [facts[layer.name] for layer in models.spec.layers if layer.op.endswith(".GRU")]
    assert int(gru.attributes["units"]) > 0
    assert len(gru.weights) == 3
    for weight in gru.weights:
        assert weight.smallest <= weight.mean <= weight.largest
        assert weight.spread >= 0


def test_nudged_layers_move_the_outputs_of_a_model_that_reads_ids(
    models: Models, tmp_path: Path
) -> None:
    inputs = loaded(models, "gru", tmp_path)
    plain, again, *moved = models.nudged(TARGET.name, inputs, 3, 1.0)
    whole = models.predict_on(TARGET.name, inputs)
    assert whole is not None
    np.testing.assert_allclose(plain[0], whole[0], rtol=1e-5)
    for copy in moved:
        assert 0 < np.abs(copy[0] - plain[0]).max() < 1e-5
    np.testing.assert_array_equal(plain[0], again[0])
    further = models.nudged(TARGET.name, inputs, 3, 64.0)[2:]
    assert np.abs(further[0][0] - plain[0]).max() > 8 * np.abs(moved[0][0] - plain[0]).max()


def test_a_model_with_large_layers_runs_few_instances_at_once(
    models: Models, tmp_path: Path
) -> None:
    loaded(models, "steering", tmp_path)  # 3.4 MB of layers' outputs per instance
    inputs = np.random.default_rng(1).random((130, 66, 200, 3), "float32")
    whole = models.predict_on(TARGET.name, [inputs])
    part = models.predict_on(TARGET.name, [inputs[128:]])
    assert whole is not None
    assert part is not None
    assert whole[0].shape == (130, 1)
    np.testing.assert_allclose(whole[0][128:], part[0], rtol=1e-4, atol=1e-5)


def test_a_model_is_loaded_again_after_its_process_died(models: Models, tmp_path: Path) -> None:
    inputs = loaded(models, "lenet1", tmp_path)
    before = models.predict_on(TARGET.name, inputs)
    process, _ = models.supervisor.processes()  # the second is the reference's
    os.kill(process, signal.SIGKILL)
    assert models.predict_on(TARGET.name, inputs) is None  # its death is told once
    after = models.predict_on(TARGET.name, inputs)
    assert before is not None
    assert after is not None
    np.testing.assert_array_equal(before[0], after[0])


def test_a_large_model_is_held_by_one_target_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is loaded again when it is asked again, and gives what it gave."""
    monkeypatch.setattr(module, "LARGE_BYTES", 1)
    targets = (TARGET, builtin_targets()["keras-torch"])
    with Supervisor(targets, LIMITS, standbys=False) as supervisor:
        large = Models(supervisor, targets)
        large.start()
        inputs = loaded(large, "lenet1", tmp_path)
        forgotten = {"do": "model", "action": "predict", "inputs": list(inputs)}
        first = large.predict(inputs)
        assert set(first) == {target.name for target in targets}
        held = large._answers({target.name: forgotten for target in targets})
        assert sorted("lost" in answer for answer in held.values()) == [False, True]
        peers = large.peers(TARGET.name)
        again = peers.predict(inputs)
        for name, outputs in first.items():
            np.testing.assert_array_equal(outputs[0], again[name][0])
        held = large._answers({target.name: forgotten for target in targets})
        assert sorted("lost" in answer for answer in held.values()) == [False, True]
