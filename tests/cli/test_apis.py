"""``assay apis``: what is shown of catalogues, and what is said where there is none."""

import io
import json
from importlib import metadata
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from assay.catalogue import storing
from assay.catalogue.records import FORMAT, Call, Entry, Snapshot, Tensor
from assay.cli.main import run
from assay.report.apis import namespaces_table

CALL = Call(
    params={"0": {"$size": "n1"}},
    arguments={
        "0": {"$tensor": "x0"},
        "alpha": {"$made": ["torch.Tensor.to_sparse", {"$tensor": "x1"}]},
    },
    inputs=(
        Tensor("x0", ("n0", "n1"), "float32", free=True),
        Tensor("x1", ("n0", 2), "int64", 0, 4),
    ),
    sizes={"n0": (3, 1, 17), "n1": (2, 5)},
    dtypes=("float32", "bfloat16"),
    special=("nan", "tied"),
    valid=0.95,
)


def snapshot(version: str) -> Snapshot:
    return Snapshot(
        "torch",
        version,
        (
            Entry("torch.abs", calls=(CALL, CALL)),
            Entry("torch.fft.fft", calls=(CALL,), crashes=("crashes (sizes)",)),
            Entry("torch.fft.ifft", problem="ValueError: expected 2 axes; received 3"),
            Entry("torch.fft.rfft", problem="ValueError: expected 4 axes; received 1"),
            Entry("torch.svd", calls=(CALL,), undefined="signs are free"),
        ),
    )


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def installed() -> str:
    version = metadata.version("torch")
    storing.save(snapshot(version))
    return version


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["torhc"], 'unknown target "torhc". Did you mean "torch"?'),
        (["keras-torch"], "keras-torch: no catalogue can be made of keras; there are those of jax"),
        ([], "there is no catalogue yet. Make one with: assay apis TARGET --build"),
        (["torch", "--corrections", "none.toml"], "none.toml: cannot be read"),
        (["gone"], "gone: ModuleNotFoundError: No module named 'torch'"),
    ],
)
def test_errors_are_one_line_and_exit_2(
    arguments: list[str], told: str, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (cache / "fake").mkdir()
    (cache / "fake" / "torch.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')"
    )
    (cache / "assay.toml").write_text(
        f'[targets.gone]\nlibrary = "torch"\nenv = {{PYTHONPATH = "{cache / "fake"}"}}\n'
    )
    assert run(["apis", *arguments, "--quiet"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"assay: {told}")
    assert said.count("\n") == 1


def test_a_catalogue_of_another_version_is_no_catalogue(
    capsys: pytest.CaptureFixture[str],
) -> None:
    storing.save(snapshot("1.0"))
    assert run(["apis", "torch", "--quiet"]) == 2
    said = capsys.readouterr().err
    assert "yet (there are those of 1.0). Make it with: assay apis torch --build" in said


def test_a_catalogue_of_another_assay_is_not_read(
    installed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = storing.path_of("torch", installed)
    path.write_text(path.read_text().replace(f'"format":{FORMAT}', f'"format":{FORMAT + 1}'))
    assert run(["apis", "torch", "--quiet"]) == 2
    assert f"has format {FORMAT + 1}, and this Assay reads {FORMAT}" in capsys.readouterr().err


def test_namespaces_are_counted_and_problems_ranked(
    installed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["apis", "torch", "--quiet"]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["torch", "2", "2", "2", "3", "1", "0"] in shown
    assert ["torch.fft", "3", "1", "1", "1", "0", "1"] in shown
    assert ["all", "5", "3", "3", "4", "1", "1"] in shown
    # Two that differ in numbers only are one problem.
    (ranked,) = [line for line in shown if "ValueError:" in line]
    assert ranked[0] == "2"
    assert ranked[-1] == "torch.fft.ifft"


def test_names_are_whole_in_80_columns() -> None:
    made = snapshot("1.0.0")
    long = Entry("torch.nn.functional.softplus", calls=(CALL,))
    shown = io.StringIO()
    table = namespaces_table(msgspec.structs.replace(made, entries=(*made.entries, long)), "")
    Console(file=shown, width=80).print(table)
    assert "\ntorch.nn.functional " in shown.getvalue()
    assert max(map(len, shown.getvalue().splitlines())) <= 80


def test_a_pattern_shows_single_apis_with_their_bounds(
    installed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["apis", "torch", "torch.abs", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "(n1)(x0[n0,n1] float32 any, alpha=torch.Tensor.to_sparse(x1[n0,2] int64 0..4))" in shown
    assert "n0 3|1|17, n1 2|5 · float32 bfloat16 · nan tied · valid 95%" in shown
    assert "1 API, 1 with 2 calls" in shown
    assert run(["apis", "torch", "torch.abz", "--quiet"]) == 2
    assert 'Did you mean "torch.abs"?' in capsys.readouterr().err


def test_json_has_everything(installed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["apis", "torch", "--json", "--quiet"]) == 0
    told = json.loads(capsys.readouterr().out)["catalogue"]
    assert told["digest"] == snapshot(installed).digest
    assert [entry["api"] for entry in told["apis"]] == [
        entry.api for entry in snapshot(installed).entries
    ]
    assert told["apis"][0]["calls"][0]["sizes"] == {"n0": [3, 1, 17], "n1": [2, 5]}


def test_a_users_file_corrects_what_is_shown(
    installed: str, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (cache / "mine.toml").write_text('[torch."torch.fft.*"]\nexclude = true\n')
    assert run(["apis", "torch", "--corrections", "mine.toml", "--json", "--quiet"]) == 0
    told = json.loads(capsys.readouterr().out)["catalogue"]
    assert [entry["api"] for entry in told["apis"] if entry["calls"]] == ["torch.abs", "torch.svd"]
    assert told["digest"] != snapshot(installed).digest
    (cache / "assay.toml").write_text('corrections = "mine.toml"\n')
    assert run(["apis", "torch", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["catalogue"]["digest"] == told["digest"]


def test_without_a_target_all_catalogues_are_listed(
    installed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["apis"]) == 0
    shown = capsys.readouterr().out
    assert installed in shown
    assert snapshot(installed).digest in shown


def test_a_damaged_catalogue_is_named_and_hides_no_other(
    installed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    storing.save(snapshot("1.0.0"))
    storing.path_of("torch", "0.9.0").write_text('{"cut', encoding="utf-8")
    assert run(["apis"]) == 0
    told = capsys.readouterr()
    assert "1.0.0" in told.out
    assert "torch-0.9.0.json is no catalogue" in told.err
    assert "assay apis torch --fresh" in told.err
