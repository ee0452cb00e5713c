"""Run by the tests in a process of its own: what Keras' draws lack.

python draw_with_keras.py BACKEND MODE; standard input: a JSON list of [case, patch],
where a patch is Python run before the case (``keras`` is at hand), or empty.
Standard output: a JSON list of the names of the properties each draw lacks.
"""

import json
import sys

from assay_worker import random_properties
from assay_worker.libraries.keras.adapter import KerasAdapter


def main() -> None:
    adapter = KerasAdapter(sys.argv[1], sys.argv[2])
    answers = []
    for case, patch in json.load(sys.stdin):
        exec(patch, {"keras": adapter.keras})
        (result,) = adapter.execute(case, variants=["again"])
        if result["status"] != "ok":
            answers.append([result["failure"]["message"]])
            continue
        listed = random_properties.names(case["graph"]["nodes"][0]["op"])
        truths = result["arrays"]["output:n"]
        answers.append([name for name, truth in zip(listed, truths, strict=True) if not truth])
    json.dump(answers, sys.stdout)


main()
