"""What targets pin, and what a user may set instead."""

import pytest

from assay.config import Config, TargetConfig
from assay.ir import Platform
from assay.libraries.kernels import chosen
from assay.targets import Target, builtin_targets, known_targets

PIN = "TF_ENABLE_ONEDNN_OPTS"


def test_every_target_on_tensorflow_chooses_its_kernels_whatever_the_cpu() -> None:
    found = [target for target in builtin_targets().values() if target.backend == "tensorflow"]
    assert len(found) > 4
    others = {target.name: target.env.get(PIN) for target in found if target.mode != "onednn"}
    assert set(others.values()) == {"0"}


def test_a_target_of_ones_own_is_pinned_unless_it_says_otherwise() -> None:
    mine = {
        "mine": TargetConfig("keras", "tensorflow"),
        "onednn": TargetConfig("keras", "tensorflow", env={PIN: "1"}),
        "other": TargetConfig("keras", "torch"),
    }
    known = known_targets(Config(targets=mine))
    assert [known[name].env.get(PIN) for name in mine] == ["0", "1", None]


@pytest.mark.parametrize("library", ["keras-tensorflow", "tensorflow"])
def test_other_kernels_are_a_mode_that_differs_by_its_environment(library: str) -> None:
    usual, other = builtin_targets()[library], builtin_targets()[f"{library}+onednn"]
    assert (usual.env[PIN], other.env[PIN]) == ("0", "1")
    assert (other.execution, other.compiles, other.fuses, other.hides_layers) == (
        "eager",
        False,
        False,
        False,
    )
    assert (usual.base, other.base) == ("", library)
    assert other.votes_as("keras.ops.exp") == usual.votes_as("keras.ops.exp") == "tensorflow"
    assert other.votes_as("keras.layers.Conv2D") == "torch"  # one kernel, one vote


def test_a_platform_tells_what_chooses_kernels_and_nothing_else_of_an_environment() -> None:
    target = Target("mine", "keras", "tensorflow", env={PIN: "1", "TOKEN": "secret"})
    assert target.platform({}).environment == {PIN: "1"}


def test_records_of_before_had_what_is_pinned_today() -> None:
    assert chosen(Platform("keras", "tensorflow")) == {PIN: "0"}
    assert chosen(Platform("keras", "tensorflow", "onednn")) == {PIN: "1"}
    assert chosen(Platform("tensorflow", environment={PIN: "1"})) == {PIN: "1"}
    assert chosen(Platform("keras", "torch")) == {}


def test_several_devices_are_a_mode_of_jax_and_no_other_kernels() -> None:
    target = builtin_targets()["jax+devices"]
    assert target.execution == "eager"
    assert target.base == ""
    assert "device_count=3" in chosen(target.platform({}))["XLA_FLAGS"]
