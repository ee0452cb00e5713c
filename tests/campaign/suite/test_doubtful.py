"""Cases that are called doubtful: each is there, and a runtime still differs from it."""

from assay.campaign.suite.asking import LIMITS, answers, contents, harvest
from assay.execute import Supervisor
from assay.judge.suite.comparing import difference
from assay.judge.suite.leaving_open import doubtful
from assay.targets import builtin_targets

RUNTIMES = ("onnxruntime", "openvino")


def test_somebody_differs_from_every_doubtful_case() -> None:
    known = builtin_targets()
    with Supervisor([known[name] for name in RUNTIMES], LIMITS, standbys=False) as pool:
        pool.start()
        every = harvest(pool, RUNTIMES[0], list(contents(pool, RUNTIMES[0]).ops))
        cases = [case for case in every if case.name in doubtful()]
        assert {case.name for case in cases} == set(doubtful())
        found = answers(pool, [(name, cases) for name in RUNTIMES])
    for case in cases:
        given = [found[name, case.name].outputs for name in RUNTIMES]
        assert any(out is not None and difference(case, out) for out in given), case.name


def test_every_entry_quotes_the_text() -> None:
    for entry in doubtful().values():
        assert entry.reason
        assert "'" in entry.definition
        assert entry.link.startswith("https://onnx.ai/")
