"""What displays know follows from the events alone."""

import io
import time
from functools import reduce

from assay.campaign.events import Progressed, Waiting
from assay.report.check_progress import check_progress
from assay.report.progress import Progress, advance
from tests.report.records import EVENTS


def progress() -> Progress:
    return reduce(lambda state, event: advance(state, event, 63.0), EVENTS, Progress(started=0.0))


def test_findings_are_counted_once_each_bugs_first() -> None:
    assert progress().counts == {"bug": 2, "unsupported": 1}
    assert list(progress().counts) == ["bug", "unsupported"]


def test_trials_meant_to_be_invalid_do_not_lower_the_valid_share() -> None:
    assert (progress().trials, progress().valid_percent()) == (3, 50)


def test_nothing_is_claimed_before_the_first_trial() -> None:
    assert Progress(started=0.0).valid_percent() is None
    assert Progress(started=5.0).rate(5.0) == 0.0


def test_a_finding_seen_before_is_not_the_last_new_one() -> None:
    state = Progress(started=0.0)
    for moment, event in enumerate(EVENTS[8:10]):
        state = advance(state, event, float(moment))
    assert state.last_new == 0.0


def test_restarts_are_deaths_of_all_targets() -> None:
    assert progress().restarts() == 3
    assert progress().targets["keras-torch"].restarts == 3


def test_the_last_event_ends_it() -> None:
    assert progress().finished


def test_a_check_without_a_terminal_says_every_few_seconds_where_it_is() -> None:
    stream = io.StringIO()
    with check_progress(stream, interval=0.02) as tell:
        tell(Progressed("running instances", 1024, 10000))
        deadline = time.monotonic() + 10
        while stream.getvalue().count("\n") < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "0:00  running instances: 1,024 of 10,000"
    assert len(lines) >= 2


def test_a_check_says_who_it_waits_for_and_for_how_long() -> None:
    moment = [0.0]
    stream = io.StringIO()
    with check_progress(stream, interval=0.01, now=lambda: moment[0]) as tell:

        def line() -> str:
            """The next whole line."""
            before = stream.getvalue().count("\n")
            deadline = time.monotonic() + 10
            while stream.getvalue().count("\n") < before + 2 and time.monotonic() < deadline:
                time.sleep(0.005)
            return stream.getvalue().splitlines()[-1]

        tell(Progressed("running instances", 0, 16))
        tell(Waiting(("openvino", "onnx-reference")))
        assert line() == "0:00  running instances (16), waiting for openvino, onnx-reference"
        tell(Waiting(("onnx-reference",)))
        moment[0] = 61.0
        assert line() == ("1:01  running instances (16), waiting for onnx-reference, 1:01 so far")
        moment[0] = 62.0
        assert line().endswith("1:02 so far")  # nothing happened, but the line goes on
        tell(Waiting(("a", "b", "c", "d")))
        assert line() == "1:02  running instances (16), waiting for 4 targets"


def test_a_quiet_or_short_check_prints_no_progress() -> None:
    stream = io.StringIO()
    with check_progress(stream, interval=60) as tell:
        tell(Progressed("starting targets", 0, 3))
    with check_progress(stream, quiet=True, interval=0.001) as tell:
        tell(Progressed("starting targets", 0, 3))
        time.sleep(0.05)
    assert stream.getvalue() == ""
