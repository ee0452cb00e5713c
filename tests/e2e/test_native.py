"""Native libraries through the real command: a bug in the words of the library that has it."""

from pathlib import Path

from tests.e2e.command import Command


def test_a_bug_is_told_in_the_words_of_the_library_that_has_it(
    assay: Command, tmp_path: Path
) -> None:
    """The case is drawn in ONNX's words; the fault is PyTorch's."""
    assay.write(
        "fault.py",
        "import torch\n"
        "right = torch.nn.functional.conv2d\n"
        "def wrong(*arguments, **keywords):\n"
        "    return right(*arguments, **keywords) * 1.01\n"
        "torch.nn.functional.conv2d = wrong\n",
    )
    assay.write("assay.toml", '[targets.faulty]\nlibrary = "torch"\nprelude = "fault.py"\n')
    arguments = ["--targets", "onnxruntime,faulty,tensorflow", "--cases", "6", "--seed", "5"]
    done = assay("hunt", "--technique", "single-op", "--ops", "onnx.Conv", *arguments, "--json")
    assert done.code == 1, done.err
    bugs = [item for item in done.document["findings"] if item["category"] == "bug"]
    assert [(bug["op"], bug["blamed"]) for bug in bugs] == [
        ("torch.nn.functional.conv2d", ["faulty"])
    ]


def test_words_that_nobody_else_has_are_compared_all_the_same(assay: Command) -> None:
    """By the reference, gradient included, and by Keras as a witness of who is wrong."""
    assay.write(
        "fault.py",
        "import torch\n"
        "class Steeper(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(context, value):\n"
        "        return value.view_as(value)\n"
        "    @staticmethod\n"
        "    def backward(context, gradient):\n"
        "        return gradient * 1.02\n"
        "right = torch.nn.functional.mse_loss\n"
        "torch.nn.functional.mse_loss = lambda *given: Steeper.apply(right(*given))\n",
    )
    assay.write("assay.toml", '[targets.faulty]\nlibrary = "torch"\nprelude = "fault.py"\n')
    arguments = ["--ops", "torch.nn.functional.mse_loss", "--cases", "12", "--seed", "3", "--json"]
    done = assay("hunt", "--technique", "single-op", "--targets", "faulty,onnxruntime", *arguments)
    assert done.code == 1, done.err
    bugs = [item for item in done.document["findings"] if item["category"] == "bug"]
    assert [(bug["op"], bug["stage"], bug["blamed"]) for bug in bugs] == [
        ("torch.nn.functional.mse_loss", "gradient", ["faulty"])
    ]
