"""Configuration files: what they mean, and how mistakes in them are told."""

from pathlib import Path

import pytest

from assay.config import (
    CheckConfig,
    Config,
    ConfigError,
    EnvironmentConfig,
    HuntConfig,
    OfferedConfig,
    OutputConfig,
    TargetConfig,
    load,
)


@pytest.fixture(autouse=True)
def in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def failure(text: str, name: str = "assay.toml") -> str:
    Path(name).write_text(text)
    with pytest.raises(ConfigError) as caught:
        load()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_without_files_the_defaults_hold() -> None:
    assert load() == Config(store="assay.db", targets={}, hunt=HuntConfig(), path="")


def test_everything_that_can_be_said() -> None:
    Path("assay.toml").write_text(
        """
        store = "sqlite:///other.db"
        [hunt]
        technique = ["single-op"]
        targets = ["mine"]
        budget = "5m"
        cases = 10
        seed = 7
        [targets.mine]
        library = "keras"
        backend = "torch"
        mode = "compile"
        env = { KERAS_HOME = "/tmp" }
        """
    )
    assert load() == Config(
        store="sqlite:///other.db",
        targets={
            "mine": TargetConfig("keras", "torch", "compile", env={"KERAS_HOME": "/tmp"}),
        },
        hunt=HuntConfig(("single-op",), ("mine",), "5m", 10, 7),
        path="assay.toml",
    )


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "assay.toml").write_text(
        'store = "found.db"\n[targets.mine]\nlibrary = "keras"\n'
        'prelude = "my_layers.py"\npython = "env/bin/python"\n'
        '[targets.other]\nlibrary = "keras"\npython = "python3.9"\n'
    )
    config = load("project/assay.toml")
    assert config.store == "project/found.db"
    assert config.targets["mine"].prelude == str(folder / "my_layers.py")
    assert config.targets["mine"].python == str(folder / "env" / "bin" / "python")
    assert config.targets["other"].python == "python3.9", "a bare name is looked up on the PATH"


def test_the_python_of_an_environment_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "python").symlink_to("/bin/sh")
    Path("assay.toml").write_text('[targets.mine]\nlibrary = "keras"\npython = "./python"\n')
    assert load().targets["mine"].python == str(tmp_path / "python")


def test_a_check_has_targets_and_thresholds(tmp_path: Path) -> None:
    Path("assay.toml").write_text(
        """
        prelude = "layers.py"
        [check]
        targets = ["keras-jax", "keras-torch"]
        atol = 1e-3
        min_agreement = "99.5%"
        classifier = true
        metric = { accuracy = "0.5%", mae = 1 }
        [check.outputs.logits]
        rtol = 1
        """
    )
    config = load()
    assert config.prelude == str(tmp_path / "layers.py")
    assert config.check == CheckConfig(
        targets=("keras-jax", "keras-torch"),
        atol=1e-3,
        min_agreement="99.5%",
        classifier=True,
        metric={"accuracy": "0.5%", "mae": 1},
        outputs={"logits": OutputConfig(rtol=1.0)},
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[check]\natol = 'x'\n", "line 2: check.atol: expected"),
        ("[check]\nattol = 1\n", 'line 2: check has unknown key "attol". Did you mean "atol"?'),
        ("[check.outputs.y]\nmin = 1\n", 'line 2: check.outputs.y has unknown key "min"'),
        ("check = 1\n", "line 1: check must be a table"),
        ("[check]\noutputs = 1\n", "line 2: check.outputs: expected"),
        ("prelude = 1\n", "line 1: prelude: expected a string"),
    ],
)
def test_mistakes_in_a_check_are_named(text: str, word: str) -> None:
    assert word in failure(text)


def test_assay_toml_wins_over_pyproject() -> None:
    Path("pyproject.toml").write_text('[tool.assay]\nstore = "b.db"\n')
    assert load().store == "b.db"
    assert load().path == "pyproject.toml"
    assert load("pyproject.toml").store == "b.db"
    Path("assay.toml").write_text('store = "a.db"\n')
    assert load().store == "a.db"


@pytest.mark.parametrize("text", ["[project]\nname = 'x'\n", "[tool.ruff]\n", "not = = toml"])
def test_a_pyproject_that_does_not_mention_assay_is_ignored(text: str) -> None:
    Path("pyproject.toml").write_text(text)
    assert load() == Config()


def test_pyproject_written_as_dotted_keys_is_read() -> None:
    Path("pyproject.toml").write_text('[tool]\nassay.store = "c.db"\n')
    assert load().store == "c.db"


def test_an_unknown_key_names_the_line_and_what_is_expected() -> None:
    text = "# one\n\n[targets.mine]\nlibrary = 'keras'\nbackend = 'torch'\n\ncolour = 'red'\n"
    assert failure(text) == (
        'assay.toml line 7: targets.mine has unknown key "colour". '
        "Expected: library, backend, mode, python, prelude, env."
    )


def test_a_near_miss_is_suggested() -> None:
    assert failure("stroe = 'x'\n") == (
        'assay.toml line 1: unknown key "stroe". Did you mean "store"? '
        "Expected: store, prelude, targets, hunt, mutate, check, limits, environments, corrections."
    )


def test_path_is_no_key() -> None:
    assert 'unknown key "path"' in failure("path = 'x'\n")


def test_the_line_is_right_for_every_way_to_write_a_key() -> None:
    assert failure("\ntargets.mine = {library = 'keras', colour = 1}\n").startswith(
        "assay.toml line 2: targets.mine has unknown key"
    )
    assert failure("\n\n[targets]\nmine.'colour' = 1\n").startswith("assay.toml line 4: ")
    assert failure("[hunt]\ntargets = [\n  'a',\n  3,\n]\n").startswith("assay.toml line 2: ")


def test_the_line_is_right_in_pyproject() -> None:
    text = "[project]\nname = 'x'\n\n[tool.assay.targets.mine]\nlibrary = 'keras'\ncolour = 1\n"
    assert failure(text, "pyproject.toml").startswith(
        'pyproject.toml line 6: targets.mine has unknown key "colour".'
    )


def test_a_missing_key_is_named() -> None:
    assert failure("[targets.mine]\nbackend = 'torch'\n") == (
        'assay.toml line 1: targets.mine has no "library". '
        "Expected: library, backend, mode, python, prelude, env."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("store = 3", "store: expected a string; received 3."),
        ("targets = ['a']", 'targets must be tables, [targets.NAME]; received ["a"].'),
        ("targets.a = 3", "targets.a must be a table; received 3."),
        ("hunt = 3", "hunt must be a table; received 3."),
        ("hunt.seed = 'x'", 'hunt.seed: expected int | null, got str; received "x".'),
        ("[targets.a]\nlibrary = true", "targets.a.library: expected a string; received true."),
        ("store = 2020-01-01", 'store: expected a string; received "2020-01-01".'),
    ],
)
def test_a_value_of_the_wrong_type_is_shown(text: str, message: str) -> None:
    assert message in failure(text)


def test_broken_toml_names_the_line() -> None:
    assert failure("store = 'a'\nhunt = = 3\n") == (
        "assay.toml line 2: not valid TOML: invalid value."
    )
    assert failure("[hunt]\ntargets = [").startswith("assay.toml line 2: not valid TOML: ")


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r'^no configuration file "nope.toml"\. '):
        load("nope.toml")


def test_a_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^cannot read .*: Is a directory\.$"):
        load(str(tmp_path))


def test_a_named_pyproject_must_have_our_table() -> None:
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n")
    with pytest.raises(ConfigError, match=r"has no \[tool\.assay\] table"):
        load("pyproject.toml")


def test_bytes_that_are_no_text_are_an_error() -> None:
    Path("assay.toml").write_bytes(b"store = '\xff'\n")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load()


def test_the_name_of_the_reference_is_not_to_be_had(tmp_path: Path) -> None:
    path = tmp_path / "assay.toml"
    path.write_text("[targets.mine]\nlibrary='keras'\n[targets.reference]\nlibrary='keras'\n")
    with pytest.raises(ConfigError) as refusal:
        load(str(path))
    assert str(refusal.value).startswith(f'{path} line 3: "reference" is Assay\'s own target')


def test_a_target_has_no_mark_of_arms_in_its_name() -> None:
    said = failure("[targets.'mine#again']\nlibrary='keras'\n")
    assert said.startswith('assay.toml line 1: "mine#again" has a "#" in it')


@pytest.mark.parametrize("name", ["", " ", "a,b"])
def test_a_target_that_no_option_can_name_is_refused(name: str) -> None:
    said = failure(f"[targets.'{name}']\nlibrary='keras'\n")
    assert f'"{name}" cannot be chosen: --targets separates names by commas' in said


def test_an_environment_of_ones_own() -> None:
    Path("assay.toml").write_text(
        """
        [environments.mine]
        about = "Keras as it was"
        python = "3.7"
        pip = [["pip==21.3.1"], ["keras==2.4.3", "tensorflow==2.4.0"]]
        steps = ["cntk-mpi-stub"]
        variables = { HOME = "{prefix}/home" }
        [environments.mine.targets.keras-tensorflow]
        library = "keras2"
        backend = "tensorflow"
        """
    )
    assert load().environments == {
        "mine": EnvironmentConfig(
            python="3.7",
            pip=(("pip==21.3.1",), ("keras==2.4.3", "tensorflow==2.4.0")),
            about="Keras as it was",
            steps=("cntk-mpi-stub",),
            variables={"HOME": "{prefix}/home"},
            targets={"keras-tensorflow": OfferedConfig("keras2", "tensorflow")},
        )
    }


ENVIRONMENT = '[environments.mine]\npython = "3.7"\npip = [["numpy"]]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("environments = 3\n", "line 1: environments must be tables, [environments.NAME]; "),
        ('[environments."a/b"]\n', 'line 1: "a/b" cannot be the name of an environment: '),
        ("[environments.mine]\n", 'line 1: environments.mine has no "python". Expected: python, '),
        (
            ENVIRONMENT.replace("python", "pyhton"),
            'line 2: environments.mine has unknown key "pyhton". Did you mean "python"? ',
        ),
        (
            ENVIRONMENT.replace("3.7", "3"),
            'line 2: environments.mine.python: expected a version such as "3.7" or "3.7.16"; '
            'received "3".',
        ),
        (ENVIRONMENT.replace('[["numpy"]]', '"numpy"'), "line 3: environments.mine.pip: expected"),
        (ENVIRONMENT.replace('[["numpy"]]', "[[]]"), "line 3: environments.mine.pip: expected a "),
        (ENVIRONMENT.replace('[["numpy"]]', "[]"), "line 3: environments.mine.pip: expected a "),
        (
            ENVIRONMENT + 'steps = ["cntk-mpi"]\n',
            'line 4: unknown step "cntk-mpi". Did you mean "cntk-mpi-stub"? Expected: ',
        ),
        (
            ENVIRONMENT + '[environments.mine.targets.t]\nlibary = "keras"\n',
            'line 5: environments.mine.targets.t has unknown key "libary". Did you mean "library"?',
        ),
        (
            ENVIRONMENT + '[environments.mine.targets."t@x"]\nlibrary = "keras"\n',
            'line 4: "t@x" cannot be the name of a target here: ',
        ),
    ],
)
def test_mistakes_in_environments_name_the_line(text: str, said: str) -> None:
    assert failure(text).startswith(f"assay.toml {said}")
