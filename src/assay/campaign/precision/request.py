"""What to measure, from what a user says."""

from collections.abc import Mapping, Sequence
from math import prod

import msgspec

from assay.campaign.hunt.vocabulary import matching, select
from assay.campaign.precision.functions import no_function
from assay.campaign.precision.job import EXHAUSTIVE
from assay.campaign.precision.layouts import laid_out, layouts
from assay.campaign.precision.presets import Operator, preset_of
from assay.config import Config
from assay.errors import AssayError, TargetError
from assay.ir.precision import MODES, STAGES, Measure, Mode, Stage
from assay.libraries import everything, libraries
from assay.ops import Shape
from assay.ops.special import ROOT as SPECIAL
from assay.search import Settings, strategies
from assay.sources.precision import Unsearchable, Wishes, drawn
from assay.suggest import unknown
from assay.targets import DEFAULT_TARGETS, REFERENCE, Target, known_targets, resolve
from assay.targets.probe import missing_module
from assay_worker.precision.exhaustive import WIDTHS
from assay_worker.precision.formats import FORMATS

DEFAULT_INPUTS, DEFAULT_STRATEGY, DEFAULT_DTYPE = 5000, "mixture", "float32"
DEFAULT_MODE: Mode = "operator"
DEFAULT_GROUPS = 20
#: Formats of which all numbers are tried in seconds.
EXHAUSTIVE_DTYPES = ("float16", "bfloat16")
_MOST_REPEATED = 1000
#: The numbers of the first tensor at most: a search keeps some of that size, a worker more.
_MOST_NUMBERS = 1 << 24
#: What a run measures if no target is named, by the library whose words the ops are.
_USUAL = {
    "keras": DEFAULT_TARGETS,
    "tf": ("tensorflow",),
    "onnx": ("onnxruntime", "openvino"),
    SPECIAL: ("torch", "tensorflow", "jax"),
}


class Asked(msgspec.Struct, frozen=True):
    """What a user said; None, or nothing, where they did not."""

    ops: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    inputs: int | None = None
    strategies: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    repeat: int = 0
    layouts: tuple[str, ...] = ()
    tolerances: bool = False
    curves: bool = False
    dtypes: tuple[str, ...] = ()
    shape: Shape | None = None
    theta: tuple[float, ...] = ()
    corpus: int | None = None
    box: float | None = None
    seed: int = 0
    preset: str | None = None
    resume: bool = False
    exhaustive: bool = False


class Request(msgspec.Struct, frozen=True):
    """What to measure. ``box``: numbers are between -box and box; None: any of the format."""

    operators: tuple[Operator, ...]
    targets: tuple[Target, ...]
    inputs: int
    strategies: tuple[str, ...]
    modes: tuple[Mode, ...]
    dtypes: tuple[str, ...]
    measure: Measure
    settings: Settings
    box: float | None
    seed: int
    store: str
    groups: int = DEFAULT_GROUPS
    stages: tuple[Stage, ...] = ("forward",)
    repeat: int = 0
    resume: bool = False
    skipped: int = 0
    exhaustive: bool = False
    curves: bool = False
    tolerances: bool = False


def requested(settings: Config, asked: Asked, store: str) -> Request:
    """The request; ``AssayError`` for what cannot be measured."""
    if asked.exhaustive:
        asked = of_all_numbers(asked)
    preset = None if asked.preset is None else preset_of(asked.preset)
    modes = _modes(asked.modes) or (preset.modes if preset else (DEFAULT_MODE,))
    dtypes = _dtypes(asked.dtypes) or (preset.dtypes if preset else (DEFAULT_DTYPE,))
    if "input" in modes and "float64" in dtypes:
        raise AssayError(
            "--mode input gives numbers of the format to an operator in float32, which holds "
            "none of float64. Use --mode operator."
        )
    inputs = asked.inputs if asked.inputs is not None else preset.inputs if preset else None
    inputs = DEFAULT_INPUTS if inputs is None else inputs
    if inputs < 1:
        raise AssayError(f"--inputs takes a number from 1 on; received {inputs}.")
    chosen = asked.strategies or (preset.strategies if preset else (DEFAULT_STRATEGY,))
    for name in () if asked.exhaustive else chosen:
        if name not in strategies():
            raise AssayError(unknown("strategy", name, strategies()))
    if preset:
        operators, skipped = _of_preset(preset.operators, asked), 0
    else:
        operators, skipped = _operators(asked)
    chosen_layouts = layouts(asked.layouts)
    if chosen_layouts:
        operators, lost = laid_out(
            operators, chosen_layouts, preset is not None, lambda item: unfit(item, asked.seed)
        )
        skipped += lost
    theta = asked.theta or Settings().theta
    if any(not 0.0 <= value < 1e30 for value in theta):
        raise AssayError("--theta takes numbers from 0 on, such as 1e-4,1e-6.")
    corpus = Settings().corpus if asked.corpus is None else asked.corpus
    if corpus < 1:
        raise AssayError(f"--corpus takes a number from 1 on; received {corpus}.")
    if asked.box is not None and not asked.box > 0.0:
        raise AssayError(f"--box takes a number above 0; received {asked.box:g}.")
    stages = _stages(asked.stages)
    measure: Measure = preset.measure if preset else "truth"
    if asked.repeat > _MOST_REPEATED:
        raise AssayError(f"--repeat takes {_MOST_REPEATED:,} at most; received {asked.repeat:,}.")
    if measure == "instances" and asked.repeat:
        raise AssayError("--repeat is measured against the reference. Leave --preset out.")
    if measure == "instances" and "gradient" in stages:
        raise AssayError("--preset measures results, as published. Leave --stage out.")
    goal = "linf" if measure == "instances" else "units"
    return Request(
        operators=operators,
        targets=_targets(settings, asked.targets, operators),
        inputs=inputs,
        strategies=chosen,
        modes=modes,
        dtypes=dtypes,
        measure=measure,
        settings=Settings(theta, corpus, goal),
        box=asked.box,
        seed=asked.seed,
        store=store,
        groups=min(DEFAULT_GROUPS, inputs),
        stages=stages,
        repeat=asked.repeat,
        curves=asked.curves,
        tolerances=asked.tolerances,
        resume=asked.resume,
        skipped=skipped,
        exhaustive=asked.exhaustive,
    )


def of_all_numbers(asked: Asked) -> Asked:
    """What is meant if every number is tried; ``AssayError`` for options of searches."""
    searching = {
        "--inputs": asked.inputs is not None,
        "--strategy": asked.strategies,
        "--mode input": "input" in asked.modes,
        "--stage gradient": {"gradient", "both"} & set(asked.stages),
        "--repeat": asked.repeat,
        "--format": asked.layouts,
        "--shape": asked.shape is not None,
        "--theta": asked.theta,
        "--corpus": asked.corpus is not None,
        "--box": asked.box is not None,
        "--preset": asked.preset is not None,
    }
    for name, given in searching.items():
        if given:
            raise AssayError(f"--exhaustive tries every number. Leave {name} out.")
    for name in asked.dtypes:
        if name in FORMATS and name not in WIDTHS:
            raise AssayError(
                f"{name} has too many numbers: --exhaustive tries those of {', '.join(WIDTHS)}."
            )
    dtypes = asked.dtypes or EXHAUSTIVE_DTYPES
    return msgspec.structs.replace(asked, strategies=(EXHAUSTIVE,), dtypes=dtypes)


def _modes(names: Sequence[str]) -> tuple[Mode, ...]:
    for name in names:
        if name not in MODES:
            raise AssayError(unknown("mode", name, MODES))
    return tuple(mode for mode in MODES if mode in names)


def _stages(names: Sequence[str]) -> tuple[Stage, ...]:
    for name in names:
        if name not in (*STAGES, "both"):
            raise AssayError(unknown("stage", name, (*STAGES, "both")))
    if "both" in names:
        return STAGES
    return tuple(stage for stage in STAGES if stage in names) or ("forward",)


def _dtypes(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in FORMATS:
            raise AssayError(unknown("format", name, FORMATS))
    return tuple(names)


def _operators(asked: Asked) -> tuple[tuple[Operator, ...], int]:
    """The operators that patterns name, and how many of what they match cannot be measured."""
    if not any(pattern.strip() for pattern in asked.ops):
        raise AssayError(
            "which operators? Name some: assay precision keras.ops.tanh (assay ops lists all)."
        )
    if asked.shape is not None and prod(asked.shape) > _MOST_NUMBERS:
        told = f"received {prod(asked.shape):,}"
        raise AssayError(f"--shape takes {_MOST_NUMBERS:,} numbers at most; {told}.")
    words = everything()
    found: dict[str, Operator] = {}
    skipped = 0
    for pattern in asked.ops:
        select((pattern,), words)
        refused = ""
        named = 0
        for name in sorted(matching(pattern, words)):
            operator = Operator(name, name, Wishes(shape=asked.shape))
            why = unfit(operator, asked.seed)
            if asked.exhaustive and not why:
                why = no_function(operator)
            if why:
                refused, skipped = refused or why, skipped + 1
                continue
            named += 1
            found[name] = operator
        if not named:
            raise AssayError(f"{refused}.")
    return tuple(found.values()), skipped


def unfit(operator: Operator, seed: int) -> str:
    """Why an operator cannot be measured; "" if it can."""
    # Numpy and scipy only.
    from assay_worker.reference import names

    words = everything()
    if words.entry(operator.op).means not in names():
        return f"{operator.op} has no float64 reference, so that nobody knows the truth"
    try:
        drawn(words[operator.op], operator.wishes, seed)
    except Unsearchable as error:
        return str(error)
    return ""


def _of_preset(operators: Sequence[Operator], asked: Asked) -> tuple[Operator, ...]:
    """Those of a preset that a user names, all of them without a name."""
    if asked.shape is not None:
        raise AssayError("--preset has shapes of its own. Leave --shape out.")
    known: Mapping[str, Operator] = {operator.label: operator for operator in operators}
    for name in asked.ops:
        if name not in known:
            raise AssayError(unknown("operator", name, known, "The preset has"))
    return tuple(known[name] for name in asked.ops or known)


def _targets(
    settings: Config, names: Sequence[str], operators: Sequence[Operator]
) -> tuple[Target, ...]:
    known = known_targets(settings)
    if names:
        chosen = resolve(names, known, cases=True)
    else:
        roots = dict.fromkeys(operator.op.partition(".")[0] for operator in operators)
        usual = [name for root in roots for name in _USUAL.get(root, (root,))]
        chosen = resolve(tuple(dict.fromkeys(usual)), known, cases=True)
    for target in chosen:
        if target.name == REFERENCE.name:
            raise AssayError("the reference is the truth that others are held against.")
        if target.library not in libraries() or target.library in ("keras2",):
            raise AssayError(f"{target.name}: precision measures Keras 3 and libraries of tensors.")
    missing = {target.name: missing_module(target) for target in chosen}
    for target in chosen if names else ():
        if missing[target.name]:
            raise TargetError(
                f"{target.name}: no module named {missing[target.name]}. "
                f"pip install assay-dl[{target.extra}]"
            )
    present = tuple(target for target in chosen if not missing[target.name])
    if not present:
        raise TargetError("none of the usual targets is installed. (assay doctor shows all)")
    return present
