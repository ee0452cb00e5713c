"""Catalogues on disk."""

from pathlib import Path

import msgspec
import pytest

from assay.catalogue import storing
from assay.catalogue.partial import Begun, Found, Looked, Partial
from assay.catalogue.records import FORMAT, Call, Entry, Snapshot, Tensor
from assay.errors import AssayError

CALL = Call(
    arguments={"0": {"$tensor": "x0"}},
    inputs=(Tensor("x0", ("n0", 2), "float32", free=True),),
    sizes={"n0": (3, 1)},
    dtypes=("float32", "float16"),
)
SNAPSHOT = Snapshot("torch", "2.0+cpu", (Entry("torch.abs", calls=(CALL,)),))
BEGUN = Begun("torch", "2.0+cpu", "1", "contents")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    return tmp_path


def test_what_is_saved_is_loaded_with_the_same_hash() -> None:
    storing.save(SNAPSHOT)
    found = storing.load("torch", "2.0+cpu")
    assert found is not None
    assert (found, found.digest) == (SNAPSHOT, SNAPSHOT.digest)
    assert storing.versions("torch") == ("2.0+cpu",)


def test_a_version_without_a_catalogue_has_none() -> None:
    storing.save(SNAPSHOT)
    assert storing.load("torch", "2.1") is None
    assert storing.versions("jax") == ()


def test_another_format_is_told_apart_from_damage() -> None:
    path = storing.save(msgspec.structs.replace(SNAPSHOT, format=FORMAT + 1))
    with pytest.raises(storing.Stale, match=f"has format {FORMAT + 1}"):
        storing.load("torch", "2.0+cpu")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(AssayError, match="is no catalogue") as error:
        storing.load("torch", "2.0+cpu")
    assert not isinstance(error.value, storing.Stale)


def test_a_file_of_another_version_is_stale() -> None:
    path = storing.save(SNAPSHOT)
    path.rename(storing.path_of("torch", "2.1"))
    with pytest.raises(storing.Stale, match=r"2\.1 is installed"):
        storing.load("torch", "2.1")


def test_an_interrupted_build_goes_on_from_whole_lines(cache: Path) -> None:
    path = cache / "build.partial"
    looked = [
        Looked("probe", f"own:{n}", {"torch.abs": Found((CALL,))}, "", {"torch.abs": ("x",)})
        for n in range(3)
    ]
    with Partial(path, BEGUN) as partial:
        for item in looked:
            partial.add(item)
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    with Partial(path, BEGUN) as partial:
        assert list(partial.found.values()) == looked[:2]
        partial.add(looked[2])
    assert path.read_bytes() == whole


def test_a_build_of_something_else_begins_anew(cache: Path) -> None:
    path = cache / "build.partial"
    with Partial(path, BEGUN) as partial:
        partial.add(Looked("probe", "own:a"))
    with Partial(path, msgspec.structs.replace(BEGUN, contents="other")) as partial:
        assert partial.found == {}
    with Partial(path, BEGUN) as partial:
        assert partial.found == {}
