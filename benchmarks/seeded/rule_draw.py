"""Faults that break one of the two ways of a rule: which there are, and which are drawn."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from assay.ir import derive
from assay.ops import Draw
from assay_worker.rules import NAMES, rule

#: How much too large a wrong number is.
SIZES = (2e-3, 5e-3, 1e-2)
#: Which elements of a result are wrong; see ``rule_inject.Effect``.
USUAL = ("everywhere", "last", "odd length", "rest of four", "negative", "large")
OF_BATCHES = ("last member", "odd batch", "single member")


class RuleFault(msgspec.Struct, frozen=True):
    """A call that is wrong in one of the two ways of a rule, on some elements.

    ``at`` is what is patched, ``when`` the way that is wrong, ``effect`` where and how, by
    ``size``.
    """

    library: str
    rule: str
    api: str
    at: str
    when: str
    effect: str
    size: float

    def shown(self) -> str:
        """In a few words."""
        place = "" if self.at == self.api else f" at {self.at}"
        size = f" by {self.size:g}" if self.effect not in ("lost argument", "dtype", "rank") else ""
        return f"{self.when}: {self.effect}{size}{place}"


class Family(msgspec.Struct, frozen=True):
    """How a rule can be broken: in which way, on which elements, and where the fault sits."""

    when: str
    effects: tuple[str, ...] = USUAL
    at: str = "{api}"


_ALWAYS = Family("always")
_OTHER_CALL = Family("own arguments")
_TRACED = Family("traced")
_SPARSE = Family("sparse")
_SHIFTED = ("everywhere", "last", "negative", "rolled")
#: By rule; where libraries differ, by library behind a slash, and of optimizers behind an @. Two
#: rules are about what trains a model, whatever it is made of: no call can break one of their ways.
FAMILIES: Mapping[str, tuple[Family, ...]] = {
    "accumulated": (Family("always", ("single member",)),),
    "accumulated@optimizers": (Family("accumulating", ("everywhere",), "{api}.update_step"),),
    "averaged": (),
    "averaged@optimizers": (Family("averaging", ("everywhere",), "{api}.update_step"),),
    "batch": (Family("always", OF_BATCHES),),
    "bsr": (_SPARSE,),
    "channels": (_OTHER_CALL,),
    "channels/torch": (Family("channels last"),),
    "config": (Family("always", ("lost argument",), "{api}.get_config"),),
    "constants": (_TRACED,),
    "csc": (_SPARSE,),
    "csr": (_SPARSE,),
    "dataset/tensorflow": (_TRACED,),
    "dataset/torch": (Family("always", OF_BATCHES),),
    "depthwise": (_OTHER_CALL,),
    "dilated": (_OTHER_CALL,),
    "dtype": (Family("own format"),),
    "executed": (),
    "expanded": (_ALWAYS,),
    "export": (_TRACED,),
    "formula": (_ALWAYS,),
    "halves": (Family("with a state"),),
    "inplace": (Family("in place", at="torch.Tensor.{own}_"),),
    "interpreted": (Family("interpreted"),),
    "jit": (_TRACED,),
    "linear": (Family("always", ("large", "shifted")),),
    "masked": (Family("masked"),),
    "method": (Family("always", at="torch.Tensor.{own}"),),
    "modes": (Family("forward mode", ("everywhere", "last", "odd length", "rest of four")),),
    "module": (_ALWAYS,),
    "moved": (_OTHER_CALL,),
    "out": (Family("with out"),),
    "padding": (_OTHER_CALL,),
    "references": (_ALWAYS,),
    "refitted": (),
    "resumed": (Family("always", ("everywhere", "last"), "{api}.load_own_variables"),),
    "roundtrip": (Family("always", _SHIFTED),),
    "samename": (_ALWAYS,),
    "saved": (_TRACED,),
    "saved/keras": (
        Family("always", ("lost argument",), "{api}.get_config"),
        Family("always", ("everywhere", "last"), "{api}.load_own_variables"),
    ),
    "saved/torch": (Family("always", ("everywhere", "last", "large"), "torch.load"),),
    "scaled": (Family("bytes"),),
    "scipy": (_ALWAYS,),
    "separable": (_ALWAYS,),
    "sparse": (_SPARSE,),
    # The last member of the whole is that of the second part, too.
    "split": (Family("always", ("odd batch", "single member")),),
    "strided": (Family("strided"),),
    "symbolic": (Family("symbolic", ("dtype", "rank")),),
    "symmetric": (Family("always", ("negative argument",)),),
    "timemajor": (_OTHER_CALL,),
    "unpad": (Family("always", ("everywhere", "negative", "rolled")),),
    "vmap": (Family("batched"),),
    "xla": (_TRACED,),
}


def families(name: str, library: str, api: str) -> tuple[Family, ...]:
    """How a rule can be broken by an API of a library."""
    kind = f"{name}@optimizers"
    if ".optimizers." in api and kind in FAMILIES:
        return FAMILIES[kind]
    return FAMILIES.get(f"{name}/{library}") or FAMILIES[name]


def rules_of(library: str) -> tuple[str, ...]:
    """The rules that hunts use on a library."""
    return tuple(name for name in NAMES if library in rule(name).programs and not rule(name).dear)


def candidates(library: str, name: str, apis: Sequence[str], seed: int) -> Iterator[RuleFault]:
    """Faults for a rule, each of another API it applies to, in an order drawn by seed."""
    draw = Draw(derive(seed, "rule faults", library, name))
    for api in draw.order(sorted(apis)):
        ways = families(name, library, api)
        if not ways:
            continue
        family = draw.pick(ways)
        effect, size = draw.pick(family.effects), draw.pick(SIZES)
        at = family.at.format(api=api, own=api.rpartition(".")[2])
        yield RuleFault(library, name, api, at, family.when, effect, size)


def drawn(
    library: str,
    apis: Mapping[str, Collection[str]],
    wanted: Mapping[str, int],
    seed: int,
    tried: Collection[str] = (),
) -> list[RuleFault]:
    """For each rule as many faults as are wanted, no two of one API, none of those tried before.

    Rules with few APIs choose first. ``apis`` are those that a rule applies to.
    """
    found: list[RuleFault] = []
    taken = set(tried)
    for name in sorted(wanted, key=lambda name: (len(apis[name]), name)):
        mine = 0
        for fault in candidates(library, name, sorted(apis[name]), seed):
            if mine == wanted[name]:
                break
            if fault.api not in taken:
                taken.add(fault.api)
                found.append(fault)
                mine += 1
    return found
