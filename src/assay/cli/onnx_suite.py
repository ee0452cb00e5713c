"""``assay check --onnx-suite``: ONNX's own cases on its runtimes."""

import shlex
import sys
from collections.abc import Mapping, Sequence

from assay.cli.options import repeated_options, store_url
from assay.errors import AssayError


def refuse_with_models(models: Sequence[str], given: Mapping[str, object]) -> None:
    """``AssayError`` for a model beside the suite, or an option that is for models."""
    if models:
        raise AssayError(
            f"--onnx-suite brings its own models; received {models[0]} as well. "
            "Leave out one of the two."
        )
    for name, value in given.items():
        if value not in (None, False, [], ()):
            raise AssayError(f"{name} is for models; --onnx-suite does not take it.")


def run(
    targets: Sequence[str],
    ops: Sequence[str],
    report: str | None,
    json: bool,
    store: str | None,
    config: str | None,
    quiet: bool,
) -> int:
    """Run the suite, print conformance, and give the exit code.

    It is 1 if there is a bug, 3 if Assay itself failed on a case.
    """
    from assay.campaign.suite.request import requested
    from assay.config import load

    settings = load(config)
    request = requested(settings, targets, ops, store_url(store, settings))
    from assay.campaign.events import SuiteFinished
    from assay.campaign.suite.running import run_suite
    from assay.report.check_progress import check_progress
    from assay.report.console import show
    from assay.report.streams import write_json
    from assay.report.suite import suite_document, suite_text

    with check_progress(sys.stderr, quiet) as handle:
        for event in run_suite(request, tell=handle):
            handle(event)
    assert isinstance(event, SuiteFinished)  # the last one, unless there was an error
    page = ""
    if report is not None:
        from assay.report.suite_page import write_suite_report

        page = write_suite_report(event.result, event.findings, report)
    if json:
        write_json(suite_document(event.result, event.findings))
    else:
        options = "" if quiet else repeated_options(store, config)
        show(suite_text(event.result, event.findings, shlex.quote(page) if page else "", options))
    if any(item.status == "not run" for item in event.result.outcomes):
        return 3
    return 1 if any(item.category == "bug" for item in event.findings) else 0
