"""How a script's end is read, and where a script is run."""

from assay.campaign.triage.reproducer import Outcome, checked, outcome
from assay.ir import Platform
from tests.reproduce.examples import inconsistency

TRACEBACK = "Traceback (most recent call last):\n  …\nValueError: no\n"
JAX, TORCH = "keras-jax", "keras-torch"


def test_an_uncaught_exception_says_nothing_about_the_fault() -> None:
    assert outcome(1, "", TRACEBACK).code is None


def test_a_traceback_that_a_library_logged_does_not_count() -> None:
    assert outcome(1, "expected 1.0 actual 1.0\n", TRACEBACK).code == 1
    assert outcome(0, "", TRACEBACK).code == 0


def asked(sound: dict[str, int]) -> tuple[list[str], str]:
    """Who runs the script, in order, and why it does not do; each sound side ends as given."""
    bug, arrays = inconsistency()
    ran: list[str] = []

    def run(script: str, target: str, platform: Platform) -> Outcome:
        ran.append(target)
        return Outcome(sound.get(target, 0), "expected 1 actual 2\n", "")

    return ran, checked(bug, arrays, run).reason


def test_one_sound_side_is_enough_and_it_is_the_cheapest() -> None:
    assert asked({JAX: 1, TORCH: 1}) == (["keras-tensorflow", TORCH], "")


def test_another_sound_side_is_asked_where_the_cheapest_does_not_say_so() -> None:
    assert asked({JAX: 1, TORCH: 2}) == (["keras-tensorflow", TORCH, JAX], "")
    assert asked({JAX: 2, TORCH: 2})[1].startswith("expected exit code 1 on torch; received exit")
