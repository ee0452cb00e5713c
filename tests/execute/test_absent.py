"""What a library does not have is no trace, and no error."""

from typing import Any

from assay.execute.arms import traces_of, traces_of_arms
from assay.ir import Arm

PLAIN: dict[str, Any] = {"digest": "", "cpu_seconds": 0.0, "variants": {}, "arrays": {}}
FAILURE = {"stage": "build", "node": "n0", "exception": "NotOffered", "message": "", "stack": ""}


def test_an_absent_op_leaves_no_trace() -> None:
    absent = {**PLAIN, "status": "absent", "failure": FAILURE}
    answer = {"results": [absent]}
    assert traces_of("old", answer) == ()
    assert traces_of_arms(Arm("old"), answer) == {}
    (kept,) = traces_of("old", {"results": [absent, {**PLAIN, "status": "ok"}]})
    assert kept.status == "ok"
