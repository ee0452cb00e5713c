"""A small catalogue, as a build would give it."""

from assay.catalogue.records import Call, Entry, Snapshot, Tensor

X = Tensor("x", ("n", 7), "float32", free=True)
Y = Tensor("y", ("n", 7), "float32", free=True)
PAIR = Call(
    arguments={"0": {"$tensor": "x"}, "1": {"$tensor": "y"}},
    inputs=(X, Y),
    sizes={"n": (5, 1, 9)},
    dtypes=("float32", "float64"),
    special=("positive_infinity", "nan", "zero"),
)
ONE = Call(
    arguments={"0": {"$tensor": "x"}},
    inputs=(X,),
    sizes={"n": (5, 1, 9)},
    dtypes=("float32", "float64", "float16"),
    differentiable=True,
)
LAST = Call(
    arguments={"0": {"$tensor": "x"}, "dim": -1},
    inputs=(X,),
    sizes={"n": (5, 9)},
    dtypes=("float32",),
)
SHUFFLED = Call(arguments={"0": {"$size": "n"}}, sizes={"n": (5, 9)})

TORCH = Snapshot(
    "torch",
    "2.13.0",
    (
        Entry("torch.cumsum", calls=(LAST,)),
        Entry("torch.fmod", calls=(PAIR,)),
        Entry("torch.randperm", calls=(SHUFFLED,), undefined="random"),
        Entry("torch.special.nothing", problem="no call works"),
        Entry("torch.tanh", calls=(ONE,)),
    ),
)
