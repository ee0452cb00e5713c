"""CRADLE's tables: what is counted once, over pairs and over successive versions."""

import msgspec

from assay.ir.check import Check, LayerDeviation, LocalizationMap, PairResult, Suspect, TargetResult
from benchmarks.cradle_tables import (
    Comparison,
    bugs,
    comparisons,
    counts,
    localizations,
    markdown,
    metrics,
    rival,
    roots,
)

FAR, NEAR = (2, 0, 0, 0, 0, 2), (0, 0, 0, 0, 0, 4)
LAYERS = {"conv": "keras.layers.Conv2D", "pool": "keras.layers.MaxPooling2D", "end": "x.Dense"}


def comparison(
    version: str = "3.6",
    backends: tuple[str, str] = ("keras-jax", "keras-torch"),
    exceeded: tuple[str, ...] = ("class",),
    where: str = "conv",
    pattern: tuple[int, ...] = FAR,
    top1: float = 0.0,
) -> Comparison:
    return Comparison(
        model="lenet",
        version=version,
        backends=backends,
        classifier=True,
        exceeded=exceeded,
        accuracy_differences=(top1, 0.0, 0.0, 0.0, 0.0),
        patterns={"class": pattern, "mad": (4, *[0] * 9)},
        layer=where,
        localized=("keras.layers.Conv2D",),
        layers=LAYERS,
    )


def test_one_pattern_is_one_inconsistency_over_pairs_and_versions() -> None:
    other = ("keras-jax", "keras-numpy")
    found = [
        comparison(),
        comparison("3.12"),
        comparison(backends=other),
        comparison("3.12", other, exceeded=(), pattern=NEAR),
    ]
    assert counts(found) == [
        ["model", "jax ↔ torch", "jax ↔ numpy", "all pairs"],
        ["lenet", "1 (2)", "1 (1)", "1 (3)"],
        ["all models", "1 (2)", "1 (1)", "1 (3)"],
    ]
    assert counts([comparison(), comparison("3.12", pattern=(4, 0, 0, 0, 0, 0))])[1][1] == "2 (2)"


def test_metrics_are_compared_by_what_they_miss() -> None:
    found = [
        comparison(),  # gains and losses of accuracy cancel out
        comparison(exceeded=("class", "mad", "accuracy"), top1=0.5),
        comparison(exceeded=("mad",)),
        comparison(exceeded=()),
    ]
    assert [row[1:] for row in metrics(found)[1:]] == [
        ["2 of 4", "0"],
        ["2 of 4", "1"],
        ["1 of 4", "1"],
        ["3 of 4", "0"],
        ["3 of 4", "0"],
    ]
    swept = rival(found)
    assert swept[1] == ["top 1", *["1 (1)"] * 5, "0 (2)"]
    assert swept[2][1] == "0 (2)"


def test_a_bug_lasts_over_successive_versions_and_is_another_when_it_returns() -> None:
    versions = ("3.12", "3.6", "3.7", "3.20")  # in no order
    lasting = [comparison(version) for version in versions]
    assert [[item.version for item in bug] for bug in bugs(lasting)] == [
        ["3.6", "3.7", "3.12", "3.20"]
    ]
    fixed = [comparison("3.6"), comparison("3.7", exceeded=()), comparison("3.12")]
    assert [len(bug) for bug in bugs(fixed)] == [1, 1]
    moved = [comparison("3.6"), comparison("3.7", where="pool"), comparison("3.12")]
    assert [len(bug) for bug in bugs(moved)] == [1, 1, 1]
    assert [row[:3] for row in roots(moved)[1:]] == [
        ["Conv2D", "2", "2"],
        ["MaxPooling2D", "1", "1"],
    ]


def test_what_a_check_says_of_its_pairs_is_in_the_tables() -> None:
    names = ("keras-jax@keras-3.6", "keras-torch@keras-3.6")
    deviations = tuple(
        LayerDeviation(name, op, 0.1, 0.0, 1.0, highlighted=name == "pool")
        for name, op in LAYERS.items()
    )
    numbers = dict.fromkeys(("max_abs", "mean_abs", "max_rel", "max_ulp", "d_mad_max"), 0.1)
    pair = PairResult(
        targets=names,
        verdict="inconsistent",
        top1_agreement=0.5,
        d_class_max=16.0,
        share_class=0.5,
        share_mad=0.0,
        histogram=(*FAR, *range(10)),
        worst=1,
        suspect=Suspect("pool", LAYERS["pool"], 1.0, blamed=(names[1],)),
        accuracy_differences=(0.5, 0, 0, 0, 0),
        exceeded=("class",),
        **numbers,
    )
    check = Check(
        model="lenet",
        instances=4,
        generated=True,
        task="classification",
        preset="cradle",
        verdict="inconsistent",
        targets=tuple(TargetResult(name) for name in names),
        pairs=(pair,),
        maps=(LocalizationMap(names, 1, "conv", deviations),),
    )
    (found,) = comparisons("lenet", "Keras 3.6", check)
    assert (found.backends, found.layer, found.alone) == (
        ("keras-jax", "keras-torch"),
        "pool",
        "conv",
    )
    assert found.patterns == {"class": FAR, "mad": tuple(range(10))}
    assert localizations([found])[1] == [
        "lenet",
        "jax ↔ torch",
        "Keras 3.6",
        "class",
        "pool (MaxPooling2D)",
        "conv",
        "1 of 3",
        "1 of 3",
        "3.0",
    ]
    assert roots([found])[1][:4] == ["Conv2D", "1", "1", "torch"]
    by_growth = LocalizationMap(names, 1, "pool", deviations)
    (found,) = comparisons("lenet", "", msgspec.structs.replace(check, maps=(by_growth,)))
    assert found.alone == ""
    nothing = msgspec.structs.replace(pair, verdict="nothing to compare")
    assert comparisons("lenet", "", msgspec.structs.replace(check, pairs=(nothing,))) == []


def test_a_table_has_a_header() -> None:
    assert markdown([["a", "b"], ["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"
