"""What a target is made of, by record or, for records of before, by Assay's own names."""

import msgspec
import pytest

from assay.ir import Platform, blamed_platforms, named, platform_of
from assay.targets import builtin_targets
from tests.factories import make_finding


@pytest.mark.parametrize(
    "name",
    [name for name in builtin_targets() if name.startswith("keras-") or "+" in name],
    ids=str,
)
def test_the_names_of_our_own_targets_with_a_backend_or_a_mode_say_what_they_are(name: str) -> None:
    target = builtin_targets()[name]
    made_of = target.platform({})
    assert named(name) == msgspec.structs.replace(made_of, environment={})
    assert named(name).identity == name


@pytest.mark.parametrize("name", ["mine", "keras-torch-faulty", "keras", "Keras-torch", ""])
def test_any_other_name_says_nothing(name: str) -> None:
    assert named(name) == Platform(library=name)


def test_a_version_in_a_name_is_no_part_of_the_identity() -> None:
    assert named("keras-torch+compile@keras-3.6") == Platform("keras", "torch", "compile")


def test_the_record_counts_and_the_name_only_without_one() -> None:
    old = make_finding()
    assert platform_of(old, "keras-torch").backend == "torch"
    assert platform_of(old, "keras-torch").versions == {"keras": "3.15.1", "torch": "2.13.0"}
    jax = Platform("keras", "jax", versions={"keras": "3.15.1"})
    assert platform_of(make_finding(platforms={"keras-torch": jax}), "keras-torch") == jax


def test_who_is_blamed_is_told_whatever_the_names_are() -> None:
    torch = Platform("keras", "torch")
    compiled = msgspec.structs.replace(torch, mode="compile")
    mine = make_finding(blamed=("a", "b", "keras-torch"), platforms={"a": torch, "b": compiled})
    assert blamed_platforms(mine) == ("keras-torch", "keras-torch+compile")
