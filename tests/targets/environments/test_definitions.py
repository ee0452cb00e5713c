"""Definitions: those that come with Assay, and ad hoc ones."""

import pytest

from assay import config
from assay.errors import AssayError
from assay.targets.environments.cntk_mpi_stub import program
from assay.targets.environments.definitions import ad_hoc, shipped
from assay.targets.environments.interpreters import Interpreter, find, how_to_get
from assay.targets.environments.steps import STEPS


def test_what_is_shipped_can_be_made_and_names_its_targets() -> None:
    found = shipped()
    assert set(found) >= {"keras-2.2.4", "keras-2.3.1", "keras-3.6", "torch-1.4", "torch-1.9"}
    assert {name for name in found if name.startswith("tf-")} >= {"tf-2.0", "tf-2.1", "tf-2.6"}
    for name, definition in found.items():
        made_of = definition.made_of
        assert made_of.about, name
        assert made_of.targets, name
        pinned = [item for item in made_of.pip[-1] if "==" in item]
        assert pinned, f"{name} is not pinned"


def test_steps_that_a_configuration_may_name_exist() -> None:
    assert set(STEPS) == set(config.STEPS)


def test_the_address_follows_what_is_installed() -> None:
    one = ad_hoc("3.7", ["numpy==1.19.5"], "x")
    assert one.address("3.7.16") == ad_hoc("3.7", ["numpy==1.19.5"], "x").address("3.7.16")
    others = [
        one.address("3.7.15"),
        ad_hoc("3.7", ["numpy==1.19.4"], "x").address("3.7.16"),
        ad_hoc("3.7", ["pip==21.3.1", "numpy==1.19.5"], "x").address("3.7.16"),
        ad_hoc("3.7", ["pip==21.3.1 numpy==1.19.5"], "x").address("3.7.16"),
    ]
    assert len({one.address("3.7.16"), *others}) == 5


def test_an_ad_hoc_environment_is_called_after_what_it_holds() -> None:
    made = ad_hoc("3.11", ["pip==21.3.1", "--no-deps keras==3.6.0 'torch >= 2.13'"])
    assert made.name == "keras-3.6.0-torch-2.13"
    assert made.made_of.pip == (("pip==21.3.1",), ("--no-deps", "keras==3.6.0", "torch >= 2.13"))


@pytest.mark.parametrize(
    ("python", "pip", "name", "said"),
    [
        ("3", ["numpy"], None, '--python takes a version such as 3.7 or 3.7.16; received "3".'),
        ("2.7", ["numpy"], None, 'received "2.7"'),
        ("3.7", [""], None, "--pip takes what pip shall install"),
        ("3.7", ["'numpy"], None, "--pip: No closing quotation"),
        ("3.7", ["numpy"], "a/b", 'received "a/b"'),
        ("3.7", ["numpy"], "a@b", 'received "a@b"'),
        ("3.7", ["numpy"], "", 'received ""'),
        ("3.7", ["--no-deps"], None, "--name"),
    ],
)
def test_wrong_ad_hoc_environments_are_refused(
    python: str, pip: list[str], name: str | None, said: str
) -> None:
    with pytest.raises(AssayError) as caught:
        ad_hoc(python, pip, name)
    assert said in str(caught.value)


def test_our_own_version_is_found_and_one_that_nobody_has_is_not() -> None:
    import platform

    version = platform.python_version()
    found = find(version)
    assert isinstance(found, Interpreter)
    assert found.version == version
    assert "no Python 3.99" in str(find("3.99"))
    assert how_to_get("3.6") == "Get it with: pyenv install 3.6"
    assert how_to_get("3.9") == "Get it with: pyenv install 3.9 or uv python install 3.9"


def test_the_stub_of_mpi_tells_objects_from_functions() -> None:
    lines = program(
        ["MPI_Initialized", "MPI_Send", "_ZTIN3MPI4CommE", "ompi_mpi_char", "ompi_mpi_x_intercept"]
    ).splitlines()
    assert "*flag = 0" in lines[0]
    assert [line.split()[0] for line in lines] == ["int", "long", "char", "char", "long"]
