"""Line coverage of a library's Python code over a hunt; see ``assay_worker.lines``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

import msgspec

from assay.errors import AssayError
from assay.execute import scratch
from assay.targets import REFERENCE, Target


class Lines:
    """Where workers write down what ran; asks nothing of them if no package is named."""

    def __init__(self, package: str, directory: str) -> None:
        self._package = package
        self._directory = directory

    def watched(self, targets: Sequence[Target]) -> tuple[Target, ...]:
        """The targets, told to write down which lines run."""
        asked = {"ASSAY_LINES": f"{self._package}={self._directory}"}
        return tuple(
            msgspec.structs.replace(target, env={**target.env, **asked})
            if self._package and target.name != REFERENCE.name
            else target
            for target in targets
        )

    def share(self) -> dict[str, float]:
        """The share of the package's statements that ran, in any worker."""
        if not self._package:
            return {}
        import coverage

        total = coverage.Coverage(
            data_file=f"{self._directory}/lines", config_file=False, messages=False
        )
        try:
            total.combine([self._directory])
            with open(f"{self._directory}/report", "w") as report:
                return {"lines": total.report(file=report, ignore_errors=True) / 100}
        except coverage.exceptions.NoDataError:
            return {"lines": 0.0}


@contextmanager
def line_coverage(package: str) -> Iterator[Lines]:
    """Measure while inside; ``AssayError`` if coverage.py is not installed."""
    if not package:
        yield Lines("", "")
        return
    if not package.isidentifier():
        raise AssayError(
            f"--lines takes the name of a whole package, as keras; received {package!r}."
        )
    if find_spec("coverage") is None:
        raise AssayError('--lines needs coverage.py. Install it: pip install "assay-dl[coverage]"')
    with scratch("lines") as directory:
        yield Lines(package, directory)
