"""Public threads about faults that Assay finds: somebody may have told the maintainers already."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from assay.ir import Finding, Platform, platform_of


class Symptom(msgspec.Struct, frozen=True):
    """What is compared with an entry. ``shapes`` are those of the inputs.

    ``blamed`` are Keras backends, or libraries in whose own words the op is: ``torch``, or
    ``torch+compile`` in another mode than eager.
    """

    op: str
    kind: str
    stage: str
    blamed: frozenset[str]
    params: Mapping[str, Any] = {}
    message: str = ""
    shapes: tuple[tuple[int, ...], ...] = ()


class KnownIssue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A thread, and what a finding must be like to be the same. See ``known.toml``."""

    ops: tuple[str, ...]
    kind: str
    blamed: tuple[str, ...]
    url: str
    title: str
    stage: str = ""
    message: str = ""
    params: dict[str, Any] = {}
    empty: bool = False
    rank: int = 0

    def describes(self, symptom: Symptom) -> bool:
        """Is this the thread about such a finding?"""
        return (
            symptom.op in self.ops
            and symptom.kind == self.kind
            and symptom.blamed == frozenset(self.blamed)
            and self.stage in ("", symptom.stage)
            and self.message in symptom.message
            and all(_has(symptom.params, *item) for item in self.params.items())
            and (not self.empty or any(0 in shape for shape in symptom.shapes))
            and self.rank <= max(map(len, symptom.shapes), default=0)
        )


def _has(params: Mapping[str, Any], name: str, wanted: Any) -> bool:
    return name in params and (wanted == "*" or params[name] == wanted)


def symptom_of(finding: Finding) -> Symptom:
    """What of a finding is compared."""
    return Symptom(
        op=finding.op,
        kind=finding.kind,
        stage=finding.stage,
        blamed=frozenset(backend_named(platform_of(finding, name)) for name in finding.blamed),
        params=finding.params,
        message=finding.evidence.message,
        shapes=tuple(item.shape for item in finding.case.graph.inputs),
    )


def backend_named(platform: Platform) -> str:
    """What entries call a platform; one that is no Keras is called by its library."""
    return platform.identity.removeprefix("keras-")


@cache
def entries() -> tuple[KnownIssue, ...]:
    """Every thread we know of."""
    text = resources.files("assay.reproduce").joinpath("known.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["known"], tuple[KnownIssue, ...])


def known_issues(symptom: Symptom) -> tuple[KnownIssue, ...]:
    """The threads about the same fault; none if we know of none."""
    return tuple(item for item in entries() if item.describes(symptom))
