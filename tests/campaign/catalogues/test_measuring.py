"""Shares of valid draws, asked of a real worker."""

from assay.campaign.catalogues import measured
from assay.catalogue.records import Call, Entry, Snapshot, Tensor
from assay.targets import builtin_targets


def call(low: float, high: float, shape: tuple[int | str, ...] = (3,)) -> Call:
    sizes = {"n0": (3, 0)} if "n0" in shape else {}
    return Call(
        arguments={"0": {"$tensor": "x0"}},
        inputs=(Tensor("x0", shape, "float32", low, high),),
        sizes=sizes,
        dtypes=("float32",),
    )


def test_a_draw_is_valid_if_it_runs_and_tells_something() -> None:
    snapshot = Snapshot(
        "torch",
        "any",
        (
            Entry("torch.abs", calls=(call(-1, 1),)),
            Entry("torch.linalg.cholesky", calls=(call(-1, 1),)),  # raises: no matrix
            Entry("torch.log", calls=(call(-2, -1),)),  # nothing but NaN
            Entry("torch.neg", calls=(call(-1, 1, ("n0",)),)),  # now and then empty
            Entry("torch.no_such", calls=(call(-1, 1),)),
            Entry("torch.sin", problem="no sample was found"),
        ),
    )
    told: list[tuple[int, int]] = []
    found = measured(
        snapshot, builtin_targets()["torch"], 20, lambda done, total: told.append((done, total))
    )
    shares = {entry.api: [item.valid for item in entry.calls] for entry in found.entries}
    assert 0.5 < shares["torch.neg"][0] < 1.0
    del shares["torch.neg"]
    assert shares == {
        "torch.abs": [1.0],
        "torch.linalg.cholesky": [0.0],
        "torch.log": [0.0],
        "torch.no_such": [0.0],
        "torch.sin": [],
    }
    assert told[-1] == (100, 100)
