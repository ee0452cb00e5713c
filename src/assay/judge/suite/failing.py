"""Why a runtime does not run a case: it says that it lacks something, it refuses, or it fails.

By what the runtimes of ONNX say, whatever the operator. Anything that is not said clearly counts
as a failure.
"""

import re

from assay.ir import Failure
from assay.judge.refusing import accident, refuses

#: What is said of an operator, a version, a type or an attribute that is not there.
_LACKS = re.compile(
    r"is not a registered function/op|could not find an implementation|failed to find kernel"
    r"|no registered implementation for|opset \d+ is under development|unrecognized attribute"
    r"|\b(doesn't|don't) support\b|\bis_supported\w*' failed|\bis only supported for\b"
    r"|\bType '[^']+' of input parameter .* is invalid\b|\bhas no type\b",
    re.IGNORECASE | re.DOTALL,
)
#: What is said of an input or attribute that could be something else, and is to be another one.
_DEMANDS = re.compile(
    r"\b(attribute|input|output_size|mode)\b[^.\n]{0,40}?\bmust be\b", re.IGNORECASE
)
#: What is said of the machine, and not of the case.
_INSTALL = re.compile(r"\binstall\b.{0,60}\b(language-?pack|package|locale|librar)", re.I | re.S)
#: Where a runtime says in its source it was: not what happened.
_PLACES = re.compile(
    r"(Exception from \S+:\d+:\s*|Check '.*?' failed at \S+:\d+:\s*"
    r"|FrontEnd API failed with \w+:\s*|Model wasn't fully converted\. \S.*? log:\s*"
    r"|\[ONNXRuntimeError\] : \d+ : \w+ :\s*|Exception during initialization:\s*"
    r"|While validating ONNX node '<.*?>':\s*|While validating node '.*?friendly_name '.*?':\s*"
    r"|Shape inference input shapes \{.*?\}\s*"
    r"|\S*_expanded_function_\S+\s*|-- \S+ with a message:\s*"
    r"|\s*Summary: -- Conversion is failed for:.*$"
    r"|Non-zero status code returned while running \w+ node\. Name:'\S*' Status Message:\s*)",
    re.DOTALL,
)


def gist(failure: Failure) -> str:
    """What a failure says, in one line, without the places in the source of a runtime."""
    said = " ".join(failure.message.split())
    return _PLACES.sub("", said).strip() or said


def lacks(failure: Failure) -> bool:
    """Does it say that it does not have what the case is of?"""
    name = failure.exception.rpartition(".")[2]
    return (
        name == "NotImplemented" or _LACKS.search(failure.message) is not None or refuses(failure)
    )


def clear_refusal(failure: Failure) -> str:
    """Why this is no fault, in words: what it asks for is said clearly. "" if it is not."""
    if accident(failure, ""):
        return ""
    if _INSTALL.search(failure.message):
        return "it asks for something that is not installed on this machine"
    if _DEMANDS.search(failure.message):
        return "it says what an input or attribute has to be, which is less than ONNX allows"
    return ""
