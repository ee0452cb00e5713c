"""A check with thresholds: what is said of a request before a library starts, and what decides."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.campaign.check.gates import by_output, from_options, published_metrics, thresholds_of
from assay.campaign.check.request import requested
from assay.config import CheckConfig, Config, OutputConfig, TargetConfig
from assay.errors import AssayError
from assay.ir.model import model_of
from assay.ir.thresholds import Limits, Thresholds
from assay.models import Conversions
from assay.report.check import check_text
from assay.report.console import render
from assay.store import open_store
from tests.models_on_disk import LAYERS, custom_keras, normalising_onnx

RUNTIMES = ("onnxruntime", "onnx-reference")
ROWS = np.random.default_rng(1).normal(size=(6, 3)).astype("float32")
LABELS = np.arange(6) % 2


def given(**values: Any) -> Thresholds:
    names = ("atol", "rtol", "min_agreement", "metric")
    config = values.pop("config", CheckConfig())
    return thresholds_of(config, *(by_output(values.get(name)) for name in names))


def test_options_are_for_all_outputs_or_for_one() -> None:
    assert from_options("--atol", ["1e-3", "a=b=2"]) == {"": "1e-3", "a=b": "2"}
    with pytest.raises(AssayError, match='--atol was given twice for "a": a=2'):
        from_options("--atol", ["a=1", "a=2"])
    found = given(atol={"": "1e-3", "logits": 2}, min_agreement="99.5%", metric={"mae": 1})
    assert found == Thresholds(
        Limits(atol=1e-3, agreement=0.995), {"logits": Limits(atol=2.0)}, {"mae": 1.0}
    )
    assert not given().given


def test_what_is_given_wins_over_the_configuration_name_by_name() -> None:
    config = CheckConfig(
        atol=1.0,
        min_agreement="90%",
        metric={"accuracy": "1%"},
        outputs={"a": OutputConfig(atol=2.0), "b": OutputConfig(rtol=3.0)},
    )
    found = given(config=config, atol={"": 0.5, "b": 4.0}, metric={"accuracy": 0.5})
    assert found.every == Limits(atol=0.5, agreement=0.9)
    assert found.outputs == {"b": Limits(atol=4.0, rtol=3.0)}
    assert found.metrics == {"accuracy": 0.5}


def test_a_tolerance_given_for_all_outputs_wins_over_the_configurations_for_one() -> None:
    config = CheckConfig(outputs={"probs": OutputConfig(atol=0.1, min_agreement="90%")})
    found = given(config=config, atol=1e-9, min_agreement="99%")
    assert found.of("probs", 1) == Limits(atol=1e-9, agreement=0.9)
    assert given(config=config, rtol=1e-9).of("probs", 1).atol == 0.1


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"atol": "x"}, 'such as 1e-3; received "x"'),
        ({"atol": -1.0}, '--atol takes a number from 0 on, such as 1e-3; received "-1.0"'),
        ({"rtol": "nan"}, "--rtol takes a number"),
        ({"rtol": "inf"}, "--rtol takes a number"),
        ({"atol": {"a": ""}}, "--atol takes a number"),
        ({"min_agreement": "99.5"}, "takes a share such as 99.5%"),
        ({"min_agreement": "101%"}, "takes a share such as 99.5%"),
        ({"metric": {"f1": "1%"}}, 'unknown metric "f1". Known here: accuracy, mae, top5'),
        ({"metric": {"": "accuracy"}}, "--metric takes NAME=LIMIT"),
        ({"metric": {"accuracy": "2"}}, "--metric accuracy takes a share"),
    ],
)
def test_what_is_no_threshold_is_refused(values: dict[str, Any], word: str) -> None:
    with pytest.raises(AssayError) as caught:
        given(**values)
    assert word in str(caught.value)


def test_metrics_of_a_preset_have_the_papers_thresholds_unless_given() -> None:
    assert published_metrics([]) == {}
    assert published_metrics(["class,mad"]) == {"class": 8.0, "mad": 0.2}
    assert published_metrics(["mad=0.1", "accuracy=5%"]) == {"mad": 0.1, "accuracy": 0.05}
    assert published_metrics({"class": 4}) == {"class": 4.0}
    for wrong, word in (
        ("clas", 'Did you mean "class"? --preset cradle has: accuracy, class, mad.'),
        ("class=17", '--metric class takes a number from 0 to 16; received "17"'),
        ("mad=", "--metric mad takes a number"),
        ("accuracy=5", "--metric accuracy takes a share"),
    ):
        with pytest.raises(AssayError) as caught:
            published_metrics([wrong])
        assert word in str(caught.value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gates")


@pytest.fixture(scope="module")
def model(folder: Path) -> str:
    return normalising_onnx(folder)


@pytest.mark.parametrize(
    ("data", "options", "word"),
    [
        (None, {"conversions": Conversions(resize=True)}, "are for data of yours"),
        (None, {"instances": 0}, "--instances must be at least 1; received 0"),
        (None, {"thresholds": Thresholds(metrics={"mae": 1.0})}, "--metric compares with labels"),
        ("none.npz", {}, 'no data file "none.npz"'),
        (ROWS[:, :2], {}, "expects any×3; x has 6×2"),
        (ROWS, {"instances": 7}, "has 6 instances; --instances asks for 7"),
        (ROWS, {"conversions": Conversions(grey=True)}, "--grey is for images"),
        (ROWS, {"thresholds": Thresholds(metrics={"mae": 1.0})}, "--metric mae needs labels"),
        (ROWS, {"thresholds": Thresholds(outputs={"z": Limits(1.0)})}, 'output of the model "z"'),
        (ROWS, {"thresholds": Thresholds(Limits(1.0)), "preset": "cradle"}, "of its own"),
        (ROWS, {"preset": "cradle", "top_k": 2}, "add --preset cradle --metric accuracy"),
        (
            ROWS,
            {"preset": "cradle", "metrics": {"accuracy": 0.0}, "top_k": 6},
            "from 1 to 5; received 6",
        ),
        (ROWS, {"prelude": "none.py"}, 'no prelude file "none.py"'),
    ],
)
def test_a_request_that_cannot_be_is_refused_before_a_library_starts(
    model: str, data: Any, options: dict[str, Any], word: str
) -> None:
    with pytest.raises(AssayError) as caught:
        requested(Config(), model, data, targets=RUNTIMES, **options)
    assert word in str(caught.value)


def test_a_prelude_is_for_all_targets(model: str, tmp_path: Path) -> None:
    layers, patch = tmp_path / "layers.py", tmp_path / "patch.py"
    layers.touch()
    request = requested(Config(), model, ROWS, targets=RUNTIMES, prelude=str(layers))
    assert [target.prelude for target in request.targets] == [str(layers)] * 2
    mine = {"mine": TargetConfig("onnxruntime", mode="optimised", prelude=str(patch))}
    names = ("mine", "onnx-reference")
    settings = Config(targets=mine, prelude=str(layers))
    request = requested(settings, model, ROWS, targets=names)
    assert [target.prelude for target in request.targets] == [str(patch), str(layers)]
    with pytest.raises(AssayError, match=r"mine has a prelude of its own \(.*patch.py\)"):
        requested(settings, model, ROWS, targets=names, prelude=str(layers))


def test_custom_layers_are_those_of_the_prelude(folder: Path) -> None:
    custom = custom_keras(folder)
    layers = folder / "layers.py"
    layers.write_text(LAYERS)
    options: dict[str, Any] = {"targets": ("keras-numpy", "keras-torch"), "trust": True}
    options["store"] = str(folder / "custom.db")
    with pytest.raises(AssayError, match=r"Doubled of mine, Halved into a file and add --prelude"):
        assay.check(custom, [ROWS], **options)
    found = assay.check(custom, [ROWS], prelude=str(layers), **options)
    assert (found.verdict, len(found.layers)) == ("consistent", 3)


def test_targets_of_the_configuration_are_taken(model: str) -> None:
    settings = Config(check=CheckConfig(targets=RUNTIMES))
    assert tuple(t.name for t in requested(settings, model, ROWS).targets) == RUNTIMES


def test_thresholds_decide_and_findings_know_them(model: str, folder: Path) -> None:
    store = str(folder / "decide.db")
    labelled = {"x": ROWS, "y": LABELS}
    wide = assay.check(model, labelled, targets=RUNTIMES, store=store, atol={"y": 10.0})
    assert (wide.verdict, wide.findings, wide.thresholds) == ("consistent", (), "y atol 10")
    assert "beyond rounding" in wide.pairs[0].explanation
    narrow = assay.check(
        model, labelled, targets=RUNTIMES, store=store, atol=1e-3, metric={"accuracy": "100%"}
    )
    assert narrow.verdict == "inconsistent"
    (pair,) = narrow.pairs
    assert [(gate.measure, gate.passed) for gate in pair.gates] == [
        ("values", False),
        ("accuracy", True),
    ]
    assert pair.suspect is not None
    assert pair.suspect.layer == "norm"
    with open_store(store, create=False) as opened:
        (finding,) = opened.findings()
    checked = model_of(finding.case)
    assert checked is not None
    assert checked.thresholds == Thresholds(Limits(atol=1e-3), metrics={"accuracy": 1.0})
    assert finding.category == "bug"


def test_logits_are_a_classifier_when_that_is_said(model: str, folder: Path) -> None:
    store = str(folder / "logits.db")
    guessed = assay.check(model, [ROWS], targets=RUNTIMES, store=store, atol=10.0)
    assert (guessed.task, guessed.pairs[0].top1_agreement) == ("regression", None)
    told = assay.check(model, [ROWS], targets=RUNTIMES, store=store, min_agreement="50%", scale="1")
    assert told.task == "classification"
    (gate,) = told.pairs[0].gates
    assert gate.value == told.pairs[0].top1_agreement
    assert told.data_notes == ("x: taken as numbers, not scaled",)


def test_a_preset_goes_by_the_metrics_that_are_named(model: str, folder: Path) -> None:
    store = str(folder / "cradle.db")
    labelled = {"x": ROWS, "y": LABELS}
    options: dict[str, Any] = {"targets": RUNTIMES, "store": store, "preset": "cradle"}
    every = assay.check(
        model, labelled, metric=["class=1", "mad=0.01", "accuracy"], top_k=2, **options
    )
    assert every.thresholds == "class distance 1, MAD distance 0.01, top-2 accuracy 0"
    (pair,) = every.pairs
    assert "mad" in pair.exceeded
    assert "accuracy" not in pair.exceeded  # there are two classes
    text = render(check_text(every), width=200)
    assert "from norm" in text
    assert f"Inconsistent by: {', '.join(pair.exceeded)}." in text
    kind = "MAD distances, 0 to 1" if pair.exceeded[0] == "mad" else "class distances, 16 to 0"
    shown = " ".join(map(str, every.unique_inconsistencies[0].pattern))
    assert f"Pattern of {kind}: {shown} instances." in text
    with open_store(store, create=False) as opened:
        (finding,) = opened.findings()
    checked = model_of(finding.case)
    assert checked is not None
    assert (checked.metrics, checked.top_k) == ({"class": 1.0, "mad": 0.01, "accuracy": 0.0}, 2)
    lenient = assay.check(model, labelled, metric={"mad": 1.0}, **options)
    assert (lenient.verdict, lenient.pairs[0].exceeded) == ("consistent", ())
    with pytest.raises(AssayError, match="is for classifiers"):
        assay.check(model, [ROWS], metric=["class"], **options)
