"""Commands on a real store, and every way to call them wrongly."""

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from assay.cli.main import run
from assay.ir import Finding, from_plain
from assay.store import open_store
from tests.report.records import FINDINGS

COMMANDS = (
    "doctor",
    "hunt",
    "check",
    "precision",
    "findings",
    "show",
    "replay",
    "reduce",
    "export",
    "report",
    "explain",
    "env create",
    "env list",
    "env remove",
    "env doctor",
)


@pytest.fixture(autouse=True)
def in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def store(in_an_empty_directory: None) -> str:
    """A store with one campaign and four findings, as a hunt leaves it."""
    with open_store("assay.db") as opened:
        campaign = opened.start_campaign(seed=7, config={"seed": 7}, versions={})
        for index, finding in enumerate(FINDINGS):
            opened.record_trial(campaign.id, index, [(finding, {})], {}, float(index))
        return campaign.id


class Output:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def of(self, *arguments: str, code: int) -> tuple[str, str]:
        assert run(arguments) == code
        captured = self._capsys.readouterr()
        return captured.out, captured.err

    def error(self, *arguments: str) -> str:
        out, err = self.of(*arguments, code=2)
        assert out == ""
        assert err.startswith("assay: ")
        assert err.count("\n") == 1, "one line"
        return err


@pytest.fixture
def output(capsys: pytest.CaptureFixture[str]) -> Output:
    return Output(capsys)


def test_version(output: Output) -> None:
    from assay import __version__

    assert output.of("--version", code=0) == (f"assay {__version__}\n", "")


def test_without_a_command_the_help_is_shown(output: Output) -> None:
    out, err = output.of(code=2)
    assert out == ""
    assert "assay hunt --budget 2m" in err


def test_help_of_the_whole(output: Output, snapshot: SnapshotAssertion) -> None:
    assert output.of("--help", code=0)[0] == snapshot


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command(output: Output, snapshot: SnapshotAssertion, command: str) -> None:
    out, err = output.of(*command.split(), "--help", code=0)
    assert err == ""
    assert out == snapshot
    assert "Example" in out
    for option in ("--store", "--json", "--config", "--quiet"):
        assert option in out


@pytest.mark.parametrize("command", ["apis", "rules"])
def test_help_of_what_needs_no_store(
    output: Output, snapshot: SnapshotAssertion, command: str
) -> None:
    out, err = output.of(command, "--help", code=0)
    assert err == ""
    assert out == snapshot
    assert "Example" in out
    assert "--json" in out


@pytest.mark.parametrize(
    "line",
    [
        "hnut",
        "xyzzy",
        "hunt --budgt 3",
        "hunt --xyzzy",
        "hunt --budget",
        "hunt --budget 2x",
        "hunt --cases 0",
        "hunt --cases many",
        "hunt --seed -1",
        "hunt --preset mufin",
        "hunt --preset muffin --technique single-op",
        "hunt --unit --technique single-op",
        "hunt --events - --json",
        "hunt extra",
        "hunt --config nope.toml",
        "hunt --store=",
        "show",
        "replay",
        "replay x --attempts 0",
        "export",
        "export b3f1 --output=",
        "explain bugg",
        "findings --kind nann",
        "findings --category bugs",
        "--store x",
        "env create",
        "env create torc-1.6",
        "env create torch-1.6 --python 3.7",
        "env create --pip numpy --python 4",
        "env create --pip numpy --name torch-1.6",
        "env remove",
        "env remove torch-1.6",
        "env doctor nope",
        "env lst",
        "hunt --targets keras-theano@keras-2.3.1",
        "check zoo:lenet1 --targets torch@torch-1.66",
        "precision",
        "precision keras.ops.tanhh",
        "precision keras.ops.argmax",
        "precision keras.ops.cholesky",
        "precision keras.ops.tanh --dtype float8",
        "precision keras.ops.tanh --mode inputs",
        "precision keras.ops.tanh --mode input --dtype float64",
        "precision keras.ops.tanh --inputs 0",
        "precision keras.ops.tanh --strategy lin",
        "precision keras.ops.tanh --shape 3,0",
        "precision keras.ops.conv --shape 3,4",
        "precision keras.ops.tanh --theta -1",
        "precision keras.ops.tanh --box 0",
        "precision keras.ops.tanh --corpus 0",
        "precision keras.ops.tanh --seed -1",
        "precision keras.ops.tanh --targets reference",
        "precision keras.ops.tanh --preset preduo",
        "precision tan --preset predoo",
        "precision tanh --preset predoo --shape 3",
    ],
)
def test_wrong_calls_are_told_in_one_line(
    output: Output, snapshot: SnapshotAssertion, line: str
) -> None:
    assert output.error(*line.split()) == snapshot


def test_near_misses_of_names_are_suggested(output: Output) -> None:
    assert output.error("hunt", "--targets", "keras-jax,keras-tensorflwo").startswith(
        'assay: unknown target "keras-tensorflwo". Did you mean "keras-tensorflow"? Known here: '
    )
    assert output.error("hunt", "--technique", "singleop").startswith(
        'assay: unknown technique "singleop". Did you mean "single-op"? Available: '
    )
    assert output.error("doctor", "keras-torhc").startswith(
        'assay: unknown target "keras-torhc". Did you mean "keras-torch"? '
    )


def test_a_store_that_does_not_exist_is_an_error_and_is_not_made(output: Output) -> None:
    for command in (("findings",), ("show", "b3f1"), ("replay", "b3f1"), ("export", "b3f1")):
        assert "assay.db" in output.error(*command)
    assert not Path("assay.db").exists()


def test_a_broken_configuration_is_an_error(output: Output) -> None:
    Path("assay.toml").write_text("[targets.mine]\nlibrary = 'keras'\ncolour = 1\n")
    assert output.error("findings") == (
        'assay: assay.toml line 3: targets.mine has unknown key "colour". '
        "Expected: library, backend, mode, python, prelude, env.\n"
    )


def test_messages_cannot_reach_the_terminal_as_escapes(output: Output) -> None:
    assert "\x1b" not in output.error("explain", "\x1b[31mred\nline")


@pytest.mark.usefixtures("store")
class TestFindings:
    def test_bugs_are_listed_and_the_rest_is_counted(self, output: Output) -> None:
        out, err = output.of("findings", code=0)
        assert err == ""
        assert "b3f1" in out
        assert "90ac" in out
        assert "c0de" not in out
        assert "2 bugs, 1 convention, 1 unsupported (--all lists them all). Store: assay.db" in out

    def test_all_lists_all_with_bugs_first(self, output: Output) -> None:
        out, _ = output.of("findings", "--all", code=0)
        ids = [line.split()[0] for line in out.splitlines()[1:5]]
        assert set(ids[:2]) == {"b3f1", "90ac"}
        assert ids[2:] == ["c0de", "77d0"]

    def test_a_category_that_is_asked_for_is_listed(self, output: Output) -> None:
        out, _ = output.of("findings", "--category", "convention", code=0)
        assert "c0de" in out
        assert "b3f1" not in out

    def test_kind_and_op_filter(self, output: Output) -> None:
        crashes, _ = output.of("findings", "--kind", "crash,nan", code=0)
        assert "90ac" in crashes
        assert "b3f1" not in crashes
        by_op, _ = output.of("findings", "--op", "AveragePooling2D", code=0)
        assert "b3f1" in by_op
        assert "90ac" not in by_op
        assert 'Did you mean "AveragePooling2D"?' in output.error(
            "findings", "--op", "AveragePoolin2D"
        )

    def test_campaign_filter(self, output: Output, store: str) -> None:
        assert "b3f1" in output.of("findings", "--campaign", store, code=0)[0]
        assert store in output.error("findings", "--campaign", "nope")

    def test_quiet_has_the_table_only(self, output: Output) -> None:
        out, err = output.of("findings", "-q", code=0)
        assert (len(out.splitlines()), err) == (3, "")
        assert output.of("findings", "-q", "--kind", "regression", code=0) == ("", "")

    def test_json_is_one_document_with_every_finding(self, output: Output) -> None:
        out, err = output.of("findings", "--json", code=0)
        assert err == ""
        found = [from_plain(item, Finding) for item in json.loads(out)["findings"]]
        assert {item.id for item in found} == {item.id for item in FINDINGS}

    def test_json_has_the_agreed_keys(self, output: Output) -> None:
        agreed = (
            "id kind category stage op params responsible node targets blamed evidence magnitude "
            "count flaky fingerprint reproducer"
        )
        for item in json.loads(output.of("findings", "--json", code=0)[0])["findings"]:
            assert set(agreed.split()) <= item.keys()

    def test_a_pipe_gets_whole_lines(self, output: Output) -> None:
        out, _ = output.of("findings", "--all", code=0)
        assert all(line == line.rstrip() for line in out.splitlines())
        assert len(out.splitlines()) == 7


@pytest.mark.usefixtures("store")
class TestShow:
    def test_a_prefix_is_enough(self, output: Output) -> None:
        out, err = output.of("show", "b3", code=0)
        assert err == ""
        assert out.startswith("b3f1  bug · inconsistency · forward\n")
        assert out.endswith("Replay with: assay replay b3f1\n")

    def test_the_next_command_names_the_store_that_was_named(self, output: Output) -> None:
        out, _ = output.of("show", "b3f1", "--store", "./assay.db", code=0)
        assert out.endswith("Replay with: assay replay b3f1 --store ./assay.db\n")

    def test_json_is_the_finding(self, output: Output) -> None:
        shown = from_plain(json.loads(output.of("show", "90ac", "--json", code=0)[0]), Finding)
        assert (shown.id, shown.magnitude, shown.case) == ("90ac", float("inf"), FINDINGS[1].case)

    def test_an_unknown_id_is_an_error(self, output: Output) -> None:
        assert "b3f2" in output.error("show", "b3f2")


class TestExplain:
    def test_every_kind_and_category_has_a_text(self, output: Output) -> None:
        from assay.ir import CATEGORIES, KINDS

        for name in (*KINDS, *CATEGORIES):
            assert output.of("explain", name, code=0)[0].startswith(f"{name}  finding ")
            document = json.loads(output.of("explain", name, "--json", code=0)[0])
            assert document["name"] == name

    def test_every_entry_that_silences_is_explained(self, output: Output) -> None:
        from assay.judge.silenced import described

        for entry in described():
            out, _ = output.of("explain", entry.id, code=0)
            assert out.startswith(f"{entry.id}  entry that silences\n")
            words = " ".join(out.split())
            for text in (entry.silences, entry.reason, entry.link):
                assert " ".join(text.split()) in words
            for name, specifier in entry.versions.items():
                assert f"{name} {specifier}" in words
            document = json.loads(output.of("explain", entry.id, "--json", code=0)[0])
            assert (document["name"], document["is"]) == (entry.id, "entry")
            assert document["versions"] == entry.versions

    def test_what_an_entry_silences_is_told_in_words(
        self, output: Output, snapshot: SnapshotAssertion
    ) -> None:
        for name in ("max-pooling-nan", "tensorflow-cpu-nchw", "id-refused"):
            out, _ = output.of("explain", name, code=0)
            assert [line.rstrip() for line in out.splitlines()] == snapshot(name=name)

    def test_a_near_miss_of_an_entry_is_suggested(self, output: Output) -> None:
        error = output.error("explain", "max-poolin-nan")
        assert 'Did you mean "max-pooling-nan"?' in error

    def test_the_words_of_a_check_are_explained_by_any_of_their_names(self, output: Output) -> None:
        from assay.report.check_words import MEASURES, VERDICTS

        for group in (MEASURES, VERDICTS):
            for name, word in group.items():
                for called in (name, name.upper(), *word.also):
                    assert output.of("explain", called, code=0)[0].startswith(f"{name}  ")
        several = output.of("explain", "nothing", "to", "compare", code=0)[0]
        assert several.startswith("nothing to compare  word of a check")

    def test_without_a_name_all_are_explained(self, output: Output) -> None:
        from assay.report.check_words import MEASURES, VERDICTS

        assert output.of("explain", code=0)[0].count("  finding ") == 15
        listed = json.loads(output.of("explain", "--json", code=0)[0])["explanations"]
        assert len(listed) == 15 + len(MEASURES) + len(VERDICTS)


def test_a_report_that_cannot_be_written_is_refused_before_a_library_starts(
    output: Output, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.touch()
    for place in (file, file / "inside"):
        message = output.error("check", "no-such-model.onnx", "--report", str(place))
        assert "--report" in message
    assert "no-such-model.onnx" in output.error("check", "no-such-model.onnx", "--report", "new/r")


def test_an_option_that_is_like_no_other_is_given_no_other(output: Output) -> None:
    assert "Did you mean" not in output.error("check", "model.onnx", "--frob")
    assert 'Did you mean "--report"?' in output.error("check", "model.onnx", "--reprot", "r")
