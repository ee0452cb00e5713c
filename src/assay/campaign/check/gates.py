"""Thresholds as users give them, on the command line, from Python or in the configuration."""

from collections.abc import Iterable, Mapping

from assay.config import CheckConfig, OutputConfig
from assay.errors import AssayError
from assay.ir.thresholds import METRICS, Limits, Thresholds
from assay.judge.models.rules import LARGEST, PAPER
from assay.suggest import unknown

#: A number for all outputs (""), or for those of these names.
Given = Mapping[str, float | str]


def by_output(given: "float | str | Given | None") -> Given:
    """What Python gives: one value for all outputs, or one for each name."""
    if given is None:
        return {}
    return given if isinstance(given, Mapping) else {"": given}


def from_options(option: str, values: Iterable[str]) -> Given:
    """What a repeated option gives: VALUE, or NAME=VALUE."""
    found: dict[str, float | str] = {}
    for text in values:
        name, _, value = text.rpartition("=")
        if name in found:
            raise AssayError(f'{option} was given twice for "{name or "all outputs"}": {text}.')
        found[name] = value
    return found


def thresholds_of(
    config: CheckConfig,
    atol: Given,
    rtol: Given,
    min_agreement: Given,
    metric: Given,
) -> Thresholds:
    """The thresholds: what is given here wins over the configuration, name by name.

    A tolerance that is given here for all outputs wins over those of the configuration for
    single ones; agreement, where no output is named, is of the first one only.
    """
    merged = {
        "atol": _merged("atol", config.atol, config.outputs, atol),
        "rtol": _merged("rtol", config.rtol, config.outputs, rtol),
        "agreement": _merged("min_agreement", config.min_agreement, config.outputs, min_agreement),
    }
    names = dict.fromkeys(name for values in merged.values() for name in values)
    limits = {
        name: Limits(
            atol=_amount("--atol", merged["atol"].get(name)),
            rtol=_amount("--rtol", merged["rtol"].get(name)),
            agreement=_share("--min-agreement", merged["agreement"].get(name)),
        )
        for name in names
    }
    every = limits.pop("", Limits())
    return Thresholds(every, limits, _metrics({**config.metric, **metric}))


def published_metrics(given: "Iterable[str] | Given") -> dict[str, float]:
    """The metrics that a preset is to go by, each with its threshold: NAME or NAME=T, several of
    them separated by commas.
    """
    if not isinstance(given, Mapping):
        parts = [part.partition("=") for text in given for part in text.split(",")]
        given = {name: value if equals else PAPER.get(name, 0.0) for name, equals, value in parts}
    found = {}
    for name, value in given.items():
        if name not in PAPER:
            raise AssayError(unknown("metric", name, PAPER, "--preset cradle has"))
        option = f"--metric {name}"
        found[name] = (_share if name == "accuracy" else _amount)(option, value) or 0.0
        if found[name] > LARGEST[name]:
            raise AssayError(
                f'{option} takes a number from 0 to {LARGEST[name]:g}; received "{value}".'
            )
    return found


def _merged(
    field: str,
    every: float | str | None,
    outputs: Mapping[str, OutputConfig],
    given: Given,
) -> dict[str, float | str]:
    found: dict[str, float | str] = {} if every is None else {"": every}
    replaced = "" in given and field != "min_agreement"
    for name, table in outputs.items():
        value = getattr(table, field)
        if value is not None and not replaced:
            found[name] = value
    return found | dict(given)


def _metrics(given: Given) -> dict[str, float]:
    found = {}
    for name, value in given.items():
        if not name:
            raise AssayError(
                f'--metric takes NAME=LIMIT, such as accuracy=0.5%; received "{value}".'
            )
        if name not in METRICS:
            raise AssayError(unknown("metric", name, METRICS))
        option = f"--metric {name}"
        found[name] = (_amount if name == "mae" else _share)(option, value) or 0.0
    return found


def _amount(option: str, value: float | str | None) -> float | None:
    if value is None:
        return None
    number = _number(value)
    if number is None or not 0 <= number < float("inf"):
        raise AssayError(f'{option} takes a number from 0 on, such as 1e-3; received "{value}".')
    return number


def _share(option: str, value: float | str | None) -> float | None:
    """A share in percent ("99.5%") or as a number from 0 to 1."""
    if value is None:
        return None
    text = str(value).strip()
    number = _number(text.removesuffix("%"))
    if number is not None and text.endswith("%"):
        number /= 100
    if number is None or not 0 <= number <= 1:
        raise AssayError(f'{option} takes a share such as 99.5% (or 0.995); received "{value}".')
    return number


def _number(value: float | str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None
