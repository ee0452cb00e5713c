"""Run by a subprocess per backend: cases from a JSON file, results to an .npz file.

python keras_runner.py BACKEND CASES.json RESULTS.npz
"""

import json
import sys

import numpy as np


def main(backend: str, cases_path: str, results_path: str) -> None:
    from assay_worker.libraries.keras.adapter import KerasAdapter

    with open(cases_path) as file:
        cases = json.load(file)
    adapter = KerasAdapter(backend, "eager")
    arrays = {}
    summaries = {}
    for name, case in cases.items():
        (result,) = adapter.execute(case)
        for key, array in result["arrays"].items():
            arrays[f"{name}|{key}"] = np.asarray(array)
        summaries[name] = {
            "status": result["status"],
            "digest": result["digest"],
            "failure": result.get("failure"),
            "cpu_seconds": result["cpu_seconds"],
        }
    np.savez(results_path, summaries=np.array(json.dumps(summaries)), **arrays)


if __name__ == "__main__":
    main(*sys.argv[1:])
