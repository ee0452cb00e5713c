"""What targets pin, and what a user may set instead."""

from assay.config import Config, TargetConfig
from assay.targets import builtin_targets, known_targets

PIN = "TF_ENABLE_ONEDNN_OPTS"


def test_every_target_on_tensorflow_chooses_its_kernels_whatever_the_cpu() -> None:
    found = [target for target in builtin_targets().values() if target.backend == "tensorflow"]
    assert len(found) > 4
    assert {target.env.get(PIN) for target in found} == {"0"}


def test_a_target_of_ones_own_is_pinned_unless_it_says_otherwise() -> None:
    mine = {
        "mine": TargetConfig("keras", "tensorflow"),
        "onednn": TargetConfig("keras", "tensorflow", env={PIN: "1"}),
        "other": TargetConfig("keras", "torch"),
    }
    known = known_targets(Config(targets=mine))
    assert [known[name].env.get(PIN) for name in mine] == ["0", "1", None]
