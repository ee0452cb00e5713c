"""What a hunt is asked for: options and configuration together."""

from pathlib import Path
from typing import Any

import pytest

from assay.campaign.hunt.presets import with_variant
from assay.campaign.hunt.request import Request, hunt_options, newest_unfinished
from assay.campaign.running.limits import limits_of
from assay.cli.hunt import requested
from assay.config import Config, HuntConfig, LimitsConfig
from assay.errors import AssayError
from assay.execute import Limits
from assay.store import open_store
from assay_worker.rules import rule

FROM_FILE = Config(
    hunt=HuntConfig(technique=("a",), targets=("t", "u"), budget="5m", cases=9, seed=3),
    path="assay.toml",
)


def test_without_anything_nothing_is_asked() -> None:
    assert requested(Config()) == Request()


def test_the_file_gives_the_defaults() -> None:
    assert requested(FROM_FILE) == Request(("a",), ("t", "u"), 9, 300.0, 3)


def test_options_win_and_one_limit_replaces_both_of_the_file() -> None:
    request = requested(FROM_FILE, technique="b", targets=" v , w,v", budget="90", seed="1")
    assert request == Request(("b",), ("v", "w"), None, 90.0, 1)
    assert requested(FROM_FILE, cases="4").budget_seconds is None


def test_resume_does_not_take_the_seed_of_the_file() -> None:
    assert requested(FROM_FILE, resume=True).seed is None
    assert requested(FROM_FILE, resume=True, seed="8").seed == 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cases": "0"}, "--cases must be at least 1 and below 2**63; received 0."),
        ({"cases": "-3"}, "--cases must be at least 1 and below 2**63; received -3."),
        ({"cases": "1.5"}, '--cases takes a whole number; received "1.5".'),
        ({"cases": "x"}, '--cases takes a whole number; received "x".'),
        ({"seed": "-1"}, "--seed must be at least 0 and below 2**63; received -1."),
        ({"seed": str(2**63)}, f"--seed must be at least 0 and below 2**63; received {2**63}."),
        ({"seed": "9" * 5000}, '--seed takes a whole number; received "' + "9" * 5000 + '".'),
        ({"targets": ","}, '--targets needs at least one name; received ",".'),
        ({"technique": ""}, '--technique needs at least one name; received "".'),
        (
            {"budget": "soon"},
            '--budget takes a duration such as 90, 90s, 2m or 1h30m; received "soon".',
        ),
    ],
)
def test_bad_values_are_shown(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as caught:
        requested(Config(), **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("hunt", "message"),
    [
        (
            HuntConfig(cases=0),
            "assay.toml: hunt.cases must be at least 1 and below 2**63; received 0.",
        ),
        (
            HuntConfig(seed=-1),
            "assay.toml: hunt.seed must be at least 0 and below 2**63; received -1.",
        ),
        (HuntConfig(budget="x"), "assay.toml: hunt.budget takes a duration"),
    ],
)
def test_bad_values_of_the_file_name_the_file(hunt: HuntConfig, message: str) -> None:
    with pytest.raises(AssayError) as caught:
        requested(Config(hunt=hunt, path="assay.toml"))
    assert str(caught.value).startswith(message)


def test_large_numbers_may_be_grouped() -> None:
    assert requested(Config(), cases="10,000", seed="1_000").cases == 10_000


CAMPAIGN = {"techniques": ["single-op"], "targets": ["keras-jax", "keras-torch"]}


def test_resume_takes_up_the_newest_unfinished_campaign(tmp_path: Path) -> None:
    url = str(tmp_path / "assay.db")
    with open_store(url) as store:
        store.start_campaign(seed=1, config={**CAMPAIGN, "seed": 1}, versions={})
        newest = store.start_campaign(seed=2, config={**CAMPAIGN, "seed": 2}, versions={})
        store.record_trial(newest.id, 0, [], {"limits": {"cases": 40}}, 1.0)
        done = store.start_campaign(seed=3, config={**CAMPAIGN, "seed": 3}, versions={})
        store.finish_campaign(done.id, {}, 1.0)
    request, notice = newest_unfinished(Request(resume=True), url)
    assert request == Request(
        ("single-op",), ("keras-jax", "keras-torch"), cases=40, seed=2, resume=True, kernels=()
    )
    assert notice == f"Resuming campaign {newest.id} (seed 2) at trial 1."
    limited, _ = newest_unfinished(Request(resume=True, budget_seconds=5.0), url)
    assert (limited.cases, limited.budget_seconds) == (None, 5.0)


def test_a_check_is_nothing_to_resume(tmp_path: Path) -> None:
    url = str(tmp_path / "assay.db")
    with open_store(url) as store:
        store.start_campaign(seed=1, config={"techniques": ["check"]}, versions={})
    request, notice = newest_unfinished(Request(resume=True), url)
    assert request == Request(resume=True)
    assert "Nothing to resume" in notice


def test_nothing_to_resume_starts_a_new_hunt_and_says_so(tmp_path: Path) -> None:
    url = str(tmp_path / "assay.db")
    request, notice = newest_unfinished(Request(resume=True), url)
    assert request == Request(resume=True)
    assert notice == f"Nothing to resume in {url}: a new hunt starts."


def test_ops_may_be_repeated_listed_or_given_in_the_file() -> None:
    request = requested(Config(), ops=["keras.ops.pad, Conv*", "Dense"])
    assert request.ops == ("keras.ops.pad", "Conv*", "Dense")
    in_file = Config(hunt=HuntConfig(ops=("relu",)))
    assert requested(in_file).ops == ("relu",)
    assert requested(in_file, ops=["Dense"]).ops == ("Dense",)


def test_resume_draws_from_the_same_ops(tmp_path: Path) -> None:
    url = str(tmp_path / "assay.db")
    with open_store(url) as store:
        store.start_campaign(seed=1, config={**CAMPAIGN, "ops": ["Dense"]}, versions={})
    request, _ = newest_unfinished(Request(resume=True), url)
    assert request.ops == ("Dense",)


def test_ops_that_do_not_exist_are_refused_before_a_worker_starts(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r'no op matches "Dence"\. Did you mean "Dense"\?'):
        hunt_options(Request(ops=("Dence",)), Config(), str(tmp_path / "assay.db"))


@pytest.mark.parametrize(
    ("asked", "joined"),
    [
        (Request(), True),  # two minutes
        (Request(budget_seconds=600.0), True),
        (Request(budget_seconds=60.0), False),
        (Request(cases=100), False),
        (Request(cases=5000), True),
        (Request(targets=("keras-tensorflow", "keras-jax", "keras-torch")), False),
    ],
)
def test_a_long_hunt_that_names_no_targets_has_other_kernels_too(
    asked: Request, joined: bool
) -> None:
    options, _ = hunt_options(asked, Config(), "unused.db")
    assert options.prepared_seconds > 0
    names = tuple(target.name for target in options.targets)
    assert names == ("keras-tensorflow", "keras-jax", "keras-torch")
    assert [target.name for target in options.kernels] == ["keras-tensorflow+onednn"] * joined


@pytest.mark.parametrize("joined", [True, False])
def test_a_resumed_hunt_has_the_kernels_of_then(joined: bool, tmp_path: Path) -> None:
    url = str(tmp_path / "assay.db")
    saved = {**CAMPAIGN, "targets": ["keras-tensorflow", "keras-jax", "keras-torch"]}
    versions: dict[str, dict[str, str]] = {"keras-tensorflow+onednn": {}} if joined else {}
    with open_store(url) as store:
        store.start_campaign(seed=1, config=saved, versions=versions)
    options, _ = hunt_options(Request(resume=True, budget_seconds=600.0), Config(), url)
    assert [target.name for target in options.kernels] == ["keras-tensorflow+onednn"] * joined


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (LimitsConfig(deadline="x"), "assay.toml: limits.deadline takes a duration"),
        (LimitsConfig(start="1000h"), "assay.toml: limits.start must be from 1s to 24h"),
        (
            LimitsConfig(memory="1MB"),
            'assay.toml: limits.memory must be at least 64MB; received "1',
        ),
        (LimitsConfig(memory="lots"), "assay.toml: limits.memory takes a size such as 500MB"),
        (LimitsConfig(restarts=-1), "assay.toml: limits.restarts must be at least 0; received -1."),
    ],
)
def test_bad_limits_of_the_file_name_the_file(limits: LimitsConfig, message: str) -> None:
    with pytest.raises(AssayError) as caught:
        limits_of(Config(limits=limits, path="assay.toml"))
    assert str(caught.value).startswith(message)


def test_limits_come_from_the_options_then_from_the_file_then_are_the_usual() -> None:
    file = Config(limits=LimitsConfig(deadline="2m", memory="1.5 GB", restarts=3))
    assert limits_of(file) == Limits(run_seconds=120, memory_bytes=3 << 29, restarts=3)
    assert limits_of(file, deadline="10s", memory="100mb") == Limits(
        run_seconds=10, memory_bytes=100 << 20, restarts=3
    )
    assert limits_of(Config()) == Limits()
    with pytest.raises(AssayError, match=r'^--memory takes a size .* received "x"'):
        limits_of(file, memory="x")


def test_the_share_of_reducing_is_at_most_a_fifth() -> None:
    assert requested(Config(), reduce_share="0.1").reduce_share == 0.1
    assert requested(Config(hunt=HuntConfig(reduce_share=0.05))).reduce_share == 0.05
    for bad in ("0.3", "-1", "nan"):
        with pytest.raises(AssayError, match=r"^--reduce-share must be from 0 to 0\.2; received"):
            requested(Config(), reduce_share=bad)
    with pytest.raises(AssayError, match=r'^--reduce-share takes a number; received "much"'):
        requested(Config(), reduce_share="much")


def with_preset(**asked: Any) -> Request:
    return with_variant(Request(**asked), "eagle", unit=False)


def test_the_preset_of_eagle_has_its_rules_its_inputs_and_its_tolerance() -> None:
    request = with_preset()
    assert request.techniques == ("rewrite",)
    assert {rule(name).eagle for name in request.rules} == set(range(1, 17))
    assert "compile" not in request.rules
    assert (request.inputs, request.tolerance) == (400, (1e-2, 1e-5))
    assert request.drawing == "uniform"
    assert with_preset(techniques=("rewrite",)) == request


def test_every_setting_of_a_preset_can_be_another() -> None:
    request = with_preset(rules=("jit",), inputs=40, tolerance=(0.0, 1e-3), drawing="usual")
    assert (request.rules, request.inputs) == (("jit",), 40)
    assert (request.tolerance, request.drawing) == ((0.0, 1e-3), "usual")
    assert with_preset(cases=7).inputs is None
    with pytest.raises(AssayError, match="has published rules only; received strided"):
        with_preset(rules=("jit", "strided"))
    with pytest.raises(AssayError, match="Leave --technique out"):
        with_preset(techniques=("single-op",))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"inputs": 5}, "--inputs is an option of rewrite. Add --technique rewrite."),
        ({"tolerance": (1.0, 0.0)}, "--tolerance is an option of rewrite."),
        ({"drawing": "uniform"}, "--drawing is an option of rewrite."),
        ({"drawing": "unifrom"}, 'unknown drawing "unifrom". Did you mean "uniform"?'),
        ({"rules": ("jit",)}, "--rules are those of rewrite. Add --technique rewrite."),
        ({"techniques": ("rewrite",), "inputs": 0}, "--inputs must be at least 1"),
        ({"techniques": ("rewrite",), "inputs": 5, "cases": 5}, "both end a hunt"),
        ({"techniques": ("rewrite", "single-op"), "inputs": 5}, "by rewrite alone"),
        ({"techniques": ("rewrite",), "tolerance": (-1.0, 0.0)}, "from 0 on; received -1,0."),
    ],
)
def test_settings_of_rewrite_are_refused_where_nobody_would_use_them(
    asked: dict[str, Any], message: str
) -> None:
    with pytest.raises(AssayError) as caught:
        hunt_options(Request(targets=("keras-torch",), **asked), Config(), "unused.db")
    assert message in str(caught.value)


def test_rewrite_has_its_share_of_a_hunt_by_rules_that_compile_nothing() -> None:
    options, notice = hunt_options(Request(), Config(), "unused.db")
    assert options.techniques == ()
    assert set(options.chosen.libraries) == {"keras-tensorflow", "keras-jax", "keras-torch"}
    assert options.chosen.rules
    assert not [name for name in options.chosen.rules if rule(name).compiles or rule(name).dear]
    assert notice == ""
    assert not options.chosen.snapshots


def test_no_catalogue_is_made_for_a_share_and_a_line_says_how_to_have_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    asked = Request(targets=("torch", "keras-torch", "keras-torch+compile", "jax"))
    options, notice = hunt_options(asked, Config(), "unused.db")
    assert set(options.chosen.libraries) == {"keras-torch"}
    assert notice == (
        "rewrite leaves out torch, jax, of which there is no catalogue: assay apis torch --build"
    )
    named = Request(targets=("keras-torch",), techniques=("single-op",))
    assert not hunt_options(named, Config(), "unused.db")[0].chosen.libraries


def test_resuming_a_share_names_no_technique_and_so_makes_no_catalogue(tmp_path: Path) -> None:
    url = str(tmp_path / "assay.db")
    saved = {**CAMPAIGN, "techniques": ["rewrite", "single-op"], "usual": True}
    with open_store(url) as store:
        store.start_campaign(seed=1, config=saved, versions={})
    request, _ = newest_unfinished(Request(resume=True), url)
    assert request.techniques == ()


def test_resuming_a_preset_has_its_settings_again(tmp_path: Path) -> None:
    url = str(tmp_path / "assay.db")
    own = {"rules": ["jit"], "inputs": 40, "tolerance": [0.01, 1e-05], "drawing": "uniform"}
    saved = {**CAMPAIGN, "techniques": ["rewrite"], "preset": "eagle", **own}
    with open_store(url) as store:
        campaign = store.start_campaign(seed=1, config=saved, versions={})
        store.record_trial(campaign.id, 0, [], {"limits": {"cases": 40}}, 1.0)
    request, _ = newest_unfinished(Request(resume=True), url)
    assert (request.rules, request.inputs, request.cases) == (("jit",), 40, None)
    assert (request.tolerance, request.drawing) == ((0.01, 1e-05), "uniform")
    limited, _ = newest_unfinished(Request(resume=True, budget_seconds=60.0), url)
    assert (limited.inputs, limited.cases, limited.budget_seconds) == (40, None, 60.0)
