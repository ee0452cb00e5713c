"""What a target has of a vocabulary: what it lacks is left out, what a prelude broke is not."""

from assay.campaign.running.offers import offers_of
from assay.execute import Supervisor
from assay.ir import Node
from assay.libraries import vocabulary
from assay.targets import builtin_targets

SIGNATURES = {"torch.sum": "(input, dim=None)", "torch.exp": "exp(input) -> Tensor"}
NAMES = ("torch.sum", "torch.exp", "torch.amax", "torch.var")


def test_an_absent_op_or_parameter_is_not_asked_for() -> None:
    offers = offers_of(NAMES, SIGNATURES, {"torch": "1.6.0"})
    assert offers.absent == {"torch.amax", "torch.var"}
    assert offers.have(Node("n", "torch.sum", ("x",), {"dim": 1}))
    assert not offers.have(Node("n", "torch.sum", ("x",), {"keepdim": True}))
    assert offers.have(Node("n", "torch.exp", ("x",), {"out": None})), "nothing is known of it"
    assert not offers.have(Node("n", "torch.amax", ("x",)))


def test_a_word_of_a_later_version_is_absent() -> None:
    told = {**SIGNATURES, "torch.amax": "", "torch.var": ""}
    assert offers_of(NAMES, told, {"torch": "1.6.0+cpu"}).absent == {"torch.var"}
    assert not offers_of(NAMES, told, {"torch": "2.13.0"}).absent
    assert not offers_of(NAMES, told, {"torch": "a build of my own"}).absent


def test_what_a_prelude_does_not_take_is_asked_for_and_seen() -> None:
    offers = offers_of(NAMES, SIGNATURES, {"torch": "2.13.0"}, patched=True)
    assert offers.have(Node("n", "torch.sum", ("x",), {"keepdim": True}))


def test_without_an_answer_everything_is_taken_to_be_there() -> None:
    offers = offers_of(NAMES, None, {})
    assert (offers.absent, offers.digest) == (frozenset(), "")


def test_a_layer_of_keras_says_every_parameter_that_it_takes() -> None:
    """Also those that it only hands on: one that another version lacks is left out there."""
    layers = {
        name: [parameter.name for parameter in spec.parameters if not parameter.argument]
        for name, spec in vocabulary(["keras"]).items()
        if name.startswith("keras.layers.")
    }
    with Supervisor([builtin_targets()["keras-numpy"]], standbys=False) as supervisor:
        supervisor.start()
        answer = supervisor.ask("keras-numpy", {"do": "offers", "names": list(layers)})
    assert isinstance(answer, dict)
    offers = offers_of(list(layers), answer["offers"], {})
    asked = {name: Node("n", name, ("x",), dict.fromkeys(layers[name])) for name in layers}
    assert [name for name, node in asked.items() if not offers.have(node)] == []
    wrong = {name: Node("n", name, ("x",), {"no_such_parameter": 1}) for name in layers}
    assert [name for name, node in wrong.items() if offers.have(node)] == []
    assert offers.have(Node("n", "keras.layers.LSTM", ("x",), {"name": "of its base"}))
