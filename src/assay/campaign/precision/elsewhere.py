"""Truths for targets whose interpreter has no reference: they are computed here, and sent."""

from typing import Any

from assay.targets import Target


def is_elsewhere(target: Target) -> bool:
    """Is it another interpreter, which may lack SciPy or have an old NumPy?"""
    return bool(target.python or target.environment)


class Elsewhere:
    """Keeps the reference's programs of one measurement."""

    def answered(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        """The answer to a request that is about the reference alone; None for others."""
        from assay_worker.precision.requests import answer

        if asked["step"] == "condition":
            found: dict[str, Any] = answer(self, asked)
            return found
        if asked["step"] == "repeat":
            return {"status": "stopped", "message": "not in other interpreters"}
        return None

    def told(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The request with what the worker cannot know: truths, or only how inputs are run."""
        from assay_worker.precision.requests import truths_of, way_of

        if asked["step"] == "tolerance":
            return asked
        if asked["step"] == "measure" and asked["wide"] is None:
            return {**asked, "truths": truths_of(self, asked)}
        return {**asked, "truths": {"way": way_of(self, asked)}}
