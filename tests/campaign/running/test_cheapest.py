"""Whom to ask first, and who is enough."""

import msgspec

from assay.campaign.running.cheapest import cheapest_first, decisive, sparing
from assay.ir import Evidence, Finding, Platform
from tests.reproduce.examples import VERSIONS, inconsistency

TF, JAX, TORCH = VERSIONS


def test_who_compiles_each_op_is_asked_after_who_does_not() -> None:
    bug, _ = inconsistency()
    assert cheapest_first(bug, (TF, JAX, TORCH)) == [TORCH, TF, JAX]


def test_who_compiles_whole_graphs_is_asked_last_whatever_it_is_called() -> None:
    bug, _ = inconsistency()
    mine = {"mine": Platform("keras", "torch", "compile")}
    bug = msgspec.structs.replace(bug, platforms=mine)
    assert cheapest_first(bug, ("mine", JAX)) == [JAX, "mine"]


def test_the_reference_and_one_that_backs_it_tell_who_is_wrong() -> None:
    bug, _ = inconsistency()
    bug = msgspec.structs.replace(
        bug, targets=(TF, JAX, TORCH, "reference"), blamed=(TF,), evidence=_nobody_named(bug)
    )
    assert decisive(bug) == (TF, TORCH, "reference")


def test_all_are_asked_where_the_reference_is_not_believed() -> None:
    bug, _ = inconsistency()
    targets = (TF, JAX, TORCH, "reference")
    evidence = msgspec.structs.replace(_nobody_named(bug), believed=(JAX, TORCH))
    outvoted = msgspec.structs.replace(bug, targets=targets, blamed=(TF,), evidence=evidence)
    assert decisive(outvoted) == targets
    everyone = msgspec.structs.replace(
        bug, targets=targets, blamed=(TF, JAX, TORCH), evidence=_nobody_named(bug)
    )
    assert decisive(everyone) == targets


def test_of_several_to_blame_those_that_compile_may_be_spared() -> None:
    bug, _ = inconsistency()
    bug = msgspec.structs.replace(bug, targets=(TF, JAX, TORCH, "reference"))
    alone = msgspec.structs.replace(bug, blamed=(JAX,), evidence=_nobody_named(bug))
    assert sparing(alone) == alone
    evidence = msgspec.structs.replace(_nobody_named(bug), voted=(TF, JAX))
    both = msgspec.structs.replace(bug, blamed=(TF, JAX), evidence=evidence)
    quick = sparing(both)
    assert (quick.targets, quick.blamed) == ((TF, TORCH, "reference"), (TF,))
    assert quick.evidence.voted == (TF,)
    assert decisive(quick) == (TF, TORCH, "reference")
    mine = msgspec.structs.replace(both, platforms={TF: Platform("keras", "tensorflow", "xla")})
    assert sparing(mine) == mine


def _nobody_named(bug: Finding) -> Evidence:
    return msgspec.structs.replace(bug.evidence, believed=(), astray=())
